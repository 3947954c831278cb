"""GUIDs: clients may write them in any case. Handlers get them in lower case."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from msgspec import UNSET, Struct, inspect

LOWER: Final = {"case": "lower"}
"""The `extra` of a string's Meta: after decoding, the string is put in lower case."""
GUID: Final = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
"""The form of a GUID with dashes, as a regular expression."""
_GUID = re.compile(GUID)

Lowering = Callable[[Any], Any]
"""Gives a value with its GUIDs in lower case. Structs are changed in place."""


def is_guid(text: str) -> bool:
    """Whether this is a GUID with dashes."""
    return _GUID.fullmatch(text) is not None


@cache
def lowering(type: Any) -> Lowering | None:
    """The function that puts the GUIDs of a decoded value in lower case; None if it has none."""
    return _of(inspect.type_info(type))


def _of(info: inspect.Type) -> Lowering | None:
    match info:
        case inspect.Metadata():
            return str.lower if info.extra == LOWER else _of(info.type)
        case inspect.UnionType():
            return _of_union(
                [(part, lower) for part in info.types if (lower := _of(part)) is not None]
            )
        case inspect.ListType():
            return _of_list(_of(info.item_type))
        case inspect.StructType():
            fields = [(field.name, _of(field.type)) for field in info.fields]
            return _of_struct([(name, lower) for name, lower in fields if lower is not None])
    return None


def _of_union(parts: list[tuple[inspect.Type, Lowering]]) -> Lowering | None:
    if not parts:
        return None
    ((info, lower),) = parts
    if isinstance(info, inspect.StructType):
        # Beside it there may be a word.
        return lambda value: lower(value) if isinstance(value, Struct) else value
    return lambda value: None if value is None else lower(value)


def _of_list(lower: Lowering | None) -> Lowering | None:
    return None if lower is None else lambda values: list(map(lower, values))


def _of_struct(fields: list[tuple[str, Lowering]]) -> Lowering | None:
    if not fields:
        return None

    def lowered(struct: Any) -> Any:
        for name, lower in fields:
            value = getattr(struct, name)
            if value is not UNSET:
                setattr(struct, name, lower(value))
        return struct

    return lowered
