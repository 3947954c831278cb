"""Statistics: what happened on each day of UTC (studio#statistics)."""

from datetime import UTC, date, datetime, timedelta
from typing import Final

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.paging import asked_day, check_days
from contentsvc.framework.core.timers import Clock
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.route import route
from contentsvc.roles import EVENTS
from contentsvc.store import daily_totals
from contentsvc.wire.moderation import DayStatistics, StatisticsQuery

_USUAL: Final = timedelta(days=29)
"""Between the first and the last day, where nobody says the first."""


class Statistics(Struct):
    """Numbers of each day. `wall` says which day it is."""

    db: Database
    wall: Clock

    @route("GET", "/statistics", allow=EVENTS)
    async def list_statistics(self, call: Call, query: StatisticsQuery) -> list[DayStatistics]:
        """List the numbers of each day of UTC, from `from` to `to`, at most 366 days
        (studio#statistics). Without `to` it is today, without `from` it is 29 days before `to`."""
        today = datetime.fromtimestamp(self.wall.seconds(), UTC).date()
        last = today if query.last is None else asked_day("to", query.last)
        first = _before(last) if query.first is None else asked_day("from", query.first)
        check_days(first, last)
        return await daily_totals.of_days(self.db, first.isoformat(), last.isoformat())


def _before(last: date) -> date:
    """The usual first day."""
    return date.fromordinal(max(last.toordinal() - _USUAL.days, 1))
