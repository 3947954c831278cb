"""The request, as a handler of ours sees it."""

from typing import NamedTuple

from contentsvc.framework.http import call
from contentsvc.roles import MODERATE
from contentsvc.tokens import Caller


class Viewer(NamedTuple):
    """The caller, as far as this decides which content is visible. `user` is a GUID, None without
    a token; `moderate` says whether they have this permission."""

    user: str | None
    moderate: bool


_STRANGER = Viewer(None, False)


class Call(call.Call):
    """One call of an operation."""

    __slots__ = ()

    @property
    def viewer(self) -> Viewer:
        """The caller: which content is visible depends on it."""
        caller = self.caller
        return _STRANGER if caller is None else Viewer(caller.user, MODERATE in caller.permissions)

    @property
    def asked_by(self) -> str | None:
        """The GUID of the log-in with whose portal code the calling one began
        (accounts#portal-codes). None if it began otherwise."""
        return self.caller.asked_by if isinstance(self.caller, Caller) else None

    @property
    def in_game(self) -> bool:
        """Whether the calling log-in began with a portal code: it is somebody's game's, and not
        for what only the account's owner may do on purpose."""
        return self.asked_by is not None
