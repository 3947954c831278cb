"""Retention: what is old enough goes, from the old end of each log, and nothing else does."""

from contextlib import closing

import psycopg2

from contentsvc.store import retention
from contentsvc.store.accounts import sessions
from contentsvc.store.notifications import flags as marking
from contentsvc.store.notifications import notifications, streams
from contentsvc.store.notifications.streams import StreamEnd
from contentsvc.store.retention import FIRST, Step, Trimmed
from contentsvc.wire.accounts import CLIENT
from tests.store.accounts.test_sessions import MONTH, digest
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together

DAYS = 90
MARGIN = 3600


class RetentionCase(StoreCase):
    anew = True  # Retention looks at all users.

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
        return user

    async def trim(self, start: str = FIRST) -> Step:
        """One batch."""
        return await retention.trim_notifications(self.db, DAYS, start)

    async def all(self) -> int:
        """As many batches as there are; how many rows went."""
        deleted, start = 0, FIRST
        while True:
            step = await self.trim(start)
            deleted += step.deleted
            if step.next is None:
                return deleted
            self.assertGreaterEqual(step.next, start)
            start = step.next

    async def stands(self, user: str) -> tuple[int, int, int]:
        """The newest, the mark, and the unread, which must be those of the rows."""
        (state,) = await streams.states(self.db, [user], [0])
        rows = self.sql("select seq, read from notifications where user_id = %s", user)
        self.assertEqual(state.unread, sum(not read for _, read in rows))
        kept = list(range(state.trimmed + 1, state.newest + 1))
        self.assertEqual(sorted(seq for seq, _ in rows), kept)
        return state.newest, state.trimmed, state.unread

    async def test_old(self) -> None:
        """Older notifications than so many days are deleted, unread ones too, and the mark moves
        with them."""
        ann, bob = await self.log(100, 91, 89, 1), await self.log(80)
        self.assertEqual(await self.all(), 2)
        self.assertEqual(await self.stands(ann), (4, 2, 2))
        self.assertEqual(await self.stands(bob), (1, 0, 1))

    async def test_read(self) -> None:
        """Of those that go only the unread are subtracted."""
        ann = await self.log(100, 99, 98, 1)
        (row, *_) = await notifications.listed(self.db, ann, 0, None, 1)
        await marking.mark(self.db, ann, row.id, True)
        self.assertEqual(await self.all(), 3)
        self.assertEqual(await self.stands(ann), (4, 3, 1))

    async def test_changes(self) -> None:
        """Sockets are told if unread ones have gone, and only then."""
        ann, bob = await self.log(100, 99, 1), await self.log(100)
        (row,) = await notifications.listed(self.db, bob, 0, None, 1)
        await marking.mark(self.db, bob, row.id, True)
        await self.all()
        found = await streams.tallies(self.db, [ann, bob])
        self.assertEqual({each.user_id: each.changes for each in found}, {ann: 1, bob: 1})

    async def test_deleted(self) -> None:
        """What the user has deleted goes in its turn, and is subtracted once."""
        ann = await self.log(100, 99, 98, 1)
        rows = await notifications.listed(self.db, ann, 0, None, 9)
        await marking.delete(self.db, ann, rows[1].id)
        await marking.delete(self.db, ann, rows[3].id)
        self.assertEqual(await self.stands(ann), (4, 0, 2))
        self.assertEqual(await self.all(), 3)
        self.assertEqual(await self.stands(ann), (4, 3, 0))

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

    async def test_nothing_there(self) -> None:
        """Without anything that is old there is nothing to do."""
        self.assertEqual(await self.trim(), Step(True, None, False, 0))
        await self.log(89)
        self.assertEqual(await self.trim(), Step(True, None, False, 0))

    async def test_long_log(self) -> None:
        """Of a long log a batch has a bounded number of rows; the next one goes on with it."""
        users = sorted([await self.user(), await self.user()])
        for user, count in zip(users, (250, 1), strict=True):
            self.sql(
                "with c as (insert into notification_counters (user_id, seq, unread)"
                " values (%s, %s, %s) returning *)"
                " insert into notifications (user_id, seq, kind, data, created)"
                " select user_id, n, 'Debug', '{}', now() - interval '100 days'"
                " from c, generate_series(1, seq) n",
                *(user, count, count),
            )
        steps = [await self.trim(users[0]) for _ in range(3)]
        self.assertEqual(steps[0], Step(True, users[0], True, retention.ROWS + 1))
        self.assertEqual(steps[1:], [Step(True, users[0], True, 100), Step(True, None, False, 50)])
        self.assertEqual(await self.stands(users[0]), (250, 250, 0))

    async def test_many_logs(self) -> None:
        """A batch has a bounded number of users, and says with which to go on."""
        users = sorted([await self.log(95, 1) for _ in range(retention.LOGS + 2)])
        step = await self.trim()
        self.assertEqual(step, Step(True, users[retention.LOGS], True, retention.LOGS))
        self.assertEqual(await self.trim(step.next), Step(True, None, False, 2))
        self.assertEqual({(await self.stands(user)) for user in users}, {(2, 1, 1)})

    async def test_slices(self) -> None:
        """A statement looks at a bounded number of logs, and says with which to go on."""
        self.sql(
            "with u as (insert into users (username, email, password_hash)"
            " select 'slice-' || n, n || '@slices.example', '-' from generate_series(1, %s) n"
            " returning id)"
            " insert into notification_counters (user_id, seq, unread) select id, 0, 0 from u",
            retention.SLICE + 5,
        )
        users = [id for (id,) in self.sql("select user_id from notification_counters order by 1")]
        self.assertEqual(await self.trim(), Step(True, users[retention.SLICE], False, 0))
        self.assertEqual(await self.trim(users[retention.SLICE]), Step(True, None, False, 0))

    async def test_deleted_by_hand(self) -> None:
        """A log whose rows somebody has deleted is one without old rows."""
        ann = await self.log(100, 100)
        self.sql("delete from notifications where user_id = %s", ann)
        self.assertEqual(await self.trim(), Step(True, None, False, 0))

    async def test_lock_held(self) -> None:
        """While another process deletes, there is nothing to do."""
        ann = await self.log(100)
        connection = psycopg2.connect(self.url)
        with closing(connection), connection.cursor() as cursor:
            cursor.execute("select pg_advisory_xact_lock(%s)", (retention._LOCK,))
            self.assertEqual(await self.trim(), Step(False, None, False, 0))
            connection.rollback()
        self.assertEqual(await self.trim(), Step(True, None, False, 1))
        self.assertEqual(await self.stands(ann), (1, 1, 0))

    async def test_locked_rows(self) -> None:
        """A log that somebody has locked, or a row of it, is left for later, and waited for by
        nobody; the others' turn comes all the same."""
        ann, bob, eve = [await self.log(100, 99) for _ in range(3)]
        self.locked("select from notification_counters where user_id = %s for update", ann)
        self.locked("select from notifications where user_id = %s and seq = 2 for update", bob)
        self.assertEqual(await self.trim(), Step(True, None, False, 2))
        self.assertEqual(await self.stands(ann), (2, 0, 2))
        self.assertEqual(await self.stands(bob), (2, 0, 2))
        self.assertEqual(await self.stands(eve), (2, 2, 0))

    async def test_at_once(self) -> None:
        """Number, mark and count agree after appends, reads and deletions at the same time."""
        users = [await self.log(*[100] * 5, *[1] * 5) for _ in range(4)]
        rows = {user: await notifications.listed(self.db, user, 0, None, 1000) for user in users}
        acts = [
            act
            for user in users
            for row in rows[user]
            for act in (
                marking.mark(self.db, user, row.id, True),
                marking.mark_up_to(self.db, user, row.id, None, 0, 1000),
                marking.delete(self.db, user, row.id),
                notifications.insert(self.db, user, "Debug", "{}"),
                retention.trim_notifications(self.db, DAYS, FIRST),
            )
        ]
        await together(*acts)
        await self.all()
        for user in users:
            self.assertEqual((await self.stands(user))[:2], (20, 5))

    async def test_no_change_of_the_log(self) -> None:
        """Deletions by retention do not make a log another one, because the mark tells of them."""
        ann = await self.log(100)
        ((id,),) = self.sql("select id from notifications where user_id = %s", ann)
        await self.all()
        found = await streams.moved(self.db, [ann], [1], [id], [0])
        self.assertEqual(found, [StreamEnd(ann, 1, None, 1, 1, None)])


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

    async def trim(self) -> Trimmed:
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
        session = await sessions.begin(self.db, self.ann, refresh, MONTH, None, CLIENT)
        await sessions.rotate(self.db, refresh, session, digest(), MONTH, "00", CLIENT)
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


class StudioTests(RetentionCase):
    async def test_old(self) -> None:
        """What the studio has told goes when notifications do, but not while it is told."""
        for days, state in ((DAYS + 1, "done"), (DAYS + 1, "telling"), (DAYS - 1, "stopped")):
            self.sql(
                """insert into studio_notifications
                       (id, topic, data, author, service, state, created)
                   values (gen_random_uuid(), 'x', '{}', gen_random_uuid(), false, %s,
                           now() - make_interval(days => %s))""",
                *(state, days),
            )
        self.assertEqual(await retention.trim_studio_notifications(self.db, DAYS), 1)
        left = self.sql("select state from studio_notifications order by state")
        self.assertEqual(left, [("stopped",), ("telling",)])
