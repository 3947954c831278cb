"""Examples of schemas."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.http.schemas import example

NAMED = {"Name": {"type": "string", "examples": ["mira"]}}


class ExampleTests(SynchronousTestCase):
    def example(self, **schema: Any) -> Any:
        """The example of a schema."""
        return example(schema, NAMED)

    def test_own(self) -> None:
        """A schema's own example, constant or first word outweighs its type."""
        self.assertEqual(self.example(type="string", examples=["a", "b"]), "a")
        self.assertEqual(self.example(type="string", const="c"), "c")
        self.assertEqual(self.example(type="string", enum=["d", "e"]), "d")

    def test_types(self) -> None:
        """Every type has one within its bounds."""
        self.assertEqual(self.example(type="string", minLength=6), "texttt")
        self.assertRegex(self.example(type="string", format="uuid"), "^[0-9a-f-]{36}$")
        self.assertEqual(self.example(type="integer", minimum=10), 10)
        self.assertEqual(self.example(type="integer", minimum=-5), 1)
        self.assertEqual(self.example(type="integer", default=48), 48)
        self.assertIs(self.example(type="boolean"), True)
        self.assertIsNone(self.example(type="null"))

    def test_choice(self) -> None:
        """Of a choice it is one of the first."""
        for key in ("oneOf", "anyOf"):
            self.assertEqual(self.example(**{key: [{"const": 1}, {"const": 2}]}), 1)

    def test_object(self) -> None:
        """An object has all its members, a map one entry."""
        members = {"id": {"const": 1}, "name": {"$ref": "#/components/schemas/Name"}}
        self.assertEqual(self.example(type="object", properties=members), {"id": 1, "name": "mira"})
        entries = {"additionalProperties": {"const": 2}, "propertyNames": {"const": "key"}}
        self.assertEqual(self.example(type="object", **entries), {"key": 2})

    def test_left_out(self) -> None:
        """A member that may be null is left out where it may be missing, and only there."""
        word = {"anyOf": [{"const": "x"}, {"type": "null"}]}
        members = {"a": word, "b": word, "c": {"const": 1}}
        found = self.example(type="object", properties=members, required=["b"])
        self.assertEqual(found, {"b": "x", "c": 1})

    def test_array(self) -> None:
        """An array has one item."""
        self.assertEqual(self.example(type="array", items={"type": "boolean"}), [True])
