"""A primary dies and its standby takes over, under the running service: scripts/test-failover.

Not named test_…, so that it is no part of the suite: it needs Debian's postgresql.
"""

import atexit
import os
import pwd
import shlex
import subprocess
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import psycopg2
from twisted.internet import reactor
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThread
from twisted.trial.unittest import TestCase

from tests.faults.case import BACK, eventually, hold, new_client
from tests.faults.load import LATEST, Load
from tests.support import postgres
from tests.support.daemon import Daemon, free_port

USERS, SOCKETS, SENDERS = 6, 8, 4
BEFORE, BETWEEN, AFTER = 6.0, 2.0, 6.0
"""Seconds of writes with the primary, without any, and with the standby promoted."""
STATEMENT = 5.0
"""Seconds that a statement may take."""


class Server:
    """One of Debian's newest installed version, on a loopback port of the kernel's choice."""

    def __init__(self, name: str, **settings: str) -> None:
        installed = Path("/usr/lib/postgresql").glob("*/bin/postgres")
        self._bin = max(installed, key=lambda path: int(path.parts[-3])).parent
        folder = postgres.new_folder()
        self._whom: dict[str, Any] = {"cwd": "/"}
        if os.geteuid() == 0:  # Postgres refuses root; the package makes this user
            user = pwd.getpwnam("postgres")
            os.chown(folder, user.pw_uid, user.pw_gid)
            self._whom |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        self.name = name
        self.port = free_port()
        self._data, self._log = folder / "data", folder / "log"
        self._settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "cluster_name": name,
            **settings,
        }

    def run(self, program: str, *words: str) -> None:
        """One of Postgres's programs, on this server's folder."""
        subprocess.run(
            [self._bin / program, *words, "-D", self._data],
            check=True,
            stdout=subprocess.DEVNULL,
            **self._whom,
        )

    def start(self) -> None:
        """Start it, and have it stopped with this process."""
        words = " ".join(f"-c {k}={shlex.quote(v)}" for k, v in self._settings.items())
        self.run("pg_ctl", "start", "-w", "-l", str(self._log), "-o", words)
        atexit.register(self.kill)

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        """One statement; its rows."""
        dsn = f"host=127.0.0.1 port={self.port} user=postgres dbname=postgres"
        with closing(psycopg2.connect(dsn)) as connection, connection.cursor() as cursor:
            connection.autocommit = True
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def kill(self) -> None:
        """kill -9 to all of its processes."""
        processes = self._processes()
        for process in processes:
            process.kill()
        psutil.wait_procs(processes, 10)

    def freeze(self) -> None:
        """Stop all of its processes where they are: nobody answers, and nobody says so."""
        for process in self._processes():
            process.suspend()

    def _processes(self) -> list[psutil.Process]:
        try:
            pid = int((self._data / "postmaster.pid").read_text().split()[0])
            return [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
        except (FileNotFoundError, psutil.NoSuchProcess):
            return []


def pair() -> tuple[Server, Server]:
    """A primary that answers no commit before its standby has it."""
    primary = Server("primary")
    primary.run("initdb", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "-Upostgres")
    primary.start()
    primary.sql("create database contentsvc")
    standby = Server("standby")
    source = f"host=127.0.0.1 port={primary.port} user=postgres"
    standby.run("pg_basebackup", "-d", source, "-X", "stream", "-c", "fast", "-R")
    standby.start()
    primary.sql("alter system set synchronous_standby_names to 'standby'")
    primary.sql("select pg_reload_conf()")
    return primary, standby


class FailoverCase(TestCase):
    """A service on a database that moves from one server to another, under load."""

    timeout = 300

    async def serve(self, ports: Sequence[int], user: str = "postgres") -> None:
        """Start the service on the servers at these ports of 127.0.0.1."""
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        self.service = Daemon(
            *("--statement-timeout", str(STATEMENT)),
            database=f"postgresql://{user}@{hosts}/contentsvc?target_session_attrs=read-write",
        )
        self.addCleanup(self.service.stop)
        await self.service.start()

    async def loaded(self) -> Load:
        """Sockets that are signed in, and senders that have begun."""
        load = Load(1)
        self.addCleanup(load.stop)
        users = [await new_client(self, self.service, f"reader{n}") for n in range(USERS)]
        for n in range(SOCKETS):
            load.read(users[n % USERS], f"socket {n}")
        await hold(lambda: all(r.subscription.live for r in load.readers), "all sockets are open")
        for n in range(SENDERS):
            load.send(await new_client(self, self.service, f"sender{n}"), f"sender{n}")
        return load

    async def verdict(self, load: Load) -> int:
        """Everything that was answered with 204 is there and was pushed, and nothing failed in
        another way than by 503; how many sockets stayed open."""
        await load.stop()
        await hold(load.complete, "everything has arrived", LATEST)
        problems = await load.problems()
        self.assertEqual([], problems, "\n".join(problems))
        self.assertLessEqual(load.answers.keys(), {"204", "unavailable"})
        self.assertNotIn(" 500 ", self.service.output())
        self.assertNotIn("Traceback", self.service.output())
        return sum(r.subscription.connections == 1 for r in load.readers)


class FailoverTests(FailoverCase):
    async def setUp(self) -> None:
        self.primary, self.standby = await deferToThread(pair)
        self.addCleanup(self.primary.kill)
        self.addCleanup(self.standby.kill)
        states = "select sync_state from pg_stat_replication"
        await hold(lambda: self.primary.sql(states) == [("sync",)], "the standby is synchronous")
        await self.serve([self.primary.port, self.standby.port])

    async def test_killed(self) -> None:
        """The primary is killed under writes and the standby promoted: the service follows by
        itself within seconds, and all that was answered with 204 is there, and was pushed."""
        await self.fail_over(self.primary.kill, within=BACK)

    async def test_frozen(self) -> None:
        """The same where the primary does not end but answers no more, as a machine does that
        is cut off or hangs: it takes as long as a statement may, and no longer."""
        await self.fail_over(self.primary.freeze, within=STATEMENT + 2 * BACK)

    async def fail_over(self, harm: Callable[[], None], within: float) -> None:
        """Harm the primary under load, promote the standby, and see what became of it all."""
        load = await self.loaded()
        probe = await new_client(self, self.service, "probe", patience=0)
        await deferLater(reactor, BEFORE)
        harm()
        killed = reactor.seconds()
        await deferLater(reactor, BETWEEN / 2)  # answers that were under way arrive
        before = load.answers["204"]
        await deferLater(reactor, BETWEEN / 2)
        self.assertEqual(load.answers["204"] - before, 0, "nothing is accepted without a database")
        promoted = reactor.seconds()
        await deferToThread(self.standby.run, "pg_ctl", "promote", "-w")
        took = reactor.seconds() - promoted
        await eventually(probe.health.check_readiness, within, "the service is ready")
        ready = reactor.seconds()
        await hold(lambda: load.answers["204"] > before, "a write is accepted", within)
        times = [at for texts in load.accepted.values() for at in texts.values()]
        wrote = min(at for at in times if at > promoted)
        await deferLater(reactor, AFTER)
        stayed = await self.verdict(load)

        rows = self.standby.sql("select pg_is_in_recovery()")
        self.assertEqual(rows, [(False,)])
        print(
            f"\nprimary {self.primary.port} gone, standby {self.standby.port} promoted "
            f"{promoted - killed:.1f} s later, which took it {took:.2f} s"
            f"\nready again {ready - promoted:.2f} s after the order to promote, "
            f"a write accepted {wrote - promoted:.2f} s after it"
            f"\nnotifications accepted: {before} before, {load.answers['204'] - before} after; "
            f"answers {dict(load.answers)}"
            f"\nsockets that stayed open: {stayed} of {SOCKETS}; "
            f"latest push {load.latest():.2f} s after its 204"
        )
