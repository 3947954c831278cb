"""If-Match and If-Unmodified-Since: what they say, and when they are met."""

from __future__ import annotations

from msgspec import Struct
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.http.call import Call
from contentsvc.framework.http.errors import named
from contentsvc.framework.http.operations import Family, table
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.preconditions import date, is_met
from contentsvc.framework.http.route import route
from tests.framework.http.support import Answer, Service, WebCase

Gone = named(404, "no_such_bowl", "There is no such bowl.")
TAG = b'W/"2b7e151628ae"'


class Bowl(Struct):
    fruits: int
    updated: int


class Bowls:
    """One bowl, if it is there. `db` says how many fruits are in it."""

    def __init__(self) -> None:
        self.db = 3
        self.there = True

    @route("GET", "/bowl", allow=ANYONE, raises=(Gone,))
    async def get_bowl(self, call: Call) -> Bowl:
        if not self.there:
            raise Gone()
        return Bowl(self.db, 784_111_777)

    @route("PUT", "/bowl", allow=ANYONE, heeds="/bowl")
    async def put_bowl(self, call: Call) -> None:
        await call.unchanged(self.db)
        self.db += 1


class TagTests(SynchronousTestCase):
    """Values of If-Match (RFC 9110 §13.1.1)."""

    def test_met(self) -> None:
        """A tag, strong or weak, alone or in a list of one or several lines, or `*`."""
        for values in (
            [TAG],
            [b'"2b7e151628ae"'],
            [b'  W/"2b7e151628ae"\t'],
            [b'"a", W/"2b7e151628ae" ,"b"'],
            [b'"a,b",,"2b7e151628ae"'],
            [b'"a"', TAG],
            [b"*"],
            [b" * "],
        ):
            self.assertTrue(is_met(values, TAG), values)

    def test_not_met(self) -> None:
        """Other tags, and what is no list of tags."""
        for values in (
            [b""],
            [b'"a"'],
            [b"2b7e151628ae"],
            [b'w/"2b7e151628ae"'],
            [b'W/ "2b7e151628ae"'],
            [b'"2b7e151628ae'],
            [b'"a" "2b7e151628ae"'],
            [b'*, "a"'],
            [b"*", TAG, b'"'],
            [b'"x-2b7e151628ae"'],
            [b'"2B7E151628AE"'],
            [TAG + b";"],
        ):
            self.assertFalse(is_met(values, TAG), values)

    def test_long(self) -> None:
        """However long a value is, it takes no time that grows faster than it."""
        for value in (b'"a",' + b" " * 16_000 + b"x", b"," * 16_000, b'W/"' * 5_000):
            self.assertFalse(is_met([value], TAG), value[:8])

    def test_replaced(self) -> None:
        """Of a tag with a part for what is replaced that part alone counts."""
        self.assertTrue(is_met([b'"old-bb"'], b'W/"new-bb"'))
        self.assertFalse(is_met([b'"new-aa"'], b'W/"new-bb"'))


class DateTests(SynchronousTestCase):
    """Values of If-Unmodified-Since (RFC 9110 §5.6.7)."""

    def test_forms(self) -> None:
        """The three forms of a date are the same moment."""
        for value in (
            b"Sun, 06 Nov 1994 08:49:37 GMT",
            b"Sunday, 06-Nov-94 08:49:37 GMT",
            b"Sun Nov  6 08:49:37 1994",
        ):
            self.assertEqual(784_111_777, date(value), value)

    def test_none(self) -> None:
        """What is no such date is none."""
        for value in (
            b"",
            b"784111777",
            b"1994-11-06T08:49:37Z",
            b"Sun, 06 Nov 1994 08:49:37 CET",
            b"Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
            b"Sun, 31 Feb 1994 08:49:37 GMT",
            b"\xff",
        ):
            self.assertIsNone(date(value), value)


class HeededTests(WebCase):
    """A PUT that heeds its GET."""

    def setUp(self) -> None:
        super().setUp()
        self.bowls = Bowls()
        self.service = Service([self.bowls])

    def put(self, *headers: str) -> Answer:
        """The answer to a PUT with these lines."""
        client = self.service.connect()
        lines = "".join(f"{header}\r\n" for header in headers)
        client.send(f"PUT /bowl HTTP/1.1\r\nHost: t\r\n{lines}\r\n".encode())
        return client.answer()

    def tag(self) -> str:
        """The present ETag."""
        return str(self.service.ask("GET", "/bowl").headers["ETag"])

    def test_match(self) -> None:
        """Of two writes with one ETag the second is 412, and does nothing."""
        tag = self.tag()
        self.assertEqual(204, self.put(f"If-Match: {tag}").status)
        self.assertEqual(412, self.put(f"If-Match: {tag}").status)
        self.assertEqual(4, self.bowls.db)

    def test_missing(self) -> None:
        """What is not there meets no If-Match, and every date."""
        self.bowls.there = False
        self.assertEqual(412, self.put("If-Match: *").status)
        long_ago = "If-Unmodified-Since: Sat, 01 Jan 1980 00:00:00 GMT"
        self.assertEqual(204, self.put(long_ago).status)

    def test_date(self) -> None:
        """A change in the second of the date is none after it."""
        date = "If-Unmodified-Since: Sun, 06 Nov 1994 08:49:{} GMT"
        self.assertEqual(412, self.put(date.format(36)).status)
        self.assertEqual(204, self.put(date.format(37)).status)
        self.assertEqual(204, self.put(date.format(36), date.format(37)).status)
        self.assertEqual(412, self.put(date.format(37), 'If-Match: "a"').status)


class DeclaredTests(SynchronousTestCase):
    """What a table refuses."""

    def test_apart(self) -> None:
        """A route that heeds, and a handler that checks, go together."""

        class Says:
            @route("GET", "/a", allow=ANYONE)
            async def get_a(self, call: Call) -> int: ...

            @route("PUT", "/a", allow=ANYONE, heeds="/a")
            async def put_a(self, call: Call) -> None: ...

        class Does:
            @route("PUT", "/a", allow=ANYONE)
            async def put_a(self, call: Call) -> None:
                await call.unchanged(None)

        for family in (Says, Does):
            self.assertRaisesRegex(TypeError, "go together", table, [Family("a", family)])

    def test_no_get(self) -> None:
        """What is heeded is a GET of the table."""

        class Lost:
            @route("PUT", "/a", allow=ANYONE, heeds="/b")
            async def put_a(self, call: Call) -> None:
                await call.unchanged(None)

        self.assertRaisesRegex(TypeError, "no GET", table, [Family("a", Lost)])
