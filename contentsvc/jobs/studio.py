"""What the studio gets: events have numbers and go to webhooks (studio#events), and what was
counted is added up by days (studio#statistics)."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

from attrs import define, field
from msgspec import Struct, json
from twisted.internet.defer import CancelledError
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.runner import Job, WriteBehind
from contentsvc.framework.tasks.task_runners import (
    Again,
    Done,
    EffectKind,
    EffectRunner,
    EffectSession,
    Outcome,
    PutOff,
)
from contentsvc.framework.webhooks.sender import GONE, Sender
from contentsvc.store import daily_totals
from contentsvc.store.events import events, webhooks
from contentsvc.store.events.webhooks import Delivery
from contentsvc.store.tasks import DeliverWebhook
from contentsvc.wire.events import WebhookDelivery

NUMBERS_EVERY: Final = 4.0
"""Most seconds until the database is tried again when it has failed."""
GATHER: Final = 0.1
"""Seconds after a write in which others are waited for, so that they get their numbers together."""

WEBHOOKS_EVERY: Final = 5.0
"""Most seconds until the database is tried again when it has failed."""
EVENTS_AT_ONCE: Final = 100
"""Most events of a request."""
WEBHOOKS_AT_ONCE: Final = webhooks.MOST
"""Most requests of a process at a time: one to each hook, so that none waits for another."""
WEBHOOK_LEASE: Final = 45.0
"""Seconds for which a hook is a process's: a request, and what is written before and after it."""
FIRST_WEBHOOK_PAUSE: Final = 5.0
LAST_WEBHOOK_PAUSE: Final = 3600.0
"""Seconds until what has failed is sent again. They double each time, and are no fewer than the
receiver asks for in Retry-After, up to the last."""
TURN_OFF_AFTER: Final = 72 * 3600.0
"""Seconds after which a hook is turned off that has failed all the time."""

TOTALS_EVERY: Final = 10.0
"""Most seconds until it is tried again when it has failed."""
DOWNLOADS_EVERY: Final = 1.0
"""Seconds between two writes of downloads: a process that is killed loses those since the last."""
TOTALS_PAUSE: Final = 0.2
"""Seconds between two batches."""

log = Logger()


def number_events(number: Callable[[], Awaitable[int]], bell: Bell) -> Job:
    """The job that gives events their numbers. `number` does it with some, and says how many.

    Every process does it after each of its own writes, and for what those have left that died.
    While somebody waits for events here (contentsvc.push.event_feed), it also does it now and then:
    so it learns how far the numbers are while it does not hear the others. See
    schema/functions/number_events.sql.
    """

    async def run() -> float | None:
        return 0.0 if await number() == events.AT_ONCE else None

    return Job("number events", NUMBERS_EVERY, run, bell, queue="new events", waits=events.WAITING)


class WebhookCounts(Struct):
    """The requests of this process: those that were `delivered`, and those that have `failed`; and
    the hooks that it has `turned_off`."""

    delivered: int = 0
    failed: int = 0
    turned_off: int = 0


@define(eq=False)
class WebhookDeliverer:
    """Sends events to webhooks. `noted` is called when an event was written.

    Each hook that is to get something has one task, an effect: one request. While it succeeds it is
    done again; when nothing waits any more it ends. The request is stored with the hook before it
    is sent, so that it is repeated unchanged, whichever process dies. Hooks have separate sessions:
    one that hangs delays no other.
    """

    _db: Database
    _sender: Sender
    _counts: WebhookCounts
    _noted: Callable[[], object]
    _patience: float = field(default=TURN_OFF_AFTER, kw_only=True)
    kind: EffectKind = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.kind = EffectKind(
            DeliverWebhook,
            self._begin,
            lease=WEBHOOK_LEASE,
            first_pause=FIRST_WEBHOOK_PAUSE,
            last_pause=LAST_WEBHOOK_PAUSE,
            sessions=WEBHOOKS_AT_ONCE,
            independent=True,
        )

    def job(self, clock: IReactorTime, bell: Bell) -> Job:
        """What is to be run. `bell` is rung when events have got numbers."""
        effects = EffectRunner(clock, self._db, self.kind, bell)

        async def stop() -> None:
            await effects.stop()
            # What still hangs is sent again, by the next process.
            self._sender.stop()
            await effects.stop()

        return Job("send to webhooks", WEBHOOKS_EVERY, effects.run, bell, stop, effects.queue)

    async def _begin(self) -> EffectSession:
        return EffectSession(self.send)

    async def send(self, task: DeliverWebhook, waited: float, until: float) -> Outcome:
        """Send a hook the next events."""
        id = task.webhook
        delivery = await webhooks.delivery(self._db, id)
        if delivery is None:
            return Done(partial(_settle, id=id))
        if delivery.body is None or delivery.last is None:
            rows = await webhooks.next_events(self._db, delivery, EVENTS_AT_ONCE)
            if not rows:
                return Done(partial(_settle, id=id))
            body, last, place = (
                _body(id, rows),
                rows[-1].number,
                (delivery.version, delivery.passed),
            )
            if not await webhooks.keep(self._db, id, *place, body, last):
                return Again(0.0)
            return await self._deliver(id, delivery, body, last)
        return await self._deliver(id, delivery, delivery.body, delivery.last)

    async def _deliver(self, id: str, delivery: Delivery, body: str, last: int) -> Outcome:
        try:
            sent = body.encode()
            answer = await self._sender.send(delivery.url, f"{id}.{last}", sent, delivery.secrets)
        except CancelledError:
            return Again(0.0)
        if answer.error is None:
            self._counts.delivered += 1
            await webhooks.delivered(self._db, id, last)
            return Again(0.0)
        self._counts.failed += 1
        if answer.status == GONE:
            return self._give_up(id, delivery, answer.error)
        asked = answer.retry_after
        return await self._failed(id, delivery, last, answer.error, asked)

    async def _failed(
        self, id: str, delivery: Delivery, last: int, error: str, asked: float
    ) -> Outcome:
        patience = self._patience
        over = await webhooks.failed(self._db, id, delivery.version, last, error, patience)
        if over is None:
            return Again(0.0)
        return self._give_up(id, delivery, error) if over else PutOff(error, asked)

    def _give_up(self, id: str, delivery: Delivery, error: str) -> Outcome:
        return Done(partial(self._turn_off, id=id, version=delivery.version, error=error))

    async def _turn_off(self, tx: Db, id: str, version: int, error: str) -> None:
        newest = await webhooks.lock_newest(tx)
        if await webhooks.give_up(tx, id, version, error):
            await events.note(tx, "WebhookDisabled", None, "webhook", id)
            tx.after_commit(partial(self._turned_off, id, error))
        await webhooks.settle(tx, id, newest)

    def _turned_off(self, id: str, error: str) -> None:
        self._counts.turned_off += 1
        # Log: this webhook gets nothing any more: it has failed for 72 hours, or its receiver has
        # answered 410. Do: mend the receiver and turn the webhook on again, or delete it, see
        # docs/interface/studio.md#webhooks.
        log.warn("Turned off webhook {webhook}: {error}", webhook=id, error=error)
        self._noted()


async def _settle(tx: Db, id: str) -> None:
    """End the task of a hook. If something has come since, it has another."""
    await webhooks.settle(tx, id, await webhooks.lock_newest(tx))


def _body(id: str, rows: Sequence[events.Stored]) -> str:
    return json.encode(WebhookDelivery(id, [events.shown(row) for row in rows])).decode()


class Downloads:
    """The downloads of this process that the database does not have yet. No transaction causes
    them, so they are written together."""

    def __init__(self, db: Db) -> None:
        async def write(counts: Counter[str]) -> None:
            await daily_totals.add_downloads(db, counts["files"], counts["bytes"])

        self.counts = WriteBehind(write, most=2)

    def count(self, files: int, bytes: int) -> None:
        """So many files were handed out, of so many bytes."""
        self.counts.count("files", files)
        self.counts.count("bytes", bytes)


def totals(clock: IReactorTime, db: Db, downloads: Downloads) -> list[Job]:
    """The jobs that maintain the totals of each day."""

    async def add_up() -> float | None:
        return TOTALS_PAUSE if daily_totals.is_more(await daily_totals.add_up(db)) else None

    return [
        Job(
            "add up statistics",
            TOTALS_EVERY,
            add_up,
            Bell(clock),
            queue="statistics",
            waits=daily_totals.WAITING,
        ),
        downloads.counts.job("count downloads", DOWNLOADS_EVERY),
    ]
