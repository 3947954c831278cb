"""A daemon: everything in one process.

It starts in sequence (Postgres, migrations, pool, LISTEN, then the port) and stops in the reverse:
port, goodbye to the sockets, requests under way, LISTEN, pool, Postgres.
"""

import gc
from collections.abc import Callable, Sequence
from typing import Any

from twisted.internet.defer import Deferred

from contentsvc.app import collector
from contentsvc.app.context import Context, Installed
from contentsvc.app.delivery import Delivery, make_delivery
from contentsvc.app.from_settings import (
    failing,
    open_bucket,
    open_credentials,
    open_database,
    open_mailing,
    open_replica,
    open_terms,
)
from contentsvc.app.lifecycle import Lifecycle, allow_connections
from contentsvc.app.maintenance_state import MaintenanceState
from contentsvc.app.metric_values import Source
from contentsvc.app.process_status import ProcessStatus
from contentsvc.app.restore_watch import RestoreWatch
from contentsvc.app.serving import Serving
from contentsvc.app.signals import Signals
from contentsvc.config import Settings
from contentsvc.config.studio_files import StudioFiles
from contentsvc.framework.core.timers import Bell, NextTurn, WallClock
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.storage.bucket import BadStore
from contentsvc.framework.tasks.runner import Runner
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.jobs.handlers import CHECK_SOON, watch
from contentsvc.tokens import Keys, Tokens


class Daemon(Lifecycle):
    """`installs` are the install functions of the domains, and `announce` is called with the port
    once it is served. `studio` is what the files say that settings name. A `worker` starts with a
    bad file store too: its parent has tried that one."""

    def __init__(
        self,
        reactor: Any,
        settings: Settings,
        endpoint: Any,
        installs: Sequence[Callable[[Context], Installed]],
        announce: Callable[[Any], None],
        *,
        studio: StudioFiles,
        admin: Any = None,
        worker: bool = False,
    ) -> None:
        super().__init__(reactor, settings, admin, worker=worker)
        self.status = ProcessStatus(reactor)
        self._endpoint = endpoint
        self._installs = installs
        self._studio = studio
        self._announce = announce
        self._wall = WallClock()
        self._signals = Signals()

    async def start_parts(self) -> None:
        settings, reactor, wall, status = self._settings, self._reactor, self._wall, self.status
        status.lag.start()
        self._undo.append(status.lag.stop)
        connections = allow_connections(settings.most_connections, self._other_files)
        dsn = settings.database or await self._embedded()
        keys = Keys.load_or_generate(settings.keys_path)
        maintenance = MaintenanceState(reactor)
        restoring = RestoreWatch(
            reactor, dsn, lambda: self._migrate_now(dsn), maintenance=maintenance.heard
        )
        if reason := await self._migrate(dsn):
            restoring.begin(reason)
        db = open_database(settings, reactor, dsn, restoring, self._signals, status.observed)
        self._undo.append(db.stop)
        try:
            await self._patiently(db.start)
        except Unavailable as error:
            restoring.begin_once(str(error))
            db.begin()
        replica = open_replica(settings, reactor, db)
        if replica is not None:
            self._undo.append(replica.stop)
        status.shows(collector.of_database, db, replica)
        tokens = Tokens(keys, wall, steady=reactor)
        runner = Runner(reactor, wall)
        delivery = make_delivery(
            reactor,
            settings,
            dsn,
            db,
            tokens.revoked,
            self._signals,
            status.observed,
            restoring,
            maintenance,
            lambda: [*runner.failing, *failing(replica, reactor, wall)],
        )
        await self._start_delivery(delivery, db, tokens, restoring, maintenance)
        credentials, close = open_credentials(settings, reactor, keys, tokens, status.observed)
        self._undo.append(close)
        bucket = open_bucket(settings, keys, reactor, wall, db)
        if bucket is not None:
            self._undo.append(bucket.stop)
            try:
                await self._stoppable(Deferred.fromCoroutine(bucket.start()))
            except BadStore:
                if not self._worker:
                    raise
        context = Context(
            settings=settings,
            studio=self._studio,
            reactor=reactor,
            wall=wall,
            db=db,
            signals=self._signals,
            observed=status.observed,
            hub=delivery.hub,
            notifier=delivery.notifier,
            # In the next turn: the answer to the request goes first.
            queue=TaskQueue(
                NextTurn(reactor, self._signals.task_put).ask, self._signals.shared_task_put
            ),
            maintenance=maintenance.state,
            revocation=delivery.revocation,
            restrictions=delivery.restrictions,
            credentials=credentials,
            mailing=open_mailing(
                settings, keys, reactor, wall, db, tokens.pseudonym, self._studio.brand
            ),
            bucket=bucket,
            terms=open_terms(settings, db, self._studio),
        )
        installed = [install(context) for install in self._installs]
        self._start_jobs(context, runner, installed)
        families = [family for each in installed for family in each.families]
        serving = Serving(context, families, delivery, restoring, self._supervisor, connections)
        self._undo.append(serving.stop)
        port = await serving.listen(self._endpoint)
        self._undo.append(lambda: self._close(serving, delivery, installed))
        # All objects so far stay for good. Otherwise each full collection would visit them again,
        # and the requests of that moment would wait some 10 ms.
        gc.collect()
        gc.freeze()
        status.shows(serving.measure)
        status.serves(db, serving.health)
        self._announce(port)

    async def sources(self) -> list[Source]:
        return [(None, await self.status.families(shared=True))]

    async def missing(self) -> list[str]:
        return await self.status.missing()

    def stopService(self) -> Deferred[None]:
        """Say at once that the process drains."""
        self.status.stops()
        return super().stopService()

    async def _start_delivery(
        self,
        delivery: Delivery,
        db: Database,
        tokens: Tokens,
        restoring: RestoreWatch,
        maintenance: MaintenanceState,
    ) -> None:
        """Hear the other processes, and know which sessions have ended, before the port is
        served."""
        hub, relay, reconciler = delivery.hub, delivery.relay, delivery.reconciler
        revocation = delivery.revocation
        reconciler.start()
        self._undo += [relay.stop, reconciler.stop]
        await self._stoppable(Deferred.fromCoroutine(relay.start(hub, revocation, reconciler)))
        self._signals.commit_unknown.subscribe(relay.suspect_loss)
        try:
            await self._patiently(revocation.learn_first)
        except Unavailable as error:
            restoring.begin_once(str(error))
        self._undo.append(restoring.stop)
        maintenance.start(hub)
        restoring.start(db, hub, revocation, tokens.revoked, reconciler)
        # Otherwise the first requests would find the service open.
        await self._stoppable(restoring.first_check)
        hub.start()
        self._undo.append(hub.stop)
        self.status.shows(collector.of_maintenance, maintenance)
        self.status.shows(delivery.measure)

    def _start_jobs(self, context: Context, runner: Runner, installed: Sequence[Installed]) -> None:
        """Start the work that the process does by itself."""
        signals, check = self._signals, Bell(self._reactor)
        check_later = NextTurn(self._reactor, check.ring, CHECK_SOON)
        self._undo.append(check_later.cancel)
        for each in installed:
            self._undo.append(each.stop)
            for measure in each.metrics:
                self.status.shows(measure)
        signals.task_put.subscribe(check_later.ask)
        signals.task_put.subscribe(signals.events_written)
        signals.shared_task_announced.subscribe(check.ring)
        signals.reconciled.subscribe(check.ring)
        jobs = [job for each in installed for job in each.jobs]
        runner.start([*jobs, watch(context.db, jobs, check)])
        self._undo.append(runner.stop)
        self.status.shows(collector.of_jobs, runner)

    async def _close(
        self, serving: Serving, delivery: Delivery, installed: Sequence[Installed]
    ) -> None:
        await serving.close()
        for each in installed:
            each.drain()
        draining = Deferred.fromCoroutine(delivery.hub.drain(self._settings.drain_timeout))
        await serving.drain()
        await draining
