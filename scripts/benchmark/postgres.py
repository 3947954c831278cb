"""The benchmark's Postgres servers and the databases on them."""

import os
import pwd
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote, urlsplit

import psycopg2
from psycopg2 import sql

from contentsvc.framework.postgres.embedded import EmbeddedPostgres
from contentsvc.framework.postgres.programs import BIN, memory, settings_for
from contentsvc.store.migrate import migrate
from contentsvc.store.schema_definition import names

from . import dataset
from .world import Sizes

_OWN = settings_for(memory())
_SETTINGS = {
    **{name: _OWN[name] for name in ("shared_buffers", "jit", "max_connections")},
    "port": "5432",
}
"""Those that the embedded server has of its own, for the other one to be like it."""


class ServerError(Exception):
    """No such server can be started; `str()` says what is missing."""


class Server(Protocol):
    """A running server."""

    url: str
    """Of its database `postgres`."""
    data: Path
    """PGDATA."""
    programs: Path
    """The folder of its programs."""

    def stop(self) -> None: ...


class Embedded:
    """The Postgres that the service brings, as it configures it, and with further `settings`."""

    programs = BIN

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self._server = EmbeddedPostgres(folder, own=True, settings=settings)
        self.url = _named(self._server.start(), "postgres")
        self.data = folder / "postgres"

    def stop(self) -> None:
        """Stop it."""
        self._server.stop()


class Debian:
    """Debian's newest installed Postgres, in a data folder of its own: it has pg_trgm.

    Raises ServerError.
    """

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        found = Path("/usr/lib/postgresql").glob("*/bin/postgres")
        newest = max(found, key=lambda path: int(path.parts[-3]), default=None)
        if newest is None:
            raise ServerError("apt-get install postgresql")
        self.programs = newest.parent
        self.data = folder / f"debian-{newest.parts[-3]}"
        sockets = self.data / "sockets"
        self._whom: dict[str, Any] = {"cwd": "/"}
        fresh = not (self.data / "PG_VERSION").exists()
        if fresh:
            self.data.mkdir(0o700, parents=True, exist_ok=True)
        if os.geteuid() == 0:  # Postgres refuses root; the package makes this user
            user = pwd.getpwnam("postgres")
            os.chown(self.data, user.pw_uid, user.pw_gid)
            self._whom |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        if fresh:
            form = ("--encoding=UTF8", "--locale=C.UTF-8")
            self._run("initdb", "--auth=trust", "-Upostgres", *form)
            self._run_plain("mkdir", str(sockets))
        options = {**_SETTINGS, **settings, "listen_addresses": ""}
        options["unix_socket_directories"] = str(sockets)
        words = [f"-c {name}={shlex.quote(value)}" for name, value in options.items()]
        log = str(self.data / "log")
        self._run("pg_ctl", "start", "-w", "-l", log, "-o", " ".join(words))
        self.url = f"postgresql://postgres@/postgres?host={quote(str(sockets), safe='')}&port=5432"

    def stop(self) -> None:
        """Stop it."""
        self._run("pg_ctl", "stop", "-w", "-m", "fast")

    def _run(self, program: str, *words: str) -> None:
        self._run_plain(str(self.programs / program), *words, "-D", str(self.data))

    def _run_plain(self, *command: str) -> None:
        try:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **self._whom)  # noqa: S603
        except (subprocess.CalledProcessError, OSError) as error:
            raise ServerError(f"Debian's Postgres: {error}") from error


@contextmanager
def settings(url: str, values: Mapping[str, str]) -> Iterator[None]:
    """Have the server of this database run with other settings for a while: those that need no new
    start."""
    _alter(url, "alter system set {} = %s", values)
    try:
        yield
    finally:
        _alter(url, "alter system reset {}", dict.fromkeys(values))


def postmaster(server: Server) -> int:
    """The process that all others of the server descend from."""
    return int((server.data / "postmaster.pid").read_text().splitlines()[0])


class Maker(Protocol):
    """Makes a data set. `name` is its database's, `version` changes with it."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    def make(self, url: str, say: Callable[[str], None]) -> None:
        """Bring the empty database up to date, and fill it."""


class Ours(NamedTuple):
    """Makes the data set of this checkout."""

    name: str
    sizes: Sizes

    @property
    def version(self) -> str:
        """Changes with the data set and the schema."""
        return f"{dataset.VERSION} {' '.join(names())}"

    def make(self, url: str, say: Callable[[str], None]) -> None:
        """Raises dataset.Inconsistent."""
        migrate(url)
        dataset.fill(url, self.sizes, say)


def original(server: Server, say: Callable[[str], None], maker: Maker) -> str:
    """URL of the database with the data set, made where it is missing or of another version. Others
    are copied from it, so nothing may be written there.

    Raises dataset.Inconsistent, BesideError.
    """
    url = _named(server.url, maker.name)
    if _comment(server, maker.name) != maker.version:
        say(f"data set: making {maker.name}, once")
        begun = time.monotonic()
        _administer(server, "drop database if exists {} with (force)", maker.name)
        _administer(server, "create database {} template template0", maker.name)
        maker.make(url, say)
        _administer(server, f"comment on database {{}} is '{maker.version}'", maker.name)
        say(f"data set: made in {time.monotonic() - begun:.0f} s")
    return url


def copy(server: Server, url: str, say: Callable[[str], None]) -> str:
    """URL of a copy of a database, which is the caller's to write into."""
    name = urlsplit(url).path[1:]
    say(f"data set: copying {name} for this run")
    copied = f"{name}_copy"
    _administer(server, "drop database if exists {} with (force)", copied)
    # Page for page, not through the log, which checkpoints would have to write during the run.
    strategy = " strategy file_copy" if _version(server) >= 150_000 else ""
    _administer(server, f"create database {{}} template {{}}{strategy}", copied, name)
    return _named(server.url, copied)


def fresh(server: Server, name: str) -> str:
    """URL of an empty database, made anew."""
    _administer(server, "drop database if exists {} with (force)", name)
    _administer(server, "create database {} template template0", name)
    return _named(server.url, name)


def dropped(server: Server, url: str) -> None:
    """Remove a copy."""
    _administer(server, "drop database if exists {} with (force)", urlsplit(url).path[1:])


def _alter(url: str, statement: str, values: Mapping[str, str | None]) -> None:
    with closing(psycopg2.connect(url)) as admin, admin.cursor() as cursor:
        admin.autocommit = True
        for name, value in values.items():
            words = sql.SQL(statement).format(sql.Identifier(name))
            cursor.execute(words, None if value is None else (value,))
        cursor.execute("select pg_reload_conf()")


def _named(url: str, database: str) -> str:
    return urlsplit(url)._replace(path=f"/{database}").geturl()


def _comment(server: Server, database: str) -> str | None:
    with closing(psycopg2.connect(server.url)) as admin, admin.cursor() as cursor:
        cursor.execute(
            "select shobj_description(oid, 'pg_database') from pg_database where datname = %s",
            (database,),
        )
        row = cursor.fetchone()
        return row and row[0]


def _version(server: Server) -> int:
    with closing(psycopg2.connect(server.url)) as admin:
        return int(admin.server_version)


def _administer(server: Server, statement: str, *names: str) -> None:
    with closing(psycopg2.connect(server.url)) as admin:
        admin.autocommit = True
        with admin.cursor() as cursor:
            cursor.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))
