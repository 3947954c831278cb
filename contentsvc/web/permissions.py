"""Who may call an operation (spec §5). Each route declares a rule, as the floor."""

from collections.abc import Set
from typing import NamedTuple, Protocol

from contentsvc.roles import Permission
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
    def permissions(self) -> Set[Permission]:
        """Those of the role for which the token was issued."""


class Rule(NamedTuple):
    """Whether an operation needs a token, and whether it is for the user of the path, and for those
    who have a permission. `SELF | MODERATE` is for both.

    If it is for neither in particular, it is for everybody, with a token if it needs one.
    """

    signed_in: bool = True
    owner: bool = False
    permission: Permission | None = None

    @property
    def name(self) -> str:
        """ANYONE, SIGNED_IN, SELF, MODERATE, SELF|MODERATE and so on."""
        if not self.signed_in:
            return "ANYONE"
        names = ["SELF"] if self.owner else []
        if self.permission is not None:
            names.append(self.permission.name)
        return "|".join(names) or "SIGNED_IN"

    def __or__(self, permission: Permission) -> "Rule":
        if self != SELF:
            raise TypeError(f"{self.name} has no permission beside it, only SELF can")
        return self._replace(permission=permission)

    def check(self, who: Who | None, owner: str | None) -> None:
        """`owner` is the user of the path, if it has one. Raises Unauthorized or Forbidden."""
        if not self.signed_in:
            return
        if who is None:
            raise Unauthorized(headers={"WWW-Authenticate": 'Bearer realm="contentsvc"'})
        if self.permission is not None and self.permission in who.permissions:
            return
        if self.owner and who.user == owner:
            return
        if self.owner or self.permission is not None:
            raise Forbidden()


ANYONE = Rule(signed_in=False)
SIGNED_IN = Rule()
SELF = Rule(owner=True)
