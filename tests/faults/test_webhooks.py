"""Processes are killed while they send to webhooks (studio#webhooks)."""

import contextlib
from random import Random

import psutil
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.client import Unreachable, verify_webhook
from contentsvc.jobs.studio import WEBHOOK_LEASE
from contentsvc.wire.accounts import BanBody
from contentsvc.wire.events import EventQuery, WebhookBody
from tests.faults.case import PASSWORD, FaultCase, hold
from tests.faults.servers import kill, run_sql
from tests.support.databases import guid
from tests.support.receiver import HANG, Got, Receiver
from tests.support.sizes import rounds

KILLS, EVERY = rounds(1, 1, 4), 3.0
"""How many, and the seconds between two."""
LATEST = 5.0
"""Seconds until an event is with a hook of which nobody was killed."""
BANS = EventQuery(after=0, kinds="UserBanned", limit=1000)
FUTURE = 4_000_000_000
"""The first end of a ban: each ban has another."""


class WebhookTests(FaultCase):
    timeout = 240

    async def setUp(self) -> None:
        super().setUp()
        self.random = Random(1)
        options = ("--webhook-insecure", "on", "--webhook-networks", "127.0.0.0/8")
        self.service = await self.daemon("--workers", "2", *options)
        await self.service.add_user("warden", PASSWORD, admin=True)
        self.warden = await self.client(self.service, "warden")
        self.written = 0
        self.over = False

    async def hook(self) -> tuple[Receiver, str]:
        """A receiver of bans with a hook, and its secret."""
        to, id = Receiver(), guid()
        self.addCleanup(to.stop)
        body = WebhookBody(url=to.url, kinds=["UserBanned"], enabled=True)
        await self.warden.webhooks.put(id, body)
        return to, (await self.warden.webhooks.create_secret(id)).secret

    async def write(self) -> None:
        """Ban a user again and again."""
        target = (await self.client(self.service, "target")).user
        while not self.over:
            with contextlib.suppress(Unreachable):
                until = FUTURE + self.written
                await self.warden.bans.ban(target, BanBody(reason="rude", until=until))
                self.written += 1
            await deferLater(reactor, 0.05)

    def numbers(self, got: list[Got]) -> list[int]:
        """The numbers of all events, without those that have come before."""
        found: list[int] = []
        for each in got:
            found += [number for number in each.numbers if number not in found]
        return found

    async def test_kills(self) -> None:
        """Every event has come to each hook, in order, and what came twice was the same, although
        workers were killed, and receivers failed and hung."""
        (good, secret), (shaky, _), (dead, _) = [await self.hook() for _ in range(3)]
        dead.status = HANG
        shaky.answers = [204, 204, 500, 204, 204, 503, 204]
        writing = Deferred.fromCoroutine(self.write())
        for _ in range(KILLS):
            await deferLater(reactor, EVERY)
            workers = [child.pid for child in psutil.Process(self.service.pid).children()]
            kill(self.random.choice(workers))
        self.over = True
        await writing
        self.assertGreater(self.written, 20)
        # What a killed worker has written gets its number from another.
        await hold(
            lambda: not run_sql(self.database, "select 1 from new_events"), "all have numbers"
        )
        page = await self.warden.events.list(BANS)
        expected = [event.number for event in page.items]
        for to in (good, shaky):
            await hold(
                lambda to=to: set(expected) <= set(self.numbers(to.got)),  # type: ignore[misc]
                "all events have come",
                3 * WEBHOOK_LEASE,
            )
            numbers = self.numbers(to.got)
            self.assertEqual(numbers, expected)
            self.assertEqual(len({got.id for got in to.got}), len({got.body for got in to.got}))
            self.assertEqual(to.most_at_once, 1)
        for got in good.got:
            verify_webhook(secret, got.headers, got.body)
        self.assertEqual(len({(got.id, got.body) for got in dead.got}), 1)

    async def test_apart(self) -> None:
        """While some receivers hang, others get each event within seconds."""
        slow = [(await self.hook())[0] for _ in range(8)]
        for each in slow:
            each.status = HANG
        good, _ = await self.hook()
        target = (await self.client(self.service, "target")).user
        for count in range(1, 6):
            until = FUTURE + count
            began = reactor.seconds()
            await self.warden.bans.ban(target, BanBody(reason="rude", until=until))
            await hold(
                lambda count=count: len(self.numbers(good.got)) == count,  # type: ignore[misc]
                "the event has come",
                LATEST,
            )
            self.assertLess(reactor.seconds() - began, LATEST)
        for each in slow:
            await each.requests(1)
