"""Gives events their numbers (studio §3).

Every process does it after each of its own writes, and for what those have left that died. While
somebody waits for events here (contentsvc.push.event_feed), it also does it now and then: so it
learns how far the numbers are while it does not hear the others. See
schema/functions/number_events.sql.
"""

from collections.abc import Awaitable, Callable
from typing import Final

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.tasks.runner import Job
from contentsvc.store import pending_work
from contentsvc.store.events import events

EVERY: Final = 4.0
"""Most seconds until the database is tried again when it has failed."""
GATHER: Final = 0.1
"""Seconds after a write in which others are waited for, so that they get their numbers together."""


def number_events(number: Callable[[], Awaitable[int]], bell: Bell) -> Job:
    """The job. `number` gives numbers to some events, and says how many."""

    async def run() -> float | None:
        return 0.0 if await number() == events.AT_ONCE else None

    return Job("number events", EVERY, run, bell, queue=pending_work.EVENTS)
