"""scripts/bench measures what it says."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from scripts.benchmark.report import Results, Row, Sample, table
from tests.support.daemon import ROOT


class ReportTests(SynchronousTestCase):
    def test_medians(self) -> None:
        """The table has the medians of all rounds, with CPU for each request."""
        samples = [Sample(100, 2.0, 0.01 * n, 0.02 * n, n, 2 * n) for n in (3, 1, 2)]
        text = table(Results("", {}, {}, [Row("info", "user info", 32, {"daemon": samples})]))
        self.assertRegex(text, r"user info +32 +50 +200 +400 +0\.01 +2\.0 +4\.0$")

    def test_ratios(self) -> None:
        """Beside another checkout, there is the ratio of the medians, and their range by round."""
        ours = [Sample(100, 1.0, cpu, 0.0, 1.0, 1.0) for cpu in (0.1, 0.2, 0.6)]
        theirs = [Sample(100, 1.0, 0.0, cpu, 1.0, 1.0) for cpu in (0.2, 0.1, 0.3)]
        row = Row("info", "user info", 32, {"daemon": ours, "beside": theirs})
        text = table(Results("", {}, {}, [row]))
        self.assertRegex(text, r"user info +1\.00 +0\.50 to 2\.00$")


class RunTests(SynchronousTestCase):
    def run_bench(self, *options: str) -> str:
        # Its path has room for a socket.
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            command = [sys.executable, "-m", "scripts.benchmark", *options, "--scale", "0.001"]
            command += ["--seconds", "1", "--rounds", "1", "--data", str(Path(folder) / "data")]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_sockets(self) -> None:
        """It measures the latency of notifications, the memory of idle sockets, and that published
        content reaches all followers."""
        printed = self.run_bench("--only", "push,idle,fanout", "--sockets", "100")
        whole = r" +\d+(?:,\d{3})*"
        figures = whole * 3 + r" +[\d.]+ +[\d.]"
        self.assertRegex(printed, f"(?m)^debug notify to frame, 500 idle{figures}")
        self.assertRegex(printed, r"(?m)^daemon +100 +[\d.]+ +[\d.]+$")
        (frames,) = re.findall(r"(?m)^from the author's answer to a frame +(\d+)", printed)
        self.assertEqual(frames, "150")  # three publications, to 50 followers with sockets
