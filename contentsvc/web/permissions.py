"""Permissions (spec §5). Each route declares one, as the floor of who may call it."""

from typing import Protocol

from contentsvc.web.errors import Forbidden, Unauthorized


class Who(Protocol):
    """The caller, as far as permissions go."""

    @property
    def user(self) -> str:
        """The user's GUID."""

    @property
    def session(self) -> str:
        """The GUID of the log-in that the token belongs to."""

    @property
    def admin(self) -> bool:
        """Whether the token was issued to an admin."""


class Permission:
    """One rule: whether it needs a token, and whether it allows the user of the path, and admins.

    If it allows neither in particular, it allows everybody, with a token if it needs one.
    """

    def __init__(self, name: str, *, signed_in: bool, owner: bool, admin: bool) -> None:
        self.name = name
        self.signed_in = signed_in
        self.owner = owner
        self.admin = admin

    def check(self, who: Who | None, owner: str | None) -> None:
        """`owner` is the user of the path, if it has one. Raises Unauthorized or Forbidden."""
        if not self.signed_in:
            return
        if who is None:
            raise Unauthorized(headers={"WWW-Authenticate": 'Bearer realm="contentsvc"'})
        if self.admin and who.admin:
            return
        if self.owner and who.user == owner:
            return
        if self.owner or self.admin:
            raise Forbidden()

    def __repr__(self) -> str:
        return self.name


ANYONE = Permission("ANYONE", signed_in=False, owner=False, admin=False)
SIGNED_IN = Permission("SIGNED_IN", signed_in=True, owner=False, admin=False)
SELF = Permission("SELF", signed_in=True, owner=True, admin=False)
SELF_OR_ADMIN = Permission("SELF_OR_ADMIN", signed_in=True, owner=True, admin=True)
ADMIN = Permission("ADMIN", signed_in=True, owner=False, admin=True)
