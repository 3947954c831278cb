"""Large requests have turns of the pool."""

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock

from contentsvc.framework.db.database import CHECK, REST, Database
from contentsvc.framework.db.errors import Unavailable
from tests.framework.db.things import PoolCase


class LargeRequestTests(PoolCase):
    """Turns of large requests, by an injected clock."""

    async def setUp(self) -> None:
        await super().setUp()
        self.clock = Clock()
        self.large = await self.pool(wait=CHECK * 8, clock=self.clock)
        self.order: list[str] = []

    def begin(self, user: str, pool: Database, until: Deferred[None]) -> Deferred[None]:
        """A large request that has its turn until then."""

        async def request() -> None:
            async with pool.large(user):
                self.order.append(user)
                await until

        return Deferred.fromCoroutine(request())

    async def test_alternate(self) -> None:
        """One has a turn at a time, and users alternate, however many requests each has."""
        ends = [Deferred[None]() for _ in range(4)]
        requests = [
            self.begin(user, self.large, end)
            for user, end in zip(["ann", "ann", "ann", "bob"], ends, strict=True)
        ]
        self.assertEqual(self.order, ["ann"])
        for number in (0, 1, 3, 2):
            ends[number].callback(None)
            await requests[number]
        self.assertEqual(self.order, ["ann", "ann", "bob", "ann"])

    async def test_rest(self) -> None:
        """After one there is a rest of as long as it took, and of REST at most."""
        for took, rest in ((REST / 2, REST / 2), (REST * 3, REST)):
            first, second = Deferred[None](), Deferred[None]()
            requests = [self.begin("ann", self.large, first), self.begin("bob", self.large, second)]
            self.clock.advance(took)
            first.callback(None)
            self.clock.advance(rest * 0.99)
            self.assertEqual(self.order, ["ann"])
            self.clock.advance(rest * 0.01 + 1e-9)
            self.assertEqual(self.order, ["ann", "bob"])
            second.callback(None)
            for request in requests:
                await request
            self.order.clear()
            self.clock.advance(REST)

    async def test_fails(self) -> None:
        """There is a rest after one that fails, too; who gives up within it has no turn."""
        first, later = Deferred[None](), Deferred[None]()
        request = self.begin("ann", self.large, first)
        self.clock.advance(REST)
        first.errback(KeyError())
        await self.fails(KeyError, request)
        gone, other = self.begin("bob", self.large, later), self.begin("eve", self.large, later)
        gone.cancel()
        await self.fails(CancelledError, gone)
        self.clock.advance(REST)
        self.assertEqual(self.order, ["ann", "eve"])
        later.callback(None)
        await other

    async def test_set_back(self) -> None:
        """A clock that is set back makes the rest no longer."""
        first, second = Deferred[None](), Deferred[None]()
        request = self.begin("ann", self.large, first)
        self.clock.advance(REST)
        first.callback(None)
        await request
        self.clock.rightNow -= 3600
        request = self.begin("bob", self.large, second)
        self.assertEqual(self.order, ["ann"])
        self.clock.advance(REST)
        self.assertEqual(self.order, ["ann", "bob"])
        second.callback(None)
        await request

    async def test_too_late(self) -> None:
        """One that has waited too long is refused, and the others go on."""
        first, second = Deferred[None](), Deferred[None]()
        request = self.begin("ann", self.large, first)
        late = self.begin("bob", self.large, second)
        for _ in range(10):
            self.clock.advance(CHECK)
        error = await self.fails(Unavailable, late)
        assert isinstance(error, Unavailable)
        self.assertEqual(error.cause, "pool")
        first.callback(None)
        await request

    async def test_too_many(self) -> None:
        """A user who has more waiting than any other is refused at once; others are not."""
        end: Deferred[None] = Deferred()
        requests = [self.begin("ann", self.large, end) for _ in range(101)]
        await self.fails(Unavailable, self.begin("ann", self.large, end))
        bob = self.begin("bob", self.large, end)
        await self.fails(Unavailable, requests.pop())
        self.assertEqual(self.order, ["ann"])
        self.large.stop()
        for request in (*requests[1:], bob):
            await self.fails(Unavailable, request)
        end.callback(None)
        await requests[0]
