"""Lists that are kept by hand, and what a failure says of them: the file, and the line."""

from collections.abc import Callable, Iterable
from typing import Any
from unittest import TestCase


def same(
    case: TestCase,
    place: str,
    listed: Iterable[Any],
    there: Iterable[Any],
    line: Callable[[Any], str] = str,
) -> None:
    """Fail unless the list at this `place`, a file and a name in it, has all that is `there`, and
    nothing else. The failure has the `line` of each item to add, to be pasted."""
    has, wants = set(listed), set(there)
    said = [f"{place}: add\n{line(each)}" for each in sorted(wants - has, key=str)]
    said += [f"{place}: take out {each}" for each in sorted(has - wants, key=str)]
    if said:
        case.fail("\n".join(said))
