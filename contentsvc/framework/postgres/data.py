"""Reads the folder of the embedded Postgres: which database it holds, which server runs on it, and
why a server ended."""

import os
import re
import signal
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import quote

import psutil
import psycopg2

_IDENTITY = 8
"""Bytes at the beginning of pg_control: the number that initdb gives to each database, and that
never changes."""


class Running(NamedTuple):
    """A live server. `sockets` is its socket folder, "" before it has one."""

    process: psutil.Process
    sockets: str


def holds_data(pgdata: Path) -> bool:
    """Whether initdb has made a database here."""
    return (pgdata / "PG_VERSION").exists()


def identity(pgdata: Path) -> bytes:
    """The identity of the folder's database. Raises OSError."""
    with (pgdata / "global" / "pg_control").open("rb") as file:
        return file.read(_IDENTITY)


def is_there(pgdata: Path, known: bytes) -> bool:
    """Whether the folder holds that database. True also if the folder cannot be read."""
    try:
        return identity(pgdata) == known
    except PermissionError:
        return True
    except OSError:  # a lost volume does not always say "no such file"
        return False


def running(pgdata: Path) -> Running | None:
    """The live server of the folder. Raises OSError and psutil.Error if that is unknown."""
    try:
        lines = (pgdata / "postmaster.pid").read_text().splitlines()
        process = psutil.Process(abs(int(lines[0])))
        command = process.cmdline()
        if not command or Path(command[0]).name != "postgres":
            return None
        try:
            folder = process.cwd()
        except psutil.AccessDenied:  # root in a container, about another user's process
            folder = command[command.index("-D") + 1]
        if not pgdata.samefile(folder):
            return None
    except (FileNotFoundError, IndexError, ValueError, psutil.NoSuchProcess):
        return None
    return Running(process, lines[4] if len(lines) > 4 else "")


def end(process: psutil.Process) -> None:
    """Kill a server whose data have gone, if it runs. Raises psutil.Error."""
    if process.is_running():
        for number in (signal.SIGQUIT, signal.SIGKILL):
            with suppress(psutil.NoSuchProcess, psutil.TimeoutExpired):
                process.send_signal(number)
                process.wait(10.0)
                return


def forget_process(pgdata: Path) -> None:
    """Remove a dead server's process number from its file. Raises OSError.

    Another process may have the number by now, and Postgres would refuse to start. The rest of the
    file stays: Postgres needs it to find children of the dead server.
    """
    stale = pgdata / "postmaster.pid"
    with suppress(FileNotFoundError):
        with open(os.open(stale, os.O_RDWR | os.O_NOFOLLOW), "r+b") as file:
            rest = file.read().partition(b"\n")[2]
            file.seek(0)
            file.write(b"2147483647\n" + rest)  # above any pid
            file.truncate()
        if not rest:
            stale.unlink()


def last_words(pgdata: Path, stderr: IO[bytes]) -> str:
    """The reason for a server's end, from its output. Empties `stderr`."""
    stderr.seek(0)
    texts = [stderr.read()]
    stderr.seek(0)
    stderr.truncate()
    logs = sorted((pgdata / "log").glob("*.log"), key=lambda log: log.stat().st_mtime)
    texts += [log.read_bytes()[-20_000:] for log in logs[-1:]]
    for text in texts:
        if re.search(rb"FATAL|PANIC", text):
            said = re.findall(r"(?:LOG|FATAL|PANIC): +(.*)", text.decode(errors="replace"))
            return "; ".join(said[-2:])
    return f"see {pgdata / 'log'}"


def ready(sockets: str) -> str:
    """The URL of the database `contentsvc`, when the server answers. Makes the database if it is
    missing."""
    url = f"postgresql://postgres@/{{}}?host={quote(sockets, safe='')}&port=5432"
    connection = psycopg2.connect(url.format("postgres"), connect_timeout=5)
    with closing(connection), connection.cursor() as cursor:
        connection.autocommit = True
        cursor.execute("select 1 from pg_database where datname = 'contentsvc'")
        if cursor.fetchone() is None:
            cursor.execute("create database contentsvc")
    return url.format("contentsvc")
