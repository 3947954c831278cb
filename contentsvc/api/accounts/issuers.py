"""The issuers with which pages log in (extensions §8)."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.route import route
from contentsvc.framework.identity import issuer as identity
from contentsvc.wire.accounts import LogInIssuer


class Issuers(Struct):
    """Those of the operator's file that have a name and a client id."""

    issuers: identity.Issuers

    @route("GET", "/issuers", allow=ANYONE)
    async def list_issuers(self, call: Call) -> list[LogInIssuer]:
        """List the issuers with which a page can log in, in the order of the operator's file. The
        endpoints of one that has not answered since the start are null: ask again."""
        return [_shown(issuer) for issuer in self.issuers.for_pages]


def _shown(issuer: identity.Issuer) -> LogInIssuer:
    settings, endpoints = issuer.settings, issuer.endpoints
    return LogInIssuer(
        settings.name or "",
        settings.issuer,
        settings.client_id or "",
        None if endpoints is None else endpoints.authorization,
        None if endpoints is None else endpoints.token,
        endpoints is not None and endpoints.sends_iss,
    )
