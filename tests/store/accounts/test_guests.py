"""Guests in the database: their rows, and what is counted and noted of them."""

import secrets

from contentsvc.framework.db.errors import Refused
from contentsvc.store.accounts import credentials, guests, identities, users
from tests.support.databases import StoreCase


def digest() -> str:
    """A SHA-256 in hex."""
    return secrets.token_hex(32)


def name() -> str:
    """A guest's name."""
    return f"guest-{secrets.token_hex(4)}"


class GuestTests(StoreCase):
    """One guest after the other."""

    alone = True

    def counted(self) -> dict[str, int]:
        """What is counted of accounts."""
        rows = self.sql(
            "select what, sum(number)::int from tallies"
            " where what in ('registered', 'guests') group by what"
        )
        return dict(rows)

    def noted(self, user: str) -> list[tuple[str, str]]:
        """The events of a user."""
        statement = "select kind, data from new_events where subject = %s order by id"
        return self.sql(statement, user)

    async def refused(self, constraint: str, calling) -> None:
        """Assert that this constraint refuses."""
        try:
            await calling
        except Refused as error:
            self.assertEqual(error.constraint, constraint)
        else:
            self.fail("it was not refused")

    async def test_counted(self) -> None:
        """A guest is counted as one, and as registered once it is a full account."""
        await self.user()
        before = self.counted()
        guest = await guests.make(self.db, name(), digest())
        self.assertEqual(self.counted(), before | {"guests": before.get("guests", 0) + 1})
        await guests.register(self.db, guest, "ada", "ada@example.com", "hash")
        self.assertEqual(self.counted()["registered"], before["registered"] + 1)

    async def test_noted(self) -> None:
        """The events say that it is a guest, and when it becomes a full account."""
        guest, user = await guests.make(self.db, name(), digest()), await self.user()
        await guests.register(self.db, guest, "bob", "bob@example.com", "hash")
        self.assertEqual(
            self.noted(guest),
            [("UserRegistered", '{"guest" : true}'), ("GuestBecameUser", "{}")],
        )
        self.assertEqual(self.noted(user), [("UserRegistered", '{"guest" : false}')])

    async def test_same_secret(self) -> None:
        """A secret makes one guest, and the second leaves nothing."""
        secret = digest()
        await guests.make(self.db, name(), secret)
        before = self.sql("select count(*) from users")
        await self.refused("guest_secrets_hash", guests.make(self.db, name(), secret))
        self.assertEqual(self.sql("select count(*) from users"), before)

    async def test_names(self) -> None:
        """Only guests are made with a name of their form."""
        await self.refused("users_username", self.user("guest-abcdefgh"))
        await self.refused("users_username", self.user("GUEST-ABCDEFG1"))
        guest = await guests.make(self.db, "guest-abcdefgh", digest())
        other = await guests.make(self.db, name(), digest())
        await self.refused("users_username", credentials.rename(self.db, other, "guest-aaaaaaaa"))
        await self.refused("users_username", guests.make(self.db, "guest-abcdefgh", digest()))
        await guests.register(self.db, guest, "guest-abcdefgh", "g@example.com", "hash")

    async def test_identity(self) -> None:
        """An account elsewhere that makes a guest a full account proves at once, and stays."""
        guest = await guests.make(self.db, name(), digest())
        place = "https://id.example", "7"
        self.assertTrue(await guests.join(self.db, guest, "eve", *place))
        self.assertIsNotNone(await identities.proof(self.db, guest, *place))
        self.assertEqual(await identities.unlink_doubtful(self.db, guest), "")

    async def test_identity_taken(self) -> None:
        """One that is linked elsewhere changes nothing."""
        place = "https://id.example", "8"
        await identities.join(self.db, "owner", *place)
        guest = await guests.make(self.db, name(), digest())
        self.assertFalse(await guests.join(self.db, guest, "thief", *place))
        self.assertTrue(await guests.is_guest(self.db, guest))
        me = await users.me(self.db, guest)
        self.assertNotEqual(me and me.username, "thief")

    async def test_many(self) -> None:
        """However many guests there are, a search does not read them."""
        self.sql(
            "insert into users (username, guest)"
            " select 'guest-' || lpad(to_hex(n), 8, '0'), true from generate_series(1, 20000) n"
        )
        self.sql("analyze users")
        made = await self.user("guesthouse")
        for q in ("gue", "guest-0", "guesthose"):
            found = await users.search(self.db, q, 48, 0)
            ids = [each.info.id for each in found if each.info is not None]
            self.assertEqual([made], ids, q)
        plan = "\n".join(
            line for (line,) in self.sql("explain analyze select * from find_users('guest')")
        )
        self.assertNotIn("Seq Scan on users", plan)
