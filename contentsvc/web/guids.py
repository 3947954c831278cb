"""GUIDs: clients may write them in any case. Handlers get them in lower case."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from msgspec import UNSET, inspect

LOWER: Final = {"case": "lower"}
"""The `extra` of a string's Meta: after decoding, the string is put in lower case."""
_GUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")

Lowering = Callable[[Any], Any]
"""Gives a value with its GUIDs in lower case. Structs are changed in place."""


def is_guid(text: str) -> bool:
    """Whether this is a GUID with dashes."""
    return _GUID.match(text) is not None


@cache
def lowering(type: Any) -> Lowering | None:
    """The function that puts the GUIDs of a decoded value in lower case; None if it has none."""
    return _of(inspect.type_info(type))


def _of(info: inspect.Type) -> Lowering | None:
    match info:
        case inspect.Metadata():
            return str.lower if info.extra == LOWER else _of(info.type)
        case inspect.UnionType():
            return _of_union([lower for part in info.types if (lower := _of(part)) is not None])
        case inspect.ListType():
            return _of_list(_of(info.item_type))
        case inspect.StructType():
            fields = [(field.name, _of(field.type)) for field in info.fields]
            return _of_struct([(name, lower) for name, lower in fields if lower is not None])
    return None


def _of_union(parts: list[Lowering]) -> Lowering | None:
    if not parts:
        return None
    (lower,) = parts
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
