"""What the schema is made of: the files of the folder `schema`.

`tables` and `functions` are the schema as it is now. A new database is made from them alone.
`upgrades` bring an older one there. See docs/developing.md for how to change the schema.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from contentsvc.framework.core import build

FOLDER: Final = files("contentsvc.store") / "schema"
TABLES: Final = (
    *("service", "accounts", "content", "files", "social", "notifications", "progress"),
    *("challenges", "moderation", "events", "collections", "plays", "words", "tags"),
)
"""The files of tables, in an order in which each finds what it refers to."""
_FUNCTIONS: Final = "functions/"


class Definition(NamedTuple):
    """A schema: the texts of its tables and functions by path, in the order in which they are run;
    its upgrades by name, in their order; and the release that has them."""

    texts: Mapping[str, str]
    upgrades: Mapping[str, str]
    release: str = build.release()

    def functions(self) -> dict[str, str]:
        """The texts of the functions by path."""
        return {path: text for path, text in self.texts.items() if path.startswith(_FUNCTIONS)}


@cache
def definition() -> Definition:
    """That of this version."""
    tables = {f"tables/{name}.sql": (FOLDER / "tables" / f"{name}.sql") for name in TABLES}
    functions = {f"{_FUNCTIONS}{path.name}": path for path in _sql("functions")}
    return Definition(
        {path: file.read_text() for path, file in (tables | functions).items()},
        {path.name.removesuffix(".sql"): path.read_text() for path in _sql("upgrades")},
    )


def _sql(folder: str) -> list[Any]:
    found = [path for path in (FOLDER / folder).iterdir() if path.name.endswith(".sql")]
    return sorted(found, key=lambda path: path.name)


def names() -> list[str]:
    """The names of all upgrades of this version, in order."""
    return list(definition().upgrades)


def newer(upgrades: Iterable[str]) -> list[str]:
    """Those of these upgrades that only a later release has."""
    return [name for name in upgrades if name > names()[-1]]


def objects() -> str:
    """The query for what a schema has: the body of its function `schema_objects`."""
    text = definition().texts[f"{_FUNCTIONS}schema_objects.sql"]
    return text.split("$objects$")[1]


def create(cursor: Any, texts: Mapping[str, str]) -> None:
    """Run files of tables and functions, in the transaction under way."""
    # A function may call one of a later file.
    cursor.execute("set local check_function_bodies = off")
    for text in texts.values():
        cursor.execute(text)


def record(cursor: Any, schema: Definition) -> None:
    """Note of which texts the database's schema is made."""
    cursor.execute("delete from schema_files where not path = any(%s)", (list(schema.texts),))
    for path, text in schema.texts.items():
        cursor.execute(
            "insert into schema_files as f (path, text, release) values (%s, %s, %s)"
            " on conflict (path) do update set text = excluded.text, release = excluded.release"
            " where f.text <> excluded.text",
            (path, text, schema.release),
        )


def recorded(cursor: Any) -> dict[str, str]:
    """The texts of which the database's schema is made, in the order in which they are run."""
    cursor.execute("select path, text from schema_files")
    texts = dict(cursor.fetchall())
    first = [f"tables/{name}.sql" for name in TABLES]
    order = {path: n for n, path in enumerate(first)}
    # Tables of a file that is not known here refer to those of the known ones.
    return {
        path: texts[path]
        for path in sorted(
            texts, key=lambda each: (each.startswith(_FUNCTIONS), order.get(each, len(order)), each)
        )
    }


def changed(cursor: Any, schema: Definition) -> list[str]:
    """The paths of the files that differ from those of which the database's schema is made. None
    differs if a newer release has put its own there."""
    cursor.execute("select path, text, release from schema_files")
    rows = cursor.fetchall()
    if any(_order(release) > _order(schema.release) for _, _, release in rows):
        return []
    there = {path: text for path, text, _ in rows}
    return [path for path, text in schema.texts.items() if there.get(path) != text] + sorted(
        there.keys() - schema.texts.keys()
    )


def _order(release: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", release)]
