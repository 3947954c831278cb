"""scripts/bench measures what it says."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.support.daemon import ROOT


class WalTests(SynchronousTestCase):
    def test_notification(self) -> None:
        """A lone notification after a checkpoint writes a page of its table, of the counter and of
        one index. The next one for the same user writes no page."""
        # Its path has room for a socket.
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            command = [sys.executable, "-m", "scripts.benchmark", "--wal", "--only", "notify"]
            command += ["--scale", "0.001", "--requests", "1", "--data", str(Path(folder) / "data")]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        ((_, pages),) = re.findall(r"^(notification): (.*)$", done.stdout, re.M)
        written = {"notifications 1.00", "notification_counters 1.00", "notifications_pkey 1.00"}
        self.assertEqual(set(pages.split(", ")), written)
        (row,) = re.findall(r"^notification  +(\d.*)$", done.stdout, re.M)
        cells = row.split()
        self.assertEqual((cells[2], cells[7]), ("3.00", "0.00"))
