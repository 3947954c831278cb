"""Log-ins: get tokens, renew them before they expire, and revoke them (RFC 6749, RFC 7009)."""

import secrets
from collections.abc import Callable
from math import inf
from typing import NamedTuple

from msgspec import to_builtins
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from contentsvc.client.errors import ApiError, NotSignedIn, SessionEnded, Unreachable
from contentsvc.client.http import Http, Response, error_of, read
from contentsvc.framework.core.concurrency import SingleFlight
from contentsvc.wire.oauth import (
    CLIENT_CREDENTIALS,
    EXCHANGE,
    GUEST,
    RevokeForm,
    ServiceToken,
    TokenAnswer,
    TokenForm,
)
from contentsvc.wire.repeatable import is_repeatable

_MARGIN = 60.0
"""Seconds before its expiry at which an access token is renewed; at most a fifth of its life."""
_SERVICE_ENDED = frozenset({"invalid_client", "invalid_scope"})
"""Why a service account gets no further token: the account or its secret was deleted, or the
account has lost a scope."""

log = Logger()


class OAuth:
    """The operations of OAuth, which need no token (accounts#tokens). They raise ApiError and
    Unreachable."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def create_token(self, form: TokenForm) -> TokenAnswer:
        """Log in, or renew tokens. The client does not use these tokens itself.

        Raises ApiError, for example `invalid_grant`, `account_banned` or `slow_down`.
        """
        # Within 30 s the service takes a second use of a refresh token for the same one, and a
        # guest's secret makes one guest.
        repeat = form.refresh_token is not None or form.secret is not None
        answer = await self._post("/oauth/token", form, repeat=repeat)
        return read(answer, TokenAnswer)

    async def create_service_token(self, form: TokenForm) -> ServiceToken:
        """Get a token of a service account, by the grant `client_credentials`
        (studio#service-accounts). The client does not use it itself. Raises ApiError, for example
        `invalid_client` or `invalid_scope`."""
        return read(await self._post("/oauth/token", form, repeat=True), ServiceToken)

    async def revoke_token(self, form: RevokeForm) -> None:
        """End the session of an access token or a refresh token."""
        await self._post("/oauth/revoke", form, repeat=is_repeatable("revokeToken", "POST"))

    async def _post(self, path: str, form: TokenForm | RevokeForm, *, repeat: bool) -> Response:
        members = to_builtins(form)
        given = {name: value for name, value in members.items() if value is not None}
        answer = await self._http.request("POST", path, form=given, repeat=repeat)
        if answer.status != 200:
            raise error_of(answer)
        return answer


def guest_secret() -> str:
    """Make a new secret of a guest (accounts#guests). Store it before `log_in_as_guest` sends
    it."""
    return secrets.token_urlsafe(48)


class _Grant(NamedTuple):
    """An access token, and when to renew it and when it expires, in Unix seconds. `answer` is the
    whole answer with which it came; None if it came from another program. A service account has the
    `form` instead, which gets the next token."""

    access: str
    user: str | None
    answer: TokenAnswer | None
    stale: float
    expires: float
    form: TokenForm | None = None


class LogIn:
    """At most one log-in at a time. Calls that need a renewal at the same time share one, because a
    refresh token can be used once."""

    def __init__(
        self,
        reactor: IReactorTime,
        oauth: OAuth,
        on_tokens: Callable[[TokenAnswer], object] | None = None,
    ) -> None:
        self._reactor = reactor
        self._oauth = oauth
        self._on_tokens = on_tokens
        self._grant: _Grant | None = None
        self._refreshing = SingleFlight(self._refresh)

    @property
    def signed_in(self) -> bool:
        """Whether there is a token."""
        return self._grant is not None

    @property
    def user(self) -> str:
        """The id of the user. Raises NotSignedIn, also if `use` was called without one."""
        grant = self._required()
        user = grant.user
        if grant.form is not None:
            raise NotSignedIn("a service account is no user: say which user this is about")
        if user is None:
            raise NotSignedIn("use_token was not told which user this is")
        return user

    @property
    def tokens(self) -> TokenAnswer:
        """The present tokens. Raises NotSignedIn."""
        answer = self._required().answer
        if answer is None:
            raise NotSignedIn("there is an access token, and no refresh token")
        return answer

    def _required(self) -> _Grant:
        if self._grant is None:
            raise NotSignedIn("log_in first")
        return self._grant

    async def begin(self, name: str, password: str) -> TokenAnswer:
        """Begin a session. Raises ApiError (`invalid_grant`, `account_banned`, `slow_down`),
        Unreachable."""
        form = TokenForm(grant_type="password", username=name, password=password)
        self._set_grant(await self._granted(form))
        return self.tokens

    async def exchange(self, subject_token: str, token_type: str) -> TokenAnswer:
        """Begin a session with the token of another service. Raises as `begin` does, with
        `invalid_request` for a bad token."""
        form = TokenForm(
            grant_type=EXCHANGE, subject_token=subject_token, subject_token_type=token_type
        )
        self._set_grant(await self._granted(form))
        return self.tokens

    async def begin_guest(self, secret: str) -> TokenAnswer:
        """Begin a session as the guest of this secret. Raises as `begin` does."""
        self._set_grant(await self._granted(TokenForm(grant_type=GUEST, secret=secret)))
        return self.tokens

    async def begin_service(self, account: str, secret: str, scope: str | None) -> ServiceToken:
        """Act as a service account. Raises ApiError (`invalid_client`, `invalid_scope`),
        Unreachable."""
        form = TokenForm(
            grant_type=CLIENT_CREDENTIALS, client_id=account, client_secret=secret, scope=scope
        )
        grant, answer = await self._given(form)
        self._set_grant(grant)
        return answer

    async def renew(self, refresh_token: str) -> TokenAnswer:
        """Continue a session by its refresh token. Raises SessionEnded, ApiError, Unreachable."""
        self._set_grant(await self._renewed(refresh_token))
        return self.tokens

    def use(self, access_token: str, user: str | None) -> None:
        """Use this access token until it expires."""
        self._grant = _Grant(access_token, user, None, inf, inf)

    async def end(self) -> None:
        """End the session, on the service and here. Raises NotSignedIn, ApiError, Unreachable."""
        grant = self._required()
        token = grant.access if grant.answer is None else grant.answer.refresh_token
        await self._oauth.revoke_token(RevokeForm(token=token))
        self._grant = None

    async def access_token(self) -> str:
        """A token that is valid for a while. Raises NotSignedIn and SessionEnded; also ApiError or
        Unreachable, if the token has expired and cannot be renewed now."""
        grant = self._required()
        if self._reactor.seconds() >= grant.stale:
            try:
                await self._refreshing.ask()
            except SessionEnded:
                raise
            except (ApiError, Unreachable):
                if self._reactor.seconds() >= grant.expires:
                    raise
        return self._required().access

    async def instead_of(self, refused: str) -> str:
        """A new token, after the service refused this one. Raises as access_token does."""
        if self._required().access == refused:
            await self._refreshing.ask()
        return self._required().access

    async def _refresh(self) -> None:
        before = self._grant
        try:
            grant = self._required()
            answer = grant.answer
            if grant.form is not None:
                after = await self._given_again(grant.form)
            else:
                after = await self._renewed(None if answer is None else answer.refresh_token)
        except SessionEnded:
            if self._grant is before:
                self._grant = None
            raise
        if self._grant is before:  # no log-in or log-out meanwhile
            self._set_grant(after)

    def _set_grant(self, grant: _Grant) -> None:
        self._grant = grant
        if self._on_tokens is None or grant.answer is None:
            return
        try:
            self._on_tokens(grant.answer)
        except Exception:
            # The tokens are good: the operation that needed them goes on.
            log.failure("on_tokens")

    async def _renewed(self, refresh_token: str | None) -> _Grant:
        if refresh_token is None:
            detail = "the access token is not accepted, and there is no refresh token to renew it"
            raise SessionEnded(401, "invalid_token", detail, {})
        form = TokenForm(grant_type="refresh_token", refresh_token=refresh_token)
        try:
            return await self._granted(form)
        except ApiError as error:
            if error.code != "invalid_grant":
                raise
            raise SessionEnded(error.status, error.code, error.detail, error.problem) from None

    async def _given_again(self, form: TokenForm) -> _Grant:
        try:
            grant, _ = await self._given(form)
        except ApiError as error:
            if error.code not in _SERVICE_ENDED:
                raise
            raise SessionEnded(error.status, error.code, error.detail, error.problem) from None
        return grant

    async def _given(self, form: TokenForm) -> tuple[_Grant, ServiceToken]:
        asked = self._reactor.seconds()
        answer = await self._oauth.create_service_token(form)
        times = _times(asked, answer.expires_in)
        return _Grant(answer.access_token, None, None, *times, form), answer

    async def _granted(self, form: TokenForm) -> _Grant:
        asked = self._reactor.seconds()
        tokens = await self._oauth.create_token(form)
        times = _times(asked, tokens.expires_in)
        return _Grant(tokens.access_token, tokens.userId, tokens, *times)


def _times(asked: float, lifetime: float) -> tuple[float, float]:
    """When to renew a token, and when it expires."""
    expires = asked + lifetime
    return expires - min(_MARGIN, lifetime / 5), expires
