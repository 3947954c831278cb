"""The text of content whose author has left (extensions §8).

The row of a content stays, and those of its revisions: others may use its parts. Nobody can restore
it, so nobody needs its text any more. What comes instead is empty, which all readers can show.
"""

from typing import Final

from contentsvc.db.query import Db, maybe, one
from contentsvc.store.content import search_index
from contentsvc.store.fragments import LAST

REVISIONS: Final = 100
"""Revisions of a batch. The description of each may have 64 Ki characters."""


@maybe("""
    select number from contents
    where author_id = :user and number < :before
    order by number desc limit 1
    for no key update
""")
async def _lock(tx: Db, user: str, before: int) -> int | None:
    """Lock the user's newest content before this number. Gives its number; None if there is
    none."""


@one(f"""
    with emptied as (
        update revisions set version = '', description = ''
        where id = any(array(
            select r.id from contents c join revisions r on r.content_id = c.id
            where c.author_id = :user and c.number = :number
              and (r.version <> '' or r.description <> '')
            limit {REVISIONS}
        ))
        returning 1
    )
    select count(*) from emptied
""")
async def _empty_revisions(tx: Db, user: str, number: int) -> int:
    """Empty some revisions of a content, whoever has published them. Gives how many."""


@maybe("""
    -- There is at least one screenshot, which all lists show.
    update contents set name = '', description = '', screenshots = '{""}', tags = '{}'
    where author_id = :user and number = :number
      and (name, description, screenshots, tags) is distinct from ('', '', '{""}', '{}')
    returning id
""")
async def _empty(tx: Db, user: str, number: int) -> str | None:
    """Empty a content. Gives its id; None if it is empty."""


async def empty(tx: Db, user: str, place: str) -> str | None:
    """Empty a batch of what a user, who has left, has written in the newest content before this
    number. Gives the next one; None at the end."""
    before = int(place or LAST)
    number = await _lock(tx, user, before)
    if number is None:
        return None
    if await _empty_revisions(tx, user, number) == REVISIONS:
        return str(number + 1)
    content = await _empty(tx, user, number)
    if content is not None:
        await search_index.renew(tx, content)
    return str(number)
