"""What a job asks of a store ends in time."""

from collections.abc import Coroutine
from typing import Any, TypeVar

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.interfaces import IReactorTime

from contentsvc.bucket.bucket import StorageUnavailable

T = TypeVar("T")


async def within(seconds: float, clock: IReactorTime, act: Coroutine[Any, Any, T]) -> T:
    """The result of `act`, which is cancelled after so long.

    Raises StorageUnavailable if it was, and what `act` raises.
    """
    try:
        return await Deferred.fromCoroutine(act).addTimeout(seconds, clock)
    except TimeoutError:
        raise StorageUnavailable(f"the file store has not answered for {seconds:g} s") from None
