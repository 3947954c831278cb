"""What a process does with its sockets when the service closes for maintenance."""

from typing import Any

from msgspec import json
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.app import collector
from contentsvc.app.maintenance_state import MaintenanceState
from contentsvc.push.stream import Close
from tests.app.test_collector import numbers
from tests.push.fakes import FakeSocket, make

GOODBYE = Close(1013, "maintenance", 60)


class ClosingTests(SynchronousTestCase):
    def setUp(self) -> None:
        clock = Clock()
        self.closing = MaintenanceState(clock)
        _, self.log, self.hub = make(clock=clock, closed_for=self.closing.close)
        self.closing.start(self.hub)
        self.socket = FakeSocket(self.hub).join()

    def hear(self, **changes: Any) -> None:
        """What the database says of a closed service."""
        said = {"message": None, "until": None, "reads": False, "left": None}
        self.closing.heard(json.encode(said | changes).decode())

    def test_closed(self) -> None:
        """The sockets get their goodbye once, and those that come later at once."""
        self.hear()
        self.hear(message="Soon.")
        self.assertEqual(self.socket.closes, [GOODBYE])
        self.assertEqual(FakeSocket(self.hub, "bob").join().closes, [GOODBYE])

    def test_retry(self) -> None:
        """They come back when it ends, if that is soon."""
        self.hear(until=1, left=12.3)
        self.assertEqual(self.socket.closes, [GOODBYE._replace(retry_after=13)])

    def test_reads(self) -> None:
        """With `reads` they stay, until it is closed for reads too."""
        self.hear(reads=True)
        self.assertEqual(FakeSocket(self.hub, "bob").join().closes, [])
        self.assertEqual(self.socket.closes, [])
        self.hear()
        self.assertEqual(self.socket.closes, [GOODBYE])

    def test_opened(self) -> None:
        """When it has ended, sockets may come again."""
        self.hear()
        self.closing.heard("{}")
        self.assertEqual(FakeSocket(self.hub, "bob").join().closes, [])

    def test_metric(self) -> None:
        """The metric says whether requests are refused."""
        found = []
        for text in ("{}", None, "{}"):
            self.hear(reads=True) if text is None else self.closing.heard(text)
            found.append(numbers([*collector.of_maintenance(self.closing)]))
        self.assertEqual([each["contentsvc_maintenance"] for each in found], [0, 1, 0])
