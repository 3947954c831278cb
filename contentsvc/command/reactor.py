"""Commands that need a reactor."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall, react

from contentsvc.framework.core.timers import run_monotonic
from contentsvc.framework.db.database import Database

T = TypeVar("T")

POOL = 4
"""Database connections."""
TIMEOUT = 60.0
"""Seconds for a statement."""
AGAIN = 1.0
"""Seconds until what was interrupted is cancelled again."""


def on_reactor(act: Callable[[Any], Awaitable[T]]) -> T:
    """The result of `act`, which is called with the reactor. Raises what it raises, and
    KeyboardInterrupt if a signal ends it: then it is cancelled first."""
    ended: list[T | Exception] = []
    interrupted = False

    async def end(reactor: Any) -> None:
        try:
            ended.append(await act(reactor))
        except Exception as error:
            ended.append(error)

    def main(reactor: Any) -> Deferred[None]:
        run_monotonic(reactor)
        acting = Deferred.fromCoroutine(end(reactor))

        def stop() -> Deferred[None]:
            nonlocal interrupted
            interrupted = not ended
            # Again and again: what was taken for a lost connection goes on.
            again = LoopingCall(acting.cancel)
            again.clock = reactor
            again.start(AGAIN)
            return acting.addBoth(lambda _: again.stop())

        reactor.addSystemEventTrigger("before", "shutdown", stop)
        return acting

    with suppress(SystemExit):
        react(main)
    if interrupted:
        raise KeyboardInterrupt
    (result,) = ended
    if isinstance(result, Exception):
        raise result
    return result


def on_database(dsn: str, act: Callable[[Any, Database], Awaitable[T]]) -> T:
    """The result of `act`, which is called with the reactor and the database. Raises as
    `on_reactor`."""

    async def run(reactor: Any) -> T:
        db = Database(reactor, dsn, size=POOL, statement_timeout=TIMEOUT)
        try:
            await db.start()
            return await act(reactor, db)
        finally:
            db.stop()

    return on_reactor(run)
