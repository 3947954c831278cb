"""The portal's log-in (accounts#portal-session): /oauth/token, with the refresh token in a
cookie."""

from msgspec import Struct, structs

from contentsvc.api.accounts.oauth import OAuth
from contentsvc.api.accounts.portal_codes import redeem
from contentsvc.api.call import Call
from contentsvc.api.errors import (
    AccountBanned,
    InvalidGrant,
    InvalidSubjectToken,
    InvalidTarget,
    NoPortalSession,
    TooManyAttempts,
    TooManyGuests,
    UnsupportedGrant,
)
from contentsvc.framework.http.errors import InvalidBody, InvalidHost, UnderMaintenance
from contentsvc.framework.http.permissions import SAME_ORIGIN
from contentsvc.framework.http.route import route
from contentsvc.framework.http.urls import base_path
from contentsvc.wire.accounts import PORTAL
from contentsvc.wire.oauth import PORTAL_CODE, PortalForm, PortalTokens

_PATH = "/portal/session"
_COOKIE = "contentsvc-session"
_MOST_COOKIES = 4
"""Most log-ins that a log-out ends. A browser has one, unless somebody plants more."""


class PortalSessions(Struct):
    """The log-ins of the portal's pages, whose scripts never have a refresh token."""

    oauth: OAuth
    public_url: str | None

    @route(
        "POST",
        _PATH,
        allow=SAME_ORIGIN,
        raises=(
            InvalidHost,
            NoPortalSession,
            UnsupportedGrant,
            InvalidGrant,
            InvalidSubjectToken,
            InvalidTarget,
            TooManyAttempts,
            TooManyGuests,
            AccountBanned,
            UnderMaintenance,
        ),
    )
    async def create_portal_session(self, call: Call, form: PortalForm) -> PortalTokens:
        """Log in or renew, as at /oauth/token, or log in with a portal code. The refresh token
        comes and goes as a cookie."""
        if form.refresh_token is not None:
            raise InvalidBody("refresh_token comes as a cookie here, not in the form.")
        if form.grant_type == "refresh_token":
            form = structs.replace(form, refresh_token=self._renewed(call))
        if form.grant_type == PORTAL_CODE:
            answer, lifetime = await redeem(self.oauth, call, form)
        else:
            answer, lifetime = await self.oauth.log_in(call, form, PORTAL)
        self._set(call, answer.refresh_token, lifetime)
        return PortalTokens(
            answer.access_token,
            answer.token_type,
            answer.expires_in,
            answer.userId,
            answer.issued_token_type,
        )

    @route("DELETE", _PATH, allow=SAME_ORIGIN, raises=(InvalidHost,))
    async def delete_portal_session(self, call: Call) -> None:
        """Log out: end the log-in of the cookie, and take the cookie away."""
        for token in call.cookies(self._name(call))[:_MOST_COOKIES]:
            await self.oauth.end(token)
        self._set(call, "", 0)

    def _renewed(self, call: Call) -> str:
        """The refresh token of the cookie. Raises NoPortalSession, also if there are two: a page of
        another subdomain may have planted one, to log the user in as somebody else."""
        tokens = call.cookies(self._name(call))
        if len(tokens) != 1 or not tokens[0]:
            raise NoPortalSession()
        return tokens[0]

    def _set(self, call: Call, token: str, lifetime: int) -> None:
        secure = self._is_https(call)
        path = base_path(self.public_url) + _PATH
        call.set_cookie(self._name(call), token, path=path, lifetime=lifetime, secure=secure)

    def _name(self, call: Call) -> str:
        """The cookie's name. Browsers take `__Secure-` only from pages that came over TLS, so that
        nobody on the way can plant one."""
        return f"__Secure-{_COOKIE}" if self._is_https(call) else _COOKIE

    def _is_https(self, call: Call) -> bool:
        return (self.public_url or call.base_url).lower().startswith("https:")
