"""The changes by which a device gets what its user keeps (content#library-map)."""

import re
from pathlib import Path
from random import Random
from typing import Any, Final, Literal, NamedTuple, Protocol

from msgspec import Struct, field, json
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import deferLater
from twisted.python.failure import Failure

from contentsvc.client.calls import Calls
from contentsvc.client.errors import ApiError, TlsError, Unreachable
from contentsvc.client.files.local import write_whole
from contentsvc.client.http import FIRST_PAUSE, TEMPORARY, UNREADABLE
from contentsvc.client.notifications.subscription import Subscription
from contentsvc.framework.core.timers import Backoff
from contentsvc.wire.base import GUID_PATTERN
from contentsvc.wire.library import Kept
from contentsvc.wire.searches import ClientQuery

LAST_PAUSE: Final = 30.0
"""The longest pause, in seconds, between two reads while the service cannot be reached."""
_ID: Final = re.compile(GUID_PATTERN.replace("A-F", ""))
"""In lower case: ids become names of files, and some file systems ignore the case."""
_UNCERTAIN: Final = ""
"""In place of a revision: a change was given, and is not handled yet."""


class Change(NamedTuple):
    """One change for the device to make. `fetch`: have `revision` of this content, and no other.
    `remove`: have none of this content; `revision` is then the one on the device, None if that is
    not certain."""

    kind: Literal["fetch", "remove"]
    content: str
    revision: str | None


class Store(Protocol):
    """Stores the text in which a Library remembers what the device has."""

    def read(self) -> str | None:
        """The text that was written last, None if there is none."""

    def write(self, text: str) -> None:
        """Replace the text, whole or not at all."""


class FileStore:
    """A Store in a file, for one process at a time. Its methods raise OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> str | None:
        """The text of the file, None if there is no file."""
        try:
            return self._path.read_text("utf-8-sig", errors="replace")
        except FileNotFoundError:
            return None

    def write(self, text: str) -> None:
        """Replace the file."""
        write_whole(self._path, text.encode())


class _Record(Struct):
    """What a device has for one user: revisions by content, and the ETag of the last map whose
    changes were all handled."""

    have: dict[str, str] = field(default_factory=dict)
    etag: str | None = None


class Library:
    """Changes for `async for`, in one loop at a time: first those that remove, then those that
    fetch.

    A change counts as handled when the loop asks for the next one; with `confirm`, when you call
    `done`. The next loop gives changes that were not handled again, also in another process: the
    device may have made them already. Content that is unavailable, or without a revision that fits,
    stays as it is, without a change. An error removes nothing, and you can begin the loop again.

    Without `live`, the loop ends when there are no more changes. With `live`, it reads the map
    again after each connect of the subscription and each message `library`. It then also goes on
    after no answer, 429, 502, 503 and 504, and ends when the subscription ends. It raises ApiError,
    SessionEnded, NotSignedIn, Unreachable, and the errors of the store and of `live`.
    """

    def __init__(
        self,
        reactor: Any,
        calls: Calls,
        random: Random,
        store: Store,
        query: ClientQuery,
        live: Subscription | None,
        confirm: bool,
    ) -> None:
        self._reactor = reactor
        self._calls = calls
        self._backoff = Backoff(FIRST_PAUSE, LAST_PAUSE, random)
        self._store = store
        self._query = query
        self._live = live
        self._confirm = confirm
        self._user: str | None = None
        self._all: dict[str, _Record] = {}
        self._map: dict[str, Kept] | None = None
        self._etag: str | None = None
        self._given: dict[str, Change] = {}
        self._current: Change | None = None
        self._stale = True
        self._waking: Deferred[None] | None = None
        self._asking: Deferred[Any] | None = None
        self._over = live is None
        self._outcome: Failure | None = None
        if live is not None:
            live.watch_library(self.look)
            live.ended().addBoth(self._ended)

    @property
    def have(self) -> dict[str, str]:
        """The revisions that the device has, by content; "" where that is not certain. Raises
        NotSignedIn."""
        return dict(self._record().have)

    def look(self) -> None:
        """Read the map again before the next change."""
        self._stale = True
        waking, self._waking = self._waking, None
        if waking is not None:
            waking.callback(None)

    def done(self, change: Change) -> None:
        """With `confirm`: say that the device has made this change."""
        if self._given.get(change.content) is not change:
            return  # a newer change of this content was given
        self._note(change.content, change.revision if change.kind == "fetch" else None)
        del self._given[change.content]

    def forget(self, *contents: str) -> None:
        """Say that the device has lost these contents, or has them broken: the loop gives them
        again. Raises NotSignedIn."""
        if not contents:
            return
        record = self._record()
        have = record.have | dict.fromkeys(contents, _UNCERTAIN)
        if record.etag is not None or have != record.have:
            self._write(_Record(have))
        for content in contents:
            self._given.pop(content, None)
        self.look()

    def __aiter__(self) -> "Library":
        self._given.clear()
        self._current = None
        self._stale = True
        return self

    async def __anext__(self) -> Change:
        if self._current is not None:
            self.done(self._current)
            self._current = None
        while True:
            if self._stale:
                self._stale = False
                try:
                    await self._read()
                except BaseException:
                    self._stale = True
                    raise
            change = self._next()
            if change is not None:
                # Written before: a device that dies now may have the old revision or the new one.
                self._note(change.content, _UNCERTAIN)
                self._given[change.content] = change
                if not self._confirm:
                    self._current = change
                return change
            if not self._given:
                self._settle()
            if self._stale:
                continue
            if self._over:
                if self._outcome is not None:
                    self._outcome.raiseException()
                raise StopAsyncIteration
            waking = self._waking = Deferred()
            try:
                await waking
            finally:
                self._waking = None

    def _next(self) -> Change | None:
        if self._map is None:
            return None
        have = self._record().have
        # First what to remove: it makes room.
        for content, revision in have.items():
            kept, given = self._map.get(content), self._given.get(content)
            if kept is not None and kept.state != "gone":
                continue
            if given is None or given.kind != "remove":
                return Change("remove", content, revision or None)
        for content, kept in self._map.items():
            given = self._given.get(content)
            is_coming = given is not None and given.kind == "fetch"
            last = given.revision if given is not None and is_coming else have.get(content)
            if kept.state == "active" and kept.revision is not None and last != kept.revision:
                return Change("fetch", content, kept.revision)
        return None

    async def _read(self) -> None:
        known = self._record().etag if self._map is None else self._etag
        asking = self._asking = Deferred.fromCoroutine(self._ask(known))
        try:
            found, self._etag = await asking
        except CancelledError:
            if self._live is None or not self._over:
                raise
            return
        finally:
            self._asking = None
        if found is not None:
            self._map = found

    async def _ask(self, known: str | None) -> tuple[dict[str, Kept] | None, str | None]:
        """The map and its ETag. The map is None if its ETag is still `known`."""
        while True:
            path = f"/user/{self._user}/subscriptions/state"
            try:
                answer = await self._calls.get_changed(path, dict[str, Kept], self._query, known)
            except TlsError:
                raise
            except Unreachable:
                if self._over:
                    raise
                least = 0.0
            except ApiError as error:
                if self._over or error.status not in TEMPORARY:
                    raise
                least = error.retry_after or 0.0
            else:
                self._backoff.reset()
                for content, kept in (answer[0] or {}).items():
                    for id in (content, kept.revision):
                        if id is not None and not _ID.match(id):
                            raise ApiError(200, "malformed_answer", f"{id!r} is no id", {})
                return answer
            await deferLater(self._reactor, self._backoff.next(least))

    def _ended(self, result: object) -> None:
        self._over = True
        self._outcome = result if isinstance(result, Failure) else None
        if self._asking is not None:
            self._asking.cancel()
        waking, self._waking = self._waking, None
        if waking is not None:
            waking.callback(None)

    # What is kept.

    def _record(self) -> _Record:
        if self._user is None:
            user = self._calls.user
            try:
                self._all = json.decode(self._store.read() or "{}", type=dict[str, _Record])
            except UNREADABLE:
                self._all = {}
            self._user = user
        return self._all.setdefault(self._user, _Record())

    def _note(self, content: str, revision: str | None) -> None:
        before = self._record()
        if before.etag is None and before.have.get(content) == revision:
            return
        have = {**before.have, content: revision or _UNCERTAIN}
        if revision is None:
            del have[content]
        self._write(_Record(have))

    def _settle(self) -> None:
        """All changes were handled: the next process need not read this map."""
        record = self._record()
        if record.etag != self._etag:
            self._write(_Record(record.have, self._etag))

    def _write(self, record: _Record) -> None:
        users = {**self._all, self._user or "": record}
        self._store.write(json.encode(users).decode())
        self._all = users
