"""Another checkout of the project, whose daemon is measured beside this one's.

Each has a database of its own, with its own schema and the data set that its own benchmark makes,
so that what a new schema costs counts as this checkout's.
"""

import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path

_FILL = """
import sys
from scripts.benchmark import dataset
from scripts.benchmark.world import Sizes
dataset.fill(sys.argv[1], Sizes.at(float(sys.argv[2])), lambda line: print(line, flush=True))
"""
"""What runs in the other checkout: its own modules have these names too."""


class BesideError(Exception):
    """The other checkout cannot be used; `str()` says why."""


class Checkout:
    """The checkout in `folder`, installed into its own .venv; `keys` is the secret file that its
    commands get. Raises BesideError."""

    name = "bench_beside"

    def __init__(self, folder: Path, keys: Path) -> None:
        self.folder = folder
        self._keys = keys
        if not (folder / "scripts/venv").exists():
            raise BesideError(f"{folder} is no checkout of this project")
        self._run([str(folder / "scripts/venv")])
        self.commit = self._run(["git", "describe", "--always", "--dirty"]).strip()

    @property
    def version(self) -> str:
        """Changes with its data set and its schema."""
        made_of = [self.folder / f"scripts/benchmark/{name}.py" for name in ("dataset", "world")]
        made_of += sorted(self.folder.glob("contentsvc/**/schema/*.sql"))
        digest = hashlib.sha256()
        for file in made_of:
            digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
        return digest.hexdigest()

    def script(self, name: str) -> str:
        """The path of a console script in its .venv."""
        return str(self.folder / ".venv/bin" / name)

    def make(self, url: str, scale: float, say: Callable[[str], None]) -> None:
        """Bring the empty database up to its schema, and fill it. Raises BesideError."""
        options = ["--database", url, "--secret-file", str(self._keys)]
        self._run([self.script("contentsvc"), "migrate", *options])
        for line in self._run([self.script("python"), "-c", _FILL, url, str(scale)]).splitlines():
            say(f"beside: {line}")

    def _run(self, command: list[str]) -> str:
        try:
            done = subprocess.run(  # noqa: S603
                command, cwd=self.folder, capture_output=True, text=True, check=False
            )
        except OSError as error:
            raise BesideError(f"{command[0]}: {error}") from error
        if done.returncode:
            raise BesideError(f"{command[0]}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout
