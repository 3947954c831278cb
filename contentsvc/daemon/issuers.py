"""Those whose tokens a daemon takes, by its settings."""

from typing import Any

from contentsvc.config import Settings
from contentsvc.core.clocks import WallClock
from contentsvc.identity import file
from contentsvc.identity.fetch import Fetch
from contentsvc.identity.issuer import Issuer, Issuers
from contentsvc.identity.steam import Steam
from contentsvc.identity.subject import Verifier, Verifiers


def open_verifiers(settings: Settings, reactor: Any, wall: WallClock, fetch: Fetch) -> Verifiers:
    """The verifiers that the file of issuers names. They begin to read the keys of the issuers, and
    nobody waits for that: a daemon starts without them. Raises FileError."""
    if settings.issuers is None:
        return Verifiers()
    sources = file.read(settings.issuers)
    issuers = Issuers(wall, [Issuer(reactor, fetch, each) for each in sources.issuers])
    issuers.begin()
    verifiers: list[Verifier] = [issuers] if sources.issuers else []
    if sources.steam is not None:
        verifiers.append(Steam(fetch, sources.steam))
    return Verifiers(verifiers)
