"""What content is called, and what it was called before (content#names).

Rows of content_names are there from the first rename on.
"""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, many, maybe
from contentsvc.store.events.events import noting
from contentsvc.store.fragments import ATTRIBUTES, BEFORE, PART, USER, within
from contentsvc.store.rate_limits import CONTENT_RENAMES, taken
from contentsvc.wire.accounts import UserInfo


class Renamed(NamedTuple):
    """What a rename did: the seconds until there may be one more, then nothing has changed. The
    rest are the other texts of the content by which it is found."""

    wait: int
    tags: list[str]
    description: str
    attributes: list[str]


class Called(NamedTuple):
    """A name, since when, and who has given it; None if that was staff, or has left."""

    number: int
    name: str
    since: int
    by: UserInfo | None


_CHANGED = noting("ContentChanged", ":caller::uuid", "content", "id", rows="changed")


def _person(user: str) -> str:
    # As a foreign key locks it: null if the user has just left.
    return f"(select u.id from users u where u.id = {user} for key share)"


@maybe(f"""
    with old as materialized (
        select id, author_id, name, created from contents where id = :content and name <> :name
    ), allowed as materialized (
        select old.*, {taken(CONTENT_RENAMES, "id", account="author_id")} as wait from old
    ), first as (
        insert into content_names (content_id, name, since, user_id)
        select id, name, created, {_person("author_id")} from allowed a
        where wait = 0 and not exists (select from content_names n where n.content_id = a.id)
        returning number
    ), changed as (
        update contents c set name = :name, updated = now() from allowed a
        where c.id = a.id and a.wait = 0
        returning c.id
    ), given as (
        -- After the first one.
        insert into content_names (content_id, name, since, user_id)
        select id, :name, clock_timestamp(),
               case when not :staff then {_person(":caller::uuid")} end
        from changed cross join (select count(*) from first) f
    ), noted as ({_CHANGED})
    select a.wait, c.tags, c.description, {ATTRIBUTES} as attributes
    from allowed a join contents c on c.id = a.id
""")
async def rename(
    tx: Db, content: str, name: str, caller: str, staff: bool, most: int
) -> Renamed | None:
    """Give another name to a content that the transaction has locked. It counts for its limit of
    `most` CONTENT_RENAMES, 0 for any number. What `staff` does is of nobody. None if that is its
    name already."""


_STAYS = "exists (select from users a where a.id = c.author_id)"
"""Whether the author of `contents c` has not left."""


@many(
    within(
        f"""
        select n.number, n.name, unix(n.since) as since, {USER} as profile
        from (
            select m.number, m.name, m.since, m.user_id
            from contents c join content_names m on m.content_id = c.id
            where c.id = :content and {_STAYS}
            union all
            select 0, case when {_STAYS} then c.name else '' end, c.created, c.author_id
            from contents c
            where c.id = :content and not (
                {_STAYS} and exists (select from content_names where content_id = :content)
            )
        ) n left join users u on u.id = n.user_id
        where n.number < {BEFORE}
        order by n.number desc limit :limit
        """,
        "number, name, since, id, username, avatar, emblem, profile",
        "number desc",
        most=str(PART),
    )
)
async def names(db: Db, content: str, before: int | None, limit: int) -> list[Called]:
    """All that a content was called, the present name first: at most `limit`, and no more once the
    profiles of those who gave the names have PART bytes. Of who has left there is no name."""
