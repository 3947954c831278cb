"""When a request is sent again, and what its answer becomes."""

from collections.abc import Awaitable
from gzip import compress
from typing import Any

from autobahn.twisted.websocket import WebSocketServerFactory, WebSocketServerProtocol
from msgspec import json
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import ConnectionRefusedError
from twisted.internet.protocol import Factory, Protocol
from twisted.trial.unittest import SynchronousTestCase, TestCase

from contentsvc.client import ApiError, Client, Unreachable
from contentsvc.client.client import TIMEOUT
from contentsvc.client.http import MOST_ANSWER
from contentsvc.client.notifications.socket import AutobahnConnector
from contentsvc.wire.accounts import Export
from contentsvc.wire.notifications import DebugNotify
from contentsvc.wire.oauth import RevokeForm
from contentsvc.wire.social import PartyBody
from tests.client.fakes import BOB, World, lost
from tests.client.test_operations import Case

USER = "00000000-0000-4000-8000-00000000000a"
CHUNK = b"x" * 65536
WAIT = 60


class RepeatTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = World().signed_in()
        self.clock, self.agent = self.world.clock, self.world.agent

    def follow(self) -> Deferred:
        """An operation that may be repeated."""
        return Deferred.fromCoroutine(self.world.client.social.follow(BOB))

    def notify(self) -> Deferred:
        """One that may not."""
        body = DebugNotify(recipient=BOB, text="t")
        return Deferred.fromCoroutine(self.world.client.debug.send_notification(body))

    def test_unavailable(self) -> None:
        """After a 503 it is sent again, no earlier than Retry-After says."""
        self.agent.then(503, {"code": "unavailable"}, Retry_After="4")
        calling = self.follow()
        self.clock.advance(3.9)
        self.assertEqual(len(self.agent.asked), 1)
        self.agent.then(204)
        self.clock.advance(1.2)
        self.successResultOf(calling)
        self.assertEqual(len(self.agent.asked), 2)

    def test_back_off(self) -> None:
        """Without Retry-After the pauses double."""
        for _ in range(3):
            self.agent.then_fail(lost())
        self.agent.then(204)
        calling = self.follow()
        for pause in (0.25, 0.5, 1.0):
            count = len(self.agent.asked)
            self.clock.advance(pause - 0.01)
            self.assertEqual(len(self.agent.asked), count)
            self.clock.advance(0.02)
            self.assertEqual(len(self.agent.asked), count + 1)
        self.successResultOf(calling)

    def test_bound(self) -> None:
        """It ends with the last error, after a bounded time."""
        for _ in range(30):
            self.agent.then(503, {"code": "unavailable"}, Retry_After="2")
        calling = self.follow()
        self.clock.pump([0.5] * 62)
        self.assertEqual(self.failureResultOf(calling, ApiError).value.code, "unavailable")
        self.assertGreater(len(self.agent.asked), 5)

    def test_not_repeatable(self) -> None:
        """A request that would have a second effect is not sent again after an error that may have
        come too late."""
        self.agent.then(503, {"code": "unavailable"}, Retry_After="1")
        self.failureResultOf(self.notify(), ApiError)
        self.agent.then_fail(lost())
        error = self.failureResultOf(self.notify(), Unreachable).value
        self.assertTrue(error.maybe_done)

    def test_never_sent(self) -> None:
        """A request that never left is sent again even so."""
        self.agent.then_fail(ConnectionRefusedError())
        calling = self.notify()
        self.agent.then(204)
        self.clock.advance(1)
        self.successResultOf(calling)

    def test_repeatable_post(self) -> None:
        """A party invite may be repeated: the service takes it for the same."""
        self.agent.then_fail(lost())
        calling = Deferred.fromCoroutine(
            self.world.client.social.send_invite(BOB, PartyBody(party=BOB))
        )
        self.agent.then(204)
        self.clock.advance(1)
        self.successResultOf(calling)

    def test_no_answer(self) -> None:
        """An attempt without an answer ends after a time; the effect is not known then."""
        calling = self.notify()
        self.clock.advance(TIMEOUT)
        self.assertTrue(self.failureResultOf(calling, Unreachable).value.maybe_done)
        self.assertTrue(self.agent.last.cancelled)

    def test_no_connection(self) -> None:
        """So does one that has no connection yet; it has certainly had no effect."""
        self.agent.connecting = True
        calling = self.notify()
        for _ in range(3):
            self.clock.advance(TIMEOUT)
        self.assertFalse(self.failureResultOf(calling, Unreachable).value.maybe_done)

    def test_cancel(self) -> None:
        """A cancelled call is not tried again."""
        calling = self.follow()
        calling.cancel()
        self.failureResultOf(calling, CancelledError)
        self.clock.advance(60)
        self.assertEqual(len(self.agent.asked), 1)
        self.assertTrue(self.agent.last.cancelled)
        self.agent.connecting = True
        calling = self.follow()
        calling.cancel()
        self.failureResultOf(calling, CancelledError)


class ErrorTests(Case):
    def test_problem(self) -> None:
        """A problem becomes an ApiError with its status, code, detail and all else it says."""
        problem = {"code": "invalid_body", "detail": "No.", "errors": [{"pointer": "/a"}]}
        self.agent.then(400, problem)
        error = self.failureResultOf(self.call("social.follow", BOB), ApiError).value
        self.assertEqual((error.status, error.code, error.detail), (400, "invalid_body", "No."))
        self.assertEqual(error.problem["errors"], [{"pointer": "/a"}])

    def test_fault(self) -> None:
        """The text of an ApiError has the first fault that the problem names."""
        for fault, shown in (
            ({"pointer": "/text", "detail": "Too long."}, " (/text: Too long.)"),
            ({"pointer": "", "detail": "No object."}, " (the body: No object.)"),
            ({"parameter": "limit", "detail": "No number."}, " (limit: No number.)"),
            ({"parameter": "", "detail": "No text."}, " (the query: No text.)"),
            ({"file": 3}, ""),
        ):
            problem = {"code": "invalid_body", "detail": "No.", "errors": [fault]}
            self.agent.then(400, problem)
            error = self.failureResultOf(self.call("social.follow", BOB), ApiError).value
            self.assertEqual(str(error), f"400 invalid_body: No.{shown}")

    def test_oauth(self) -> None:
        """RFC 6749's errors become ApiErrors too."""
        self.agent.then(400, {"error": "invalid_grant", "error_description": "Wrong."})
        error = self.failureResultOf(self.call("log_in", "ann", "x"), ApiError).value
        self.assertEqual((error.code, error.detail), ("invalid_grant", "Wrong."))

    def test_proxy(self) -> None:
        """An error that is not the service's own is named by its status."""
        self.agent.then(413, b"<html>too large</html>")
        error = self.failureResultOf(self.call("social.follow", BOB), ApiError).value
        self.assertEqual((error.code, error.problem), ("http_413", {}))

    def test_retry_after(self) -> None:
        """The seconds to wait come with the error."""
        self.agent.then(429, {"error": "slow_down"}, Retry_After="70")
        error = self.failureResultOf(self.call("log_in", "ann", "x"), ApiError).value
        self.assertEqual(error.retry_after, 70.0)


class Endless(Protocol):
    """Answers a request with a head, and then with these bytes again and again."""

    transport: Any
    factory: Any

    def dataReceived(self, data: bytes) -> None:
        if b"\r\n\r\n" in data:
            self.transport.write(self.factory.head)
            self.transport.registerProducer(self, False)

    def resumeProducing(self) -> None:
        if self.factory.left > 0:
            self.factory.left -= 1
            self.factory.sent += len(self.factory.piece)
            self.transport.write(self.factory.piece)
        else:
            self.transport.unregisterProducer()
            self.transport.loseConnection()

    def stopProducing(self) -> None:
        """The client has gone."""


class AnswerTests(TestCase):
    """Answers that are longer than they should be, over TCP."""

    timeout = 120

    def setUp(self) -> None:
        self.factory: Any = Factory.forProtocol(Endless)
        self.factory.noisy = False
        self.factory.sent, self.factory.left = 0, 1 << 40
        port = reactor.listenTCP(0, self.factory, interface="127.0.0.1")
        self.addCleanup(port.stopListening)
        self.client = Client(reactor, f"http://127.0.0.1:{port.getHost().port}", timeout=WAIT)
        self.addCleanup(self.client.close)
        self.client.use_token("token", USER)

    def answer(self, piece: bytes, times: int = 1 << 40, status: int = 200, more: str = "") -> None:
        """Answer so."""
        head = f"HTTP/1.1 {status} Any\r\nConnection: close\r\n{more}\r\n"
        self.factory.head, self.factory.piece, self.factory.left = head.encode(), piece, times

    async def refused(self, asking: Awaitable[object]) -> ApiError:
        return await self.assertFailure(Deferred.fromCoroutine(asking), ApiError)

    async def test_endless(self) -> None:
        """An answer without an end is an error, and no more of it is read."""
        for status in (200, 401, 404, 503):
            self.factory.sent = 0
            self.answer(CHUNK, status=status)
            error = await self.refused(self.client.users.get_info(USER))
            self.assertEqual((error.status, error.code), (status, "answer_too_large"))
            # What was on its way in the buffers of the connection comes on top.
            self.assertLess(self.factory.sent, 3 * MOST_ANSWER)

    async def test_endless_headers(self) -> None:
        """Headers without an end, one that goes on, and interim answers without an end are cut."""
        begun = b"HTTP/1.1 200 Any\r\nX: y\r\n"
        for head, piece in (
            (begun, b"X-Y: z\r\n" * 5000),
            (begun, b" folded\r\n" * 5000),
            (b"", b"HTTP/1.1 100 Any\r\n\r\n" * 2000),
        ):
            self.factory.head, self.factory.piece, self.factory.sent = head, piece, 0
            log_in = Deferred.fromCoroutine(self.client.log_in("ada", "open sesame"))
            await self.assertFailure(log_in, Unreachable)
            # What was on its way in the buffers of the connection comes on top.
            self.assertLess(self.factory.sent, MOST_ANSWER)

    async def test_endless_tokens(self) -> None:
        """So it is where tokens are asked for."""
        self.answer(CHUNK)
        error = await self.refused(self.client.oauth.revoke_token(RevokeForm(token="t")))
        self.assertEqual(error.code, "answer_too_large")

    async def test_limit(self) -> None:
        """An answer of 16 MiB is read, and one of a byte more is not."""
        for more, code in ((0, "malformed_answer"), (1, "answer_too_large")):
            size = MOST_ANSWER + more
            self.answer(b"x" * size, 1, more=f"Content-Length: {size}\r\n")
            error = await self.refused(self.client.users.get_info(USER))
            self.assertEqual(error.code, code)

    async def test_packed(self) -> None:
        """Packed answers are not unpacked, however often they are packed."""
        packed = compress(compress(b" " * 2 * MOST_ANSWER))
        size = f"Content-Length: {len(packed)}\r\n"
        for coding in ("gzip", "gzip, gzip"):
            self.answer(packed, 1, more=f"{size}Content-Encoding: {coding}\r\n")
            error = await self.refused(self.client.users.get_info(USER))
            self.assertEqual(error.code, "malformed_answer")

    async def test_deep(self) -> None:
        """JSON that is nested too deeply is an error of the answer."""
        for status, code in ((200, "malformed_answer"), (400, "http_400")):
            self.answer(b"[" * 100_000, 1, status=status)
            error = await self.refused(self.client.users.get_info(USER))
            self.assertEqual(error.code, code)

    async def test_export(self) -> None:
        """An export may be longer than other answers, up to the limit of the call."""
        named = {name: [] for name in Export.__struct_encode_fields__}
        found = named | {"schema": 1, "created": 0, "account": {"profile": "x" * MOST_ANSWER}}
        self.answer(json.encode(found), 1)
        export = await self.client.departures.export()
        self.assertGreater(len(bytes(export.account)), MOST_ANSWER)
        self.answer(json.encode(found), 1)
        error = await self.refused(self.client.departures.export(most=MOST_ANSWER))
        self.assertEqual(error.code, "answer_too_large")


class Shouting(WebSocketServerProtocol):
    """Sends one message, of as many bytes as its factory says."""

    def onOpen(self) -> None:
        self.sendMessage(b"x" * self.factory.size)

    def onClose(self, wasClean: bool, code: int, reason: str) -> None:
        """The client has gone."""


class Heard:
    """Hears a socket."""

    def __init__(self) -> None:
        self.bytes = self.messages = 0
        self.ended: Deferred[int] = Deferred()

    def heard(self) -> None:
        """Some bytes came."""

    def message(self, data: bytes) -> None:
        self.messages, self.bytes = self.messages + 1, len(data)
        self.ended.callback(0)

    def closed(self, code: int, reason: str) -> None:
        if not self.ended.called:
            self.ended.callback(code)


class SocketTests(TestCase):
    timeout = 120

    async def heard(self, factory: Any) -> Heard:
        """What a socket to this server hears first."""
        factory.noisy = False
        port = reactor.listenTCP(0, factory, interface="127.0.0.1")
        self.addCleanup(port.stopListening)
        heard = Heard()
        url = f"ws://127.0.0.1:{port.getHost().port}/socket"
        socket = await AutobahnConnector(reactor)(url, "token", heard)
        await heard.ended
        socket.abort()
        return heard

    async def test_message(self) -> None:
        """A message of 16 MiB is heard. A longer one closes the socket."""
        for size, count in ((MOST_ANSWER, 1), (MOST_ANSWER + 1, 0)):
            factory: Any = WebSocketServerFactory()
            factory.protocol, factory.size = Shouting, size
            heard = await self.heard(factory)
            self.assertEqual((heard.messages, heard.bytes), (count, size * count))

    async def test_handshake(self) -> None:
        """So does an answer to the handshake that goes on and on."""
        factory: Any = Factory.forProtocol(Endless)
        factory.head, factory.piece = b"HTTP/1.1 101 Any\r\n", b"X: " + CHUNK + b"\r\n"
        factory.sent, factory.left = 0, 1 << 40
        self.assertEqual((await self.heard(factory)).messages, 0)
        self.assertLess(factory.sent, MOST_ANSWER)
