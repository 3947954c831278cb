"""Plays of content: content#plays. contentsvc.store.content.content_counts adds them up."""

from typing import Final

from contentsvc.framework.db.query import Db, one
from contentsvc.framework.db.statement import Batch
from contentsvc.store.rate_limits import PLAYS, span

NO_CONTENT: Final = -1
NO_REVISION: Final = -2
"""What `add` gives where there is nothing to play."""


@one(
    f"""
    select n, answer
    from unnest(add_plays(
        (select :user::uuid[]), (select :content::uuid[]), (select :moderate::boolean[]),
        (select :revision::uuid[]), (select :id::uuid[]), (select :seconds::integer[]),
        (select :completed::boolean[]), (select :most::integer[]), {span(PLAYS)}
    )) with ordinality as played (answer, n)
    """,
    batch=Batch(("user",)),
    lone=f"""
    select 1 as n, add_play(
        :user, :content, :moderate, :revision, :id, :seconds, :completed, :most, {span(PLAYS)}
    ) as answer
    """,
)
async def add(
    db: Db,
    user: str,
    content: str,
    moderate: bool,
    revision: str | None,
    id: str,
    seconds: int,
    completed: bool,
    most: int,
) -> int:
    """Count a play of a user, unless it is the author's own. One with the same `id` within 24 hours
    is a repeat, and changes nothing. It counts for the user's limit of `most` PLAYS, 0 for any
    number.

    Gives 0, or the seconds until the user may report one more, NO_CONTENT or NO_REVISION. Raises
    Refused `content_players_user` if there is no such user. See schema/functions/add_plays.sql.
    """
