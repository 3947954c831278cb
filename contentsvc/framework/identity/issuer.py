"""An issuer of the studio's own: its keys, by OpenID Connect Discovery, and its tokens."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from contentsvc.framework.core.concurrency import SingleFlight
from contentsvc.framework.core.timers import Backoff, WallClock
from contentsvc.framework.identity.fetch import Fetch, FetchError, is_plain, is_safe
from contentsvc.framework.identity.keys import ALGORITHMS, Key, Keys
from contentsvc.framework.identity.subject import IdentityUnavailable, InvalidSubjectToken, Subject
from contentsvc.framework.identity.token import ID_TOKEN, JWT, Head, head, verified

UNKNOWN_EVERY = 60.0
"""Seconds between two reads of the keys because a token names one that is not known."""
FRESH = 600.0
"""Seconds after which the keys are read again before they are used: a key that the
issuer has withdrawn ends then."""
FIRST_PAUSE, LAST_PAUSE = 5.0, 60.0
"""Seconds after which keys that could not be read are asked for again; they double."""
FIRST_READ = 1.0
"""The same, as long as there are no keys at all."""
MOST_WAITING = 1000
"""Requests that may wait for the keys of an issuer at a time."""
_WELL_KNOWN = "/.well-known/openid-configuration"

log = Logger()


class IssuerSettings(Struct, frozen=True):
    """A table of the file of issuers. A token is for one of the audiences. Pages log in with an
    issuer that has a `name`, which people see, and the `client_id` of the pages."""

    issuer: str
    audiences: tuple[str, ...]
    algorithms: tuple[str, ...] = ALGORITHMS
    name: str | None = None
    client_id: str | None = None

    @property
    def for_pages(self) -> bool:
        """Whether pages log in with it."""
        return self.name is not None and self.client_id is not None


class Endpoints(NamedTuple):
    """Where an issuer has people log in, and gives a token for the code that comes of it (OpenID
    Connect Discovery §3). `sends_iss`: it says in its answers who it is (RFC 9207)."""

    authorization: str
    token: str
    sends_iss: bool


class Issuer:
    """The present keys of one issuer, and where people log in. `clock` is the reactor's, which
    is never set back."""

    def __init__(self, clock: IReactorTime, fetch: Fetch, settings: IssuerSettings) -> None:
        self.settings = settings
        self._clock = clock
        self._fetch = fetch
        self._keys: Keys | None = None
        self._endpoints: Endpoints | None = None
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
        found, stale = self._named(given), self._is_stale
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

    @property
    def endpoints(self) -> Endpoints | None:
        """The known keys. If they are old they are read again, without a wait for it."""
        if self._is_due(self._is_stale, unknown=False):
            self.begin()
        return self._endpoints

    async def known(self) -> None:
        """Wait until the endpoints are known, or cannot be read."""
        is_read = self.endpoints is None and self._reading.under_way
        if is_read and self._reading.waiting < MOST_WAITING:
            await self._reading.ask()

    @property
    def _is_stale(self) -> bool:
        return self._keys is None or self._clock.seconds() >= self._stale

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
        """Begin to read the keys, if that is not under way."""
        self._reading.begin()

    async def _read(self) -> None:
        try:
            keys, endpoints = await self._ask()
        except FetchError as error:
            self._failed(str(error))
        except Exception:
            log.failure("Reading the keys of an issuer failed")
        else:
            self._keys, self._endpoints, self._away = keys, endpoints, False
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

    async def _ask(self) -> tuple[Keys, Endpoints | None]:
        """The keys and the endpoints, by discovery (OpenID Connect Discovery §4). Raises
        FetchError."""
        issuer, end = self.settings.issuer, self._fetch.end()
        document: Any = await self._fetch.json(issuer.removesuffix("/") + _WELL_KNOWN, end=end)
        if not isinstance(document, dict) or document.get("issuer") != issuer:
            raise FetchError("its configuration is that of another issuer")
        url: Any = document.get("jwks_uri")
        if not self._may_name(url):
            raise FetchError("its jwks_uri is not an https URL")
        keys = Keys.read(await self._fetch.json(url, end=end), self.settings.algorithms)
        return keys, self._endpoints_in(document) if self.settings.for_pages else None

    def _endpoints_in(self, document: dict[str, Any]) -> Endpoints | None:
        """Those of its configuration; None if they cannot be used."""
        urls = [document.get(f"{name}_endpoint") for name in ("authorization", "token")]
        if not all(map(self._may_name, urls)):
            # Log: pages cannot log in with this issuer, whose configuration has no
            # authorization_endpoint or token_endpoint with https. Its tokens are taken. Do: look at
            # the issuer, or take its name out of the file.
            log.warn("The issuer {issuer} has no log-in for pages", issuer=self.settings.issuer)
            return None
        sends_iss = document.get("authorization_response_iss_parameter_supported") is True
        return Endpoints(str(urls[0]), str(urls[1]), sends_iss)

    def _may_name(self, url: Any) -> bool:
        """Whether this is a URL that its configuration may have."""
        # Only an issuer on this machine may send us to this machine without TLS.
        return is_safe(url) and (not is_plain(url) or is_plain(self.settings.issuer))


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

    @property
    def for_pages(self) -> Iterator[Issuer]:
        """Those with which pages log in."""
        return (issuer for issuer in self._issuers.values() if issuer.settings.for_pages)

    def token_endpoints(self) -> list[str]:
        """Where pages bring the codes of log-ins, as far as that is known."""
        known = [issuer.endpoints for issuer in self.for_pages]
        return [endpoints.token for endpoints in known if endpoints is not None]

    async def known(self) -> None:
        """Wait until the endpoints of all for pages are known, or cannot be read."""
        await gatherResults([Deferred.fromCoroutine(each.known()) for each in self.for_pages])

    async def verify(self, token: str, token_type: str) -> Subject:
        """See Verifier. A signature costs the reactor some 0.1 ms."""
        given = head(token, token_type)
        issuer = self._issuers.get(given.issuer)
        if issuer is None:
            raise InvalidSubjectToken("The issuer of the subject_token is not known here.")
        keys = await issuer.keys(given)
        return verified(token, given, keys, issuer.settings.audiences, self._wall.seconds())
