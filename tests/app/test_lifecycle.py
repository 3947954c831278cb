"""The start of every daemon."""

import resource
from types import SimpleNamespace

from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.interfaces import IAddress
from twisted.logger import LogEvent, formatEvent, globalLogPublisher
from twisted.trial.unittest import SynchronousTestCase

from contentsvc import config
from contentsvc.app.lifecycle import allow_connections, possible_connections, say_hello
from contentsvc.config import ConfigError
from contentsvc.framework.images import sandbox


class FileTests(SynchronousTestCase):
    """The limit of open files, which is this process's own here."""

    def setUp(self) -> None:
        self.soft, self.hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (self.soft, self.hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (500, self.hard))
        self.lines: list[str] = []
        observe = lambda event: self.lines.append(formatEvent(event))  # noqa: E731
        globalLogPublisher.addObserver(observe)
        self.addCleanup(globalLogPublisher.removeObserver, observe)

    def limit(self) -> int:
        """The one in force."""
        return resource.getrlimit(resource.RLIMIT_NOFILE)[0]

    def test_raised(self) -> None:
        """It is raised to what is needed."""
        self.assertEqual(allow_connections(500, 100), 500)
        self.assertEqual((self.limit(), self.lines), (600, []))

    def test_not_lowered(self) -> None:
        """One that is higher stays."""
        self.assertEqual(allow_connections(300, 100), 300)
        self.assertEqual((self.limit(), self.lines), (500, []))

    def test_hard(self) -> None:
        """Where the system allows less, it is raised to that, and the log says what it costs."""
        get, infinity = resource.getrlimit, resource.RLIM_INFINITY
        self.patch(resource, "getrlimit", lambda kind: (get(kind)[0], 550))
        self.patch(resource, "setrlimit", lambda kind, limits: self.lines.append(str(limits)))
        self.assertEqual(allow_connections(500, 100), 450)
        self.assertEqual(self.lines[0], "(550, 550)")
        self.assertIn("only 550 open files, so it serves at most 450 connections", self.lines[1])
        self.assertIn("not 500: raise the hard limit to 600", self.lines[1])
        self.assertIn("docs/guides/install.md", self.lines[1])
        self.lines.clear()
        self.patch(resource, "getrlimit", lambda kind: (500, infinity))
        allow_connections(500, 100)
        self.assertEqual(self.lines, [f"(600, {infinity})"])

    def test_too_few(self) -> None:
        """Where hardly any connection would be left, it says how many files are needed."""
        self.patch(resource, "getrlimit", lambda kind: (100, 199))
        with self.assertRaises(ConfigError) as raised:
            possible_connections(500, 100)
        self.assertIn("only 199 open files, and it needs at least 200", str(raised.exception))
        self.assertEqual(possible_connections(99, 100), 99)


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
        _, line, *_ = self.hello(IPv4Address("TCP", "0.0.0.0", 8080))
        self.assertIn("http://127.0.0.1:8080/api/v1,", line)
        self.assertIn("http://127.0.0.1:8080/docs,", line)
        _, line, *_ = self.hello(IPv6Address("TCP", "::1", 8080))
        self.assertIn("http://[::1]:8080/api/v1,", line)
        line, _ = self.hello(UNIXAddress(b"/run/x"))
        self.assertIn("/run/x", line)

    def test_portal(self) -> None:
        """Where the portal is, first of all, if there is one."""
        address = IPv4Address("TCP", "127.0.0.1", 8080)
        first, *rest = self.hello(address)
        self.assertEqual("The portal is at http://127.0.0.1:8080/", first)
        self.assertEqual(rest, self.hello(address, portal="no"))

    def test_command(self) -> None:
        """How an admin is made, by the command that the shell knows."""
        _, _, line, _ = self.hello(IPv4Address("TCP", "0.0.0.0", 8080))
        self.assertIn(
            "an admin's token: ./contentsvc -x user add NAME --email E --admin, then", line
        )
        self.assertTrue(line.endswith("then ./contentsvc -x token NAME"))

    def test_files_off(self) -> None:
        """A database and nothing said of files: a first line says so, and what to write. Not where
        somebody has said it."""
        address = IPv4Address("TCP", "127.0.0.1", 8080)
        own = {"database": "dbname=x", "secret_file": "keys"}
        first, *rest = self.hello(address, **own)
        self.assertIn("FILES ARE OFF", first)
        for choice in ('files = "local"', 'files = "s3"', 'files = "external"'):
            self.assertIn(choice, first)
        self.assertEqual(self.hello(address, **own, files="external"), rest)
        for local in (self.hello(address, **own, files="local"), self.hello(address)):
            self.assertEqual(local[:-1], rest)

    def test_no_sandbox(self) -> None:
        """Where system calls cannot be filtered, a line says so and why, if images are read."""
        address = IPv4Address("TCP", "127.0.0.1", 8080)
        rest = self.hello(address)
        self.patch(sandbox, "lacking", lambda: "Darwin has no seccomp")
        first, *others = self.hello(address)
        self.assertIn("images is no full sandbox: Darwin has no seccomp. Run the service", first)
        self.assertEqual(others, rest)
        self.assertEqual(self.hello(address, scale_images="no"), rest)
        self.assertNotIn("sandbox", self.hello(address, files="external")[0])

    def test_files(self) -> None:
        """Where files are the service's, one line says where they lie, and what becomes of paths
        that nobody has uploaded."""
        address = IPv4Address("TCP", "127.0.0.1", 8080)
        *_, line = self.hello(address, data_dir="/data")
        self.assertIn("Files that players upload lie in /data/files; other paths are taken", line)
        *_, line = self.hello(address, require_files="on")
        self.assertIn("; with other paths, content is refused, for require_files is on", line)
        store = {"s3_endpoint": "https://s3.example", "s3_content_bucket": "content"}
        *_, line = self.hello(address, files="s3", s3_media_bucket="media", **store)
        self.assertIn("lie in the buckets content and media of https://s3.example; ", line)

    def test_debug_notify(self) -> None:
        """A service for others that has debug/notify: a first line says what that means."""
        address = IPv4Address("TCP", "127.0.0.1", 8080)
        first, *rest = self.hello(address, public_url="https://x", debug_notify="on")
        self.assertIn("debug_notify is on", first)
        self.assertEqual(self.hello(address, public_url="https://x"), rest)
        self.assertEqual(self.hello(address), rest)

    def test_tls(self) -> None:
        """With a TLS endpoint it is https."""
        for listen in ("ssl:443", "haproxy:ssl:443"):
            _, first, token, _ = self.hello(IPv4Address("TCP", "192.0.2.7", 443), listen=listen)
            self.assertIn("https://192.0.2.7:443/api/v1,", first)
            self.assertNotIn("http:", token)

    def test_proxies(self) -> None:
        """Trusted proxies without a public_url: what socketUrl is made of."""
        address = IPv4Address("TCP", "127.0.0.1", 8080)
        first, *rest = self.hello(address, trusted_proxies="127.0.0.1")
        self.assertIn("public_url is not set", first)
        self.assertEqual(len(rest), 4)
        known = self.hello(address, trusted_proxies="127.0.0.1", public_url="https://x.example")
        self.assertEqual(len(known), 4)
