"""The health of the service; nothing is sent again by itself."""

from contentsvc.client.calls import Calls


class Health:
    """For supervisors."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def live(self) -> None:
        """Returns while the process of the service works."""
        await self._calls.call("GET", "/health/live", repeat=False)

    async def ready(self) -> None:
        """Returns if the service can do its work; ApiError `not_ready` says why it cannot."""
        await self._calls.call("GET", "/health/ready", repeat=False)
