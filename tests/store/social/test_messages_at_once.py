"""Messages that come at once: they share a statement, and each has an outcome of its own."""

from contextlib import closing

import psycopg2

from contentsvc.framework.db.errors import Unavailable
from contentsvc.store.social.messages import Sent, Unsent
from tests.store.social.test_messages import MessageCase
from tests.support.deferreds import together


class LockedTests(MessageCase):
    """Another process has locked some rows for longer than a statement waits."""

    options = "-c lock_timeout=200ms"

    async def sent(self, *others: str) -> list[Sent | Unsent | Unavailable | None]:
        """What comes of messages of ann to each of these, begun in one turn."""

        async def outcome(other: str) -> Sent | Unsent | Unavailable | None:
            try:
                return await self.send(self.ann, other)
            except Unavailable as error:
                return error

        return await together(*(outcome(other) for other in others))

    async def friends(self, count: int) -> list[str]:
        """New friends of ann."""
        found = [await self.user() for _ in range(count)]
        for other in found:
            self.befriend(self.ann, other)
        return found

    async def check(self, lock: str) -> None:
        """Lock two of seven by this SQL. The messages to them fail; the others are stored and told,
        once, and what is told comes back to be pushed. Afterwards all are as before."""
        others = await self.friends(7)
        locked = others[2], others[5]
        await self.sent(*others)
        with self.held() as (act, _):
            for other in locked:
                act(lock.format(other))
            found = await self.sent(*others)
        for other, outcome in zip(others, found, strict=True):
            if other in locked:
                assert isinstance(outcome, Unavailable)
                self.assertEqual(outcome.cause, "lock")
            else:
                assert isinstance(outcome, Sent) and outcome.notified is not None
                self.assertEqual((outcome.notified.user_id, outcome.notified.seq), (other, 2))
            number = 1 if other in locked else 2
            self.assertEqual(len(await self.between(self.ann, other)), number)
            self.assertEqual(await self.told(other), number)
        for outcome in await self.sent(*others):
            self.assertIsInstance(outcome, Sent)

    async def test_pairs(self) -> None:
        """Locked pairs."""
        await self.check("select from pairs where '{}' in (lesser, greater) for update")

    async def test_counters(self) -> None:
        """Locked counters: nothing is left of a message that could not be told."""
        await self.check("select from notification_counters where user_id = '{}' for update")


class KeepTests(MessageCase):
    alone = True

    async def test_on_disk(self) -> None:
        """What was committed without waiting for the disk is there after keep_commits."""
        with closing(psycopg2.connect(self.url)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute("set synchronous_commit = off")
                cursor.execute(
                    "insert into users (username, email, password_hash)"
                    " values ('kept', 'kept@example.com', '-')"
                )
                cursor.execute("select pg_current_wal_insert_lsn()")
                ((written,),) = cursor.fetchall()
                cursor.execute("set synchronous_commit = on")
                cursor.execute("select keep_commits()")
                cursor.execute("select pg_current_wal_flush_lsn() >= %s::pg_lsn", (written,))
                self.assertEqual(cursor.fetchall(), [(True,)])

    async def test_any_role(self) -> None:
        """It needs no privilege of a superuser."""
        self.sql("create role plain")
        self.addCleanup(self.sql, "drop role plain")
        with closing(psycopg2.connect(self.url)) as connection, connection.cursor() as cursor:
            cursor.execute("set role plain")
            cursor.execute("select keep_commits()")
