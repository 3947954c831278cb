"""Why a daemon may not be ready: what /health/ready asks."""

from collections.abc import Callable, Coroutine
from typing import Any

from contentsvc.api.health import Reason
from contentsvc.app.restore_watch import RestoreWatch
from contentsvc.framework.db.database import Database
from contentsvc.framework.postgres.supervisor import Supervisor
from contentsvc.push.hub import Hub
from contentsvc.push.relay import Relay
from contentsvc.store import health
from contentsvc.store.disk import Disk
from contentsvc.tokens import Revoked


def reasons(
    db: Database,
    disk: Disk,
    hub: Hub,
    relay: Relay,
    revoked: Revoked,
    restoring: RestoreWatch,
    supervisor: Supervisor | None,
) -> list[Reason]:
    """All that there may be. `supervisor` is that of the embedded Postgres, if there is one."""
    found = [
        Reason("restoring", _true_if(lambda: not restoring.on)),
        Reason("database", lambda: health.ping(db)),
        Reason("listen", _true_if(lambda: relay.alive)),
        Reason("sessions", _true_if(lambda: revoked.complete)),
        Reason("sockets", _true_if(lambda: hub.joining)),
        Reason("pool", lambda: health.answers(db)),
        Reason("disk", disk.has_room),
        Reason("read_only", lambda: health.writes(db), unknown=True),
    ]
    if supervisor is not None:
        found.append(Reason("data_dir", _true_if(lambda: supervisor.there)))
    return found


def _true_if(holds: Callable[[], bool]) -> Callable[[], Coroutine[Any, Any, bool]]:
    async def reason() -> bool:
        return holds()

    return reason
