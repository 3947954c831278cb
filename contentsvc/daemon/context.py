"""The parts of a daemon, as those see them that are given all of them."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from contentsvc.bucket.bucket import Bucket
from contentsvc.core.clocks import WallClock
from contentsvc.daemon.mailing import Mailing
from contentsvc.daemon.observations import Observed
from contentsvc.daemon.restore_watch import Restoring
from contentsvc.db.database import Database
from contentsvc.db.replica import Replica
from contentsvc.identity.subject import Verifiers
from contentsvc.passwords import Passwords
from contentsvc.postgres.keeper import Keeper
from contentsvc.push.hub import Hub
from contentsvc.push.notifier import Notifier
from contentsvc.push.relay import Relay
from contentsvc.push.revocation import Endings
from contentsvc.store.disk import Disk
from contentsvc.store.outbox import Outbox
from contentsvc.tasks.runner import Runner
from contentsvc.tokens import MailTokens, Tokens
from contentsvc.web.site import ApiSite
from contentsvc.web.slow_requests import Slow
from contentsvc.web.throttled_log import Tally


class Parts(NamedTuple):
    """The parts behind the port. `keeper` is that of the embedded Postgres, `bucket` the place of
    files if they are the service's, and `blocked` is to be called when one was blocked. `mailing`
    sends mail, if mail is sent.
    `connections` is how many there may be, `unavailable` counts the answers that are 503, and
    `observed` has what else is counted. `slow` writes the lines of slow requests."""

    wall: WallClock
    db: Database
    replica: Replica | None
    disk: Disk
    keeper: Keeper | None
    bucket: Bucket | None
    blocked: Callable[[], None]
    restoring: Restoring
    tokens: Tokens
    passwords: Passwords
    verifiers: Verifiers
    hub: Hub
    relay: Relay
    notifier: Notifier
    outbox: Outbox
    endings: Endings
    mail_tokens: MailTokens
    mailing: Mailing | None
    runner: Runner
    connections: int
    unavailable: Tally
    observed: Observed
    slow: Slow


class Front(NamedTuple):
    """What a daemon serves: the site, and the reasons for which it is not ready. `reasons` are all
    that there may be, and `missing` gives those that hold now."""

    site: ApiSite
    reasons: list[str]
    missing: Callable[[], Awaitable[list[str]]]
