"""How far a transfer is: a bar on a terminal, and a line now and then elsewhere."""

import shutil
from collections.abc import Callable
from typing import TextIO

from contentsvc.command.terminal import say, size, span

BAR = 24
"""Characters of the bar."""
AGAIN, LINE = 0.2, 10.0
"""Seconds between two bars on a terminal, and between two lines elsewhere."""


class Progress:
    """Bytes on their way, `total` in all as far as is known. `now` is a clock, in seconds.

    `out` is better standard error: standard output is for results.
    """

    def __init__(self, out: TextIO, now: Callable[[], float], total: int = 0) -> None:
        self.total = total
        self._out = out
        self._now = now
        self._bar = out.isatty()
        self._begun = self._shown = now()
        self._done = 0
        self._drawn = False

    def more(self, count: int) -> None:
        """So many bytes have gone; fewer than none if they must go again."""
        self._done += count
        if self._now() - self._shown >= (AGAIN if self._bar else LINE):
            self._show()

    def say(self, line: str, to: TextIO | None = None) -> None:
        """Print a line, above the bar or to another file."""
        self._clear()
        say(line, to=to or self._out)

    def close(self) -> None:
        """Remove the bar."""
        self._clear()

    def _show(self) -> None:
        self._shown = self._now()
        if self._bar:
            line = self._text()[: shutil.get_terminal_size().columns - 1]
            self._out.write(f"\r\x1b[K{line}")
            self._out.flush()
            self._drawn = True
        else:
            say(self._text(), to=self._out)

    def _clear(self) -> None:
        if self._drawn:
            self._out.write("\r\x1b[K")
            self._out.flush()
            self._drawn = False

    def _text(self) -> str:
        part = min(self._done / self.total, 1.0) if self.total > 0 else 0.0
        rate = self._done / max(self._shown - self._begun, 0.001)
        text = f"{part:4.0%} {size(self._done)} of {size(self.total)}, {size(int(rate))}/s"
        if rate > 0 and self._done < self.total:
            text += f", {span(int((self.total - self._done) / rate))} left"
        if not self._bar:
            return text.strip()
        full = int(part * BAR)
        return f"[{'#' * full}{'-' * (BAR - full)}] {text}"
