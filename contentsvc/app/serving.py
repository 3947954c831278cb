"""How a daemon answers: its site on a port, whether it is ready, and what it counts of requests."""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, Final

from prometheus_client import Metric

from contentsvc.api.health import Health, Reason
from contentsvc.app import collector
from contentsvc.app.context import Context
from contentsvc.app.delivery import Delivery
from contentsvc.app.restore_watch import RestoreWatch
from contentsvc.app.site import make_site
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.slow_requests import SlowRequests
from contentsvc.framework.http.throttled_log import unavailability
from contentsvc.framework.postgres.supervisor import Supervisor
from contentsvc.framework.process import listening
from contentsvc.push.hub import Hub
from contentsvc.push.relay import Relay
from contentsvc.store import service
from contentsvc.store.disk import Disk
from contentsvc.tokens import Revoked

_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class Serving:
    """The site of these families, which has `connections` at most. `supervisor` is that of the
    embedded Postgres, if there is one."""

    def __init__(
        self,
        context: Context,
        families: Sequence[object],
        delivery: Delivery,
        restoring: RestoreWatch,
        supervisor: Supervisor | None,
        connections: int,
    ) -> None:
        reactor, settings, db = context.reactor, context.settings, context.db
        revoked = context.credentials.tokens.revoked
        self._settings, self._signals = settings, context.signals
        self._hub = delivery.hub
        self._observed = context.observed
        self._connections = connections
        self._unavailable = unavailability(reactor)
        self._slow = SlowRequests(reactor, settings.slow_request)
        self._disk = Disk(reactor, db, settings.database_folder)
        self.health = Health(
            reasons(db, self._disk, self._hub, delivery.relay, revoked, restoring, supervisor),
            reactor,
        )
        self._site = make_site(
            reactor,
            context,
            [*families, self.health],
            self._hub,
            now=context.wall.seconds,
            connections=connections,
            is_restoring=lambda: restoring.on,
            unavailable=self._answered_503,
            observe=self._observe,
            slow=self._slow,
            prefix=delivery.report.prefix,
        )

    async def listen(self, endpoint: Any) -> Any:
        """Serve this endpoint. Gives the port."""
        self._port = await endpoint.listen(self._site)
        listening.accept_few(self._port)
        return self._port

    async def close(self) -> None:
        """Close the port, so that no more clients connect."""
        await listening.close(self._port)

    async def drain(self) -> None:
        """Wait for the requests under way, but not for long."""
        await self._site.traffic.drain(self._settings.drain_timeout)

    def stop(self) -> None:
        """Log what is not logged yet."""
        self._slow.stop()
        self._unavailable.stop()

    def measure(self) -> Iterator[Metric]:
        """The requests, and those that were answered 503."""
        yield from collector.of_unavailable(self._unavailable)
        yield from collector.of_site(self._site.traffic, self._connections)

    def _answered_503(self, cause: str) -> None:
        self._unavailable.count(cause)
        if cause == "disk":
            self._disk.failed()

    def _observe(self, key: tuple[str, str, int], seconds: float) -> None:
        """A request has been answered. One that is no read may have caused an event."""
        self._observed.answered(key, seconds)
        if key[0] not in _READS:
            self._signals.events_written()


def reasons(
    db: Database,
    disk: Disk,
    hub: Hub,
    relay: Relay,
    revoked: Revoked,
    restoring: RestoreWatch,
    supervisor: Supervisor | None,
) -> list[Reason]:
    """All checks of readiness. `supervisor` is that of the embedded Postgres, if there is one."""
    found = [
        Reason("restoring", _true_if(lambda: not restoring.on)),
        Reason("database", lambda: service.ping(db)),
        Reason("listen", _true_if(lambda: relay.alive)),
        Reason("sessions", _true_if(lambda: revoked.complete)),
        Reason("sockets", _true_if(lambda: hub.joining)),
        Reason("pool", lambda: service.answers(db)),
        Reason("disk", disk.has_room),
        Reason("read_only", lambda: service.writes(db), unknown=True),
    ]
    if supervisor is not None:
        found.append(Reason("data_dir", _true_if(lambda: supervisor.there)))
    return found


def _true_if(holds: Callable[[], bool]) -> Callable[[], Coroutine[Any, Any, bool]]:
    async def reason() -> bool:
        return holds()

    return reason
