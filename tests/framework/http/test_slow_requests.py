"""The lines of slow requests: where the time went, and how many lines there are."""

import gc
from typing import Any

from twisted.internet.task import deferLater
from twisted.logger import LogEvent, formatEvent

from contentsvc.framework.core.request_timing import CURRENT, waiting
from contentsvc.framework.http.call import Call
from contentsvc.framework.http.errors import named
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.route import route
from contentsvc.framework.http.slow_requests import EVERY, statement_name
from tests.framework.http.boxes import Boxes, body_of
from tests.framework.http.support import Client, Service, WebCase
from tests.support.timing import ran

NotHere = named(404, "not_here", "It is not here.")


class Works:
    """A family whose handler waits as the test says: a reason and how long, each."""

    def __init__(self) -> None:
        self.clock: Any = None
        self.plan: list[tuple[str, float]] = []

    @route("GET", "/work", allow=ANYONE, raises=(NotHere,))
    async def get(self, call: Call) -> str:
        for reason, seconds in self.plan:
            if reason == "database":
                await deferLater(self.clock, seconds)
                ran(CURRENT.get(), "BEGIN;EXECUTE users_info(%s)", seconds)
            elif reason == "loop":
                await deferLater(self.clock, seconds)
            else:
                with waiting(reason, self.clock):  # type: ignore[arg-type]
                    await deferLater(self.clock, seconds)
        return "done"


class SlowCase(WebCase):
    threshold = 1.0

    def setUp(self) -> None:
        self.works, self.boxes = Works(), Boxes()
        self.service = Service([self.works, self.boxes], slow_request=self.threshold)
        self.works.clock = self.clock = self.service.clock
        self.events = self.logged()

    def work(self, *plan: tuple[str, float]) -> Client:
        """A request whose handler does this."""
        self.works.plan = list(plan)
        client = self.service.connect()
        client.ask("GET", "/work")
        return client

    def done(self, *plan: tuple[str, float]) -> None:
        """The same, until it is answered."""
        client = self.work(*plan)
        for _, seconds in plan:
            self.clock.advance(seconds)
        self.assertEqual(client.answer().status, 200)

    def slow(self) -> list[LogEvent]:
        """The lines of slow requests so far."""
        return [event for event in self.events if "reason" in event]

    def line(self) -> LogEvent:
        """The only one."""
        (event,) = self.slow()
        return event


class LineTests(SlowCase):
    def test_text(self) -> None:
        """The line names the request, its reason, and all that it waited for, in milliseconds."""
        self.done(("pool", 0.5), ("database", 1.25), ("database", 0.25), ("loop", 0.125))
        text = formatEvent(self.line())
        self.assertRegex(
            text,
            r"^Slow request: GET /work 200 2125ms reason=database pool=500 turn=0 database=1500 "
            r"statements=2 slowest=users_info:1250 queue=0 hashing=0 outside=0 body=0 sending=0 "
            r"loop=125 user=- request=\S+ others=0$",
        )
        self.assertEqual(self.line()["log_level"].name, "warn")

    def test_reasons(self) -> None:
        """The reason is what took longest; the hashing of a password has its queue with it."""
        for plan, reason in (
            ([("pool", 2.0), ("database", 1.0)], "pool"),
            ([("turn", 2.0), ("loop", 1.0)], "turn"),
            ([("queue", 0.75), ("hashing", 0.75), ("database", 1.0)], "hashing"),
            ([("outside", 2.0)], "outside"),
            ([("sending", 2.0)], "sending"),
            ([("loop", 2.0)], "loop"),
        ):
            self.done(*plan)
            self.assertEqual(self.slow()[-1]["reason"], reason)

    def test_fast(self) -> None:
        """A request that takes as long as the threshold is not slow."""
        self.done(("loop", 1.0))
        self.assertEqual(self.slow(), [])

    def test_body(self) -> None:
        """A body that arrives slowly is a reason, and so are slow headers."""
        client = self.service.connect()
        client.ask("PUT", "/small", Content_Length="20", Authorization="Bearer ann")
        self.clock.advance(1.5)
        client.send(body_of(20))
        self.assertEqual((self.line()["reason"], self.line()["body_ms"]), ("body", 1500))
        self.clock.advance(EVERY)
        client = self.service.connect()
        client.send(b"GET /nothing HTTP/1.1\r\n")
        self.clock.advance(1.25)
        client.send(b"Host: test\r\n\r\n")
        self.assertEqual((self.slow()[-1]["reason"], self.slow()[-1]["body_ms"]), ("body", 1250))

    def test_refused_body(self) -> None:
        """So is one that never arrives."""
        client = self.service.connect()
        client.ask("PUT", "/small", Content_Length="20", Authorization="Bearer ann")
        self.clock.advance(30)
        self.assertEqual(client.answer().status, 408)
        self.assertEqual((self.line()["status"], self.line()["reason"]), (408, "body"))

    def test_names(self) -> None:
        """The name of a statement comes without its SQL and its arguments."""
        for sql, name in (
            ("EXECUTE users_info(%s, %s)", "users_info"),
            ("BEGIN;PREPARE a AS select 'EXECUTE';EXECUTE a(%s)", "a"),
            ("call tell(%s)", "tell"),
            ("COMMIT", "COMMIT"),
            ("SET x=1", "-"),
            ("", "-"),
        ):
            self.assertEqual(statement_name(sql), name)


class RateTests(SlowCase):
    def nothing_left(self, *clients: Client) -> None:
        """Assert that no timer is left when these have gone."""
        for client in clients:
            client.vanish()
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_one_a_second(self) -> None:
        """Of many with one reason, the first has a line, then the slowest of each second."""
        # A statement that an earlier test has left behind would count for the request in which it
        # is collected.
        gc.collect()
        clients = [self.work(("pool", 1.5 + n / 10_000)) for n in range(1000)]
        self.clock.advance(1.5)
        self.clock.pump([0.0005] * 200)
        self.assertTrue(all(not client.silent for client in clients))
        self.assertEqual([event["others"] for event in self.slow()], [0])
        self.clock.advance(EVERY)
        first, second = self.slow()
        self.assertEqual((first["ms"], second["ms"], second["others"]), (1500, 1600, 998))
        self.clock.advance(EVERY)
        self.nothing_left(*clients)

    def test_reasons_apart(self) -> None:
        """Those with one reason hide none with another."""
        for reason in ("pool", "pool", "database"):
            self.done((reason, 2.0))
        self.assertEqual([e["reason"] for e in self.slow()], ["pool", "pool", "database"])

    def test_stop(self) -> None:
        """At the stop, what is left is written, and no timer stays."""
        first, second = self.work(("pool", 1.5)), self.work(("pool", 1.75))
        self.clock.advance(1.5)
        self.clock.advance(0.25)
        self.assertFalse(first.silent or second.silent)
        self.service.site.slow.stop()
        self.assertEqual([event["ms"] for event in self.slow()], [1500, 1750])
        self.nothing_left(first, second)


class OffTests(SlowCase):
    threshold = 0.0

    def test_none(self) -> None:
        """With a threshold of 0, no request is slow."""
        self.done(("loop", 500.0))
        self.assertEqual(self.slow(), [])
