"""What `contentsvc fetch` and `contentsvc sync` ask before what is very large comes."""

import argparse
import os
import signal
import sys
from io import StringIO

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.command import remote, terminal
from contentsvc.command.content_commands import ASKED, agree
from contentsvc.command.terminal import CommandError


class Terminal(StringIO):
    """One at which somebody types this; None interrupts."""

    def __init__(self, typed: str | None) -> None:
        super().__init__(typed or "")
        self._typed = typed

    def isatty(self) -> bool:
        return True

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        if self._typed is None:
            os.kill(os.getpid(), signal.SIGINT)
        return super().readline()


class AgreeTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.asked: list[str] = []
        self.answer = False

        def agrees(question: str) -> bool:
            self.asked.append(question)
            return self.answer

        self.patch(terminal, "agrees", agrees)

    def test_small(self) -> None:
        """What is not very large comes without a question."""
        agree("Tower", ASKED, None, asks=True)
        self.assertEqual(self.asked, [])

    def test_asked(self) -> None:
        """For more than 10 GiB somebody is asked, and what they do not want does not come."""
        self.answer = True
        agree("Tower", ASKED + 1, None, asks=True)
        self.assertEqual(self.asked, ["Tower needs 10.0 GiB. Fetch it?"])
        self.answer = False
        refused = self.assertRaises(CommandError, agree, "Tower", ASKED + 1, None, asks=True)
        self.assertEqual(
            str(refused), f"Tower needs 10.0 GiB; give --most-bytes {ASKED + 1} to fetch it"
        )

    def test_watched(self) -> None:
        """Where nobody need be there, nobody is asked."""
        self.answer = True
        self.assertRaises(CommandError, agree, "Tower", ASKED + 1, None, asks=False)
        self.assertEqual(self.asked, [])

    def test_most(self) -> None:
        """Who says how much may come is not asked, above 10 GiB and below."""
        agree("Tower", 2 * ASKED, 2 * ASKED, asks=True)
        refused = self.assertRaises(CommandError, agree, "Tower", 2 * ASKED, ASKED, asks=True)
        self.assertEqual(str(refused), "Tower needs 20.0 GiB, and --most-bytes is 10.0 GiB")
        self.assertRaises(CommandError, agree, "Tower", 1, 0, asks=True)
        self.assertEqual(self.asked, [])


class TerminalTests(SynchronousTestCase):
    def test_answers(self) -> None:
        """Only a yes is one. An empty line, the end and an interrupt are none."""
        self.patch(sys, "stderr", StringIO())
        before = signal.getsignal(signal.SIGINT)
        for typed, agrees in (
            *(("y\n", True), ("YES\n", True), (" yes \n", True)),
            *(("n\n", False), ("\n", False), ("", False), ("ja\n", False), (None, False)),
        ):
            self.patch(sys, "stdin", Terminal(typed))
            self.assertEqual(terminal.agrees("Fetch it?"), agrees, typed)
        self.assertEqual(signal.getsignal(signal.SIGINT), before)

    def test_none(self) -> None:
        """Without a terminal nobody says yes, whatever comes in."""
        for stdin in (StringIO("y\n"), None):
            self.patch(sys, "stdin", stdin)
            self.assertFalse(terminal.agrees("Fetch it?"))


class BytesTests(SynchronousTestCase):
    def test_good(self) -> None:
        """A number of bytes, or of a unit."""
        for text, value in (("0", 0), ("1000", 1000), ("2KiB", 2048), ("20GiB", 20 * 1024**3)):
            self.assertEqual(remote._bytes(text), value)

    def test_bad(self) -> None:
        """Nothing else."""
        for text in ("", "-1", "1.5GiB", "10 GiB", "10GB", "GiB", "1e9", "٣", "9" * 19):
            self.assertRaises(argparse.ArgumentTypeError, remote._bytes, text)
