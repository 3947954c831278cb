"""The jobs that belong to a place of files."""

import os

from twisted.internet import reactor
from twisted.internet.defer import Deferred

from contentsvc.framework.storage.folder import STALE
from contentsvc.jobs.files import store_jobs
from tests.framework.storage.support import LocalCase


class JobsTests(LocalCase):
    async def test_folder(self) -> None:
        """A daemon that runs for long deletes what broken uploads of others have left, again and
        again, and no upload that somebody may still be writing."""
        (job,) = (each for each in store_jobs(self.bucket, reactor) if "uploads" in each.name)
        incoming = self.root / "incoming"
        for _ in range(2):
            for name, age in (("old", STALE + 1), ("young", STALE - 1)):
                (incoming / name).touch()
                seconds = self.clock.seconds() - age
                os.utime(incoming / name, (seconds, seconds))
            self.assertIsNone(await Deferred.fromCoroutine(job.run()))
            self.assertEqual(os.listdir(incoming), ["young"])
