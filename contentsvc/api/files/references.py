"""The service's own files in what users write: checked, and claimed (files#own-files)."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from msgspec import Struct

from contentsvc.api.errors import FileInvalid, FileMissing, ImageHasMetadata
from contentsvc.framework.db.query import Db
from contentsvc.framework.storage.paths import is_media, is_ours
from contentsvc.store.files import references as store
from contentsvc.store.files.references import ClaimKind


class Wanted(NamedTuple):
    """The service's own files that a write names, and who wants them.

    `files` has their paths, and whether each counts for the `owner`. The `caller` gives the
    `brought` ones; the rest is only used. `wrong` are paths that cannot be right, whatever files
    there are. `content`, `revision`, `holder` and `kind` are as for `store.files.references.claim`.
    """

    caller: str
    owner: str | None
    content: str | None
    revision: str | None
    holder: str
    kind: ClaimKind
    files: dict[str, bool]
    brought: Collection[str]
    wrong: list[str]

    @property
    def is_plain(self) -> bool:
        """Whether the owner brings all of the files, and nothing is wrong with their paths."""
        return (
            self.caller == self.owner
            and not self.wrong
            and all(self.files.values())
            and all(path in self.brought for path in self.files)
        )


class FileReferences(Struct):
    """Checks and claims the files of a write, in its transaction. If `required`, all paths must be
    those of the service's own files; otherwise others are taken as they are.

    There is none with `files = external`.
    """

    required: bool

    def of_revision(
        self,
        *,
        caller: str,
        author: str,
        content: str,
        revision: str,
        parts: Iterable[tuple[str, bool]],
        brought: Collection[str],
        screenshots: Collection[str] = (),
    ) -> Wanted | None:
        """What a new revision of an author's content, and its screenshots, want; None if that is
        nothing.

        `parts` are the paths of everything that the revision has, and whether the content itself
        brought it. The caller gives the `brought` paths.
        """
        made = list(parts)
        given = {*brought, *screenshots}
        ours = {path for path in given.union(path for path, _ in made) if is_ours(path)}
        if not ours and not self.required:
            return None
        files: dict[str, bool] = {}
        for path, own in made:
            if path in ours and not is_media(path):
                files[path] = own or files.get(path, False)
        for path in screenshots:
            if path in ours and is_media(path):
                files[path] = True
        wrong = [path for path in brought if self._is_wrong(path, media=False)]
        wrong += [path for path in screenshots if self._is_wrong(path, media=True)]
        if not files and not wrong:
            return None
        owner = author if True in files.values() else None
        return Wanted(caller, owner, content, revision, content, "content", files, given, wrong)

    def ignores(self, images: Collection[str]) -> bool:
        """Whether none of these is the service's own file, and none has to be."""
        return not any(_is_image(path) or self._is_wrong(path, media=True) for path in images)

    async def holds(self, db: Db, content: str, images: Collection[str]) -> bool:
        """Whether a content has claimed those of its screenshots that are the service's own, and
        their bytes are there; and no path is wrong."""
        if any(self._is_wrong(path, media=True) for path in images):
            return False
        files = list(dict.fromkeys(filter(_is_image, images)))
        return not files or await store.holds(db, content, files)

    async def replace(
        self,
        tx: Db,
        kind: ClaimKind,
        holder: str,
        *,
        caller: str,
        owner: str | None,
        old: Collection[str],
        new: Collection[str],
    ) -> None:
        """Claim the images that a content, a user or a challenge shows now, and give up those that
        it showed before. What stays is checked too: its bytes may have gone. The holder's row is
        locked.

        They count for the `owner`, if there is one. Raises FileMissing, FileInvalid,
        ImageHasMetadata.
        """
        files = dict.fromkeys(filter(_is_image, new), owner is not None)
        gone = [path for path in old if _is_image(path) and path not in files]
        wrong = [path for path in new if self._is_wrong(path, media=True)]
        if files and gone:
            await store.lock(tx, owner, [*files, *gone])
        if files or wrong:
            content = holder if kind == "content" else None
            await self.claim(
                tx, Wanted(caller, owner, content, None, holder, kind, files, files, wrong)
            )
        if gone:
            await store.release(tx, holder, kind, gone)

    async def claim(self, tx: Db, wanted: Wanted) -> None:
        """Claim files. Raises FileMissing, FileInvalid, ImageHasMetadata, in this order."""
        faults = await store.claim(
            tx,
            caller=wanted.caller,
            owner=wanted.owner,
            content=wanted.content,
            revision=wanted.revision,
            holder=wanted.holder,
            kind=wanted.kind,
            paths=list(wanted.files),
            own=list(wanted.files.values()),
            brought=[path in wanted.brought for path in wanted.files],
        )
        missing = wanted.wrong + [fault.path for fault in faults if not fault.invalid]
        if missing:
            raise FileMissing(paths=list(dict.fromkeys(missing)))
        if invalid := [fault.path for fault in faults if not fault.metadata]:
            raise FileInvalid(paths=invalid)
        if faults:
            raise ImageHasMetadata(paths=[fault.path for fault in faults])

    def _is_wrong(self, path: str, *, media: bool) -> bool:
        return is_media(path) != media if is_ours(path) else self.required


def _is_image(path: str) -> bool:
    return is_ours(path) and is_media(path)
