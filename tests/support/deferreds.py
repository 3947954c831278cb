"""Coroutines that run beside each other."""

from collections.abc import Awaitable
from typing import Any

from twisted.internet.defer import Deferred, DeferredList


async def together(*acts: Awaitable[Any]) -> list[Any]:
    """Their results; all are begun before any is waited for. Where one fails, the others end first:
    what a test leaves behind is the next one's trouble."""
    begun = [Deferred.fromCoroutine(act) for act in acts]
    ended = await DeferredList(begun, consumeErrors=True)
    for passed, result in ended:
        if not passed:
            result.raiseException()
    return [result for _, result in ended]
