"""Sends the reads of one reactor turn to the database as one statement.

A statement costs the service and Postgres the same few dozen microseconds, whether it looks up one
row or eight. A busy service has many clients, whose requests arrive side by side. A lone call does
not wait for others. If the database fails or takes too long, all calls of one statement fail
together, as they might have failed alone. Writes go through contentsvc.db.write_batches.
"""

from collections.abc import Awaitable, Callable

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from contentsvc.core.request_timing import CURRENT, RequestTiming, Sharing
from contentsvc.db.errors import Unavailable
from contentsvc.db.statement import Row, Statement, parted

MOST = 8
"""The most calls in one statement. More would save little, and leave connections idle."""

Call = tuple[Row, Deferred[list[Row]], RequestTiming | None]


class Together:
    """Collects the calls of statements that have a form for several. `run` runs one statement."""

    def __init__(
        self, reactor: IReactorTime, run: Callable[[Statement, Row], Awaitable[list[Row]]]
    ) -> None:
        self._reactor = reactor
        self._run = run
        self._calls: dict[Statement, list[Call]] = {}

    def rows(self, statement: Statement, args: Row) -> Deferred[list[Row]]:
        """The rows of one call."""
        if not self._calls:
            self._reactor.callLater(0, self._turn_ended)
        answer: Deferred[list[Row]] = Deferred()
        self._calls.setdefault(statement, []).append((args, answer, CURRENT.get()))
        return answer

    def _turn_ended(self) -> None:
        asked, self._calls = self._calls, {}
        for statement, calls in asked.items():
            for first in range(0, len(calls), MOST):
                Deferred.fromCoroutine(self._answer(statement, calls[first : first + MOST]))

    async def _answer(self, statement: Statement, calls: list[Call]) -> None:
        several = statement.together
        if len(calls) == 1 or several is None:
            self._answer_each(statement, calls)
            return
        try:
            with Sharing([spent for _, _, spent in calls]):
                rows = await self._run(several, several.several([call[0] for call in calls]))
        except Unavailable as error:
            for _, answer, _ in calls:
                answer.errback(Unavailable(str(error), error.cause))
        except Exception:
            # One call is at fault. Each runs alone, which shows the one.
            self._answer_each(statement, calls)
        else:
            for (_, answer, _), found in zip(calls, parted(rows, len(calls)), strict=True):
                answer.callback(found)

    def _answer_each(self, statement: Statement, calls: list[Call]) -> None:
        for args, answer, spent in calls:
            Deferred.fromCoroutine(self._answer_one(statement, args, answer, spent))

    async def _answer_one(
        self,
        statement: Statement,
        args: Row,
        answer: Deferred[list[Row]],
        spent: RequestTiming | None,
    ) -> None:
        CURRENT.set(spent)
        try:
            rows = await self._run(statement, args)
        except Exception:
            answer.errback()
        else:
            answer.callback(rows)
