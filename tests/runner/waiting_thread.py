"""A test that leaves a thread, which ends with the reactor; for tests of what runs it."""

import threading

from twisted.internet import reactor
from twisted.trial.unittest import SynchronousTestCase


class LeavingTests(SynchronousTestCase):
    def test_thread(self) -> None:
        """It passes."""
        over = threading.Event()
        reactor.addSystemEventTrigger("before", "shutdown", over.set)
        threading.Thread(target=over.wait).start()
