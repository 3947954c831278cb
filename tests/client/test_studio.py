"""Events one after the other, whatever breaks meanwhile; and what is checked of webhooks (the cases
of all clients are in clients/conformance.json)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionRefusedError
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.client import (
    ApiError,
    EventReader,
    NotSigned,
    SessionEnded,
    TlsError,
    verify_webhook,
)
from contentsvc.framework.webhooks.signature import sign
from tests.client.fakes import TOKENS, World, lost

CASES = json.loads((Path(__file__).parent.parent.parent / "clients/conformance.json").read_text())


def page(next: int, *numbers: int) -> dict[str, Any]:
    """An answer with the events of these numbers."""
    rest = {"kind": "UserDeleted", "created": 1, "actor": None, "data": {}}
    subject = {"kind": "user", "id": "u"}
    items = [{"number": number, "subject": subject, **rest} for number in numbers]
    return {"items": items, "next": next}


class Case(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = World().signed_in()
        self.clock, self.agent = self.world.clock, self.world.agent
        self.numbers: list[int] = []

    def read(self, **options: Any) -> tuple[EventReader, Deferred[None]]:
        """A reader, and the loop that keeps the numbers it gives."""
        reader = self.world.client.events.follow(**options)
        return reader, Deferred.fromCoroutine(self.loop(reader))

    async def loop(self, reader: EventReader, handle: Callable[[], object] = lambda: None) -> None:
        """Keep the numbers that the reader gives."""
        async for event in reader:
            self.numbers.append(event.number)
            handle()

    def queries(self) -> list[dict[str, str]]:
        """What was asked for."""
        return [asked.query for asked in self.agent.asked if asked.path == "/api/v1/events"]


class ReadingTests(Case):
    def test_after(self) -> None:
        """From a number on each comes once and in order, and the next question goes on."""
        self.agent.then(200, page(7, 3, 7))
        self.agent.then(200, page(9, 8, 9))
        reader, _ = self.read(after=2, limit=2)
        self.assertEqual(self.numbers, [3, 7, 8, 9])
        self.assertEqual([query["after"] for query in self.queries()], ["2", "7", "9"])
        self.assertEqual(self.queries()[0], {"after": "2", "limit": "2", "wait": "25"})
        self.assertEqual(reader.after, 9)

    def test_from_now(self) -> None:
        """Without a number it begins with the next event, also where nothing has ever happened."""
        self.agent.then(200, page(0))
        self.agent.then(200, page(1, 1))
        reader, _ = self.read()
        self.assertEqual(self.queries()[0], {"limit": "200", "wait": "0"})
        self.assertEqual([query["after"] for query in self.queries()[1:]], ["0", "1"])
        self.assertEqual((self.numbers, reader.after), ([1], 1))

    def test_kinds(self) -> None:
        """Kinds go along, and `after` moves on over others."""
        self.agent.then(200, page(40))
        reader, _ = self.read(after=1, kinds="UserBanned,BanLifted")
        self.assertEqual(self.queries()[0]["kinds"], "UserBanned,BanLifted")
        self.assertEqual(reader.after, 40)

    def test_given(self) -> None:
        """`after` is the number that was given last."""
        self.agent.then(200, page(9, 3, 7))
        reader = self.world.client.events.follow(2)
        seen: list[int | None] = []
        Deferred.fromCoroutine(self.loop(reader, lambda: seen.append(reader.after)))
        self.assertEqual((seen, reader.after), ([3, 7], 9))


class FailureTests(Case):
    def test_temporary(self) -> None:
        """After 429, 502, 503, 504, and without an answer, it asks again after the same number."""
        for status in (429, 502, 503, 504):
            self.agent.then(status, {"code": "some"})
        self.agent.then_fail(lost())
        self.agent.then(200, page(3, 3))
        self.read(after=2)
        self.clock.pump([0.25] * 40)
        self.assertEqual(self.numbers, [3])
        self.assertEqual([query["after"] for query in self.queries()], ["2"] * 6 + ["3"])

    def test_hours(self) -> None:
        """It never gives up, and its pauses become no longer than three quarters of a minute."""
        for _ in range(2000):
            self.agent.then_fail(ConnectionRefusedError())
        self.read(after=2)
        count, silent = len(self.agent.asked), 0.0
        for _ in range(2 * 3600):
            self.clock.advance(1)
            silent += 1
            if len(self.agent.asked) > count:
                count, silent = len(self.agent.asked), 0.0
            self.assertLess(silent, 46)
        self.assertLess(count, 2000)

    def test_retry_after(self) -> None:
        """It waits as long as the service says, however long."""
        self.agent.then(503, {"code": "maintenance"}, Retry_After="7200")
        self.read(after=2)
        self.clock.advance(7199)
        self.assertEqual(len(self.queries()), 1)
        self.clock.advance(1801)
        self.assertEqual(len(self.agent.asked), 2)

    def test_renewal(self) -> None:
        """A renewal that gets no answer is no end either."""
        for _ in range(30):
            self.agent.then_fail(lost())
        self.agent.then(200, TOKENS)
        self.agent.then(200, page(3, 3))
        self.clock.advance(TOKENS["expires_in"])
        self.read(after=2)
        self.clock.pump([1.0] * 300)
        self.assertEqual(self.numbers, [3])

    def test_refused(self) -> None:
        """Another refusal is raised, as it is that some events are not kept any more."""
        for status, code in ((400, "cursor_expired"), (403, "forbidden"), (404, "not_found")):
            self.agent.then(status, {"code": code})
            _, reading = self.read(after=2)
            self.assertEqual(self.failureResultOf(reading, ApiError).value.code, code)
        self.assertEqual(len(self.queries()), 3)

    def test_session_ended(self) -> None:
        """So is the end of the session."""
        self.agent.then(401, {"code": "invalid_token"})
        self.agent.then(400, {"error": "invalid_grant"})
        self.failureResultOf(self.read(after=2)[1], SessionEnded)

    def test_tls(self) -> None:
        """So is a connection that would not be safe."""
        self.agent.then_fail(TlsError("a certificate of yesterday"))
        self.failureResultOf(self.read(after=2)[1], TlsError)

    def test_again(self) -> None:
        """After an error the same reader goes on."""
        self.agent.then(500, {"code": "internal_error"})
        reader, reading = self.read(after=2)
        self.failureResultOf(reading, ApiError)
        self.agent.then(200, page(3, 3))
        Deferred.fromCoroutine(self.loop(reader))
        self.assertEqual(self.numbers, [3])

    def test_late(self) -> None:
        """An answer may come as late as the wait, and the usual time more."""
        self.read(after=2)
        self.clock.advance(25 + 21)
        self.assertFalse(self.agent.last.cancelled)
        self.clock.advance(2)
        self.assertTrue(self.agent.asked[0].cancelled)


class EndTests(Case):
    def test_waiting(self) -> None:
        """It ends at once while it waits, and says where to go on."""
        self.agent.then(200, page(3, 3))
        reader, reading = self.read(after=2)
        reader.stop()
        self.successResultOf(reading)
        self.assertTrue(self.agent.last.cancelled)
        self.assertEqual(reader.after, 3)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_pause(self) -> None:
        """It ends at once in a pause."""
        self.agent.then_fail(ConnectionRefusedError())
        reader, reading = self.read(after=2)
        reader.stop()
        self.successResultOf(reading)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_within(self) -> None:
        """Stopped in the loop, it gives no more."""
        self.agent.then(200, page(9, 3, 7))
        reader = self.world.client.events.follow(2)
        self.successResultOf(Deferred.fromCoroutine(self.loop(reader, reader.stop)))
        self.assertEqual((self.numbers, reader.after), ([3], 3))

    def test_close(self) -> None:
        """The end of the client ends it."""
        _, reading = self.read(after=2)
        Deferred.fromCoroutine(self.world.client.close())
        self.successResultOf(reading)

    def test_break(self) -> None:
        """After a break the same reader goes on."""
        self.agent.then(200, page(7, 3, 7))
        reader = self.world.client.events.follow(2)

        async def first() -> int:
            async for event in reader:
                return event.number
            raise AssertionError("it ended")

        numbers = [self.successResultOf(Deferred.fromCoroutine(first())) for _ in range(2)]
        self.assertEqual(numbers, [3, 7])


class VerifyTests(SynchronousTestCase):
    def test_cases(self) -> None:
        """Each case is taken, or refused, as it says."""
        self.assertGreater(len(CASES["webhooks"]), 10)
        for case in CASES["webhooks"]:
            given = case["secrets"], case["headers"], case["body"].encode()
            try:
                found = verify_webhook(*given, now=case["now"])
            except NotSigned:
                found = None
            self.assertEqual(found, case["id"], case["rule"])

    def test_no_secret(self) -> None:
        """What is no secret is a mistake of the program."""
        headers = CASES["webhooks"][0]["headers"]
        with self.assertRaises(ValueError):
            verify_webhook("whsec_not base64", headers, b"")

    def test_one_secret(self) -> None:
        """A secret may stand alone; header names have any case; the time is that of now."""
        case = CASES["webhooks"][0]
        headers = {name.title(): value for name, value in case["headers"].items()}
        body = case["body"].encode()
        id = verify_webhook(case["secrets"][0], headers, body, now=case["now"])
        self.assertEqual(id, case["id"])
        with self.assertRaises(NotSigned):
            verify_webhook(case["secrets"][0], headers, body)

    def test_sign(self) -> None:
        """A request has a signature with each secret."""
        secrets = CASES["webhooks"][0]["secrets"]
        one = sign(secrets, "a.7", 1_614_265_330, b"{}")
        self.assertEqual(sign(secrets * 2, "a.7", 1_614_265_330, b"{}"), f"{one} {one}")
