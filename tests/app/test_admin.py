"""The admin endpoint, over transports in memory."""

from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.app.admin import CONNECTIONS, Admin, Pages
from contentsvc.app.metric_values import SAMPLES, Source
from contentsvc.app.metrics import gauge
from tests.framework.http.support import Client

SOURCES: list[Source] = [(None, [gauge("a", "A.").one(1), gauge("b", "B.").one(2)])]
TEXT = b"# HELP a A.\n# TYPE a gauge\na 1.0\n# HELP b B.\n# TYPE b gauge\nb 2.0\n"


class Turning(Clock):
    """Counts what was put off to the next turn."""

    turns = 0

    def callLater(self, delay: float, call: Any, *args: Any, **kwargs: Any) -> Any:
        self.turns += delay == 0
        return super().callLater(delay, call, *args, **kwargs)


class Endpoint:
    """Keeps the site."""

    site: Any = None

    def listen(self, site: object) -> Deferred[object]:
        self.site = site
        return succeed(None)


class AdminCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Turning()
        self.reasons: list[str] = []
        self.collected = 0
        self.collecting: Deferred[list[Source]] = succeed(SOURCES)
        endpoint = Endpoint()
        admin = Admin(self.clock, endpoint, Pages(self.clock, self.sources, self.missing))
        self.successResultOf(Deferred.fromCoroutine(admin.start()))
        self.site = endpoint.site

    async def sources(self) -> list[Source]:
        self.collected += 1
        return await self.collecting

    async def missing(self) -> list[str]:
        return self.reasons

    def turns(self) -> None:
        """The turns of a scrape."""
        self.clock.pump([0] * 20)

    def ask(self, method: str, path: str, body: bytes = b"") -> Any:
        """The answer to a request on a connection of its own."""
        client = Client(self.site)
        client.ask(method, path, body)
        self.turns()
        (answer,) = client.answers()
        return answer


class PageTests(AdminCase):
    def test_metrics(self) -> None:
        """/metrics is the text of all metrics, in the format that every Prometheus knows."""
        answer = self.ask("GET", "/metrics")
        self.assertEqual((answer.status, answer.body), (200, TEXT))
        self.assertEqual(answer.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")

    def test_query(self) -> None:
        """A query, as some scrapers send it, makes no difference."""
        self.assertEqual(self.ask("GET", "/metrics?name[]=a").body, TEXT)

    def test_head(self) -> None:
        """HEAD is answered as GET is, without the body."""
        answer = self.ask("HEAD", "/metrics")
        self.assertEqual((answer.status, answer.body), (200, b""))
        self.assertEqual(answer.headers["Content-Length"], str(len(TEXT)))

    def test_live(self) -> None:
        """/live is 200, ready or not."""
        self.reasons = ["starting"]
        self.assertEqual(self.ask("GET", "/live").status, 200)

    def test_ready(self) -> None:
        """/ready is 200, or 503 with the reasons."""
        self.assertEqual(self.ask("GET", "/ready").status, 200)
        self.reasons = ["database", "pool"]
        answer = self.ask("GET", "/ready")
        self.assertEqual(answer.status, 503)
        self.assertEqual(answer.headers["Retry-After"], "1")
        self.assertEqual(answer.json()["reasons"], ["database", "pool"])

    def test_degraded(self) -> None:
        """/ready is 200 with the reasons where only writes fail, and 503 where more does."""
        self.reasons = ["disk"]
        answer = self.ask("GET", "/ready")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.json(), {"status": "degraded", "reasons": ["disk"]})
        self.reasons = ["disk", "database"]
        self.assertEqual(self.ask("GET", "/ready").status, 503)

    def test_failed(self) -> None:
        """Metrics that cannot be collected are a 500, and the next scrape is a new one."""
        self.collecting = Deferred()
        self.collecting.errback(RuntimeError("no"))
        self.assertEqual(self.ask("GET", "/metrics").status, 500)
        self.assertEqual(len(self.flushLoggedErrors(RuntimeError)), 1)
        self.collecting = succeed(SOURCES)
        self.assertEqual(self.ask("GET", "/metrics").status, 200)


class RefusalTests(AdminCase):
    def test_paths(self) -> None:
        """There is nothing else, and nothing of the API."""
        for path in ("/", "/metrics/", "/metrics/x", "//metrics", "/health/ready", "/api/v1/user"):
            self.assertEqual(self.ask("GET", path).status, 404, path)

    def test_methods(self) -> None:
        """Only GET and HEAD are allowed."""
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"):
            answer = self.ask(method, "/metrics")
            self.assertEqual((answer.status, answer.headers["Allow"]), (405, "GET, HEAD"), method)

    def test_body(self) -> None:
        """A request with a body is refused as soon as its head is there."""
        client = Client(self.site)
        client.send(b"GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n")
        self.assertIn(b" 413 ", client.transport.value())
        self.assertEqual(self.collected, 0)


class LimitTests(AdminCase):
    def test_at_once(self) -> None:
        """Those who scrape at the same time share one collection."""
        self.collecting = Deferred()
        clients = [Client(self.site) for _ in range(CONNECTIONS)]
        for client in clients:
            client.ask("GET", "/metrics")
        self.assertEqual(self.collected, 1)
        self.collecting.callback(SOURCES)
        self.turns()
        self.assertEqual([client.answers()[0].body for client in clients], [TEXT] * CONNECTIONS)

    def test_gone(self) -> None:
        """A client that goes away in between does no harm."""
        self.collecting = Deferred()
        gone, other = Client(self.site), Client(self.site)
        for client in (gone, other):
            client.ask("GET", "/metrics")
        gone.vanish()
        self.collecting.callback(SOURCES)
        self.turns()
        self.assertEqual(other.answers()[0].status, 200)

    def test_turns(self) -> None:
        """Many metrics are written in several turns, so that nobody else waits for long."""
        values = {str(number): number for number in range(5 * SAMPLES)}
        self.collecting = succeed([(None, [gauge("a", "A.", ("x",)).by(values)])])
        self.assertEqual(self.ask("GET", "/metrics").status, 200)
        self.assertGreaterEqual(self.clock.turns, 5)

    def test_slow_head(self) -> None:
        """Who does not finish the head of a request gets 408, after some seconds."""
        client = Client(self.site)
        client.send(b"GET /live HTTP/1.1\r\nHost: x\r\n")
        self.clock.advance(5)
        self.assertIn(b" 408 ", client.transport.value())

    def test_endless_head(self) -> None:
        """A head without end is refused."""
        client = Client(self.site)
        client.send(b"GET /live HTTP/1.1\r\nHost: x\r\n")
        for _ in range(20):
            client.send(b"X-More: %s\r\n" % (b"x" * 1000))
        self.assertIn(b" 431 ", client.transport.value())

    def test_connections(self) -> None:
        """There are few connections at once; an idle one gives way to a new one after 5 s."""
        idle = [Client(self.site) for _ in range(CONNECTIONS)]
        self.assertTrue(Client(self.site).transport.disconnecting)
        self.clock.advance(5)
        client = Client(self.site)
        client.ask("GET", "/live")
        self.assertEqual(client.answers()[0].status, 200)
        self.assertTrue(idle[0].transport.disconnected or idle[0].transport.disconnecting)
        self.site.traffic.waiting.clear()
