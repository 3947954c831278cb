"""Who may call an operation (accounts#authentication, studio#service-accounts). Each route declares
a rule, as the floor."""

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from contentsvc.framework.http.errors import Forbidden, InsufficientScope, Problem, Unauthorized


class Permission(StrEnum):
    """What somebody may do that not everybody may. An operation asks for one, never for a role. An
    application has an enumeration of its own of this class."""

    @property
    def scope(self) -> str | None:
        """The scope of service accounts that opens it; None if they never have it."""
        return str(self)


class Who(Protocol):
    """The caller, as far as permissions go."""

    @property
    def user(self) -> str:
        """The GUID of the user, or of the service account."""

    @property
    def session(self) -> str:
        """The GUID of the log-in that the token belongs to; of a service's, its own."""

    @property
    def role(self) -> str:
        """The role for which the token was issued, or that a service counts as."""

    @property
    def service(self) -> bool:
        """Whether it is a service account, and no user."""

    @property
    def permissions(self) -> frozenset[Permission]:
        """Those of the role, or of the scopes."""

    @property
    def guest(self) -> bool:
        """Whether it was a guest when the token was issued. Since then it may have become a full
        account."""


Check = Callable[[Any], Awaitable[None]]
"""Raises AccountRestricted or TermsRequired if the caller is shut out of something, as this
database says it; None: as one of its own does."""


class Restrictions(Protocol):
    """Who is shut out of what, for one reason."""

    def concerning(self, caller: Who, what: str) -> Check | None:
        """What finds out whether a caller is shut out of this; None where nobody has to ask. It
        reads nothing: it is called for each request of the operations that somebody may be shut out
        of."""


class Rule(NamedTuple):
    """Whether an operation needs a token, and whether it is for every user, for the user of the
    path, and for those who have one of some permissions. `SELF | MODERATE` is for both, and of
    `SIGNED_IN | MODERATE` only a service needs the permission.

    Services are no users: they need one of the permissions, unless it is for every service too. One
    that needs no token is for everybody. `same_origin`: it is for pages of the service's own origin
    alone, and takes no token. `people`: no permission opens it to a service.
    """

    signed_in: bool = True
    owner: bool = False
    permissions: tuple[Permission, ...] = ()
    same_origin: bool = False
    users: bool = False
    services: bool = False
    people: bool = False

    @property
    def name(self) -> str:
        """ANYONE, SIGNED_IN, SELF, MODERATE, SELF|MODERATE and so on."""
        if self.same_origin:
            return "SAME_ORIGIN"
        if not self.signed_in:
            return "ANYONE"
        names = [
            *(["SELF"] if self.owner else []),
            *(["SIGNED_IN"] if self.users else []),
            *(["SERVICE"] if self.services else []),
            *(each.name for each in self.permissions),
        ]
        return "|".join(names)

    @property
    def refuses_users(self) -> bool:
        """Whether it may be forbidden to a user."""
        return self.signed_in and not self.users

    @property
    def needed(self) -> tuple[Permission, ...]:
        """The permissions of which a user needs one, unless it is the user of the path."""
        return () if self.users else self.permissions

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes of service accounts that open it, each alone. None where none is needed, or
        none would do."""
        if self.people:
            return ()
        return tuple(each.scope for each in self.permissions if each.scope is not None)

    def __or__(self, permission: Permission) -> "Rule":
        if self not in {SELF, SIGNED_IN}:
            raise TypeError(f"{self.name} has no permission beside it, only SELF and SIGNED_IN can")
        return self._replace(permissions=(permission,))

    def check(self, who: Who | None, owner: str | None) -> None:
        """`owner` is the user of the path, if it has one. Raises Unauthorized, Forbidden,
        InsufficientScope."""
        if not self.signed_in:
            return
        if who is None:
            raise Unauthorized(headers={"WWW-Authenticate": 'Bearer realm="contentsvc"'})
        barred = self.people and who.service
        if not barred and not who.permissions.isdisjoint(self.permissions):
            return
        if who.service:
            if not self.services:
                raise self._insufficient()
        elif not self.users and not (self.owner and who.user == owner):
            raise Forbidden()

    def _insufficient(self) -> Problem:
        # Where several would do, the last opens the least.
        challenge = 'Bearer realm="contentsvc", error="insufficient_scope"'
        if not self.scopes:
            return InsufficientScope(headers={"WWW-Authenticate": challenge})
        scope = self.scopes[-1]
        return InsufficientScope(
            f"The service account's token needs the scope {scope} for this.",
            headers={"WWW-Authenticate": f'{challenge}, scope="{scope}"'},
            scope=scope,
        )


def people(permission: Permission) -> Rule:
    """For the users who have this permission, and for no service."""
    return Rule(permissions=(permission,), people=True)


ANYONE = Rule(signed_in=False)
SAME_ORIGIN = Rule(signed_in=False, same_origin=True)
SIGNED_IN = Rule(users=True)
"""Every user: not services."""
EVERY_CALLER = Rule(users=True, services=True)
"""Every user and every service."""
SELF = Rule(owner=True)
