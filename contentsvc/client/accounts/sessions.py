"""Sessions: the address of the socket (spec §4.19), and the user's sessions."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.wire.accounts import ConnectAnswer, ConnectBody, Session


class Sessions:
    """The user's sessions. A session is one log-in with its renewals."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def connect(self, body: ConnectBody, *, repeat: bool | None = None) -> ConnectAnswer:
        """Get the address of the session socket, and a token for it (spec §4.19).
        `client.notifications.listen` does this, and opens it."""
        return await self._calls.ask(
            "/session/connect", body, ConnectAnswer, operation="connectSession", repeat=repeat
        )

    async def list(self) -> list[Session]:
        """List the user's sessions that have not ended."""
        return await self._calls.get(self._path, list[Session])

    async def end(self, session: str) -> None:
        """End a session. It may be the present one."""
        await self._calls.send("DELETE", f"{self._path}/{quoted(session)}")

    async def end_other(self) -> None:
        """End all sessions except the present one."""
        await self._calls.send("DELETE", self._path)

    @property
    def _path(self) -> str:
        return f"/user/{self._calls.user}/sessions"
