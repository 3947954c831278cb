"""The tokens of one log-in: had, renewed before they expire, given up."""

from typing import NamedTuple

from msgspec import DecodeError, json
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from contentsvc.client.errors import ApiError, NotSignedIn, SessionEnded, Unreachable
from contentsvc.client.http import Answer, Http, error_of
from contentsvc.wire.accounts import TokenAnswer

_MARGIN = 60.0
"""Seconds before its expiry in which an access token is renewed; at most a fifth of its life."""
_OK = 200


class _Held(NamedTuple):
    """Tokens, and when to renew them and when they are no good any more, in Unix seconds."""

    tokens: TokenAnswer
    stale: float
    expires: float


class Session:
    """At most one log-in at a time. Whatever asks for a renewal while one is under way
    shares it: a refresh token is good for one use."""

    def __init__(self, reactor: IReactorTime, http: Http) -> None:
        self._reactor = reactor
        self._http = http
        self._held: _Held | None = None
        self._waiting: list[Deferred[None]] = []

    @property
    def signed_in(self) -> bool:
        """Whether there are tokens."""
        return self._held is not None

    @property
    def tokens(self) -> TokenAnswer:
        """Those of now. Raises NotSignedIn."""
        return self._holding().tokens

    def _holding(self) -> _Held:
        if self._held is None:
            raise NotSignedIn("log_in first")
        return self._held

    async def log_in(self, name: str, password: str) -> TokenAnswer:
        """Begin a session. Raises ApiError (`invalid_grant`, `account_banned`, `slow_down`),
        Unreachable."""
        form = {"grant_type": "password", "username": name, "password": password}
        self._held = await self._grant(form, repeat=False)
        return self._held.tokens

    async def renew(self, refresh_token: str) -> TokenAnswer:
        """Go on with a session by its refresh token. Raises SessionEnded, ApiError,
        Unreachable."""
        self._held = await self._renewed(refresh_token)
        return self._held.tokens

    async def log_out(self) -> None:
        """End the session, on the service and here. Raises NotSignedIn, ApiError, Unreachable."""
        token = self.tokens.refresh_token
        await self._post("/oauth/revoke", {"token": token}, repeat=True)
        self._held = None

    async def access_token(self) -> str:
        """One that is good for a while. Raises NotSignedIn, SessionEnded, and ApiError or
        Unreachable where it has expired and cannot be renewed now."""
        held = self._holding()
        if self._reactor.seconds() >= held.stale:
            try:
                await self._refresh()
            except SessionEnded:
                raise
            except (ApiError, Unreachable):
                if self._reactor.seconds() >= held.expires:
                    raise
        return self.tokens.access_token

    async def instead_of(self, refused: str) -> str:
        """Another than the one that the service refused. Raises as access_token does."""
        if self.tokens.access_token == refused:
            await self._refresh()
        return self.tokens.access_token

    async def _refresh(self) -> None:
        shared: Deferred[None] = Deferred()
        self._waiting.append(shared)
        if len(self._waiting) == 1:
            # By itself, so that it goes on where the first to ask gives up.
            Deferred.fromCoroutine(self._refresh_for_all())
        await shared

    async def _refresh_for_all(self) -> None:
        before = self._held
        after, error = before, None
        try:
            after = await self._renewed(self.tokens.refresh_token)
        except Exception as raised:
            error = raised
            if isinstance(raised, SessionEnded):
                after = None
        if self._held is before:  # no log-in or log-out meanwhile
            self._held = after
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            if not each.called:
                each.errback(error) if error else each.callback(None)

    async def _renewed(self, refresh_token: str) -> _Held:
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        try:
            # The service takes a repeat for the same use as long as it comes within 30 s.
            return await self._grant(form, repeat=True)
        except ApiError as error:
            if error.code != "invalid_grant":
                raise
            raise SessionEnded(error.status, error.code, error.detail, error.problem) from None

    async def _grant(self, form: dict[str, str], *, repeat: bool) -> _Held:
        asked = self._reactor.seconds()
        answer = await self._post("/oauth/token", form, repeat=repeat)
        try:
            tokens = json.decode(answer.body, type=TokenAnswer)
        except DecodeError as error:
            raise ApiError(answer.status, "malformed_answer", str(error), {}) from None
        expires = asked + tokens.expires_in
        return _Held(tokens, expires - min(_MARGIN, tokens.expires_in / 5), expires)

    async def _post(self, path: str, form: dict[str, str], *, repeat: bool) -> Answer:
        answer = await self._http.request("POST", path, form=form, repeat=repeat)
        if answer.status != _OK:
            raise error_of(answer)
        return answer
