"""How many requests a service account may make (studio#service-accounts)."""

from math import ceil
from typing import Final

from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.http.errors import TooManyRequests

_MINUTE: Final = 60


class ServiceLimit:
    """Counts the requests of each service account, in this process: at most `per_minute` in a
    minute, which begins with the first of them. 0 means no limit."""

    def __init__(self, clock: IReactorTime, per_minute: int) -> None:
        self._clock = clock
        self._most = per_minute
        self._minutes: dict[str, tuple[float, int]] = {}
        """The end of each account's minute, and the requests in it."""

    def count(self, account: str) -> None:
        """Count a request. Raises TooManyRequests, where it was one too many."""
        if not self._most:
            return
        now = self._clock.seconds()
        end, made = self._minutes.get(account, (now, 0))
        if end <= now:
            end, made = now + _MINUTE, 0
        if made >= self._most:
            raise TooManyRequests(headers={"Retry-After": str(max(ceil(end - now), 1))})
        self._minutes[account] = end, made + 1
