"""Queries and forms, from bytes to Structs."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from contentsvc.framework.http import decode
from tests.framework.http.test_decode import DecodeCase


class Asked(Struct, rename="camel"):
    page: Annotated[int, Meta(ge=0, le=2**31 - 1)] = 0
    page_size: int | None = None
    since: int | float | None = None
    q: str = ""
    sort: Literal["newest", "top"] = "newest"
    own: bool | None = None


class PairsTests(DecodeCase):
    """Query strings and forms."""

    def error(self, raw: bytes) -> tuple[str, str]:
        """Parameter and detail of the one error."""
        problem = self.refused(decode.query_string, raw, Asked)
        self.assertEqual((problem.status, problem.code), (400, "invalid_query"))
        (error,) = problem.members["errors"]
        return error["parameter"], error["detail"]

    def test_values(self) -> None:
        """Values are numbers where those are wanted, and decoded from percent and plus."""
        found = decode.query_string(b"page=3&pageSize=7&q=%C3%A4+b%26&since=1.5", Asked)
        self.assertEqual(found, Asked(3, 7, 1.5, "ä b&"))

    def test_unknown(self) -> None:
        """Parameters that are not known do not matter."""
        self.assertEqual(decode.query_string(b"x=1&=2&y", Asked), Asked())

    def test_bad_numbers(self) -> None:
        """A value that is no whole number in range is refused with the parameter's name."""
        for bad in (b"x", b"", b"-1", b"1.5", b"1" + b"0" * 30, b"0x1", b"1_0", b"2147483648"):
            self.assertEqual(self.error(b"page=" + bad)[0], "page", bad)
        for bad in (b"pageSize=x", b"pageSize=null"):
            self.assertEqual(self.error(bad), ("pageSize", "This must be an integer."))

    def test_fraction(self) -> None:
        """An integer is written in digits, without a fraction or an exponent."""
        for value in (b"1.0", b"1e1", b"1E0", b"1."):
            self.assertEqual(self.error(b"page=" + value)[0], "page", value)
            self.assertEqual(self.error(b"pageSize=" + value)[0], "pageSize", value)
        self.assertEqual(decode.query_string(b"since=1.0&q=1e1", Asked).q, "1e1")

    def test_null(self) -> None:
        """The word null is no number, also where there may be none, and a text like any other."""
        for raw in (b"since=null", b"since=NULL", b"since=%6eull", b"page=null"):
            self.assertEqual(self.error(raw)[0], raw.partition(b"=")[0].decode())
        self.assertEqual(decode.query_string(b"q=null", Asked).q, "null")

    def test_flag(self) -> None:
        """A flag is true or false, beside whatever else; 1 and TRUE are none."""
        for text, value in ((b"true", True), (b"false", False)):
            self.assertIs(decode.query_string(b"own=" + text, Asked).own, value)
            self.assertIs(decode.query_string(b"q=1.5&page=1&own=" + text, Asked).own, value)
        for bad in (b"1", b"0", b"TRUE", b"False", b"null", b"", b"yes", b"2"):
            self.assertEqual(self.error(b"own=" + bad), ("own", "This must be true or false."))

    def test_choice(self) -> None:
        """A word that is none of the allowed is not repeated, and they are listed."""
        expected = ("sort", 'This must be "newest" or "top".')
        self.assertEqual(self.error(b"sort=best"), expected)

    def test_digits_of_others(self) -> None:
        """Digits beyond ASCII are none."""
        self.assertEqual(self.error(b"page=%D9%A1")[0], "page")

    def test_twice(self) -> None:
        """A parameter that appears twice is refused, unless it is unknown."""
        expected = ("page", "This parameter appears more than once. Send it once.")
        self.assertEqual(self.error(b"page=1&page=1"), expected)
        self.assertEqual(decode.query_string(b"x=1&y=2&x=3&page=1", Asked).page, 1)

    def test_nul(self) -> None:
        """NUL is refused, but not in a parameter that is ignored."""
        self.assertEqual(self.error(b"q=a%00"), ("q", "This must not contain the character NUL."))
        self.assertEqual(decode.query_string(b"%00=a&x=%00&q=b", Asked).q, "b")

    def test_bad_utf_8(self) -> None:
        """A value that is not UTF-8 is refused, but not in a parameter that is ignored."""
        not_text = "This must be percent-encoded UTF-8."
        self.assertEqual(self.error(b"q=%FF"), ("q", not_text))
        self.assertEqual(self.error(b"q=%ED%A0%80"), ("q", not_text))
        self.assertEqual(self.error(b"q=\xc3\xa4"), ("", not_text))
        self.assertEqual(decode.query_string(b"%FF=1&x=%FF&q=b", Asked).q, "b")

    def test_many(self) -> None:
        """Hundreds of parameters are refused for their number."""
        raw = b"&".join(b"p%d=" % n for n in range(65))
        self.assertEqual(self.error(raw), ("", "There may be at most 64 parameters."))

    def form(self, raw: bytes, media: str | None = "application/x-www-form-urlencoded") -> Any:
        """The result of decoding a form."""
        return decode.form_body(raw, media, Asked)

    def test_form(self) -> None:
        """A form is decoded as a query is, whatever the case of its media type."""
        media = "Application/X-WWW-Form-URLEncoded; charset=UTF-8"
        self.assertEqual(self.form(b"q=a%20b&page=2", media), Asked(2, None, None, "a b"))

    def test_form_media_type(self) -> None:
        """Another media type, or none, is 400: RFC 6749 §5.2 has nothing else."""
        for media in (None, "application/json", "multipart/form-data"):
            self.assertEqual(self.refused(self.form, b"q=a", media).code, "invalid_body")

    def test_form_errors(self) -> None:
        """Errors of a form say in words which member is meant."""
        for raw, start in ((b"q=1&q=2", "q: "), (b"q=%00", "q: "), (b"page=x", "page: ")):
            problem = self.refused(self.form, raw)
            self.assertEqual((problem.status, problem.code), (400, "invalid_body"))
            self.assertTrue(problem.detail.startswith(start), problem.detail)
        self.assertEqual(self.refused(self.form, b"\xff").detail, self.error(b"\xff")[1])
