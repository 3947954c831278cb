"""Signals between parts that do not know each other."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.core.signals import Signal


class SignalTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.said: Signal[[int]] = Signal()
        self.heard: list[tuple[str, int]] = []

    def test_order(self) -> None:
        """Subscribers are called in the order in which they subscribed, with what was said."""
        for name in ("first", "second"):
            self.said.subscribe(lambda number, name=name: self.heard.append((name, number)))
        self.said(7)
        self.assertEqual(self.heard, [("first", 7), ("second", 7)])

    def test_nobody(self) -> None:
        """A signal without subscribers may be sent."""
        self.said(7)
        self.assertEqual(self.heard, [])

    def test_error(self) -> None:
        """What a subscriber raises reaches whoever sent the signal."""
        self.said.subscribe(lambda number: 1 // number)
        self.assertRaises(ZeroDivisionError, self.said, 0)
