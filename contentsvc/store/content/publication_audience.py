"""The audience of a publication: the author's followers at that moment who still follow. A revision
is also announced to the content's subscribers (contentsvc.store.content.library_audience)."""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, many, maybe, none, one
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.store.rate_limits import DAY
from contentsvc.store.tasks import ContentPublished, LibraryChanged, RevisionPublished

MOST: Final = 10
"""Publications of an author in 24 hours of which followers are notified."""


FEW: Final = 1_000
"""Followers who are notified at once. If there are more, those who are connected come first."""
HEAD_START: Final = 2.0
"""Seconds for which connected followers come before the others. They begin anew with each batch."""


class Reach(NamedTuple):
    """Who is notified of a publication: followers up to the follow number `upto`, None for
    nobody. `many` says that the author has more followers than FEW. `subscribers` is the number of
    the newest subscription to the content, 0 if there is none."""

    upto: int | None
    many: bool
    subscribers: int


class Follower(NamedTuple):
    """A follower, and the number of the following. A follower is not `notified` who was notified
    already, or was not seen for too long."""

    user_id: str
    number: int
    notified: bool


@one(f"""
    select publication_audience(:content, {MOST}, make_interval(secs => {DAY})) as upto,
           exists (select from follows where followed = :author offset {FEW}) as many,
           (select coalesce(max(number), 0) from subscriptions where content_id = :content)
               as subscribers
""")
async def reach(db: Db, author: str, content: str) -> Reach:
    """Who is notified of a publication of this content, which the same transaction has made. See
    schema/functions/publication_audience.sql."""


async def notify_of_content(tx: Db, queue: TaskQueue, author: str, content: str) -> None:
    """Have the author's followers notified of the content that has just been published in `tx`."""
    upto, many, _ = await reach(tx, author, content)
    if upto is not None:
        task = ContentPublished(author=author, content=content, upto=upto)
        await queue.put(tx, task, HEAD_START if many else 0)


async def notify_of_revision(
    tx: Db, queue: TaskQueue, author: str, content: str, revision: str
) -> None:
    """Have the author's followers and the content's subscribers notified of the revision that has
    just been published in `tx`."""
    upto, many, subscribers = await reach(tx, author, content)
    if upto is not None:
        task = RevisionPublished(author=author, content=content, revision=revision, upto=upto)
        await queue.put(tx, task, HEAD_START if many else 0)
    # Most content has no subscribers. Another task notifies those who subscribe meanwhile.
    if subscribers:
        changed = LibraryChanged(content=content, revision=revision, upto=subscribers, before="")
        await queue.put(tx, changed)


class _Locked(NamedTuple):
    public: bool


@maybe("select visibility = 'public' as public from contents where id = :content for share")
async def _lock(tx: Db, content: str) -> _Locked | None:
    """Lock a content until the transaction ends."""


@none("""
    update contents set announced = false
    where id = :content and not exists (select from told_followers where author = :author)
""")
async def _put_off(tx: Db, author: str, content: str) -> None:
    """Have followers notified the next time that everybody sees it, unless some were notified
    now."""


async def begin(tx: Db, author: str, content: str) -> None:
    """Before the first batch of a new content: if its author has hidden it meanwhile, nobody is
    notified now, and followers are notified once it is public again."""
    locked = await _lock(tx, content)
    if locked is not None and not locked.public:
        await _put_off(tx, author, content)


@many(f"""
    with next as materialized (
        select f.follower, f.number from follows f
        where f.followed = :author and f.number > :after and f.number <= :upto
          and exists (select from contents c where c.id = :content and c.status = 'active')
        order by f.number limit :limit
    ), notified as (
        -- With the last batch all are forgotten, those too who have stopped following.
        delete from told_followers where author = :author and number <= coalesce(
            (select number from next order by number offset :limit - 1), {2**63 - 1}
        )
        returning number
    )
    select n.follower as user_id, n.number, not exists (
        select from notified t where t.number = n.number
    ) and (:within = 0 or exists (
        select from sessions s
        where s.user_id = n.follower and s.used > now() - make_interval(days => :within)
    )) as notified
    from next n order by n.number
""")
async def followers(
    db: Db, author: str, content: str, after: int, upto: int, within: int, limit: int
) -> list[Follower]:
    """The next followers, in the order of following. None if the content is not active. Those are
    notified who were seen `within` so many days; 0: all."""


@many("""
    select f.follower from follows f
    where f.followed = :author and f.follower = any(:users::uuid[]) and f.number <= :upto
""")
async def following(db: Db, author: str, users: list[str], upto: int) -> list[str]:
    """Those of these users who follow the author, up to this follow number."""


@many("""
    with notified as (
        insert into told_followers (author, number)
        select f.followed, f.number from follows f
        where f.followed = :author and f.follower = any(:users::uuid[])
          and f.number > :after and f.number <= :upto
          and exists (select from contents c where c.id = :content and c.status = 'active')
        on conflict do nothing
        returning number
    )
    select f.follower from follows f join notified t using (number)
    where f.followed = :author and f.follower = any(:users::uuid[])
""")
async def notify_early(
    db: Db, author: str, content: str, users: list[str], after: int, upto: int
) -> list[str]:
    """Note that these followers are notified before their turn. Gives those who were not notified
    of this publication before. The caller has locked the row of the task."""
