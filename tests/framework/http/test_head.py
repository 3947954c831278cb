"""The answers to requests as soon as their head is in, before their body."""

from contentsvc.framework.http.body_reader import SMALL
from contentsvc.framework.http.call import Call
from contentsvc.framework.http.errors import BadToken
from contentsvc.framework.http.permissions import ANYONE, SELF, SIGNED_IN
from contentsvc.framework.http.route import route
from contentsvc.roles import ADMINISTER
from tests.framework.http.boxes import Box, body_of
from tests.framework.http.support import ANN, BOB, TOKENS, Caller, Service, WebCase, authenticate

LATER = {"Content_Length": "20"}
"""Announces a body."""


class Vault:
    """Takes what its rules allow."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    @route("PUT", "/anyone", allow=ANYONE)
    async def anyone(self, call: Call, body: Box) -> None:
        self.taken.append(body.text)

    @route("PUT", "/signed", allow=SIGNED_IN)
    async def signed(self, call: Call, body: Box) -> None:
        self.taken.append(body.text)

    @route("PUT", "/user/<guid:user>/own", allow=SELF)
    async def own(self, call: Call, user: str, body: Box) -> None:
        self.taken.append(body.text)

    @route("DELETE", "/user/<guid:user>/own", allow=SELF)
    async def remove(self, call: Call, user: str) -> None:
        self.taken.clear()

    @route("PUT", "/admin", allow=ADMINISTER)
    async def admin(self, call: Call, body: Box) -> None:
        self.taken.append(body.text)


class HeadCase(WebCase):
    def setUp(self) -> None:
        self.vault = Vault()
        self.service = Service([self.vault])
        self.client = self.service.connect()


class JudgedTests(HeadCase):
    """Answers that do not wait for the body."""

    def refused(self, path: str, status: int, code: str, **headers: str) -> None:
        """Assert that the head alone has this answer, which ends the connection."""
        client = self.service.connect()
        client.ask("PUT", path, **{**LATER, **headers})
        answer = client.answer()
        self.problem(answer, status, code)
        self.assertEqual(answer.headers["Connection"], "close")
        client.send(body_of(20))
        self.assertEqual(len(client.answers()), 1)
        self.service.clock.advance(2)
        self.assertTrue(client.transport.disconnecting)
        self.assertEqual(self.vault.taken, [])

    def test_no_token(self) -> None:
        """Where one is needed, no token is 401."""
        self.refused("/signed", 401, "unauthorized")
        self.refused(f"/user/{ANN}/own", 401, "unauthorized")

    def test_bad_token(self) -> None:
        """A bad one is 401, on public operations too."""
        self.refused("/signed", 401, "invalid_token", Authorization="Bearer none")
        self.refused("/anyone", 401, "invalid_token", Authorization="Bearer none")
        self.refused("/anyone", 401, "invalid_token", Authorization="Basic eDp5")

    def test_permission(self) -> None:
        """An operation that the user may not call is 403."""
        self.refused(f"/user/{BOB}/own", 403, "forbidden", Authorization="Bearer ann")
        self.refused("/admin", 403, "forbidden", Authorization="Bearer ann")

    def test_path(self) -> None:
        """A path that is none is 404, 405 or 400, with a token or without."""
        for headers in ({}, {"Authorization": "Bearer ann"}, {"Authorization": "Bearer none"}):
            self.refused("/nothing", 404, "not_found", **headers)
            self.refused("/user/x/own", 400, "invalid_path", **headers)
            client = self.service.connect()
            client.ask("POST", "/signed", **LATER, **headers)
            self.problem(client.answer(), 405, "method_not_allowed")

    def test_chunked(self) -> None:
        """So it is where the length is not known."""
        client = self.service.connect()
        client.ask("PUT", "/signed", Transfer_Encoding="chunked")
        self.problem(client.answer(), 401, "unauthorized")

    def test_before_size(self) -> None:
        """The token comes before the size, however large that is."""
        for length in ("1000000", "9" * 5000):
            self.refused("/signed", 401, "unauthorized", Content_Length=length)

    def test_expect(self) -> None:
        """No 100 goes out before a refusal, with a body in the same piece or not."""
        self.client.ask("PUT", "/signed", Expect="100-continue", **LATER)
        self.assertTrue(self.client.transport.value().startswith(b"HTTP/1.1 401 "))
        client = self.service.connect()
        client.ask("PUT", "/signed", body_of(20), Expect="100-continue")
        self.assertTrue(client.transport.value().startswith(b"HTTP/1.1 401 "))

    def test_failure(self) -> None:
        """If the token cannot be looked at, it is 500, and the log has the reason."""
        client = Service([self.vault], authenticate=lambda token: 1 // 0).connect()
        client.ask("PUT", "/signed", Authorization="Bearer ann", **LATER)
        self.problem(client.answer(), 500, "internal_error")
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    def test_line(self) -> None:
        """The log has a line with the route, and the user if the token is good."""
        events = self.logged()
        self.client.ask("PUT", "/admin", Authorization="Bearer ann", **LATER)
        (line,) = self.lines(events)
        self.assertRegex(line, f"^PUT /admin 403 .* user={ANN} ")


class KeptTests(HeadCase):
    """A body that is there already costs nothing: the connection is kept."""

    def test_whole(self) -> None:
        """A refusal leaves the connection open where the whole body came with the head."""
        self.client.ask("PUT", "/signed", body_of(SMALL))
        self.client.ask("PUT", "/nothing", body_of(20))
        self.client.ask("PUT", "/signed", body_of(20), Authorization="Bearer ann")
        first, second, third = self.client.answers()
        self.problem(first, 401, "unauthorized")
        self.assertIsNone(first.headers["Connection"])
        self.problem(second, 404, "not_found")
        self.assertEqual((third.status, len(self.vault.taken)), (204, 1))

    def test_chunked(self) -> None:
        """So it is with a chunked one; one that breaks its own form is 400."""
        head = b"PUT /signed HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
        for _ in range(2):
            self.client.send(head + b"2\r\nxx\r\n0\r\n\r\n")
        self.client.send(head + b"2\r\nxx\r\nzz\r\n")
        self.client.send(head)
        first, second, third = self.client.answers()
        for answer in (first, second):
            self.problem(answer, 401, "unauthorized")
            self.assertIsNone(answer.headers["Connection"])
        self.problem(third, 400, "malformed_request")

    def test_in_part(self) -> None:
        """One that has come in part ends it."""
        self.client.send(b"PUT /signed HTTP/1.1\r\nHost: t\r\nContent-Length: 20\r\n\r\n{")
        self.assertEqual(self.client.answer().headers["Connection"], "close")

    def test_pieces(self) -> None:
        """A body that comes later is taken where it may come."""
        self.client.ask("PUT", "/signed", Authorization="Bearer ann", **LATER)
        self.assertTrue(self.client.silent)
        self.client.send(body_of(20)[:5])
        self.client.send(body_of(20)[5:])
        self.assertEqual((self.client.answer().status, len(self.vault.taken)), (204, 1))

    def test_asked_once(self) -> None:
        """The token is looked at once for a request."""
        asked: list[str] = []
        counted = lambda token: asked.append(token) or authenticate(token)  # noqa: E731
        client = Service([self.vault], authenticate=counted).connect()
        client.ask("PUT", "/signed", Authorization="Bearer ann", **LATER)
        client.send(body_of(20))
        client.ask("PUT", "/signed", body_of(20), Authorization="Bearer ann")
        client.ask("DELETE", f"/user/{ANN}/own", Authorization="Bearer ann")
        self.assertEqual([each.status for each in client.answers()], [204] * 3)
        self.assertEqual(asked, ["ann"] * 3)

    def test_ended_meanwhile(self) -> None:
        """A token that is no good any more when a slow body is there is 401."""
        tokens = dict(TOKENS)

        def authenticate(token: str) -> Caller:
            if token not in tokens:
                raise BadToken("Nobody has this token.")
            return tokens[token]

        service = Service([self.vault], authenticate=authenticate)
        client = service.connect()
        client.ask("PUT", "/signed", Authorization="Bearer ann", **LATER)
        service.clock.advance(2)
        tokens.clear()
        client.send(body_of(20))
        self.problem(client.answer(), 401, "invalid_token")
        self.assertEqual(self.vault.taken, [])


class MethodTests(HeadCase):
    """Methods match exactly."""

    def test_case(self) -> None:
        """A method in other letters is 405, with the methods that there are, and does nothing."""
        self.vault.taken.append("kept")
        for method in ("DeLeTe", "delete", "get", "options"):
            answer = self.service.ask(method, f"/user/{ANN}/own", Authorization="Bearer ann")
            self.problem(answer, 405, "method_not_allowed")
            self.assertEqual(answer.headers["Allow"], "DELETE, OPTIONS, PUT")
        self.assertEqual(self.vault.taken, ["kept"])

    def test_unknown(self) -> None:
        """So is one that is none; and at a path that is none it is 404."""
        for method in ("PATCH", "TRACE", "CONNECT", "BREW"):
            answer = self.service.ask(method, f"/user/{ANN}/own")
            self.problem(answer, 405, "method_not_allowed")
            self.problem(self.service.ask(method, "/nothing"), 404, "not_found")
