"""Pools of threads."""

import threading

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.core import concurrency


class PoolTests(SynchronousTestCase):
    def test_refused(self) -> None:
        """A pool ends even if the system refused it a thread."""
        pool = concurrency.pool(2, "test")
        pool.start()

        def refuse(thread: threading.Thread) -> None:
            raise RuntimeError("can't start new thread")

        refusing = self.patch(threading.Thread, "start", refuse)
        self.assertRaises(RuntimeError, pool.callInThread, int)
        refusing.restore()
        done = threading.Event()
        pool.callInThread(done.set)
        self.assertTrue(done.wait(60))
        pool.stop()
