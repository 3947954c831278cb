"""The database goes away, in several ways, and comes back."""

from collections.abc import Awaitable, Callable

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.client import ApiError, Client, Unreachable
from tests.faults.case import BACK, ReaderCase, hold
from tests.faults.load import LATEST
from tests.faults.servers import LISTENS, admit, backends, server, terminate

Act = Callable[[], Awaitable[None]]


class Watch:
    """Asks /health/ready again and again, and keeps what it said and when it was asked."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._over = False
        self.said: list[tuple[float, int, list[str]]] = []
        self._running = Deferred.fromCoroutine(self._run())

    async def _run(self) -> None:
        while not self._over:
            asked = reactor.seconds()
            try:
                await self._client.health.check_readiness()
                self.said.append((asked, 200, []))
            except ApiError as error:
                self.said.append((asked, error.status, error.problem.get("reasons", [])))
            except Unreachable:
                self.said.append((asked, 0, []))
            await deferLater(reactor, 0.05)

    async def stop(self) -> None:
        self._over = True
        await self._running

    def between(self, start: float, end: float) -> set[int]:
        """The statuses of what was asked in this time."""
        return {status for asked, status, _ in self.said if start <= asked < end}


class OutageTests(ReaderCase):
    async def outage(self, away: Act, back: Act) -> None:
        """The database goes and comes back; requests, the socket and readiness in between."""
        await self.notify("before")
        watch = Watch(self.ann)
        await away()
        gone = reactor.seconds()
        for _ in range(5):
            await self.refused()
        connections = self.reader.subscription.connections
        await deferLater(reactor, 1.0)
        came = reactor.seconds()
        await back()
        returned = reactor.seconds()
        await self.back(self.ann)
        await self.notify("after")
        await self.arrive("before", "after")
        await watch.stop()
        self.assertEqual(watch.between(gone, came), {503})
        self.assertEqual(watch.between(returned + BACK, reactor.seconds()) - {200}, set())
        self.assertEqual(self.reader.subscription.connections, connections, "the socket stayed")
        await self.sound()

    async def test_stopped(self) -> None:
        """Postgres is shut down and started: meanwhile requests are told to come back later and
        the service is not ready; the sockets stay, and all is well within seconds."""
        await self.outage(server().stop, server().start)

    async def test_crashed(self) -> None:
        """The same where it is killed with all its processes."""

        async def crash() -> None:
            server().crash()

        await self.outage(crash, server().start)

    async def test_connections_cut(self) -> None:
        """Every connection is ended, over and over: nothing that was accepted is lost, and no
        connection is left behind."""
        accepted = []
        for n in range(30):
            terminate(self.database)
            try:
                await self.notify(str(n))
            except ApiError as error:
                self.assertEqual(error.code, "unavailable")
                continue
            accepted.append(str(n))
        await self.back(self.ann)
        await self.notify("last")
        await hold(lambda: "last" in self.reader.texts, "all arrives", LATEST)
        # One that was answered with 503 may have been committed.
        self.assertEqual([t for t in self.reader.texts if t in accepted], accepted)
        self.assertEqual(self.reader.seqs, list(range(1, len(self.reader.seqs) + 1)))
        await self.sound()

    async def test_start_without(self) -> None:
        """A daemon that starts while the database is away waits for it."""
        await server().stop()
        await self.service.stop()
        self.service.spawn(self.service.port)
        await hold(lambda: "Waiting for the database" in self.service.output(), "it says so")
        await server().start()
        await self.back(self.ann)
        await self.notify("after")
        await self.arrive("after")
        await self.sound()


class ListenTests(ReaderCase):
    async def test_cut(self) -> None:
        """The LISTEN connection is ended: it is made anew at once."""
        before = backends(self.database, LISTENS)
        terminate(self.database, LISTENS)
        await hold(lambda: backends(self.database, LISTENS) not in ([], before), "LISTEN", BACK)
        other = await self.client(await self.daemon(), "bob")
        await self.notify("one", by=other)
        await self.arrive("one")
        await self.sound()

    async def test_away(self) -> None:
        """While LISTEN cannot be had the service is not ready and says why; what other processes
        write is found by the sweep."""
        other = await self.client(await self.daemon(), "bob")
        await other.users.get()
        admit(self.database, False)
        self.addCleanup(admit, self.database, True)
        terminate(self.database, LISTENS)
        watch = Watch(self.ann)
        await hold(lambda: (503, ["listen"]) in [said[1:] for said in watch.said], "unready")
        await watch.stop()
        await self.notify("one", by=other)
        await self.arrive("one")
        admit(self.database, True)
        await self.back(self.ann, other)
        await self.notify("two", by=other)
        await self.arrive("one", "two")
        await self.sound()
