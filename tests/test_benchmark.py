"""scripts/bench measures what it says."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from scripts.benchmark.warm_memory import warm
from tests.support.daemon import ROOT

MIB = 1 << 20


class WarmTests(SynchronousTestCase):
    def test_resting(self) -> None:
        """The memory of a process that does nothing is read all the time."""
        script = f"import sys; held = bytearray({8 * MIB}); print(flush=True); sys.stdin.read()"
        with subprocess.Popen(
            [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdout.readline()
            files = Path(f"/proc/{process.pid}")
            with warm([process.pid]):
                (files / "clear_refs").write_text("1")
                reads = (self.read(files) for _ in range(100_000))
                self.assertTrue(any(read >= 8 * MIB for read in reads))
            process.stdin.close()

    def read(self, files: Path) -> int:
        """The bytes of a process that somebody has read since."""
        text = (files / "smaps_rollup").read_text()
        (found,) = re.findall(r"^Referenced: +(\d+) kB$", text, re.M)
        return int(found) * 1024


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
