"""The log's text: what the short way writes is what twistd's own would."""

import io

from twisted.logger import Logger, LogPublisher, textFileLogObserver
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.app.logs import Observer
from contentsvc.framework.http.trace_context import Trace, Traced

LINE = {
    "method": "GET",
    "route": "/api/v1/user/<guid:user>/info",
    "status": 200,
    "ms": 1.25,
    "user": "-",
    "client": "192.0.2.7",
    "request_id": "abc-1",
    "note": "",
}
FORMAT = (
    "{method} {route} {status} {ms:.1f}ms user={user} client={client} request={request_id}{note}"
)


class ObserverTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.quick, self.general = io.StringIO(), io.StringIO()
        general = textFileLogObserver(self.general)
        self.log = Logger("web", observer=LogPublisher(Observer(self.quick), general))

    def same(self) -> str:
        """Assert that both wrote the same but for the time, and give it."""
        quick, general = (file.getvalue().partition(" ") for file in (self.quick, self.general))
        self.assertEqual(quick[2], general[2])
        self.assertRegex(quick[0], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$")
        return quick[2]

    def test_request(self) -> None:
        """The line of a request."""
        self.log.info(FORMAT, **LINE)
        line = "GET /api/v1/user/<guid:user>/info 200 1.2ms user=- client=192.0.2.7 request=abc-1"
        self.assertIn(line, self.same())

    def test_note(self) -> None:
        """That of one that has more to say."""
        self.log.info(FORMAT, **{**LINE, "note": " failed-log-in"})
        self.assertIn("request=abc-1 failed-log-in", self.same())

    def test_trace(self) -> None:
        """That of one with a trace, before the note."""
        self.log.info(FORMAT, **{**LINE, "note": Traced.of(Trace("ab", "cd"), " cut-off")})
        self.assertIn("request=abc-1 trace=ab parent=cd cut-off", self.same())

    def test_other(self) -> None:
        """Any other event."""
        self.log.warn("The {what} is gone", what="database")
        self.assertIn("[web#warn] The database is gone", self.same())

    def test_failure(self) -> None:
        """A traceback."""
        try:
            raise ZeroDivisionError
        except ZeroDivisionError:
            self.log.failure("request {id} failed", id="abc-1")
        self.assertIn("ZeroDivisionError", self.same())

    def test_worker(self) -> None:
        """A worker's lines, of requests and others, say whose they are."""
        log = Logger("web", observer=Observer(self.quick, "worker 2 "))
        log.info(FORMAT, **LINE)
        log.warn("slow")
        self.assertEqual(
            [line.split(" ", 1)[1][:20] for line in self.quick.getvalue().splitlines()],
            ["[worker 2 web#info] ", "[worker 2 web#warn] "],
        )
