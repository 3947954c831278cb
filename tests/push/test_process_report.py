"""What a process says of itself."""

import os

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.core import build
from contentsvc.framework.tasks.runner import Failing
from contentsvc.push.bus import ProcessReport


class ProcessReportTests(SynchronousTestCase):
    def test_report(self) -> None:
        """A report has the process, what is connected and the jobs that fail, as they are when it
        is made."""
        own = ProcessReport(lambda: 5, lambda: 4, lambda: [Failing("sweep", 12, "away")])
        report = own.report()
        self.assertEqual((report.pid, report.version), (os.getpid(), build.name()))
        self.assertEqual((report.sockets, report.users), (5, 4))
        self.assertEqual(report.failing, [Failing("sweep", 12, "away")])

    def test_same(self) -> None:
        """Each report is of the same process, and of no other."""
        report = ProcessReport()
        self.assertEqual(report.report().id, report.report().id)
        self.assertNotEqual(report.id, ProcessReport().id)
