"""Places in the text of a body: right, and cheap to find."""

import sys
from collections.abc import Callable

import msgspec
from msgspec import Raw, Struct

from contentsvc.framework.http import decode, json_pointers
from contentsvc.framework.http.errors import Problem
from tests.framework.http.support import WebCase


class Body(Struct):
    """Members of any kind."""

    a: Raw = Raw()
    zz: Raw = Raw()


_body = msgspec.json.Decoder(Body)


class PlaceTests(WebCase):
    """Where a NUL is said to stand."""

    def nul_at(self, raw: str) -> str:
        """The pointer to the NUL for which a body is refused."""
        problem = self.assertRaises(Problem, decode.json_body, raw.encode(), None, _body)
        (error,) = problem.members["errors"]
        return error["pointer"]

    def test_tokens(self) -> None:
        """Quotes, brackets, commas and colons in strings are text, escaped or not."""
        odd = '"a\\\\\\"[{,:}]\\\\"'
        for raw, pointer in (
            (f'[{odd},{{{odd}:1,"b":"\\u0000"}}]', "/1/b"),
            (f'{{{odd}:"\\u0000"}}', '/a\\"[{,:}]\\'),
            ('{"a" : [ [ ] , { } , [ 1 , "\\u0000" ] ] }', "/a/2/1"),
            ('{"a":{"b":1},"c":{"d":[],"e\\u0000" :1}}', "/c"),
            ('{"a":"\\\\u0000\\\\\\u0000"}', "/a"),
            ('{"":{"":"\\u0000"}}', "//"),
            ('"\\u0000"', ""),
        ):
            self.assertEqual(self.nul_at(f'{{"zz":{raw}}}'), "/zz" + pointer)

    def test_none(self) -> None:
        """The characters after an escaped backslash make no NUL."""
        for raw in ('"\\\\u0000"', '"\\u0041\\\\u0000"', '"\\\\\\\\u0000"'):
            decode.json_body(f'{{"zz":{raw}}}'.encode(), None, _body)

    def test_long_names(self) -> None:
        """The place of a NUL among members with huge names is the nearest that a pointer of
        1,024 characters reaches."""
        long = "k" * 100_000 + "€"
        self.assertEqual(self.nul_at(f'{{"a":[{{"{long}":["\\u0000"]}}]}}'), "/a/0")
        deep = "[" * 600 + '"\\u0000"' + "]" * 600
        self.assertEqual(self.nul_at(f'{{"a":{deep}}}'), "/a" + "/0" * 511)

    def test_far_nul(self) -> None:
        """A NUL behind tens of thousands of values is refused, and its place is the whole."""
        self.assertEqual(self.nul_at(f'{{"a":[{"1," * json_pointers.TOKENS}"\\u0000"]}}'), "")

    def calls(self, act: Callable[[], object]) -> int:
        """How many functions something calls, C's too; what it raises is dropped."""
        found = 0

        def count(frame: object, event: str, arg: object) -> None:
            nonlocal found
            found += event in {"call", "c_call"}

        sys.setprofile(count)
        try:
            act()
        except Problem:
            pass
        finally:
            sys.setprofile(None)
        return found

    def test_work(self) -> None:
        """However many values there are beside an escaped u0000, and however long their names,
        what is done for each is done in C, or for the first of them only."""
        name = "k" * 1000 + "€"
        for nul in ("\\\\u0000", "\\u0000"):
            for many in ("1," * 200_000, "[]," * 200_000, ("[" * 900 + "]" * 900 + ",") * 200):
                raw = f'{{"x":{{"{name}":[{many}"{nul}"]}}}}'.encode()
                calls = self.calls(lambda raw=raw: decode.json_body(raw, None, _body))
                self.assertLess(calls, 5 * json_pointers.TOKENS)
