"""The domains, and FAMILIES: the operations that there are. Everything that lists them reads this
table."""

from itertools import chain
from typing import Protocol

from contentsvc.api.health import Health
from contentsvc.api.service import Legal, Service
from contentsvc.app import service
from contentsvc.app.context import Context, Installed
from contentsvc.app.domains import (
    accounts,
    challenges,
    content,
    files,
    moderation,
    notifications,
    progress,
    social,
    studio,
)
from contentsvc.framework.http.operations import Family, mirrored, table


class Domain(Protocol):
    """A domain's module: its families, all of one tag, what that tag is about, and what installs
    all that is its own. A family that the settings turn off is not installed."""

    @property
    def ABOUT(self) -> str: ...
    @property
    def FAMILIES(self) -> tuple[Family, ...]: ...
    def install(self, context: Context) -> Installed: ...


DOMAINS: tuple[Domain, ...] = (
    accounts,
    content,
    files,
    social,
    notifications,
    progress,
    challenges,
    moderation,
    studio,
)
INSTALLS = (service.install, *(domain.install for domain in DOMAINS))
"""What a daemon has."""
FAMILIES = (
    *chain.from_iterable(domain.FAMILIES for domain in DOMAINS),
    Family("service", Health, ""),
    Family("service", Service),
    Family("service", Legal),
)
TAGS = {
    **{domain.FAMILIES[0].tag: domain.ABOUT for domain in DOMAINS},
    "service": "What the service is, and whether it can do its work.",
}
"""The tags of the OpenAPI document: the domains, and what each has."""

OPERATIONS = table(FAMILIES)
PORTAL = table(accounts.PORTAL)
"""Operations for the portal alone, which no document has: they work by cookies."""
MIRRORED = mirrored(OPERATIONS, "/api/v1/user", "/methods/v1/user")
"""The same handlers below a second prefix, which a sample of the specification has
(conventions#versions)."""
