"""Webhooks: where events are sent, and how far each is (studio#webhooks).

What a hook is to get is sent by its task (contentsvc.jobs.studio). There is one while something
waits: whoever gives numbers to events puts it, and so does whoever changes the hook. Both hold the
row of `event_numbers` until they commit, and so does who ends the task. So no hook is left waiting.
"""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, found, many, maybe, none, one
from contentsvc.framework.tasks import task_queue
from contentsvc.store.events import events
from contentsvc.store.fragments import BEFORE, Numbered
from contentsvc.store.tasks import DeliverWebhook
from contentsvc.wire.base import tag_of
from contentsvc.wire.events import Webhook

MOST: Final = 100
"""Most hooks. A process sends to this many at a time, so that one that hangs delays no other."""
OVERLAP: Final = 24 * 3600
"""Seconds for which the secret of before signs too."""
_NEWEST: Final = "coalesce((select newest from event_numbers), 0)"
_COLUMNS: Final = f"""
    w.id, w.url, w.kinds, w.enabled, w.delivered, {_NEWEST} as newest,
    unix(w.failing_since) as failing_since, w.error as last_error
"""
_SECRETS: Final = """
    array_remove(array[
        secret, case when earlier_until > clock_timestamp() then earlier end
    ], null)
"""
_SENDS: Final = "w.enabled and w.secret is not null"
_COMES: Final = """case
    when w.kinds is null then coalesce((select max(number) from events) > w.passed, false)
    else exists (
        select from unnest(w.kinds) k (kind) where exists (
            select from events e where e.kind = k.kind and e.number > w.passed
        )
    )
end"""
"""Whether there are events that a hook has not got."""


class Before(NamedTuple):
    """A hook as it was before a PUT."""

    url: str
    kinds: list[str] | None
    enabled: bool
    given_up: bool


class Delivery(NamedTuple):
    """What is needed to send something. `body` and `last` are those of what was sent before, and
    has perhaps not arrived."""

    url: str
    kinds: list[str] | None
    passed: int
    version: int
    body: str | None
    last: int | None
    secrets: list[str]


class Target(NamedTuple):
    """What is needed for a test. Without secrets nothing can be sent."""

    url: str
    secrets: list[str]


class Failing(NamedTuple):
    """A hook that fails, or was turned off. The time is in Unix seconds."""

    id: str
    given_up: bool
    since: int | None
    error: str | None


class Totals(NamedTuple):
    """How many hooks there are, how many fail, and how many the service has turned off."""

    hooks: int
    failing: int
    given_up: int


@many(f"""
    select w.number, {_COLUMNS} from webhooks w where w.number < {BEFORE}
    order by w.number desc limit :limit
""")
async def all(db: Db, before: int | None, limit: int) -> list[Numbered[Webhook]]:
    """All, the newest first."""


@maybe(f"select {_COLUMNS} from webhooks w where w.id = :id")
async def get(db: Db, id: str) -> Webhook | None:
    """One of them."""


@maybe(f"select url, {_SECRETS} as secrets from webhooks where id = :id")
async def target(db: Db, id: str) -> Target | None:
    """Where a test goes."""


@none("insert into event_numbers default values on conflict do nothing")
async def _begin_numbers(tx: Db) -> None:
    """Make the row, if there is none yet."""


@one("select newest from event_numbers for update")
async def _lock_newest(tx: Db) -> int:
    """Lock the row, and give the number of the newest event."""


async def lock_newest(tx: Db) -> int:
    """Let nobody give numbers to events, or end or put a task of a hook, until this transaction
    ends. Gives the number of the newest event. It comes before other locks."""
    await _begin_numbers(tx)
    return await _lock_newest(tx)


@maybe("select url, kinds, enabled, given_up from webhooks where id = :id")
async def before(tx: Db, id: str) -> Before | None:
    """A hook as it is now."""


@found(f"""
    insert into webhooks (id, url, kinds, enabled, delivered, passed)
    select :id, :url, :kinds::text[], :enabled, :newest, :newest
    where (select count(*) from webhooks) < {MOST}
    returning true
""")
async def insert(
    tx: Db, id: str, url: str, kinds: list[str] | None, enabled: bool, newest: int
) -> bool:
    """Write a new hook, which gets what comes after this number. False if there are MOST."""


@none(f"""
    update webhooks w
    set url = :url, kinds = :kinds::text[], enabled = :enabled, given_up = false,
        version = version + case when :renewed then 1 else 0 end,
        failing_since = case when :renewed then null else failing_since end,
        error = case when :renewed then null else error end,
        -- Other kinds do not bring what came before, unless something waits already.
        passed = case when {_SENDS} and body is null and not {_COMES} then :newest else passed end
    where w.id = :id
""")
async def change(
    tx: Db,
    id: str,
    url: str,
    kinds: list[str] | None,
    enabled: bool,
    newest: int,
    renewed: bool,
) -> None:
    """Change a hook. If it is `renewed`, what has failed before is forgotten."""


@found("delete from webhooks where id = :id returning true")
async def delete(tx: Db, id: str) -> bool:
    """Delete a hook. False if there is none."""


@found(f"""
    update webhooks
    set earlier = secret, secret = :secret,
        earlier_until = clock_timestamp() + make_interval(secs => {OVERLAP})
    where id = :id returning true
""")
async def renew_secret(tx: Db, id: str, secret: str) -> bool:
    """Give a hook another secret. False if there is none."""


@found(f"""
    select from webhooks w where w.id = :id and {_SENDS} and (w.body is not null or {_COMES})
""")
async def waits(tx: Db, id: str) -> bool:
    """Whether something is to be sent to a hook."""


@none(f"""
    update webhooks w set passed = :newest
    where w.id = :id and {_SENDS} and w.body is null and w.passed < :newest
""")
async def _rest(tx: Db, id: str, newest: int) -> None:
    """Note that nothing waits up to this number."""


async def settle(tx: Db, id: str, newest: int) -> bool:
    """Put the task of a hook if something is to be sent to it, and it has none. Says whether
    something is. The transaction holds the numbers, of which this is the newest."""
    if not await waits(tx, id):
        await _rest(tx, id, newest)
        return False
    if not await task_queue.is_queued(tx, *place(id)):
        await task_queue.put(tx, DeliverWebhook(webhook=id))
    return True


async def hasten(tx: Db, id: str) -> None:
    """Have what has failed sent now."""
    await task_queue.hasten(tx, *place(id))


def place(id: str) -> tuple[str, str]:
    """The queue and the topic of a hook's task."""
    return tag_of(DeliverWebhook), DeliverWebhook(webhook=id).topic


@maybe(f"""
    select url, kinds, passed, version, body, last, {_SECRETS} as secrets
    from webhooks w where id = :id and {_SENDS}
""")
async def delivery(db: Db, id: str) -> Delivery | None:
    """What is to be sent to a hook. None if nothing is."""


async def next_events(db: Db, delivery: Delivery, most: int) -> list[events.Stored]:
    """The next events that a hook is to get."""
    if delivery.kinds is None:
        rows = await events.page(db, delivery.passed, most)
    else:
        rows = await events.page_of_kinds(db, delivery.kinds, delivery.passed, most)
    return [row.event for row in rows if row.event is not None]


@found("""
    update webhooks set body = :body, last = :last
    where id = :id and version = :version and passed = :passed and body is null
    returning true
""")
async def keep(db: Db, id: str, version: int, passed: int, body: str, last: int) -> bool:
    """Note what is sent from now on, until it has arrived. False if the hook was changed."""


@none("""
    update webhooks
    set delivered = :last, passed = greatest(passed, :last), body = null, last = null,
        failing_since = null, error = null
    where id = :id and last = :last
""")
async def delivered(db: Db, id: str, last: int) -> None:
    """Note that what ends with this event has arrived."""


@maybe("""
    update webhooks set failing_since = coalesce(failing_since, clock_timestamp()), error = :error
    where id = :id and version = :version and last = :last
    returning failing_since <= clock_timestamp() - make_interval(secs => :patience)
""")
async def failed(
    db: Db, id: str, version: int, last: int, error: str, patience: float
) -> bool | None:
    """Note that it has failed, and why. Says whether it has for so many seconds; None if the hook
    was changed meanwhile."""


@found("""
    update webhooks
    set enabled = false, given_up = true, version = version + 1, error = :error,
        failing_since = coalesce(failing_since, clock_timestamp())
    where id = :id and version = :version and enabled
    returning true
""")
async def give_up(tx: Db, id: str, version: int, error: str) -> bool:
    """Turn a hook off. False if it was changed meanwhile."""


@many("""
    select id, given_up, unix(failing_since) as since, error from webhooks
    where failing_since is not null or given_up
    order by number limit :limit
""")
async def failing(db: Db, limit: int) -> list[Failing]:
    """Some of those that fail, or were turned off."""


@one("""
    select count(*) as hooks,
           count(*) filter (where failing_since is not null and not given_up) as failing,
           count(*) filter (where given_up) as given_up
    from webhooks
""")
async def totals(db: Db) -> Totals:
    """How many there are."""
