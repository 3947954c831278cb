"""Downloads: the files of a content, verified, under names in a folder."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from twisted.internet.task import deferLater

from contentsvc.client.errors import ApiError, FilesRefused, TlsError, Unreachable, WrongBytes
from contentsvc.client.files.local import OnProgress, Progress, Stop, has, place
from contentsvc.client.files.receiving import Incoming, Receiver
from contentsvc.client.files.sending import Threads
from contentsvc.client.http import (
    FIRST_PAUSE,
    LAST_PAUSE,
    TEMPORARY,
    Response,
    error_of,
    retry_after,
)
from contentsvc.framework.core.concurrency import Bulkhead, map_bounded
from contentsvc.framework.core.timers import Backoff
from contentsvc.framework.storage.paths import digest_of, is_ours
from contentsvc.wire.files import ContentFile

PARTS = ".parts"
"""The subfolder for files that are not complete. It is deleted when it is empty."""
_URL = re.compile(r"https?://[!-~]+\Z")
_AGAIN = TEMPORARY | {408, 500}
_STALE = frozenset({401, 403, 404, 410})
"""Statuses of a URL that may have expired. A new URL may work."""

ListFiles = Callable[[], Awaitable[list[ContentFile]]]


class Downloaded(NamedTuple):
    """A file of a content, with the paths on this machine where it is. `fresh` is False if it was
    on this machine before the download. `names` is empty if the service does not give the file
    out."""

    file: ContentFile
    names: tuple[Path, ...]
    fresh: bool


class Urls:
    """The files of a content with their URLs. Lists them again when a URL has expired."""

    def __init__(self, list_files: ListFiles) -> None:
        self._list = list_files
        self._files: dict[str, ContentFile] = {}
        self._asking = Bulkhead[str](1)

    async def ask(self) -> list[ContentFile]:
        """List the files. Raises ApiError, also `malformed_answer` if a path or a URL has a wrong
        form."""
        files = await self._list()
        for file in files:
            if not is_ours(file.path) or digest_of(file.path) != file.sha256:
                raise ApiError(200, "malformed_answer", f"{file.path} is no path of a file", {})
            if file.url is not None and not _URL.match(file.url):
                raise ApiError(200, "malformed_answer", f"{file.url} is no URL of HTTP", {})
        # One file may be several parts of the content. One URL is enough to get it.
        self._files = {file.path: file for file in sorted(files, key=lambda file: bool(file.url))}
        return list(self._files.values())

    def url(self, path: str) -> str | None:
        """The present URL, None if the file is not given out."""
        file = self._files.get(path)
        return None if file is None else file.url

    async def instead_of(self, path: str, stale: str) -> str | None:
        """A new URL in place of `stale`, or the same URL if there is no other. Calls at the same
        time share one request. None if the file is not given out."""
        if self.url(path) == stale:
            async with self._asking.place(""):
                if self.url(path) == stale:
                    await self.ask()
        return self.url(path)


class Downloading:
    """One download into a folder."""

    def __init__(
        self,
        reactor: Any,
        threads: Threads,
        receiver: Receiver,
        urls: Urls,
        folder: Path,
        random: Random,
        progress: OnProgress,
        tries: int,
    ) -> None:
        self._reactor = reactor
        self._threads = threads
        self._receiver = receiver
        self._urls = urls
        self._folder = folder
        self._random = random
        self._progress = progress
        self._tries = tries

    async def run(
        self, names: Mapping[str, Sequence[str]] | None, at_once: int
    ) -> list[Downloaded]:
        """Get all files of the content; with `names`, only the files whose paths it has."""
        files: Iterable[ContentFile] = await self._urls.ask()
        if names is not None:
            files = [file for file in files if file.path in names]

        def placed(file: ContentFile) -> list[Path]:
            given = (file.path,) if names is None else names[file.path]
            return [place(self._folder, name) for name in dict.fromkeys(given)]

        async def fetch(pair: tuple[ContentFile, list[Path]]) -> Downloaded:
            return await self._fetch(*pair)

        pairs = [(file, await self._threads(placed, file)) for file in files]
        for file, targets in pairs:
            if file.url is not None:
                self._progress(Progress(targets[0], 0, file.size))
        done = await map_bounded(at_once, pairs, fetch)
        await self._threads(self._tidy)
        return done

    def _tidy(self) -> None:
        try:
            (self._folder / PARTS).rmdir()
        except OSError:
            # Another process is using it, or it was never there.
            return

    async def _fetch(self, file: ContentFile, targets: list[Path]) -> Downloaded:
        stop = Stop()
        try:
            missing = [
                target
                for target in targets
                if not await self._threads(has, target, file.sha256, file.size, stop)
            ]
        finally:
            stop.asked = True
        if missing and (self._urls.url(file.path) is None or not await self._get(file, missing)):
            return Downloaded(file, (), False)
        if not missing:
            self._progress(Progress(targets[0], file.size, file.size))
        return Downloaded(file, tuple(targets), bool(missing))

    async def _get(self, file: ContentFile, targets: list[Path]) -> bool:
        """Get one file. Returns whether the service gives it out."""
        part = await self._threads(place, self._folder, f"{PARTS}/{file.sha256}")
        incoming = Incoming(self._threads, part, file.size)
        try:
            await incoming.open()
            for _ in range(2):
                if not await self._receive(file, targets[0], incoming):
                    await incoming.delete()
                    return False
                await incoming.sync()
                stop = Stop()
                try:
                    good = await self._threads(has, incoming.path, file.sha256, file.size, stop)
                finally:
                    stop.asked = True
                if good:
                    await incoming.arrive(targets)
                    self._progress(Progress(targets[0], file.size, file.size))
                    return True
                await incoming.delete()
                await incoming.open()
            await incoming.delete()
            raise WrongBytes(targets[0], f"what came is not the file with the digest {file.sha256}")
        finally:
            await incoming.close()

    async def _receive(self, file: ContentFile, shown: Path, incoming: Incoming) -> bool:
        """Get all bytes, from where an earlier attempt ended. Returns False if the service does not
        give the file out."""
        pauses = Backoff(FIRST_PAUSE, LAST_PAUSE, self._random)
        tries, most = 0, incoming.there
        url = self._urls.url(file.path)

        def came(there: int) -> None:
            # The last byte is reported when the digest is right.
            self._progress(Progress(shown, min(there, file.size - 1), file.size))

        while incoming.there < file.size:
            if url is None:
                return False
            failed: ApiError | Unreachable
            least = 0.0
            try:
                answer = await self._receiver.get(url, incoming, came)
            except TlsError:
                raise
            except Unreachable as error:
                failed = error
            else:
                if answer.status in {200, 206}:
                    continue
                failed = _refusal(answer)
                least = retry_after(answer) or 0.0
                if answer.status == 416:
                    await incoming.restart(None)
                elif answer.status in _STALE:
                    fresh = await self._urls.instead_of(file.path, url)
                    if fresh == url:
                        raise FilesRefused(failed, [shown])
                    url = fresh
                elif answer.status not in _AGAIN:
                    raise FilesRefused(failed, [shown])
            if incoming.there > most:
                most, tries = incoming.there, 0
                pauses.reset()
            tries += 1
            if tries >= self._tries:
                raise FilesRefused(failed, [shown]) if isinstance(failed, ApiError) else failed
            await deferLater(self._reactor, pauses.next(least))
        return True


def _refusal(answer: Response) -> ApiError:
    error = error_of(answer)
    if 300 <= answer.status < 400:
        # A redirect would send the request to a host that the service did not name.
        detail = "the URL of a file redirects, which is not followed"
        return ApiError(answer.status, error.code, detail, error.problem)
    return error
