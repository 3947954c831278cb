"""Uploads: announce files, send the missing ones, and have the service check them
(files#announcing)."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from twisted.internet.task import deferLater

from contentsvc.client.errors import (
    ApiError,
    FileChanged,
    FilesRefused,
    TlsError,
    TransferError,
    Unreachable,
)
from contentsvc.client.files.local import ONCE_QUIET, Measured, OnProgress, Progress, stamp_of
from contentsvc.client.files.sending import Sender, Threads
from contentsvc.client.http import (
    FIRST_PAUSE,
    LAST_PAUSE,
    TEMPORARY,
    Response,
    error_of,
    retry_after,
)
from contentsvc.framework.core.concurrency import map_bounded
from contentsvc.framework.core.timers import Backoff
from contentsvc.wire.files import (
    CONTENT_USES,
    AnnouncedFile,
    Upload,
    UploadedFile,
    UploadsAnswer,
    UploadsBody,
)

AT_ONCE = 4
"""Files that are sent or received at the same time."""
TRIES = 10
"""Attempts without progress after which a transfer fails: 28 s, with the pauses between them."""
_MOST_ANNOUNCED = 1000
_FRESH = 45 * 60.0
"""Seconds for which the client uses upload URLs. They are good for an hour."""
_AGAIN = TEMPORARY | {408, 409, 500}
_STALE = frozenset({400, 403})
"""Statuses of a URL that may have expired. A new URL may work."""
_MOST_SENT = 3
"""How often the client sends a file that the service does not find afterwards."""

Announce = Callable[[UploadsBody], Awaitable[UploadsAnswer]]


class Uploading:
    """One upload of some files."""

    def __init__(
        self,
        reactor: Any,
        threads: Threads,
        sender: Sender,
        announce: Announce,
        random: Random,
        progress: OnProgress,
        tries: int,
    ) -> None:
        self._reactor = reactor
        self._threads = threads
        self._sender = sender
        self._announce = announce
        self._random = random
        self._progress = progress
        self._tries = tries

    async def run(self, files: Iterable[Measured], at_once: int) -> None:
        """Send the files until the last call of /uploads says that all are there."""
        wanted = {file.path: file for file in files}
        sent = dict.fromkeys(wanted, 0)
        refused_before = False
        while True:
            asked = self._reactor.seconds()
            missing = await self._missing(list(wanted.values()))
            if not missing:
                return
            for file, _ in missing:
                self._progress(Progress(file.file, 0, file.size))
            lost = [file for file, _ in missing if sent[file.path] >= _MOST_SENT]
            if lost:
                raise TransferError(lost[0].file, "it was sent, and the service does not have it")

            async def send(pair: tuple[Measured, Upload], asked: float = asked) -> Response | None:
                file, upload = pair
                if self._reactor.seconds() - asked > _FRESH:
                    return None
                refused = await self._send(file, upload)
                sent[file.path] += refused is None
                return refused

            answers = await map_bounded(at_once, missing, send)
            refusals = [answer for answer in answers if answer is not None]
            refused = len(refusals) == len(missing)
            if refused and refused_before:
                # Not expired, as after a computer sleeps: these URLs were new.
                raise FilesRefused(error_of(refusals[0]), [missing[0][0].file])
            refused_before = refused

    async def _missing(self, files: Sequence[Measured]) -> list[tuple[Measured, Upload]]:
        missing: list[tuple[Measured, Upload]] = []
        for first in range(0, len(files), _MOST_ANNOUNCED):
            some = files[first : first + _MOST_ANNOUNCED]
            try:
                answers = await self._announced(some)
            except FilesRefused as error:
                if missing and error.code == "quota_exceeded":
                    # The quota of announced files is full: send some first.
                    return missing
                raise
            for file, answer in zip(some, answers, strict=True):
                if answer.upload is not None:
                    missing.append((file, answer.upload))
                else:
                    self._progress(Progress(file.file, file.size, file.size))
        return missing

    async def _announced(self, files: Sequence[Measured]) -> Sequence[UploadedFile]:
        try:
            answer = await self._announce(UploadsBody(files=[_announced(file) for file in files]))
        except ApiError as error:
            raise FilesRefused(error, _concerned(error, files)) from None
        if [each.path for each in answer.files] != [file.path for file in files]:
            raise ApiError(200, "malformed_answer", "these are not the announced files", {})
        return answer.files

    async def _send(self, file: Measured, upload: Upload) -> Response | None:
        """Send a file. Returns the answer if it was refused and a new URL may help, else None."""
        pauses = Backoff(FIRST_PAUSE, LAST_PAUSE, self._random)
        for tries in range(1, self._tries + 1):
            await self._check(file)
            again: ApiError | Unreachable
            least = 0.0
            try:
                answer = await self._sender.put(
                    upload.url,
                    upload.headers,
                    file.file,
                    file.size,
                    self._reporter(file),
                    file.parts,
                )
            except TlsError:
                raise
            except Unreachable as error:
                again = error
            except ValueError as error:
                raise ApiError(200, "malformed_answer", str(error), {}) from None
            else:
                if answer.status < 300:
                    self._progress(Progress(file.file, file.size, file.size))
                    return None
                again = error_of(answer)
                least = retry_after(answer) or 0.0
                if answer.status not in _AGAIN:
                    await self._check(file)
                    if answer.status in _STALE and again.code != "file_blocked":
                        return answer
                    raise FilesRefused(again, [file.file])
            if tries < self._tries:
                await deferLater(self._reactor, pauses.next(least))
        raise FilesRefused(again, [file.file]) if isinstance(again, ApiError) else again

    async def _check(self, file: Measured) -> None:
        """Raises FileChanged if the file has changed: the service would refuse the bytes."""
        if stamp_of(await self._threads(file.file.stat)) != file.stamp:
            reason = "it has changed since its digest was computed"
            raise FileChanged(file.file, f"{reason}; {ONCE_QUIET}")

    def _reporter(self, file: Measured) -> Callable[[int], object]:
        # The last byte is reported when the answer has come.
        return lambda sent: self._progress(Progress(file.file, min(sent, file.size - 1), file.size))


def _announced(file: Measured) -> AnnouncedFile:
    announced = AnnouncedFile(use=file.use, sha256=file.sha256, size=file.size)
    if file.use not in CONTENT_USES:
        announced.media_type = file.media_type
    return announced


def _concerned(error: ApiError, files: Sequence[Measured]) -> list[Path]:
    """The files at which the error points, as in /files/3/size; all if it points at none."""
    pointers = [each.get("pointer", "") for each in error.problem.get("errors", [])]
    numbers = [words[2] for words in (str(p).split("/") for p in pointers) if len(words) > 2]
    found = [files[int(n)].file for n in numbers if n.isdigit() and int(n) < len(files)]
    return list(dict.fromkeys(found)) or [file.file for file in files]
