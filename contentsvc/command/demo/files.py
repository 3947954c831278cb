"""The files of `contentsvc demo`: which bytes each has, where they go, and whose they are.

The bytes are in the store before the world is in the database. Their rows come first of all, so
that the bytes of a demo that fails are collected a day later.
"""

import io
import zipfile
from collections.abc import AsyncIterator, Iterable, Iterator
from hashlib import sha256
from math import cos, pi, sin
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

from contentsvc.command.demo.world import FOLDER, WORLD, brought
from contentsvc.command.terminal import CommandError
from contentsvc.config import Settings
from contentsvc.framework.db.query import Db
from contentsvc.framework.storage.paths import BINARY, path_of
from contentsvc.store.files import files, references, storage
from contentsvc.wire.files import FileUse
from contentsvc.wire.packages import PLATFORMS

SHOTS = 3
"""Screenshots of a content."""
REWARDS = ("win", "participate")
"""Those of a challenge."""
AT_ONCE = 8
"""Files that are uploaded at once."""
_RINGS, _SIDES = 9, 18
_USES: dict[str, FileUse] = {
    "entities": "entity",
    "packages": "package",
    "screenshots": "screenshot",
    "avatars": "avatar",
    "emblems": "emblem",
}
"""What the files of each folder are for."""


def avatar(person: str) -> str:
    """The name of a person's avatar."""
    return f"avatars/{person}.png"


def emblem(motif: str, what: str) -> str:
    """That of the emblem of one of the REWARDS of a challenge."""
    return f"emblems/{motif}-{what}.png"


def screenshots(content: str) -> list[str]:
    """Those of a content's screenshots."""
    return [f"screenshots/{content}-{number}.png" for number in range(1, SHOTS + 1)]


def entity(name: str, number: int = 1) -> str:
    """That of a revision of an entity."""
    return f"entities/{name}-{number}.entity"


def package(name: str) -> dict[str, str]:
    """Those of a package by platform."""
    return {platform: f"packages/{name}.{platform}" for platform in PLATFORMS}


def called(name: str, number: int | None = None) -> str:
    """What a download of a revision of an entity is called, or without a number of a package."""
    base = name.rpartition("/")[2]
    return f"{base}.zip" if number is None else f"{base}-{number}.obj"


class DemoFiles:
    """The paths of the demo's files. Without `make` they are the names, as given by a studio whose
    files are elsewhere. Otherwise each file is made, and has a path of the service's own."""

    def __init__(self, *, make: bool) -> None:
        self.bytes: dict[str, bytes] = {}
        """The files that were made, by their paths."""
        self._paths: dict[str, str] = {}
        self._uses: dict[str, FileUse] = {}
        self._sent: dict[str, set[str]] = {}
        for sender, name, data in _all() if make else ():
            media_type = "image/png" if name.endswith(".png") else BINARY
            path = path_of(sha256(data).hexdigest(), media_type)
            self.bytes[path], self._paths[name] = data, path
            self._uses[path] = _USES[name.partition("/")[0]]
            self._sent.setdefault(sender, set()).add(path)

    def path(self, name: str) -> str:
        """The path of the file of this name."""
        return self._paths.get(name, name)

    async def announce(self, tx: Db) -> None:
        """Register the files for a day, before their bytes come."""
        await files.touch(tx, sorted(self.bytes))
        await files.begin(tx, sorted(self.bytes))

    async def lay(self, reactor: Any, db: Any, settings: Settings) -> str:
        """Put all files into the place that the settings name. Gives the URL below which images
        are, "" for the daemon itself. Raises CommandError, ConfigError, StorageUnavailable."""
        from contentsvc.command.file_stores import place, put
        from contentsvc.framework.core.concurrency import for_each_bounded

        here = place(reactor, settings, settings.files)

        async def written(folder: Path) -> AsyncIterator[tuple[str, Path]]:
            for number, (path, data) in enumerate(self.bytes.items()):
                file = folder / str(number)
                file.write_bytes(data)
                yield path, file

        async def lay(named: tuple[str, Path]) -> None:
            path, file = named
            await put(here, path, len(self.bytes[path]), file)

        try:
            await here.start(db, new=True)
            with TemporaryDirectory(prefix="contentsvc-demo-") as folder:
                await for_each_bounded(AT_ONCE, written(Path(folder)), lay)
            return here.bucket.media_url("")
        finally:
            await here.stop()

    async def give(self, tx: Db, name: str, user: str) -> None:
        """Let the files that the person of this name has sent be the user's. Raises
        CommandError."""
        mine = sorted(self._sent.get(name, ()))
        if not mine:
            return
        await storage.lock(tx, user)
        locked = await files.lock(tx, mine)
        if len(locked) < len(mine) or any(row.collecting for row in locked):
            raise CommandError("a file of the demo is just being deleted; try again")
        if any(row.blocked for row in await files.states_of(tx, user, mine)):
            raise CommandError("an admin has blocked a file of the demo")
        sizes, yes = [len(self.bytes[path]) for path in mine], [True] * len(mine)
        uses = [self._uses[path] for path in mine]
        await files.settle(tx, user, mine, yes, [*sizes], [False] * len(mine), uses)
        await storage.announce(tx, user, mine, sizes, yes, uses)

    async def claim(
        self,
        tx: Db,
        caller: str,
        kind: references.ClaimKind,
        holder: str,
        own: Iterable[str],
        used: Iterable[str] = (),
        *,
        revision: str | None = None,
    ) -> None:
        """Claim the files of these names for a user, a challenge, or a `revision` of content: `own`
        count for the caller, `used` do not. Raises CommandError."""
        wanted = {self.path(name): False for name in used} | {self.path(name): True for name in own}
        wanted = {path: mine for path, mine in wanted.items() if path in self.bytes}
        if not wanted:
            return
        faults = await references.claim(
            tx,
            caller=caller,
            owner=None if kind == "challenge" else caller,
            content=holder if kind == "content" else None,
            revision=revision,
            holder=holder,
            kind=kind,
            paths=list(wanted),
            own=list(wanted.values()),
            brought=[mine or kind == "challenge" for mine in wanted.values()],
        )
        if faults:
            raise CommandError(f"the file {faults[0].path} of the demo cannot be used; try again")


def _all() -> Iterator[tuple[str, str, bytes]]:
    """All files: the sender of each, its name, and its bytes."""
    pictures = [(person, avatar(person)) for person in WORLD["people"]]
    for contest in WORLD["challenges"]:
        pictures += [(WORLD["curator"], emblem(contest["emblem"], what)) for what in REWARDS]
    for name, content in WORLD["contents"].items():
        author, revisions = content["author"], len(content.get("changes", ())) + 1
        pictures += [(author, picture) for picture in screenshots(name)]
        parts = [(name, number) for number in range(1, revisions + 1)]
        for part, number in (*parts, *((part, 1) for part in brought(name))):
            yield author, entity(part, number), _model(f"{part}, revision {number}")
        for bundle in content.get("bundles", ()):
            for platform, file in package(bundle).items():
                yield author, file, _bundle(bundle, platform)
    for person, name in pictures:
        yield person, name, _picture(name)


def _picture(name: str) -> bytes:
    """A picture as PNG, made from the WebP of the package, which is smaller."""
    out = io.BytesIO()
    with Image.open((FOLDER / "pictures" / name).with_suffix(".webp")) as picture:
        picture.save(out, "PNG")
    return out.getvalue()


def _model(name: str) -> bytes:
    """A turned solid, as text that programs for 3D models read (Wavefront OBJ)."""
    random = Random(name)  # noqa: S311
    lines = [f"# {name}: from the demo of contentsvc", f"o {name.replace(' ', '_')}"]
    for ring in range(_RINGS):
        radius = random.uniform(0.25, 1.0)
        for turn in (2 * pi * side / _SIDES for side in range(_SIDES)):
            lines.append(f"v {radius * cos(turn):.3f} {ring * 0.25:.3f} {radius * sin(turn):.3f}")
    for first in range(1, (_RINGS - 1) * _SIDES, _SIDES):
        for side in range(_SIDES):
            a, b = first + side, first + (side + 1) % _SIDES
            lines.append(f"f {a} {b} {b + _SIDES} {a + _SIDES}")
    return "\n".join([*lines, ""]).encode()


def _bundle(name: str, platform: str) -> bytes:
    """A package for one platform: a ZIP archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bundle:
        # Of one date, so that the bytes are the same each time.
        about = f"The package {name} of the demo of contentsvc, for {platform}.\n"
        bundle.writestr(zipfile.ZipInfo("README.txt"), about)
        bundle.writestr(zipfile.ZipInfo(f"{name}.obj"), _model(f"{name} for {platform}"))
    return out.getvalue()
