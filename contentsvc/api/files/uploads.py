"""POST /uploads: from announced files to those that are there, and how to send the rest
(files#announcing).

The store is checked between two transactions, without a connection. The first postpones the
deletion of the files for a day. The second locks the user's storage row, then the files, and does
everything or nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, NamedTuple

from attrs import define, field
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from contentsvc.api.checks import check_wait
from contentsvc.api.errors import (
    FileBlocked,
    FileTooLarge,
    ImageHasMetadata,
    MediaTypeNotAllowed,
    QuotaExceeded,
    StorageUnavailable,
    retry_after,
)
from contentsvc.framework.core.concurrency import KeyedQueue, map_bounded
from contentsvc.framework.db.database import Database, Transaction
from contentsvc.framework.http.errors import Problem, at_pointer
from contentsvc.framework.storage import images
from contentsvc.framework.storage.bucket import Bucket, StoredFile
from contentsvc.framework.storage.bucket import StorageUnavailable as Away
from contentsvc.framework.storage.deadlines import tidy
from contentsvc.framework.storage.paths import BINARY, EXTENSIONS, is_media, path_of
from contentsvc.store.files import blocks, files, storage
from contentsvc.store.files.files import FileState, Locked, Named
from contentsvc.store.rate_limits import PARTS, UPLOADS, take_parts
from contentsvc.wire.files import CONTENT_USES, AnnouncedFile, FileUse, Upload, UploadedFile

AWAY, COLLECTING = 10, 2
"""Seconds after which to try again: a store that is away, and a file that is being deleted."""
_JUDGED_AT_ONCE = 8
"""Images whose first bytes are read at once."""
_SIGNED_AT_ONCE = 64
"""Uploads that are signed in one turn of the reactor."""


class Limits(NamedTuple):
    """Bytes of a file, of an image, and of all files of a user, and files that a user may announce
    without their bytes. For the last two, 0 means no limit. `new_user_bytes` are those of a user
    who has not confirmed an address, and `guest_bytes` those of a guest; 0 for `user_bytes`."""

    file_bytes: int
    image_bytes: int
    user_bytes: int
    pending_files: int
    new_user_bytes: int = 0
    announcements_per_minute: int = 0
    guest_bytes: int = 0

    def of_user(self, *, confirmed: bool, guest: bool) -> int:
        """The bytes of all files of a user. 0 means no limit."""
        fewer = self.guest_bytes if guest else self.new_user_bytes
        if confirmed or not fewer:
            return self.user_bytes
        return min(fewer, self.user_bytes or fewer)


@define(eq=False)
class Uploads:
    """Announces files that users have. They are sent to `bucket`. `stored` is called when some have
    come. `refuses` says whether images with metadata are refused."""

    _reactor: IReactorTime
    _db: Database
    _bucket: Bucket
    _limits: Limits
    _stored: Callable[[], None]
    _refuses: bool = field(default=False, kw_only=True)
    _announcing: KeyedQueue[str] = field(factory=KeyedQueue, init=False)

    async def announce(
        self, user: str, base: str, given: Sequence[AnnouncedFile]
    ) -> list[UploadedFile]:
        """Announce files of a user, at most 1,000. Gives their paths in their order, and uploads
        for those that are not there. `base` is the service's own URL.

        Raises InvalidBody, FileBlocked, MediaTypeNotAllowed, FileTooLarge, TooManyRequests,
        StorageUnavailable, QuotaExceeded and ImageHasMetadata, in this order: then nothing is
        announced.
        """
        _refuse_malformed(given)
        await self._refuse_unfit(given)
        most = self._limits.announcements_per_minute
        check_wait(await take_parts(self._db, UPLOADS, user, most, len(given)))
        asked = _files_of(given)
        # So no user takes all requests of the store, which others need too.
        await self._announcing.enter(user)
        try:
            await self._postpone(user, asked)
            await self._check_store(asked)
            async with self._turn(user, asked), self._db.transaction() as tx:
                with_metadata = await self._register(tx, user, asked)
            if with_metadata:
                detail = "This image has metadata. Send it without."
                errors = _faults(_places(with_metadata), "sha256", detail)
                raise ImageHasMetadata(paths=[file.path for file in with_metadata], errors=errors)
        finally:
            self._announcing.leave(user)
        # Files at separate keys that are also at their paths. A job deletes those that stay.
        if needless := [file.key for file in asked if file.there and file.key is not None]:
            await tidy(self._reactor, self._bucket, needless)
        uploads: dict[str, Upload] = {}
        for file in asked:
            if file.there:
                continue
            if uploads and len(uploads) % _SIGNED_AT_ONCE == 0:
                await deferLater(self._reactor, 0)
            signed = self._bucket.sign_upload(
                base, file.path, file.size, file.token, staged=file.separate
            )
            uploads[file.path] = Upload("PUT", *signed)
        paths = {place: file.path for file in asked for place in file.places}
        return [
            UploadedFile(file.sha256, paths[n], uploads.get(paths[n]))
            for n, file in enumerate(given)
        ]

    async def _refuse_unfit(self, given: Sequence[AnnouncedFile]) -> None:
        """Refuse types and sizes that this service does not take. That a digest is blocked comes
        first."""
        wrong: Problem
        if unknown := [n for n, file in enumerate(given) if _type_of(file) is None]:
            allowed = f"This must be one of {', '.join(EXTENSIONS)}."
            wrong = MediaTypeNotAllowed(errors=_faults(unknown, "mediaType", allowed))
        elif large := [n for n, file in enumerate(given) if file.size > self._most(file)]:
            limit = self._most(given[large[0]])
            errors = [
                _fault(n, "size", f"This must be at most {self._most(given[n])}.") for n in large
            ]
            wrong = FileTooLarge(limit=limit, errors=errors)
        else:
            return
        blocked = set(await blocks.blocked(self._db, [file.sha256 for file in given]))
        _refuse_blocked([n for n, file in enumerate(given) if file.sha256 in blocked])
        raise wrong

    def _most(self, file: AnnouncedFile) -> int:
        """The most bytes that this file may have."""
        binary = file.use in CONTENT_USES
        return self._limits.file_bytes if binary else self._limits.image_bytes

    def _turn(self, user: str, asked: Sequence["_UserFile"]) -> AbstractAsyncContextManager[None]:
        """The turn that statements about these files wait for. Requests to the store need no
        turn."""
        return self._db.large(user) if len(asked) > PARTS else nullcontext()

    async def _postpone(self, user: str, asked: Sequence["_UserFile"]) -> None:
        """Postpone the deletion of the files for a day, and note what is known of them. Raises
        FileBlocked, StorageUnavailable."""
        paths = [file.path for file in asked]
        async with self._turn(user, asked), self._db.transaction() as tx:
            await files.touch(tx, paths)
            known = {row.path: row for row in await files.named(tx, user, paths)}
            for file in asked:
                file.before = known[file.path]
            _refuse_blocked(_places(file for file in asked if file.before.blocked))
            _refuse_collecting(_places(file for file in asked if file.before.collecting))

    async def _check_store(self, asked: Sequence["_UserFile"]) -> None:
        """Check which of the files the store has, and which of the new images are no good. Raises
        StorageUnavailable."""
        try:
            # These first: they go once the user is known to have sent them.
            await self._find_separate(asked)
            # One at least, to know that the store is there.
            known = [file.path for file in asked if file.is_checked]
            found = dict(await self._bucket.stat(known or [asked[0].path]))
            # What is damaged at its path has another length.
            lacking = {
                file.path: file.before.separate_token or ""
                for file in asked
                if file.came is not None
                and (
                    file.path not in found
                    or (found[file.path].size != file.came.size and file.came.size == file.size)
                )
            }
            if lacking:
                await self._bucket.copy(lacking)
                found |= await self._bucket.stat(lacking)
            for file in asked:
                file.found = found.get(file.path)
            await map_bounded(_JUDGED_AT_ONCE, filter(_is_new_image, asked), self._judge)
        except Away:
            raise StorageUnavailable(
                headers=retry_after(AWAY),
                errors=_faults(_places(asked), "", "This was not announced."),
            ) from None

    async def _find_separate(self, asked: Sequence["_UserFile"]) -> None:
        """Find the bytes that the user has sent to separate keys."""
        named = {
            key: file
            for file in asked
            if (token := file.before.separate_token)
            and (key := self._bucket.staging_key(file.path, token)) is not None
        }
        for key, came in (await self._bucket.stat(named)).items() if named else ():
            named[key].key, named[key].came = key, came

    async def _judge(self, file: "_UserFile") -> None:
        """Whether a new image is no good, or has metadata that is refused. It may have gone
        since."""
        good, metadata = await images.judge(
            file.path, file.found.size if file.found else 0, self._bucket.read, self._refuses
        )
        if good is None:
            file.found = None
        file.bad, file.has_metadata = good is False, metadata

    async def _register(
        self, tx: Transaction, user: str, asked: Sequence["_UserFile"]
    ) -> list["_UserFile"]:
        """Register the files and what the store has of them. Gives the images that are refused for
        metadata. If there are any, only these are registered, so that nobody reads them again.
        Raises FileBlocked, StorageUnavailable, QuotaExceeded."""
        paths = [file.path for file in asked]
        usage = await storage.lock(tx, user)
        if unknown := [file.path for file in asked if file.before.version is None]:
            await files.begin(tx, unknown)
        locked = {row.path: row for row in await files.lock(tx, paths)}
        states = {row.path: row for row in await files.states_of(tx, user, paths)}
        _refuse_blocked(_places(file for file in asked if states[file.path].blocked))
        _refuse_collecting(
            _places(
                file for file in asked if file.path not in locked or locked[file.path].collecting
            )
        )
        for file in asked:
            file.conclude(locked[file.path], states[file.path], self._refuses)
        self._refuse_excess(asked, usage)
        with_metadata = [file for file in asked if file.there and file.metadata]
        registered = with_metadata or asked
        if changed := [file for file in registered if file.changed]:
            await files.settle(
                tx,
                user,
                [file.path for file in changed],
                [file.stored for file in changed],
                [file.measured for file in changed],
                [file.invalid for file in changed],
                [file.use for file in changed],
                [file.metadata for file in changed],
            )
            tx.after_commit(self._stored)
        new = await storage.announce(
            tx,
            user,
            [file.path for file in registered],
            [file.counted for file in registered],
            [file.sent for file in registered],
            [file.use for file in registered],
        )
        tokens = {row.path: row for row in new}
        for file in registered:
            if row := tokens.get(file.path):
                file.token, file.separate = row.token, row.separate
        return with_metadata

    def _refuse_excess(self, asked: Sequence["_UserFile"], usage: storage.Usage) -> None:
        """Raise QuotaExceeded if what is new does not fit."""
        wide, late = [], []
        used, pending, confirmed, guest = usage
        most = self._limits.of_user(confirmed=confirmed, guest=guest)
        # What this call makes less or gives up leaves room for what is new in it.
        for file in asked:
            if file.state.token is not None:
                used += min(0, file.counted - (file.state.size or 0))
                pending += file.state.sent - file.sent
        for file in asked:
            more = max(0, file.counted - (file.state.size or 0))
            used += more
            if more and used > (most or used):
                wide.append(file)
            if file.state.token is None and not file.sent:
                pending += 1
                if pending > (self._limits.pending_files or pending):
                    late.append(file)
        if wide:
            detail = f"You may have {most} bytes of files. These files would be more."
            if most != self._limits.user_bytes:
                until = "are no guest any more" if guest else "have confirmed your e-mail address"
                detail += f" You may have more once you {until}."
            fault = "This and what comes before exceed your quota."
            errors = _faults(_places(wide), "size", fault)
            raise QuotaExceeded(detail, limit=most, used=usage.used, errors=errors)
        if late:
            limit = self._limits.pending_files
            detail = f"You may announce {limit} files whose bytes you have not sent."
            errors = _faults(_places(late), "", "This is one too many. Send others first.")
            raise QuotaExceeded(detail, limit=limit, used=usage.pending, errors=errors)


@define(eq=False)
class _UserFile:
    """A file of a call of its user: what is announced, what was there, and what becomes of it."""

    path: str
    size: int
    use: FileUse
    places: list[int] = field(factory=list, init=False)
    """Where it stands in the body."""

    before: Named = field(init=False)
    """What is known of it before the store is checked."""
    found: StoredFile | None = field(default=None, init=False)
    """What the store has at its path."""
    key: str | None = field(default=None, init=False)
    came: StoredFile | None = field(default=None, init=False)
    """The separate key to which the user has sent it, and what the store has there."""
    bad: bool = field(default=False, init=False)
    has_metadata: bool = field(default=False, init=False)
    """It is no good image, or a new one with metadata that is refused."""

    state: FileState = field(init=False)
    """What it is for the user, once its row is locked."""
    there: bool = field(init=False)
    sent: bool = field(init=False)
    stored: bool = field(init=False)
    measured: int | None = field(init=False)
    """The size that it is seen to have."""
    counted: int = field(init=False)
    """The size that counts for the user."""
    invalid: bool = field(init=False)
    metadata: bool = field(init=False)
    """It is an image that is refused for metadata."""
    changed: bool = field(init=False)
    """Whether its row changes."""
    token: str = field(init=False)
    separate: bool = field(init=False)
    """The token of its upload, and whether that goes to a separate key."""

    @property
    def is_checked(self) -> bool:
        """Whether the store is asked for it."""
        return self.before.stored or self.before.announced

    def conclude(self, now: Locked, state: FileState, refuses: bool) -> None:
        """Find out what becomes of it. `now` is its row after the store was checked."""
        same, found = self.before.version == now.version, self.found
        proven = found is not None and any(
            each.token is not None and each.token == state.token and each.size == found.size
            for each in (found, self.came)
            if each is not None
        )
        # The length of what the caller has sent is signed, with its digest. Other bytes have the
        # length that they had first, or they are damaged, and have to come again.
        right = {now.size, state.size} if proven else {now.size}
        if found is not None and now.size is not None and found.size not in right:
            found, proven = None, False
        # What the check found is not written over what has come or gone since.
        lost = same and found is None and self.is_checked
        self.stored = not lost and (now.stored or (same and found is not None))
        sent = state.sent and not lost
        self.there = self.stored and found is not None and (sent or proven or state.active)
        self.sent = sent or self.there
        self.measured = measured = now.size if found is None else found.size
        # Others' bytes show nothing, not even their length.
        self.counted = measured if self.sent and measured is not None else self.size
        self.invalid = found is not None and self.bad
        self.metadata = (now.metadata and refuses and now.size == measured) or (
            self.has_metadata and now.newly_invalid(measured)
        )
        self.changed = (
            self.stored != now.stored
            or (self.stored and measured != now.size)
            or self.metadata != now.metadata
        )
        self.state, self.token, self.separate = state, state.token or "", state.separate


def _files_of(given: Sequence[AnnouncedFile]) -> list[_UserFile]:
    """The files of a call, in their order. One that is named twice has the use of the last."""
    found: dict[str, _UserFile] = {}
    for n, each in enumerate(given):
        path = path_of(each.sha256, _type_of(each) or "")
        file = found.setdefault(path, _UserFile(path, each.size, each.use))
        file.use = each.use
        file.places.append(n)
    return list(found.values())


def _places(asked: Iterable[_UserFile]) -> list[int]:
    """The places of these files in the body."""
    return sorted(place for file in asked for place in file.places)


def _is_new_image(file: _UserFile) -> bool:
    return is_media(file.path) and file.found is not None and file.found.size != file.before.size


def _type_of(file: AnnouncedFile) -> str | None:
    """The media type of a file; None if this service does not take it."""
    if file.use in CONTENT_USES:
        return BINARY
    return file.media_type if file.media_type in EXTENSIONS else None


def _refuse_malformed(given: Sequence[AnnouncedFile]) -> None:
    """Raise InvalidBody for an image without a media type, and for a digest with two sizes."""
    first: dict[str, int] = {}
    for n, file in enumerate(given):
        if file.use not in CONTENT_USES and file.media_type is None:
            raise at_pointer(f"/files/{n}/mediaType", "This is required, but missing.")
        before = first.setdefault(file.sha256, n)
        if given[before].size != file.size:
            detail = f"/files/{before} has the same digest, and another size."
            raise at_pointer(f"/files/{n}/size", detail)


def _refuse_blocked(places: Sequence[int]) -> None:
    if places:
        raise FileBlocked(errors=_faults(places, "sha256", "This is blocked."))


def _refuse_collecting(places: Sequence[int]) -> None:
    if places:
        detail = "Nobody needed this file for long, so it is being deleted. Announce it again."
        raise StorageUnavailable(
            headers=retry_after(COLLECTING), errors=_faults(places, "sha256", detail)
        )


def _faults(places: Sequence[int], member: str, detail: str) -> list[dict[str, Any]]:
    return [_fault(n, member, detail) for n in places]


def _fault(place: int, member: str, detail: str) -> dict[str, Any]:
    pointer = f"/files/{place}/{member}" if member else f"/files/{place}"
    return {"pointer": pointer, "detail": detail}
