"""Files of users, and who needs them."""

import hashlib
import secrets
from typing import Any, NamedTuple

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.db.database import Database
from contentsvc.framework.storage.paths import path_of
from contentsvc.framework.tasks.runner import Job
from contentsvc.jobs.files import collect
from contentsvc.store.files import blocks
from tests.support.buckets import MemoryBucket
from tests.support.databases import StoreCase, guid

DUE, LATER = "now() - interval '1 second'", "now() + interval '24 hours'"


class FileJobs(NamedTuple):
    """The jobs of a process: for announcements, unused files and blocked files."""

    expiry: Job
    collection: Job
    blocked: Job


def file_jobs(clock: Any, db: Database, bucket: Any) -> FileJobs:
    """Those of one more process."""
    return FileJobs(*collect(clock, db, bucket, Bell(clock)))


class FilesCase(StoreCase):
    """Rows of files on a database of each test's own, and a bucket with their bytes."""

    anew = True

    async def setUp(self) -> None:
        await super().setUp()
        self.bucket = MemoryBucket()

    def file(self, due: str = DUE, media_type: str = "application/octet-stream") -> str:
        """The path of a new one, whose bytes are there."""
        data = secrets.token_bytes(16)
        path = path_of(hashlib.sha256(data).hexdigest(), media_type)
        self.bucket.put(path, data)
        self.sql(f"insert into files (path, size, stored, due) values (%s, 16, true, {due})", path)
        return path

    def announce(self, user: str, path: str, due: str = DUE, *, sent: bool = True) -> None:
        """Register it for a user."""
        self.sql(
            "insert into user_files (user_id, path, size, sent, due)"
            f" values (%s, %s, 16, %s, {due})",
            *(user, path, sent),
        )

    def claim(self, path: str, owner: str | None = None) -> str:
        """The holder of a new claim, which counts for its owner."""
        holder = guid()
        self.sql(
            "insert into claims (holder, kind, path, owner_id) values (%s, 'revision', %s, %s)",
            *(holder, path, owner),
        )
        return holder

    def release(self, holder: str) -> None:
        """Give up a claim, as all who do: then the times are set again."""
        self.sql(
            "with gone as (delete from claims where holder = %s returning path, owner_id),"
            " mine as (update user_files u set due = now() from gone"
            "  where u.user_id = gone.owner_id and u.path = gone.path)"
            " update files f set due = now() from gone where f.path = gone.path",
            holder,
        )

    async def block(self, sha256: str) -> None:
        """Block a digest."""
        async with self.db.transaction() as tx:
            await blocks.put(tx, sha256, "bad")
            await blocks.delete_bytes(tx, sha256)

    def uncleared(self) -> set[str]:
        """The digests whose bytes may still come."""
        return {sha256 for (sha256,) in self.sql("select topic from tasks where topic <> ''")}

    def pass_time(self, seconds: float) -> None:
        """Let it pass for tasks."""
        self.sql("update tasks set due = due - make_interval(secs => %s)", seconds)

    def row(self, path: str) -> dict[str, Any] | None:
        """What is known of a file: whether it is stored, collecting, and has a time."""
        rows = self.sql(
            "select stored, collecting, due is not null from files where path = %s", path
        )
        names = "stored", "collecting", "timed"
        return dict(zip(names, rows[0], strict=True)) if rows else None

    def announced(self, user: str) -> dict[str, bool]:
        """The files of a user, and whether each has a time."""
        return dict(
            self.sql("select path, due is not null from user_files where user_id = %s", user)
        )

    def usage(self, user: str) -> tuple[int, int]:
        """Bytes and pending files of a user."""
        ((used, pending),) = self.sql(
            "select used, pending from storage where user_id = %s", user
        ) or [(0, 0)]
        return used, pending
