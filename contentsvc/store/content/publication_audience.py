"""Whom a publication is told to: the author's followers at that moment who still follow."""

from typing import Final

from contentsvc.db.query import Db, many, one
from contentsvc.store.fragments import Recipient
from contentsvc.store.rate_limits import DAY
from contentsvc.store.task_queue import TaskQueue
from contentsvc.store.tasks import ContentPublished, RevisionPublished

MOST: Final = 10
"""Publications of an author in 24 hours of which followers are told."""


@one(f"""
    select publication_audience(:content, {MOST}, make_interval(secs => {DAY})) as upto
""")
async def reach(db: Db, content: str) -> int | None:
    """The highest follow number of those who are told of a publication of this content, which the
    same transaction has made. None if nobody is told of it. See
    schema/functions/publication_audience.sql."""


async def notify_followers(
    tx: Db, queue: TaskQueue, author: str, content: str, revision: str | None = None
) -> None:
    """Have the author's followers told of the content that has just been published in `tx`; of the
    `revision`, if it was there before."""
    upto = await reach(tx, content)
    if upto is None:
        return
    await queue.put(
        tx,
        ContentPublished(author=author, content=content, upto=upto)
        if revision is None
        else RevisionPublished(author=author, content=content, revision=revision, upto=upto),
    )


@many("""
    select f.follower as user_id, f.number from follows f
    where f.followed = :author and f.number > :after and f.number <= :upto
      and exists (select from contents c where c.id = :content and c.status = 'active')
    order by f.number limit :limit
""")
async def followers(
    db: Db, author: str, content: str, after: int, upto: int, limit: int
) -> list[Recipient]:
    """The next followers, in the order of following. None if the content is not active."""
