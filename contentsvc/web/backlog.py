"""What clients have sent beyond a turn's share: it is read in the turns that follow."""

from itertools import islice
from typing import Protocol

from twisted.internet.interfaces import IReactorTime

from contentsvc.timers import NextTurn

AT_ONCE = 4
"""Connections that are read on in one turn of the reactor. So many that send what is long to read
take no longer of a turn than one."""


class Reader(Protocol):
    """A connection that has more to read."""

    def read_on(self) -> None:
        """Read a turn's share of it; who has more then joins again."""


class Backlog:
    """The connections with more to read, in the order of their turns."""

    def __init__(self, reactor: IReactorTime) -> None:
        self._line: dict[Reader, None] = {}
        self._turn = NextTurn(reactor, self._read_on)

    def join(self, reader: Reader) -> None:
        """Have its `read_on` called in a turn to come, once."""
        self._line[reader] = None
        self._turn.ask()

    def leave(self, reader: Reader) -> None:
        """The connection has ended."""
        self._line.pop(reader, None)
        if not self._line:
            self._turn.cancel()

    def _read_on(self) -> None:
        for reader in list(islice(self._line, AT_ONCE)):
            # One may have ended the other.
            if reader in self._line:
                del self._line[reader]
                reader.read_on()
        if self._line:
            self._turn.ask()
