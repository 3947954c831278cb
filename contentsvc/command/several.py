"""Several things at once, of a list that may be long."""

from collections.abc import Awaitable, Callable

from twisted.internet.defer import Deferred, DeferredSemaphore


class Several:
    """Runs up to `most` at once. After one has failed, no more begin."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._slots = DeferredSemaphore(most)
        self._error: Exception | None = None

    async def begin(self, act: Callable[[], Awaitable[None]]) -> None:
        """Begin one more, when there is room for it. Raises what one has raised."""
        await self._slots.acquire()
        if self._error is not None:
            self._slots.release()
            raise self._error
        Deferred.fromCoroutine(self._run(act))

    async def end(self) -> None:
        """Wait for all. Raises what the first that failed has raised."""
        for _ in range(self._most):
            await self._slots.acquire()
        for _ in range(self._most):
            self._slots.release()
        if self._error is not None:
            raise self._error

    async def _run(self, act: Callable[[], Awaitable[None]]) -> None:
        try:
            await act()
        except Exception as error:
            self._error = self._error or error
        finally:
            self._slots.release()
