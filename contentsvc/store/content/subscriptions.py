"""Users' subscriptions to content: content#subscriptions."""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, found, many, maybe, none, one
from contentsvc.framework.tasks import task_queue
from contentsvc.store.content.requirements import fitting
from contentsvc.store.fragments import (
    AUTHOR,
    BEFORE,
    INFO,
    INFO_BYTES,
    INFO_COLUMNS,
    LEAVING,
    PART,
    STATUS,
    within,
)
from contentsvc.store.tasks import LibraryChanged
from contentsvc.wire.content import ContentInfo


class Outcome(NamedTuple):
    """What came of a subscription: `changed`, `kept` if nothing has changed, or the code of an
    error, with how many the user has `used` of the quota. An `unsettled` one has put a task."""

    outcome: str
    used: int = 0
    unsettled: bool = False


class _Found(NamedTuple):
    """Whether the user is subscribed to the content (`kept`), and sees it, and whether the revision
    of the pin is gone: None if there is none."""

    kept: bool
    seen: bool
    gone: bool | None


class SubscriptionRow(NamedTuple):
    """A subscription and its place in the list. `info` is None unless it is active."""

    number: int
    id: str
    since: int
    pin: str | None
    revision: str | None
    state: str
    info: ContentInfo | None


_LOCK: Final = "select rate_limit_lock('subscriptions', :user::uuid)"
"""A user's come one after the other, so that each counts those before."""


@one(
    f"""
    select exists (
               select from subscriptions where user_id = :user and content_id = :content
           ) as kept,
           exists (
               select from contents c {AUTHOR}
               where c.id = :content and visible({STATUS}, c.id, c.author_id, :user, :moderate)
           ) as seen,
           (select r.gone from revisions r where r.id = :pin and r.content_id = :content) as gone
    """,
    first=_LOCK,
    lane="subscriptions writes",
)
async def _find(tx: Db, user: str, content: str, pin: str | None, moderate: bool) -> _Found:
    """What there is, when the user's subscriptions are locked until the transaction ends."""


@found("""
    update subscriptions set pin = :pin
    where user_id = :user and content_id = :content and pin is distinct from :pin
    returning true
""")
async def _pin(tx: Db, user: str, content: str, pin: str | None) -> bool:
    """Change the pin. False if it is the same."""


@one("select count(*) from subscriptions where user_id = :user")
async def _count(tx: Db, user: str) -> int:
    """How many the user has."""


@none("insert into subscriptions (user_id, content_id, pin) values (:user, :content, :pin)")
async def _add(tx: Db, user: str, content: str, pin: str | None) -> None:
    """Subscribe the user to a content."""


@found(
    "select from contents where id = :content for share skip locked", lane="subscriptions writes"
)
async def _settled(tx: Db, content: str) -> bool:
    """Lock the content's row until the transaction ends, unless somebody has locked it."""


@maybe("select status from contents where id = :content", lane="subscriptions writes")
async def _status(tx: Db, content: str) -> str | None:
    """The status of a content before a change that has not committed."""


async def put(
    tx: Db, user: str, content: str, pin: str | None, moderate: bool, most: int
) -> Outcome:
    """Subscribe the user to a content, or change the pin. At most `most` in all, 0 for any number.

    A change of a content locks its row, and then checks for subscribers to notify. If the row is
    locked now, that check may be over already: then a task notifies of the change afterwards, and
    this is `unsettled`. Later changes find the subscription. Nobody waits.
    """
    there = await _find(tx, user, content, pin, moderate)
    if not there.seen:
        return Outcome("kept" if there.kept else "content_not_found")
    if pin is not None and there.gone is not False:
        return Outcome("revision_not_found" if there.gone is None else "revision_gone")
    if there.kept:
        return Outcome("changed" if await _pin(tx, user, content, pin) else "kept")
    if most and (used := await _count(tx, user)) >= most:
        return Outcome("quota_exceeded", used)
    await _add(tx, user, content, pin)
    if await _settled(tx, content):
        return Outcome("changed")
    before = await _status(tx, content) or ""
    await task_queue.put(tx, LibraryChanged(content=content, unsettled=True, before=before))
    return Outcome("changed", unsettled=True)


@found(
    """
    select from subscriptions where user_id = :user and content_id = :content for no key update
    """,
    first=_LOCK,
)
async def lock(tx: Db, user: str, content: str) -> bool:
    """Lock a subscription until the transaction ends, in the order of `put`. False if there is
    none."""


@found("delete from subscriptions where user_id = :user and content_id = :content returning true")
async def delete(db: Db, user: str, content: str) -> bool:
    """End a subscription. False if there is none."""


# Where the author has left, no user is found for what is not active any more, and content that is
# still to be deleted is LEAVING.
_STATE: Final = f"""
    case when k.id is null or k.purged or k.author_id = any({LEAVING})
              or k.status <> 'active' and not exists (select from users a where a.id = k.author_id)
         then 'gone'
         when k.status not in ('suspended', 'deleted')
              and visible(k.status, k.id, k.author_id, s.user_id, :moderate)
         then 'active'
         else 'unavailable' end
"""
_REVISION: Final = f"""
    case when t.state = 'active' then coalesce(
        case when s.pin is not null
             then (select r.id from revisions r where r.id = s.pin and not r.gone) end,
        case when :asked::boolean then {fitting("k.id", "k.revision_id")} else k.revision_id end
    ) end
"""
_KEPT: Final = f"""
    subscriptions s left join contents k on k.id = s.content_id
    cross join lateral (select {_STATE} as state offset 0) t
"""
_ROWS: Final = f"""
    select s.number, s.content_id as kept_id, unix(s.since) as since, s.pin,
           {_REVISION} as revision, t.state, {INFO}
    from {_KEPT}
    left join contents c on c.id = s.content_id and t.state = 'active'
    {AUTHOR}
"""


_PAGE: Final = f"""
    {_ROWS}
    where s.user_id = :user and s.number < {BEFORE}
    order by s.number desc limit :limit
"""


@many(
    within(
        _PAGE,
        f"number, kept_id as id, since, pin, revision, state, {INFO_COLUMNS}",
        "number desc",
        INFO_BYTES,
        str(PART),
    )
)
async def page(
    db: Db,
    user: str,
    moderate: bool,
    before: int | None,
    limit: int,
    asked: bool,
    game: list[int] | None,
    platform: str | None,
    features: list[str] | None,
) -> list[SubscriptionRow]:
    """The user's subscriptions, the newest first. With `asked`, each has the revision that fits."""


@maybe(f"""
    {_ROWS.replace("as kept_id", "as id")}
    where s.user_id = :user and s.content_id = :content
""")
async def get(
    db: Db,
    user: str,
    content: str,
    moderate: bool,
    asked: bool,
    game: list[int] | None,
    platform: str | None,
    features: list[str] | None,
) -> SubscriptionRow | None:
    """One of them. None if there is no such subscription."""


@one(f"""
    select coalesce(string_agg(
        '"' || id || '":{{"revision":' || coalesce('"' || revision || '"', 'null')
        || ',"state":"' || state || '"}}', ',' order by id
    ), '') as kept
    from (
        select s.content_id as id, {_REVISION} as revision, t.state
        from {_KEPT} where s.user_id = :user
    ) kept
""")
async def state(
    db: Db,
    user: str,
    moderate: bool,
    asked: bool,
    game: list[int] | None,
    platform: str | None,
    features: list[str] | None,
) -> str:
    """All of the user's subscriptions, of one moment: the entries of a JSON object from content ids
    to what a client is to have. It is text, like that of the ratings."""
