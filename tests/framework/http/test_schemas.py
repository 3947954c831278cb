"""Schemas of Structs: what differs from those that msgspec makes."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Raw, Struct, UnsetType, defstruct
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.http.schemas import REF, Schemas, Union, prose

Code = Annotated[str, Meta(pattern="^[a-z\\U0001f600]+\\Z")]


class Part(Struct):
    """A part (conventions#errors Part).

    It has
    a name.
    """

    name: str = ""


class Order(Struct):
    """Types that clients send."""

    code: Code
    part: Part
    colour: Literal["red"]
    note: str | None = None
    seal: Annotated[str, Meta(pattern="x")] = "x"


class Receipt(Struct, omit_defaults=True):
    number: int
    paid: bool = False
    note: str | None = None


class Bill(Struct):
    part: Part
    extra: Raw
    price: int | None = None
    id: Annotated[str | UnsetType, Meta(extra={"shown": True})] = UNSET
    text: str | UnsetType = UNSET


class Cat(Struct, tag_field="kind", tag="cat"):
    mews: int | None = None


class Dog(Struct, tag_field="kind", tag="dog"):
    """A dog."""

    friend: Cat | None


class Fish(Struct, tag_field="kind", tag="fish"):
    pass


class Bird(Struct, tag_field="kind", tag="bird"):
    pass


class Oak(Struct, tag_field="kind", tag="oak"):
    acorns: int


class Kennel(Struct):
    all: list[Cat | Dog]


class Sizes(Struct):
    page: Annotated[int, Meta(ge=0, le=2**31 - 1)]
    colour: Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
    count: Annotated[int, Meta(extra_json_schema={"format": "int32"})]
    bytes: Annotated[int, Meta(ge=0, le=2**31)]
    low: Annotated[int, Meta(ge=-(2**31) - 1, le=0)]
    any: int


class Form(Struct):
    grant: str
    scope: str | None = None
    since: int | float | None = None
    size: int = 10


TEXT = {"type": "string", "pattern": "^[^\\u0000]*$"}
"""A string that is sent."""


class SchemaCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.schemas = Schemas(
            sent=[Order],
            forms=[Form],
            answered=[Receipt, Bill, Kennel, Sizes, Oak, dict[str, Part]],
            unions={
                "Animal": Union(Cat | Dog, "An animal.", open=True),
                "Pet": Union(Fish | Bird, "A pet."),
                "Tree": Union(Oak, "A tree.", open=True),
            },
        )

    def schema(self, type: type) -> Any:
        """The component that describes a Struct."""
        return self.schemas.components[type.__name__]


class InputTests(SchemaCase):
    """Types that clients send."""

    def test_pattern(self) -> None:
        """A pattern is one of ECMA-262: its end is $, characters stand for themselves."""
        self.assertEqual(self.schema(Order)["properties"]["code"]["pattern"], "^[a-z\U0001f600]+$")

    def test_nul(self) -> None:
        """No string has NUL, whatever else its pattern wants."""
        properties = self.schema(Order)["properties"]
        self.assertIn(TEXT, properties["note"]["anyOf"])
        self.assertEqual(properties["seal"]["pattern"], "^[^\\u0000]*x[^\\u0000]*$")

    def test_constant(self) -> None:
        """One word is a constant."""
        colour = self.schema(Order)["properties"]["colour"]
        self.assertEqual(colour, {"type": "string", "const": "red"})

    def test_required(self) -> None:
        """A member with a default may be left out. The default itself is not shown."""
        schema = self.schema(Order)
        self.assertEqual(schema["required"], ["code", "part", "colour"])
        self.assertNotIn("default", schema["properties"]["note"])
        self.assertIn({"type": "null"}, schema["properties"]["note"]["anyOf"])

    def test_form(self) -> None:
        """A member of a form is never null."""
        self.assertEqual(self.schema(Form)["properties"]["scope"], TEXT)

    def test_parameters(self) -> None:
        """Nor is a parameter, which has its default; a number is a number, whole or not."""
        self.assertEqual(
            list(self.schemas.parameters(Form)),
            [
                ("grant", True, TEXT),
                ("scope", False, TEXT),
                ("since", False, {"type": "number"}),
                ("size", False, {"type": "integer", "default": 10, "format": "int64"}),
            ],
        )

    def test_same_name(self) -> None:
        """Two Structs of one name are refused: clients could not tell them apart."""
        other = defstruct("Part", [("number", int)])
        error = self.assertRaises(
            TypeError, Schemas, sent=[Part], forms=[], answered=[other], unions={}
        )
        self.assertIn("Part", str(error))


class AnswerTests(SchemaCase):
    """Types of answers."""

    def test_required(self) -> None:
        """All members of an answer are there, but for those that are left out when unset."""
        self.assertEqual(self.schema(Bill)["required"], ["part", "extra", "price", "id"])
        self.assertIn({"type": "null"}, self.schema(Bill)["properties"]["price"]["anyOf"])

    def test_omitted(self) -> None:
        """Where defaults are left out, a member that is there is not null."""
        schema = self.schema(Receipt)
        self.assertEqual(schema["required"], ["number"])
        self.assertEqual(schema["properties"]["note"], {"type": "string"})

    def test_both(self) -> None:
        """A type that is sent too is described as sent."""
        self.assertNotIn("required", self.schema(Part))

    def test_union(self) -> None:
        """A tagged union is one of its kinds, by its tag, and a component where it has a name."""
        animal = self.schemas.components["Animal"]
        known = [{"$ref": REF + "Cat"}, {"$ref": REF + "Dog"}]
        self.assertEqual(animal["oneOf"][:2], known)
        self.assertEqual(animal["discriminator"]["propertyName"], "kind")
        items = self.schema(Kennel)["properties"]["all"]["items"]
        self.assertEqual(items, {"$ref": REF + "Animal"})
        self.assertEqual(self.schemas.of(list[Cat | Dog])["items"], items)
        self.assertEqual(self.schema(Cat)["required"], ["kind", "mews"])

    def test_open_union(self) -> None:
        """Of an open union there is one more: what has another tag, and what all have."""
        components = self.schemas.components
        self.assertEqual(components["Animal"]["oneOf"][2:], [{"$ref": REF + "UnknownAnimal"}])
        unknown = components["UnknownAnimal"]
        self.assertEqual(unknown["properties"]["kind"]["not"]["enum"], ["cat", "dog"])
        self.assertEqual((unknown["required"], unknown["additionalProperties"]), (["kind"], True))
        self.assertEqual(len(components["Pet"]["oneOf"]), 2)

    def test_union_of_one(self) -> None:
        """A union may have one member so far. It does not say what others will have."""
        components = self.schemas.components
        self.assertEqual(
            components["Tree"]["oneOf"], [{"$ref": REF + "Oak"}, {"$ref": REF + "UnknownTree"}]
        )
        self.assertEqual(components["Tree"]["discriminator"]["mapping"], {"oak": REF + "Oak"})
        self.assertEqual(components["UnknownTree"]["required"], ["kind"])
        self.assertEqual(self.schemas.of(Oak), {"$ref": REF + "Tree"})

    def test_integer(self) -> None:
        """An integer has a format: int64, unless its bounds say that 32 bits are enough."""
        formats = {
            name: member["format"] for name, member in self.schema(Sizes)["properties"].items()
        }
        small = dict.fromkeys(("page", "colour", "count"), "int32")
        self.assertEqual(formats, {**small, **dict.fromkeys(("bytes", "low", "any"), "int64")})

    def test_map(self) -> None:
        """A map refers to what its values are."""
        values = self.schemas.of(dict[str, Part])["additionalProperties"]
        self.assertEqual(values, {"$ref": REF + "Part"})

    def test_any_object(self) -> None:
        """An object of no kind may have any members."""
        schema = self.schemas.of(dict[str, Any])
        self.assertEqual(schema, {"type": "object", "additionalProperties": True})


class WordTests(SchemaCase):
    """Descriptions."""

    def test_struct(self) -> None:
        """A Struct's docstring, without the specification's sections, a paragraph to a line."""
        self.assertEqual(self.schema(Part)["description"], "A part.\n\nIt has a name.")

    def test_none(self) -> None:
        """A Struct without one has no description. Each has its name as title."""
        self.assertNotIn("description", self.schema(Bill))
        self.assertEqual(self.schema(Bill)["title"], "Bill")

    def test_union(self) -> None:
        """A union has its name and its description."""
        pet = self.schemas.components["Pet"]
        self.assertEqual((pet["title"], pet["description"]), ("Pet", "A pet."))

    def test_prose(self) -> None:
        """Citations of the pages of the interface go. Those of other documents stay."""
        text = "Do (toys#names) it (toys#sale; RFC 1 §2) now (RFC 1 §2)."
        self.assertEqual(prose(text), "Do it now (RFC 1 §2).")
