"""Sessions: socket#session-connect, and the log-ins of a user."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.errors import SessionNotFound
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.errors import InvalidHost
from contentsvc.framework.http.permissions import SELF, SIGNED_IN
from contentsvc.framework.http.route import route
from contentsvc.push.revocation import Revocation
from contentsvc.store.accounts import sessions
from contentsvc.tokens import Tokens
from contentsvc.wire.accounts import ConnectAnswer, ConnectBody, Session


class Sessions(Struct):
    """The first step to the socket, and a user's log-ins."""

    db: Database
    tokens: Tokens
    revocation: Revocation
    public_url: str | None

    @route("POST", "/session/connect", allow=SIGNED_IN, raises=(InvalidHost,))
    async def connect_session(self, call: Call, body: ConnectBody) -> ConnectAnswer:
        """Get the socket's URL, and a token to connect with, valid for a minute
        (socket#session-connect)."""
        url = self.public_url or call.base_url
        return ConnectAnswer(
            # http becomes ws, https becomes wss.
            socket_url="ws" + url.removeprefix("http") + "/socket",
            access_token=self.tokens.issue_socket(
                call.user, call.session, body.client, call.asked_by
            ),
        )

    @route("GET", "/user/<guid:user>/sessions", allow=SELF)
    async def list_sessions(self, call: Call, user: str) -> list[Session]:
        """List the user's log-ins that have not ended. The one used last comes first."""
        return await sessions.of_user(self.db, user, call.session)

    @route(
        "DELETE",
        "/user/<guid:user>/sessions/<guid:session>",
        allow=SELF,
        raises=(SessionNotFound,),
    )
    async def end_session(self, call: Call, user: str, session: str) -> None:
        """End one log-in. It may be the log-in of this request."""
        if not await sessions.revoke_own(self.db, user, session):
            raise SessionNotFound()
        self.revocation.end(self.db, [session])

    @route("DELETE", "/user/<guid:user>/sessions", allow=SELF)
    async def end_other_sessions(self, call: Call, user: str) -> None:
        """End all log-ins except the log-in of this request."""
        async with self.db.transaction() as tx:
            others = await sessions.revoke_all(tx, user, call.session)
            self.revocation.end(tx, others)
