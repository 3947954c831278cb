"""`contentsvc status`: what it says of a database, and its exit status."""

from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase, TestCase

from contentsvc.command import status
from contentsvc.command.status import (
    ATTENTION,
    Mails,
    Outbox,
    Status,
    WebhookFailure,
    Webhooks,
)
from contentsvc.framework.tasks.runner import Failing
from contentsvc.store.processes import Process
from contentsvc.store.status import Count, Failure, Oldest, Reported
from tests.command.test_cli import CommandCase
from tests.support import postgres
from tests.support.daemon import Daemon
from tests.support.databases import guid

SOUND: dict[str, Any] = {
    "version": "1.0.0",
    "postgres": "18.1",
    "bytes": 5 * 1024**3,
    "files": "local",
    "files_off": False,
    "missing": [],
    "unknown": [],
    "processes": [],
    "users": Count(1234, False),
    "outbox": Outbox(0, 0, 0, []),
    "mails": Mails(0, 0, 0),
    "webhooks": Webhooks(0, 0, 0, []),
    "reports": Reported(0, False, 0),
    "oldest_notification": Oldest(None, False),
}


def process(**changes: Any) -> Process:
    """One that runs."""
    given: dict[str, Any] = {
        "host": "one",
        "pid": 7,
        "version": "1.0.0",
        "up": 3700,
        "seen": 2,
        "sockets": 30,
        "users": 20,
        "failing": [],
    }
    return Process(**given | changes)


class TextTests(SynchronousTestCase):
    def shows(self, *lines: str, **changes: Any) -> None:
        """Assert that a status with these changes shows these lines, beside others."""
        shown = list(status.lines(Status(**SOUND | changes)))
        self.assertEqual([line for line in lines if line not in shown], [], shown)

    def test_sound(self) -> None:
        """Each number has its line."""
        self.shows(
            "Version:             1.0.0",
            "Schema:              current",
            "Database:            5.0 GiB, Postgres 18.1",
            "Files:               local",
            "Processes:           none",
            "Sockets:             0",
            "Users:               1,234, connected: 0",
            "Outbox:              empty",
            "Mails:               none wait",
            "Webhooks:            none",
            "Reports:             none open",
            "Oldest notification: none",
        )

    def test_files_off(self) -> None:
        """Files that are off because nobody has said anything are off in capitals, with what to
        write; not where somebody has said so."""
        self.shows(
            "Files:               OFF, because files is not set: "
            'write files = "local", "s3" or "external"',
            files="external",
            files_off=True,
        )
        self.shows("Files:               external", files="external")

    def test_processes(self) -> None:
        """Each process has a line; sockets and users are those of all that run."""
        self.shows(
            "Processes:           2",
            "  one 7: version 1.0.0, up 1 h 1 min, sockets 30, users 20",
            "  two 7: version 0.9, up 1 h 1 min, sockets 30, users 20",
            "  one 9: version 1.0.0, up 1 h 1 min, sockets 30, users 20, silent for 3 d 0 h",
            "Sockets:             60",
            "Users:               1,234, connected: 40",
            processes=[
                process(),
                process(host="two", version="0.9"),
                process(pid=9, seen=3 * 24 * 3600),
            ],
        )

    def test_failing_job(self) -> None:
        """A job that fails is below its process."""
        self.shows(
            "    cannot delete old notifications since 2001-09-09 01:46:40 UTC: away",
            processes=[process(failing=[Failing("delete old notifications", 10**9, "away")])],
        )

    def test_outbox(self) -> None:
        """The outbox has its length, its oldest row, and the rows that fail."""
        failure = Failure("ContentPublished", 130, 3, 4, "KeyError: 'x'")
        self.shows(
            "Outbox:              12,000 rows, the oldest 2 min 10 s old, failing: 1",
            "  ContentPublished, 2 min 10 s old, failed 3 times, again in 4 s: KeyError: 'x'",
            outbox=Outbox(12_000, 130, 1, [failure]),
        )

    def test_mails(self) -> None:
        """What waits for the mail server has its number and its age."""
        for mails, shown in (
            (Mails(1, 5, 0), "1 mail to send, the oldest 5 s old"),
            (Mails(1200, 130, 2), "1,200 mails to send, the oldest 2 min 10 s old, put off: 2"),
        ):
            self.shows(f"Mails:               {shown}", mails=mails)

    def test_webhooks(self) -> None:
        """Webhooks that fail, or were turned off, are named with the reason."""
        failures = [
            WebhookFailure("one", False, 10**9, "the answer is 500"),
            WebhookFailure("two", True, None, "the answer is 410"),
        ]
        self.shows(
            "Webhooks:            3, failing: 1, turned off: 1",
            "  one: failing since 2001-09-09 01:46:40 UTC: the answer is 500",
            "  two: turned off: the answer is 410",
            webhooks=Webhooks(3, 1, 1, failures),
        )

    def test_reports(self) -> None:
        """What waits for admins has its number and its age."""
        for reported, shown in (
            (Reported(1, False, 90_000), "1 subject, the oldest 1 d 1 h old"),
            (Reported(3, False, 90_000), "3 subjects, the oldest 1 d 1 h old"),
            (Reported(10_000, True, 130), "over 10,000 subjects, the oldest 2 min 10 s old"),
        ):
            self.shows(f"Reports:             open for {shown}", reports=reported)

    def test_estimates(self) -> None:
        """What is an estimate says so."""
        self.shows(
            "Users:               about 5,000,000, connected: 0",
            "Oldest notification: 2001-09-09 01:46:40 UTC (of 1,000 users)",
            users=Count(5_000_000, True),
            oldest_notification=Oldest(10**9, True),
        )

    def test_schema(self) -> None:
        """Missing migrations are named, and those of a newer version."""
        missing = ["0007.x", "0008.y"]
        self.shows("Schema:              migrations missing: 0007.x, 0008.y", missing=missing)
        self.shows("Schema:              current; from a newer version: 0099.z", unknown=["0099.z"])

    def test_exit_status(self) -> None:
        """It is 0 unless a migration is missing, or a job, a row of the outbox or a
        webhook fails."""
        failing = [Failing("x", 0, "y")]
        for expected, changes in (
            (0, {}),
            (0, {"processes": [process()], "outbox": Outbox(5, 900, 0, [])}),
            (0, {"unknown": ["0099.z"]}),
            (0, {"processes": [process(seen=100, failing=failing)]}),
            (ATTENTION, {"missing": ["0007.x"]}),
            (ATTENTION, {"processes": [process(failing=failing)]}),
            (ATTENTION, {"outbox": Outbox(5, 1, 1, [])}),
            (0, {"webhooks": Webhooks(3, 0, 0, [])}),
            (ATTENTION, {"webhooks": Webhooks(1, 0, 1, [WebhookFailure("x", True, 0, "y")])}),
        ):
            self.assertEqual(Status(**SOUND | changes).exit_status, expected, changes)


class StatusTests(CommandCase):
    def look(self, expected: int = 0) -> Status:
        """What `status --json` says."""
        done = self.command("status", "--json", *self.storage)
        self.assertEqual((done.status, done.err), (expected, ""))
        return msgspec.json.decode(done.out, type=Status)

    def test_new(self) -> None:
        """A database that was just made is sound and empty."""
        found = self.look()
        self.assertGreater(found.bytes, 0)
        self.assertEqual((found.missing, found.unknown, found.processes), ([], [], []))
        self.assertEqual(found.users, Count(0, False))
        self.assertEqual(found.outbox, Outbox(0, 0, 0, []))
        self.assertEqual(found.mails, Mails(0, 0, 0))
        self.assertEqual(found.webhooks, Webhooks(0, 0, 0, []))
        self.assertEqual(found.reports, Reported(0, False, 0))
        self.assertEqual(found.oldest_notification, Oldest(None, False))

    def test_text(self) -> None:
        """Without --json it is text."""
        self.assertIn("Schema:              current\n", self.good("status"))

    def test_numbers(self) -> None:
        """It counts users and rows, and finds the oldest that there is."""
        self.add("ann")
        self.add("bob")
        self.sql("insert into notification_counters select id, 2, 2 from users")
        self.sql(
            "insert into notifications (user_id, seq, kind, data, created)"
            " select id, n, 'Debug', '{}', to_timestamp(1000000000 + n)"
            " from users, generate_series(1, 2) n"
        )
        self.sql(
            "insert into tasks (queue, kind, task, created, tries, failure, due) values"
            " ('steps', 'A', '{}', now() - interval '100 s', 0, null, now()),"
            " ('steps', 'B', '{}', now() - interval '50 s', 2, 'broken', now() + interval '30 s'),"
            " ('SendMail', 'C', '{}', now() - interval '20 s', 3, 'broken', now()),"
            " ('Later', 'D', '{}', now() + interval '5 s', 0, null, now() + interval '5 s')"
        )
        found = self.look(ATTENTION)
        self.assertEqual(found.users, Count(2, False))
        assert found.outbox is not None and found.oldest_notification is not None
        self.assertEqual((found.outbox.rows, found.outbox.failing), (2, 1))
        self.assertGreaterEqual(found.outbox.oldest, 100)
        assert found.mails is not None
        self.assertEqual((found.mails.waiting, found.mails.put_off), (1, 1))
        ((failure),) = found.outbox.failures
        self.assertEqual((failure.kind, failure.tries, failure.failure), ("B", 2, "broken"))
        self.assertTrue(failure.age >= 50 and failure.again <= 30)
        self.assertEqual(found.oldest_notification.created, 1_000_000_001)

    def test_processes(self) -> None:
        """It shows what processes have reported."""
        self.sql(
            "insert into processes (id, host, pid, version, started, sockets, users, failing)"
            f" values ('{guid()}', 'one', 7, '1.0.0', now() - interval '1 h', 3, 2,"
            """ '[{"name":"sweep","since":5,"error":"away"}]')"""
        )
        ((found),) = self.look(ATTENTION).processes
        self.assertEqual((found.host, found.pid, found.version), ("one", 7, "1.0.0"))
        self.assertEqual((found.sockets, found.users), (3, 2))
        self.assertEqual(found.failing, [Failing("sweep", 5, "away")])
        self.assertTrue(3600 <= found.up < 3700 and found.seen < 60)

    def test_newer(self) -> None:
        """Migrations of a newer version are no fault."""
        self.sql("insert into schema_upgrades (name) values ('9999.later')")
        self.assertEqual(self.look().unknown, ["9999.later"])

    def test_unreachable(self) -> None:
        """A database that cannot be reached is one line, and exit status 1."""
        self.storage[1] = "postgresql://127.0.0.1:1/none"
        self.refused("127.0.0.1", "status")

    def test_no_embedded(self) -> None:
        """It makes no database where there is none."""
        folder = postgres.new_folder() / "empty"
        self.storage[:] = ["--data-dir", str(folder)]
        self.refused("there is no database", "status")
        self.assertFalse(folder.exists())


class OldTests(CommandCase):
    template = False

    def test_empty(self) -> None:
        """Of a database without a schema it says so, and changes nothing."""
        done = self.command("status", *self.storage)
        self.assertEqual((done.status, done.err), (ATTENTION, ""))
        self.assertIn("Schema:              none yet\n", done.out)
        self.assertEqual(self.sql("select to_regclass('users')"), [(None,)])


class DaemonTests(TestCase):
    timeout = 90.0

    async def test_processes(self) -> None:
        """The processes of a daemon are there while it runs, with its embedded Postgres too, and
        not after its stop."""
        daemon = Daemon()
        self.addCleanup(daemon.stop)
        await daemon.start()

        async def look() -> Status:
            out = await daemon.command("status", "--json")
            return msgspec.json.decode(out, type=Status)

        found = await look()
        self.assertEqual([each.pid for each in found.processes], [daemon.pid])
        self.assertEqual((found.missing, found.running), ([], found.processes))
        await daemon.stop()
        found = await look()
        self.assertEqual((found.processes, found.missing), ([], []))
