"""What each bus holds: the one of Postgres, and the one in memory."""

from collections.abc import Callable
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import DeferredQueue
from twisted.internet.task import Clock
from twisted.trial.unittest import TestCase

from contentsvc.framework.db.errors import Unavailable
from contentsvc.push.bus import Bus, PostgresBus, ProcessReport
from contentsvc.store.processes import SUSPECT
from tests.push.memory_bus import Exchange, MemoryBus
from tests.push.processes import RelayTestCase


class End:
    """A process's end of a bus, and what comes there."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.report = ProcessReport().report()
        self.heard: DeferredQueue[str] = DeferredQueue()
        self.lost: DeferredQueue[None] = DeferredQueue()

    async def open(self) -> "End":
        await self.bus.open(self.heard.put, lambda: self.lost.put(None))
        return self


class Contract:
    """The tests. `make` gives a bus, `cut` has it lose its connection, and `pass_by` has a process
    not be heard of for so many seconds."""

    make: Callable[[], Any]
    cut: Callable[[Any], None]
    pass_by: Callable[[str, float], None]
    assertEqual: Any
    assertFailure: Any
    addCleanup: Any

    async def end(self) -> End:
        made = End(self.make())
        self.addCleanup(made.bus.close)
        return await made.open()

    async def test_send(self) -> None:
        """What is sent reaches all, the sender too, in its order."""
        ends = [await self.end(), await self.end()]
        await ends[0].bus.send(["a", "b"])
        await ends[0].bus.send(["c"])
        for end in ends:
            self.assertEqual([await end.heard.get() for _ in range(3)], ["a", "b", "c"])

    async def test_before(self) -> None:
        """What was sent before an end was open does not reach it."""
        one = await self.end()
        await one.bus.send(["a"])
        two = await self.end()
        await one.bus.send(["b"])
        self.assertEqual(await two.heard.get(), "b")

    async def test_cut(self) -> None:
        """An end that is cut off says so, can send nothing, and can be opened again."""
        one, two = await self.end(), await self.end()
        self.cut(one)
        await one.lost.get()
        with self.assertRaises(Unavailable):  # type: ignore[attr-defined]
            await one.bus.send(["a"])
        await one.open()
        await two.bus.send(["b"])
        self.assertEqual(await one.heard.get(), "b")

    async def test_close(self) -> None:
        """So does one that is closed, once."""
        one = await self.end()
        one.bus.close()
        one.bus.close()
        await one.lost.get()
        self.assertEqual(one.lost.pending, [])
        with self.assertRaises(Unavailable):  # type: ignore[attr-defined]
            await one.bus.heartbeat(one.report)

    async def test_heartbeats(self) -> None:
        """Processes that send heartbeats do not suspect each other."""
        one, two = await self.end(), await self.end()
        self.assertEqual((await one.bus.heartbeat(one.report))[:2], (0, 0))
        self.assertEqual((await two.bus.heartbeat(two.report))[:2], (1, 0))

    async def test_late(self) -> None:
        """One that is late is suspect after the time that the others hear of."""
        one, two = await self.end(), await self.end()
        await one.bus.heartbeat(one.report)
        self.pass_by(one.report.id, SUSPECT - 2)
        _, silent, left, _ = await two.bus.heartbeat(two.report)
        self.assertEqual((silent, 0 < left <= 2), (0, True))
        self.pass_by(one.report.id, left)
        self.assertEqual((await two.bus.heartbeat(two.report)).silent, 1)
        await one.bus.heartbeat(one.report)
        self.assertEqual((await two.bus.heartbeat(two.report)).silent, 0)

    async def test_leave(self) -> None:
        """One that has left is not suspect."""
        one, two = await self.end(), await self.end()
        await one.bus.heartbeat(one.report)
        await one.bus.leave(one.report.id)
        await two.bus.heartbeat(two.report)
        self.pass_by(one.report.id, SUSPECT)
        self.assertEqual((await two.bus.heartbeat(two.report)).silent, 0)


class MemoryTests(Contract, TestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.exchange = Exchange(self.clock)

    def make(self) -> Bus:
        return MemoryBus(self.exchange, self.clock)

    def cut(self, end: End) -> None:
        end.bus.close()

    def pass_by(self, id: str, seconds: float) -> None:
        self.clock.advance(seconds)


class PostgresTests(Contract, RelayTestCase):
    def make(self) -> Bus:
        return PostgresBus(reactor, self.dsn)

    def cut(self, end: End) -> None:
        self.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and query like 'LISTEN%%'"
            " order by backend_start limit 1"
        )

    def pass_by(self, id: str, seconds: float) -> None:
        """As if they had passed for this process."""
        self.execute(
            "update processes set seen = seen - make_interval(secs => %s) where id = %s",
            seconds,
            id,
        )
