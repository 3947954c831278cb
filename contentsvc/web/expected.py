"""What a type wants at a place, for the errors that msgspec leaves too short or too long."""

import inspect
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec import Meta, Struct


def choices(type: Any, steps: Sequence[str | int]) -> list[str]:
    """The words that are allowed where these names and indexes lead."""
    bare = [_bare(one) for one in _at(type, steps)]
    return [str(word) for one in bare if get_origin(one) is Literal for word in get_args(one)]


def description(type: Any, steps: Sequence[str | int]) -> str | None:
    """The words for the pattern that holds there, where its Meta has any."""
    for one in _at(type, steps):
        for meta in getattr(one, "__metadata__", ()):
            if isinstance(meta, Meta) and meta.pattern is not None and meta.description:
                return meta.description
    return None


def _at(type: Any, steps: Sequence[str | int]) -> list[Any]:
    """The types that may stand there, each with its annotations."""
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
