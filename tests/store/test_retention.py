"""Retention: what is old enough goes, from the old end of each log, and nothing else does."""

from contextlib import closing

import psycopg2

from contentsvc.store import notifications, retention, sessions
from contentsvc.store.notifications import Standing
from contentsvc.store.retention import Batch
from tests.store.support import StoreCase, fresh, guid, together
from tests.store.test_sessions import MONTH, digest

DAYS = 90
MARGIN = 3600


class RetentionCase(StoreCase):
    async def setUp(self) -> None:
        # Of its own: retention looks at all users.
        self._databases[type(self)] = fresh(self.server())
        await super().setUp()

    def locked(self, sql: str, *args: object) -> None:
        """Hold the locks of a statement until the test's end."""
        connection = psycopg2.connect(self.url)
        self.addCleanup(connection.close)
        with connection.cursor() as cursor:
            cursor.execute(sql, args)


class NotificationTests(RetentionCase):
    async def log(self, *ages: float, user: str | None = None) -> str:
        """A user with notifications that are so many days old."""
        user = user or await self.user()
        for age in ages:
            row = await notifications.insert(self.db, user, "Debug", '{"kind":"Debug","text":"x"}')
            self.sql(
                "update notifications set created = now() - make_interval(secs => %s * 86400)"
                " where id = %s",
                age,
                row.id,
            )
        if ages:
            self.sql(
                "update notification_counters set kept_since = (select min(created) from"
                " notifications where user_id = %(user)s) where user_id = %(user)s".replace(
                    "%(user)s", f"'{user}'"
                )
            )
        return user

    async def trim(self) -> tuple[int, int]:
        """One batch."""
        return await retention.trim_notifications(self.db, DAYS)

    async def all(self) -> int:
        """As many batches as there are; how many rows went."""
        deleted = 0
        while (batch := Batch(*await self.trim())).seen:
            deleted += batch.deleted
        return deleted

    async def stands(self, user: str) -> tuple[int, int, int]:
        """The newest, the mark, and the unread, which must be those of the rows."""
        (state,) = await notifications.states(self.db, [user], [0])
        rows = self.sql("select seq, read from notifications where user_id = %s", user)
        self.assertEqual(state.unread, sum(not read for _, read in rows))
        kept = list(range(state.trimmed + 1, state.newest + 1))
        self.assertEqual(sorted(seq for seq, _ in rows), kept)
        return state.newest, state.trimmed, state.unread

    async def test_old(self) -> None:
        """What is older than so many days is deleted, unread too, and the mark is moved with it."""
        ann, bob = await self.log(100, 91, 89, 1), await self.log(80)
        self.assertEqual(await self.all(), 2)
        self.assertEqual(await self.stands(ann), (4, 2, 2))
        self.assertEqual(await self.stands(bob), (1, 0, 1))

    async def test_read(self) -> None:
        """Of those that go only the unread are subtracted."""
        ann = await self.log(100, 99, 98, 1)
        (row, *_) = await notifications.listed(self.db, ann, 0, None, 1)
        await notifications.mark(self.db, ann, row.id, True)
        self.assertEqual(await self.all(), 3)
        self.assertEqual(await self.stands(ann), (4, 3, 1))

    async def test_whole_log(self) -> None:
        """A log may go whole; the next number goes on from there, and is kept."""
        ann = await self.log(100, 99)
        self.assertEqual(await self.all(), 2)
        self.assertEqual(await self.stands(ann), (2, 2, 0))
        await self.log(0, user=ann)
        self.assertEqual(await self.all(), 0)
        self.assertEqual(await self.stands(ann), (3, 2, 1))

    async def test_order(self) -> None:
        """A row that is old but stands behind a younger one stays: numbers have no holes."""
        ann = await self.log(100, 5, 100, 1)
        self.assertEqual(await self.all(), 1)
        self.assertEqual(await self.stands(ann), (4, 1, 3))

    async def test_nothing_twice(self) -> None:
        """A log is looked at again when its oldest is old enough, not before."""
        await self.log(100, 89)
        self.assertEqual([await self.trim(), await self.trim()], [(1, 1), (0, 0)])
        ((due,),) = self.sql(
            "select (now() - kept_since) between interval '88 days' and interval '90 days'"
            " from notification_counters"
        )
        self.assertTrue(due)

    async def test_new_log(self) -> None:
        """A log that has just begun is not looked at."""
        await notifications.insert(self.db, await self.user(), "Debug", "{}")
        self.assertEqual(await self.trim(), (0, 0))

    async def test_from_before(self) -> None:
        """A log from before there was retention is looked at once, whatever it has."""
        ann, bob = await self.log(1), await self.log(100)
        self.sql("update notification_counters set kept_since = '-infinity'")
        self.assertEqual([await self.trim(), await self.trim()], [(2, 1), (0, 0)])
        self.assertEqual(await self.stands(ann), (1, 0, 1))
        self.assertEqual(await self.stands(bob), (1, 1, 0))

    async def test_batches(self) -> None:
        """A batch is of a bounded number of rows and of users, the longest overdue first."""
        self.patch_sizes()
        ann = await self.log()
        self.sql(
            "with c as (insert into notification_counters (user_id, seq, unread, kept_since)"
            " values (%s, 250, 250, now() - interval '200 days') returning user_id)"
            " insert into notifications (user_id, seq, kind, data, created)"
            " select user_id, n, 'Debug', '{}', now() - interval '100 days'"
            " from c, generate_series(1, 250) n",
            ann,
        )
        others = [await self.log(95) for _ in range(retention.LOGS)]
        batches = [await self.trim() for _ in range(5)]
        self.assertEqual(batches[0], (retention.LOGS, retention.ROWS + retention.LOGS - 1))
        self.assertEqual(sum(deleted for _, deleted in batches), 250 + len(others))
        self.assertEqual(batches[-1], (0, 0))
        self.assertEqual(await self.stands(ann), (250, 250, 0))

    def patch_sizes(self) -> None:
        self.assertEqual((retention.LOGS, retention.ROWS), (50, 100))

    async def test_deleted_by_hand(self) -> None:
        """A log whose rows somebody has deleted does not come up again and again."""
        ann = await self.log(100, 100)
        self.sql("delete from notifications where user_id = %s", ann)
        self.assertEqual([await self.trim(), await self.trim()], [(1, 0), (0, 0)])

    async def test_lock_held(self) -> None:
        """While another process deletes, there is nothing to do."""
        ann = await self.log(100)
        connection = psycopg2.connect(self.url)
        with closing(connection), connection.cursor() as cursor:
            cursor.execute("select pg_advisory_xact_lock(%s)", (retention._LOCK,))
            self.assertEqual(await self.trim(), (0, 0))
        self.assertEqual(await self.trim(), (1, 1))
        self.assertEqual(await self.stands(ann), (1, 1, 0))

    async def test_locked_rows(self) -> None:
        """A log that somebody has locked, or a row of it, is left for later, and waited for by
        nobody; the others' turn comes all the same."""
        ann, bob, eve = [await self.log(100, 99) for _ in range(3)]
        self.locked("select from notification_counters where user_id = %s for update", ann)
        self.locked("select from notifications where user_id = %s and seq = 2 for update", bob)
        self.assertEqual(await self.trim(), (1, 2))
        self.assertEqual(await self.stands(ann), (2, 0, 2))
        self.assertEqual(await self.stands(bob), (2, 0, 2))
        self.assertEqual(await self.stands(eve), (2, 2, 0))

    async def test_at_once(self) -> None:
        """Whatever is appended, read, and deleted at once, number, mark and count agree."""
        users = [await self.log(*[100] * 5, *[1] * 5) for _ in range(4)]
        rows = {user: await notifications.listed(self.db, user, 0, None, None) for user in users}
        acts = [
            act
            for user in users
            for row in rows[user]
            for act in (
                notifications.mark(self.db, user, row.id, True),
                notifications.mark_up_to(self.db, user, row.id),
                notifications.insert(self.db, user, "Debug", "{}"),
                retention.trim_notifications(self.db, DAYS),
            )
        ]
        await together(*acts)
        await self.all()
        for user in users:
            self.assertEqual((await self.stands(user))[:2], (20, 5))

    async def test_no_change_of_the_log(self) -> None:
        """What is gone by retention does not make a log another one: the mark says so."""
        ann = await self.log(100)
        ((id,),) = self.sql("select id from notifications where user_id = %s", ann)
        await self.all()
        found = await notifications.moved(self.db, [ann], [1], [id])
        self.assertEqual(found, [Standing(ann, 1, None, 1, None)])


class SessionTests(RetentionCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()

    async def session(self, *expired: float) -> str:
        """A session with tokens that expired so many seconds ago."""
        session = guid()
        self.sql("insert into sessions (id, user_id) values (%s, %s)", session, self.ann)
        for seconds in expired:
            self.sql(
                "insert into refresh_tokens (hash, session_id, expires, spent)"
                " values (decode(%s, 'hex'), %s, now() - make_interval(secs => %s), now())",
                *(digest(), session, seconds),
            )
        return session

    async def trim(self) -> tuple[int, int]:
        return await retention.trim_sessions(self.db, MARGIN)

    def left(self) -> dict[str, int]:
        """The sessions that there are, and how many tokens each has."""
        return dict(
            self.sql(
                "select s.id, count(t) from sessions s"
                " left join refresh_tokens t on t.session_id = s.id group by 1"
            )
        )

    async def test_over(self) -> None:
        """A session goes some time after the last of its refresh tokens has expired."""
        over, lately = await self.session(MARGIN + 60, MONTH), await self.session(MARGIN - 60)
        self.assertEqual(await self.trim(), (2, 1))
        self.assertEqual(self.left(), {lately: 1})
        self.assertNotIn(over, self.left())

    async def test_spent(self) -> None:
        """A spent token stays until its own time is over, so that its use is still seen; the
        session stays as long, ended or not."""
        session = await self.session(MARGIN + 60, -60)
        await sessions.revoke(self.db, session)
        self.sql("update sessions set revoked = now() - interval '20 days'")
        self.assertEqual(await self.trim(), (1, 0))
        self.assertEqual(self.left(), {session: 1})

    async def test_spent_is_presented(self) -> None:
        """It is still known as a spent one, a month less a moment after it was given."""
        refresh = digest()
        session = await sessions.begin(self.db, self.ann, refresh, MONTH)
        await sessions.rotate(self.db, refresh, session, digest(), MONTH, "00")
        self.sql("update refresh_tokens set expires = expires - interval '29 days 23 hours'")
        await self.trim()
        found = await sessions.presented(self.db, refresh)
        self.assertIsNotNone(found.spent_for)

    async def test_batches(self) -> None:
        """A batch is of a bounded number of tokens; a session goes with its last one."""
        session = await self.session()
        self.sql(
            "insert into refresh_tokens (hash, session_id, expires)"
            " select sha256(n::text::bytea), %s, now() - make_interval(days => n)"
            " from generate_series(1, 150) n",
            session,
        )
        self.assertEqual(await self.trim(), (retention.TOKENS, 0))
        self.assertEqual(self.left(), {session: 150 - retention.TOKENS})
        self.assertEqual(await self.trim(), (150 - retention.TOKENS, 1))
        self.assertEqual(self.left(), {})

    async def test_locked(self) -> None:
        """A token that is being presented is not waited for."""
        session = await self.session(MARGIN + 60)
        self.locked("select from refresh_tokens where session_id = %s for update", session)
        self.assertEqual(await self.trim(), (0, 0))
        self.assertEqual(self.left(), {session: 1})
