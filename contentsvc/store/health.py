"""Whether the database answers with the schema that this version needs."""

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db, found, one
from contentsvc.store.schema_definition import names


@one("select count(*) from schema_upgrades where name = any(:names)")
async def applied(db: Db, names: list[str]) -> int:
    """How many of these upgrades have been applied."""


async def ping(db: Db) -> bool:
    """Whether the pool answers and the schema is current. Raises Unavailable."""
    expected = names()
    return await applied(db, expected) == len(expected)


@found("select where current_setting('transaction_read_only') = 'off'")
async def writable(db: Db) -> bool:
    """Whether the server takes writes: it is no standby, and nobody has made it read-only."""


async def writes(db: Db) -> bool:
    """Whether the server takes writes. Raises Unavailable if it does not answer."""
    return await writable(db)


async def answers(db: Database) -> bool:
    """Whether the pool has given a connection back recently, or does so now. Raises Unavailable."""
    return not db.stalled or await ping(db)
