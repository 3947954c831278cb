"""The domains, and FAMILIES: the operations that there are. Everything that lists them reads this
table."""

from itertools import chain
from typing import Protocol

from contentsvc.api.accounts import families as accounts
from contentsvc.api.challenges import families as challenges
from contentsvc.api.content import families as content
from contentsvc.api.context import Context
from contentsvc.api.events import families as events
from contentsvc.api.files import families as files
from contentsvc.api.health import Health
from contentsvc.api.moderation import families as moderation
from contentsvc.api.notifications import families as notifications
from contentsvc.api.progress import families as progress
from contentsvc.api.social import families as social
from contentsvc.framework.http.operations import Family, mirrored, table


class Domain(Protocol):
    """A domain's module: its families, all of one tag, what that tag is about, and what makes the
    objects that serve them. A family that the settings turn off is not made."""

    @property
    def ABOUT(self) -> str: ...
    @property
    def FAMILIES(self) -> tuple[Family, ...]: ...
    def install(self, context: Context) -> list[object]: ...


DOMAINS: tuple[Domain, ...] = (
    accounts,
    content,
    files,
    social,
    notifications,
    progress,
    challenges,
    moderation,
    events,
)
FAMILIES = (
    *chain.from_iterable(domain.FAMILIES for domain in DOMAINS),
    Family("service", Health, ""),
)
TAGS = {
    **{domain.FAMILIES[0].tag: domain.ABOUT for domain in DOMAINS},
    "service": "Whether the service can do its work.",
}
"""What clients find operations by: the domains, and what each has."""

OPERATIONS = table(FAMILIES)
PORTAL = table(accounts.PORTAL)
"""What is for the pages of the portal alone, and in no document: it works by cookies."""
MIRRORED = mirrored(OPERATIONS, "/api/v1/user", "/methods/v1/user")
"""The same handlers below a second prefix, which a sample of the specification has (spec §9)."""
