"""What a device is to fetch and to remove, so that it has what its user keeps
(content#library-map)."""

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
"""Seconds between two reads while the service cannot be reached."""
_ID: Final = re.compile(GUID_PATTERN.replace("A-F", ""))
"""In lower case: an id becomes the name of a file, and some file systems know no case."""
_UNCERTAIN: Final = ""
"""Instead of a revision: a change was given, and was not handled."""


class Change(NamedTuple):
    """What a device is to do: have this revision of a content, and no other; or have none of it.
    `revision` is then the one that it has, None where that is not certain."""

    kind: Literal["fetch", "remove"]
    content: str
    revision: str | None


class Store(Protocol):
    """Stores a text for a Library."""

    def read(self) -> str | None:
        """What was written last, None if nothing was."""

    def write(self, text: str) -> None:
        """Store this instead, whole or not at all."""


class FileStore:
    """A Store in a file, for one process at a time. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> str | None:
        """What the file has."""
        try:
            return self._path.read_text("utf-8-sig", errors="replace")
        except FileNotFoundError:
            return None

    def write(self, text: str) -> None:
        """Replace the file."""
        write_whole(self._path, text.encode())


class _Record(Struct):
    """What a device has of a user's: revisions by content, and the ETag of the last map of which
    all was handled."""

    have: dict[str, str] = field(default_factory=dict)
    etag: str | None = None


class Library:
    """Changes for `async for`, one loop at a time: first what goes, then what is to be fetched.

    A change is handled when the next is asked for, with `confirm` when `done` says so. What was
    not handled is given again by the next loop, also of another process: what it is about may be
    there already, or gone. What is not available, and what has no revision that fits, stays and is
    not given. An error removes nothing, and the loop can be begun again.

    With `live` it goes on: it looks again whenever that has connected, or hears that the library
    may be another, also after no answer, 429, 502, 503 and 504, and ends as that ends. Without, it
    ends when there is no more to do. It raises ApiError, SessionEnded, NotSignedIn, Unreachable,
    and what the store and `live` raise.
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
        """What the device has: revisions by content, "" where that is not certain. Raises
        NotSignedIn."""
        return dict(self._record().have)

    def look(self) -> None:
        """Read the map again, before the next change is given."""
        self._stale = True
        waking, self._waking = self._waking, None
        if waking is not None:
            waking.callback(None)

    def done(self, change: Change) -> None:
        """With `confirm`: this change, as it was given, was handled."""
        if self._given.get(change.content) is not change:
            return  # another was given meanwhile
        self._note(change.content, change.revision if change.kind == "fetch" else None)
        del self._given[change.content]

    def forget(self, *contents: str) -> None:
        """What the device has of these is lost or broken: they are given again. Raises
        NotSignedIn."""
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
                # Before it is given: a device that dies meanwhile may have the one or the other.
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
        # First what goes: it makes room.
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
        """The map, None if it is the one with this ETag; and its ETag."""
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
        """All was handled: the next process need not read this map."""
        record = self._record()
        if record.etag != self._etag:
            self._write(_Record(record.have, self._etag))

    def _write(self, record: _Record) -> None:
        users = {**self._all, self._user or "": record}
        self._store.write(json.encode(users).decode())
        self._all = users
