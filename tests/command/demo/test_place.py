"""`contentsvc demo --url` beside a daemon, of this database and of another."""

import re
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase, TestCase

from contentsvc.command.demo import place
from tests.support.daemon import Daemon


class Other(BaseHTTPRequestHandler):
    """A program that is no daemon of ours. `number` is its X-Request-Id."""

    number = ""

    def do_GET(self) -> None:
        """Answer 404."""
        self.send_response(404)
        if self.number:
            self.send_header("X-Request-Id", self.number)
        self.end_headers()

    def log_message(self, *given: object) -> None:
        """Say nothing."""


@contextmanager
def serving(number: str = "") -> Iterator[str]:
    """The URL of such a program."""
    handler = type("Handler", (Other,), {"number": number})
    with socketserver.TCPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class ProcessTests(SynchronousTestCase):
    def test_other_programs(self) -> None:
        """Nobody knows what runs where nothing, or another program, answers: the URL is taken."""
        for number in ("", "7c9e6679-7425-40de", "5ea323f45ce5"):
            with serving(number) as url:
                self.assertIsNone(place.process_at(url), number)
        self.assertIsNone(place.process_at(url))

    def test_number(self) -> None:
        """A daemon's process is known by the number of its requests, whatever it answers."""
        with serving("5ea323f45ce5-3f") as url:
            self.assertEqual(place.process_at(url), "5ea323f45ce5")


class BesideTests(TestCase):
    timeout = 180.0

    def begin(self, *options: str) -> Daemon:
        """A daemon, to start."""
        service = Daemon(*options)
        self.addCleanup(lambda: Deferred.fromCoroutine(service.stop()))
        return service

    async def test_same(self) -> None:
        """With the daemon's own URL, whichever of its workers answers, the world is made."""
        service = self.begin("--workers", "2")
        await service.start()
        printed = await service.command("demo", "--url", service.url)
        self.assertIn(f"Log in at {service.url}/log-in", printed)
        self.assertIn("exists already", await service.command("demo", "--url", service.url))

    async def test_other(self) -> None:
        """With the URL of a daemon of another database it is refused, and says why: no database is
        made, and none that there is gets the world."""
        service, other = self.begin(), Daemon()
        await service.start()
        said = re.escape(f"--url {service.url}: the daemon there has another database")
        for make in (False, True):
            if make:
                await other.add_user("ada", "open sesame")
            with self.assertRaisesRegex(AssertionError, said):
                await other.command("demo", "--url", service.url)
            self.assertEqual((other.data_dir / "postgres").exists(), make)
        # Nothing was made there: a daemon that is not there yet may be meant.
        printed = await other.command("demo", "--url", "http://127.0.0.1:9")
        self.assertIn("Log in at http://127.0.0.1:9/log-in", printed)

    async def test_default(self) -> None:
        """Without --url, it says if what answers where a daemon would has another database."""
        service = self.begin()
        await service.start()
        listen = f"tcp:{service.port}:interface=127.0.0.1"
        printed = await Daemon(environ={"LISTEN": listen}).command("demo")
        said = f"The daemon that answers at {service.url} has another database.\nIf your daemon"
        self.assertIn(said, printed)
        own = await service.command("demo")
        self.assertNotIn("another database", own)
