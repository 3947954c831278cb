"""When news is sent: at once, or gathered where many hear it."""

from random import Random
from typing import Any

from msgspec import json
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.push.bus import ProcessReport
from contentsvc.push.reconcile import Reconciler
from contentsvc.push.relay import FEW, GATHER, IDS, Relay
from tests.push.memory_bus import Exchange, MemoryBus


class Nobody:
    """Stands for those whom the relay notifies, and for a pool that does nothing."""

    used = 0

    def busy(self, before: float) -> bool:
        return False

    async def learn(self) -> None: ...
    async def check(self) -> None: ...
    async def check_part(self) -> None: ...


class GatheringTests(SynchronousTestCase):
    def begin(self, others: int) -> None:
        """A process beside so many others."""
        self.clock = Clock()
        exchange = Exchange(self.clock)
        exchange.seen = {str(number): 0.0 for number in range(others)}
        self.heard: list[str] = []
        end = MemoryBus(exchange, self.clock)
        self.relay = Relay(
            self.clock,
            MemoryBus(exchange, self.clock),
            ProcessReport().report,
            Nobody(),
            random=Random(1),
        )
        nobody: Any = Nobody()
        reconciler = Reconciler(self.clock, nobody, nobody)
        Deferred.fromCoroutine(end.open(self.heard.append, lambda: None))
        Deferred.fromCoroutine(self.relay.start(nobody, nobody, reconciler))

    def sent(self, seconds: float = 0) -> list[int]:
        """How many users were in each piece of news of so many seconds."""
        self.heard.clear()
        self.clock.advance(seconds)
        return [len(json.decode(each)["n"]) for each in self.heard]

    def announce(self, users: int = 1) -> None:
        for user in range(users):
            self.relay.announce(str(user), 1)

    def test_first(self) -> None:
        """The first news after a silence is sent in the next turn, what follows within 10 ms is
        gathered until then, and what comes later is the first again."""
        self.begin(FEW + 1)
        self.announce(2)
        self.assertEqual(self.sent(), [2])
        self.announce(1)
        self.assertEqual(self.sent(GATHER / 2), [])
        self.announce(3)
        self.assertEqual(self.sent(GATHER / 2), [3])
        self.clock.advance(GATHER)
        self.announce()
        self.assertEqual(self.sent(), [1])

    def test_full(self) -> None:
        """As many ids as one piece of news has do not wait."""
        self.begin(FEW + 1)
        self.announce()
        self.sent()
        self.announce(IDS - 1)
        self.assertEqual(self.sent(), [])
        self.announce(IDS)
        self.assertEqual(self.sent(), [IDS])

    def test_few(self) -> None:
        """Beside few others nothing is gathered."""
        self.begin(FEW)
        for users in 1, 2, 3:
            self.announce(users)
            self.assertEqual(self.sent(), [users])

    def test_counts(self) -> None:
        """What was sent is counted, and the ids in it."""
        self.begin(0)
        self.announce(IDS + 5)
        self.relay.announce_changed("ann")
        self.clock.advance(0)
        self.assertEqual((self.relay.sent.news, self.relay.sent.ids), (3, IDS + 6))
        self.assertEqual((self.relay.heard.news, self.relay.heard.ids), (0, 0))

    def test_stop(self) -> None:
        """What was gathered is sent when the process stops, and no timer is left."""
        self.begin(FEW + 1)
        self.announce()
        self.sent()
        self.announce(2)
        self.heard.clear()
        self.successResultOf(Deferred.fromCoroutine(self.relay.stop()))
        self.assertEqual([len(json.decode(each)["n"]) for each in self.heard], [2])
        self.assertEqual(self.clock.getDelayedCalls(), [])
