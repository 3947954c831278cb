"""The JSON that the database puts together."""

from msgspec import UNSET, Struct, UnsetType, json

from contentsvc.framework.db.json_text import json_object
from tests.support.databases import StoreCase


class Size(Struct):
    width: int
    height: int


class Picture(Struct, rename="camel"):
    id: str
    is_new: bool
    file_name: str
    size: Size
    of: str | None
    place: int | None
    title: str
    share: float
    later: str | UnsetType = UNSET


class Person(Struct):
    id: str
    name: str
    picture: str | None


COLUMNS = {
    "id": "'a-1'",
    "is_new": "true",
    "file_name": """E'"\\\\\\n\\x01ä😀%'""",
    "width": "2",
    "height": "3::bigint",
    "of": "null",
    "place": "null::bigint",
    "title": "''",
    "share": "0.25::float8",
}


class JsonObjectTests(StoreCase):
    def made(self, columns: dict[str, str]) -> Picture:
        """What the database puts together of these columns."""
        sql = json_object(Picture, columns, unescaped=("id", "of"))
        return json.decode(
            self.sql("select " + sql)[0][0],
            type=Picture,
        )

    def test_all(self) -> None:
        """It has each field that has a column, with texts escaped."""
        picture = Picture("a-1", True, '"\\\n\x01ä😀%', Size(2, 3), None, None, "", 0.25)
        self.assertEqual(self.made(COLUMNS), picture)
        given = self.made({**COLUMNS, "of": "'b'", "place": "7"})
        self.assertEqual((given.of, given.place), ("b", 7))
        size = {"size": """'{"width": 7, "height": 8}'"""}
        others = {name: sql for name, sql in COLUMNS.items() if name not in {"width", "height"}}
        self.assertEqual(self.made(others | size).size, Size(7, 8))

    def test_one_text(self) -> None:
        """A single text that has to be escaped is, too."""
        escaped = {"title": COLUMNS["file_name"], "width": "1", "height": "1"}
        text = self.sql("select " + json_object(Picture, escaped))[0][0]
        size = {"width": 1, "height": 1}
        self.assertEqual(json.decode(text), {"size": size, "title": '"\\\n\x01ä😀%'})

    def test_none(self) -> None:
        """A text that has to be escaped may be none."""
        for picture, expected in (("null", None), ("'b'", "b")):
            columns = {"id": "'1'", "name": "'\"'", "picture": picture}
            text = self.sql("select " + json_object(Person, columns, ("id",)))[0][0]
            self.assertEqual(json.decode(text), {"id": "1", "name": '"', "picture": expected})

    def test_refused(self) -> None:
        """A column that no field has is an error, and so is a text that could not be escaped."""
        for struct, columns, reason in (
            (Picture, {**COLUMNS, "nothing": "1"}, "Picture has no \\['nothing'\\]"),
            (Picture, {**COLUMNS, "later": "'x'"}, "cannot have the text later"),
        ):
            with self.assertRaisesRegex(TypeError, reason):
                json_object(struct, columns, unescaped=("id", "of"))
