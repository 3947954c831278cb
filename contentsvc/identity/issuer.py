"""An issuer of the studio's own: its keys, by OpenID Connect Discovery, and its tokens."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from contentsvc.core.clocks import WallClock
from contentsvc.core.concurrency import SingleFlight
from contentsvc.core.timers import Backoff
from contentsvc.identity.fetch import Fetch, FetchError
from contentsvc.identity.keys import ALGORITHMS, Key, Keys
from contentsvc.identity.subject import IdentityUnavailable, InvalidSubjectToken, Subject
from contentsvc.identity.token import ID_TOKEN, JWT, Head, head, verified
from contentsvc.identity.urls import is_plain, is_safe

UNKNOWN_EVERY = 60.0
"""Seconds between two reads of the keys because a token names one that is not known."""
FRESH = 600.0
"""Seconds after which the keys are read again before they are used: what the issuer has withdrawn
ends then."""
FIRST_PAUSE, LAST_PAUSE = 5.0, 60.0
"""Seconds after which keys that could not be read are asked for again; they double."""
FIRST_READ = 1.0
"""The same, as long as there are no keys at all."""
MOST_WAITING = 1000
"""Requests that may wait for the keys of an issuer at a time."""
_WELL_KNOWN = "/.well-known/openid-configuration"

log = Logger()


class IssuerSettings(Struct, frozen=True):
    """A table of the file of issuers. A token is for one of the audiences."""

    issuer: str
    audiences: tuple[str, ...]
    algorithms: tuple[str, ...] = ALGORITHMS


class Issuer:
    """The present keys of one issuer. `clock` is the reactor's, which nobody sets."""

    def __init__(self, clock: IReactorTime, fetch: Fetch, settings: IssuerSettings) -> None:
        self.settings = settings
        self._clock = clock
        self._fetch = fetch
        self._keys: Keys | None = None
        self._away = False
        self._stale = 0.0
        """When the keys must be read again before they are used."""
        self._next = 0.0
        """When they may be read again after a failure."""
        self._next_unknown = 0.0
        self._pauses = Backoff(FIRST_PAUSE, LAST_PAUSE)
        self._reading = SingleFlight(self._read)

    async def keys(self, given: Head) -> list[Key]:
        """The keys that a token may be signed with. Raises InvalidSubjectToken,
        IdentityUnavailable."""
        if given.algorithm not in self.settings.algorithms:
            allowed = ", ".join(self.settings.algorithms)
            raise InvalidSubjectToken(f"The `alg` of the subject_token must be one of {allowed}.")
        found = self._named(given)
        stale = self._keys is None or self._clock.seconds() >= self._stale
        if self._reading.under_way or self._is_due(stale, unknown=not found):
            # Keys that are known serve on while an issuer is away, and nobody waits for it.
            if not found or (stale and not self._away):
                if self._reading.waiting >= MOST_WAITING:
                    raise IdentityUnavailable
                await self._reading.ask()
            else:
                self.begin()
        found = self._named(given)
        if not found:
            away = " They cannot be read at the moment." if self._away else ""
            raise InvalidSubjectToken(
                f"The key of the subject_token is not among its issuer's.{away}", counts=False
            )
        return found

    def _named(self, given: Head) -> list[Key]:
        return [] if self._keys is None else self._keys.named(given.kid, given.algorithm)

    def _is_due(self, stale: bool, *, unknown: bool) -> bool:
        """Whether the keys may be read now, and should be."""
        now = self._clock.seconds()
        if now < self._next:
            return False
        if not stale and unknown and now >= self._next_unknown:
            self._next_unknown = now + UNKNOWN_EVERY
            return True
        return stale

    def begin(self) -> None:
        """Read the keys, if that is not under way. Nobody waits for them."""
        self._reading.begin()

    async def _read(self) -> None:
        try:
            keys = await self._ask()
        except FetchError as error:
            self._failed(str(error))
        except Exception:
            log.failure("Reading the keys of an issuer failed")
        else:
            self._keys, self._away = keys, False
            self._stale = self._clock.seconds() + FRESH
            self._next = 0.0
            self._pauses.reset()

    def _failed(self, reason: str) -> None:
        # Without any keys nobody can log in, so each log-in asks for them.
        pause = FIRST_READ if self._keys is None else self._pauses.next()
        self._next = self._clock.seconds() + pause
        self._next_unknown = 0.0
        if not self._away:
            # Log: tokens of this issuer with new keys are refused. Known keys serve on. The service
            # tries again, after a minute at most. The line comes once, until the keys have been
            # read. Do: look at the issuer, and at the way to it.
            log.warn(
                "Cannot read the keys of the issuer {issuer}: {reason}",
                issuer=self.settings.issuer,
                reason=reason,
            )
        self._away = True

    async def _ask(self) -> Keys:
        """The keys, by discovery (OpenID Connect Discovery §4). Raises FetchError."""
        issuer, end = self.settings.issuer, self._fetch.end()
        document: Any = await self._fetch.json(issuer.removesuffix("/") + _WELL_KNOWN, end=end)
        if not isinstance(document, dict) or document.get("issuer") != issuer:
            raise FetchError("its configuration is that of another issuer")
        url: Any = document.get("jwks_uri")
        # Only an issuer on this machine may send us to this machine without TLS.
        if not is_safe(url) or (is_plain(url) and not is_plain(issuer)):
            raise FetchError("its jwks_uri is not an https URL")
        return Keys.read(await self._fetch.json(url, end=end), self.settings.algorithms)


class Issuers:
    """Verifies the tokens of all issuers."""

    types = (ID_TOKEN, JWT)

    def __init__(self, wall: WallClock, issuers: Sequence[Issuer]) -> None:
        self._wall = wall
        self._issuers = {issuer.settings.issuer: issuer for issuer in issuers}

    def begin(self) -> None:
        """Read all keys for the first time."""
        for issuer in self._issuers.values():
            issuer.begin()

    async def verify(self, token: str, token_type: str) -> Subject:
        """See Verifier. A signature costs the reactor some 0.1 ms."""
        given = head(token, token_type)
        issuer = self._issuers.get(given.issuer)
        if issuer is None:
            raise InvalidSubjectToken("The issuer of the subject_token is not known here.")
        keys = await issuer.keys(given)
        return verified(token, given, keys, issuer.settings.audiences, self._wall.seconds())
