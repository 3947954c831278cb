"""Content that its author withdraws, and restores; an admin restores it too
(content#withdrawal)."""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, many, maybe
from contentsvc.store.events.events import noting
from contentsvc.store.fragments import (
    BEFORE,
    INFO,
    Numbered,
    infos_within,
    shown_status,
    status_of,
)
from contentsvc.store.rate_limits import CHANGES, taken
from contentsvc.wire.content import ContentInfo


class Withdrawn(NamedTuple):
    """What withdrawing or restoring did. `purged` content cannot be restored. `wait` is the seconds
    until the author may change one more, if they may not now. `before` is the status before, which
    others see."""

    author_id: str
    status: str
    changed: bool
    purged: bool
    wait: int
    before: str


_NOTED = noting(
    "ContentStatus",
    ":caller::uuid",
    "content",
    "id",
    rows="changed",
    data=f"json_build_object('status', {shown_status('status')})",
)


@maybe(f"""
    with held as materialized (
        select id, author_id, {status_of("contents")} as status, deleted, purged from contents
        where id = :content
        for no key update
    ), staying as materialized (
        -- What somebody who leaves has made does not come back.
        select u.id from users u join held on held.author_id = u.id for key share of u
    ), allowed as materialized (
        -- Who withdraws must not have to wait.
        select id, case when :deleted then 0 else {taken(CHANGES, ":caller::uuid")} end as wait
        from held
        where (author_id = :caller or :admin) and deleted <> :deleted and not purged
          and author_id in (select id from staying)
    ), changed as (
        update contents set deleted = :deleted
        where id = (select id from allowed where wait = 0)
        returning id, status
    ), noted as ({_NOTED})
    select h.author_id, {shown_status("coalesce(f.status, h.status)")} as status,
           f.status is not null as changed,
           h.purged or not exists (select from staying) as purged, coalesce(a.wait, 0) as wait,
           h.status as before
    from held h left join allowed a on true left join changed f on true
    where visible(h.status, h.id, h.author_id, :caller, :moderate)
""")
async def _set_deleted(
    db: Db, content: str, caller: str, moderate: bool, deleted: bool, most: int, admin: bool
) -> Withdrawn | None:
    """`set_deleted`."""


async def set_deleted(
    db: Db, content: str, caller: str, moderate: bool, deleted: bool, most: int, admin: bool = False
) -> Withdrawn | None:
    """Withdraw or restore, which the author can, and an `admin`: nothing changes for others. What
    is restored counts for the limit of `most` CHANGES of the caller, 0 for any number. Content of
    an author who has left counts as purged. None if the caller cannot see the content."""
    return await _set_deleted(db, content, caller, moderate, deleted, most, admin)


_WITHDRAWN: Final = f"""
    select c.number, {INFO}
    from contents c join users u on u.id = c.author_id
    where c.author_id = :author and c.deleted
      and c.number < {BEFORE}
    order by c.number desc limit :limit
"""


@many(infos_within(_WITHDRAWN, "number", "number desc"))
async def by_author(
    db: Db, author: str, before: int | None, limit: int
) -> list[Numbered[ContentInfo]]:
    """The content that this user has withdrawn, newest first."""
