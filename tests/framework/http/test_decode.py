"""From bytes to Structs, with errors that say where."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from contentsvc.framework.http import decode
from contentsvc.framework.http.call import Call
from contentsvc.framework.http.errors import Problem
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.route import route
from contentsvc.wire.base import Guid
from tests.framework.http.support import ANN, Service, WebCase


class Inner(Struct, rename="camel"):
    guid_here: Guid
    count: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    side: Literal["left", "right"] | None = None
    digits: Annotated[str, Meta(pattern="^[0-9]+$", description="digits")] | UnsetType = UNSET
    capitals: Annotated[str, Meta(pattern="^[A-Z]+$")] = ""


class Outer(Struct, rename="camel"):
    inner: Inner
    some: list[Inner] = []
    kind: Literal["a", "b"] = "a"
    text: Annotated[str, Meta(min_length=1, max_length=3)] = "x"
    anything: dict[str, Any] = {}
    flag: bool = False


_outer = msgspec.json.Decoder(Outer)


class DecodeCase(WebCase):
    def refused(self, act: Any, *args: Any) -> Problem:
        """The problem that a call raises."""
        return self.assertRaises(Problem, act, *args)


class JsonTests(DecodeCase):
    """Bodies of JSON."""

    def error(self, member: str, value: str) -> tuple[str, str]:
        """Pointer and detail of the one error of a good body but for this member."""
        good = {"inner": f'{{"guidHere":"{ANN}"}}', member: value}
        text = ",".join(f'"{name}":{json}' for name, json in good.items())
        problem = self.refused(decode.json_body, f"{{{text}}}".encode(), None, _outer)
        self.assertEqual((problem.status, problem.code), (400, "invalid_body"))
        (error,) = problem.members["errors"]
        return error["pointer"], error["detail"]

    def malformed(self, raw: bytes) -> None:
        """Assert that this is not taken for JSON."""
        problem = self.refused(decode.json_body, raw, None, _outer)
        self.assertEqual((problem.status, problem.code), (400, "malformed_json"))

    def test_missing(self) -> None:
        """A missing member is named as if it were there."""
        expected = ("/inner/guidHere", "This is required, but missing.")
        self.assertEqual(self.error("inner", "{}"), expected)

    def test_missing_from_the_whole(self) -> None:
        """So is a member of the body itself, and one that a form lacks."""
        problem = self.refused(decode.json_body, b"{}", None, _outer)
        expected = {"pointer": "/inner", "detail": "This is required, but missing."}
        self.assertEqual(problem.members["errors"], [expected])
        media = "application/x-www-form-urlencoded"
        problem = self.refused(decode.form_body, b"", media, Inner)
        self.assertEqual(problem.detail, "guidHere: This is required, but missing.")

    def test_wrong_type(self) -> None:
        """A member of the wrong type is named, and both types are."""
        expected = ("/flag", "This must be true or false. It is a string.")
        self.assertEqual(self.error("flag", '"x"'), expected)
        expected = ("/inner", "This must be an object. It is an array.")
        self.assertEqual(self.error("inner", "[]"), expected)

    def test_null(self) -> None:
        """Null is among what is allowed where it is."""
        expected = ("/inner/side", 'This must be "left" or "right", or null. It is an integer.')
        self.assertEqual(self.error("inner", f'{{"guidHere":"{ANN}","side":1}}'), expected)

    def test_index(self) -> None:
        """An element of a list is named by its index."""
        some = f'[{{"guidHere":"{ANN}"}},{{"guidHere":"{ANN}","count":-1}}]'
        expected = ("/some/1/count", f"This must be an integer from 0 to {2**63 - 1}.")
        self.assertEqual(self.error("some", some), expected)

    def test_guid(self) -> None:
        """A GUID that is none is called so, and the pattern is left out."""
        for bad in ("x", ANN.replace("-", ""), f"{{{ANN}}}", ANN + "\\n", ""):
            found = self.error("inner", f'{{"guidHere":"{bad}"}}')
            self.assertEqual(found, ("/inner/guidHere", "This must be a GUID with dashes."))

    def test_choice(self) -> None:
        """A value that is none of the allowed is named, and they are listed; it is not repeated,
        whatever it says and however long it is."""
        for bad in ("c", "", " - at `$.text`", "Object missing required field `x`", "x" * 100_000):
            found = self.error("kind", f'"{bad}"')
            self.assertEqual(found, ("/kind", 'This must be "a" or "b".'))
        inner = f'{{"guidHere":"{ANN}","side":"up"}}'
        found = self.error("some", f"[{inner},{inner}]")
        self.assertEqual(found, ("/some/0/side", 'This must be "left" or "right", or null.'))

    def test_pattern(self) -> None:
        """A pattern is put into words where there are any."""
        found = self.error("inner", f'{{"guidHere":"{ANN}","digits":"x"}}')
        self.assertEqual(found, ("/inner/digits", "This must be digits."))
        found = self.error("inner", f'{{"guidHere":"{ANN}","capitals":"x"}}')
        self.assertEqual(found[1], "This must be a string of another form.")

    def test_length(self) -> None:
        """Lengths are of characters, and the limit is named."""
        for bad in ("", "äöüß"):
            expected = ("/text", "This must be a string of 1 to 3 characters.")
            self.assertEqual(self.error("text", f'"{bad}"'), expected)

    def test_huge_number(self) -> None:
        """10^30 fits no integer."""
        pointer, _ = self.error("inner", f'{{"guidHere":"{ANN}","count":1{"0" * 30}}}')
        self.assertEqual(pointer, "/inner/count")

    def test_infinite_number(self) -> None:
        """1e400 is no number, and the innermost member whose name is known is named."""
        expected = "This number is out of range: it must fit a 64-bit floating-point number."
        self.assertEqual(self.error("anything", '{"a":1e400}'), ("/anything", expected))

    def test_fraction(self) -> None:
        """A fraction is no integer."""
        pointer, _ = self.error("inner", f'{{"guidHere":"{ANN}","count":1.5}}')
        self.assertEqual(pointer, "/inner/count")

    def test_no_object(self) -> None:
        """Another JSON value than an object is an error of the whole."""
        for raw in (b"[]", b"null", b'"x"', b"1", b"true"):
            problem = self.refused(decode.json_body, raw, None, _outer)
            self.assertEqual(problem.members["errors"][0]["pointer"], "")

    def test_nul(self) -> None:
        """A NUL in a string is refused, wherever it stands, and its place is named."""
        self.assertEqual(self.error("text", '"\\u0000"')[0], "/text")
        self.assertEqual(self.error("anything", '{"a":[1,"\\u0000"]}')[0], "/anything/a/1")

    def test_nul_in_name(self) -> None:
        """A NUL in a member's name is refused, and what it is a member of is named."""
        self.assertEqual(self.error("anything", '{"a":{"b\\u0000":1}}')[0], "/anything/a")

    def test_nul_in_unknown(self) -> None:
        """A member that is ignored may have NUL, as its name too."""
        for more in ('"unknown":"\\u0000"', '"\\u0000":1', '"a":[["\\u0000"]]'):
            raw = f'{{"inner":{{"guidHere":"{ANN}"}},{more}}}'
            decode.json_body(raw.encode(), None, _outer)

    def test_escaped_pointer(self) -> None:
        """~ and / in a member's name are escaped as RFC 6901 has it."""
        self.assertEqual(self.error("anything", '{"a/~b":"\\u0000"}')[0], "/anything/a~1~0b")

    def test_no_nul(self) -> None:
        """A backslash before u0000 that is itself escaped makes no NUL."""
        raw = f'{{"inner":{{"guidHere":"{ANN}"}},"anything":{{"a":"\\\\u0000"}}}}'
        decode.json_body(raw.encode(), None, _outer)

    def test_raw_nul(self) -> None:
        """A bare NUL is not JSON."""
        self.malformed(b'{"text":"\0"}')
        self.malformed(b"\0")

    def test_surrogates(self) -> None:
        """A lone surrogate is not JSON, escaped or as bytes; a pair is one character."""
        self.malformed(b'{"text":"\\ud800"}')
        self.malformed(b'{"text":"\\udc00x"}')
        self.malformed(b'{"text":"\xed\xa0\x80"}')
        raw = f'{{"inner":{{"guidHere":"{ANN}"}},"text":"\\ud83d\\ude00"}}'
        self.assertEqual(decode.json_body(raw.encode(), None, _outer).text, "\U0001f600")

    def test_bad_utf_8(self) -> None:
        """Bytes that are not UTF-8 are not JSON."""
        for raw in (b'{"text":"\xff"}', b'{"text":"\xc3"}', '{"text":"ä"}'.encode("latin-1")):
            self.malformed(raw)

    def test_malformed(self) -> None:
        """Text that is incomplete, has something after it, or was never JSON is refused."""
        whole = f'{{"inner":{{"guidHere":"{ANN}"}}}}'.encode()
        cases = [whole[:-1], whole + b"x", b"{'a':1}", b"a=1", b"<a/>", b"{", b"nan", b'{"a":[[']
        for raw in cases:
            self.malformed(raw)

    def test_malformed_detail(self) -> None:
        """The detail says what is wrong with the text, and where."""
        for raw, expected in (
            (b'{"a":', "The body is not valid JSON: it ends too early."),
            (b'{"a":"x\\ud83d', "The body is not valid JSON: it ends too early."),
            (
                b'{"a":["x\\ud83d"]}',
                "The body is not valid JSON: its last text ends with half a character.",
            ),
            (b"{'a':1}", "The body is not valid JSON: object keys must be strings (byte 1)."),
        ):
            problem = self.refused(decode.json_body, raw, None, _outer)
            self.assertEqual(problem.detail, expected)

    def test_empty(self) -> None:
        """No body is not JSON."""
        self.malformed(b"")

    def test_depth(self) -> None:
        """A body nested too deeply is refused, in members that are known and others."""
        for name in ("anything", "unknown"):
            for opening, closing in (('{"a":', "}"), ("[", "]")):
                nested = opening * 100_000 + "1" + closing * 100_000
                self.malformed(f'{{"{name}":{{"a":{nested}}}}}'.encode())

    def test_media_type(self) -> None:
        """application/json, its relatives, and no type at all are JSON; all else is 415."""
        raw = f'{{"inner":{{"guidHere":"{ANN}"}}}}'.encode()
        for media in (None, "", "Application/JSON ; charset=utf-8", "application/x+json"):
            decode.json_body(raw, media, _outer)
        for media in ("text/plain", "application/jsonp", "multipart/form-data", "json", "*/*"):
            problem = self.refused(decode.json_body, raw, media, _outer)
            self.assertEqual((problem.status, problem.code), (415, "unsupported_media_type"))


class Kept(Struct):
    value: Raw


_kept = msgspec.json.Decoder(Kept)


class ObjectTextTests(DecodeCase):
    """Objects whose text is kept."""

    def text(self, value: str) -> str:
        """The text that is kept of a value."""
        body = decode.json_body(f'{{"value": {value} }}'.encode(), None, _kept)
        return decode.object_text("value", body.value)

    def error(self, value: str) -> tuple[str, str]:
        """Pointer and detail of the one error."""
        problem = self.refused(self.text, value)
        self.assertEqual((problem.status, problem.code), (400, "invalid_body"))
        (error,) = problem.members["errors"]
        return error["pointer"], error["detail"]

    def test_as_it_came(self) -> None:
        """Numbers, escapes and blanks stay as they were."""
        value = '{"b": 1.10,"a":1e300, "c":"\\u00e4\\ud83d\\ude00ä"}'
        self.assertEqual(self.text(value), value)

    def test_no_object(self) -> None:
        """A value that is no object is refused."""
        for value in ('"{}"', "7", "[{}]", "null", "true"):
            self.assertEqual(self.error(value), ("/value", "This must be an object."))

    def test_infinite_number(self) -> None:
        """A number beyond a double is refused and named, a text that looks like one is not."""
        for number in ("1e999", "-1E+0999", "12345678901e299", "1.8e308", "0.1e310"):
            found = self.error(f'{{"1e999":"\\"1e999","a":[0,{number}]}}')
            expected = "This number is out of range: it must fit a 64-bit floating-point number."
            self.assertEqual(found, ("/value/a/1", expected))
        for number in ("1e308", "1e-999", "0e999", "1" + "0" * 5000):
            self.text(f'{{"1e999":{number}}}')

    def test_not_json(self) -> None:
        """A value that could not be read again is refused, although it is kept as text."""
        strings = ['"\\ud800"', '"\\ud800\\u0041"', '"\\x"', '"\n"']
        for value in [*strings, "01", "1.", "[1,]", "[" * 2000]:
            with self.assertRaises(Problem) as caught:
                self.text(f'{{"a":{value}}}')
            self.assertEqual(caught.exception.code, "malformed_json")
        self.assertEqual(self.error('{"a":"\\u0000"}')[0], "/value/a")


class Sound(Struct):
    value: dict[str, Any]


class Echo:
    @route("PUT", "/echo", allow=ANYONE)
    async def put(self, call: Call, body: Sound) -> Sound:
        return body


class RoundTripTests(WebCase):
    """Decoded values can be encoded again."""

    def test_depth(self) -> None:
        """At no depth is a body taken that cannot be given back."""
        service, statuses = Service([Echo()]), set()
        for depth in range(700, 1000):
            nested = b'{"value":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"
            statuses.add(service.ask("PUT", "/echo", nested).status)
        self.assertEqual(statuses, {200, 400})

    def test_numbers(self) -> None:
        """Numbers of any size come back as they were."""
        raw = b'{"value":{"a":1%s,"b":-1%s,"c":0.1,"d":1e300}}' % (b"0" * 30, b"0" * 30)
        answer = Service([Echo()]).ask("PUT", "/echo", raw)
        self.assertEqual(answer.json(), msgspec.json.decode(raw))
