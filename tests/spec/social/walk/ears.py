"""What a session socket of a user says, held against the model of the user's log."""

from __future__ import annotations

from typing import Any

from tests.spec import shapes
from tests.spec.client import Socket
from tests.spec.social.walk.logs import Entry, Log


def shown(entry: Entry) -> dict[str, Any]:
    """A notification as it is shown, without id and created."""
    if entry.deleted:
        return {"kind": "Deleted", "read": True}
    return {"kind": entry.kind, "read": entry.read, **entry.extra}


class Ear:
    """One socket, which began after notification `seq`. It keeps what docs/interface/socket.md
    tells a client to keep, to know how many are unread."""

    def __init__(self, socket: Socket, log: Log, seq: int) -> None:
        self.socket, self.log, self.seq = socket, log, seq
        self.at, self.unread, self.fresh = seq, log.unread(), set[int]()
        self.states, self.changes = 0, log.changes

    def take(self, message: dict[str, Any]) -> None:
        """The next message."""
        if message["type"] == "state":
            self._equal(None, shapes.mismatch(message, shapes.STATE))
            self.states += 1
            self._equal(True, message["seq"] >= self.at)
            self.at, self.unread = message["seq"], message["unread"]
            self.fresh = {seq for seq in self.fresh if seq > self.at}
            return
        self._equal(None, shapes.mismatch(message, shapes.PUSHED))
        self._equal(self.seq + 1, message["seq"])
        self._equal(True, message["seq"] <= len(self.log.entries))
        self.seq = message["seq"]
        entry, told = self.log.entries[self.seq - 1], dict(message["notification"])
        id, created = told.pop("id"), told.pop("created")
        if not entry.id:
            entry.id, entry.created = id, created
            # Its id is known by being told, as that of the notification.
            if "decision" in told:
                entry.extra["decision"] = told["decision"]
        self._equal((entry.id, entry.created), (id, created))
        self._equal(shown(entry), told)
        if not told["read"] and self.seq > self.at:
            self.fresh.add(self.seq)

    async def hear(self) -> None:
        """Read on until all that the user was told has come."""
        while self.seq < len(self.log.entries):
            self.take(await self.socket.next())

    async def settle(self) -> None:
        """Read on until the numbers are those of the log; there is nothing else to read then."""
        await self.pause()
        while not self._agrees():
            self.take(await self.socket.next())
        await self.pause()
        self._equal(True, self._agrees())
        self._equal(True, self.states <= self.log.changes - self.changes)

    def _agrees(self) -> bool:
        counted = self.unread + len(self.fresh)
        return counted == self.log.unread() and self.unread == self.log.unread(self.at)

    async def pause(self) -> None:
        """Read all that was sent by now."""
        self.socket.say(type="ping")
        while (message := await self.socket.next()) != {"type": "pong"}:
            self.take(message)

    def _equal(self, expected: object, found: object) -> None:
        if expected != found:
            raise AssertionError(f"{found!r} is not {expected!r}, after {self.seq}")
