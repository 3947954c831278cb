"""The database is there, but has nothing to give: connections, time, or room."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from unittest import SkipTest

import psycopg2
import treq
from twisted.internet.defer import Deferred

from contentsvc.client import ApiError, Client
from contentsvc.client.errors import Unreachable
from contentsvc.wire.progress import ProgressBody
from contentsvc.wire.social import PartyBody
from tests.faults.case import BACK, POOL, ReaderCase, eventually
from tests.faults.servers import name_of, run_sql, server
from tests.support import postgres

_PARTY = "0d7ad5c1-9c4c-4a2f-9a3e-4dcb9a2f3c11"


class Case(ReaderCase):
    @contextmanager
    def locked(self) -> Iterator[None]:
        """Everything that reads users waits."""
        with closing(psycopg2.connect(self.database)) as connection:
            connection.cursor().execute("lock table users in access exclusive mode")
            yield

    async def wait_for(self, client: Client, count: int) -> list[ApiError]:
        """The refusals of so many reads at once."""
        reads = [Deferred.fromCoroutine(client.users.get()) for _ in range(count)]
        return [await self.assertFailure(read, ApiError) for read in reads]


class StatementTests(Case):
    options = ("--statement-timeout", "1")

    async def test_timeout(self) -> None:
        """A statement that takes too long is given up, again and again: each request is told to
        come again, and no connection is lost."""
        with self.locked():
            for _ in range(3):
                for error in await self.wait_for(self.ann, 2 * POOL):
                    self.assertEqual((error.status, error.code), (503, "unavailable"))
        await self.back(self.ann)
        await self.notify("after")
        await self.arrive("after")
        await self.sound()


class DiskTests(Case):
    async def test_error(self) -> None:
        """Postgres's error for a full disk is a 503, and rolls all of an operation back: done
        again when there is room, it has its effect once."""
        bob = await self.client(self.service, "bob", patience=0)
        run_sql(
            self.database,
            "create function full_disk() returns trigger language plpgsql as "
            "$$begin raise sqlstate '53100' using message = 'No space left on device'; end$$;"
            "create trigger full_disk before insert on notifications "
            "execute function full_disk()",
        )
        invite = PartyBody(party=_PARTY)
        for _ in range(3):
            calling = Deferred.fromCoroutine(bob.social.send_invite(self.ann.user, invite))
            error = await self.assertFailure(calling, ApiError)
            self.assertEqual((error.status, error.code), (503, "unavailable"))
        await self.ann.users.get()
        run_sql(self.database, "drop trigger full_disk on notifications")
        await self.back(self.ann)
        await bob.social.send_invite(self.ann.user, invite)
        await self.notify("after")
        await self.arrive("PartyInvite", "after")
        await self.sound()


class ReadOnlyTests(Case):
    async def test_read_only(self) -> None:
        """A database that takes no writes is read, and ready says why nothing is written. When it
        takes them again, nothing needs a restart."""
        name = name_of(self.database)
        ended = f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'"
        run_sql(server().url, f'alter database "{name}" set default_transaction_read_only = on')
        run_sql(server().url, ended)
        try:
            await eventually(self.degraded, BACK, "degraded")
            await self.ann.users.get()
            error = await self.assertFailure(Deferred.fromCoroutine(self.write()), ApiError)
            self.assertEqual((error.status, error.code), (503, "unavailable"))
        finally:
            run_sql(server().url, f'alter database "{name}" reset default_transaction_read_only')
            run_sql(server().url, ended)
        await eventually(self.write, BACK, "a write")
        await self.back(self.ann)

    async def write(self) -> None:
        await self.ann.progress.put("k", ProgressBody(value={"a": 1}))

    async def degraded(self) -> None:
        answer = await treq.get(f"{self.service.url}/health/ready", persistent=False)
        found = answer.code, await answer.json()
        if found != (200, {"status": "degraded", "reasons": ["read_only"]}):
            raise Unreachable(str(found), maybe_done=False)


class FullDiskTests(Case):
    async def setUp(self) -> None:
        self.small = self.mounted()
        await super().setUp()

    def mounted(self) -> Path:
        """A file system of a few megabytes that belongs to Postgres, if we may make one."""
        folder = postgres.new_folder()
        folder.chmod(0o755)
        words = ["mount", "-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs", str(folder)]
        if os.geteuid() or subprocess.run(words, capture_output=True, check=False).returncode:
            raise SkipTest("needs the right to mount a file system")
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(folder)], check=True)
        owner = server().owner
        os.chown(folder, *owner)
        return folder

    def make_database(self) -> str:
        run_sql(server().url, f"create tablespace small location '{self.small}'")
        self.addCleanup(run_sql, server().url, "drop tablespace small")
        url = super().make_database()
        run_sql(server().url, f'alter database "{name_of(url)}" set tablespace small')
        return url

    async def test_full(self) -> None:
        """On a disk that is really full writes are refused with 503 and reads go on; with room
        again, all that was accepted is there."""
        accepted = []
        blob = os.urandom(60_000).hex()  # does not compress well
        filler = self.small / "filler"
        filler.write_bytes(b"")
        with filler.open("wb") as file:
            while (room := os.statvfs(self.small)).f_bavail * room.f_bsize > 2_000_000:
                file.write(os.urandom(100_000))
                file.flush()
        refused = 0
        for n in range(60):
            try:
                await self.ann.progress.put(f"k{n}", ProgressBody(value={"blob": blob}))
                accepted.append(f"k{n}")
            except ApiError as error:
                self.assertEqual((error.status, error.code), (503, "unavailable"))
                refused += 1
            if refused == 5:
                break
        self.assertEqual(refused, 5)
        answer = await treq.get(f"{self.service.url}/health/ready", persistent=False)
        found = answer.code, await answer.json()
        self.assertEqual(found, (200, {"status": "degraded", "reasons": ["disk"]}))
        self.assertRegex(self.service.output(), "Answered 503: .*disk")
        await self.ann.users.get()
        filler.unlink()
        await self.back(self.ann)
        await self.ann.progress.put("after", ProgressBody(value={"blob": blob}))
        found = [datum.key for datum in await self.ann.progress.list()]
        self.assertEqual(sorted(found), sorted([*accepted, "after"]))
        await self.notify("after")
        await self.arrive("after")
        await self.sound()
