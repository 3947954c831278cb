"""What files#own-files says of files, as a few sets: who has sent them, who claims them, who is
told what. It knows no time: nothing lapses, and nothing is collected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.spec.files.support import File

Told = tuple[int, str | None]
"""A status and a code."""


@dataclass
class Registered:
    """What counts for a user: its bytes, and whether the user has sent them."""

    size: int
    sent: bool


@dataclass
class Published:
    """A content: its author, what hides it, and the files of its revisions and screenshots."""

    author: str
    suspended: bool = False
    deleted: bool = False
    current: str = ""
    revisions: dict[str, list[File]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    shots: list[File] = field(default_factory=list)

    @property
    def active(self) -> bool:
        """Whether everybody sees it."""
        return not (self.suspended or self.deleted)

    def claims(self) -> set[str]:
        """The paths that it needs."""
        kept = [files for id, files in self.revisions.items() if id not in self.gone]
        return {file.path for files in [*kept, self.shots] for file in files}


class Model:
    """Users are their ids. `broken` are the paths of images that are none."""

    def __init__(self, user_bytes: int, pending: int, broken: set[str]) -> None:
        self._user_bytes = user_bytes
        self._pending = pending
        self._broken = broken
        self._registered: dict[tuple[str, str], Registered] = {}
        self._stored: set[str] = set()
        self._avatars: dict[str, File | None] = {}
        self.blocked: set[str] = set()
        self.contents: dict[str, Published] = {}

    def there(self, file: File) -> bool:
        """Whether the service has the bytes."""
        return file.path in self._stored

    def storage(self, user: str) -> tuple[int, int]:
        """`used` and `pending`."""
        own = [each for (of, _), each in self._registered.items() if of == user]
        return sum(each.size for each in own), sum(not each.sent for each in own)

    def _sent(self, user: str, file: File) -> bool:
        own = self._registered.get((user, file.path))
        return own is not None and own.sent

    def _in_use(self, file: File) -> bool:
        return any(each.active and file.path in each.claims() for each in self.contents.values())

    def is_there(self, user: str, file: File) -> bool:
        """Whether /uploads answers null."""
        return self.there(file) and (self._sent(user, file) or self._in_use(file))

    def announce(self, user: str, files: Sequence[tuple[File, int]]) -> Told | list[bool]:
        """/uploads of files, with these sizes: its refusal, or which of them are there."""
        if any(file.digest in self.blocked for file, _ in files):
            return 403, "file_blocked"
        after = {
            file.path: Registered(len(file.data) if there else size, there)
            for file, size in files
            for there in [self.is_there(user, file)]
        }
        before = {path: self._registered.get((user, path)) for path in after}
        used, pending = self.storage(user)
        used += sum(now.size - (was.size if was else 0) for now, was in self._both(after, before))
        pending += sum(
            (not now.sent) - (was is not None and not was.sent)
            for now, was in self._both(after, before)
        )
        larger = any(now.size > (was.size if was else 0) for now, was in self._both(after, before))
        late = any(was is None and not now.sent for now, was in self._both(after, before))
        if (larger and used > self._user_bytes) or (late and pending > self._pending):
            return 403, "quota_exceeded"
        self._registered |= {(user, path): now for path, now in after.items()}
        return [after[file.path].sent for file, _ in files]

    def _both(
        self, after: dict[str, Registered], before: dict[str, Registered | None]
    ) -> Iterable[tuple[Registered, Registered | None]]:
        return [(now, before[path]) for path, now in after.items()]

    def send(self, user: str, file: File, size: int, data: bytes) -> int:
        """The status of an upload of bytes that were announced with this size."""
        if len(data) != size:
            return 400
        if file.digest in self.blocked:
            return 403
        if data != file.data:
            return 400
        self._stored.add(file.path)
        self._registered[user, file.path] = Registered(size, True)
        return 204

    def refusal(
        self, user: str, files: Sequence[tuple[File, bool]], claimed: Iterable[str] = ()
    ) -> tuple[str, set[str]] | None:
        """Why a user may not use files, as images or not, and which; None if they may. `claimed`
        are the paths that the place has already."""
        kept = set(claimed)
        missing, invalid = set(), set()
        for file, image in files:
            good = self.is_there(user, file) or (self.there(file) and file.path in kept)
            if not good or (file.media_type is not None) != image:
                missing.add(file.path)
            elif file.path in self._broken:
                invalid.add(file.path)
        if missing:
            return "file_missing", missing
        return ("file_invalid", invalid) if invalid else None

    def count(self, user: str, files: Iterable[File]) -> None:
        """The user's own content brings these, or the user wears them."""
        for file in files:
            own = self._registered.get((user, file.path))
            if own is None or not own.sent:
                self._registered[user, file.path] = Registered(len(file.data), True)

    def worn(self, user: str) -> set[str]:
        """The path of a user's avatar."""
        avatar = self._avatars.get(user)
        return set() if avatar is None else {avatar.path}

    def wear(self, user: str, file: File | None) -> None:
        """The user has this avatar."""
        self._avatars[user] = file
        self.count(user, [] if file is None else [file])

    def block(self, digest: str) -> None:
        """A digest is blocked."""
        self.blocked.add(digest)
        self._stored = {path for path in self._stored if digest not in path}
