"""Services that misbehave: what they cost is bounded, and none is taken for an answer."""

import gzip
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import TestCase
from twisted.web.client import HTTPConnectionPool

from contentsvc.framework.core.http_client import agent_of
from contentsvc.framework.identity.fetch import MOST, Fetch, FetchError
from tests.support.badstore import HANG, BadStore, Say, answer


class FetchTests(TestCase):
    """The connections are real, the clock is the test's."""

    timeout = 30.0

    def setUp(self) -> None:
        self.clock = Clock()
        agent = agent_of(reactor, HTTPConnectionPool(reactor, False))
        self.fetch = Fetch(self.clock, agent=agent)

    def service(self, *says: bytes | Say) -> BadStore:
        """A service that says this."""
        service = BadStore(says)
        self.addCleanup(service.stop)
        return service

    async def answered(self, *says: bytes | Say) -> Any:
        """The JSON that it answers."""
        return await self.fetch.json(self.service(*says).url + "/x")

    async def fails(self, *says: bytes | Say) -> str:
        """Why there is none."""
        with self.assertRaises(FetchError) as raised:
            await self.answered(*says)
        return str(raised.exception)

    async def test_json(self) -> None:
        """JSON is JSON, whatever its media type; unpacked bytes are asked for."""
        service = self.service(answer(body=b'{"a": [1]}', Content_Type="text/html"))
        found = await self.fetch.json(service.url + "/x?y=1", {"x-webapi-key": "secret"})
        self.assertEqual(found, {"a": [1]})
        (asked,) = service.asked
        self.assertTrue(asked.startswith(b"GET /x?y=1 HTTP/1.1\r\n"))
        for line in (b"accept-encoding: identity", b"x-webapi-key: secret"):
            self.assertIn(line + b"\r\n", asked.lower())
        self.assertNotIn(b"gzip", asked)

    async def test_status(self) -> None:
        """Only 200 is an answer."""
        for status in (201, 203, 304, 400, 403, 404, 500, 503):
            reason = await self.fails(answer(status, b"{}"))
            self.assertEqual(reason, f"the answer is {status}")

    async def test_redirect(self) -> None:
        """A redirect is not followed."""
        other = self.service(answer(body=b"{}"))
        for status in (301, 302, 303, 307, 308):
            reason = await self.fails(answer(status, Location=other.url + "/x"))
            self.assertEqual(reason, f"the answer is {status}")
        self.assertEqual(other.asked, [])

    async def test_not_json(self) -> None:
        """What is no JSON, no UTF-8, or nested without end, is refused."""
        for body in (b"", b"<html>", b'{"a": ', b'"\xff"', b"[" * 100_000, b"NaN"):
            self.assertEqual(await self.fails(answer(body=body)), "the answer is not JSON")

    async def test_long(self) -> None:
        """Of a long answer only so much is read."""
        reason = f"the answer has more than {MOST // 1024} KiB"
        self.assertEqual(await self.fails(answer(body=b" " * (MOST + 1))), reason)
        self.assertEqual(await self.answered(answer(body=b"1" + b" " * (MOST - 1))), 1)

    async def test_endless(self) -> None:
        """An endless answer, endless headers, and endless interim answers are cut off."""
        head = b"HTTP/1.1 200 X\r\n"
        self.assertIn("KiB", await self.fails(Say(head + b"\r\n", "endless")))
        await self.fails(Say(head, "endless", b"X-Y: z\r\n" * 1000))
        await self.fails(Say(b"", "endless", b"HTTP/1.1 100 X\r\n\r\n" * 1000))

    async def test_packed(self) -> None:
        """A packed answer is not unpacked: it could be a thousand times as long."""
        bomb = gzip.compress(b" " * 10_000_000 + b"{}")
        reason = await self.fails(answer(body=bomb, Content_Encoding="gzip"))
        self.assertEqual(reason, "the answer is not JSON")

    async def test_cut_off(self) -> None:
        """An answer that is cut off is none."""
        self.assertTrue(await self.fails(Say(answer(body=b"{}", Content_Length="9"), "close")))

    async def test_nobody(self) -> None:
        """Where nobody listens, there is no answer."""
        service = self.service(HANG)
        url = service.url
        await service.stop()
        with self.assertRaises(FetchError) as raised:
            await self.fetch.json(url)
        self.assertIn("refused", str(raised.exception))

    async def hanging(self, *says: bytes | Say) -> "Deferred[Any]":
        """A request to which no whole answer comes."""
        service = self.service(*says)
        asking = Deferred.fromCoroutine(self.fetch.json(service.url))
        await service.requests(1)
        return asking

    async def test_slow(self) -> None:
        """What does not come whole within 5 s is none."""
        for says in (HANG, Say(answer(body=b"{", Content_Length="9"))):
            asking = await self.hanging(says)
            self.clock.advance(4.9)
            self.assertNoResult(asking)
            self.clock.advance(0.2)
            with self.assertRaises(FetchError) as raised:
                await asking
            self.assertEqual(str(raised.exception), "no whole answer in 5 s")

    async def test_slow_together(self) -> None:
        """Requests of which one leads to the next share the 5 s."""
        end = self.fetch.end()
        self.clock.advance(3)
        service = self.service(HANG)
        asking = Deferred.fromCoroutine(self.fetch.json(service.url, end=end))
        await service.requests(1)
        self.clock.advance(1.9)
        self.assertNoResult(asking)
        self.clock.advance(0.2)
        with self.assertRaises(FetchError):
            await asking
        with self.assertRaises(FetchError):
            late = Deferred.fromCoroutine(self.fetch.json(service.url, end=end))
            self.clock.advance(0)
            await late

    async def test_stop(self) -> None:
        """At the stop nobody waits any more."""
        asking = await self.hanging(HANG)
        self.fetch.stop()
        with self.assertRaises(FetchError) as raised:
            await asking
        self.assertEqual(str(raised.exception), "the service is stopping")
        self.assertEqual(self.clock.getDelayedCalls(), [])
