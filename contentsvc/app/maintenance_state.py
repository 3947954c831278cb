"""Closes the service for maintenance, and opens it again, in this process."""

from typing import Any

from msgspec import json
from twisted.internet.defer import CancelledError, Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.http.maintenance import Announced, Maintenance
from contentsvc.push.hub import Hub
from contentsvc.push.stream import Close

log = Logger()


class MaintenanceState:
    """Passes what was read of maintenance to the requests and the sockets of this process."""

    def __init__(self, reactor: Any) -> None:
        self.state = Maintenance(reactor)
        self._hub: Hub | None = None

    def start(self, hub: Hub) -> None:
        """Close the sockets of this hub, too."""
        self._hub = hub

    def heard(self, text: str) -> None:
        """The JSON that the function maintenance_now gives."""
        announced = None if text == "{}" else json.decode(text, type=Announced)
        was, closed = self.state.on, self.state.closes_sockets
        self.state.set(announced)
        if announced is not None and not was:
            # Log: contentsvc maintenance on. Players get 503 until it ends.
            log.info(
                "Closed for maintenance{reads}", reads=", but for reads" if announced.reads else ""
            )
        elif announced is None and was:
            # Log: contentsvc maintenance off, or its time is over.
            log.info("Open again: the maintenance has ended")
        if self._hub is not None and not closed and (close := self.close()) is not None:
            Deferred.fromCoroutine(self._hub.dismiss(close)).addErrback(self._failed)

    def close(self) -> Close | None:
        """How a socket must close, if the service is closed for them."""
        if not self.state.closes_sockets:
            return None
        return Close(1013, "maintenance", self.state.retry_after)

    def _failed(self, failure: Failure) -> None:
        if failure.check(CancelledError) is None:
            log.failure("Could not say goodbye to the sockets", failure)
