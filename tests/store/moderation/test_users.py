"""Accounts as moderators see them: extensions §7."""

from contentsvc.store.moderation import users
from tests.support.databases import StoreCase


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
