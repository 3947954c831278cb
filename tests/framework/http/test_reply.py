"""From a handler's result to an answer: status, ETag, 304, HEAD, CORS, Link."""

from msgspec import Struct

from contentsvc.framework.http.call import Call
from contentsvc.framework.http.errors import named
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.reply import Accepted, Created, Encoded, Listed
from contentsvc.framework.http.route import route
from tests.framework.http.support import Answer, Service, WebCase

OWN = "Authorization, Content-Type, If-Match, If-None-Match, If-Unmodified-Since"
"""The headers that scripts of other origins may send."""

Gone = named(410, "gone", "It was eaten.")


class Fruit(Struct, rename="camel"):
    shelf_life: int


class Window(Struct):
    after: str | None = None
    limit: int = 2


class Fruits:
    """Results of every kind."""

    life = 3

    @route("GET", "/fruit", allow=ANYONE)
    async def get(self, call: Call) -> Fruit:
        return Fruit(self.life)

    @route("PUT", "/fruit", allow=ANYONE)
    async def put(self, call: Call) -> None:
        self.life += 1

    @route("POST", "/fruit", allow=ANYONE)
    async def post(self, call: Call) -> Created:
        return Created("/fruit/a b/ä")

    @route("POST", "/going", allow=ANYONE)
    async def begin(self, call: Call) -> Accepted:
        return Accepted("/fruit/going")

    @route("GET", "/empty", allow=ANYONE)
    async def empty(self, call: Call) -> list[Fruit]:
        return []

    @route("GET", "/encoded", allow=ANYONE)
    async def encoded(self, call: Call) -> Encoded[list[Fruit]]:
        return Encoded(b'[{"life":3}]')

    @route("GET", "/list", allow=ANYONE)
    async def listed(self, call: Call, query: Window) -> Listed[int]:
        start = int(query.after or 0)
        items = list(range(5))[start : start + query.limit]
        return Listed(items, str(start + query.limit) if len(items) == query.limit else None)

    @route("GET", "/eaten", allow=ANYONE, raises=(Gone,))
    async def eaten(self, call: Call) -> Fruit:
        raise Gone(headers={"Retry-After": "never"}, by="a bird")

    @route("GET", "/forged", allow=ANYONE, raises=(Gone,))
    async def forged(self, call: Call) -> Fruit:
        raise Gone(headers={"Retry-After": "1\r\nSet-Cookie: a=b\r\n\r\n<html>"})


class ReplyCase(WebCase):
    def setUp(self) -> None:
        self.fruits = Fruits()
        self.service = Service([self.fruits])

    def get(self, path: str = "/fruit", **headers: str) -> Answer:
        """The answer to a GET."""
        return self.service.ask("GET", path, **headers)


class StatusTests(ReplyCase):
    """The status follows the result."""

    def test_struct(self) -> None:
        """A Struct is 200 with its JSON and length."""
        answer = self.get()
        self.assertEqual((answer.status, answer.body), (200, b'{"shelfLife":3}'))
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        self.assertEqual(answer.headers["Content-Length"], "15")

    def test_nothing(self) -> None:
        """None is 204 without type or length."""
        answer = self.service.ask("PUT", "/fruit")
        self.assertEqual((answer.status, answer.body), (204, b""))
        self.assertNotIn("Content-Type", answer.headers)
        self.assertNotIn("Content-Length", answer.headers)

    def test_created(self) -> None:
        """Created is 201 without a body; its Location is a percent-encoded path."""
        answer = self.service.ask("POST", "/fruit")
        self.assertEqual((answer.status, answer.body), (201, b""))
        self.assertEqual(answer.headers["Location"], "/fruit/a%20b/%C3%A4")
        self.assertEqual(answer.headers["Content-Length"], "0")

    def test_accepted(self) -> None:
        """Accepted is 202 without a body, and with a Location."""
        answer = self.service.ask("POST", "/going")
        self.assertEqual((answer.status, answer.body), (202, b""))
        self.assertEqual(answer.headers["Location"], "/fruit/going")

    def test_empty_list(self) -> None:
        """An empty list is a body, not its absence."""
        self.assertEqual((self.get("/empty").status, self.get("/empty").body), (200, b"[]"))

    def test_encoded(self) -> None:
        """Encoded JSON goes out as it is, with a validator like any answer."""
        answer = self.get("/encoded")
        self.assertEqual((answer.status, answer.body), (200, b'[{"life":3}]'))
        self.assertEqual(self.get("/encoded", If_None_Match=answer.headers["ETag"]).status, 304)

    def test_problem(self) -> None:
        """A named error is its status, its members and its headers."""
        answer = self.get("/eaten")
        found = self.problem(answer, 410, "gone")
        self.assertEqual(answer.headers["Retry-After"], "never")
        self.assertEqual(
            found,
            {
                "type": "urn:contentsvc:problem:gone",
                "title": "Gone",
                "status": 410,
                "detail": "It was eaten.",
                "code": "gone",
                "requestId": answer.headers["X-Request-Id"],
                "by": "a bird",
            },
        )


class HeaderTests(ReplyCase):
    """The head of every answer, and the characters that cannot get into it."""

    def test_date(self) -> None:
        """Date is the time of the answer."""
        for seconds, text in ((0, "00:00:00"), (59.5, "00:00:59"), (1, "00:01:00")):
            self.service.clock.advance(seconds)
            self.assertEqual(self.get().headers["Date"], f"Thu, 01 Jan 1970 {text} GMT")

    def test_line_break(self) -> None:
        """A line break in a header's value does not end the header."""
        answer = self.get("/forged")
        self.assertEqual(answer.headers["Retry-After"], "1 Set-Cookie: a=b  <html>")
        self.assertEqual(answer.headers["Set-Cookie"], None)


class ConditionTests(ReplyCase):
    """ETag and If-None-Match."""

    def setUp(self) -> None:
        super().setUp()
        self.tag = self.get().headers["ETag"]
        self.opaque = self.tag.removeprefix("W/")

    def matches(self, *values: str) -> bool:
        """Whether these If-None-Match headers make it a 304."""
        client = self.service.connect()
        lines = "".join(f"If-None-Match: {value}\r\n" for value in values)
        client.send(f"GET /fruit HTTP/1.1\r\nHost: t\r\n{lines}\r\n".encode("latin-1"))
        return client.answer().status == 304

    def test_weak(self) -> None:
        """Every 200 has a weak tag, the same for the same body."""
        self.assertRegex(self.tag, '^W/"[0-9a-f]+"$')
        self.assertEqual(self.get().headers["ETag"], self.tag)

    def test_changed(self) -> None:
        """Another body has another tag."""
        self.fruits.life = 4
        self.assertNotEqual(self.get().headers["ETag"], self.tag)
        self.assertFalse(self.matches(self.tag))

    def test_not_modified(self) -> None:
        """304 has no body and no length, but the tag, the CORS headers and a request id."""
        answer = self.get(If_None_Match=self.tag)
        self.assertEqual((answer.status, answer.body), (304, b""))
        self.assertNotIn("Content-Length", answer.headers)
        self.assertNotIn("Content-Type", answer.headers)
        for name in ("ETag", "Access-Control-Allow-Origin", "Vary", "X-Request-Id"):
            self.assertIn(name, answer.headers)

    def test_strong_form(self) -> None:
        """The comparison is weak: the tag without W/ matches too."""
        self.assertTrue(self.matches(self.opaque))

    def test_lists(self) -> None:
        """One of several is enough, in one header or more, with any blanks."""
        self.assertTrue(self.matches(f'"a",{self.tag}'))
        self.assertTrue(self.matches(f'W/"a" , \t{self.opaque}  ,"b"'))
        self.assertTrue(self.matches('"a"', self.tag))
        self.assertFalse(self.matches('"a"', 'W/"b"'))

    def test_star(self) -> None:
        """A star matches whatever is there."""
        self.assertTrue(self.matches("*"))

    def test_others(self) -> None:
        """Text that is no tag, or only resembles this one, does not match."""
        inner = self.opaque.strip('"')
        for other in ("", '""', "W/", inner, f"w/{self.opaque}", f'"W/{inner}"', f'"{inner}x"'):
            self.assertFalse(self.matches(other), other)

    def test_writes(self) -> None:
        """Only GET and HEAD are conditional."""
        self.assertEqual(self.service.ask("PUT", "/fruit", If_None_Match="*").status, 204)

    def test_errors(self) -> None:
        """An error is no 304, and has no tag."""
        answer = self.get("/eaten", If_None_Match="*")
        self.assertEqual(answer.status, 410)
        self.assertNotIn("ETag", answer.headers)


class HeadTests(ReplyCase):
    """HEAD."""

    def test_same_headers(self) -> None:
        """HEAD answers as GET does, without the body."""
        got, head = self.get(), self.service.ask("HEAD", "/fruit")
        self.assertEqual((head.status, head.body), (200, b""))
        for name in ("ETag", "Content-Type", "Content-Length"):
            self.assertEqual(head.headers[name], got.headers[name])

    def test_not_modified(self) -> None:
        """HEAD is conditional as GET is."""
        tag = self.get().headers["ETag"]
        self.assertEqual(self.service.ask("HEAD", "/fruit", If_None_Match=tag).status, 304)

    def test_error(self) -> None:
        """An error has no body either."""
        client = self.service.connect()
        client.ask("HEAD", "/eaten")
        self.assertEqual(client.answer().status, 410)
        self.assertTrue(client.transport.value().endswith(b"\r\n\r\n"))


class CorsTests(WebCase):
    """The permissions of browsers."""

    def origin(self, service: Service, origin: str | None, path: str = "/fruit") -> str | None:
        """The allowed origin that is answered to a request from this one."""
        headers = {} if origin is None else {"Origin": origin}
        answer = service.ask("GET", path, **headers)
        self.assertEqual(answer.headers["Vary"], "Origin, Authorization")
        return answer.headers["Access-Control-Allow-Origin"]

    def test_any(self) -> None:
        """With *, every origin may read every answer, errors too."""
        service = Service([Fruits()])
        for path in ("/fruit", "/eaten", "/nothing"):
            self.assertEqual(self.origin(service, "https://a.example", path), "*")

    def test_some(self) -> None:
        """With a list, those on it are allowed, and no other."""
        service = Service([Fruits()], origins=["https://a.example", "https://b.example:8443"])
        for good in ("https://a.example", "https://b.example:8443"):
            self.assertEqual(self.origin(service, good), good)
        for bad in ("https://b.example", "http://a.example", "https://a.example.evil", "null"):
            self.assertIsNone(self.origin(service, bad))
        self.assertIsNone(self.origin(service, None))

    def test_refused_body(self) -> None:
        """The refusal of a body has the headers of any other answer."""
        service = Service([Fruits()], origins=["https://a.example"])
        for origin, allowed in ("https://a.example",) * 2, ("https://b.example", None):
            answer = service.ask("PUT", "/fruit", Content_Length="99999999", Origin=origin)
            self.assertEqual(answer.headers["Access-Control-Allow-Origin"], allowed)
            self.assertEqual(answer.headers["Vary"], "Origin, Authorization")
            self.assertIn("X-Request-Id", answer.headers["Access-Control-Expose-Headers"])

    def test_exposed(self) -> None:
        """Scripts may read the headers that the interface speaks of."""
        exposed = Service([Fruits()]).ask("GET", "/fruit").headers["Access-Control-Expose-Headers"]
        names = {name.strip() for name in exposed.split(",")}
        self.assertLessEqual({"ETag", "Link", "Location", "Retry-After", "X-Request-Id"}, names)

    def test_preflight(self) -> None:
        """A preflight is 204 with the path's methods and the headers that clients send."""
        answer = Service([Fruits()]).ask(
            "OPTIONS",
            "/fruit",
            Origin="https://a.example",
            Access_Control_Request_Method="PUT",
            Access_Control_Request_Headers="authorization,content-type",
        )
        self.assertEqual((answer.status, answer.body), (204, b""))
        methods = "GET, HEAD, OPTIONS, POST, PUT"
        self.assertEqual(answer.headers["Allow"], methods)
        self.assertEqual(answer.headers["Access-Control-Allow-Methods"], methods)
        allowed = answer.headers["Access-Control-Allow-Headers"]
        self.assertEqual(allowed, OWN)

    def asked(self, names: str) -> str | None:
        """The headers that are allowed to a preflight which asks for these."""
        answer = Service([Fruits()]).ask("OPTIONS", "/fruit", Access_Control_Request_Headers=names)
        return answer.headers["Access-Control-Allow-Headers"]

    def test_asked(self) -> None:
        """A preflight may ask for any header, in any case, once or several times."""
        tracing = "baggage, cache-control, sentry-trace, traceparent, tracestate, x-requested-with"
        self.assertEqual(self.asked(f"authorization, {tracing}"), f"{OWN}, {tracing}")
        self.assertEqual(
            self.asked("X-B3-TraceId,if-none-match,x-a,x-a"), f"{OWN}, X-B3-TraceId, x-a"
        )

    def test_asked_wrongly(self) -> None:
        """What is no name of a header is not repeated."""
        for wrong in ("", ",", "a b", "a:b", "<a>", '"a"', "a;b", "\u00e4", "a\tb", "(a)"):
            self.assertEqual(self.asked(wrong), OWN)
            self.assertEqual(self.asked(f"{wrong},x-a"), f"{OWN}, x-a")

    def test_cache(self) -> None:
        """An answer that depends on the caller is not reused without asking."""
        answer = Service([Fruits()]).ask("GET", "/fruit")
        self.assertEqual(answer.headers["Cache-Control"], "no-cache")

    def test_json_alone(self) -> None:
        """Nobody takes JSON for anything else, not even a problem."""
        service = Service([Fruits()])
        for path in ("/fruit", "/nowhere"):
            answer = service.ask("GET", path)
            self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")


class LinkTests(ReplyCase):
    """Lists in parts."""

    def test_all_parts(self) -> None:
        """Following Link to its end gives each element once."""
        at: str | None = "/list?limit=2"
        found = []
        while at is not None:
            answer = self.get(at)
            found += answer.json()
            link = answer.headers["Link"]
            at = None if link is None else link.split(">")[0][1:]
        self.assertEqual(found, [0, 1, 2, 3, 4])

    def test_other_parameters(self) -> None:
        """The next address keeps the query but for the cursor."""
        for cursor in ("after=0", "%61fter=0"):
            link = self.get(f"/list?x=%20&{cursor}&limit=1").headers["Link"]
            self.assertEqual(link, '</list?x=%20&limit=1&after=1>; rel="next"')

    def test_escaped(self) -> None:
        """Characters that would end the address or the header are percent-encoded."""
        link = self.get('/list?x=a>b"c\\d|e{f}^`<%3E&limit=1')
        self.assertEqual(
            link.headers["Link"],
            '</list?x=a%3Eb%22c%5Cd%7Ce%7Bf%7D%5E%60%3C%3E&limit=1&after=1>; rel="next"',
        )

    def test_last_part(self) -> None:
        """The last part has none."""
        self.assertNotIn("Link", self.get("/list?after=4").headers)
