"""Sessions: the way to the socket (spec §4.19), and one's log-ins."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.wire.sessions import ConnectAnswer, ConnectBody, Session


class Sessions:
    """One's log-ins that go on."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def connect(self, body: ConnectBody, *, repeat: bool = True) -> ConnectAnswer:
        """Where the session socket is, and a token for it (spec §4.19).
        `client.notifications.listen` does this, and opens it."""
        return await self._calls.ask("/session/connect", body, ConnectAnswer, repeat=repeat)

    async def all(self) -> list[Session]:
        """One's log-ins that go on."""
        return await self._calls.get(self._path, list[Session])

    async def end(self, session: str) -> None:
        """End one of them, this one too."""
        await self._calls.send("DELETE", f"{self._path}/{quoted(session)}")

    async def end_others(self) -> None:
        """End all of them but this one."""
        await self._calls.send("DELETE", self._path)

    @property
    def _path(self) -> str:
        return f"/user/{self._calls.user}/sessions"
