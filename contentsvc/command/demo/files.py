"""The files of `contentsvc demo`: which bytes each has, where they go, and whose they are.

The bytes are in the store before the world is in the database. Their rows come first of all, so
that the bytes of a demo that fails are collected a day later.
"""

import io
import zipfile
from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial
from hashlib import sha256
from math import cos, pi, sin
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from contentsvc.command.demo import pictures, world
from contentsvc.command.demo.world import Contest, Item, Person
from contentsvc.command.terminal import CommandError
from contentsvc.config import Settings
from contentsvc.framework.db.query import Db
from contentsvc.framework.storage.paths import BINARY, path_of
from contentsvc.store.files import files, references, storage
from contentsvc.wire.content import PLATFORMS
from contentsvc.wire.files import FileUse

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


class DemoFiles:
    """The paths of the demo's files. Without `make` they are names, as a studio gives them that
    keeps files elsewhere. Otherwise each file is made, and has a path of the service's own."""

    def __init__(self, *, make: bool) -> None:
        self._make = make
        self._paths: dict[str, str] = {}
        self._uses: dict[str, FileUse] = {}
        self.bytes: dict[str, bytes] = {}
        """The files that were made, by their paths."""
        for item in world.ITEMS:
            self.of_item(item)
        for person in world.PEOPLE:
            self.avatar(person)
        for contest in world.CHALLENGES:
            for what in REWARDS:
                self.emblem(contest, what)

    def entity(self, name: str, number: int = 1) -> str:
        """The path of a revision of an entity."""
        model = partial(_model, f"{name}, revision {number}")
        return self._path(f"entities/{name}-{number}.entity", BINARY, model)

    def package(self, name: str) -> dict[str, str]:
        """The paths of a package by platform."""
        return {
            platform: self._path(
                f"packages/{name}.{platform}", BINARY, partial(_bundle, name, platform)
            )
            for platform in PLATFORMS
        }

    def screenshots(self, item: Item) -> list[str]:
        """The paths of an item's screenshots."""
        return [
            self._path(
                f"screenshots/{item.name}-{n}.png",
                "image/png",
                partial(pictures.screenshot, item.name, item.title, n),
            )
            for n in range(1, pictures.SHOTS + 1)
        ]

    def of_item(self, item: Item) -> set[str]:
        """The paths of all files that the author of an item sends for it."""
        paths = {*self.screenshots(item), self.entity(item.name)}
        paths |= {self.entity(f"{item.name}/{part}") for part in item.brings}
        paths |= {self.entity(item.name, number) for number in range(2, len(item.changes) + 2)}
        if item.package is not None:
            paths |= set(self.package(item.package).values())
        return paths

    def avatar(self, person: Person) -> str:
        """The path of a person's avatar."""
        picture = partial(pictures.avatar, person.name)
        return self._path(f"avatars/{person.name}.png", "image/png", picture)

    def emblem(self, contest: Contest, what: str) -> str:
        """The path of the emblem of one of the REWARDS of a challenge."""
        picture = partial(pictures.emblem, contest.emblem, contest.color, won=what == "win")
        return self._path(f"emblems/{contest.emblem}-{what}.png", "image/png", picture)

    def _path(self, name: str, media_type: str, make: Callable[[], bytes]) -> str:
        if not self._make:
            return name
        if name not in self._paths:
            data = make()
            path = path_of(sha256(data).hexdigest(), media_type)
            self._paths[name] = path
            self._uses[path] = _USES[name.partition("/")[0]]
            self.bytes[path] = data
        return self._paths[name]

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

    async def give(self, tx: Db, user: str, paths: Iterable[str]) -> None:
        """Let these files be a user's, who has sent them. Raises CommandError."""
        mine = sorted(path for path in set(paths) if path in self.bytes)
        if not mine:
            return
        await storage.lock(tx, user)
        held = await files.lock(tx, mine)
        if len(held) < len(mine) or any(row.collecting for row in held):
            raise CommandError("a file of the demo is just being deleted; try again")
        if any(row.blocked for row in await files.standing(tx, user, mine)):
            raise CommandError("an admin has blocked a file of the demo")
        sizes, yes = [len(self.bytes[path]) for path in mine], [True] * len(mine)
        uses = [self._uses[path] for path in mine]
        await files.settle(tx, user, mine, yes, [*sizes], [False] * len(mine), uses)
        await storage.announce(tx, user, mine, sizes, yes, uses)

    async def claim(
        self,
        tx: Db,
        caller: str,
        kind: references.Kind,
        holder: str,
        own: Iterable[str],
        used: Iterable[str] = (),
        *,
        revision: str | None = None,
    ) -> None:
        """Claim the files of a user, of a challenge, or of a `revision` of content: `own` count for
        the caller, `used` do not. Raises CommandError."""
        wanted = dict.fromkeys(used, False) | dict.fromkeys(own, True)
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


def _model(name: str) -> bytes:
    """A turned solid, as text that programs for 3D models read (Wavefront OBJ)."""
    random = Random(name)  # noqa: S311
    radius = [random.uniform(0.25, 1.0) for _ in range(_RINGS)]
    lines = [f"# {name}: from the demo of contentsvc", f"o {name.replace(' ', '_')}"]
    for ring in range(_RINGS):
        for side in range(_SIDES):
            turn = 2 * pi * side / _SIDES
            x, z = radius[ring] * cos(turn), radius[ring] * sin(turn)
            lines.append(f"v {x:.3f} {ring * 0.25:.3f} {z:.3f}")
    for ring in range(_RINGS - 1):
        for side in range(_SIDES):
            a, b = ring * _SIDES + side + 1, ring * _SIDES + (side + 1) % _SIDES + 1
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
