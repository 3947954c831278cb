"""Bodies while they arrive, and clients that vanish."""

from twisted.internet.interfaces import ISSLTransport
from zope.interface import directlyProvides

from contentsvc.framework.http.body_reader import BODY_LIMIT, FORM_LIMIT, SMALL
from tests.framework.http.boxes import BIG, Boxes, Forms, Waits, body_of
from tests.framework.http.support import Service, WebCase


def chunk(data: bytes) -> bytes:
    """Some of a chunked body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


class BodyCase(WebCase):
    def setUp(self) -> None:
        self.boxes = Boxes()
        self.service = Service([self.boxes, Forms()], body_timeout=30.0)
        self.client = self.service.connect()

    def begin(self, path: str, **headers: str) -> None:
        """Send the head of a PUT, signed, and no body yet."""
        self.client.ask("PUT", path, **{"Authorization": "Bearer ann", **headers})


class LimitTests(BodyCase):
    """No body over the limit is kept, or waited for."""

    def test_announced(self) -> None:
        """A Content-Length over the limit is 413, which names the limit, before any body."""
        self.begin("/small", Content_Length=str(BODY_LIMIT + 1))
        found = self.problem(self.client.answer(), 413, "payload_too_large")
        self.assertEqual(found["limit"], BODY_LIMIT)

    def test_at_the_limit(self) -> None:
        """A body of just the limit is taken."""
        self.client.ask("PUT", "/small", body_of(BODY_LIMIT), Authorization="Bearer ann")
        self.assertEqual(self.client.answer().status, 204)

    def test_unsigned(self) -> None:
        """Without a token the limit is 16 KiB, whatever the operation takes otherwise."""
        self.client.ask("PUT", "/big", body_of(SMALL))
        self.client.ask("PUT", "/big", Content_Length=str(SMALL + 1))
        taken, refused = self.client.answers()
        self.assertEqual(taken.status, 204)
        self.assertEqual(self.problem(refused, 413, "payload_too_large")["limit"], SMALL)

    def test_unsigned_chunked(self) -> None:
        """So it is for a chunked body."""
        self.client.ask("PUT", "/big", Transfer_Encoding="chunked")
        self.client.send(chunk(b"x" * SMALL))
        self.assertTrue(self.client.silent)
        self.client.send(chunk(b"x"))
        self.assertEqual(
            self.problem(self.client.answer(), 413, "payload_too_large")["limit"], SMALL
        )

    def test_chunked(self) -> None:
        """A chunked body is refused as soon as it is over the limit, before its end."""
        self.begin("/small", Transfer_Encoding="chunked")
        self.client.send(chunk(b"x" * BODY_LIMIT))
        self.assertTrue(self.client.silent)
        self.client.send(chunk(b"x"))
        self.problem(self.client.answer(), 413, "payload_too_large")

    def test_chunked_at_the_limit(self) -> None:
        """A chunked body of just the limit is taken."""
        self.begin("/small", Transfer_Encoding="chunked")
        self.client.send(chunk(body_of(BODY_LIMIT)) + chunk(b""))
        self.assertEqual(self.client.answer().status, 204)

    def test_limit_of_the_route(self) -> None:
        """A route may take more than others do, and no more than that."""
        self.client.ask("PUT", "/big", body_of(BIG), Authorization="Bearer ann")
        self.begin("/big", Content_Length=str(BIG + 1))
        taken, refused = self.client.answers()
        self.assertEqual(taken.status, 204)
        self.assertEqual(self.problem(refused, 413, "payload_too_large")["limit"], BIG)

    def test_form(self) -> None:
        """A form is bounded closer, announced or chunked; what decodes it never sees more."""
        head = {"Content_Type": "application/x-www-form-urlencoded"}
        whole = b"text=".ljust(FORM_LIMIT, b"%")
        self.client.ask("POST", "/form", whole, **head)
        self.client.ask("POST", "/form", whole + b"%", **head)
        taken, refused = self.client.answers()
        self.assertEqual(taken.status, 204)
        found = self.problem(refused, 413, "payload_too_large")
        self.assertEqual(found["limit"], FORM_LIMIT)
        self.client = self.service.connect()
        self.client.ask("POST", "/form", Transfer_Encoding="chunked", **head)
        self.client.send(chunk(whole))
        self.assertTrue(self.client.silent)
        self.client.send(chunk(b"%"))
        self.problem(self.client.answer(), 413, "payload_too_large")

    def test_coded(self) -> None:
        """A body with a coding is 415 before it arrives, of a form too; without a body the header
        says nothing."""
        for path, media in (
            ("/small", "application/json"),
            ("/form", "application/x-www-form-urlencoded"),
        ):
            self.client = self.service.connect()
            method = "PUT" if path == "/small" else "POST"
            head = {"Content_Type": media, "Content_Encoding": "gzip", "Content_Length": "9"}
            self.client.ask(method, path, **head)
            answer = self.client.answer()
            self.problem(answer, 415, "unsupported_media_type")
            self.assertEqual(answer.headers["Accept-Encoding"], "identity")
        self.client = self.service.connect()
        self.client.ask("GET", "/small", Content_Encoding="gzip")
        self.assertEqual(self.client.answer().status, 200)

    def test_rest_is_dropped(self) -> None:
        """The rest of a refused body is read and dropped, so that the 413 arrives."""
        self.begin("/small", Content_Length=str(BIG))
        self.client.send(body_of(BIG)[:-1])
        self.assertFalse(self.client.transport.disconnecting)
        self.client.send(b"}")
        self.assertTrue(self.client.transport.disconnecting)
        self.assertEqual((len(self.client.answers()), self.boxes.taken), (1, []))

    def test_lingering_ends(self) -> None:
        """A refused body that does not end is not read for long."""
        self.begin("/small", Content_Length=str(BIG))
        self.assertTrue(self.client.transport.half_closed)
        self.service.clock.advance(2)
        self.assertTrue(self.client.transport.disconnecting)
        self.assertFalse(self.client.transport.disconnected, "a reset would eat the answer")

    def test_nothing_after_a_refusal(self) -> None:
        """A request that follows a refused one on its connection is not carried out."""
        self.begin("/small", Content_Length=str(BODY_LIMIT + 1))
        self.client.send(b"x" * (BODY_LIMIT + 1))
        self.client.ask("PUT", "/small", body_of(20))
        self.assertEqual((len(self.client.answers()), self.boxes.taken), (1, []))


class ArrivalTests(BodyCase):
    """Bodies that take their time."""

    def test_stalled(self) -> None:
        """A body that does not come in time is 408, and the connection ends."""
        self.begin("/small", Content_Length="100")
        self.client.send(b"{")
        self.service.clock.advance(29)
        self.assertTrue(self.client.silent)
        self.service.clock.advance(1)
        self.problem(self.client.answer(), 408, "timeout")
        self.service.clock.advance(2)
        self.assertTrue(self.client.transport.disconnecting)

    def test_without_end(self) -> None:
        """A chunked body that goes on in small pieces is 408 all the same."""
        self.begin("/small", Transfer_Encoding="chunked")
        for _ in range(30):
            self.client.send(chunk(b"x"))
            self.service.clock.advance(1)
        self.problem(self.client.answer(), 408, "timeout")

    def test_in_time(self) -> None:
        """A body that has come in time leaves no timer behind."""
        self.begin("/small", Content_Length="20")
        self.client.send(body_of(20))
        self.service.clock.advance(31)
        self.assertEqual(self.client.answer().status, 204)

    def test_slow_handler(self) -> None:
        """The time for the body does not run on in the handler."""
        waits = Waits()
        service = Service([waits], body_timeout=1.0)
        client = service.connect()
        client.ask("PUT", "/wait", b"{}")
        service.clock.advance(100)
        self.assertTrue(client.silent)
        waits.go.callback(None)
        self.assertEqual(client.answer().status, 204)

    def test_vanished(self) -> None:
        """A client that goes amid its body leaves no timer, and nothing is carried out."""
        self.begin("/small", Content_Length="20")
        self.client.send(body_of(20)[:-1])
        self.client.vanish()
        self.assertEqual(self.service.clock.getDelayedCalls(), [])
        self.assertEqual(self.boxes.taken, [])

    def test_bad_chunk(self) -> None:
        """A chunked body that breaks its own form is 400, and nothing is carried out."""
        self.begin("/small", Transfer_Encoding="chunked")
        self.client.send(b"zz\r\n")
        self.problem(self.client.answer(), 400, "malformed_request")
        self.service.clock.advance(2)
        self.assertTrue(self.client.transport.disconnecting)
        self.service.clock.advance(0)
        self.assertEqual(self.service.clock.getDelayedCalls(), [])
        self.assertEqual(self.boxes.taken, [])

    def test_bad_chunk_after_refusal(self) -> None:
        """A refused request is not refused again for a bad chunk after it."""
        events = self.logged()
        self.begin("/small", Transfer_Encoding="chunked")
        self.client.send(chunk(b"x" * (BODY_LIMIT + 1)) + b"zz\r\n")
        self.problem(self.client.answer(), 413, "payload_too_large")
        self.client.send(b"zz\r\n")
        self.assertEqual(len(self.client.answers()), 1)
        self.assertEqual(len(self.lines(events)), 1)

    def test_rest_of_chunks(self) -> None:
        """The rest of a refused chunked body is dropped unread, until the client has had time to
        see the answer."""
        self.begin("/small", Transfer_Encoding="chunked", Authorization="Bearer none")
        self.problem(self.client.answer(), 401, "invalid_token")
        for _ in range(3):
            self.client.send(b"zz\r\n" * 10_000)
        self.assertFalse(self.client.transport.disconnecting)
        self.service.clock.advance(2)
        self.assertTrue(self.client.transport.disconnecting)

    def test_refused_over_tls(self) -> None:
        """Over TLS the transport below is not closed under it, which would cut it off."""
        directlyProvides(self.client.transport, ISSLTransport)
        self.begin("/small", Content_Length=str(BIG))
        self.problem(self.client.answer(), 413, "payload_too_large")
        self.assertFalse(self.client.transport.half_closed)
        self.service.clock.advance(2)
        self.assertTrue(self.client.transport.disconnecting)

    def test_expect(self) -> None:
        """Expect: 100-continue is answered so, and then the request itself."""
        self.begin("/small", Content_Length="20", Expect="100-continue")
        self.assertEqual(self.client.transport.value(), b"HTTP/1.1 100 Continue\r\n\r\n")
        self.client.send(body_of(20))
        self.assertEqual(self.client.answer().status, 204)

    def test_expect_too_much(self) -> None:
        """Expect: 100-continue with a body over the limit is 413 and nothing else."""
        self.begin("/small", Content_Length=str(BIG), Expect="100-continue")
        self.assertTrue(self.client.transport.value().startswith(b"HTTP/1.1 413 "))
        self.problem(self.client.answer(), 413, "payload_too_large")

    def test_pipelined(self) -> None:
        """Requests that are sent together are answered in their order."""
        put = b"PUT /small HTTP/1.1\r\nHost: t\r\nContent-Length: 20\r\n\r\n" + body_of(20)
        self.client.send(put + b"GET /small HTTP/1.1\r\nHost: t\r\n\r\n")
        first, second = self.client.answers()
        self.assertEqual((first.status, second.json()), (204, self.boxes.taken))

    def test_idle(self) -> None:
        """A connection that nothing comes on is closed after a minute."""
        self.client.ask("GET", "/small")
        self.service.clock.advance(59)
        self.assertFalse(self.client.transport.disconnecting)
        self.service.clock.advance(1)
        self.assertTrue(self.client.transport.disconnecting)


class VanishTests(WebCase):
    """Clients that are gone before the answer."""

    def setUp(self) -> None:
        self.waits = Waits()
        self.service = Service([self.waits])
        self.client = self.service.connect()

    def test_effect(self) -> None:
        """A handler goes on when its client has gone: what it does happens."""
        self.client.ask("PUT", "/wait")
        self.client.vanish()
        self.waits.go.callback(None)
        self.assertEqual(self.waits.done, ["waited"])

    def test_body(self) -> None:
        """The body can still be read when the client has gone."""
        self.client.ask("PUT", "/late", body_of(20))
        self.client.vanish()
        self.waits.go.callback(None)
        self.assertEqual(self.waits.done, ["x" * 9])

    def test_line(self) -> None:
        """A request whose client has gone has its line in the log when it is done."""
        events = self.logged()
        self.client.ask("PUT", "/wait")
        self.client.vanish()
        self.assertEqual(self.lines(events), [])
        self.waits.go.callback(None)
        self.assertEqual(len(self.lines(events)), 1)

    def test_forgotten(self) -> None:
        """It no longer counts as under way then."""
        self.client.ask("PUT", "/wait")
        self.client.vanish()
        self.assertEqual(len(self.service.site.traffic.active), 1)
        self.waits.go.callback(None)
        self.assertEqual(len(self.service.site.traffic.active), 0)
