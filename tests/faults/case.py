"""Daemons, users and checks for the tests of faults."""

from collections.abc import Callable
from typing import Any

import psutil
from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import deferLater
from twisted.trial.unittest import TestCase

from contentsvc.client import ApiError, Client, Unreachable
from contentsvc.wire.accounts import Registration
from contentsvc.wire.notifications import DebugNotify
from tests.faults.load import LATEST, Reader
from tests.faults.servers import LISTENS, backends, server
from tests.support import postgres
from tests.support.daemon import Daemon, until

PASSWORD = "a long password"
BACK = 5.0
"""Seconds after the database's return in which the service must have returned."""
POOL = 4


async def new_client(case: TestCase, on: Daemon, name: str, **options: Any) -> Client:
    """A client that is closed with the test, signed in as a user of this name, made where there
    is none."""
    client = Client(reactor, on.url, **options)
    case.addCleanup(client.close)
    try:
        await client.accounts.register(
            Registration(username=name, email=f"{name}@example.com", password=PASSWORD)
        )
    except ApiError as error:
        if error.code != "username_taken":
            raise
    await client.log_in(name, PASSWORD)
    return client


class FaultCase(TestCase):
    """A test with a database of its own on `server()`, and daemons on it."""

    timeout = 420

    def setUp(self) -> None:
        self.database = self.make_database()
        self.daemons: list[Daemon] = []

    def make_database(self) -> str:
        """The URL of an empty database that ends with the test."""
        url = postgres.database(server().url)
        self.addCleanup(postgres.drop, url)
        return url

    async def daemon(self, *options: str, **more: Any) -> Daemon:
        """A running daemon; all of a test share the keys."""
        secret = self.daemons[0].secret_file if self.daemons else None
        pool = ("--pool-size", str(POOL))
        made = Daemon(*pool, *options, database=self.database, secret_file=secret, **more)
        self.daemons.append(made)
        self.addCleanup(made.stop)
        await made.start()
        return made

    async def client(self, on: Daemon, name: str = "ann", **options: Any) -> Client:
        """A client of this daemon with a user of this name, made where there is none."""
        return await new_client(self, on, name, **options)

    def no_failures(self) -> None:
        """No daemon has answered 500 or logged a failure."""
        for each in self.daemons:
            lines = each.output().splitlines()
            bad = [n for n, line in enumerate(lines) if " 500 " in line or "Traceback" in line]
            if bad:
                self.fail("\n".join(lines[max(0, bad[0] - 3) : bad[0] + 40]))

    async def waits(self, event: str, count: int = 1) -> None:
        """So many statements of daemons wait for this in the database."""
        which = f"'{event}' in (wait_event_type, wait_event)"
        await hold(lambda: len(backends(self.database, which)) >= count, "statements wait")

    async def back(self, *clients: Client, within: float = BACK) -> None:
        """The service is ready again in time, and then does its work at once."""
        for client in clients:
            await eventually(client.health.check_readiness, within, "the service is ready")
            await client.users.get()


async def eventually(act: Callable[[], Any], seconds: float, what: str) -> None:
    """Until `act` succeeds; AssertionError if not within that time."""
    deadline = reactor.seconds() + seconds
    while True:
        try:
            await act()
            return
        except (ApiError, Unreachable) as error:
            if reactor.seconds() > deadline:
                raise AssertionError(f"{what}: not within {seconds} s: {error}") from error
        await deferLater(reactor, 0.05)


async def hold(condition: Callable[[], bool], what: str, seconds: float = 60) -> None:
    """Wait for what must come about in the end."""
    await until(condition, seconds, what)


class ReaderCase(FaultCase):
    """A daemon, and the user ann with a client that repeats nothing and an open socket."""

    options: tuple[str, ...] = ()

    async def setUp(self) -> None:
        super().setUp()
        self.addCleanup(server().start)  # whatever the test has done to it
        self.service = await self.daemon(*self.options)
        self.ann = await self.client(self.service, "ann", patience=0)
        self.reader = Reader(self.ann, "ann")
        await hold(lambda: self.reader.subscription.live, "the socket is open")

    async def notify(self, text: str, by: Client | None = None) -> None:
        sender = by or self.ann
        await sender.debug.send_notification(DebugNotify(recipient=self.ann.user, text=text))

    async def arrive(self, *texts: str) -> None:
        """These have come over the socket, and nothing else has."""
        await hold(lambda: len(self.reader.texts) >= len(texts), f"{texts} arrive", LATEST)
        self.assertEqual(self.reader.texts, list(texts))
        self.assertEqual(self.reader.seqs, list(range(1, len(texts) + 1)))

    async def refused(self) -> ApiError:
        """A read is refused for now, and soon."""
        asked = reactor.seconds()
        error = await self.assertFailure(Deferred.fromCoroutine(self.ann.users.get()), ApiError)
        self.assertEqual((error.status, error.code), (503, "unavailable"))
        self.assertGreaterEqual(error.retry_after, 1)
        self.assertLess(reactor.seconds() - asked, 6)
        return error

    async def sound(self) -> None:
        """Nothing was left behind: no failure in the log, no connection beyond the pool's, at
        either end."""
        reads = [Deferred.fromCoroutine(self.ann.users.get()) for _ in range(4 * POOL)]
        await gatherResults(reads)
        count = len(self.daemons)
        self.assertLessEqual(len(backends(self.database)), count * (POOL + 1))
        # The relay's pauses have grown with each connection that it lost.
        await hold(lambda: len(backends(self.database, LISTENS)) == count, "each listens once")
        sockets = psutil.Process(self.service.pid).net_connections("unix")
        # Of each connection libpq has a descriptor, and the reactor.
        self.assertLessEqual(len(sockets), 2 * (POOL + 2))
        self.no_failures()
