"""POST /uploads: from announced files to those that are there, and how to send the rest
(files#announcing).

The store is checked between two transactions, without a connection. The first postpones the
deletion of the files for a day. The second locks the user's storage row, then the files, and does
everything or nothing.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, NamedTuple

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
from contentsvc.wire.files import CONTENT_USES, AnnouncedFile, Upload, UploadedFile

AWAY, COLLECTING = 10, 2
"""Seconds after which to try again: a store that is away, and a file that is being deleted."""
_JUDGED_AT_ONCE = 8
"""Images whose first bytes are read at once."""
_SIGNED_AT_ONCE = 64
"""Uploads that are signed in one turn of the reactor."""


class Limits(NamedTuple):
    """Bytes of a file, of an image, and of all files of a user, and files that a user may announce
    without their bytes. For the last two, 0 means no limit. `new_user_bytes` are those of a user
    who has not confirmed an address; 0 for `user_bytes`."""

    file_bytes: int
    image_bytes: int
    user_bytes: int
    pending_files: int
    new_user_bytes: int = 0
    announcements_per_minute: int = 0

    def of_user(self, *, confirmed: bool) -> int:
        """The bytes of all files of a user. 0 means no limit."""
        if confirmed or not self.new_user_bytes:
            return self.user_bytes
        return min(self.new_user_bytes, self.user_bytes or self.new_user_bytes)


class Uploads:
    """Announces files that users have. They are sent to `bucket`. `stored` is called when some have
    come. `refuses` says whether images with metadata are refused."""

    def __init__(
        self,
        reactor: IReactorTime,
        db: Database,
        bucket: Bucket,
        limits: Limits,
        stored: Callable[[], None],
        *,
        refuses: bool = False,
    ) -> None:
        self._reactor = reactor
        self._refuses = refuses
        self._db = db
        self._bucket = bucket
        self._limits = limits
        self._stored = stored
        self._announcing = KeyedQueue[str]()

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
        asked = _Asked(given)
        # So no user takes all requests of the store, which others need too.
        await self._announcing.enter(user)
        try:
            before = await self._keep(user, asked)
            seen = await self._check_store(asked, before)
            async with self._turn(user, asked), self._db.transaction() as tx:
                tokens, with_metadata = await self._register(tx, user, asked, before, seen)
            if with_metadata:
                detail = "This image has metadata. Send it without."
                errors = _faults(asked.places(with_metadata), "sha256", detail)
                raise ImageHasMetadata(paths=with_metadata, errors=errors)
        finally:
            self._announcing.leave(user)
        # Files at separate keys that are also at their paths. A job deletes those that stay.
        if needless := [key for path, key in seen.keys.items() if path not in tokens]:
            await tidy(self._reactor, self._bucket, needless)
        uploads: dict[str, Upload] = {}
        for path, (token, separate) in tokens.items():
            if uploads and len(uploads) % _SIGNED_AT_ONCE == 0:
                await deferLater(self._reactor, 0)
            signed = self._bucket.sign_upload(base, path, asked.sizes[path], token, staged=separate)
            uploads[path] = Upload("PUT", *signed)
        return [
            UploadedFile(file.sha256, path, uploads.get(path))
            for file, path in zip(given, asked.paths, strict=True)
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

    def _turn(self, user: str, asked: "_Asked") -> AbstractAsyncContextManager[None]:
        """The turn that statements about these files wait for. Requests to the store need no
        turn."""
        return self._db.large(user) if len(asked.sizes) > PARTS else nullcontext()

    async def _keep(self, user: str, asked: "_Asked") -> dict[str, Named]:
        """Postpone the deletion of the files for a day, and give what is known of them by their
        paths. Raises FileBlocked, StorageUnavailable."""
        paths = list(asked.sizes)
        async with self._turn(user, asked), self._db.transaction() as tx:
            await files.touch(tx, paths)
            known = {row.path: row for row in await files.named(tx, user, paths)}
            _refuse_blocked(asked.places({path for path in paths if known[path].blocked}))
            _refuse_collecting(asked.places({path for path in paths if known[path].collecting}))
        return known

    async def _check_store(self, asked: "_Asked", before: Mapping[str, Named]) -> "_Seen":
        """Check which of the files the store has, and which of the new images are no good. Raises
        StorageUnavailable."""
        paths = [path for path, row in before.items() if row.stored or row.announced]
        separate = {path: row.separate_token for path, row in before.items() if row.separate_token}
        try:
            # These first: they go once the user is known to have sent them.
            own = await self._find_separate(separate)
            # One at least, to know that the store is there.
            found = dict(await self._bucket.stat(paths or list(before)[:1]))
            # What is damaged at its path has another length.
            lacking = {
                path: separate[path]
                for path, (_, sent) in own.items()
                if path not in found
                or (found[path].size != sent.size and sent.size == asked.sizes[path])
            }
            if lacking:
                await self._bucket.copy(lacking)
                found |= await self._bucket.stat(lacking)
            media = [path for path in found if is_media(path)]
            new = [path for path in media if found[path].size != before[path].size]
            bad, with_metadata = await self._judge(found, new)
        except Away:
            raise StorageUnavailable(
                headers=retry_after(AWAY),
                errors=_faults(range(len(asked.paths)), "", "This was not announced."),
            ) from None
        keys = {path: key for path, (key, _) in own.items()}
        sent = {path: each for path, (_, each) in own.items()}
        return _Seen(found, bad, with_metadata, frozenset(paths), keys, sent)

    async def _find_separate(self, tokens: Mapping[str, str]) -> dict[str, tuple[str, StoredFile]]:
        """The paths whose bytes the user has sent to a separate key, with that key."""
        named = {path: self._bucket.staging_key(path, token) for path, token in tokens.items()}
        keys = {path: key for path, key in named.items() if key is not None}
        found = await self._bucket.stat(keys.values()) if keys else {}
        return {path: (key, found[key]) for path, key in keys.items() if key in found}

    async def _judge(
        self, found: dict[str, StoredFile], new: Sequence[str]
    ) -> tuple[set[str], set[str]]:
        """Those of the new images that are no good, and those with metadata that is refused. Those
        that have gone since are no longer `found`."""
        bad: set[str] = set()
        with_metadata: set[str] = set()

        async def judge(path: str) -> None:
            good = await images.good(path, self._bucket.read)
            if good is None:
                del found[path]
            elif not good:
                bad.add(path)
            elif self._refuses and await images.has_metadata(
                path, found[path].size, self._bucket.read
            ):
                with_metadata.add(path)

        await map_bounded(_JUDGED_AT_ONCE, new, judge)
        return bad, with_metadata

    async def _register(
        self,
        tx: Transaction,
        user: str,
        asked: "_Asked",
        before: Mapping[str, Named],
        seen: "_Seen",
    ) -> tuple[dict[str, tuple[str, bool]], list[str]]:
        """Register the files and what the store has of them. Gives the tokens of those that are not
        there, and whether their uploads go to separate keys; and the images that are refused for
        metadata. If there are any, only these are registered, so that nobody reads them again.
        Raises FileBlocked, StorageUnavailable, QuotaExceeded."""
        paths = list(asked.sizes)
        usage = await storage.lock(tx, user)
        if unknown := [path for path in paths if before[path].version is None]:
            await files.begin(tx, unknown)
        locked = {row.path: row for row in await files.lock(tx, paths)}
        states = {row.path: row for row in await files.states_of(tx, user, paths)}
        _refuse_blocked(asked.places({path for path in paths if states[path].blocked}))
        gone = {path for path in paths if path not in locked or locked[path].collecting}
        _refuse_collecting(asked.places(gone))

        outcome = {
            path: self._outcome(size, before[path], locked[path], states[path], seen)
            for path, size in asked.sizes.items()
        }
        self._refuse_excess(asked, usage, states, outcome)
        with_metadata = [path for path in paths if outcome[path].there and outcome[path].metadata]
        paths = with_metadata or paths
        changed = [path for path in paths if outcome[path].changed]
        if changed:
            await files.settle(
                tx,
                user,
                changed,
                [outcome[path].stored for path in changed],
                [outcome[path].measured for path in changed],
                [outcome[path].invalid for path in changed],
                [asked.uses[path] for path in changed],
                [outcome[path].metadata for path in changed],
            )
            tx.after_commit(self._stored)
        new = await storage.announce(
            tx,
            user,
            paths,
            [outcome[path].size for path in paths],
            [outcome[path].sent for path in paths],
            [asked.uses[path] for path in paths],
        )
        tokens = {path: (row.token or "", row.separate) for path, row in states.items()}
        tokens |= {path: (token, separate) for path, token, separate in new}
        return {path: tokens[path] for path in paths if not outcome[path].there}, with_metadata

    def _outcome(
        self, announced: int, before: Named, now: Locked, state: FileState, seen: "_Seen"
    ) -> "_Outcome":
        """What becomes of a file. `before` and `now` are its row before and after the store was
        checked."""
        outcome = _outcome(announced, before, now, state, seen)
        metadata = now.metadata and self._refuses and now.size == outcome.measured
        metadata |= now.path in seen.with_metadata and now.newly_invalid(outcome.measured)
        changed = outcome.changed or metadata != now.metadata
        return outcome._replace(metadata=metadata, changed=changed)

    def _refuse_excess(
        self,
        asked: "_Asked",
        usage: storage.Usage,
        states: Mapping[str, FileState],
        outcome: Mapping[str, "_Outcome"],
    ) -> None:
        """Raise QuotaExceeded if what is new does not fit."""
        wide, late = set(), set()
        used, pending, confirmed = usage
        most = self._limits.of_user(confirmed=confirmed)
        # What this call makes less or gives up leaves room for what is new in it.
        for path, after in outcome.items():
            if states[path].token is not None:
                used += min(0, after.size - (states[path].size or 0))
                pending += states[path].sent - after.sent
        for path, after in outcome.items():
            more = max(0, after.size - (states[path].size or 0))
            used += more
            if more and used > (most or used):
                wide.add(path)
            if states[path].token is None and not after.sent:
                pending += 1
                if pending > (self._limits.pending_files or pending):
                    late.add(path)
        if wide:
            detail = f"You may have {most} bytes of files. These files would be more."
            if most != self._limits.user_bytes:
                detail += " You may have more once you have confirmed your e-mail address."
            fault = "This and what comes before exceed your quota."
            errors = _faults(asked.places(wide), "size", fault)
            raise QuotaExceeded(detail, limit=most, used=usage.used, errors=errors)
        if late:
            limit = self._limits.pending_files
            detail = f"You may announce {limit} files whose bytes you have not sent."
            errors = _faults(asked.places(late), "", "This is one too many. Send others first.")
            raise QuotaExceeded(detail, limit=limit, used=usage.pending, errors=errors)


class _Asked:
    """The files of a call: the path of each, and the size and use of each path, in their order."""

    def __init__(self, given: Sequence[AnnouncedFile]) -> None:
        self.paths = [path_of(file.sha256, _type_of(file) or "") for file in given]
        self.sizes = {path: file.size for path, file in zip(self.paths, given, strict=True)}
        self.uses = {path: file.use for path, file in zip(self.paths, given, strict=True)}

    def places(self, paths: Collection[str]) -> list[int]:
        """The places of these paths in the body."""
        return [n for n, path in enumerate(self.paths) if path in paths] if paths else []


class _Seen(NamedTuple):
    """What the store has of the files that were checked, the images that are no good, those that
    are refused `with_metadata`, and what the user has `sent` to separate keys, with these keys."""

    found: Mapping[str, StoredFile]
    bad: Collection[str]
    with_metadata: Collection[str]
    checked: Collection[str]
    keys: Mapping[str, str]
    sent: Mapping[str, StoredFile]


class _Outcome(NamedTuple):
    """What becomes of a file, in a call of its user. `changed` says whether the file's row does.
    `measured` is the size that it is seen to have, `size` the one that counts for the user.
    `metadata`: it is an image that is refused for it."""

    there: bool
    sent: bool
    size: int
    changed: bool
    stored: bool
    measured: int | None
    invalid: bool
    metadata: bool = False


def _outcome(announced: int, before: Named, now: Locked, state: FileState, seen: _Seen) -> _Outcome:
    """What becomes of a file, whatever metadata it has."""
    same = before.version == now.version
    found = seen.found.get(now.path)
    proven = found is not None and any(
        each.token is not None and each.token == state.token and each.size == found.size
        for each in (found, seen.sent.get(now.path))
        if each is not None
    )
    # The length of what the caller has sent is signed, with its digest. Other bytes have the length
    # that they had first, or they are damaged, and have to come again.
    right = {now.size, state.size} if proven else {now.size}
    if found is not None and now.size is not None and found.size not in right:
        found, proven = None, False
    # What the check found is not written over what has come or gone since.
    stored = now.stored or (same and found is not None)
    lost = same and found is None and now.path in seen.checked
    if lost:
        stored = False
    sent = state.sent and not lost
    there = stored and found is not None and (sent or proven or state.active)
    measured = now.size if found is None else found.size
    sent = sent or there
    return _Outcome(
        there=there,
        sent=sent,
        # Others' bytes show nothing, not even their length.
        size=measured if sent and measured is not None else announced,
        changed=stored != now.stored or (stored and measured != now.size),
        stored=stored,
        measured=measured,
        invalid=found is not None and now.path in seen.bad,
    )


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
