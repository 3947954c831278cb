"""The relay between processes, on a real Postgres."""

from contextlib import closing
from uuid import UUID, uuid4

import psycopg2
from msgspec import json
from twisted.internet.defer import DeferredQueue

from contentsvc.framework.db.errors import Unavailable
from contentsvc.push.bus import ProcessReport
from contentsvc.push.stream import REVOKED, SIZES
from contentsvc.store import processes, retention
from contentsvc.store.accounts import sessions
from contentsvc.store.notifications import flags, notifications
from contentsvc.store.processes import SUSPECT
from contentsvc.wire.accounts import CLIENT
from contentsvc.wire.notifications import Debug
from tests.push.processes import RelayTestCase
from tests.support import postgres

NEVER = 3600.0
DATA = '{"kind":"Debug","text":"x"}'


class AnnounceTests(RelayTestCase):
    async def test_to_the_other_process(self) -> None:
        """A notification that one process commits reaches the other's sockets, and both once."""
        one, two = await self.process(), await self.process()
        user = self.user()
        sockets = [await each.socket(user) for each in (one, two)]
        for process in one, two, one:
            await process.notifier.send(process.db, user, Debug(text="hi"))
        for socket in sockets:
            self.assertEqual(await socket.until(3), [1, 2, 3])
        self.assertEqual(sockets[0].seen[1].frame, sockets[1].seen[1].frame)

    async def test_rolled_back(self) -> None:
        """A notification that is rolled back is announced to nobody, and its number is given
        again."""
        one, two = await self.process(), await self.process()
        user = self.user()
        socket = await two.socket(user)
        with self.assertRaises(ZeroDivisionError):
            async with one.db.transaction() as tx:
                await one.notifier.send(tx, user, Debug(text="no"))
                raise ZeroDivisionError
        await one.notifier.send(one.db, user, Debug(text="yes"))
        await socket.until(1)
        self.assertEqual(socket.seen[1].message["notification"]["text"], "yes")

    async def test_one_turn(self) -> None:
        """The announcements of one turn of the reactor leave in one payload, with the newest
        numbers only."""
        one, payloads = await self.process(), await self.payloads()
        for user, seq in ("a", 1), ("b", 5), ("a", 3), ("a", 2):
            one.relay.announce(user, seq)
        payload = json.decode(await payloads.get())
        self.assertEqual(payload["n"], {"a": 3, "b": 5})

    async def test_skips_itself(self) -> None:
        """A process does not act on what it announced itself."""
        one, two = await self.process(), await self.process()
        one.relay.announce("a", 1)
        await two.noticed.get()
        two.relay.announce("b", 1)
        self.assertEqual(await one.noticed.get(), ("b", 1))

    async def test_large(self) -> None:
        """Announcements that do not fit into one payload are split, and none reaches 8,000
        bytes."""
        one, payloads = await self.process(), await self.payloads()
        users = {str(UUID(int=n)): 2**63 - 1 - n for n in range(500)}
        for user, seq in users.items():
            one.relay.announce(user, seq)
        sids = [str(UUID(int=n)) for n in range(500)]
        for sid in sids:
            one.relay.announce_revoked(sid)
        heard: dict[str, int] = {}
        ended: list[str] = []
        while len(heard) < len(users) or len(ended) < len(sids):
            payload = await payloads.get()
            self.assertLess(len(payload), 8000)
            heard |= json.decode(payload).get("n", {})
            ended += json.decode(payload).get("r", [])
        self.assertEqual((heard, set(ended)), (users, set(sids)))

    async def test_states(self) -> None:
        """Users whose flags have changed are announced by their ids alone, each once a turn, and
        payloads of them stay below 8,000 bytes too."""
        one, payloads = await self.process(), await self.payloads()
        users = [str(UUID(int=n)) for n in range(500)]
        for user in users * 2:
            one.relay.announce_changed(user)
        heard: list[str] = []
        while len(heard) < len(users):
            payload = await payloads.get()
            self.assertLess(len(payload), 8000)
            news = json.decode(payload)
            self.assertEqual(news.keys(), {"o", "c"})
            heard += news["c"]
        self.assertEqual(sorted(heard), users)

    async def test_tasks(self) -> None:
        """A process hears that another has put a task, and not that it has put one itself."""
        heard: DeferredQueue[str] = DeferredQueue()
        one = await self.process(tasks=lambda: heard.put("one"))
        two = await self.process(tasks=lambda: heard.put("two"))
        one.relay.announce_tasks()
        self.assertEqual(await heard.get(), "two")
        two.relay.announce_tasks()
        self.assertEqual(await heard.get(), "one")

    async def test_malformed(self) -> None:
        """Payloads that no process of ours sent are logged and ignored."""
        one = await self.process()
        bad = '"x"', "{", "[]", '{"o":"x","n":{"a":"b"}}', '{"o":"x","n":{"a":0}}', "[" * 7000
        for payload in bad:
            self.execute("select pg_notify('contentsvc', %s)", payload)
        self.execute("""select pg_notify('contentsvc', '{"o":"x","n":{"a":7},"new":1}')""")
        self.assertEqual(await one.noticed.get(), ("a", 7))
        self.assertTrue(one.relay.alive)

    async def test_other_channel(self) -> None:
        """The channel has the service's name."""
        await self.process()
        one = await self.process()
        self.execute("""select pg_notify('other', '{"o":"x","n":{"a":7}}')""")
        self.execute("""select pg_notify('contentsvc', '{"o":"x","n":{"a":8}}')""")
        self.assertEqual(await one.noticed.get(), ("a", 8))


class StateTests(RelayTestCase):
    async def test_to_the_other_process(self) -> None:
        """A change that one process commits is sent to the other's sockets as to its own."""
        one, two = await self.process(), await self.process()
        user = self.user()
        sockets = [await each.socket(user) for each in (one, two, two)]
        for _ in range(3):
            await one.notifier.send(one.db, user, Debug(text="hi"))
        for socket in sockets:
            await socket.until(3)
        await flags.mark_up_to(one.db, user, None, 2, 0, 9)
        one.notifier.changed(user)
        self.assertEqual([await socket.state() for socket in sockets], [(3, 1)] * 3)
        await flags.delete_up_to(two.db, user, None, 3, 0, 9)
        two.notifier.changed(user)
        self.assertEqual([await socket.state() for socket in sockets], [(3, 0)] * 3)

    async def test_skips_itself(self) -> None:
        """A process does not act on what it announced itself."""
        one, two = await self.process(), await self.process()
        one.relay.announce_changed("a")
        self.assertEqual(await two.hub.states.get(), "a")
        two.relay.announce_changed("b")
        self.assertEqual(await one.hub.states.get(), "b")

    async def test_other_releases(self) -> None:
        """News of the release before is understood, which has no such users."""
        one = await self.process()
        self.execute("""select pg_notify('contentsvc', '{"o":"x","n":{"a":7}}')""")
        self.assertEqual(await one.noticed.get(), ("a", 7))
        self.execute("""select pg_notify('contentsvc', '{"o":"x","c":["a"],"new":1}')""")
        self.assertEqual(await one.hub.states.get(), "a")

    async def test_missed_meanwhile(self) -> None:
        """What was announced while nobody listened is sent when LISTEN is in force again."""
        one, two = await self.process(), await self.process()
        user = self.user()
        socket = await one.socket(user)
        await two.notifier.send(two.db, user, Debug(text="hi"))
        await socket.until(1)
        lost, pid = self.lost(), self.backend(one)
        postgres.admit(self.dsn, False)
        postgres.kill(self.dsn, pid)
        await lost
        await flags.mark_up_to(two.db, user, None, 1, 0, 9)
        two.notifier.changed(user)
        self.assertEqual((one.relay.alive, socket.states), (False, []))
        postgres.admit(self.dsn, True)
        self.assertEqual(await socket.state(), (1, 0))


class ReconcilerTests(RelayTestCase):
    every = 0.05

    async def test_states(self) -> None:
        """A change that nobody announced is found by the reconciler, and what retention has deleted
        too."""
        process = await self.process()
        user = self.user()
        socket = await process.socket(user)
        for _ in range(3):
            await process.notifier.send(process.db, user, Debug(text="x"))
        await flags.mark_up_to(process.db, user, None, 1, 0, 9)
        self.assertEqual(await socket.state(), (3, 2))
        self.execute(
            "update notifications set created = now() - interval '91 days'"
            " where user_id = %s and seq < 3",
            user,
        )
        await retention.trim_notifications(process.db, 90, user)
        self.assertEqual(await socket.state(), (3, 1))

    async def test_never_announced(self) -> None:
        """A notification whose writer died before it announced it is found by the reconciler."""
        process = await self.process()
        user = self.user()
        socket = await process.socket(user)
        await notifications.insert(process.db, user, "Debug", DATA)
        self.assertEqual(await socket.until(1), [1])

    async def test_all_users(self) -> None:
        """The reconciler looks after all connected users, however many."""
        process = await self.process(sizes=SIZES._replace(checked=2))
        users = [self.user() for _ in range(5)]
        sockets = [await process.socket(user) for user in users]
        for user in users:
            await notifications.insert(process.db, user, "Debug", DATA)
        for socket in sockets:
            self.assertEqual(await socket.until(1), [1])

    async def test_revoked(self) -> None:
        """A session that was ended without a word is found by the reconciler."""
        process = await self.process()
        user = self.user()
        sid = await sessions.begin(process.db, user, "00" * 32, 60, None, CLIENT)
        socket = await process.socket(user, sid)
        await sessions.revoke(process.db, sid)
        await socket.ended
        self.assertEqual(socket.closes, [REVOKED])
        self.assertIn(sid, process.revoked)

    async def test_beside_a_lock(self) -> None:
        """Notifications that nobody announced are found even while the sessions are locked."""
        process = await self.process()
        user = self.user()
        socket = await process.socket(user)
        with closing(psycopg2.connect(self.dsn)) as other:
            other.cursor().execute("lock table sessions in access exclusive mode")
            await notifications.insert(process.db, user, "Debug", DATA)
            self.assertEqual(await socket.until(1), [1])

    async def test_goes_on(self) -> None:
        """A reconciler that fails is not the last one."""
        process = await self.process()
        user = self.user()
        socket = await process.socket(user)
        lost = self.lost()
        for pid in self.execute(
            "select pid from pg_stat_activity where datname = current_database() "
            "and pid <> pg_backend_pid()"
        ):
            self.execute("select pg_terminate_backend(%s)", pid)
        await lost
        self.execute(
            "with c as (insert into notification_counters values (%s, 1, 1) returning user_id)"
            """insert into notifications (user_id, seq, kind, data, created)
            select user_id, 1, 'Debug', '{"kind":"Debug","text":"x"}', now() from c""",
            user,
        )
        self.assertEqual(await socket.until(1), [1])
        while not process.relay.alive:
            await process.swept.get()


class SuspicionTests(RelayTestCase):
    """No look comes by itself."""

    full_every = 0.0

    async def test_by_hand(self) -> None:
        """What somebody writes with SQL of their own arrives at once, with its transaction."""
        process = await self.process()
        user = self.user()
        socket = await process.socket(user)
        with closing(psycopg2.connect(self.dsn)) as other, other.cursor() as cursor:
            cursor.execute("select notify_user(%s, 'Debug', %s)", (user, DATA))
            other.commit()
        self.assertEqual(await socket.until(1), [1])

    async def test_session_by_hand(self) -> None:
        """So do the ends of sessions, and of what services have."""
        process = await self.process()
        sid = await sessions.begin(process.db, self.user(), "00" * 32, 60, None, CLIENT)
        socket = await process.socket(self.user(), sid)
        self.execute("update sessions set revoked = now() where id = %s", sid)
        await socket.ended
        token = str(uuid4())
        self.execute("insert into ended_grants (id) values (%s)", token)
        while token not in process.revoked:
            await process.swept.get()

    async def test_session_announced(self) -> None:
        """What a process ends, which announces it afterwards, causes no full check."""
        process = await self.process()
        sid = await sessions.begin(process.db, self.user(), "00" * 32, 60, None, CLIENT)
        payloads = await self.payloads()
        await sessions.revoke(process.db, sid)
        process.revocation.end(process.db, [sid])
        self.assertEqual(json.decode(await payloads.get())["r"], [sid])
        self.assertEqual(process.reconciler.full_checks, 1)

    async def test_announced(self) -> None:
        """What a process commits, which announces it afterwards, causes no full check."""
        process, payloads = await self.process(), await self.payloads()
        await process.notifier.send(process.db, self.user(), Debug(text="x"))
        self.assertEqual(json.decode(await payloads.get()).keys(), {"o", "n"})
        self.assertEqual(process.reconciler.full_checks, 1)

    async def test_broken(self) -> None:
        """Where a connection breaks in use, all processes look: what ran on it may have
        committed."""
        one, two = await self.process(), await self.process()
        user = self.user()
        sockets = [await each.socket(user) for each in (one, two)]
        await notifications.insert(two.db, user, "Debug", DATA)
        with self.assertRaises(Unavailable):
            async with one.db.transaction() as tx:
                await sessions.revoked(tx, 1)
                (pid,) = [each.process for each in one.db.connections if each.lane is not None]
                postgres.kill(self.dsn, pid)
                await sessions.revoked(tx, 1)
        for socket in sockets:
            self.assertEqual(await socket.until(1), [1])

    async def test_dead(self) -> None:
        """When a process has been silent for too long, the others look."""
        process = await self.process(times=self.times._replace(heartbeat=0.1))
        user = self.user()
        socket = await process.socket(user)
        await notifications.insert(process.db, user, "Debug", DATA)
        await processes.beat(process.db, ProcessReport().report())
        self.execute(
            "update processes set seen = seen - make_interval(secs => %s) where id <> %s",
            SUSPECT,
            process.report.id,
        )
        self.assertEqual(await socket.until(1), [1])

    async def unknown(self, act: str) -> None:
        """While somebody does this nobody knows who has died: all look, and LISTEN stays."""
        process = await self.process(times=self.times._replace(heartbeat=0.1))
        user = self.user()
        socket = await process.socket(user)
        with closing(psycopg2.connect(self.dsn)) as other, other.cursor() as cursor:
            cursor.execute(act)
            await notifications.insert(process.db, user, "Debug", DATA)
            self.assertEqual(await socket.until(1), [1])
        self.assertEqual((process.relay.alive, process.relay.listens), (True, 1))

    async def test_locked(self) -> None:
        """Somebody locks the table of the processes."""
        await self.unknown("lock table processes in access exclusive mode")

    async def test_gone(self) -> None:
        """The table is not there, as in a restore."""
        self.execute("alter table processes rename to gone")
        await self.unknown("select 1")

    async def test_leaves(self) -> None:
        """A process that stops is no more among the processes, and its last news is sent."""
        process, payloads = await self.process(), await self.payloads()
        process.relay.announce("a", 1)
        await process.stop()
        self.assertEqual(json.decode(await payloads.get())["n"], {"a": 1})
        self.assertEqual(self.execute("select id from processes"), [])

    async def test_leaves_work_behind(self) -> None:
        """One that stops in the middle of its work stays among them until it is forgotten: what may
        still commit may not be announced."""
        process = await self.process()
        with self.assertRaises(Unavailable):
            async with process.db.transaction() as tx:
                await sessions.revoked(tx, 1)
                await process.stop()
        self.assertEqual(len(self.execute("select id from processes")), 1)


class RevocationTests(RelayTestCase):
    async def test_announced(self) -> None:
        """A session that one process ends is closed by the other."""
        one, two = await self.process(), await self.process()
        socket = await two.socket(self.user(), "s7")
        one.relay.announce_revoked("s7")
        await socket.ended
        self.assertEqual(socket.closes, [REVOKED])
        self.assertIn("s7", two.revoked)

    async def test_at_start(self) -> None:
        """A process learns at its start which sessions were ended while it was down."""
        one = await self.process()
        sid = await sessions.begin(one.db, self.user(), "00" * 32, 60, None, CLIENT)
        await sessions.revoke(one.db, sid)
        two = await self.process()
        self.assertIn(sid, two.revoked)
