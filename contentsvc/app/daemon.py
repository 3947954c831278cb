"""A daemon: everything in one process.

It starts in sequence (Postgres, migrations, pool, LISTEN, then the port) and stops in the reverse:
port, goodbye to the sockets, requests under way, LISTEN, pool, Postgres.
"""

import gc
from collections.abc import Callable
from random import SystemRandom
from typing import Any, Final

from twisted.internet.defer import Deferred

from contentsvc.api.context import Context, Credentials
from contentsvc.api.health import Health
from contentsvc.app import collector
from contentsvc.app.from_settings import (
    Eventing,
    Mailing,
    failing,
    open_bucket,
    open_events,
    open_mailing,
    open_replica,
    open_verifiers,
    scaling_jobs,
    store_jobs,
)
from contentsvc.app.lifecycle import Lifecycle, allow_connections
from contentsvc.app.maintenance_state import MaintenanceState
from contentsvc.app.metric_values import Source
from contentsvc.app.process_status import ProcessStatus
from contentsvc.app.readiness import reasons
from contentsvc.app.restore_watch import RestoreWatch
from contentsvc.app.site import make_site
from contentsvc.config import Settings
from contentsvc.framework.core.clocks import WallClock
from contentsvc.framework.core.http_proxy import Proxies
from contentsvc.framework.core.timers import Bell, NextTurn
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.replica import Replica
from contentsvc.framework.http.site import ApiSite
from contentsvc.framework.http.slow_requests import SlowRequests
from contentsvc.framework.http.unavailable import unavailability
from contentsvc.framework.identity.fetch import Fetch
from contentsvc.framework.identity.issuer import Issuers
from contentsvc.framework.identity.passwords import Passwords
from contentsvc.framework.identity.subject import Verifiers
from contentsvc.framework.process import listening
from contentsvc.framework.storage.bucket import BadStore, Bucket
from contentsvc.framework.tasks.runner import Job, Runner
from contentsvc.framework.tasks.task import STEPS
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.jobs import challenges, content, content_counts, notifications, steps
from contentsvc.jobs.challenges import ChallengeCloser
from contentsvc.jobs.content import ConnectedFollowers, SearchIndexer
from contentsvc.jobs.files import collect, purge
from contentsvc.jobs.handlers import LOOK_SOON, watch
from contentsvc.jobs.handlers import steps as steps_of
from contentsvc.jobs.images import ImageCounts
from contentsvc.jobs.mails import MailCounts
from contentsvc.jobs.notifications import AnnouncementWatch, StudioLimits
from contentsvc.jobs.retention import retain
from contentsvc.jobs.steps import StepRunner
from contentsvc.jobs.studio import GATHER, Downloads, WebhookCounts, number_events, totals
from contentsvc.push.bus import PostgresBus
from contentsvc.push.hub import Hub
from contentsvc.push.notifier import Notifier
from contentsvc.push.process_report import ProcessReport
from contentsvc.push.reconcile import Reconciler
from contentsvc.push.relay import Relay
from contentsvc.push.revocation import Revocation
from contentsvc.push.statistics import Delays
from contentsvc.store import pending_work
from contentsvc.store.disk import Disk
from contentsvc.store.notifications import streams
from contentsvc.tokens import Keys, MailTokens, Revoked, Tokens

_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class Daemon(Lifecycle):
    """`install` is called with what the families are made of, once that runs, and `announce` with
    the port once it is served. A `worker` starts with a bad file store too: its parent has tried
    that one."""

    def __init__(
        self,
        reactor: Any,
        settings: Settings,
        endpoint: Any,
        install: Callable[[Context], list[object]],
        announce: Callable[[Any], None],
        *,
        admin: Any = None,
        worker: bool = False,
    ) -> None:
        super().__init__(reactor, settings, admin, worker=worker)
        self.outlook = ProcessStatus(reactor)
        self._endpoint = endpoint
        self._install = install
        self._wrote: Callable[[], object] = lambda: None
        self._look = Bell(reactor)
        self._announce = announce

    async def start_parts(self) -> None:
        settings, reactor, wall = self._settings, self._reactor, WallClock()
        observed = self.outlook.observed
        self.outlook.lag.start()
        self._undo.append(self.outlook.lag.stop)
        connections = allow_connections(settings.most_connections, self._other_files)
        dsn = settings.database or await self._embedded()
        keys = Keys.load_or_generate(settings.keys_path)
        maintenance = MaintenanceState(reactor)
        restoring, db = await self._database(dsn, maintenance)
        replica = open_replica(settings, reactor, db)
        if replica is not None:
            self._undo.append(replica.stop)
        self.outlook.shows(collector.of_database, db, replica)
        tokens = Tokens(keys, wall, steady=reactor)
        presence = ProcessReport()
        hub, relay, revocation, notifier = await self._push(
            dsn, db, tokens.revoked, restoring, maintenance, presence
        )
        passwords = Passwords(reactor)
        passwords.threads.start()
        self._undo.append(passwords.threads.stop)
        self.outlook.shows(collector.of_passwords, passwords)
        hub.start()
        self._undo.append(hub.stop)
        bucket = await self._bucket(keys, db)
        mailing = open_mailing(settings, keys, reactor, wall, db, tokens.pseudonym)
        self.outlook.shows(collector.of_mails, MailCounts() if mailing is None else mailing.counts)
        events = open_events(settings, reactor, wall, db, self._noted)
        downloads, taken = Downloads(db), content_counts.ContentDownloads(db, wall)
        counted = [
            *totals(reactor, db, downloads),
            *content_counts.jobs(reactor, db, taken),
        ]
        queue, blocked, stored = self._start_jobs(
            wall, db, replica, presence, hub, relay, notifier, bucket, mailing, events, counted
        )
        unavailable = unavailability(reactor)
        self.outlook.shows(collector.of_unavailable, unavailable)
        slow = SlowRequests(reactor, settings.slow_request)
        self._undo += [unavailable.stop, slow.stop]
        disk = Disk(reactor, db, settings.database_folder)

        def answered_503(cause: str) -> None:
            unavailable.count(cause)
            if cause == "disk":
                disk.failed()

        revocation.ended = events.feed.recheck if events is not None else revocation.ended
        context = Context(
            settings=settings,
            clock=reactor,
            db=db,
            notifier=notifier,
            events=None if events is None else events.feed,
            webhooks=None if events is None else events.sender,
            queue=queue,
            maintenance=maintenance.state,
            revocation=revocation,
            credentials=Credentials(
                tokens, MailTokens(keys), passwords, *self._verifiers(wall), observed.failed
            ),
            mails=None if mailing is None else mailing.queue,
            bucket=bucket,
            blocked=blocked,
            stored=stored,
            downloaded=downloads.count,
            taken=taken.note,
        )
        health = Health(
            reasons(db, disk, hub, relay, tokens.revoked, restoring, self._keeper), reactor
        )
        site = make_site(
            reactor,
            context,
            [*self._install(context), health],
            hub,
            now=wall.seconds,
            connections=connections,
            is_restoring=lambda: restoring.on,
            unavailable=answered_503,
            observe=self._observe,
            slow=slow,
            prefix=presence.prefix,
        )
        port = await self._endpoint.listen(site)
        listening.accept_few(port)
        self._undo.append(lambda: self._close(port, site, hub, events))
        # All objects so far stay for good. Otherwise each full collection would visit them again,
        # and the requests of that moment would wait some 10 ms.
        gc.collect()
        gc.freeze()
        self.outlook.shows(collector.of_site, site.traffic, connections)
        self.outlook.serves(db, health)
        self._announce(port)

    async def sources(self) -> list[Source]:
        return [(None, await self.outlook.families(shared=True))]

    async def missing(self) -> list[str]:
        return await self.outlook.missing()

    def stopService(self) -> Deferred[None]:
        """Say at once that the process drains."""
        self.outlook.stops()
        return super().stopService()

    async def _push(
        self,
        dsn: str,
        db: Database,
        revoked: Revoked,
        restoring: RestoreWatch,
        maintenance: MaintenanceState,
        presence: ProcessReport,
    ) -> tuple[Hub, Relay, Revocation, Notifier]:
        """What brings notifications and the ends of sessions to sockets, here and in the other
        processes. The hub is not started yet."""
        settings, reactor = self._settings, self._reactor
        delays = Delays(reactor, self.outlook.observed.pushed)
        hub = Hub(
            reactor,
            db,
            streams,
            delays,
            sockets=settings.sockets,
            sockets_per_user=settings.sockets_per_user,
        )
        presence.sockets = lambda: len(hub.sockets)
        presence.users = lambda: len(hub.users())
        relay = Relay(
            reactor, PostgresBus(reactor, dsn), presence.report, db, random=SystemRandom()
        )
        relay.maintenance = restoring.heard
        revocation = Revocation(reactor, db, revoked, hub, relay)
        sweep = Reconciler(reactor, hub, revocation)
        sweep.first, sweep.then = restoring.check, self._look.ring
        sweep.start()
        self._undo.append(relay.stop)
        self._undo.append(sweep.stop)
        await self._stoppable(Deferred.fromCoroutine(relay.start(hub, revocation, sweep)))
        db.broke = relay.doubt
        try:
            await self._patiently(revocation.learn_first)
        except Unavailable as error:
            if not restoring.on:
                restoring.begin(str(error))
        self._undo.append(restoring.stop)
        maintenance.start(hub)
        restoring.start(db, hub, revocation, revoked, sweep)
        # Before the port is served: otherwise the first requests would find the service open.
        await self._stoppable(restoring.looked)
        self.outlook.shows(collector.of_maintenance, maintenance)
        self.outlook.shows(collector.of_sockets, hub)
        self.outlook.shows(collector.of_relay, relay, sweep, hub)
        return hub, relay, revocation, Notifier(hub, relay, delays)

    async def _database(
        self, dsn: str, maintenance: MaintenanceState
    ) -> tuple[RestoreWatch, Database]:
        """The database, with its schema up to date unless it is being restored."""
        restoring = RestoreWatch(
            self._reactor, dsn, lambda: self._migrate_now(dsn), maintenance=maintenance.heard
        )
        if reason := await self._migrate(dsn):
            restoring.begin(reason)

        db = Database(
            self._reactor,
            dsn,
            opener=restoring.opened,
            size=self._settings.pool_size,
            statement_timeout=self._settings.statement_timeout,
            session=None if self._settings.events else {"contentsvc.events": "off"},
            waited=self.outlook.observed.waited,
        )
        self._undo.append(db.stop)
        try:
            await self._patiently(db.start)
        except Unavailable as error:
            if not restoring.on:
                restoring.begin(str(error))
            db.begin()
        return restoring, db

    def _verifiers(self, wall: WallClock) -> tuple[Verifiers, Issuers]:
        """Those who verify the tokens of other services, and the issuers of such tokens."""
        fetch = Fetch(self._reactor, proxies=Proxies())
        self._undo.append(fetch.stop)
        return open_verifiers(self._settings, self._reactor, wall, fetch)

    async def _bucket(self, keys: Keys, db: Database) -> Bucket | None:
        """The place of the files, started."""
        bucket = open_bucket(self._settings, keys, self._reactor, WallClock(), db)
        if bucket is not None:
            self._undo.append(bucket.stop)
            try:
                await self._stoppable(Deferred.fromCoroutine(bucket.start()))
            except BadStore:
                if not self._worker:
                    raise
        return bucket

    def _start_jobs(
        self,
        wall: WallClock,
        db: Database,
        replica: Replica | None,
        presence: ProcessReport,
        hub: Hub,
        relay: Relay,
        notifier: Notifier,
        bucket: Bucket | None,
        mailing: Mailing | None,
        events: Eventing | None,
        counted: list[Job],
    ) -> tuple[TaskQueue, Callable[[], None], Callable[[], None]]:
        """Start the work that the process does by itself. Gives the queue, and what is to be
        called when a file was blocked, and when one was stored."""
        reactor = self._reactor
        work, connected, blocks = Bell(reactor), Bell(reactor), Bell(reactor)
        look, images = self._look, Bell(reactor)
        look_later = NextTurn(reactor, look.ring, LOOK_SOON)
        self._undo.append(look_later.cancel)

        def wake() -> None:
            work.ring()
            look_later.ask()
            self._wrote()

        def tell() -> None:
            connected.ring()
            relay.announce_tasks()

        # In the next turn: the answer to the request goes first.
        queue = TaskQueue(NextTurn(reactor, wake).ask, tell)
        relay.tasks = look.ring
        runner = Runner(reactor, wall, SystemRandom())
        settings = self._settings
        studio = StudioLimits(settings.studio_per_user_day, frozenset(settings.studio_unmutable))
        told = steps_of(settings.fan_out_seen_within, studio)
        teller = StepRunner(reactor, db, notifier, told)
        first = ConnectedFollowers(reactor, db, notifier, hub.users, work.ring)
        presence.failing = lambda: [*runner.failing, *failing(replica, reactor, wall)]
        counts, observed = ImageCounts(), self.outlook.observed
        self.outlook.shows(collector.of_scaling, counts)
        self.outlook.shows(collector.of_webhooks, events.counts if events else WebhookCounts())
        indexer = SearchIndexer(reactor.seconds, db)
        announced = AnnouncementWatch(db, lambda: len(hub.sockets), hub.tell_announcements)
        jobs = [
            Job("work off the outbox", steps.EVERY, teller.run, work, queue=STEPS),
            Job(
                "tell connected followers",
                content.CONNECTED_EVERY,
                first.run,
                connected,
                queue=STEPS,
            ),
            Job(
                "close challenges",
                challenges.EVERY,
                ChallengeCloser(db, queue).run,
                Bell(reactor),
                queue=pending_work.CHALLENGES,
            ),
            # With a bell, so that the first look comes before the first socket.
            Job(
                "look for announcements",
                notifications.ANNOUNCEMENTS_EVERY,
                announced.run,
                Bell(reactor),
                queue=pending_work.ANNOUNCEMENTS,
            ),
            Job(
                "make content searchable",
                content.SEARCH_EVERY,
                indexer.run,
                Bell(reactor),
                queue=pending_work.DOCUMENTS,
            ),
            *retain(db, self._settings.notification_retention, self._settings.event_retention),
            *([] if events is None else [self._numbering(relay, events), events.job]),
            *counted,
            *([] if bucket is None else [*collect(reactor, db, bucket, blocks), purge(db)]),
            *scaling_jobs(self._settings, bucket, reactor, db, counts, images, observed.scaled),
            *store_jobs(bucket, reactor),
            *([] if mailing is None else [mailing.job]),
        ]
        runner.start([*jobs, watch(db, jobs, look, lambda: announced.state)])
        self._undo.append(runner.stop)
        self.outlook.shows(collector.of_jobs, runner)
        return queue, NextTurn(reactor, blocks.ring).ask, NextTurn(reactor, images.ring).ask

    def _numbering(self, relay: Relay, events: Eventing) -> Job:
        """The job that gives events their numbers, soon after each write."""
        bell, feed = Bell(self._reactor), events.feed
        soon = NextTurn(self._reactor, bell.ring, GATHER)
        self._wrote = soon.ask
        self._undo.append(soon.cancel)
        relay.events = feed.reached

        def announce(newest: int) -> None:
            # Their hooks have tasks now. This process begins with them.
            events.wake()
            relay.announce_events(newest)

        feed.announce, feed.due = announce, bell.ring
        return number_events(feed.number, bell)

    def _noted(self) -> None:
        """A job has written an event."""
        self._wrote()

    def _observe(self, key: tuple[str, str, int], seconds: float) -> None:
        """A request has been answered. One that is no read may have caused an event."""
        self.outlook.observed.answered(key, seconds)
        if key[0] not in _READS:
            self._wrote()

    async def _close(self, port: Any, site: ApiSite, hub: Hub, events: Eventing | None) -> None:
        await listening.close(port)
        if events is not None:
            events.feed.stop()
        timeout = self._settings.drain_timeout
        draining = Deferred.fromCoroutine(hub.drain(timeout))
        await site.traffic.drain(timeout)
        await draining
