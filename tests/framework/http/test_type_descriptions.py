"""Descriptions of the values that a type allows at a place."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.http.type_descriptions import wanted


class Leaf(Struct, rename="camel"):
    some_name: str = ""


class Tree(Struct, rename="camel"):
    leaf: Leaf
    leaves: Annotated[list[Leaf], Meta(min_length=1, max_length=64)]
    maybe_leaf: Leaf | UnsetType | None = UNSET
    flag: bool = False
    table: dict[str, int] = {}
    raw: Raw = Raw(b"1")
    anything: Any = None
    low: Annotated[int, Meta(ge=1)] = 1
    high: Annotated[int, Meta(le=9)] = 1
    either: Annotated[int, Meta(ge=0)] | float | None = None
    long: Annotated[str, Meta(min_length=8)] = ""
    short: Annotated[str, Meta(max_length=8)] = ""
    colour: Annotated[str, Meta(pattern="^#", description="a colour")] = ""
    name: Annotated[Annotated[str, Meta(max_length=5)], Meta(pattern="a", description="a name")] = (
        ""
    )
    kind: Literal["a", "b", "c", "d"] = "a"


class WantedTests(SynchronousTestCase):
    def wanted(self, *steps: str | int) -> str | None:
        """The words for a place in a Tree."""
        return wanted(Tree, steps)

    def test_kinds(self) -> None:
        """Each kind of value has words that are not Python's."""
        for steps, expected in (
            ((), "an object"),
            (("leaf",), "an object"),
            (("table",), "an object"),
            (("leaf", "someName"), "a string"),
            (("leaves", 3, "someName"), "a string"),
            (("maybeLeaf",), "an object, or null"),
            (("flag",), "true or false"),
        ):
            self.assertEqual(self.wanted(*steps), expected)

    def test_bounds(self) -> None:
        """Bounds are said, of numbers, of texts and of arrays."""
        for name, expected in (
            ("leaves", "an array of 1 to 64 elements"),
            ("low", "an integer of at least 1"),
            ("high", "an integer of at most 9"),
            ("long", "a string of at least 8 characters"),
            ("short", "a string of at most 8 characters"),
        ):
            self.assertEqual(self.wanted(name), expected)

    def test_described(self) -> None:
        """A description stands for the pattern, and bounds follow it."""
        self.assertEqual(self.wanted("colour"), "a colour")
        self.assertEqual(self.wanted("name"), "a name, of at most 5 characters")

    def test_choice(self) -> None:
        """Many words are listed."""
        self.assertEqual(self.wanted("kind"), 'one of "a", "b", "c", "d"')

    def test_number(self) -> None:
        """An integer or any other number is a number."""
        self.assertEqual(self.wanted("either"), "a number, or null")

    def test_without_null(self) -> None:
        """Null is left out where there is none."""
        self.assertEqual(wanted(Tree, ["either"], null=False), "a number")

    def test_unknown(self) -> None:
        """A value that may be anything, or is not there, has no description."""
        for steps in (("raw",), ("anything",), ("gone",), ("leaf", 1), ("table", "a")):
            self.assertIsNone(self.wanted(*steps))
