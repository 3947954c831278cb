"""Waits that all end when whoever waits is stopped."""

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater


class Sleeps:
    """The sleeps of one part of the service."""

    def __init__(self, reactor: IReactorTime) -> None:
        self._reactor = reactor
        self._sleeps: set[Deferred[None]] = set()

    async def sleep(self, seconds: float) -> None:
        """Wait so long. Raises CancelledError where `stop` comes before."""
        sleep: Deferred[None] = deferLater(self._reactor, seconds)
        self._sleeps.add(sleep)
        try:
            await sleep
        finally:
            self._sleeps.discard(sleep)

    def stop(self) -> None:
        """End those that are under way."""
        for sleep in list(self._sleeps):
            sleep.cancel()
