"""How far a transfer is, on a terminal and in a file."""

import io

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.command.progress import AGAIN, LINE, Progress

MIB = 1024**2
CLEARED = "\r\x1b[K"


class Terminal(io.StringIO):
    """Stands for a terminal."""

    def isatty(self) -> bool:
        return True


class ProgressTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()

    def test_bar(self) -> None:
        """On a terminal a bar says how much has gone, how fast, and how long the rest will take."""
        out = Terminal()
        progress = Progress(out, self.clock.seconds, 4 * MIB)
        self.clock.advance(2)
        progress.more(MIB)
        expected = f"{CLEARED}[######------------------]  25% 1.0 MiB of 4.0 MiB, 512.0 KiB/s, "
        self.assertEqual(out.getvalue(), f"{expected}6 s left")

    def test_seldom(self) -> None:
        """The bar is not drawn for every piece."""
        out = Terminal()
        progress = Progress(out, self.clock.seconds, 4 * MIB)
        progress.more(1)
        self.clock.advance(AGAIN)
        progress.more(1)
        progress.more(1)
        self.assertEqual(out.getvalue().count(CLEARED), 1)

    def test_line_above(self) -> None:
        """A line takes the bar's place, and the end removes the bar."""
        out = Terminal()
        progress = Progress(out, self.clock.seconds, MIB)
        self.clock.advance(1)
        progress.more(MIB)
        drawn = out.getvalue()
        progress.say("one is wrong")
        progress.close()
        self.assertEqual(out.getvalue(), f"{drawn}{CLEARED}one is wrong\n")

    def test_file(self) -> None:
        """Elsewhere it is a line each ten seconds."""
        out = io.StringIO()
        progress = Progress(out, self.clock.seconds, 4 * MIB)
        for _ in range(3):
            self.clock.advance(LINE / 2)
            progress.more(MIB)
        progress.close()
        self.assertEqual(out.getvalue(), "50% 2.0 MiB of 4.0 MiB, 204.8 KiB/s, 10 s left\n")

    def test_again(self) -> None:
        """What must go again is taken back, and more than the total is all of it."""
        out = io.StringIO()
        progress = Progress(out, self.clock.seconds, MIB)
        progress.more(MIB)
        progress.more(-MIB)
        self.clock.advance(LINE)
        progress.more(2 * MIB)
        self.assertEqual(out.getvalue(), "100% 2.0 MiB of 1.0 MiB, 204.8 KiB/s\n")

    def test_unknown(self) -> None:
        """Without a total it is at its beginning."""
        out = io.StringIO()
        progress = Progress(out, self.clock.seconds)
        self.clock.advance(LINE)
        progress.more(0)
        self.assertEqual(out.getvalue(), "0% 0 B of 0 B, 0 B/s\n")
