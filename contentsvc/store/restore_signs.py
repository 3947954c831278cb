"""The signs that somebody restores the database, as a connection of the pool sees them."""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, one
from contentsvc.store.schema_marks import MARKED


class Signs(NamedTuple):
    """Whether somebody waits for the marks of the schema, and what the function maintenance_now
    gives."""

    waits: bool
    maintenance: str | None


@one("select restore_waits() as waits, maintenance_now() as maintenance")
async def signs(db: Db) -> Signs:
    """Check for them. Waits for no lock."""


@one(MARKED)
async def marked(db: Db) -> bool:
    """Whether the tables are those that the marks name. Not while somebody waits for the marks: it
    would wait too."""
