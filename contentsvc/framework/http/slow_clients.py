"""Answers that clients do not read: a limit for all of them together, and an end for clients that
read nothing."""

from array import array
from contextlib import suppress
from fcntl import ioctl
from termios import TIOCOUTQ
from typing import Any, Protocol

from twisted.logger import Logger

from contentsvc.framework.core.twisted_internals import unsent

log = Logger()

MOST = 128 * 1024 * 1024
"""Most bytes of all slow connections together. A connection is slow if it has more to read than its
transport's buffer should hold (64 KiB). Beyond the limit, the one that has read nothing for the
longest time is cut off."""
READ_TIMEOUT = 30.0
"""A connection whose client reads nothing for so many seconds is cut off."""
_EACH = 1.0
"""Seconds between two checks of how much the clients have read."""
_SPARED = 10
"""When a connection must be cut off, at most so many are spared because they have read some. Every
write to many slow clients may cut one off, and to measure all of them each time would take seconds.
The check of each second puts all of them in order."""
_AT_ONCE = 50
"""At most so many connections that read nothing are cut off in one turn of the reactor."""


def unread(transport: Any) -> int:
    """`unsent`, and the bytes that the system has, but not yet the other end.

    Unsent bytes alone do not show whether a client reads: the system takes some from time to time
    even if the client reads nothing.
    """
    size, inner = unsent(transport), transport
    while inner is not None and not hasattr(inner, "socket"):
        inner = getattr(inner, "transport", None)
    if inner is not None:
        with suppress(OSError, ValueError):
            queued = array("i", [0])
            ioctl(inner.socket.fileno(), TIOCOUTQ, queued)
            size += queued[0]
    return size


class Connection(Protocol):
    """A connection, as this module sees it."""

    transport: Any

    def cut_off(self) -> None:
        """End it at once."""


class _Slow:
    """A connection whose client has much to read: `size` bytes unsent, `left` bytes unread, and
    `since` when it last read some."""

    def __init__(self, since: float) -> None:
        self.size = self.left = 0
        self.since = since


class SlowClients:
    """The slow connections. Those that have read nothing for the longest time come first."""

    def __init__(self, reactor: Any, *, most: int = MOST) -> None:
        self._reactor = reactor
        self._most = most
        self._slow: dict[Connection, _Slow] = {}
        self.total = 0
        self._cut = 0
        """Connections cut off to make room, but not yet in the log."""
        self._next_check: Any = None

    @property
    def idle(self) -> bool:
        """Whether no connection is slow, and the log has a line of all that were cut off."""
        return self._next_check is None

    def full(self, channel: Connection) -> None:
        """More has been written to a connection than its transport's buffer should hold."""
        slow = self._slow.get(channel)
        if slow is None:
            slow = self._slow[channel] = _Slow(self._reactor.seconds())
            if self._next_check is None:
                self._next_check = self._reactor.callLater(_EACH, self._check)
        slow.left = unread(channel.transport)
        self._measure(channel, slow)
        if self.total > self._most:
            self._make_room()

    def _make_room(self) -> None:
        """Cut off those that have read nothing for the longest time."""
        spared = _SPARED
        # A connection that has read some moves to the end. The second round may cut it off.
        for longest in (*self._slow, *self._slow):
            if self.total <= self._most:
                break
            found = self._slow.get(longest)
            if found is None or not found.size:
                continue
            if spared and self._has_read(longest):
                spared -= 1
                continue
            self._cut_off(longest)
            self._cut += 1

    def resumed(self, channel: Connection) -> None:
        """The kernel has everything that was written to a connection. Its client may not."""
        slow = self._slow.get(channel)
        if slow is not None:
            self._measure(channel, slow)

    def forget(self, channel: Connection) -> None:
        """Forget a connection: it has read everything, or has ended, or will."""
        slow = self._slow.pop(channel, None)
        if slow is not None:
            self.total -= slow.size
            if not (self._slow or self._cut or self._next_check is None):
                self._next_check.cancel()
                self._next_check = None

    def _has_read(self, channel: Connection) -> bool:
        """Whether it has read some since the last check. If so, it moves to the end."""
        slow, left = self._slow[channel], unread(channel.transport)
        self._measure(channel, slow)
        if left >= slow.left:
            return False
        slow.left, slow.since = left, self._reactor.seconds()
        self._slow[channel] = self._slow.pop(channel)
        return True

    def _measure(self, channel: Connection, slow: _Slow) -> None:
        size = unsent(channel.transport)
        self.total += size - slow.size
        slow.size = size

    def _cut_off(self, channel: Connection) -> None:
        self.forget(channel)
        channel.cut_off()

    def _check(self) -> None:
        self._next_check = None
        now, idle = self._reactor.seconds(), 0
        for channel in list(self._slow):
            has_read, slow = self._has_read(channel), self._slow[channel]
            if not slow.left:
                self.forget(channel)
            elif not has_read and now - slow.since >= READ_TIMEOUT:
                self._cut_off(channel)
                idle += 1
                if idle == _AT_ONCE:
                    break
        if idle:
            # Log: clients took nothing of their answers for 30 s. Do: nothing, if it is rare.
            log.warn("Connections cut off because their clients read nothing: {n}", n=idle)
        if self._cut:
            # Log: over 128 MiB of answers waited for slow clients. Do: look for clients that do not
            # read their answers.
            log.warn(
                "Connections cut off because too much unread data was waiting: {n}", n=self._cut
            )
            self._cut = 0
        if self._slow:
            again = 0 if idle == _AT_ONCE else _EACH
            self._next_check = self._reactor.callLater(again, self._check)
