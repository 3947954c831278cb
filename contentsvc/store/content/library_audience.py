"""The subscribers who are notified of a change of a content (content#library-map)."""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, found, many, none
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.store.rate_limits import DAY
from contentsvc.store.tasks import LibraryChanged

_STAFF: Final = "'moderator', 'admin'"
"""The roles that see what is hidden (contentsvc.roles)."""
_SEES: Final = f"visible(c.status, c.id, c.author_id, n.user_id, u.role in ({_STAFF}))"


class Subscriber(NamedTuple):
    """A subscriber, and the number of the subscription. `concerned`: the subscriber sees the
    content, or saw it before. `notified`: the subscriber gets a notification of the new revision
    too."""

    user_id: str
    number: int
    concerned: bool
    notified: bool


class Left(NamedTuple):
    """A subscriber of a content whose author has left, with the numbers of the content and of the
    subscription."""

    user_id: str
    content: int
    number: int


@found("select from subscriptions where content_id = :content limit 1")
async def _has_subscribers(tx: Db, content: str) -> bool:
    """Whether a content has subscribers."""


async def notify_subscribers(tx: Db, queue: TaskQueue, content: str, before: str = "") -> None:
    """Put a task that notifies the subscribers of a content, which `tx` has locked, of a change of
    its visibility, data or revisions. Subscribers are left out if they neither see it now, nor saw
    it with the status `before`; "" if that has not changed."""
    # New subscribers are notified all the same: see `put` of the subscriptions.
    if await _has_subscribers(tx, content):
        await queue.put(tx, LibraryChanged(content=content, before=before))


@none("select from contents where id = :content for share")
async def await_changes(tx: Db, content: str) -> None:
    """Wait for whoever changes a content."""


# The step that asks is the first of its topic.
@found("""
    select from tasks
    where topic = :topic and id > (select min(id) from tasks where topic = :topic)
      and (:anything or task::json ->> 'revision' is not null)
      and (:before = '' or coalesce(task::json ->> 'before', 'active') in ('active', :before))
    limit 1
""")
async def _another(tx: Db, topic: str, anything: bool, before: str) -> bool:
    """Whether a later task of this topic also notifies those who saw the content with the status
    `before`. Without `anything`, only tasks with a revision count."""


async def is_superseded(tx: Db, task: LibraryChanged) -> bool:
    """Whether a later task notifies everybody whom this one would notify."""
    return await _another(tx, task.topic, task.revision is None, task.before)


@many(f"""
    with next as materialized (
        select s.user_id, s.number, s.pin from subscriptions s
        where s.content_id = :content and s.number > :after
        order by s.number limit :limit
    ), unpinned as materialized (
        select n.user_id, n.number from next n
        join contents c on c.id = :content and c.author_id <> n.user_id
        join users u on u.id = n.user_id
        where :notify and n.pin is null and n.number <= :upto
          and c.status not in ('suspended', 'deleted')
          and exists (select from users a where a.id = c.author_id)
          and {_SEES}
          and not exists (
              select from notification_counters m
              where m.user_id = n.user_id and 'SubscriptionUpdated' = any(m.muted)
          )
    ), notified as (
        insert into subscription_tellings as t (content_id, user_id, told)
        select :content, user_id, clock_timestamp() from unpinned order by user_id
        on conflict (content_id, user_id) do update set told = excluded.told
        where seconds_left(t.told, interval '{DAY} seconds') = 0
        returning user_id
    )
    select n.user_id, n.number,
           {_SEES} or :before in ('active', 'unlisted')
           or :before = 'friends' and exists (
               select from pairs p
               where p.lesser = least(c.author_id, n.user_id)
                 and p.greater = greatest(c.author_id, n.user_id) and p.friends is not null
           )
           or :before in ('friends', 'private') and let_in(c.id, n.user_id) as concerned,
           t.user_id is not null as notified
    from next n join contents c on c.id = :content join users u on u.id = n.user_id
    left join notified t on t.user_id = n.user_id
    order by n.number
""")
async def subscribers(
    tx: Db, content: str, after: int, upto: int, notify: bool, before: str, limit: int
) -> list[Subscriber]:
    """The next subscribers of a content, in the order of subscribing. Those are concerned who see
    it, or saw it with the status `before`. With `notify`, subscribers up to the number `upto` are
    notified if they have no pin, see the content, are not its author, have not muted the kind, and
    were not notified of this content within a day; the time of it is written."""


@many("""
    select p.one from (values (:user::uuid, :other::uuid), (:other, :user)) p (one, another)
    where exists (
        select from subscriptions s join contents c on c.id = s.content_id
        where s.user_id = p.one and c.author_id = p.another
    )
""")
async def of_each_other(db: Db, user: str, other: str) -> list[str]:
    """Those of two users who subscribe to content of the other's."""


@many("""
    select s.user_id, c.number as content, s.number
    from contents c cross join lateral (
        select s.user_id, s.number from subscriptions s
        where s.content_id = c.id
          and s.number > case when c.number = :content then :after::bigint else 0 end
        order by s.number limit :limit
    ) s
    where c.author_id = :author and c.number >= :content
    order by c.number, s.number limit :limit
""")
async def subscribers_of_author(
    tx: Db, author: str, content: int, after: int, limit: int
) -> list[Left]:
    """The next subscribers of an author's content, by content, after these numbers."""
