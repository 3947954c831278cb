"""Accounts: unique names, and what a log-in is checked against."""

from contentsvc.framework.db.errors import Refused
from contentsvc.store.accounts import credentials
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together


class RegisterTests(StoreCase):
    async def register(self, name: str, email: str) -> str:
        """The outcome of a registration: "made" or the constraint that refused it."""
        try:
            await credentials.register(self.db, name, email, "-", "player")
        except Refused as refused:
            return refused.constraint
        return "made"

    async def test_unique(self) -> None:
        """A name or address is taken whatever the case."""
        name = f"Bob{guid()[:8]}"
        for given, email, outcome in (
            (name, f"{name}@example.com", "made"),
            (name.swapcase(), f"{guid()}@example.com", "users_username"),
            (guid()[:8], f"{name.swapcase()}@Example.com", "users_email"),
            (f"{name}_", f"{name}_@example.com", "made"),
        ):
            self.assertEqual(await self.register(given, email), outcome)

    async def test_at_once(self) -> None:
        """Of several at once one has the name."""
        name = guid()[:8]
        acts = [self.register(name, f"{name}{n}@example.com") for n in range(8)]
        self.assertEqual(sorted(await together(*acts)), ["made"] + ["users_username"] * 7)

    async def test_as_written(self) -> None:
        """Name and address are kept as they were written."""
        name = f"McFly{guid()[:8]}"
        await self.register(name, f"{name}@Example.com")
        rows = self.sql("select username, email from users where username_key = %s", name.lower())
        self.assertEqual(rows, [(name, f"{name}@Example.com")])

    async def test_case_beyond_ascii(self) -> None:
        """An address's case beyond ASCII matters, whatever the server's locale."""
        name = guid()[:8]
        self.assertEqual(await self.register(f"{name}1", f"ä{name}@example.com"), "made")
        self.assertEqual(await self.register(f"{name}2", f"Ä{name}@example.com"), "made")


class LogInTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.name = f"u{guid()[:8]}"
        self.ann = await self.user(self.name)

    async def credentials(self, name: str | None = None) -> credentials.Credentials | None:
        """The credentials for a log-in under this name."""
        return await credentials.by_name(self.db, name or self.name)

    async def test_name_before_address(self) -> None:
        """Where one's name is another's address, the name goes first."""
        name = f"x{guid()[:8]}@y"
        other = await credentials.register(self.db, name, f"{guid()}@example.com", "-", "player")
        await credentials.register(self.db, f"n{guid()[:8]}", name.upper(), "-", "player")
        self.assertEqual((await self.credentials(name)).id, other)

    async def test_password(self) -> None:
        """A new hash replaces the old, if that is still the one."""
        old = (await self.credentials()).password_hash
        changes = (
            credentials.set_password(self.db, self.ann, old, new) for new in ("new", "newer")
        )
        self.assertCountEqual(await together(*changes), [True, False])
        self.assertIn((await self.credentials()).password_hash, ("new", "newer"))
