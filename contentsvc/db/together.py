"""Calls that are made in the same turn of the reactor go to the database as one statement.

A statement costs the service and Postgres the same few dozen microseconds each whether it looks
up one row or eight, and a busy service has many clients whose requests arrive side by side. Who
asks alone waits for nobody. Of writes, those that may be repeated can go so, and share a commit.
Those who go together have one fate where the database fails or takes too long, as they might have
had alone.
"""

from collections.abc import Awaitable, Callable

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from contentsvc.db.errors import Unavailable
from contentsvc.db.query import Row, Statement

READS, WRITES = 8, 16
"""Calls that go together: more reads would save little, and leave connections idle. Writes save a
commit each."""

Call = tuple[Row, Deferred[list[Row]]]


class Together:
    """Collects calls of statements that have a form for several; `run` runs one statement."""

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
        self._calls.setdefault(statement, []).append((args, answer))
        return answer

    def _turn_ended(self) -> None:
        asked, self._calls = self._calls, {}
        for statement, calls in asked.items():
            most = WRITES if statement.writes else READS
            for first in range(0, len(calls), most):
                Deferred.fromCoroutine(self._answer(statement, calls[first : first + most]))

    async def _answer(self, statement: Statement, calls: list[Call]) -> None:
        several = statement.together
        if len(calls) == 1 or several is None:
            self._answer_each(statement, calls)
            return
        found: list[list[Row]] = [[] for _ in calls]
        try:
            lists = tuple(list(values) for values in zip(*(args for args, _ in calls), strict=True))
            for row in await self._run(several, several.arguments(lists, {})):
                found[row[0] - 1].append(row[1:])
        except Unavailable as error:
            for _, answer in calls:
                answer.errback(Unavailable(str(error), error.cause))
        except Exception:
            # It is one call's fault; they find out alone which.
            self._answer_each(statement, calls)
        else:
            for (_, answer), rows in zip(calls, found, strict=True):
                answer.callback(rows)

    def _answer_each(self, statement: Statement, calls: list[Call]) -> None:
        for args, answer in calls:
            Deferred.fromCoroutine(self._answer_one(statement, args, answer))

    async def _answer_one(
        self, statement: Statement, args: Row, answer: Deferred[list[Row]]
    ) -> None:
        try:
            rows = await self._run(statement, args)
        except Exception:
            answer.errback()
        else:
            answer.callback(rows)
