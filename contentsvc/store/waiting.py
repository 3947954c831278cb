"""What waits for the jobs of any process, in one statement: most of what a look costs is that a
process of Postgres wakes up."""

from collections.abc import Sequence
from typing import Final

from contentsvc.db.query import Db, many
from contentsvc.store.challenges.closing import OPEN

EVENTS: Final = "new events"
"""Events without a number."""
DOCUMENTS: Final = "stale documents"
"""Content whose words are not there yet."""
CHALLENGES: Final = "due challenges"
"""Challenges that are to close by themselves."""


@many(f"""
    select queue from unnest(:queues::text[]) as named (queue)
    where exists (select from tasks t where t.queue = named.queue)
    union all select '{EVENTS}' where exists (select from new_events)
    union all select '{DOCUMENTS}' where exists (select from documents where stale)
    union all select '{CHALLENGES}' where exists (
        select from challenges where {OPEN} and closes <= unix(now())
    )
""")
async def filled(db: Db, queues: Sequence[str]) -> list[str]:
    """Which of these queues of tasks have some, due or not, and the names of what else waits."""
