"""Permissions by name, and the one table of which role and which scope has them (studio#roles,
studio#service-accounts)."""

from collections.abc import Mapping
from typing import Final

from contentsvc.framework.http.permissions import Permission as AnyPermission


class Permission(AnyPermission):
    """What somebody may do that not everybody may."""

    CURATE = "curate"
    MODERATE = "moderate"
    ADMINISTER = "administer"
    EVENTS = "events"
    NOTIFY = "notify"
    USERS_READ = "users.read"
    PROGRESS = "progress"
    PLAYS = "plays"

    @property
    def scope(self) -> str | None:
        """The scope of service accounts that opens it. No scope makes one an admin."""
        return None if self is Permission.ADMINISTER else str(self)


CURATE = Permission.CURATE
MODERATE = Permission.MODERATE
ADMINISTER = Permission.ADMINISTER
EVENTS = Permission.EVENTS
NOTIFY = Permission.NOTIFY
USERS_READ = Permission.USERS_READ
PROGRESS = Permission.PROGRESS
PLAYS = Permission.PLAYS

PURPOSES: Mapping[Permission, str] = {
    CURATE: "choose what everybody is shown: featured content, announcements, challenges, entries "
    "and rewards",
    MODERATE: "see what is hidden and withdrawn; decide about reports, content, comments, files "
    "and users, and change their records",
    ADMINISTER: "whatever else is not for everybody, such as changing another's content",
    EVENTS: "read what happened, and statistics",
    NOTIFY: "tell players something in the studio's name",
    USERS_READ: "find users by their address or their identity, and read their accounts",
    PROGRESS: "read and write the progress of every user",
    PLAYS: "report what every user has played",
}
"""What each is for, for the documentation. An operation takes the first that fits."""

PLAYER: Final = "player"
CURATOR: Final = "curator"
MODERATOR: Final = "moderator"
ADMIN: Final = "admin"

ROLES: Mapping[str, frozenset[Permission]] = {
    PLAYER: frozenset(),
    CURATOR: frozenset({CURATE}),
    MODERATOR: frozenset({CURATE, MODERATE}),
    # Another's progress and plays are a program's to write: no user's token opens them.
    ADMIN: frozenset(Permission) - {PROGRESS, PLAYS},
}
"""The permissions of each role, the lowest first."""
_RANKS = [*ROLES]

SCOPES: Mapping[str, frozenset[Permission]] = {
    each.scope: frozenset({each}) for each in Permission if each.scope is not None
}
"""The permissions of each scope of a service account."""


def of_scopes(claim: object) -> frozenset[Permission]:
    """The permissions of the scopes that an access token names, with blanks between them, without
    those that this release does not have."""
    names = claim.split() if isinstance(claim, str) else []
    return frozenset().union(*(SCOPES[name] for name in names if name in SCOPES))


def scopes_of(permissions: frozenset[AnyPermission]) -> list[str]:
    """The scopes that these permissions are of, in the order of the table."""
    return [scope for scope, those in SCOPES.items() if those <= permissions]


def outranks(role: str, other: str) -> bool:
    """Whether the first of two roles is the higher one."""
    return _RANKS.index(role_of(role)) > _RANKS.index(role_of(other))


def role_of(claim: object) -> str:
    """The role that an access token names. A player's token says "user"; so does the name of a role
    that this release does not have."""
    return claim if isinstance(claim, str) and claim in ROLES else PLAYER
