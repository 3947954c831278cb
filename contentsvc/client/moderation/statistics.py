"""What happened on each day (studio §5)."""

from contentsvc.client.calls import Calls
from contentsvc.wire.statistics import DayStatistics, StatisticsQuery


class Statistics:
    """Numbers of each day of UTC. They are for admins."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def list(self, query: StatisticsQuery | None = None) -> list[DayStatistics]:
        """List the numbers of each day from the first to the last, at most 366."""
        return await self._calls.get("/statistics", list[DayStatistics], query)
