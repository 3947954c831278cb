"""The values that a type allows at a place, in words: msgspec's own errors use terms of Python."""

import inspect
import json
from collections.abc import Iterator, Sequence
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec import Meta, Struct

_WORDS: dict[Any, str] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    list: "an array",
    dict: "an object",
    NoneType: "null",
}
_UNITS = {str: "characters", list: "elements"}


def wanted(type: Any, steps: Sequence[str | int], *, null: bool = True) -> str | None:
    """The values that are allowed at these names and indexes, such as "an integer from 1 to 200".

    None if the type does not say. `null` False leaves null out: a query string has none.
    """
    parts = [part for part in _at(type, steps) if null or part is not NoneType]
    # An integer is a number: one that may be either is a number.
    if any(_bare(part) is float for part in parts):
        parts = [part for part in parts if _bare(part) is not int]
    words = list(dict.fromkeys(word for part in parts for word in _words(part)))
    if len(words) > 1 and words[-1] == "null":
        return f"{_either(words[:-1])}, or null"
    return _either(words) or None


def _either(words: Sequence[str]) -> str:
    return " or ".join(words) if len(words) < 4 else f"one of {', '.join(words)}"


def _words(type: Any) -> Iterator[str]:
    bare = _bare(type)
    kind = get_origin(bare) or bare
    if kind is Literal:
        yield from (json.dumps(word) for word in get_args(bare))
    elif inspect.isclass(kind) and issubclass(kind, Struct):
        yield _WORDS[dict]
    elif kind in _WORDS:
        metas = [meta for meta in getattr(type, "__metadata__", ()) if isinstance(meta, Meta)]
        described = [meta.description for meta in metas if meta.description]
        if not described and any(meta.pattern for meta in metas):
            described = [f"{_WORDS[kind]} of another form"]
        unit = _UNITS.get(kind)
        bounds = [bound for meta in metas for bound in _bounds(meta, unit)]
        comma = "," if described and bounds else ""
        yield " ".join([(described or [_WORDS[kind]])[-1] + comma, *bounds])


def _bounds(meta: Meta, unit: str | None) -> Iterator[str]:
    if unit is None:
        low, high = meta.ge, meta.le
        between = f"from {low} to {high}"
        end = ""
    else:
        low, high = meta.min_length, meta.max_length
        between = f"of {low} to {high} {unit}"
        end = f" {unit}"
    if low is not None and high is not None:
        yield between
    elif low is not None:
        yield f"of at least {low}{end}"
    elif high is not None:
        yield f"of at most {high}{end}"


def _at(type: Any, steps: Sequence[str | int]) -> list[Any]:
    """The types that are allowed there, each with its annotations."""
    found = list(_parts(type))
    for step in steps:
        found = [part for one in found for inner in _inner(one, step) for part in _parts(inner)]
    return found


def _parts(type: Any) -> Iterator[Any]:
    """The members of a union, or the one type."""
    bare = _bare(type)
    if get_origin(bare) in {None, Annotated, Literal, list, dict}:
        yield type
    else:
        for part in get_args(bare):
            yield from _parts(part)


def _bare(type: Any) -> Any:
    return get_args(type)[0] if get_origin(type) is Annotated else type


def _inner(type: Any, step: str | int) -> Iterator[Any]:
    bare = _bare(type)
    if isinstance(step, int):
        if get_origin(bare) is list:
            yield get_args(bare)[0]
    elif inspect.isclass(bare) and issubclass(bare, Struct):
        for field in msgspec.structs.fields(bare):
            if field.encode_name == step:
                yield field.type
