"""Portal codes: a game opens the portal, already logged in (accounts#portal-codes)."""

import secrets
from urllib.parse import quote, urlencode

from msgspec import Struct

from contentsvc.api.accounts.oauth import LogIn, OAuth, digest, needed
from contentsvc.api.call import Call
from contentsvc.api.checks import check_wait, required
from contentsvc.api.errors import InvalidGrant, account_deleted
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import Forbidden, InvalidHost, TooManyRequests
from contentsvc.framework.http.permissions import SELF
from contentsvc.framework.http.route import route
from contentsvc.store import rate_limits
from contentsvc.store.accounts import portal_codes, roles, sessions
from contentsvc.store.rate_limits import PORTAL_CODES
from contentsvc.wire.accounts import CLIENT, IN_GAME, PortalCode, PortalCodeBody
from contentsvc.wire.oauth import PortalForm


class PortalCodes(Struct):
    """The codes that a game asks for, and gives to the portal in its web view."""

    db: Database
    public_url: str | None

    @route(
        "POST",
        "/user/<guid:user>/portal-codes",
        allow=SELF,
        raises=(InvalidHost, TooManyRequests),
    )
    async def create_portal_code(self, call: Call, user: str, body: PortalCodeBody) -> PortalCode:
        """Make a code that logs the user in to the portal, and a URL with it for a game's web view
        (accounts#portal-codes). The code is good once, for a minute, while the log-in that asks for
        it goes on. A log-in of the portal gets no code. A user gets at most 10 codes in a
        minute."""
        base = (self.public_url or call.base_url).rstrip("/")
        code = secrets.token_urlsafe(32)
        async with self.db.transaction() as tx:
            asking = required(await portal_codes.asking(tx, call.session), account_deleted)
            if call.in_game or asking.kind not in {None, CLIENT}:
                raise Forbidden("A log-in of the portal cannot ask for portal codes.")
            check_wait(await rate_limits.take(tx, PORTAL_CODES, user, PORTAL_CODES.most))
            expires = await portal_codes.put(tx, digest(code), call.session)
        members = {"portal-code": code, "user": user}
        if body.then is not None:
            members["then"] = body.then
        fragment = urlencode(members, quote_via=quote, safe="")
        return PortalCode(code, f"{base}/log-in#{fragment}", expires)


async def redeem(oauth: OAuth, call: Call, form: PortalForm) -> LogIn:
    """Log in with a portal code. Raises InvalidBody, InvalidGrant, AccountBanned."""
    code = digest(needed("code", form.code))
    user = needed("user", form.user).lower()
    found = required(await portal_codes.find(oauth.db, code), InvalidGrant)
    if found.user_id != user:  # it stays good for its own
        raise InvalidGrant()
    async with oauth.db.transaction() as tx:
        begun = await _spend(oauth, tx, call, code, found)
    return required(begun, InvalidGrant)


async def _spend(
    oauth: OAuth, tx: Db, call: Call, code: str, found: portal_codes.Found
) -> LogIn | None:
    """What begins with a code. None if it is used again: what has begun with it ends, because one
    of the two who had it is a thief. Raises InvalidGrant, AccountBanned."""
    user, session = found
    required(await roles.share(tx, user), InvalidGrant)
    state = required(await portal_codes.lock(tx, code, session), InvalidGrant)
    if not state.fresh:
        raise InvalidGrant()
    if state.begun is not None:
        await sessions.revoke(tx, state.begun)
        oauth.revocation.end(tx, [state.begun])
        call.note("portal-code-reused")
        return None
    if not state.live:
        raise InvalidGrant()
    refresh = secrets.token_urlsafe(32)
    begun = await oauth.begin(tx, call, user, refresh, 0, IN_GAME)
    ended = await portal_codes.spend(tx, code, session, begun)
    oauth.revocation.end(tx, ended)
    token = await sessions.presented(tx, digest(refresh))
    # The session that has asked may be over by its age.
    if token is None or not token.live:
        raise InvalidGrant()
    return oauth.admitted(token, refresh)
