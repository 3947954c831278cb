"""The smaller images of images (files#image-sizes).

They have no rows: their paths follow from that of their image. When the bytes of an image have
come, a task is put, which makes them. It writes bytes, and then checks that its image has not
changed. A deletion of an image is first written to its row, and the bytes are deleted after that.
So one of the two sees the other, and no smaller image stays without its image.
"""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, found, many, maybe, none
from contentsvc.framework.tasks import task_queue
from contentsvc.store.task_turns import put_in_turn
from contentsvc.store.tasks import ScaleImage
from contentsvc.wire.base import tag_of

QUEUE = tag_of(ScaleImage)
"""The queue of the tasks."""
MOST = 8
"""Tasks that wait at most if images from before are among them."""
SPACING = 30.0
"""Seconds between two images of a user, if others wait: more than one takes."""
_LOCK = 0x7363616C65640000
"""The advisory lock's number: the letters "scaled"."""
_LACKING = (
    "stored and scaled is null and not invalid and not collecting and position('.' in path) > 0"
)
"""What the index files_unscaled has."""


class Image(NamedTuple):
    """An image that is good. `version` changes whenever its row does, except by a lock. `scaled` is
    None until it was tried."""

    version: str
    size: int
    scaled: bool | None


class Known(NamedTuple):
    """An image that may have smaller ones, and whether they may still come."""

    path: str
    awaited: bool


@maybe("""
    select f.xmin::text as version, f.size, f.scaled from files f
    where f.path = :path and f.stored and not f.invalid and not f.collecting
      and not exists (select from blocked_files b where b.sha256 = substr(f.path, 4, 64))
""")
async def image(db: Db, path: str) -> Image | None:
    """What is known of an image. None if it is not good, or is being taken away."""


@none("update files set scaled = :scaled where path = :path and xmin::text = :version")
async def note(tx: Db, path: str, version: str, scaled: bool) -> None:
    """Note whether an image has its smaller ones, if it is still of this version."""


async def ask(tx: Db, paths: list[str], user: str | None = None) -> None:
    """Have a task see to the smaller images of these images, which the user has sent, if anybody
    has. A user with many waits longer for them, and nobody else does; many new accounts wait as one
    user does."""
    tasks = [ScaleImage(path=path) for path in paths]
    if user is None:
        await task_queue.put_all(tx, tasks)
    elif tasks:
        await put_in_turn(tx, tasks, user, SPACING)


@many(f"""
    select path, awaited from (
        select named.path, exists (
            select from tasks t where t.queue = '{QUEUE}' and t.topic = named.path
        ) as awaited
        from unnest(:paths::text[]) as named (path) where position('.' in named.path) > 0
    ) image
    where awaited or exists (select from files f where f.path = image.path)
""")
async def some(db: Db, paths: list[str]) -> list[Known]:
    """Those of these paths that may have smaller images."""


@found(f"select where pg_try_advisory_xact_lock({_LOCK})")
async def ours(tx: Db) -> bool:
    """Whether this transaction is the one that checks for images from before."""


@many(f"""
    select path from files f
    where {_LACKING} and not exists (
        select from tasks t where t.queue = '{QUEUE}' and t.topic = f.path
    )
    order by path limit greatest(0, {MOST} - (
        select count(*) from (select from tasks where queue = '{QUEUE}' limit {MOST}) waiting
    ))
""")
async def lacking(tx: Db) -> list[str]:
    """The next images of which nobody has tried to make smaller ones, as far as there is room among
    the tasks."""
