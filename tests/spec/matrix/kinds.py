"""Kinds of JSON values: each gives one that fits, those at its limits, and those that do not fit,
and says how a JSON Schema differs from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from tests.spec.data import guid

Fault = tuple[str, Any]
"""The JSON pointer that the answer must have, and the whole value."""
BEYOND = (10**30, -(10**30), 1e30)
"""Numbers of more than 64 bits."""


class Kind:
    """A kind of JSON values."""

    def sample(self) -> Any:
        """A value that fits."""
        raise NotImplementedError

    def limits(self) -> Iterator[Any]:
        """Values that only just fit."""
        yield from ()

    def faults(self) -> Iterator[Fault]:
        """Values that do not fit, beside null."""
        raise NotImplementedError

    def differs(self, schema: Mapping[str, Any], named: Callable[[str], Any]) -> str | None:
        """How a JSON Schema says otherwise, if it does; `named` resolves a $ref."""
        raise NotImplementedError


def _other(schema: Mapping[str, Any], **expected: Any) -> str | None:
    wrong = {key: schema.get(key) for key, value in expected.items() if schema.get(key) != value}
    return f"{expected} is {wrong}" if wrong else None


@dataclass(frozen=True)
class Text(Kind):
    """A string of `least` to `most` code points; `make` gives one of a length."""

    least: int = 0
    most: int | None = None
    bad: tuple[str, ...] = ()
    make: Callable[[int], str] = lambda length: "é" * length
    usual: int = 8

    def sample(self) -> str:
        return self.make(max(self.least, min(self.usual, self.most or self.usual)))

    def limits(self) -> Iterator[str]:
        yield self.make(self.least)
        if self.most is not None:
            yield self.make(self.most)

    def faults(self) -> Iterator[Fault]:
        for value in (True, 7, [], {"no": "such"}):
            yield "", value
        for value in (self.sample() + "\0", self.sample() + "\ud800", "\udc00" + self.sample()):
            yield "", value
        for value in self.bad:
            yield "", value
        if self.least:
            yield "", self.make(self.least - 1)
        if self.most is not None:
            yield "", self.make(self.most + 1)

    def differs(self, schema: Mapping[str, Any], named: Callable[[str], Any]) -> str | None:
        least = self.least or None
        return _other(schema, type="string", minLength=least, maxLength=self.most)


@dataclass(frozen=True)
class Form(Kind):
    """A string of a form, which `make` gives."""

    make: Callable[[], str]
    bad: tuple[str, ...]
    upper: bool = True
    """Whether it may be in upper case."""

    def sample(self) -> str:
        return self.make()

    def limits(self) -> Iterator[str]:
        if self.upper:
            yield self.make().upper()

    def faults(self) -> Iterator[Fault]:
        for value in (True, [], {"no": "such"}, *self.bad, f"{self.make()}\n", f"{self.make()}\0"):
            yield "", value

    def differs(self, schema: Mapping[str, Any], named: Callable[[str], Any]) -> str | None:
        wrong = _other(schema, type="string")
        fits = re.search(schema.get("pattern", "x^"), self.make())
        return wrong or (None if fits else f"{schema.get('pattern')} is another form")


@dataclass(frozen=True)
class OneOf(Kind):
    """One of these texts."""

    values: tuple[str, ...]

    def sample(self) -> str:
        return self.values[0]

    def limits(self) -> Iterator[str]:
        yield from self.values

    def faults(self) -> Iterator[Fault]:
        for value in (True, 7, [], "", "none of them", self.values[0] + " "):
            yield "", value

    def differs(self, schema: Mapping[str, Any], named: Callable[[str], Any]) -> str | None:
        return _other(schema, type="string") or _other(
            {"enum": sorted(schema.get("enum", ()))}, enum=sorted(self.values)
        )


@dataclass(frozen=True)
class Integer(Kind):
    """An integer of a range."""

    least: int
    most: int

    def sample(self) -> int:
        return max(self.least, 1)

    def limits(self) -> Iterator[int]:
        yield self.least
        yield self.most

    def faults(self) -> Iterator[Fault]:
        for value in (*BEYOND, self.least - 1, self.most + 1):
            yield "", value
        for value in ("1", True, [], {}, 1.0, 1.5):
            yield "", value

    def differs(self, schema: Mapping[str, Any], named: Callable[[str], Any]) -> str | None:
        return _other(schema, type="integer", minimum=self.least, maximum=self.most)


@dataclass(frozen=True)
class Boolean(Kind):
    """true or false."""

    usual: bool = False

    def sample(self) -> bool:
        return self.usual

    def faults(self) -> Iterator[Fault]:
        for value in (0, 1, "true", "", [], {}):
            yield "", value

    def differs(self, schema: Mapping[str, Any], named: Callable[[str], Any]) -> str | None:
        return _other(schema, type="boolean")


class Mapped(Kind):
    """Any object, which is kept as it is."""

    def sample(self) -> dict[str, Any]:
        return {"level": 3}

    def limits(self) -> Iterator[dict[str, Any]]:
        yield {}

    def faults(self) -> Iterator[Fault]:
        for value in (True, 7, "{}", []):
            yield "", value

    def differs(self, schema: Mapping[str, Any], named: Callable[[str], Any]) -> str | None:
        return _other(schema, type="object", additionalProperties=True)


class Attributes(Kind):
    """Texts, numbers and booleans by keys."""

    def sample(self) -> dict[str, Any]:
        return {"mode": "race", "level": 3, "ratio": 0.5, "vr": True}

    def limits(self) -> Iterator[dict[str, Any]]:
        yield {}
        yield {f"{n:02}" + "k" * 30: "é" * 256 for n in range(32)}

    def faults(self) -> Iterator[Fault]:
        for value in (True, 7, "{}", [], {str(n): n for n in range(33)}):
            yield "", value
        for key in ("", "A", "a b", "a/b", "k" * 33, "é"):
            yield "", {key: 1}
        for value in (None, [], {}, "x" * 257):
            yield "", {"k": value}

    def differs(self, schema: Mapping[str, Any], named: Callable[[str], Any]) -> str | None:
        return _other(schema, type="object", maxProperties=32)


class Reached(Kind):
    """A notification's id or number."""

    def sample(self) -> int:
        return 0

    def limits(self) -> Iterator[str | int]:
        yield from ("0", "9" * 64, 2**63 - 1)

    def faults(self) -> Iterator[Fault]:
        for value in (True, [], {}, -1, 1.5, 1e30, "", "-1", "x", "1" * 65, f"{guid()}0"):
            yield "", value

    def differs(self, schema: Mapping[str, Any], named: Callable[[str], Any]) -> str | None:
        kinds = {kind.get("type") for kind in schema.get("anyOf", ())}
        return None if kinds == {"string", "integer"} else f"{kinds}"


class Audience(Kind):
    """Everybody, or those of something that the test need not have."""

    def sample(self) -> str:
        return "everybody"

    def faults(self) -> Iterator[Fault]:
        for value in (True, 7, [], "nobody", "", {}, {"followersOf": guid(), "entrantsOf": guid()}):
            yield "", value
        for member in ("followersOf", "entrantsOf"):
            yield f"/{member}", {member: "nobody"}

    def differs(self, schema: Mapping[str, Any], named: Callable[[str], Any]) -> str | None:
        return _other(schema["anyOf"][0], const="everybody")


@dataclass(frozen=True)
class Items(Kind):
    """An array of `least` to `most` items of one kind."""

    item: Kind
    most: int
    least: int = 0

    def sample(self) -> list[Any]:
        return [self.item.sample()]

    def limits(self) -> Iterator[list[Any]]:
        for size in (self.least, self.most):
            yield [self.item.sample() for _ in range(size)]

    def faults(self) -> Iterator[Fault]:
        for value in (True, 7, "[]", {}):
            yield "", value
        if self.least:
            yield "", [self.item.sample() for _ in range(self.least - 1)]
        yield "", [self.item.sample() for _ in range(self.most + 1)]
        first = self.item.sample()
        for pointer, value in (("", None), *self.item.faults()):
            yield f"/1{pointer}", [first, value]

    def differs(self, schema: Mapping[str, Any], named: Callable[[str], Any]) -> str | None:
        least = self.least or None
        wrong = _other(schema, type="array", minItems=least, maxItems=self.most)
        return wrong or self.item.differs(named(schema["items"]), named)


@dataclass(frozen=True)
class OrNull(Kind):
    """The kind, or null."""

    kind: Kind

    def sample(self) -> Any:
        return self.kind.sample()

    def limits(self) -> Iterator[Any]:
        yield None
        yield from self.kind.limits()

    def faults(self) -> Iterator[Fault]:
        yield from self.kind.faults()

    def differs(self, schema: Mapping[str, Any], named: Callable[[str], Any]) -> str | None:
        kinds = schema.get("anyOf", ())
        if {"type": "null"} not in [{"type": kind.get("type")} for kind in kinds]:
            return "null is not allowed"
        return self.kind.differs(named(kinds[0]), named)


@dataclass(frozen=True)
class Members(Kind):
    """An object. A name with "?" at its end may be missing."""

    members: Mapping[str, Kind]
    changed: Mapping[str, Any] = field(default_factory=dict)
    """Values that must go with each other: the sample has these."""
    told_by: str = ""
    """The member that tells this form from others."""

    def _kinds(self) -> Iterator[tuple[str, Kind, bool]]:
        for name, kind in self.members.items():
            yield name.removesuffix("?"), kind, name.endswith("?")

    def sample(self) -> dict[str, Any]:
        made = {name: kind.sample() for name, kind, _ in self._kinds()}
        return made | deepcopy(dict(self.changed))

    def limits(self) -> Iterator[dict[str, Any]]:
        yield {name: kind.sample() for name, kind, optional in self._kinds() if not optional}
        yield self.sample() | {"unknown": {"members": ["are", "ignored"]}}
        for name, kind, _ in self._kinds():
            for value in kind.limits():
                yield self.sample() | {name: value}

    def faults(self) -> Iterator[Fault]:
        for value in (True, 7, "{}", []):
            yield "", value
        for name, kind, optional in self._kinds():
            if not optional and name != self.told_by:
                sample = self.sample()
                del sample[name]
                yield f"/{name}", sample
            if not isinstance(kind, OrNull):
                yield f"/{name}", self.sample() | {name: None}
            for pointer, value in kind.faults():
                yield f"/{name}{pointer}", self.sample() | {name: value}

    def differs(self, schema: Mapping[str, Any], named: Callable[[str], Any]) -> str | None:
        there = schema.get("properties", {})
        needed = {name for name, _, optional in self._kinds() if not optional}
        if needed != set(schema.get("required", ())):
            return f"it requires {schema.get('required')}"
        if (names := {name for name, _, _ in self._kinds()}) != set(there):
            return f"{sorted(names)} are {sorted(there)}"
        for name, kind, _ in self._kinds():
            if wrong := kind.differs(named(there[name]), named):
                return f"/{name}: {wrong}"
        return None
