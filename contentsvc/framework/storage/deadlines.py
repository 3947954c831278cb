"""What is asked of a place of files ends in time."""

from collections.abc import Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final, NoReturn, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.core.request_timing import waiting
from contentsvc.framework.storage.bucket import Bucket, StorageUnavailable

T = TypeVar("T")

TIDY: Final = 5.0
"""Seconds for a deletion that somebody waits for, and that need not succeed."""


async def within(
    seconds: float,
    clock: IReactorTime,
    act: Coroutine[Any, Any, T],
    late: str = "the file store has not answered all",
) -> T:
    """The result of `act`, which is cancelled after so long.

    Raises StorageUnavailable if it was: `late`, and in how many seconds. Raises what `act` raises.
    """

    def fail(result: object, seconds: float) -> NoReturn:
        raise StorageUnavailable(f"{late} in {seconds:g} s")

    with waiting("outside", clock):
        return await Deferred.fromCoroutine(act).addTimeout(seconds, clock, fail)


async def delete_until(
    moment: float, clock: IReactorTime, bucket: Bucket, paths: Sequence[str], at_once: int
) -> None:
    """Delete these files, so many at a time. After this moment of the clock nothing is begun, also
    if the process was stopped meanwhile.

    Raises StorageUnavailable: the place has not answered all by then, or fails.
    """
    for start in range(0, len(paths), at_once):
        left = moment - clock.seconds()
        if left <= 0:
            raise StorageUnavailable("there was too little time to delete all")
        await within(left, clock, bucket.delete(paths[start : start + at_once]))


async def tidy(clock: IReactorTime, bucket: Bucket, paths: Sequence[str]) -> None:
    """Delete as many of these files as the place deletes in a few seconds."""
    with suppress(StorageUnavailable):
        await within(TIDY, clock, bucket.delete(paths))
