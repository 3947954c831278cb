"""A service of two workers with a replica: what one has written, the other soon reads there."""

import re
import secrets
from collections import Counter
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThread

from tests.spec.client import NOTHING, Http, Response
from tests.spec.data import User
from tests.spec.harness import SpecCase
from tests.support import replication
from tests.support.daemon import Daemon, free_port
from tests.support.deferreds import together
from tests.support.replication import Server

USERS = 6
TIMES = 40
"""How often each of them writes and reads."""
PARTS = 5
"""The statements of a whole list of 450: for its ETag, three pages, and one that finds no more."""


class ReplicaCase(SpecCase):
    """Two workers on a primary and its replica, which is this test's own."""

    async def connect(self) -> None:
        self.own_daemon()
        self.primary: Server = await deferToThread(replication.embedded)
        self.name = f"test_{secrets.token_hex(8)}"
        self.primary.sql(f"create database {self.name}")
        self.addCleanup(self.primary.sql, f"drop database {self.name} with (force)")
        self.replica: Server = await deferToThread(self.primary.copy)
        self.addCleanup(self.replica.remove)
        self.admin = free_port()
        self.service = Daemon(
            *("--workers", "2", "--database-read", self.replica.url(self.name)),
            *("--admin", f"tcp:{self.admin}:interface=127.0.0.1"),
            *("--user-updates-per-minute", "0"),
            database=self.primary.url(self.name),
        )
        self.addCleanup(self.service.stop)
        await self.service.start()
        self.use(self.service)
        await self.up(2)

    async def up(self, workers: int) -> None:
        """Wait until so many workers use the replica."""
        while True:
            found = [float(value) for _, value in await self.samples("contentsvc_replica_up")]
            if sum(found) == workers and len(found) == 2:
                return
            await deferLater(reactor, 0.1)

    async def write_and_read(self, user: User, n: int) -> tuple[str, str]:
        """Write a profile, and search until it is found, on connections of their own. The workers
        that have served them."""
        text = f"profile {n}"
        written = await self.apart("PUT", f"user/{user.id}", profile(text), by=user)
        self.assertEqual(written.status, 204, repr(written))
        while True:
            found = await self.apart("GET", f"user/search?q={user.username}")
            items = found.json()["items"]
            if [item.get("profile") for item in items if item["id"] == user.id] == [text]:
                return worker_of(written), worker_of(found)

    async def apart(
        self, method: str, path: str, body: Any = NOTHING, *, by: User | None = None
    ) -> Response:
        """A request on a new connection."""
        http = Http()
        headers = {"Connection": "close"} | (
            {} if by is None else {"Authorization": f"Bearer {by.token}"}
        )
        try:
            return await http.request(method, self.address(path), headers=headers, body=body)
        finally:
            await http.close()

    async def reads(self) -> Counter[str]:
        """The reads of both workers so far that were to go to the replica, by place."""
        found: Counter[str] = Counter()
        for labels, value in await self.samples("contentsvc_replica_reads_total"):
            found[labels.partition('place="')[2].partition('"')[0]] += int(float(value))
        return found

    async def samples(self, name: str) -> list[tuple[str, str]]:
        """The labels and values of a metric."""
        http = Http()
        try:
            page = await http.request("GET", f"http://127.0.0.1:{self.admin}/metrics")
        finally:
            await http.close()
        return re.findall(rf"^{name}{{(.*)}} (\S+)$", page.body.decode(), re.MULTILINE)


def profile(text: str) -> dict[str, Any]:
    """A user's record with this public profile."""
    return {
        "avatar": None,
        "emblem": None,
        "fullProfile": {},
        "publicProfile": {"profile": text},
    }


def worker_of(response: Response) -> str:
    """The worker that has answered."""
    return (response.header("X-Request-Id") or "").partition("-")[0]


class FreshTests(ReplicaCase):
    """What is read is what was written a moment ago."""

    async def test_others_writes(self) -> None:
        """Users write through one worker and search through the other, side by side: they soon find
        what was written, and most searches are made on the replica."""
        pairs: Counter[bool] = Counter()

        async def act(user: User) -> None:
            for n in range(TIMES):
                writer, reader = await self.write_and_read(user, n)
                pairs[writer == reader] += 1

        users = [await self.user() for _ in range(USERS)]
        await together(*map(act, users))
        self.assertGreater(pairs[False], USERS * TIMES // 4)
        reads = await self.reads()
        self.assertGreaterEqual(reads.total(), USERS * TIMES)
        self.assertGreater(reads["replica"], reads["primary"])

    async def test_falls_back(self) -> None:
        """They find it while the replica is held up, killed, started and frozen, too."""
        user = await self.user()
        over = False

        async def act() -> int:
            n = 0
            while not over:
                n += 1
                await self.write_and_read(user, n)
            return n

        acting = Deferred.fromCoroutine(act())
        self.replica.sql("select pg_wal_replay_pause()")
        await self.up(0)
        self.replica.sql("select pg_wal_replay_resume()")
        await self.up(2)
        await deferToThread(self.replica.kill)
        await self.up(0)
        await deferToThread(self.replica.start)
        await self.up(2)
        self.replica.freeze()
        self.addCleanup(self.replica.thaw)
        await self.up(0)
        over = True
        self.assertGreater(await acting, 0)
        await self.get("/health/ready", expect=200)
        self.assertNotIn("Answered 503", self.service.output())

    async def test_whole_lists(self) -> None:
        """A long list that is asked for as a whole comes from the replica, and its ETag holds until
        the list changes."""
        user = await self.user()
        self.primary.sql(
            "insert into progress (user_id, key, value, written, size) "
            "select %s, 'key ' || n, '{}', now(), 2 from generate_series(1, 450) n",
            user.id,
            database=self.name,
        )
        path = f"user/{user.id}/progress"
        before = await self.reads()
        first = await self.get(path, by=user, expect=200)
        self.assertEqual(len(first.json()), 450)
        self.assertEqual(await self.reads() - before, {"replica": PARTS})
        tag = {"If-None-Match": first.header("ETag") or ""}
        await self.get(path, by=user, headers=tag, expect=304)
        for n in range(20):
            written = {"value": {"n": n}}
            await self.put(f"{path}/key%201", written, by=user, expect=204)
            found = await self.get(path, by=user, headers=tag)
            while found.status == 304:
                found = await self.get(path, by=user, headers=tag)
            self.assertIn({"n": n}, [item["value"] for item in found.json()])
            tag = {"If-None-Match": found.header("ETag") or ""}
