"""Names and addresses as somebody types them: blanks at their ends are left out before anything
else is looked at."""

from functools import cache
from typing import Any, Final

from msgspec import DecodeError, Raw, inspect, json

from contentsvc.framework.core.typed_text import trimmed

TYPED: Final = {"typed": True}
"""The `extra` of a string's Meta: blanks at its ends are left out before it is decoded."""
_MEMBERS: Final = json.Decoder(dict[str, Raw])
_STRING: Final = json.Decoder(str)


@cache
def names(type: Any) -> tuple[str, ...]:
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
    member that is no string: who decodes it says what is wrong."""
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
