"""The start of every daemon."""

import resource
from types import SimpleNamespace

from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.interfaces import IAddress
from twisted.logger import LogEvent, formatEvent, globalLogPublisher
from twisted.trial.unittest import SynchronousTestCase

from contentsvc import config
from contentsvc.daemon.sequence import allow_files, say_hello


class FileTests(SynchronousTestCase):
    """The limit of open files, which is this process's own here."""

    def setUp(self) -> None:
        self.soft, self.hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (self.soft, self.hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (500, self.hard))
        self.lines: list[str] = []
        observe = lambda event: self.lines.append(event["log_format"])  # noqa: E731
        globalLogPublisher.addObserver(observe)
        self.addCleanup(globalLogPublisher.removeObserver, observe)

    def limit(self) -> int:
        """The one in force."""
        return resource.getrlimit(resource.RLIMIT_NOFILE)[0]

    def test_raised(self) -> None:
        """It is raised to what is needed."""
        self.assertEqual(allow_files(600), 600)
        self.assertEqual((self.limit(), self.lines), (600, []))

    def test_not_lowered(self) -> None:
        """One that is higher stays."""
        allow_files(400)
        self.assertEqual((self.limit(), self.lines), (500, []))

    def test_hard(self) -> None:
        """Where the system allows less, it is raised to that, and the log says so."""
        get, infinity = resource.getrlimit, resource.RLIM_INFINITY
        self.patch(resource, "getrlimit", lambda kind: (get(kind)[0], 550))
        self.patch(resource, "setrlimit", lambda kind, limits: self.lines.append(str(limits)))
        self.assertEqual(allow_files(600), 550)
        self.assertEqual(self.lines[0], "(550, 550)")
        self.assertIn("docs/operating.md", self.lines[1])
        self.lines.clear()
        self.patch(resource, "getrlimit", lambda kind: (500, infinity))
        allow_files(600)
        self.assertEqual(self.lines, [f"(600, {infinity})"])


class HelloTests(SynchronousTestCase):
    """The lines of the log when the port is served."""

    def hello(self, address: IAddress, **given: str) -> list[str]:
        """The lines of the log, with these settings."""
        events: list[LogEvent] = []
        globalLogPublisher.addObserver(events.append)
        self.addCleanup(globalLogPublisher.removeObserver, events.append)
        settings = config.read({name.replace("_", "-"): given[name] for name in given}, {})
        say_hello(settings, "./contentsvc -x", SimpleNamespace(getHost=lambda: address))
        return [formatEvent(event) for event in events]

    def test_address(self) -> None:
        """Where the API is, in a form that can be used as it is."""
        first, _ = self.hello(IPv4Address("TCP", "0.0.0.0", 8080))
        self.assertIn("http://127.0.0.1:8080/api/v1,", first)
        self.assertIn("http://127.0.0.1:8080/docs,", first)
        first, _ = self.hello(IPv6Address("TCP", "::1", 8080))
        self.assertIn("http://[::1]:8080/api/v1,", first)
        (line,) = self.hello(UNIXAddress(b"/run/x"))
        self.assertIn("/run/x", line)

    def test_command(self) -> None:
        """How an admin is made, by the command that the shell knows."""
        _, second = self.hello(IPv4Address("TCP", "0.0.0.0", 8080))
        self.assertIn(
            "an admin's token: ./contentsvc -x user add NAME --email E --admin, then", second
        )
        self.assertTrue(second.endswith("then ./contentsvc -x token NAME"))

    def test_tls(self) -> None:
        """With a TLS endpoint it is https."""
        for listen in ("ssl:443", "haproxy:ssl:443"):
            first, token = self.hello(IPv4Address("TCP", "192.0.2.7", 443), listen=listen)
            self.assertIn("https://192.0.2.7:443/api/v1,", first)
            self.assertNotIn("http:", token)

    def test_proxies(self) -> None:
        """Trusted proxies without a public_url: what socketUrl is made of."""
        address = IPv4Address("TCP", "127.0.0.1", 8080)
        first, *rest = self.hello(address, trusted_proxies="127.0.0.1")
        self.assertIn("public_url is not set", first)
        self.assertEqual(len(rest), 2)
        known = self.hello(address, trusted_proxies="127.0.0.1", public_url="https://x.example")
        self.assertEqual(len(known), 2)
