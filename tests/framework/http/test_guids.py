"""GUIDs are in lower case when they leave the decoder, wherever they stand."""

import json
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.app.families import OPERATIONS
from contentsvc.framework.http import decode, guids
from contentsvc.wire.base import Guid

UPPER = "0A1B2C3D-0000-4000-8000-00000000ABCD"
LOWER = UPPER.lower()


class Inner(Struct):
    id: Guid
    text: str = UPPER


class Outer(Struct):
    id: Guid
    text: str
    perhaps: Guid | None = None
    unset: Guid | UnsetType = UNSET
    both: Guid | UnsetType | None = UNSET
    ids: Annotated[list[Guid], Meta(max_length=9)] = []
    inner: Inner | None = None
    who: Literal["all"] | Inner = "all"
    inners: list[Inner] = []


class Plain(Struct):
    text: str
    number: int = 0


def decoded(value: Any, type: Any = Outer) -> Any:
    """A JSON body, as a handler gets it."""
    return decode.json_body(json.dumps(value).encode(), None, msgspec.json.Decoder(type))


class LoweringTests(SynchronousTestCase):
    def test_members(self) -> None:
        """A member that is a GUID is; a text that looks like one stays as it is."""
        found = decoded({"id": UPPER, "text": UPPER})
        self.assertEqual(found, Outer(LOWER, UPPER))

    def test_left_out(self) -> None:
        """One that may be left out, or null, is if it is there."""
        for name in ("perhaps", "unset", "both"):
            found = decoded({"id": UPPER, "text": "", name: UPPER})
            self.assertEqual(found, Outer(LOWER, "", **{name: LOWER}))
        found = decoded({"id": UPPER, "text": "", "perhaps": None, "both": None})
        self.assertEqual(found, Outer(LOWER, "", both=None))

    def test_word(self) -> None:
        """Where a word may stand for an object, the word stays, and the object's are."""
        for given, expected in (("all", "all"), ({"id": UPPER}, Inner(LOWER))):
            found = decoded({"id": UPPER, "text": "", "who": given})
            self.assertEqual(found, Outer(LOWER, "", who=expected))  # type: ignore[arg-type]

    def test_nested(self) -> None:
        """So are those in lists, in objects, and in lists of objects."""
        inner = {"id": UPPER}
        found = decoded(
            {"id": UPPER, "text": "", "ids": [UPPER] * 2, "inner": inner, "inners": [inner] * 2}
        )
        expected = Outer(LOWER, "", ids=[LOWER] * 2, inner=Inner(LOWER), inners=[Inner(LOWER)] * 2)
        self.assertEqual(found, expected)

    def test_query(self) -> None:
        """So are those of a query string."""
        found = decode.query_string(f"id={UPPER}&text={UPPER}".encode(), Inner)
        self.assertEqual(found, Inner(LOWER, UPPER))

    def test_none(self) -> None:
        """A type without GUIDs is not looked at."""
        self.assertIsNone(guids.lowering(Plain))
        self.assertEqual(decoded({"text": UPPER}, Plain), Plain(UPPER))

    def test_every_body(self) -> None:
        """No GUID of any operation's body, form or query is one that is not seen as such."""
        pattern = Guid.__metadata__[0].pattern
        seen = 0
        for operation in OPERATIONS:
            route = operation.route
            for type_ in (*route.bodies, route.form, route.query):
                if type_ is not None:
                    schema = json.dumps(msgspec.json.schema(type_))
                    has = json.dumps(pattern) in schema
                    seen += has
                    self.assertEqual(guids.lowering(type_) is not None, has, type_)
        self.assertGreater(seen, 5)
