"""Another checkout of the project, whose daemon is measured beside this one's.

Only its commands, its daemon and its tables are used, so the layout of its code does not matter.
Each daemon has a database of its own, with its own schema: what a new schema costs counts as this
checkout's. The rows are a copy of this checkout's.
"""

import subprocess
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from psycopg2 import sql

from . import BenchError
from .daemon import Program
from .databases import Say
from .dataset import connection, loading, tables


class Checkout:
    """The checkout in `folder`, installed into its own .venv. Raises BenchError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.program = Program("beside", folder, folder / ".venv/bin/twistd")
        if not (folder / "scripts/venv").exists():
            raise BenchError(f"{folder} is no checkout of this project")
        self._run([str(folder / "scripts/venv")])
        self.commit = self._run(["git", "describe", "--always", "--dirty"]).strip()

    def make(self, url: str, keys: Path, source: str, say: Say) -> None:
        """Bring an empty database up to its schema, with this secret file, and fill it from that
        of this checkout. Raises BenchError."""
        options = ["--database", url, "--secret-file", str(keys)]
        self._run([str(self._folder / ".venv/bin/contentsvc"), "migrate", *options])
        _copy_rows(source, url, lambda line: say(f"beside: {line}"))

    def _run(self, command: list[str]) -> str:
        done = subprocess.run(  # noqa: S603
            command, cwd=self._folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise BenchError(f"{command[0]}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout


def _copy_rows(source: str, target: str, say: Say) -> None:
    """Fill the empty tables of `target` from those of `source`: the columns that both have. Says
    which the other has alone."""
    with connection(source) as reader, connection(target) as writer, loading(writer, say):
        ours, theirs = tables(reader), tables(writer)
        say("data set: rows")
        for table, columns in theirs.items():
            common = [each for each in columns if each in ours.get(table, ())]
            if alone := [each for each in columns if each not in common]:
                say(f"not filled: {table} ({', '.join(alone)})")
            if common:
                _copy_table(reader, writer, table, common)
        for name in _sequences(reader) & _sequences(writer):
            place = sql.Identifier(name)
            reader.execute(sql.SQL("select last_value, is_called from {}").format(place))
            writer.execute("select setval(%s, %s, %s)", (name, *reader.fetchone()))


def _copy_table(reader: Any, writer: Any, table: str, columns: list[str]) -> None:
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    place = sql.Identifier(table)
    out = sql.SQL("copy (select {} from {}) to stdout (format binary)").format(names, place)
    into = sql.SQL("copy {} ({}) from stdin (format binary)").format(place, names)
    with TemporaryFile() as file:
        reader.copy_expert(out, file)
        file.seek(0)
        writer.copy_expert(into, file)


def _sequences(cursor: Any) -> set[str]:
    cursor.execute("select sequencename from pg_sequences where schemaname = 'public'")
    return {name for (name,) in cursor.fetchall()}
