"""Who sees a content, as its author decides (content#visibility).

A trigger derives the status from it (schema/functions/derive_status.sql), which every statement
asks (visible.sql).
"""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, maybe
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.store import rate_limits
from contentsvc.store.content.publication_audience import notify_of_content
from contentsvc.store.events.events import noting
from contentsvc.store.fragments import LEAVING, status_of
from contentsvc.store.rate_limits import ANNOUNCEMENTS, CHANGES, taken


class Shown(NamedTuple):
    """What a change of the visibility did. `may` says whether the caller may change it, and `wait`
    is the seconds until they may change one more content, if they may not now. `before` is the
    status before."""

    author_id: str
    may: bool
    changed: bool
    wait: int
    before: str


class _Announced(NamedTuple):
    author_id: str


_PLACE = "array_position('{{private,friends,unlisted,public}}'::text[], {})"
"""How many see content of a visibility: the more, the higher."""
_NOTED = noting(
    "ContentVisibility",
    ":caller::uuid",
    "content",
    "id",
    rows="changed",
    data="json_build_object('visibility', visibility)",
)


@maybe(f"""
    with held as materialized (
        select id, author_id, {status_of("contents")} as status, visibility,
               author_id = :caller or :admin as may
        from contents where id = :content
        for no key update
    ), allowed as materialized (
        -- Who shows a content to fewer must not have to wait.
        select id, case when {_PLACE.format("visibility")} < {_PLACE.format(":visibility")}
                        then {taken(CHANGES, ":caller::uuid")} else 0 end as wait
        from held
        where may and visibility <> :visibility
    ), changed as (
        update contents set visibility = :visibility
        where id = (select id from allowed where wait = 0)
        returning id, visibility
    ), noted as ({_NOTED})
    select h.author_id, h.may, exists (select from changed) as changed,
           coalesce(a.wait, 0) as wait, h.status as before
    from held h left join allowed a on true
    where visible(h.status, h.id, h.author_id, :caller, :moderate)
""")
async def put(
    tx: Db, content: str, caller: str, moderate: bool, admin: bool, visibility: str, most: int
) -> Shown | None:
    """Let others see a content, if the caller is its author or an admin. What changes counts for
    the limit of `most` CHANGES, 0 for any number. None if the caller cannot see the content."""


_PUBLISHED = noting(
    "ContentPublished",
    "author_id",
    "content",
    "id",
    rows="shown",
    data="""json_build_object('author', author_id, 'revision', revision_id, 'type', type)""",
)


@maybe(f"""
    with shown as (
        update contents set announced = true
        where id = :content and not announced and status = 'active' and author_id <> all({LEAVING})
        returning id, author_id, revision_id, type
    ), noted as ({_PUBLISHED})
    select author_id from shown
""")
async def _first(tx: Db, content: str) -> _Announced | None:
    """Note that everybody sees a content. None if it is not so, or not for the first time."""


async def announce(tx: Db, queue: TaskQueue, content: str) -> None:
    """Have the author's followers notified of a content if this transaction has let everybody see
    it for the first time. The number of such notifications in a day is limited."""
    first = await _first(tx, content)
    if first is None:
        return
    author = first.author_id
    if not await rate_limits.take(tx, ANNOUNCEMENTS, author, ANNOUNCEMENTS.most):
        await notify_of_content(tx, queue, author, content)
