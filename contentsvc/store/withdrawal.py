"""Content that its author withdraws, and restores (extensions §1)."""

from contentsvc.db.query import Db, many, maybe
from contentsvc.store.content import Act, Numbered
from contentsvc.store.fragments import BEFORE, INFO


@maybe("""
    with changed as (
        update contents set deleted = :deleted
        where id = :content and author_id = :caller and deleted <> :deleted
        returning status
    )
    select c.author_id, coalesce(f.status, c.status) as status, f.status is not null as changed
    from contents c left join changed f on true
    where c.id = :content and visible(c.status, c.author_id, :caller, :admin)
""")
async def set_deleted(db: Db, content: str, caller: str, admin: bool, deleted: bool) -> Act | None:
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
