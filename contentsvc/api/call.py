"""The request, as a handler of ours sees it."""

from typing import NamedTuple

from contentsvc.framework.http import call
from contentsvc.roles import MODERATE


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
