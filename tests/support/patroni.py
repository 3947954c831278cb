"""Patroni moves the database from one server to another, under the running service:
scripts/test-patroni.

Not named test_…, so that it is no part of the suite: it needs etcd and Patroni. PATRONI is
Patroni's own command.
"""

import json
import os
import pwd
import subprocess
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.request import Request, urlopen

import psutil
import psycopg2
from twisted.internet import reactor
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThread

from contentsvc.client import Client
from tests.faults.case import eventually, hold, new_client
from tests.faults.load import Load
from tests.support import postgres
from tests.support.daemon import ROOT, free_port
from tests.support.failover import AFTER, BEFORE, SOCKETS, FailoverCase

PASSWORD = "change-me"
"""Of the sample's superuser."""
TTL = 20.0
"""Seconds of the sample, after which a leader that is gone is replaced."""


class Program:
    """A process and its descendants, on a folder of their own."""

    def __init__(self, folder: Path, command: list[str]) -> None:
        # Patroni keeps passwords in a file at home.
        whom: dict[str, Any] = {"cwd": folder, "env": {**os.environ, "HOME": str(folder)}}
        if os.geteuid() == 0:  # Postgres and Patroni refuse root
            user = pwd.getpwnam("postgres")
            os.chown(folder, user.pw_uid, user.pw_gid)
            whom |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        self.log = folder / "log"
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **whom
            )
        self._frozen: list[psutil.Process] = []

    def kill(self) -> None:
        """kill -9 to all of them."""
        processes = self._all()
        for process in processes:
            process.kill()
        psutil.wait_procs(processes, 10)
        self._process.wait()

    def freeze(self) -> None:
        """Stop all of them where they are."""
        self._frozen = self._all()
        for process in self._frozen:
            process.suspend()

    def thaw(self) -> None:
        """Let them go on."""
        for process in self._frozen:
            if process.is_running():
                process.resume()

    def _all(self) -> list[psutil.Process]:
        return _family(self._process.pid)


def _family(pid: int) -> list[psutil.Process]:
    try:
        return [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


class Node(Program):
    """Patroni and its Postgres, configured by etc/patroni.yml.sample."""

    def __init__(self, name: str, etcd: int) -> None:
        folder = postgres.new_folder()
        self.name, self.port, self.api = name, free_port(), free_port()
        newest = max(
            Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3])
        )
        text = (ROOT / "etc/patroni.yml.sample").read_text()
        for sample, here in (
            ("name: db1", f"name: {name}"),
            ("192.0.2.11:8008", f"127.0.0.1:{self.api}"),
            ("192.0.2.11:5432", f"127.0.0.1:{self.port}"),
            ("192.0.2.21:2379,192.0.2.22:2379,192.0.2.23:2379", f"127.0.0.1:{etcd}"),
            ("192.0.2.0/24", "127.0.0.0/8"),
            ("/var/lib/postgresql/contentsvc", str(folder / "data")),
            ("/usr/lib/postgresql/15/bin", str(newest.parent)),
        ):
            if sample not in text:
                raise AssertionError(f"the sample has no {sample}")
            text = text.replace(sample, here)
        self._postmaster = folder / "data/postmaster.pid"
        config = folder / "patroni.yml"
        config.write_text(text)
        super().__init__(folder, [os.environ["PATRONI"], str(config)])

    def role(self) -> str:
        """The node's role in Patroni: primary, sync_standby and so on; "" without an answer."""
        for member in self._cluster():
            if member["name"] == self.name and member["state"] in {"running", "streaming"}:
                return str(member["role"])
        return ""

    def switch_over(self) -> None:
        """Ask that the leader, which is this node, gives way."""
        order = json.dumps({"leader": self.name}).encode()
        request = Request(f"http://127.0.0.1:{self.api}/switchover", order, method="POST")
        request.add_header("Content-Type", "application/json")
        with urlopen(request, timeout=60) as answer:
            answer.read()

    def _all(self) -> list[psutil.Process]:
        """Postgres is no child of Patroni's, which it outlives."""
        try:
            pid = int(self._postmaster.read_text().split()[0])
        except FileNotFoundError:
            return super()._all()
        return [*super()._all(), *_family(pid)]

    def _cluster(self) -> list[dict[str, Any]]:
        try:
            with urlopen(f"http://127.0.0.1:{self.api}/cluster", timeout=2) as answer:
                members: list[dict[str, Any]] = json.load(answer)["members"]
                return members
        except (OSError, ValueError):
            return []


def etcd() -> tuple[Program, int]:
    """A cluster of one, and its port."""
    folder, client, peer = postgres.new_folder(), free_port(), free_port()
    own, others = f"http://127.0.0.1:{client}", f"http://127.0.0.1:{peer}"
    return Program(
        folder,
        [
            *("etcd", "--name", "one", "--data-dir", str(folder / "etcd")),
            *("--listen-client-urls", own, "--advertise-client-urls", own),
            *("--listen-peer-urls", others, "--initial-advertise-peer-urls", others),
            *("--initial-cluster", f"one={others}"),
        ],
    ), client


class PatroniTests(FailoverCase):
    async def setUp(self) -> None:
        store, port = etcd()
        self.addCleanup(store.kill)
        self.leader = self.node("db1", port)
        await self.becomes(self.leader, "leader")
        self.standby = self.node("db2", port)
        await self.becomes(self.standby, "sync_standby")
        await deferToThread(self.make_database)
        await self.serve([self.leader.port, self.standby.port], f"postgres:{PASSWORD}")

    def node(self, name: str, etcd: int) -> Node:
        """One that ends with the test."""
        node = Node(name, etcd)
        self.addCleanup(node.kill)
        self.addCleanup(node.thaw)
        return node

    async def becomes(self, node: Node, role: str) -> None:
        """Wait until Patroni says so."""
        deadline = monotonic() + 90
        while await deferToThread(node.role) != role:
            if monotonic() > deadline:
                self.fail(f"{node.name} is no {role}:\n{node.log.read_text()[-3000:]}")
            await deferLater(reactor, 0.2)

    def make_database(self) -> None:
        """The service's own, on the leader."""
        connection = psycopg2.connect(
            host="127.0.0.1", port=self.leader.port, user="postgres", password=PASSWORD
        )
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("create database contentsvc")
        connection.close()

    async def begun(self) -> tuple[Load, Client]:
        """Some seconds of load, and a client that tells when the service is ready."""
        load = await self.loaded()
        probe = await new_client(self, self.service, "probe", patience=0)
        await deferLater(reactor, BEFORE)
        return load, probe

    async def follows(self, load: Load, probe: Client, harmed: float, within: float) -> None:
        """The service is ready with the new leader in that many seconds."""
        await self.becomes(self.standby, "leader")
        led = reactor.seconds()
        await eventually(probe.health.check_readiness, within, "the service is ready")
        ready = reactor.seconds()
        accepted = load.answers["204"]
        await hold(lambda: load.answers["204"] > accepted, "a write is accepted", within)
        print(
            f"\nthe standby led {led - harmed:.1f} s after, the service was ready "
            f"{ready - led:.1f} s after that"
        )

    async def ended(self, load: Load) -> None:
        """Nothing was lost, repeated or reordered."""
        await deferLater(reactor, AFTER)
        stayed = await self.verdict(load)
        print(
            f"answers {dict(load.answers)}; sockets that stayed open: {stayed} of {SOCKETS}; "
            f"latest push {load.latest():.2f} s after its 204"
        )

    async def test_switch_over(self) -> None:
        """An operator moves the leader: a moment of 503, and nothing is lost."""
        load, probe = await self.begun()
        harmed = reactor.seconds()
        await deferToThread(self.leader.switch_over)
        await self.follows(load, probe, harmed, 15)
        await self.ended(load)

    async def test_killed(self) -> None:
        """The leader's machine dies: the standby leads after the sample's ttl at the latest, and
        nothing is lost."""
        await self.replaced(self.leader.kill)

    async def test_frozen(self) -> None:
        """The leader freezes, and wakes when another leads: it takes nothing back, and nothing is
        lost."""
        load, _ = await self.replaced(self.leader.freeze, end=False)
        self.leader.thaw()
        await self.becomes(self.leader, "sync_standby")
        await self.becomes(self.standby, "leader")
        await self.ended(load)

    async def replaced(self, harm: Callable[[], None], *, end: bool = True) -> tuple[Load, Client]:
        """Harm the leader, and see the service go on with the standby."""
        load, probe = await self.begun()
        harmed = reactor.seconds()
        await deferToThread(harm)
        await self.follows(load, probe, harmed, TTL)
        if end:
            await self.ended(load)
        return load, probe
