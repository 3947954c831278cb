"""The service's own files in what users write: checked, and claimed (extensions §3)."""

from collections.abc import Collection, Iterable

from contentsvc.api.errors import FileInvalid, FileMissing
from contentsvc.db.query import Db
from contentsvc.store import claims as store
from contentsvc.store.claims import Kind
from contentsvc.wire.files import is_media, is_ours


class Claims:
    """Checks and claims the files of a write, in its transaction. If `required`, all paths must be
    those of the service's own files; otherwise others are taken as they are.

    There is none with `files = external`.
    """

    def __init__(self, *, required: bool) -> None:
        self._required = required

    async def publish(
        self,
        tx: Db,
        *,
        caller: str,
        author: str,
        content: str,
        revision: str,
        parts: Iterable[tuple[str, bool]],
        brought: Collection[str],
        screenshots: Collection[str] = (),
    ) -> None:
        """Claim the files of a new revision of an author's content, and its screenshots.

        `parts` are the paths of everything that the revision has, and whether the content itself
        brought it. The caller gives the `brought` paths. Raises FileMissing, FileInvalid.
        """
        given = {path: own for path, own in sorted(parts) if _is_part(path)}
        given |= dict.fromkeys(filter(_is_image, screenshots), True)
        wrong = [path for path in brought if self._is_wrong(path, media=False)]
        wrong += [path for path in screenshots if self._is_wrong(path, media=True)]
        if not given and not wrong:
            return
        await self._claim(
            tx,
            given,
            {*brought, *screenshots},
            wrong,
            caller=caller,
            owner=author if any(given.values()) else None,
            content=content,
            revision=revision,
            holder=content,
            kind="content",
        )

    async def replace(
        self,
        tx: Db,
        kind: Kind,
        holder: str,
        *,
        caller: str,
        owner: str | None,
        old: Collection[str],
        new: Collection[str],
    ) -> None:
        """Claim the images that a content, a user or a challenge shows now, and give up those that
        it showed before. Nothing is checked if they are the same. The holder's row is locked.

        They count for the `owner`, if there is one. Raises FileMissing, FileInvalid.
        """
        if new == old:
            return
        given = dict.fromkeys(filter(_is_image, new), owner is not None)
        wrong = [path for path in new if self._is_wrong(path, media=True)]
        if given or wrong:
            await self._claim(
                tx,
                given,
                given.keys(),
                wrong,
                caller=caller,
                owner=owner,
                content=holder if kind == "content" else None,
                revision=None,
                holder=holder,
                kind=kind,
            )
        gone = [path for path in old if _is_image(path) and path not in given]
        if gone:
            await store.release(tx, holder, kind, gone)

    async def _claim(
        self,
        tx: Db,
        given: dict[str, bool],
        brought: Collection[str],
        wrong: list[str],
        *,
        caller: str,
        owner: str | None,
        content: str | None,
        revision: str | None,
        holder: str,
        kind: Kind,
    ) -> None:
        faults = await store.claim(
            tx,
            caller=caller,
            owner=owner,
            content=content,
            revision=revision,
            holder=holder,
            kind=kind,
            paths=list(given),
            own=list(given.values()),
            brought=[path in brought for path in given],
        )
        missing = wrong + [fault.path for fault in faults if not fault.invalid]
        if missing:
            raise FileMissing(paths=list(dict.fromkeys(missing)))
        if faults:
            raise FileInvalid(paths=[fault.path for fault in faults])

    def _is_wrong(self, path: str, *, media: bool) -> bool:
        """Whether a path cannot be right here, whatever files there are."""
        return is_media(path) != media if is_ours(path) else self._required


def _is_part(path: str) -> bool:
    return is_ours(path) and not is_media(path)


def _is_image(path: str) -> bool:
    return is_ours(path) and is_media(path)
