"""The same cases on an S3 store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tests.spec.files import File
from tests.support import daemon, stores
from tests.support.daemon import Daemon

_stores: dict[str, stores.Store] = {}


class OnS3:
    """Mix in before a FilesCase: a daemon of two workers whose files lie in a store."""

    backend = "s3"
    settings: ClassVar[Mapping[str, str]]
    store: stores.Store

    async def connect(self) -> None:
        """A daemon with the settings of the case."""
        self.own_daemon()  # type: ignore[attr-defined]
        name = " ".join(["s3", *(f"{key}={value}" for key, value in sorted(self.settings.items()))])
        if name not in _stores:
            _stores[name] = stores.new()
        self.store = _stores[name]
        environ = {**self.store.environ, **self.settings}
        service = await daemon.shared(name, lambda: Daemon("--workers", "2", environ=environ))
        self.use(service)  # type: ignore[attr-defined]

    def lose(self, file: File) -> None:
        """Delete the object behind the service's back."""
        answer = self.store.ask("DELETE", self.store.path(file.path))
        assert answer.status in (200, 204), answer
