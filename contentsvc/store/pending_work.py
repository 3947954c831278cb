"""What waits for the jobs of any process, in one statement: nearly all that a look costs is that a
process of Postgres wakes up."""

from collections.abc import Sequence
from typing import Final

from contentsvc.framework.db.query import Db, many
from contentsvc.store.challenges.closing import OPEN
from contentsvc.store.content.content_counts import WAITING as WAITING_PLAYS
from contentsvc.store.daily_totals import WAITING as WAITING_STATISTICS
from contentsvc.store.notifications.announcements import STATE

EVENTS: Final = "new events"
"""Events without a number."""
DOCUMENTS: Final = "stale documents"
"""Content whose words are not there yet."""
CHALLENGES: Final = "due challenges"
"""Challenges that are to close by themselves."""
PLAYS: Final = "plays"
"""What is to be added up to the counts of content."""
STATISTICS: Final = "statistics"
"""So many rows of a day that they are to become one."""
ANNOUNCEMENTS: Final = "announcements"
"""Announcements that are not those of the state that is known."""


@many(f"""
    select queue from unnest(:queues::text[]) as named (queue)
    where exists (select from tasks t where t.queue = named.queue)
    union all select '{EVENTS}' where exists (select from new_events)
    union all select '{DOCUMENTS}' where exists (select from documents where stale)
    union all select '{CHALLENGES}' where exists (
        select from challenges where {OPEN} and closes <= unix(now())
    )
    union all select '{PLAYS}' where {WAITING_PLAYS}
    union all select '{STATISTICS}' where {WAITING_STATISTICS}
    union all select '{ANNOUNCEMENTS}' where ({STATE}) is distinct from :announcements
""")
async def filled(db: Db, queues: Sequence[str], announcements: str | None) -> list[str]:
    """Which of these queues of tasks have some, due or not, and the names of what else waits.
    `announcements` is the state that is known of them
    (contentsvc.store.notifications.announcements)."""
