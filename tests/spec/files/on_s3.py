"""The same cases on an S3 store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tests.spec.files.support import File
from tests.support import stores


class OnS3:
    """Mix in before a FilesCase: a daemon of two workers whose files lie in a store."""

    backend = "s3"
    settings: ClassVar[Mapping[str, str]]
    store: stores.Store

    async def connect(self) -> None:
        """A daemon with the settings of the case."""
        self.own_daemon()  # type: ignore[attr-defined]
        service, self.store = await stores.served(self.settings)
        self.use(service)  # type: ignore[attr-defined]

    def lose(self, file: File) -> None:
        """Delete the object behind the service's back."""
        answer = self.store.ask("DELETE", self.store.path(file.path))
        assert answer.status in (200, 204), answer
