"""Pools of threads that can be stopped even if the system refused one of their threads."""

import threading

from twisted.python.threadpool import ThreadPool


class _Thread(threading.Thread):
    """A thread of a pool. Twisted's pool also waits for those that could not be started, and fails
    then."""

    def join(self, timeout: float | None = None) -> None:
        if self.ident is not None:
            super().join(timeout)


def pool(most: int, name: str) -> ThreadPool:
    """A pool of up to `most` threads, which are made when they are needed."""
    return forgiving(ThreadPool(0, most, name))


def forgiving(pool: ThreadPool) -> ThreadPool:
    """Give an existing pool, the reactor's, such threads from now on."""
    pool.threadFactory = _Thread
    return pool
