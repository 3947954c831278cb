"""Design challenges: spec §4.17."""

from typing import NamedTuple

from contentsvc.db.query import Db, many, maybe, one


class Row(NamedTuple):
    """A challenge. Its rewards are JSON text."""

    id: str
    name: str
    ordinal: int
    description: str
    theme: str
    win: str
    participate: str


_COLUMNS = """
    id, name, ordinal, description, theme, win::text as win, participate::text as participate
"""


@one("""
    insert into challenges (name, ordinal, description, theme, win, participate)
    values (:name, :ordinal, :description, :theme, :win, :participate)
    returning id
""")
async def create(
    db: Db, name: str, ordinal: int, description: str, theme: str, win: str, participate: str
) -> str:
    """Insert a challenge. Its rewards are JSON text."""


@maybe(f"""
    select {_COLUMNS} from challenges where id = :challenge
""")
async def get(db: Db, challenge: str) -> Row | None:
    """One challenge."""


@many(f"""
    select {_COLUMNS} from challenges order by ordinal, id
""")
async def all(db: Db) -> list[Row]:
    """Every challenge, by ordinal."""
