"""`contentsvc sync`: a folder has the user's library, and nothing else of it."""

from collections.abc import Callable
from json import dumps
from pathlib import Path
from typing import Any, NamedTuple

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.task import deferLater

from contentsvc.client import Change, Client, Downloaded, Library, Subscription
from contentsvc.client.errors import (
    ApiError,
    BadFile,
    FilesRefused,
    SessionEnded,
    Unreachable,
    WrongBytes,
)
from contentsvc.client.files.local import room_of
from contentsvc.client.http import TEMPORARY
from contentsvc.command import content_commands, fetch
from contentsvc.command.content_commands import Bar, agree, blocking, words
from contentsvc.command.synced_folder import FULL, SyncedFolder
from contentsvc.command.terminal import CommandError, say, say_error, size, some
from contentsvc.command.watch import SignIn
from contentsvc.framework.core.timers import cancel
from contentsvc.framework.storage.paths import digest_of, is_ours
from contentsvc.wire.files import FilesQuery
from contentsvc.wire.packages import Platform

AGAIN = 60.0
"""Seconds until what could not be done is tried again, with --watch."""
_INTERRUPTED = 130
_OF_ONE = (403, 404, 409, 410)
"""Statuses that say something of one content, and nothing of the others."""


class Has(NamedTuple):
    """What the device has, for the revisions that fit it, and the most bytes that a content may
    need; None if somebody is to be asked."""

    game: str | None = None
    platform: Platform | None = None
    features: str | None = None
    most: int | None = None


def sync(root: Path, url: str, sign_in: SignIn, has: Has, *, watch: bool) -> int:
    """Bring the user's library into the folder; with `watch` until it is interrupted. The exit
    status: 0 if all is there, 1 if not. Raises CommandError, OSError."""
    folder = SyncedFolder(root, has.platform)

    async def run(client: Client, reactor: Any) -> int:
        return await _Syncing(reactor, client, folder, has).run(watch=watch)

    try:
        with folder.locked():
            status = content_commands.run(url, sign_in, run)
    except OSError as error:
        raise _in_words(error) from None
    return 0 if watch and status == _INTERRUPTED else status


class _Syncing:
    """One run of the command."""

    def __init__(self, reactor: Any, client: Client, folder: SyncedFolder, has: Has) -> None:
        self._reactor = reactor
        self._client = client
        self._folder = folder
        self._has = has
        self._troubles: dict[str, str] = {}
        self._said = ""
        self._watched = False

    async def run(self, *, watch: bool) -> int:
        """The exit status. Raises CommandError, OSError and the client's errors."""
        # A user who lets it watch may be away when something large comes.
        self._watched = watch
        try:
            return await self._run(watch)
        except OSError as error:
            raise _in_words(error) from None

    async def _run(self, watch: bool) -> int:
        self._folder.belongs_to(self._client.user)
        library = self._library()
        library.forget(*await self._blocking(self._folder.broken, library.have))
        self._say_notes()
        await self._blocking(self._folder.write_names)
        await self._follow(library)
        if not self._troubles:
            await self._blocking(self._folder.tidy)
            say(f"{self._folder.root} has the library: {some(len(library.have), 'content')}.")
        if not watch:
            return 1 if self._troubles else 0
        await self._watch()
        return 0

    def _library(self, live: Subscription | None = None) -> Library:
        features = self._has.features
        return self._client.library(
            self._folder.library,
            game=self._has.game,
            platform=self._has.platform,
            # Without any is not the same as not said.
            features=None if features is None else [each for each in features.split(",") if each],
            live=live,
            confirm=True,
        )

    async def _watch(self) -> None:
        """Until the socket is closed for good, or the command is interrupted."""
        say("Waiting for changes. Interrupt to end.")
        live = self._client.notifications.listen(lambda got: None)
        library = self._library(live)
        while True:
            try:
                await self._follow(library, again=AGAIN)
                return
            except OSError as error:
                self._complain(words(_in_words(error)))
            except Unreachable as error:
                self._complain(words(error))
            except ApiError as error:
                if error.status not in TEMPORARY:
                    raise
                self._complain(words(error))
            await deferLater(self._reactor, AGAIN)

    async def _follow(self, library: Library, *, again: float | None = None) -> None:
        """Do what the library says. What is in the way of one content is not in the way of others;
        it is tried again after `again` seconds, if given."""
        timer: IDelayedCall | None = None

        def retry() -> None:
            library.forget(*self._troubles)

        try:
            async for change in library:
                if await self._done(change):
                    self._troubles.pop(change.content, None)
                    library.done(change)
                elif again is not None and (timer is None or not timer.active()):
                    timer = self._reactor.callLater(again, retry)
        finally:
            cancel(timer)

    async def _done(self, change: Change) -> bool:
        """Whether it could be done. Raises what is in the way of others too."""
        why: Exception
        try:
            await (self._fetch(change) if change.kind == "fetch" else self._remove(change))
            return True
        except SessionEnded:
            raise
        except ApiError as error:
            if error.status not in _OF_ONE and not isinstance(error, FilesRefused):
                raise
            why = error
        except OSError as error:
            if error.errno in FULL:
                raise
            why = error
        except (CommandError, WrongBytes, BadFile) as error:
            why = error
        finally:
            self._say_notes()
        trouble = f"{change.content}: {words(why)}"
        if self._troubles.get(change.content) != trouble:
            say_error(trouble)
        self._troubles[change.content] = trouble
        return False

    async def _remove(self, change: Change) -> None:
        await self._blocking(self._folder.remove, change.content)
        say(f"Removed {change.content}.")

    async def _fetch(self, change: Change) -> None:
        content, revision = change.content, change.revision or ""
        platform, incoming = self._has.platform, self._folder.incoming
        detail = await self._client.content.get(content)
        made = await self._client.content.get_revision(content, revision)
        parts = list(fetch.parts_of(made, platform))
        wanted = {part["file"]: _digest(part["path"]) for part in parts}
        missing = await self._blocking(self._folder.missing, content, wanted)
        listed = await self._client.downloads.list_revision_files(
            content, revision, FilesQuery(platform=platform)
        )
        # One file may be several parts. One of them is enough to get it.
        files = {file.path: file for file in sorted(listed, key=lambda file: bool(file.url))}
        coming = [file for file in files.values() if file.sha256 in missing]
        if coming:
            sizes = {file.path: file.size for file in files.values()}
            names = [part["path"] for part in parts]
            shared = len(set(names)) == len(names) or await self._blocking(self._folder.shares)
            needed = room_of(sizes, names, shared=shared)
            agree(detail.name, needed, self._has.most, asks=not self._watched)
        await self._blocking(self._folder.spare, content, missing)
        await self._blocking(self._folder.has_room, coming, wanted.values())
        with Bar() as step:
            done = await self._client.transfers.download(
                content,
                incoming,
                revision=revision,
                platform=platform,
                names={file.path: [file.path] for file in coming},
                progress=step,
            )
        refused = [each.file.path for each in done if not each.names]
        refused += [part["path"] for part in parts if part["path"] not in files]
        if refused:
            raise CommandError(f"{refused[0]} is not given out")
        got = {path: Downloaded(file, (incoming / path,), False) for path, file in files.items()}
        about = fetch.result_of(detail, made, platform, parts, got)
        text = dumps(about, indent=2, ensure_ascii=False) + "\n"
        called = fetch.names_of(parts, listed)
        await self._blocking(self._folder.put, content, revision, wanted, text.encode(), called)
        fresh = [each.file for each in done if each.fresh]
        came = f"{some(len(fresh), 'file')}, {size(sum(file.size for file in fresh))}"
        say(f"Fetched {detail.name} {made.version} ({content}): {came}.")

    def _blocking(self, act: Callable[..., Any], *arguments: Any) -> Deferred[Any]:
        return blocking(self._reactor, act, *arguments)

    def _say_notes(self) -> None:
        notes, self._folder.notes = self._folder.notes, []
        for note in notes:
            say_error(note)

    def _complain(self, reason: str) -> None:
        """Say it, once as long as it stays the same."""
        if reason != self._said:
            say_error(f"{reason}; it is tried again")
        self._said = reason


def _digest(path: str) -> str:
    """That of a file of the service's."""
    if not is_ours(path):
        raise CommandError(f"the service has a path that is none: {path!r}")
    return digest_of(path)


def _in_words(error: OSError) -> Exception:
    if error.errno not in FULL:
        return error
    where = f": {error.filename}" if error.filename else ""
    return CommandError(
        f"the disk is full{where}; nothing is lost: free some space, and the same command goes on"
    )
