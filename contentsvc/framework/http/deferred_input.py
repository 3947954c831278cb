"""Input beyond one turn's share. It is read in the next turns."""

from itertools import islice
from typing import Protocol

from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.core.timers import NextTurn

AT_ONCE = 4
"""Connections that are read in one turn of the reactor. However many have much input, a turn stays
short."""


class Reader(Protocol):
    """A connection that has more to read."""

    def read_on(self) -> None:
        """Read a turn's share. A connection that then has more joins again."""


class DeferredInput:
    """The connections with more to read, in the order of their turns."""

    def __init__(self, reactor: IReactorTime) -> None:
        self._line: dict[Reader, None] = {}
        self._turn = NextTurn(reactor, self._read_on)

    def join(self, reader: Reader) -> None:
        """Call its `read_on` once, in a later turn."""
        self._line[reader] = None
        self._turn.ask()

    def leave(self, reader: Reader) -> None:
        """Forget a connection that has ended."""
        self._line.pop(reader, None)
        if not self._line:
            self._turn.cancel()

    def _read_on(self) -> None:
        for reader in list(islice(self._line, AT_ONCE)):
            # One connection may have ended another.
            if reader in self._line:
                del self._line[reader]
                reader.read_on()
        if self._line:
            self._turn.ask()
