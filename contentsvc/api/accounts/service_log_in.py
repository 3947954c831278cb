"""The log-in of service accounts (studio#service-accounts; RFC 6749 §4.4)."""

import base64
import binascii
from typing import Final, NamedTuple
from urllib.parse import unquote_plus
from uuid import UUID

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import required
from contentsvc.api.errors import InvalidClient, InvalidScope
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.errors import InvalidBody, Problem
from contentsvc.store.accounts import service_accounts
from contentsvc.tokens import Tokens, secret_hash
from contentsvc.wire.oauth import ServiceToken, TokenForm

_CHALLENGE: Final = {"WWW-Authenticate": 'Basic realm="contentsvc"'}


class _Client(NamedTuple):
    """The account that the client claims to be, and its secret."""

    id: str
    secret: str


class ServiceLogIn(Struct):
    """Gives a service account its access tokens, for a secret. There are no refresh tokens: the
    secret gives the next one."""

    db: Database
    tokens: Tokens

    async def grant(self, call: Call, form: TokenForm) -> ServiceToken:
        """An access token. Raises InvalidClient, InvalidScope, InvalidBody."""
        client = _client(call.authorization, form)
        found = required(
            await service_accounts.grant(self.db, client.id, secret_hash(client.secret)), _refused
        )
        scopes = found.scopes
        if form.scope:
            asked = form.scope.split(" ")
            if not {*asked} <= {*scopes}:
                raise InvalidScope()
            scopes = [scope for scope in scopes if scope in asked]
        access, lifetime = self.tokens.issue_service(client.id, found.grant, scopes, found.expires)
        if lifetime <= 0:  # by this process's clock it has expired
            raise _refused()
        return ServiceToken(access, "Bearer", lifetime, " ".join(scopes))


def _refused() -> Problem:
    return InvalidClient(headers=_CHALLENGE)


def _client(header: str | None, form: TokenForm) -> _Client:
    """The client's id and secret: of the header, as Basic, or else of the form. Raises
    InvalidClient, and InvalidBody if there are two."""
    scheme, _, text = (header or "").partition(" ")
    if scheme.lower() != "basic":
        # Another scheme is no log-in of a client.
        if not form.client_id or not form.client_secret:
            raise _refused()
        return _checked(form.client_id, form.client_secret)
    basic = _basic(text.strip())
    same = not form.client_id or form.client_id.lower() == basic.id
    if form.client_secret or not same:
        raise InvalidBody("Send the client id and secret once: in the header, or in the form.")
    return basic


def _basic(text: str) -> _Client:
    """What is in a header as RFC 7617 has it: both parts are encoded as in a form (RFC 6749
    §2.3.1)."""
    try:
        pair = base64.b64decode(text, validate=True).decode()
    except (binascii.Error, ValueError):
        raise _refused() from None
    id, _, secret = pair.partition(":")
    return _checked(unquote_plus(id), unquote_plus(secret))


def _checked(id: str, secret: str) -> _Client:
    try:
        account = str(UUID(id))
    except ValueError:
        raise _refused() from None
    if account != id.lower():  # another way to write it
        raise _refused()
    return _Client(account, secret)
