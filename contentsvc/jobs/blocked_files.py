"""Deletes the bytes of blocked digests: once, and again and again while an upload URL from before
the block can bring them (extensions §3)."""

from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.db.query import Db
from contentsvc.framework.storage.bucket import Bucket
from contentsvc.framework.storage.deadlines import delete_until
from contentsvc.framework.storage.paths import paths_of, smaller_of
from contentsvc.jobs.effects import Again, Done, Kind, Outcome, Session
from contentsvc.store.files import blocks, files, scaling
from contentsvc.store.tasks import DeleteBlockedFile

EVERY = 5.0
"""Most seconds until the store is tried again when it has failed."""
AGAIN = 5.0
"""Seconds until a digest is due again while its bytes may still come."""
LEASE = 9.0
"""Seconds for which a digest is a process's. Meanwhile its block cannot be lifted. If the process
dies, another begins with its next look: the bytes are gone within 15 s."""
MARGIN = 2.0
"""Seconds before the end of the lease at which a deletion has ended: a late one would take bytes
that were sent again."""
_AT_ONCE, _KEYS = 4, 4
"""Digests at once, and keys of each: half of the requests that a process may have under way."""


def kind(clock: IReactorTime, db: Db, bucket: Bucket) -> Kind:
    """How the task is done."""

    async def delete(task: DeleteBlockedFile, waited: float, until: float) -> Outcome:
        paths = paths_of(task.sha256)
        # A URL that is no longer good brings nothing after this look.
        reachable = await blocks.reachable(db, task.sha256, paths)
        if reachable is None:
            return Done()
        images = await scaling.some(db, paths)
        apart = [bucket.incoming(*each) for each in await files.apart(db, paths)]
        smaller = [each for image in images for each in smaller_of(image.path)]
        keys = [*paths, *smaller, *filter(None, apart)]
        await delete_until(until - MARGIN, clock, bucket, keys, _KEYS)
        return Again(AGAIN) if reachable or any(image.awaited for image in images) else Done()

    async def begin() -> Session:
        return Session(delete)

    return Kind(
        DeleteBlockedFile, begin, LEASE, first_pause=2.0, last_pause=60.0, sessions=_AT_ONCE
    )
