"""The hosts of a DSN, and the addresses of their names."""

import socket
import threading
from collections.abc import Callable
from typing import Any

from psycopg2 import OperationalError
from psycopg2.extensions import make_dsn, parse_dsn
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock, deferLater
from twisted.protocols.portforward import ProxyFactory, ProxyServer
from twisted.trial.unittest import SynchronousTestCase, TestCase

from contentsvc.framework.db import connection, hosts
from contentsvc.framework.db.connection import connect
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.hosts import Resolver, each_host, each_try, name_of
from contentsvc.framework.db.session import BlockingSession
from tests.support import postgres


class HostTests(SynchronousTestCase):
    def test_one(self) -> None:
        """A DSN with one host, or none, is left as it is."""
        for dsn in ("dbname=x", "host=/run/postgresql", "postgresql://u@h:1/x"):
            self.assertEqual(each_host(dsn), [dsn])

    def test_several(self) -> None:
        """One with several is taken apart, each with its own port and all the rest."""
        first, second = each_host("postgresql://u:p@a:1,b:2/x?target_session_attrs=read-write")
        rest = "target_session_attrs=read-write"
        self.assertEqual(first, f"user=u password=p dbname=x host=a port=1 {rest}")
        self.assertIn("host=b port=2", second)

    def test_one_port(self) -> None:
        """One port is for all hosts."""
        self.assertEqual(each_host("host=a,b port=5"), ["host=a port=5", "host=b port=5"])

    def test_folders(self) -> None:
        """Hosts may be folders of Unix sockets."""
        self.assertEqual(each_host("host=/a,/b"), ["host=/a", "host=/b"])

    def test_standby_preferred(self) -> None:
        """With prefer-standby, all are asked whether they are standbys before any is taken."""
        found = each_host("host=a,b target_session_attrs=prefer-standby")
        kinds = [(one["host"], one["target_session_attrs"]) for one in map(parse_dsn, found)]
        self.assertEqual(kinds, [("a", "standby"), ("b", "standby"), ("a", "any"), ("b", "any")])

    def test_names(self) -> None:
        """A name is looked up; an address and the path of a socket are not."""
        for dsn, name in (
            ("host=db.studio.example", "db.studio.example"),
            ("host=localhost", "localhost"),
            ("host=db hostaddr=10.0.0.1", None),
            ("host=10.0.0.1", None),
            ("host=fe80::1", None),
            ("host=/run/postgresql", None),
            ("host=@abstract", None),
            ("dbname=x", None),
        ):
            self.assertEqual(name_of(dsn), name, dsn)

    def test_environment(self) -> None:
        """Hosts that libpq would take from the environment are taken apart too."""
        self.patch(hosts.os, "environ", {"PGHOST": "a,b", "PGPORT": "5"})
        self.assertEqual(
            each_host("dbname=x"), ["dbname=x host=a port=5", "dbname=x host=b port=5"]
        )
        self.patch(hosts.os, "environ", {"PGHOST": "a"})
        self.assertEqual(name_of("dbname=x"), "a")
        self.assertIsNone(name_of("service=x"))

    def test_blocking(self) -> None:
        """A command tries all addresses of all hosts; libpq says what is wrong with a name that has
        none."""

        def look_up(name: str) -> list[str]:
            if name == "b":
                raise socket.gaierror(socket.EAI_NONAME, "unknown")
            return ["::1", "127.0.0.1"]

        self.patch(hosts, "look_up", look_up)
        self.assertEqual(
            list(each_try("host=a,b port=5")),
            ["host=a port=5 hostaddr=::1", "host=a port=5 hostaddr=127.0.0.1", "host=b port=5"],
        )


class ResolverTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.asked: list[Deferred[list[str]]] = []
        self.resolver = Resolver(self.look_up)

    def look_up(self, reactor: object, name: str) -> Deferred[list[str]]:
        self.assertEqual(name, "db")
        self.asked.append(Deferred())
        return self.asked[-1]

    def ask(self) -> Deferred[list[str]]:
        """Ask for the addresses, within 4 s."""
        return Deferred.fromCoroutine(self.resolver.each_address(self.clock, "host=db port=5", 4.0))

    def found(self, *addresses: str) -> None:
        """Ask, and find these."""
        asking = self.ask()
        self.asked[-1].callback(list(addresses))
        self.successResultOf(asking)

    def test_addresses(self) -> None:
        """Each address has its DSN, with the name, which TLS needs."""
        asking = self.ask()
        self.asked[0].callback(["10.0.0.1", "10.0.0.2"])
        self.assertEqual(
            self.successResultOf(asking),
            ["host=db port=5 hostaddr=10.0.0.1", "host=db port=5 hostaddr=10.0.0.2"],
        )

    def test_silence(self) -> None:
        """Without an answer in time, the name cannot be resolved."""
        asking = self.ask()
        self.clock.advance(4)
        error = self.failureResultOf(asking, Unavailable)
        self.assertEqual(str(error.value), "the name db cannot be resolved: no answer")

    def test_unknown(self) -> None:
        """A name that does not exist is said so at once."""
        asking = self.ask()
        self.asked[0].errback(socket.gaierror(socket.EAI_NONAME, "Name or service not known"))
        error = self.failureResultOf(asking, Unavailable)
        self.assertEqual(
            str(error.value), "the name db cannot be resolved: Name or service not known"
        )

    def test_no_thread(self) -> None:
        """So is that there is no thread for it."""
        asking = self.ask()
        self.asked[0].errback(RuntimeError("can't start new thread"))
        self.failureResultOf(asking, Unavailable)

    def test_one_at_a_time(self) -> None:
        """However many ask, a name is looked up once, also where some have given up."""
        self.ask().addErrback(lambda _: None)
        self.clock.advance(4)
        asking = [self.ask(), self.ask()]
        self.assertEqual(len(self.asked), 1)
        self.asked[0].callback(["10.0.0.1"])
        for each in asking:
            self.assertEqual(self.successResultOf(each), ["host=db port=5 hostaddr=10.0.0.1"])

    def test_last_known(self) -> None:
        """While no name server answers, or none knows the name, the addresses of the last time are
        given after a second."""
        self.found("10.0.0.1")
        silent = self.ask()
        self.clock.advance(1)
        self.assertEqual(self.successResultOf(silent), ["host=db port=5 hostaddr=10.0.0.1"])
        failed = self.ask()
        self.asked[-1].errback(socket.gaierror(socket.EAI_AGAIN, "Try again"))
        self.assertEqual(self.successResultOf(failed), ["host=db port=5 hostaddr=10.0.0.1"])

    def test_late(self) -> None:
        """What a slow name server answers too late is there for the next."""
        self.found("10.0.0.1")
        late = self.ask()
        self.clock.advance(1)
        self.assertEqual(self.successResultOf(late), ["host=db port=5 hostaddr=10.0.0.1"])
        self.asked[-1].callback(["10.0.0.2"])
        following = self.ask()
        self.clock.advance(1)
        self.assertEqual(self.successResultOf(following), ["host=db port=5 hostaddr=10.0.0.2"])

    def test_new_address(self) -> None:
        """After a failover, the new address is given."""
        self.found("10.0.0.1")
        asking = self.ask()
        self.asked[-1].callback(["10.0.0.2"])
        self.assertEqual(self.successResultOf(asking), ["host=db port=5 hostaddr=10.0.0.2"])


class _ToSocket:
    """A reactor whose outgoing connections go to the Unix socket that the host names."""

    @staticmethod
    def connectTCP(host: str, port: int, factory: Any) -> None:
        reactor.connectUNIX(host, factory)


class _Server(ProxyServer):  # type: ignore[misc]
    reactor = _ToSocket()


class NameTests(TestCase):
    """Connections to the name of a server that listens on TCP."""

    def setUp(self) -> None:
        self.given = parse_dsn(postgres.embedded())
        socket_path = f"{self.given['host']}/.s.PGSQL.{self.given['port']}"
        forward = ProxyFactory(socket_path, 0)
        forward.protocol = _Server
        listening = reactor.listenTCP(0, forward, interface="127.0.0.1")
        self.addCleanup(listening.stopListening)
        self.port = listening.getHost().port
        # It takes connections, and says nothing.
        silent = socket.create_server(("127.0.0.2", self.port))
        self.addCleanup(silent.close)

    def dsn(self, host: str) -> str:
        full: str = make_dsn(**self.given | {"host": host, "port": self.port, "sslmode": "disable"})
        return full

    def resolves(self, look_up: Callable[[str], list[str]]) -> None:
        """Names are looked up so from now on."""
        self.patch(hosts, "look_up", look_up)
        self.patch(connection, "_RESOLVER", Resolver())

    async def test_silent_address(self) -> None:
        """Where the first address of a name says nothing, the next has its turn."""
        self.resolves(lambda name: ["127.0.0.2", "127.0.0.1"])
        found = await connect(reactor, self.dsn("db"), timeout=4.0, statement_timeout=4.0)
        self.addCleanup(found.abandon)
        self.assertEqual(found.where, ("127.0.0.1", self.port))

    async def test_silent_host(self) -> None:
        """So has the next host, where nobody answers for the name of the first."""
        go_on = threading.Event()
        self.addCleanup(go_on.set)

        def look_up(name: str) -> list[str]:
            if name == "a":
                go_on.wait()
            return ["127.0.0.1"]

        self.resolves(look_up)
        found = await connect(reactor, self.dsn("a,b"), timeout=4.0, statement_timeout=4.0)
        self.addCleanup(found.abandon)
        self.assertEqual(found.where, ("127.0.0.1", self.port))

    async def test_reactor_goes_on(self) -> None:
        """The reactor does other things while no name server answers."""
        go_on = threading.Event()
        self.addCleanup(go_on.set)

        def look_up(name: str) -> list[str]:
            go_on.wait()
            return ["127.0.0.1"]

        self.resolves(look_up)
        opening = Deferred.fromCoroutine(
            connect(reactor, self.dsn("db"), timeout=30.0, statement_timeout=30.0)
        )
        await deferLater(reactor, 0)
        self.assertNoResult(opening)
        go_on.set()
        (await opening).abandon()

    def test_session(self) -> None:
        """The second connection of an upgrade does not wait for an address that says nothing
        either."""
        self.resolves(lambda name: ["127.0.0.2", "127.0.0.3"])
        self.assertRaisesRegex(OperationalError, "refused", BlockingSession, self.dsn("db"), 2.0)
