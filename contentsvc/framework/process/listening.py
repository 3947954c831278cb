"""How a port accepts connections: few at a time, and all of them at its end."""

from typing import Any

from twisted.internet import tcp

BACKLOG = 4096
"""Connections that may wait to be accepted: the most that Linux allows by default. Twisted's own
default is 50. A client beyond the limit tries again after 1, 3, 7, 15, 31 and 63 s."""
_ACCEPTS = 32
"""The most connections accepted in one turn. Twisted would take more in each turn that leaves some
over, and all of them send a request in the next turn."""


def accept_few(port: Any) -> None:
    """Accept few connections at a time, so that a rush leaves turns to the present ones. Does
    nothing with a port that is not Twisted's for TCP."""
    if not isinstance(port, tcp.Port):
        return

    def do_read() -> None:
        port.numberAccepts = min(port.numberAccepts, _ACCEPTS)
        tcp.Port.doRead(port)

    port.doRead = do_read  # type: ignore[method-assign]


async def close(port: Any) -> None:
    """Accept everybody who still waits, and nobody more."""
    if isinstance(port, tcp.Port):
        # Closing the port would reset those who wait, with their requests already sent. The socket
        # is closed at once, because Twisted would close it only in the next turn, and more might
        # come until then. (A port that workers share stays open for those who wait.)
        port.stopReading()
        port.numberAccepts = BACKLOG
        tcp.Port.doRead(port)
        port.socket.close()
    await port.stopListening()
