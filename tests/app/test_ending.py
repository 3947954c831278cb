"""A daemon whose data have gone for good ends with status 1."""

import subprocess
import sys

from twisted.trial.unittest import SynchronousTestCase

from tests.support.daemon import ROOT

_DAEMON = """
import sys
from twisted.internet import reactor
from twisted.logger import globalLogBeginner, textFileLogObserver
from contentsvc import config
from contentsvc.app.lifecycle import Lifecycle

class Daemon(Lifecycle):
    async def start_parts(self):
        self._reactor.callLater(0, self._give_up, "the database has gone")

globalLogBeginner.beginLoggingTo([textFileLogObserver(sys.stdout)], redirectStandardIO=False)
daemon = Daemon(reactor, config.read({}, {}))
daemon.startService()
reactor.addSystemEventTrigger("before", "shutdown", daemon.stopService)
reactor.run()
"""


class GiveUpTests(SynchronousTestCase):
    def test_status(self) -> None:
        """When something that it needs has gone, it logs one line and stops as at SIGTERM, with
        status 1."""
        done = subprocess.run(
            [sys.executable, "-c", _DAEMON], cwd=ROOT, capture_output=True, text=True, check=False
        )
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        lines = [line for line in done.stdout.splitlines() if "contentsvc.app.lifecycle" in line]
        self.assertEqual(len(lines), 1, done.stdout)
        self.assertIn("contentsvc stops: the database has gone", lines[0])
