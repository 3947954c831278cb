"""Dispatch: which handler answers, and what is checked before it."""

from urllib.parse import quote

from msgspec import Struct
from twisted.internet.defer import CancelledError

from contentsvc.framework.http.call import Call
from contentsvc.framework.http.errors import Problem, named
from contentsvc.framework.http.permissions import ANYONE, SELF, SIGNED_IN
from contentsvc.framework.http.route import route
from contentsvc.roles import ADMINISTER
from tests.framework.http.support import ANN, BOB, Service, WebCase

Lost = named(404, "lost", "It is lost.")
Sold = named(409, "sold", "It was sold.", oauth="invalid_grant")


class Body(Struct):
    text: str


class Query(Struct):
    page: int = 0


class Toys:
    """One family."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []

    @route("PUT", "/user/<guid:user>/toy/<text:name>", allow=SELF, limit=100)
    async def put(self, call: Call, user: str, name: str, body: Body) -> None:
        self.calls.append((user, name, body.text))

    @route("GET", "/user/<guid:user>/toy/<text:name>", allow=ANYONE, raises=(Lost,))
    async def get(self, call: Call, user: str, name: str) -> list[str]:
        return [user, name]

    @route("GET", "/user/search", allow=ANYONE)
    async def search(self, call: Call, query: Query) -> int:
        return query.page

    @route("GET", "/user/<guid:user>", allow=SIGNED_IN, raises=(Lost,))
    async def owner(self, call: Call, user: str) -> str:
        return f"{call.user} asks for {user}"

    @route("GET", "/toy/<int:number>", allow=ADMINISTER, raises=(Lost,))
    async def number(self, call: Call, number: int) -> int:
        return number


class Tools:
    """Another."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.calls: list[str] = []

    @route("PUT", "/tool/<text:name>", allow=ANYONE)
    async def put_tool(self, call: Call, name: str) -> None:
        self.calls.append(name)

    @route("GET", "/tool", allow=ANYONE)
    async def get_tool(self, call: Call) -> list[None]:
        if self.error is not None:
            raise self.error
        return [call.viewer]

    @route("GET", "/tool/mine", allow=ANYONE)
    async def mine(self, call: Call) -> str:
        return call.user

    @route("GET", "/tool/host", allow=ANYONE)
    async def host(self, call: Call) -> str:
        return call.base_url

    @route("GET", "/tool/broken", allow=ANYONE)
    async def broken(self, call: Call) -> list[str]:
        return [object()]

    @route("POST", "/form", allow=SIGNED_IN)
    async def form(self, call: Call, form: Body) -> None:
        self.calls.append(f"{call.user} {form.text}")

    @route("POST", "/oauth", allow=ANYONE, raises=(Sold,))
    async def oauth(self, call: Call, form: Body) -> None:
        raise Sold() if form.text == "x" else ValueError(form.text)


TOY = f"/user/{ANN}/toy/car"


class AppCase(WebCase):
    def setUp(self) -> None:
        self.toys, self.tools = Toys(), Tools()
        self.service = Service([self.toys, self.tools])
        self.ask = self.service.ask

    def status(self, method: str, path: str, body: bytes = b"", **headers: str) -> int:
        """The status that a request gets."""
        return self.ask(method, path, body, **headers).status


class PathTests(AppCase):
    """Finding the handler."""

    def test_families(self) -> None:
        """Each family answers its own URLs."""
        self.ask("PUT", TOY, b'{"text":"red"}', Authorization="Bearer ann")
        self.ask("PUT", "/tool/saw")
        self.assertEqual(self.toys.calls, [(ANN, "car", "red")])
        self.assertEqual(self.tools.calls, ["saw"])
        self.assertEqual(self.ask("GET", TOY).json(), [ANN, "car"])
        self.assertEqual(self.ask("GET", "/tool").json(), [None])

    def test_unknown(self) -> None:
        """A path that no family has is 404; a slash at the end makes another path, and no
        redirect."""
        for path in ("/", "/x", "/user", f"/user/{ANN}/toy", "/tool/saw/x", "/TOOL"):
            self.problem(self.ask("GET", path), 404, "not_found")
        for path in ("/tool/", TOY + "/"):
            self.problem(self.ask("GET", path), 404, "not_found")

    def test_double_slash(self) -> None:
        """A double slash is no slash: 404, and no redirect."""
        for path in ("//tool", "/tool//", f"/user//{ANN}", f"//user/{ANN}", TOY + "//", "//"):
            self.problem(self.ask("GET", path), 404, "not_found")

    def test_encoded_slash(self) -> None:
        """%2F in a variable is part of it, and separates nothing."""
        self.assertEqual(self.ask("GET", f"/user/{ANN}/toy/a%2Fb").json(), [ANN, "a/b"])
        self.assertEqual(self.status("GET", f"/user/{ANN}%2Ftoy%2Fcar"), 400, "one bad GUID")

    def test_text(self) -> None:
        """A text variable is percent-decoded UTF-8 of at most 256 characters."""
        for text in ("a b", "ä/ö", "100%", "?#&=", "+", "a..", "x" * 256, "ä" * 256):
            path = f"/user/{ANN}/toy/{quote(text, safe='')}"
            self.assertEqual(self.ask("GET", path).json(), [ANN, text])

    def test_bad_text(self) -> None:
        """NUL, other bytes than UTF-8, too many characters and a segment `..` are 400, naming the
        variable."""
        for bad in ("%00", "a%00b", "%FF", "%ED%A0%80", "x" * 257, "%2E.", "..%2Ftoy"):
            found = self.problem(self.ask("GET", f"/user/{ANN}/toy/{bad}"), 400, "invalid_path")
            self.assertEqual(found["parameter"], "name")

    def test_guid(self) -> None:
        """A GUID may be of any case, and is lower case in the handler."""
        self.assertEqual(self.ask("GET", TOY.replace(ANN, ANN.upper())).json(), [ANN, "car"])

    def test_guids(self) -> None:
        """Paths that differ in their GUIDs only have the same handler, each with its own."""
        for user, name in ((ANN, ANN), (ANN, BOB), (BOB, ANN), (BOB, "car"), (ANN, BOB.upper())):
            self.assertEqual(self.ask("GET", f"/user/{user}/toy/{name}").json(), [user, name])
        self.assertEqual(self.status("GET", f"/user/{ANN}/toy"), 404)
        self.assertEqual(self.status("DELETE", f"/user/{ANN}/toy/{BOB}"), 405)
        self.assertEqual(self.status("GET", f"/user/{ANN}/toy/{BOB}/"), 404)

    def test_bad_guid(self) -> None:
        """Anything but a GUID with dashes is 400, naming the variable as clients know it."""
        for bad in ("x", ANN.replace("-", ""), f"%7B{ANN}%7D", ANN + "%0A", ANN[:-1], "%FF"):
            found = self.problem(self.ask("GET", f"/user/{bad}/toy/car"), 400, "invalid_path")
            self.assertEqual(found["parameter"], "userId")
            self.assertEqual(found["detail"], "userId must be a GUID with dashes.")

    def test_integer(self) -> None:
        """A number is positive, in digits, and fits 64 bits."""
        for good in ("1", "9223372036854775807", "007"):
            answer = self.ask("GET", f"/toy/{good}", Authorization="Bearer root")
            self.assertEqual(answer.json(), int(good))
        for bad in ("0", "-1", "x", "1.0", "9223372036854775808", "1" + "0" * 30, "%D9%A1", "+1"):
            answer = self.ask("GET", f"/toy/{bad}", Authorization="Bearer root")
            found = self.problem(answer, 400, "invalid_path")
            self.assertEqual(found["parameter"], "numberId")

    def test_raw_bytes(self) -> None:
        """Bytes beyond ASCII that are not percent-encoded are 400."""
        client = self.service.connect()
        client.send("GET /tool/ä HTTP/1.1\r\nHost: t\r\n\r\n".encode())
        self.assertTrue(client.transport.value().startswith(b"HTTP/1.1 400 "))

    def test_query_is_no_path(self) -> None:
        """The query does not matter for the path."""
        self.assertEqual(self.status("GET", "/tool?x=//%00"), 200)


class MethodTests(AppCase):
    """405, HEAD and OPTIONS."""

    def test_wrong(self) -> None:
        """Another method is 405 with those that there are, whatever else is wrong."""
        for method in ("DELETE", "PATCH", "POST", "PROPFIND"):
            answer = self.ask(method, TOY, Authorization="Bearer wrong")
            self.problem(answer, 405, "method_not_allowed")
            self.assertEqual(answer.headers["Allow"], "GET, HEAD, OPTIONS, PUT")

    def test_fixed_path(self) -> None:
        """A path without variables is not taken for a variable of another."""
        answer = self.ask("PUT", "/tool/mine")
        self.problem(answer, 405, "method_not_allowed")
        self.assertEqual(answer.headers["Allow"], "GET, HEAD, OPTIONS")
        self.assertEqual(self.tools.calls, [])

    def test_search_is_no_guid(self) -> None:
        """A fixed segment goes before a variable."""
        self.assertEqual(self.ask("GET", "/user/search?page=3").json(), 3)

    def test_options(self) -> None:
        """OPTIONS answers Allow without a token, and 404 where there is nothing."""
        answer = self.ask("OPTIONS", TOY)
        self.assertEqual((answer.status, answer.headers["Allow"]), (204, "GET, HEAD, OPTIONS, PUT"))
        self.assertEqual(self.ask("OPTIONS", "/user/search").headers["Allow"], "GET, HEAD, OPTIONS")
        self.problem(self.ask("OPTIONS", "/x"), 404, "not_found")

    def test_head(self) -> None:
        """HEAD is where GET is."""
        self.assertEqual(self.status("HEAD", "/tool"), 200)
        self.assertEqual(self.status("HEAD", "/tool/saw"), 405)


class OrderTests(AppCase):
    """Path, token, permission, body, handler: the first that fails answers."""

    def put(self, user: str, token: str | None, body: bytes = b'{"text":""}') -> int:
        """The status of PUT toy with what may be wrong."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return self.status("PUT", f"/user/{user}/toy/car", body, **headers)

    def test_path_first(self) -> None:
        """A bad path is 400 even with a bad token."""
        self.assertEqual(self.put("x", "wrong", b"{"), 400)

    def test_token_second(self) -> None:
        """A bad or missing token is 401 even with a bad body."""
        self.assertEqual(self.put(ANN, "wrong", b"{"), 401)
        self.assertEqual(self.put(ANN, None, b"{"), 401)

    def test_permission_third(self) -> None:
        """Another's path is 403 even with a bad or big body."""
        self.assertEqual(self.put(BOB, "ann", b"{"), 403)
        self.assertEqual(self.put(BOB, "ann", b" " * 101), 403)

    def test_body_fourth(self) -> None:
        """A bad body never reaches the handler."""
        self.assertEqual(self.put(ANN, "ann", b"{"), 400)
        self.assertEqual(self.put(ANN, "ann", b'{"text":1}'), 400)
        self.assertEqual(self.put(ANN, "ann", b""), 400)
        self.assertEqual(self.put(ANN, "ann", b" " * 101), 413)
        self.assertEqual(self.toys.calls, [])
        self.assertEqual(self.put(ANN, "ann"), 204)

    def test_query(self) -> None:
        """So is a bad query."""
        self.assertEqual(self.status("GET", "/user/search?page=x"), 400)


class TokenTests(AppCase):
    """The Authorization header."""

    def test_caller(self) -> None:
        """The handler knows whom the token speaks for."""
        answer = self.ask("GET", f"/user/{ANN}", Authorization="Bearer bob")
        self.assertEqual(answer.json(), f"{BOB} asks for {ANN}")

    def test_scheme(self) -> None:
        """The scheme is Bearer, in any case, and blanks around the token do not matter."""
        for good in ("bearer bob", "BEARER bob", "Bearer   bob "):
            self.assertEqual(self.status("GET", f"/user/{ANN}", Authorization=good), 200)

    def test_bad(self) -> None:
        """A bad token is 401 with the reason, on public routes too."""
        for bad in ("Bearer wrong", "Bearer", "Bearer ", "Basic bob", "bob", "", "Bearer \xff"):
            answer = self.ask("GET", "/tool", Authorization=bad)
            self.problem(answer, 401, "invalid_token")
            challenge = 'Bearer realm="contentsvc", error="invalid_token"'
            self.assertEqual(answer.headers["WWW-Authenticate"], challenge)

    def test_missing(self) -> None:
        """No token where one is needed is 401, and the challenge names no error."""
        answer = self.ask("GET", f"/user/{ANN}")
        self.problem(answer, 401, "unauthorized")
        self.assertEqual(answer.headers["WWW-Authenticate"], 'Bearer realm="contentsvc"')

    def test_needed_by_handler(self) -> None:
        """A handler of a public route that needs the user makes it 401 too."""
        self.problem(self.ask("GET", "/tool/mine"), 401, "unauthorized")

    def test_form(self) -> None:
        """A public form carries its own credentials: the header does not matter."""
        answer = self.ask(
            "POST",
            "/oauth",
            b"text=x",
            Content_Type="application/x-www-form-urlencoded",
            Authorization="Basic Zm9vOmJhcg==",
        )
        self.assertEqual((answer.status, answer.json()["error"]), (409, "invalid_grant"))
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        self.assertEqual(answer.headers["Cache-Control"], "no-store")

    def test_form_with_token(self) -> None:
        """A form is for whom it is declared, as anything else."""
        form = {"Content_Type": "application/x-www-form-urlencoded"}
        self.problem(self.ask("POST", "/form", b"text=x", **form), 401, "unauthorized")
        self.ask("POST", "/form", b"text=x", Authorization="Bearer ann", **form)
        self.assertEqual(self.tools.calls, [f"{ANN} x"])


class ErrorTests(WebCase):
    """Errors of handlers."""

    def raising(self, error: Exception) -> Service:
        """A site whose GET /tool raises this."""
        return Service([Tools(error)], translate=self.translate)

    def translate(self, error: Exception) -> Problem | None:
        """Knows KeyError."""
        return Sold() if isinstance(error, KeyError) else None

    def test_named(self) -> None:
        """A named error is its own answer, and not logged."""
        self.problem(self.raising(Sold()).ask("GET", "/tool"), 409, "sold")
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_translated(self) -> None:
        """An exception of the layers below that means a problem is answered as that."""
        self.problem(self.raising(KeyError("x")).ask("GET", "/tool"), 409, "sold")
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_unexpected(self) -> None:
        """Any other is 500 without its text, and logged with the request's id."""
        events = self.logged()
        answer = self.raising(ValueError("bob@example.com")).ask("GET", "/tool")
        found = self.problem(answer, 500, "internal_error")
        self.assertNotIn(b"bob", answer.body)
        (failure,) = self.flushLoggedErrors(ValueError)
        (event,) = [event for event in events if event.get("log_failure") is failure]
        self.assertEqual(event["id"], found["requestId"])

    def test_before_handler(self) -> None:
        """So is what goes wrong before there is a handler."""
        service = Service([Tools()], authenticate=lambda token: 1 // 0)
        answer = service.ask("GET", "/tool", Authorization="Bearer ann")
        self.problem(answer, 500, "internal_error")
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    def test_cancelled(self) -> None:
        """Even a Deferred that was cancelled is answered."""
        self.problem(self.raising(CancelledError()).ask("GET", "/tool"), 500, "internal_error")
        self.assertEqual(len(self.flushLoggedErrors(CancelledError)), 1)

    def test_result(self) -> None:
        """A result that is no JSON is 500, not a hang."""
        self.problem(Service([Tools()]).ask("GET", "/tool/broken"), 500, "internal_error")
        self.assertEqual(len(self.flushLoggedErrors(TypeError)), 1)

    def test_next_request(self) -> None:
        """The connection is good for another request afterwards."""
        client = self.raising(ValueError()).connect()
        client.ask("GET", "/tool")
        client.ask("GET", "/tool/mine")
        self.assertEqual([answer.status for answer in client.answers()], [500, 401])
        self.flushLoggedErrors(ValueError)

    def test_form(self) -> None:
        """At the OAuth endpoints it has their form."""
        media = "application/x-www-form-urlencoded"
        answer = Service([Tools()]).ask("POST", "/oauth", b"text=secret", Content_Type=media)
        self.assertEqual((answer.status, set(answer.json())), (500, {"error", "error_description"}))
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 1)


class HostTests(WebCase):
    """The address that the client used."""

    def base(self, host: str) -> object:
        """The base URL that a handler gets for this Host header, or the problem's code."""
        client = Service([Tools()]).connect()
        client.send(f"GET /tool/host HTTP/1.1\r\nHost: {host}\r\n\r\n".encode("latin-1"))
        answer = client.answer()
        return answer.json() if answer.status == 200 else answer.json()["code"]

    def test_host(self) -> None:
        """It is the Host header's, with its port."""
        for host in ("a.example", "127.0.0.1:8080", "[::1]:80"):
            self.assertEqual(self.base(host), f"http://{host}")

    def test_bad_host(self) -> None:
        """A bad Host header is not repeated in the answer."""
        for host in ("", "a/b", "a b", "a@b", 'a"', "\xff", "a:x", "evil\\"):
            self.assertEqual(self.base(host), "invalid_host")

    def test_no_host(self) -> None:
        """Nor is a missing one made up."""
        client = Service([Tools()]).connect()
        client.send(b"GET /tool/host HTTP/1.0\r\n\r\n")
        self.assertEqual(client.answer().json()["code"], "invalid_host")
