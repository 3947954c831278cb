"""The health of the service. The client does not repeat these requests."""

from contentsvc.client.calls import Calls


class Health:
    """Health checks."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def check_liveness(self) -> None:
        """Returns if the process of the service answers."""
        await self._calls.call("GET", "/health/live", repeat=False)

    async def check_readiness(self) -> None:
        """Returns if the service can do its work, or can at least be read. Raises ApiError
        `not_ready`, with the reasons, if it cannot."""
        await self._calls.call("GET", "/health/ready", repeat=False)
