"""Whether the database answers with the schema that this version needs."""

from contentsvc.db.database import Database
from contentsvc.db.query import Db, one
from contentsvc.store.migrate import names


@one("select count(*) from _yoyo_migrations where migration_id = any(:names)")
async def applied(db: Db, names: list[str]) -> int:
    """How many of these migrations have been applied."""


async def ping(db: Db) -> bool:
    """Whether the pool answers and the schema is current. Raises Unavailable."""
    expected = names()
    return await applied(db, expected) == len(expected)


async def answers(db: Database) -> bool:
    """Whether the pool has given a connection back recently, or does so now. Raises Unavailable."""
    return not db.stalled or await ping(db)
