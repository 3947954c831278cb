"""Names that only the operator's command gives: players would take who has them for staff."""

from collections.abc import Iterable
from typing import Final

_LEFT_OUT: Final = str.maketrans("", "", "_.-")


class ReservedNames:
    """The names that nobody chooses, whatever the case, and with whatever of `_`, `.` and `-` in
    them."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(map(_plain, names))

    def __contains__(self, name: str) -> bool:
        return _plain(name) in self._names


def _plain(name: str) -> str:
    return name.lower().translate(_LEFT_OUT)


NO_NAMES: Final = ReservedNames(())
