"""Permissions by name, and the one table of who has them."""

from collections.abc import Mapping
from enum import StrEnum


class Permission(StrEnum):
    """What somebody may do that not everybody may. An operation asks for one, never for a role."""

    CURATE = "curate"
    MODERATE = "moderate"
    ADMINISTER = "administer"


CURATE = Permission.CURATE
MODERATE = Permission.MODERATE
ADMINISTER = Permission.ADMINISTER

PURPOSES: Mapping[Permission, str] = {
    CURATE: "choose what everybody is shown: featured content, challenges, entries and rewards",
    MODERATE: "see what is hidden and withdrawn; decide about reports, content, comments, files "
    "and users, and change their records",
    ADMINISTER: "whatever else is not for everybody, such as changing another's content",
}
"""What each is for, for the documentation. An operation takes the first that fits."""

ROLES: Mapping[str, frozenset[Permission]] = {
    "user": frozenset(),
    "admin": frozenset(Permission),
}
"""The permissions of each role, by its name in an access token."""


def permissions_of(role: object) -> frozenset[Permission]:
    """The permissions of a token's role: none if there is no such role."""
    return ROLES.get(role, frozenset()) if isinstance(role, str) else frozenset()
