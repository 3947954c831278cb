"""Transfers: files to the service and back (files#files)."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.web.iweb import IAgent

from contentsvc.client.files import Downloads, Files
from contentsvc.client.files.downloading import Downloaded, Downloading, Urls
from contentsvc.client.files.local import LocalFile, Measured, OnProgress, Progress, Stop, measure
from contentsvc.client.files.receiving import Receiver
from contentsvc.client.files.sending import Sender
from contentsvc.client.files.uploading import AT_ONCE, TRIES, Uploading
from contentsvc.framework.core.concurrency import map_bounded
from contentsvc.framework.core.http_proxy import Proxies
from contentsvc.wire.files import ContentFile, FilesQuery
from contentsvc.wire.packages import Platform

_MEASURED_AT_ONCE = 2


def _unseen(progress: Progress) -> None:
    """Ignore the progress."""


class Transfers:
    """Files to the service and back, several at once, in memory that does not depend on their size.

    The URLs of files may lead to another host. The requests to it have no token of the user. After
    a failure or a cancellation, call the same method again: the transfer goes on from there.
    """

    def __init__(
        self,
        reactor: Any,
        files: Files,
        downloads: Downloads,
        agent: IAgent,
        random: Random,
        *,
        tries: int = TRIES,
        proxies: Proxies | None = None,
    ) -> None:
        self._reactor = reactor
        self._files = files
        self._downloads = downloads
        self._random = random
        self._sender = Sender(reactor, self._thread, proxies)
        self._receiver = Receiver(reactor, agent)
        self._tries = tries

    def _thread(self, function: Any, /, *arguments: Any) -> Deferred[Any]:
        pool = self._reactor.getThreadPool()
        return deferToThreadPool(self._reactor, pool, function, *arguments)

    async def measure(self, files: Iterable[LocalFile]) -> list[Measured]:
        """Compute the digests, sizes and paths of files, in a thread. Raises BadFile, FileChanged,
        OSError."""

        async def one(file: LocalFile) -> Measured:
            stop = Stop()
            try:
                measured: Measured = await self._thread(measure, file, stop)
            finally:
                stop.asked = True
            return measured

        return await map_bounded(_MEASURED_AT_ONCE, files, one)

    async def upload(
        self,
        files: Iterable[LocalFile | Measured],
        *,
        progress: OnProgress = _unseen,
        at_once: int = AT_ONCE,
    ) -> list[Measured]:
        """Send files, at most `at_once` at the same time, and verify that the service has them
        (files#sending). Returns the files in the same order, with their digests and their paths on
        the service: now the user can publish with these paths.

        Calls `progress` with each step of each file.

        Raises BadFile, FileChanged, TransferError, OSError; FilesRefused, whose code says why:
        `quota_exceeded`, `file_too_large`, `media_type_not_allowed`, `file_blocked`,
        `storage_unavailable`; SessionEnded, NotSignedIn, Unreachable.
        """
        given = list(files)
        local = [file for file in given if isinstance(file, LocalFile)]
        known = iter(await self.measure(local))
        measured = [next(known) if isinstance(file, LocalFile) else file for file in given]
        uploading = Uploading(
            self._reactor,
            self._thread,
            self._sender,
            self._files.announce,
            self._random,
            progress,
            self._tries,
        )
        await uploading.run(measured, at_once)
        return measured

    async def download(
        self,
        content: str,
        folder: Path,
        *,
        revision: str | None = None,
        platform: Platform | None = None,
        names: Mapping[str, Sequence[str]] | None = None,
        progress: OnProgress = _unseen,
        at_once: int = AT_ONCE,
    ) -> list[Downloaded]:
        """Get the files of a content's current revision, or of `revision` (files#downloads): its
        core entity, its dependencies and its packages, of one `platform` or of all.

        In the folder, a file has the same path as on the service. `names` gives other names by that
        path; then only the files in `names` are downloaded. Each file is there whole, with the
        right digest, or not at all. Files that are there already are not downloaded again. A file
        that the service does not give out, for example because it is blocked, has no names in the
        result.

        Raises ApiError, FilesRefused, Unreachable, WrongBytes, OSError; BadFile if a name leads out
        of the folder.
        """

        query = FilesQuery(platform=platform)

        async def files() -> list[ContentFile]:
            if revision is None:
                return await self._downloads.list_content_files(content, query)
            return await self._downloads.list_revision_files(content, revision, query)

        downloading = Downloading(
            self._reactor,
            self._thread,
            self._receiver,
            Urls(files),
            folder,
            self._random,
            progress,
            self._tries,
        )
        return await downloading.run(names, at_once)
