"""What search engines are told of: public content and its authors, by the numbers of content."""

from typing import Final, NamedTuple

from contentsvc.framework.db.connection_bulkhead import WHOLE
from contentsvc.framework.db.query import Db, many, one
from contentsvc.store.fragments import status_of

NUMBERS: Final = 4000
"""Numbers of content on a page. Content takes two, so that a page has half as much of it."""
_CHALLENGES: Final = 1000


class Listed(NamedTuple):
    """A content and its author."""

    id: str
    author_id: str


@one("select last_value from listing_ids")
async def last(db: Db) -> int:
    """The last number that a content may have."""


# Only what is public has the status active. To ask for that too would let the planner choose
# between two indexes of which neither is better.
@many(
    f"""
    select c.id, c.author_id from contents c
    where c.type = any(:types::text[])
      and c.number >= :first::bigint and c.number < :first::bigint + {NUMBERS}
      and {status_of("c")} = 'active'
    order by c.number
    """,
    lane=WHOLE,
)
async def content(db: Db, types: list[str], first: int) -> list[Listed]:
    """The content of these types that everybody sees, of NUMBERS numbers from the `first` on."""


@many(f"select id from challenges order by ordinal, id limit {_CHALLENGES}")
async def challenges(db: Db) -> list[str]:
    """The first challenges, by ordinal."""
