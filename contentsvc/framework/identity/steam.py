"""Tickets of Steam: a game client gets one with GetAuthTicketForWebApi, and Steam's web API says
whose it is."""

import re
from typing import Final
from urllib.parse import urlencode

import msgspec
from msgspec import Struct
from twisted.logger import Logger

from contentsvc.framework.core.concurrency import Bulkhead
from contentsvc.framework.identity.fetch import Fetch, FetchError
from contentsvc.framework.identity.subject import IdentityUnavailable, InvalidSubjectToken, Subject

TICKET = "urn:contentsvc:token-type:steam-ticket"
"""The type of these tokens, which nobody has registered."""
ISSUER: Final = "steam"
"""The issuer of their accounts. All others are URLs."""
URL = "https://partner.steam-api.com"
MOST_AT_ONCE = 100
_PATH = "/ISteamUserAuth/AuthenticateUserTicket/v1/"
_HEX = re.compile("(?:[0-9A-Fa-f]{2}){1,2560}")
"""A ticket has at most 2,560 bytes."""
_ID = re.compile("[0-9]{1,20}")

log = Logger()


class SteamSettings(Struct, frozen=True):
    """The game, its publisher's key, and the name by which its clients call this service. The text
    of the settings does not show the key."""

    app_id: int
    identity: str
    key: str
    url: str

    def __repr__(self) -> str:
        return f"SteamSettings({self.app_id}, {self.identity!r}, ***, {self.url!r})"


class _Params(Struct):
    result: str
    steamid: str
    publisherbanned: bool = False


class _Response(Struct):
    params: _Params | None = None
    error: dict[str, object] | None = None


class _Answer(Struct):
    response: _Response


class Steam:
    """Verifies tickets of one game."""

    types = (TICKET,)

    def __init__(self, fetch: Fetch, settings: SteamSettings) -> None:
        self._fetch = fetch
        self._settings = settings
        self._places = Bulkhead[str](MOST_AT_ONCE)
        self._away = False

    async def verify(self, token: str, token_type: str) -> Subject:
        """See Verifier. The subject is the SteamID of the player: where a family shares the game,
        not that of its owner."""
        if not _HEX.fullmatch(token):
            raise InvalidSubjectToken("The subject_token is not a ticket in hexadecimal.")
        if not self._places.enter(""):
            raise IdentityUnavailable
        try:
            answer = await self._ask(token)
        finally:
            self._places.leave("")
        if answer.params is None or answer.params.result != "OK":
            raise InvalidSubjectToken("Steam does not take this ticket.")
        if answer.params.publisherbanned:
            raise InvalidSubjectToken("The game's publisher has banned this Steam account.")
        return Subject(ISSUER, answer.params.steamid, None)

    async def _ask(self, ticket: str) -> _Response:
        """What Steam says of this ticket. Raises IdentityUnavailable."""
        settings = self._settings
        query = {"appid": settings.app_id, "ticket": ticket, "identity": settings.identity}
        try:
            # In a header: URLs may be logged on the way.
            found = await self._fetch.json(
                f"{settings.url}{_PATH}?{urlencode(query)}", {"x-webapi-key": settings.key}
            )
            answer = msgspec.convert(found, _Answer).response
            if answer.params is None and answer.error is None:
                raise FetchError("the answer says nothing")
            if answer.params is not None and not _ID.fullmatch(answer.params.steamid):
                raise FetchError("the answer has no SteamID")
        except (FetchError, msgspec.ValidationError) as error:
            if not self._away:
                # Log: log-ins with Steam get 503. The line comes once, until one succeeds. Do: with
                # `the answer is 403`, look at the key; else wait for Steam.
                log.warn("Cannot verify Steam tickets: {reason}", reason=str(error))
            self._away = True
            raise IdentityUnavailable from None
        self._away = False
        return answer
