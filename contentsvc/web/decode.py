"""From bytes to Structs, with errors that say where."""

import re
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import msgspec

from contentsvc.web import expected, place
from contentsvc.web.errors import (
    InvalidBody,
    InvalidPath,
    MalformedJson,
    Problem,
    UnsupportedMediaType,
    at_parameter,
    at_pointer,
)

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)

_STEP = re.compile(r"\.([^.\[`]+)|\[(\d+)\]")
_MISSING = re.compile(r"^Object missing required field `(.+)`$")
_GUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_MAX_PARAMETERS = 64
_NOT_TEXT = "This is not percent-encoded UTF-8."


def is_guid(text: str) -> bool:
    """Whether this is a GUID with dashes."""
    return _GUID.match(text) is not None


def guid(name: str, text: str) -> str:
    """A GUID of the path in lower case. Raises InvalidPath."""
    if not is_guid(text):
        raise InvalidPath(f"{name} must be a GUID with dashes.", parameter=name)
    return text.lower()


def integer(name: str, text: str) -> int:
    """A positive 64-bit integer of the path. Raises InvalidPath."""
    if not (text.isascii() and text.isdigit() and len(text) <= 19 and 0 < int(text) < 2**63):
        raise InvalidPath(f"{name} must be a positive integer.", parameter=name)
    return int(text)


def json_body(raw: bytes, content_type: str | None, decoder: msgspec.json.Decoder[T]) -> T:
    """Decode a JSON body. A missing Content-Type counts as JSON.

    Raises UnsupportedMediaType, MalformedJson or InvalidBody.
    """
    if content_type is not None:
        media = content_type.partition(";")[0].strip().lower()
        if media and media != "application/json" and not media.endswith("+json"):
            raise UnsupportedMediaType()
    if not raw:
        raise MalformedJson("The body is empty; it must be JSON.")
    try:
        if not raw.isascii():
            raw.decode()  # msgspec skips over what it does not need
        value = decoder.decode(raw)
        nul = place.nul(raw)
        if nul >= 0:
            raise _nul_at(raw, nul)
    except msgspec.ValidationError as error:
        raise at_pointer(*_where(error, decoder.type)) from None
    except msgspec.DecodeError as error:
        raise MalformedJson(f"The body is not JSON: {error}.") from None
    except UnicodeDecodeError:
        raise MalformedJson("The body is not UTF-8.") from None
    except RecursionError:
        raise MalformedJson("The body is nested too deeply.") from None
    return value


def object_text(member: str, raw: msgspec.Raw) -> str:
    """The text of an object that a body has as this member, for what is kept as it came.

    It is part of what json_body has taken. Raises InvalidBody: it is no object, or has a number
    beyond what a double holds.
    """
    text = bytes(raw)
    if not text.startswith(b"{"):
        raise at_pointer(f"/{member}", "Expected `object`.")
    infinite = place.infinite(text)
    if infinite >= 0:
        pointer, _ = place.pointer(text, infinite)
        raise at_pointer(f"/{member}{pointer}", "Number out of range.")
    return text.decode()


def query_string(raw: bytes, type: type[S]) -> S:
    """Decode a query string. Raises InvalidQuery."""
    return _pairs(raw, type, at_parameter)


def form_body(raw: bytes, content_type: str | None, type: type[S]) -> S:
    """Decode an application/x-www-form-urlencoded body. Raises InvalidBody, which is the
    status that RFC 6749 §5.2 has for every malformed request."""
    media = (content_type or "").partition(";")[0].strip().lower()
    if media != "application/x-www-form-urlencoded":
        raise InvalidBody("The body must be application/x-www-form-urlencoded.")
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
        raise problem("", f"At most {_MAX_PARAMETERS} parameters are taken.") from None
    values: dict[str, str] = {}
    for name, value in pairs:
        if not _is_text(name) or not _is_text(value):
            raise problem(name if _is_text(name) else "", _NOT_TEXT)
        if name in values:
            raise problem(name, "This stands there twice.")
        if "\0" in name or "\0" in value:
            raise problem(name, "A string may not hold NUL.")
        values[name] = value
    try:
        found = msgspec.convert(values, type, strict=False)
    except msgspec.ValidationError as error:
        pointer, detail = _where(error, type)
        raise problem(pointer.lstrip("/"), detail) from None
    if any(value.lower() == "null" for value in values.values()):
        # msgspec takes it for None where a number may be left out.
        for field in msgspec.structs.fields(type):
            if field.encode_name in values and getattr(found, field.name) is None:
                raise problem(field.encode_name, "Expected a number.")
    return found


def fitting(member: str, value: object, type: Any) -> None:
    """Hold a member of a decoded body to a narrower type. Raises InvalidBody."""
    try:
        msgspec.convert(value, type)
    except msgspec.ValidationError as error:
        pointer, detail = _where(error, type)
        raise at_pointer(f"/{member}{pointer}", detail) from None


def _where(error: msgspec.ValidationError, type: Any) -> tuple[str, str]:
    """Pointer and detail of what does not fit this type."""
    # The path is last: before it there may be a text of the client's, of any length.
    detail, found, path = str(error).rpartition(" - at `$")
    if not found:  # it is about the whole
        detail, path = path, ""
    # Where msgspec has [...] for some member, it does not say which: it is in this one.
    known, unknown, _ = path.partition("[...]")
    steps = [name or int(index) for name, index in _STEP.findall(known)]
    pointer = "".join(place.step(str(step)) for step in steps)
    missing = _MISSING.match(detail)
    if missing:
        return f"{pointer}/{missing[1]}", "This member is required."
    if detail.startswith("Invalid enum value"):
        allowed = [] if unknown else expected.choices(type, steps)
        return pointer, f"Invalid enum value; allowed are {', '.join(allowed) or 'others'}."
    if " matching regex " in detail:
        wanted = None if unknown else expected.description(type, steps)
        return pointer, f"Expected {wanted or 'other characters or another form'}."
    return pointer, f"{detail}."


def _is_text(value: str) -> bool:
    """Whether it came from UTF-8: what did not, has lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in value)


def _nul_at(raw: bytes, offset: int) -> Problem:
    pointer, in_name = place.pointer(raw, offset)
    what = "A member's name" if in_name else "A string"
    return at_pointer(pointer, f"{what} may not hold NUL.")
