"""The check before an upload (spec §4.1)."""

from contentsvc.client.calls import Calls
from contentsvc.wire.content import Precheck, PrecheckAnswer


class UploadPrecheck:
    """The check before an upload."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def check(self, body: Precheck) -> PrecheckAnswer:
        """List the parts to upload first, and the problems that the next step would have (spec
        §4.1)."""
        path = "/content/upload-precheck"
        return await self._calls.ask(path, body, PrecheckAnswer, operation="checkUpload")
