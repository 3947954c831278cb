"""Bans: accounts that a moderator shuts out, and how moderators see them."""

import secrets

from contentsvc.store.accounts import roles, sessions
from contentsvc.store.moderation import bans, users
from contentsvc.wire.accounts import CLIENT
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together

MONTH = 30 * 24 * 3600


def digest() -> str:
    """The digest of a refresh token: a SHA-256 in hex."""
    return secrets.token_hex(32)


class BanTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()

    async def begin(self, refresh: str | None = None) -> str | None:
        """The id of a new session."""
        return await sessions.begin(self.db, self.ann, refresh or digest(), MONTH, None, CLIENT)

    async def test_no_log_in(self) -> None:
        """A banned user begins no session, and leaves nothing of the attempt."""
        await bans.put(self.db, None, self.ann, "rude", None)
        refresh = digest()
        self.assertIsNone(await self.begin(refresh))
        self.assertIsNone(await sessions.presented(self.db, refresh))

    async def test_lift_after_end(self) -> None:
        """A ban that is over is not lifted."""
        await bans.put(self.db, None, self.ann, "rude", 1)
        self.assertIs(await bans.lift(self.db, None, self.ann), False)

    async def test_same(self) -> None:
        """The same reason and end again change nothing; another reason or end does."""
        given = [("rude", None), ("rude", None), ("ruder", None), ("ruder", 2**40)]
        changed = [await bans.put(self.db, None, self.ann, *each) for each in [*given, given[-1]]]
        self.assertEqual(changed, [True, False, True, True, False])

    async def log_in(self) -> str | None:
        """As the service does it."""
        async with self.db.transaction() as tx:
            await sessions.lock_user(tx, self.ann, "-")
            return await sessions.begin(tx, self.ann, digest(), MONTH, None, CLIENT)

    async def ban(self) -> list[str]:
        """As the service does it; the sessions that it ended."""
        async with self.db.transaction() as tx:
            await roles.lock(tx, self.ann)
            await bans.put(tx, None, self.ann, "rude", None)
            return await sessions.revoke_all(tx, self.ann, None)

    async def test_at_once(self) -> None:
        """However log-ins and a ban fall together, no session goes on afterwards."""
        for _ in range(10):
            before = [self.log_in() for _ in range(3)]
            after = [self.log_in() for _ in range(3)]
            found = await together(*before, self.ban(), *after)
            begun = {session for session in [*found[:3], *found[4:]] if session is not None}
            self.assertLessEqual(begun, set(found[3]))
            self.assertEqual(await sessions.of_user(self.db, self.ann, guid()), [])
            await bans.lift(self.db, None, self.ann)


class AccountTests(StoreCase):
    async def test_expired(self) -> None:
        """Neither a ban that is over counts, nor a log-in whose tokens have all expired."""
        user = await self.user()
        self.sql("insert into bans values (%s, 'rude', now() - interval '1 second')", user)
        for lifetime in (3600, -1):
            self.sql(
                """
                with session as (insert into sessions (user_id) values (%s) returning id)
                insert into refresh_tokens (hash, session_id, expires)
                select uuid_send(id), id, now() + make_interval(secs => %s) from session
                """,
                user,
                lifetime,
            )
        found = await users.of_id(self.db, user)
        assert found is not None
        self.assertEqual((found.reason, found.sessions), (None, 1))
