"""Sending events to webhooks, and counting downloads of each day."""

import json
import time
from email.utils import formatdate
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import deferLater
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.client import verify_webhook
from contentsvc.framework.core.timers import Bell, WallClock
from contentsvc.framework.tasks.task_runners import EffectRunner
from contentsvc.framework.webhooks.addresses import Rules
from contentsvc.framework.webhooks.sender import Sender
from contentsvc.framework.webhooks.signature import secret_of
from contentsvc.jobs.studio import (
    EVENTS_AT_ONCE,
    TURN_OFF_AFTER,
    Downloads,
    WebhookCounts,
    WebhookDeliverer,
)
from contentsvc.store import daily_totals
from contentsvc.store.events import events, webhooks
from tests.support.databases import StoreCase, guid
from tests.support.receiver import HANG, Receiver

HERE = Rules.of(True, ["127.0.0.0/8"])
SECRET = secret_of(b"a" * 32)


class WebhookCase(StoreCase):
    """A database of its own, receivers, and a process that sends."""

    anew = True

    async def setUp(self) -> None:
        await super().setUp()
        self.counts = WebhookCounts()
        self.noted = 0
        self.senders: list[Sender] = []
        self.runner = self.process()

    def sending(self, **options: Any) -> WebhookDeliverer:
        """What one more process has."""
        sender = Sender(reactor, WallClock(), HERE, **options)
        self.senders.append(sender)
        return WebhookDeliverer(self.db, sender, self.counts, self.note)

    def process(self, **options: Any) -> EffectRunner:
        """One more process."""
        made = EffectRunner(reactor, self.db, self.sending(**options).kind, Bell(reactor))
        self.addCleanup(lambda: Deferred.fromCoroutine(made.stop()))
        return made

    def note(self) -> None:
        """An event was written."""
        self.noted += 1

    def receiver(self) -> Receiver:
        """One more."""
        made = Receiver()
        self.addCleanup(made.stop)
        return made

    async def hook(self, to: Receiver, kinds: list[str] | None = None, **more: Any) -> str:
        """A hook that leads there."""
        id = guid()
        async with self.db.transaction() as tx:
            newest = await webhooks.lock_newest(tx)
            await webhooks.insert(tx, id, to.url, kinds, True, newest)
            if more.get("secret", True):
                await webhooks.renew_secret(tx, id, SECRET)
        return id

    async def happen(self, *kinds: str) -> int:
        """Events of these kinds; the number of the last."""
        for kind in kinds:
            await events.note(self.db, kind, None, "user", guid())  # type: ignore[arg-type]
        return (await events.number(self.db, 1000)).newest

    async def work(self, runner: EffectRunner | None = None) -> None:
        """Until nothing is due and nothing is under way."""
        runner = runner or self.runner
        while True:
            await runner.run()
            if not runner._working:
                due = self.sql("select 1 from tasks where due <= now() and lease is null")
                if not due:
                    return
            await deferLater(reactor, 0.01)

    def pass_time(self, seconds: float) -> None:
        """Let it pass for all tasks and hooks."""
        self.sql("update tasks set due = due - make_interval(secs => %s)", seconds)
        self.sql(
            "update webhooks set failing_since = failing_since - make_interval(secs => %s)",
            seconds,
        )

    def row(self, id: str, *columns: str) -> Any:
        """These columns of a hook."""
        ((row),) = self.sql(f"select {', '.join(columns)} from webhooks where id = %s", id)
        return row if len(columns) > 1 else row[0]

    def tasks(self) -> list[tuple[Any, ...]]:
        """Those that wait: tries and failure."""
        return self.sql("select tries, failure from tasks order by id")


class DeliveryTests(WebhookCase):
    async def test_delivered(self) -> None:
        """A hook gets what has happened since it was made: signed, with the number of the last
        event in its id. Then nothing waits."""
        to = self.receiver()
        await self.happen("FileStored")
        hook = await self.hook(to)
        last = await self.happen("ContentPublished", "CommentPosted")
        await self.work()
        (got,) = to.got
        self.assertEqual(got.kinds, ["ContentPublished", "CommentPosted"])
        self.assertEqual(got.id, f"{hook}.{last}")
        self.assertEqual(json.loads(got.body)["webhook"], hook)
        self.assertEqual(got.headers["content-type"], "application/json")
        self.assertEqual(verify_webhook(SECRET, got.headers, got.body), got.id)
        self.assertEqual(self.row(hook, "delivered", "passed", "body"), (last, last, None))
        self.assertEqual((self.tasks(), self.counts.delivered), ([], 1))

    async def test_order(self) -> None:
        """Many events come in their order, at most 100 in a request, one request at a time."""
        to = self.receiver()
        await self.hook(to)
        first = await self.happen("FileStored")
        last = await self.happen(*["CommentPosted"] * (2 * EVENTS_AT_ONCE + 5))
        await self.work()
        self.assertEqual([len(got.numbers) for got in to.got], [EVENTS_AT_ONCE, EVENTS_AT_ONCE, 6])
        numbers = [number for got in to.got for number in got.numbers]
        self.assertEqual(numbers, [*range(first, last + 1)])
        self.assertEqual(to.most_at_once, 1)

    async def test_kinds(self) -> None:
        """A hook of some kinds gets those, and no task for others."""
        to = self.receiver()
        hook = await self.hook(to, ["FileStored"])
        await self.happen("CommentPosted")
        self.assertEqual(self.tasks(), [])
        last = await self.happen("FileStored")
        await self.happen("CommentPosted")
        await self.work()
        self.assertEqual([got.kinds for got in to.got], [["FileStored"]])
        self.assertEqual(self.row(hook, "delivered"), last)

    async def test_no_secret(self) -> None:
        """Without a secret nothing is sent, and with one all that has come since."""
        to = self.receiver()
        hook = await self.hook(to, secret=False)
        await self.happen("FileStored")
        self.assertEqual(self.tasks(), [])
        async with self.db.transaction() as tx:
            newest = await webhooks.lock_newest(tx)
            await webhooks.renew_secret(tx, hook, SECRET)
            self.assertTrue(await webhooks.settle(tx, hook, newest))
        await self.work()
        self.assertEqual([got.kinds for got in to.got], [["FileStored"]])

    async def test_secrets(self) -> None:
        """The secret before signs too for 24 hours, and no longer."""
        to = self.receiver()
        hook, other = await self.hook(to), secret_of(b"b" * 32)
        async with self.db.transaction() as tx:
            await webhooks.renew_secret(tx, hook, other)
        await self.happen("FileStored")
        await self.work()
        self.sql("update webhooks set earlier_until = now()")
        await self.happen("FileStored")
        await self.work()
        first, second = to.got
        for secret in (SECRET, other):
            verify_webhook(secret, first.headers, first.body)
        self.assertEqual(len(first.headers["webhook-signature"].split(" ")), 2)
        self.assertEqual(len(second.headers["webhook-signature"].split(" ")), 1)
        verify_webhook(other, second.headers, second.body)


class FailureTests(WebhookCase):
    async def test_again(self) -> None:
        """What has failed is sent again as it was, although more has happened; then comes the
        rest."""
        to = self.receiver()
        hook = await self.hook(to)
        to.answers = [500, 302]
        to.location = to.url
        last = await self.happen("FileStored")
        await self.work()
        self.assertEqual(self.tasks(), [(1, "the answer is 500")])
        self.assertEqual(
            self.row(hook, "delivered", "error", "last"), (0, "the answer is 500", last)
        )
        await self.happen("CommentPosted")
        self.pass_time(5)
        await self.work()
        self.assertEqual(self.tasks(), [(2, "the answer is 302")])
        self.pass_time(10)
        await self.work()
        self.assertEqual([got.kinds for got in to.got], [["FileStored"]] * 3 + [["CommentPosted"]])
        self.assertEqual(len({(got.id, got.body) for got in to.got[:3]}), 1)
        self.assertEqual(self.row(hook, "failing_since", "error"), (None, None))

    async def test_pauses(self) -> None:
        """The pauses are 5 s, doubling up to an hour."""
        to = self.receiver()
        await self.hook(to)
        to.status = 500
        await self.happen("FileStored")
        await self.work()
        for pause in (5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600):
            (due,) = self.sql("select extract(epoch from due - now())::float from tasks")[0]
            self.assertTrue(pause - 4 < due <= pause, due)
            self.pass_time(pause)
            await self.work()
        self.assertEqual(len(to.got), 13)

    async def test_retry_after(self) -> None:
        """The pause is at least what the receiver asks for in Retry-After, in seconds or as a date,
        and at most an hour."""
        to = self.receiver()
        await self.hook(to)
        to.status = 503
        to.retry_after = "120"
        await self.happen("FileStored")
        await self.work()
        for asked, pause in (
            (formatdate(time.time() + 1800, usegmt=True), 120),
            ("1", 1800),
            ("86400", 20),
            ("later", 3600),
            (None, 80),
        ):
            (due,) = self.sql("select extract(epoch from due - now())::float from tasks")[0]
            self.assertTrue(pause - 4 < due <= pause + 1, (due, pause))
            to.retry_after = asked
            self.pass_time(pause + 1)
            await self.work()
        self.assertEqual(len(to.got), 6)

    async def test_given_up(self) -> None:
        """A hook that has failed for 72 hours is turned off, which is an event."""
        to = self.receiver()
        hook = await self.hook(to)
        to.status = 503
        await self.happen("FileStored")
        await self.work()
        for passed, on in ((TURN_OFF_AFTER - 100, True), (200, False)):
            self.pass_time(passed)
            await self.work()
            self.assertEqual(self.row(hook, "enabled", "given_up"), (on, not on))
        self.assertEqual((self.tasks(), self.noted, self.counts.turned_off), ([], 1, 1))
        kinds = self.sql("select kind, actor, subject_kind, subject from new_events")
        self.assertEqual(kinds, [("WebhookDisabled", None, "webhook", hook)])
        ((shown),) = await webhooks.failing(self.db, 9)
        self.assertEqual((shown.given_up, shown.error), (True, "the answer is 503"))
        await self.happen("FileStored")
        self.assertEqual(self.tasks(), [])

    async def test_enabled_again(self) -> None:
        """A hook that is turned on again goes on after what it has got, with what had failed as it
        was."""
        to = self.receiver()
        hook = await self.hook(to)
        to.answers = [410]
        await self.happen("FileStored")
        await self.work()
        await self.happen("CommentPosted")
        await self.turn_on(hook, to)
        await self.work()
        failed, again, *rest = to.got
        self.assertEqual((again.id, again.body), (failed.id, failed.body))
        kinds = [kind for got in rest for kind in got.kinds]
        self.assertEqual(kinds, ["WebhookDisabled", "CommentPosted"])
        self.assertEqual(self.row(hook, "given_up", "failing_since"), (False, None))

    async def turn_on(self, hook: str, to: Receiver) -> None:
        """As a PUT does it."""
        async with self.db.transaction() as tx:
            newest = await webhooks.lock_newest(tx)
            await webhooks.change(tx, hook, to.url, None, True, newest, True)
            await webhooks.settle(tx, hook, newest)

    async def test_oldest(self) -> None:
        """It begins with the oldest event that is kept, where others are not any more."""
        to = self.receiver()
        hook = await self.hook(to)
        to.answers = [410]
        await self.happen("FileStored")
        await self.work()
        await self.happen("CommentPosted")
        self.sql("update events set created = now() - interval '9 days' where number < 3")
        await events.trim(self.db, 5)
        await self.turn_on(hook, to)
        await self.work()
        self.assertEqual([got.numbers for got in to.got], [[1], [3]])

    async def test_changed(self) -> None:
        """A hook whose URL was changed while a request was under way begins anew: what that brings
        does not count, and nobody waits for the pause."""
        to, other = self.receiver(), self.receiver()
        hook = await self.hook(to)
        to.status = HANG
        await self.happen("FileStored")
        await self.runner.run()
        await to.requests(1)
        await self.turn_on(hook, other)
        await to.stop()
        await other.requests(1)
        await self.work()
        self.assertEqual(to.got[0].body, other.got[0].body)
        self.assertEqual(self.row(hook, "failing_since", "error"), (None, None))

    async def test_deleted(self) -> None:
        """What was under way for a hook that is gone ends."""
        to = self.receiver()
        hook = await self.hook(to)
        to.status = HANG
        await self.happen("FileStored")
        await self.runner.run()
        await to.requests(1)
        async with self.db.transaction() as tx:
            await webhooks.delete(tx, hook)
        await to.stop()
        await self.work()
        self.assertEqual(self.tasks(), [])


class ApartTests(WebhookCase):
    async def test_hangs(self) -> None:
        """A receiver that hangs delays no other, also not what comes later."""
        slow, quick = self.receiver(), self.receiver()
        await self.hook(slow)
        await self.hook(quick)
        slow.status = HANG
        await self.happen("FileStored")
        await self.runner.run()
        await gatherResults([Deferred.fromCoroutine(each.requests(1)) for each in (slow, quick)])
        for count in (2, 3, 4):
            await self.happen("FileStored")
            await self.runner.run()
            await quick.requests(count)
        self.assertEqual(len(slow.got), 1)

    async def test_too_slow(self) -> None:
        """A receiver has so long and no longer."""
        to = self.receiver()
        await self.hook(to)
        runner = self.process(whole=0.2)
        to.answers = [HANG]
        await self.happen("FileStored")
        await self.work(runner)
        self.assertEqual(self.tasks(), [(1, "no answer in 0.2 s")])

    async def test_processes(self) -> None:
        """Several processes send nothing twice, and nothing out of order."""
        to = self.receiver()
        await self.hook(to)
        runners = [self.process() for _ in range(3)]
        for _ in range(10):
            last = await self.happen(*["FileStored"] * 3)
            for runner in runners:
                await runner.run()
        for runner in runners:
            await self.work(runner)
        numbers = [number for got in to.got for number in got.numbers]
        self.assertEqual((numbers, to.most_at_once), ([*range(1, last + 1)], 1))

    async def test_stopped(self) -> None:
        """A process that stops leaves what hangs to the next, at once."""
        to = self.receiver()
        await self.hook(to)
        to.answers = [HANG]
        await self.happen("FileStored")
        await self.runner.run()
        await to.requests(1)
        self.senders[0].stop()
        await self.runner.stop()
        await self.work(self.process())
        first, second = to.got
        self.assertEqual((first.id, first.body), (second.id, second.body))


class DownloadsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.written: list[tuple[int, int]] = []
        self.patch(daily_totals, "add_downloads", self.add)
        none: Any = None
        self.downloads = Downloads(none)

    async def add(self, db: Any, files: int, bytes: int) -> None:
        self.written.append((files, bytes))

    def write(self) -> Deferred[None]:
        return Deferred.fromCoroutine(self.downloads.counts.write())

    def test_together(self) -> None:
        """They are written together, once, and nothing is written where there were none."""
        self.downloads.count(1, 10)
        self.downloads.count(0, 5)
        for _ in range(2):
            self.successResultOf(self.write())
        self.assertEqual(self.written, [(1, 15)])
