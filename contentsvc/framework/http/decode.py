"""Decoding bytes to Structs, with errors that name the place and what is allowed there."""

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any, Final, Generic, TypeVar
from urllib.parse import parse_qsl

import msgspec
from msgspec import DecodeError, Raw, inspect, json

from contentsvc.framework.core.utf8 import trimmed
from contentsvc.framework.http import json_pointers, type_descriptions
from contentsvc.framework.http.errors import (
    InvalidBody,
    MalformedJson,
    Problem,
    UnsupportedMediaType,
    at_parameter,
    at_pointer,
)
from contentsvc.framework.http.guids import lowering

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)
W = TypeVar("W")

_STEP = re.compile(r"\.([^.\[`]+)|\[(\d+)\]")
_MISSING = re.compile(r"^Object missing required field `(.+)`$")
_GOT = re.compile(r", got `(\w+)`$")
_KINDS = {
    "str": "a string",
    "int": "an integer",
    "float": "a floating-point number",
    "bool": "a boolean",
    "array": "an array",
    "object": "an object",
    "null": "null",
}
_MAX_PARAMETERS = 64
_ODD = re.compile(r"null|true|false|-?[0-9.]+(?:e[-+]?[0-9]+)?", re.IGNORECASE)
_HALF = re.compile(rb'(?<!\\)\\u[dD][89abAB][0-9a-fA-F]{2}"[\s\]}]*\Z')
"""An escaped surrogate without its pair, at the end of a JSON text: programs send that which cut
text by UTF-16 units."""
_GROUP = re.compile(r"([a-z]+)(?:\.(.*)|\[(.*)\])\Z", re.DOTALL)
"""A parameter of several, by a key of the client's: `attr.KEY`, and `attr[KEY]` as OpenAPI's
deepObject has it. A query says in `maps` which it has."""
_MISSES = "This is required, but missing."
_NOT_TEXT = "This must be percent-encoded UTF-8."
_OUT_OF_RANGE = "This number is out of range: it must fit a 64-bit floating-point number."


def json_body(raw: bytes, content_type: str | None, decoder: msgspec.json.Decoder[T]) -> T:
    """Decode a JSON body: GUIDs to lower case, what is typed without the blanks at its ends. A
    missing Content-Type counts as JSON.

    Unknown members are ignored, whatever they have.

    Raises UnsupportedMediaType, MalformedJson or InvalidBody.
    """
    if content_type is not None:
        media = content_type.partition(";")[0].strip().lower()
        if media and media != "application/json" and not media.endswith("+json"):
            raise UnsupportedMediaType("The Content-Type of the body must be application/json.")
    if not raw:
        raise MalformedJson("The body is empty. It must be JSON.")
    kind: Any = decoder.type
    try:
        if not raw.isascii():
            raw.decode()  # msgspec does not check members that it skips
        if names := typed_members(kind):
            raw = trim(raw, names)
        value = decoder.decode(raw)
        if json_pointers.nul(raw) >= 0:
            _refuse_nul(msgspec.json.encode(value))
    except msgspec.ValidationError as error:
        raise at_pointer(*_where(error, decoder.type)) from None
    except msgspec.DecodeError as error:
        raise MalformedJson(f"The body is not valid JSON: {_fault(error, raw)}.") from None
    except UnicodeDecodeError:
        raise MalformedJson("The body is not UTF-8.") from None
    except RecursionError:
        raise MalformedJson("The body is nested too deeply.") from None
    lower = lowering(kind)
    if lower is not None:
        lower(value)
    return value


class Either(Generic[T]):
    """A JSON body of one of several types, `Either[A | B]`. The handler says which, as soon as it
    knows. With one type, it says when: a large body may be refused before it is decoded."""

    __slots__ = ("_content_type", "_raw")

    def __init__(self, raw: bytes, content_type: str | None) -> None:
        self._raw = raw
        self._content_type = content_type

    @property
    def size(self) -> int:
        """The bytes of the body, for what it would take to decode it."""
        return len(self._raw)

    def decode(self, type: type[W]) -> W:
        """The body, decoded as this type. Raises what json_body does."""
        return json_body(self._raw, self._content_type, msgspec.json.Decoder(type))


def object_text(member: str, raw: msgspec.Raw) -> str:
    """The text of a body's member that must be an object, to store it exactly as it came.

    `raw` is from a body that json_body has decoded. Raises InvalidBody if it is not an object, or
    has a number that does not fit a double.
    """
    text = bytes(raw)
    if not text.startswith(b"{"):
        raise at_pointer(f"/{member}", "This must be an object.")
    infinite = json_pointers.infinite(text)
    if infinite >= 0:
        pointer, _ = json_pointers.pointer(text, infinite)
        raise at_pointer(f"/{member}{pointer}", _OUT_OF_RANGE)
    return text.decode()


def query_string(raw: bytes, type: type[S]) -> S:
    """Decode a query string. Raises InvalidQuery."""
    return _pairs(raw, type, at_parameter)


def form_body(raw: bytes, content_type: str | None, type: type[S]) -> S:
    """Decode an application/x-www-form-urlencoded body.

    Raises InvalidBody: RFC 6749 §5.2 has status 400 for every malformed request.
    """
    media = (content_type or "").partition(";")[0].strip().lower()
    if media != "application/x-www-form-urlencoded":
        raise InvalidBody("The Content-Type must be application/x-www-form-urlencoded.")
    return _pairs(raw, type, _at_member)


def _at_member(name: str, detail: str) -> Problem:
    return InvalidBody(f"{name}: {detail}" if name else detail)


def _pairs(raw: bytes, type: type[S], problem: Callable[[str, str], Problem]) -> S:
    try:
        pairs = parse_qsl(
            raw.decode("ascii"),
            keep_blank_values=True,
            errors="surrogateescape",
            max_num_fields=_MAX_PARAMETERS,
        )
    except UnicodeDecodeError:
        raise problem("", _NOT_TEXT) from None
    except ValueError:
        raise problem("", f"There may be at most {_MAX_PARAMETERS} parameters.") from None
    known, names = type.__struct_encode_fields__, typed_members(type)
    values: dict[str, str] = {}
    maps: dict[str, dict[str, str]] = {}
    grouped: Collection[str] = getattr(type, "maps", ())
    for name, value in pairs:
        group, key = _grouped(name, grouped)
        if group is None and name not in known:  # it is ignored, whatever it has
            continue
        into = values if group is None else maps.setdefault(group, {})
        if key in into:
            raise problem(name, "This parameter appears more than once. Send it once.")
        if not _is_text(value):
            raise problem(name, _NOT_TEXT)
        if "\0" in value:
            raise problem(name, "This must not contain the character NUL.")
        into[key] = trimmed(value) if group is None and name in names else value
    try:
        found = msgspec.convert(values | maps, type, strict=False)
    except msgspec.ValidationError as error:
        pointer, detail = _where(error, type, json=False)
        raise problem(pointer.lstrip("/"), detail) from None
    if any(
        value in ("0", "1") or (not value.isdecimal() and _ODD.fullmatch(value))
        for value in values.values()
    ):
        # msgspec reads null as None where a number may be missing, 1.0 and 1e1 as integers, and 1
        # and TRUE as true.
        for name, attribute in zip(known, type.__struct_fields__, strict=True):
            if name in values and not _as_written(values[name], getattr(found, attribute)):
                raise problem(name, _must_be(type, [name], json=False))
    lower = lowering(type)
    if lower is not None:
        lower(found)
    return found


def _grouped(name: str, grouped: Collection[str]) -> tuple[str | None, str]:
    """The group of a parameter, None if it is in none of these, and its key there."""
    match = _GROUP.match(name) if grouped else None
    if match is None or match[1] not in grouped:
        return None, name
    return match[1], match[2] if match[3] is None else match[3]


def fitting(member: str, value: object, type: Any) -> None:
    """Check a member of a decoded body against a narrower type. Raises InvalidBody."""
    try:
        msgspec.convert(value, type)
    except msgspec.ValidationError as error:
        pointer, detail = _where(error, type)
        raise at_pointer(f"/{member}{pointer}", detail) from None


def _fault(error: msgspec.DecodeError, raw: bytes) -> str:
    """The fault of a text that is not JSON, with its byte."""
    text = str(error).removeprefix("JSON is malformed: ")
    if text != "Input data was truncated":
        return text
    # msgspec looks for the second half behind the end.
    return "its last text ends with half a character" if _HALF.search(raw) else "it ends too early"


def _where(error: msgspec.ValidationError, type: Any, *, json: bool = True) -> tuple[str, str]:
    """Pointer and detail of the value that does not fit this type. Without `json` all values were
    strings."""
    # The path comes last: the text before it may contain any text of the client.
    detail, found, path = str(error).rpartition(" - at `$")
    if not found:  # it is about the whole
        detail, path = path, ""
    # For [...] msgspec does not say which member it means: then the error is about the outer one.
    known, unknown, _ = path.partition("[...]")
    steps = [name or int(index) for name, index in _STEP.findall(known)]
    pointer = "".join(json_pointers.step(str(step)) for step in steps)
    missing = _MISSING.match(detail)
    if missing:
        return f"{pointer}/{missing[1]}", _MISSES
    if detail.startswith("Number out of range"):
        return pointer, _OUT_OF_RANGE
    if unknown:
        return pointer, "A value in this is not allowed."
    got = _GOT.search(detail) if json else None
    return pointer, _must_be(type, steps, json=json, got=got and got[1])


def _must_be(type: Any, steps: Sequence[str | int], *, json: bool, got: str | None = None) -> str:
    wanted = type_descriptions.wanted(type, steps, null=json) or "another value"
    found = f" It is {_KINDS[got]}." if got in _KINDS else ""
    return f"This must be {wanted}.{found}"


def _as_written(text: str, value: object) -> bool:
    """Whether this is how the value of a parameter is written."""
    if isinstance(value, bool):
        return text in ("true", "false")
    if isinstance(value, int):
        return text.removeprefix("-").isdecimal()
    return value is not None


def _is_text(value: str) -> bool:
    """Whether the bytes were UTF-8: if not, the text has lone surrogates."""
    return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)


def _refuse_nul(known: bytes) -> None:
    """Raises InvalidBody if there is a NUL in the members that are known."""
    nul = json_pointers.nul(known)
    if nul >= 0:
        pointer, in_name = json_pointers.pointer(known, nul)
        what = "The name of a member of this" if in_name else "This"
        raise at_pointer(pointer, f"{what} must not contain the character NUL (\\u0000).")


TYPED: Final = {"typed": True}
"""The `extra` of a string's Meta: blanks at its ends are left out before it is decoded."""
_MEMBERS: Final = json.Decoder(dict[str, Raw])
_STRING: Final = json.Decoder(str)


@cache
def typed_members(type: Any) -> tuple[str, ...]:
    """The names of the members of a Struct that somebody types."""
    info = inspect.type_info(type)
    if not isinstance(info, inspect.StructType):
        return ()
    return tuple(field.encode_name for field in info.fields if _is_typed(field.type))


def _is_typed(info: inspect.Type) -> bool:
    if isinstance(info, inspect.UnionType):
        return any(map(_is_typed, info.types))
    return isinstance(info, inspect.Metadata) and info.extra == TYPED


def trim(raw: bytes, names: tuple[str, ...]) -> bytes:
    """A JSON object with these members trimmed. What is no object stays as it is, and so does a
    member that is no string: its decoder says what is wrong."""
    try:
        members = _MEMBERS.decode(raw)
    except (DecodeError, RecursionError):
        return raw
    changed = False
    for name in names:
        try:
            text = _STRING.decode(members.get(name, b""))
        except (DecodeError, UnicodeDecodeError):
            continue
        if (without := trimmed(text)) != text:
            members[name] = Raw(json.encode(without))
            changed = True
    return json.encode(members) if changed else raw
