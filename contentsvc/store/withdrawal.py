"""Content that its author withdraws, and restores (extensions §1)."""

from typing import NamedTuple

from contentsvc.db.query import Db, many, maybe
from contentsvc.store.content import Numbered
from contentsvc.store.fragments import BEFORE, INFO


class Withdrawn(NamedTuple):
    """What withdrawing or restoring did. `purged` content cannot be restored."""

    author_id: str
    status: str
    changed: bool
    purged: bool


@maybe("""
    with held as materialized (
        select id, author_id, status, deleted, purged from contents
        where id = :content
        for no key update
    ), changed as (
        update contents set deleted = :deleted
        where id = (
            select id from held where author_id = :caller and deleted <> :deleted and not purged
        )
        returning status
    )
    select h.author_id, coalesce(f.status, h.status) as status,
           f.status is not null as changed, h.purged
    from held h left join changed f on true
    where visible(h.status, h.author_id, :caller, :admin)
""")
async def set_deleted(
    db: Db, content: str, caller: str, admin: bool, deleted: bool
) -> Withdrawn | None:
    """Withdraw or restore, which only the author can: nothing changes for others. None if the
    caller cannot see the content."""


@many(f"""
    select c.number, {INFO}
    from contents c join users u on u.id = c.author_id
    where c.author_id = :author and c.deleted
      and c.number < {BEFORE}
    order by c.number desc limit :limit
""")
async def by_author(db: Db, author: str, before: int | None, limit: int) -> list[Numbered]:
    """The content that this user has withdrawn, newest first."""
