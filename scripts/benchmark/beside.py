"""Another checkout of the project, whose daemon is measured beside this one's.

Each has a database of its own, with its own schema, so that what a new schema costs counts as this
checkout's. The data set is a copy of this checkout's.
"""

import hashlib
import subprocess
from pathlib import Path

from . import bulk


class BesideError(Exception):
    """The other checkout cannot be used; `str()` says why."""


class Checkout:
    """The checkout in `folder`, of an older release, installed into its own .venv. Its database
    is called `name`, `keys` is the secret file that its commands get, and `source` has this
    checkout's data set, of version `made`. Raises BesideError."""

    def __init__(self, folder: Path, name: str, keys: Path, source: str, made: str) -> None:
        self.folder = folder
        self.name = name
        self._keys = keys
        self._source = source
        self._made = made
        if not (folder / "scripts/venv").exists():
            raise BesideError(f"{folder} is no checkout of this project")
        self._run([str(folder / "scripts/venv")])
        self.commit = self._run(["git", "describe", "--always", "--dirty"]).strip()

    @property
    def version(self) -> str:
        """Changes with the data set and its schema."""
        digest = hashlib.sha256(self._made.encode())
        for file in sorted(self.folder.glob("contentsvc/**/schema/*.sql")):
            digest.update(b"\0" + file.name.encode() + b"\0" + file.read_bytes())
        return digest.hexdigest()

    def script(self, name: str) -> str:
        """The path of a console script in its .venv."""
        return str(self.folder / ".venv/bin" / name)

    def make(self, url: str, say: bulk.Say) -> None:
        """Bring the empty database up to its schema, and fill it. Raises BesideError."""
        options = ["--database", url, "--secret-file", str(self._keys)]
        self._run([self.script("contentsvc"), "migrate", *options])
        bulk.copied(self._source, url, lambda line: say(f"beside: {line}"))

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
