"""Connections and the log: what is refused before it is a request, and the line of each."""

from twisted.web.http_headers import _nameEncoder

from contentsvc.framework.http.call import Call
from contentsvc.framework.http.errors import named
from contentsvc.framework.http.permissions import ANYONE, SIGNED_IN
from contentsvc.framework.http.route import route
from tests.framework.http.boxes import BIG, Boxes, body_of
from tests.framework.http.support import ANN, BOB, Service, WebCase, parse

NoSecret = named(404, "no_secret", "There is no secret.")


class Secrets:
    @route("GET", "/user/<guid:user>/secret", allow=SIGNED_IN, raises=(NoSecret,))
    async def get(self, call: Call, user: str) -> str:
        return "none"


class HeadTests(WebCase):
    """Requests that are refused before their headers have ended."""

    def setUp(self) -> None:
        self.boxes = Boxes()
        self.service = Service([self.boxes], body_timeout=30.0)
        self.client = self.service.connect()

    def refused(self, head: bytes, status: int, code: str) -> None:
        """Assert that this is refused so, once, with its line in the log, and then dropped."""
        events, service = self.logged(), Service([self.boxes])
        client = service.connect()
        client.send(head)
        client.send(b"\r\nContent-Length: 20\r\n\r\n" + body_of(20))
        answer = client.answer()
        self.problem(answer, status, code)
        self.assertEqual(answer.headers["Connection"], "close")
        (line,) = self.lines(events)
        self.assertIn(f" {status} ", line)
        self.assertTrue(line.endswith(answer.headers["X-Request-Id"]), line)
        self.assertEqual(self.boxes.taken, [])
        service.clock.advance(2)
        self.assertTrue(client.transport.disconnecting)
        service.clock.advance(0)
        self.assertEqual(service.clock.getDelayedCalls(), [])

    def test_request_line(self) -> None:
        """A request line of another form is 400."""
        for line in (b"PUT /small", b"PUT /sm all HTTP/1.1", b"PUT /small HTTP/2.0", b"\x16\x03"):
            self.refused(line + b"\r\n", 400, "malformed_request")

    def test_head(self) -> None:
        """A HEAD that is refused has no body in its answer, and its method in the log."""
        events = self.logged()
        self.client.send(b"HEAD /small HTTP/1.1\r\nno colon\r\nX-Next: 1\r\n\r\n")
        self.assertTrue(self.client.transport.value().endswith(b"\r\n\r\n"))
        (line,) = self.lines(events)
        self.assertTrue(line.startswith("HEAD - 400 "), line)

    def test_header(self) -> None:
        """A header of another form, or two that contradict each other, is 400."""
        for header in (b"X : y", b"no colon", b"Content-Length: -1", b"Transfer-Encoding: gzip"):
            head = b"PUT /small HTTP/1.1\r\nHost: t\r\n" + header + b"\r\nX-Next: 1"
            self.refused(head, 400, "malformed_request")
        both = b"PUT /small HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n"
        self.refused(both, 400, "malformed_request")

    def test_long_name(self) -> None:
        """The name of a header may be long, but nothing remembers it; it must be a name too."""
        remembered = len(_nameEncoder._canonicalHeaderCache)
        for n in range(5):
            client = self.service.connect()
            client.send(b"GET /small HTTP/1.1\r\nHost: t\r\n")
            client.send(b"%d-" % n + b"x" * 5_000 + b": y\r\n\r\n")
            self.assertEqual(client.answer().status, 200)
        self.assertEqual(len(_nameEncoder._canonicalHeaderCache), remembered)
        head = b"GET /small HTTP/1.1\r\nHost: t\r\n" + b"x y" * 100 + b": y"
        self.refused(head, 400, "malformed_request")

    def test_values(self) -> None:
        """A value with NUL, CR or LF in it is 400."""
        for value in (b"a\0b", b"a\rb", b"a\nb"):
            head = b"GET /small HTTP/1.1\r\nHost: t\r\nX: " + value
            self.refused(head, 400, "malformed_request")

    def test_close(self) -> None:
        """`close` ends the connection wherever it stands in Connection."""
        for said, ends in (
            (b"close", True),
            (b"Close", True),
            (b"keep-alive,close", True),
            (b"keep-alive\r\nConnection: x, close", True),
            (b"keep-alive", False),
            (b"closed", False),
        ):
            client = self.service.connect()
            client.send(b"GET /small HTTP/1.1\r\nHost: t\r\nConnection: " + said + b"\r\n\r\n")
            self.assertEqual(client.transport.disconnecting, ends, said)

    def test_lengths(self) -> None:
        """A Content-Length gets 400 if it is no number, appears twice or comes with chunks. A
        Transfer-Encoding other than chunked gets 400 too."""
        for headers in (
            b"Content-Length: +3",
            b"Content-Length: 3, 3",
            b"Content-Length: 0x3",
            b"Content-Length:",
            b"Content-Length: 3\r\nContent-Length: 3",
            b"Content-Length: 3\r\nTransfer-Encoding: chunked",
            b"Transfer-Encoding: chunked\r\nContent-Length: 3",
            b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            b"Transfer-Encoding: gzip, chunked",
            b"Transfer-Encoding: identity",
            b"Transfer-Encoding: \x0bchunked",
        ):
            head = b"PUT /small HTTP/1.1\r\nHost: t\r\n" + headers + b"\r\n"
            self.refused(head, 400, "malformed_request")

    def test_long_length(self) -> None:
        """A Content-Length of more digits than Python makes a number of is 413."""
        for digits in (19, 4_301, 10_000):
            head = b"PUT /small HTTP/1.1\r\nHost: t\r\nX: y"
            self.client = Service([self.boxes]).connect()
            self.client.send(head + b"\r\nContent-Length: " + b"9" * digits + b"\r\n\r\n")
            self.problem(self.client.answer(), 413, "payload_too_large")
        client = self.service.connect()
        client.send(b"PUT /small HTTP/1.1\r\nHost: t\r\nContent-Length: " + b"0" * 5_000)
        client.send(b"20\r\n\r\n" + body_of(20))
        self.assertTrue(client.transport.value().startswith(b"HTTP/1.1 204 "))

    def test_host(self) -> None:
        """HTTP/1.1 without a Host header, and any request with two, is 400."""
        for line in (b"HTTP/1.1\r\n", b"HTTP/1.1\r\nHost: a\r\nHost: a\r\n"):
            self.refused(b"PUT /small " + line + b"X: y", 400, "malformed_request")
        self.client.send(b"GET /small HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n")
        self.problem(self.client.answer(), 400, "malformed_request")
        old = self.service.connect()
        old.send(b"GET /small HTTP/1.0\r\n\r\n")
        self.assertEqual(old.answer().status, 200)

    def test_old_chunks(self) -> None:
        """A chunked request of HTTP/1.0 is 400."""
        self.client.send(b"PUT /small HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        self.problem(self.client.answer(), 400, "malformed_request")

    def test_target(self) -> None:
        """A target that is neither a path nor a whole URL is 400."""
        for target in (b"small", b"*", b"t:80", b"?x", b"ftp://t/x", b"http:///small", b"http:"):
            for method in (b"GET", b"PUT"):
                head = method + b" " + target + b" HTTP/1.1\r\nHost: t"
                self.refused(head, 400, "malformed_request")

    def test_whole_url(self) -> None:
        """A target that is a whole URL is its path and query."""
        for target in (b"http://t/small?x", b"HTTPS://t:80/small", b"http://t?x"):
            client = self.service.connect()
            client.send(b"GET " + target + b" HTTP/1.1\r\nHost: u\r\n\r\n")
            expected = 404 if target.endswith(b"t?x") else 200
            self.assertEqual(client.answer().status, expected, target)

    def test_long_target(self) -> None:
        """A path and query over 16 KiB are 414."""
        self.refused(b"PUT /small?x=" + b"a" * 17_000 + b" HTTP/1.1\r\n", 414, "uri_too_long")

    def test_long_headers(self) -> None:
        """Headers over 16 KiB, be it one or all of them, are 431."""
        start = b"PUT /small HTTP/1.1\r\n"
        self.refused(start + b"X: " + b"a" * 17_000 + b"\r\n", 431, "headers_too_large")
        self.refused(start + b"X: aaaaaaaaaaaaa\r\n" * 1100, 431, "headers_too_large")

    def test_many_headers(self) -> None:
        """More than 500 headers are 431."""
        head = b"PUT /small HTTP/1.1\r\n" + b"X: a\r\n" * 502
        self.refused(head, 431, "headers_too_large")

    def test_second(self) -> None:
        """One that follows another is refused after that has been answered."""
        self.client.ask("GET", "/small")
        self.client.send(b"BAD\r\n\r\n")
        first, second = self.client.answers()
        self.assertEqual(first.status, 200)
        self.problem(second, 400, "malformed_request")

    def test_trickled(self) -> None:
        """Headers that do not all come in time are 408, however steadily they do."""
        for start in b"PUT /small HTTP/1.1\r\nHost: t\r\n", b"PU", b"\r\nPUT /small HTT":
            client = self.service.connect()
            client.send(start)
            for _ in range(29):
                self.service.clock.advance(1)
                client.send(b"x")
            self.assertTrue(client.silent)
            self.service.clock.advance(1)
            self.problem(client.answer(), 408, "timeout")
            client.send(b"\r\n\r\n")
            self.assertEqual(len(client.answers()), 1)
            client.vanish()

    def test_in_time(self) -> None:
        """Headers that have come in time leave no timer behind."""
        self.client.send(b"GET /sma")
        self.service.clock.advance(29)
        self.client.send(b"ll HTTP/1.1\r\nHost: t\r\n\r\n")
        self.service.clock.advance(2)
        self.assertEqual([each.status for each in parse(self.client.transport.value(), ())], [200])
        self.client.vanish()
        self.assertEqual(self.service.clock.getDelayedCalls(), [])

    def test_next(self) -> None:
        """The next request's headers have their own time, though they begin with the last's end."""
        request = b"GET /small HTTP/1.1\r\nHost: t\r\n\r\n"
        self.client.send(request[:9])
        for _ in range(40):
            self.service.clock.advance(1)
            self.client.send(request[9:] + request[:9])
        found = [each.status for each in parse(self.client.transport.value(), ())]
        self.assertEqual(found, [200] * 40)

    def test_vanished(self) -> None:
        """A client that goes after its refusal leaves nothing behind."""
        self.client.send(b"BAD\r\n\r\n")
        self.client.vanish()
        self.assertEqual(self.service.clock.getDelayedCalls(), [])
        self.assertEqual(self.service.site.traffic.active, set())


class LineTests(WebCase):
    """One line per request."""

    def line(self, method: str, path: str, body: bytes = b"", **headers: str) -> str:
        """The one line of the log that a request makes."""
        events = self.logged()
        self.answer = Service([Secrets(), Boxes()]).ask(method, path, body, **headers)
        (line,) = self.lines(events)
        return line

    def test_members(self) -> None:
        """It has the method, route, status, milliseconds, user, client and request id."""
        line = self.line("GET", f"/user/{ANN}/secret?q=x", Authorization="Bearer ann")
        number = self.answer.headers["X-Request-Id"]
        route_ = "/user/<guid:user>/secret"
        self.assertEqual(
            line, f"GET {route_} 200 0.0ms user={ANN} client=192.168.1.1 request={number}"
        )

    def test_note(self) -> None:
        """The note of an operation is at the end of the line."""

        class Noting:
            @route("PUT", "/noted", allow=ANYONE)
            async def get(self, call: Call) -> None:
                """Note two words."""
                call.note("failed-log-in")
                call.note("again")

        events = self.logged()
        Service([Noting()]).ask("PUT", "/noted")
        self.assertRegex(self.lines(events)[0], r" request=\S+ failed-log-in again\Z")

    def test_content(self) -> None:
        """A write says which content it is about, by its path or by the operation, whatever comes
        of it, before the trace and the note; a read does not."""

        class Writing:
            @route("PUT", "/content/<guid:content>", allow=ANYONE, raises=(NoSecret,))
            async def put(self, call: Call, content: str) -> None:
                """Refuse it."""
                call.note("word")
                raise NoSecret()

            @route("POST", "/plays", allow=ANYONE)
            async def post(self, call: Call) -> None:
                """Name the content."""
                call.changes(BOB)

            @route("GET", "/content/<guid:content>", allow=ANYONE, raises=(NoSecret,))
            async def get(self, call: Call, content: str) -> list[str]:
                """Read it."""
                return []

        events = self.logged()
        service = Service([Writing()])
        trace = f"00-{'ab' * 16}-{'cd' * 8}-01"
        service.ask("PUT", f"/content/{ANN.upper()}", Traceparent=trace)
        service.ask("POST", "/plays")
        service.ask("GET", f"/content/{ANN}")
        put, post, get = self.lines(events)
        self.assertRegex(put, rf" 404 .* request=\S+ content={ANN} trace=\S+ parent=\S+ word\Z")
        self.assertRegex(post, rf" request=\S+ content={BOB}\Z")
        self.assertRegex(get, r" request=\S+\Z")

    def test_nobody(self) -> None:
        """Without a user, and without a route, there are dashes."""
        self.assertRegex(self.line("GET", "/mystery?token=t"), r"^GET - 404 .* user=- ")

    def test_strange_method(self) -> None:
        """A method that is none, which may be anything, is not in it."""
        self.assertRegex(self.line("eyJhbGciOi.J9.x", "/small"), "^- - 405 ")

    def test_bad_token(self) -> None:
        """A token that is refused is not in it."""
        line = self.line("GET", f"/user/{ANN}/secret", Authorization="Bearer wrong")
        self.assertNotIn("wrong", line)

    def test_refused(self) -> None:
        """A body that was refused as it came has its line too."""
        line = self.line("PUT", "/small", Content_Length=str(BIG))
        self.assertRegex(line, " 413 .* request=" + self.answer.headers["X-Request-Id"])

    def test_ids(self) -> None:
        """No two requests have the same id, in one process or two."""
        first, second = Service([Boxes()]), Service([Boxes()])
        asked = [service.ask("GET", "/small") for service in (first, first, second)]
        self.assertEqual(len({answer.headers["X-Request-Id"] for answer in asked}), 3)
