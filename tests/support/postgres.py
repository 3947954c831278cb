"""Real Postgres servers for tests. All processes of a run share them; a process that runs alone
starts its own when first asked, and ends it.

Two kinds, because what the service may use differs between them: Postgres 18 as it comes with the
service, without pg_trgm, and Debian's, older and with it. Neither keeps data, so fsync is off.
"""

import atexit
import fcntl
import hashlib
import os
import pwd
import secrets
import shlex
import shutil
import subprocess
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any
from unittest import SkipTest, TestCase
from urllib.parse import quote, urlsplit

import psycopg2
from psycopg2 import sql

from contentsvc.framework.postgres.embedded import EmbeddedPostgres
from contentsvc.framework.postgres.programs import VERSION
from contentsvc.store.migrate import migrate
from tests.support import servers

ROOT = Path(__file__).resolve().parent.parent.parent
# Few buffers are soon looked through, which each drop of a table does.
_FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "128MB",
    "max_wal_size": "128MB",
    "max_connections": "300",
}


_TABLES = """
    select relname from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and relname not like 'schema\\_%'
"""
_SEQUENCES = """
    select setval(format('%I', sequencename)::regclass, start_value, false) from pg_sequences
    where schemaname = 'public' and last_value is not null
"""
_SCHEMA = """
    select md5(string_agg(line, ' ' order by line collate "C")) from (
        select concat(relname, relnatts) from pg_class
        where relkind <> 't' and relnamespace >= 'public'::regnamespace
        union all select conname from pg_constraint
        union all select concat(tgname, tgenabled) from pg_trigger where not tgisinternal
        union all select concat(proname, prosrc) from pg_proc
        where pronamespace >= 'public'::regnamespace
    ) lines (line)
"""


def prepared() -> Path:
    """A data folder of a daemon, with the database of a first start, to be copied. It is made when
    the schema has changed since the last time, and kept in the clone."""
    digest = hashlib.sha256(str(VERSION).encode())
    for path in sorted((ROOT / "contentsvc" / "store").rglob("*")):
        if path.suffix == ".sql" or path.name in {"migrate.py", "schema_definition.py"}:
            digest.update(path.read_bytes())
    folder = ROOT / "_trial_temp.data" / digest.hexdigest()[:16]
    if not folder.exists():
        folder.parent.mkdir(exist_ok=True)
        # One makes it, and the others wait: it removes those that were before.
        with (folder.parent / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                _prepare(folder)
    return folder


def _prepare(folder: Path) -> None:
    made = new_folder()
    made.chmod(0o755)  # as root the embedded Postgres is another system user
    server = EmbeddedPostgres(made / "data", own=True, settings={"fsync": "off"})
    migrate(server.start())
    server.stop()
    with (server.folder / "postgresql.conf").open("a") as settings:
        settings.write("fsync = off\nshared_buffers = 128MB\n")
    for old in folder.parent.iterdir():
        if old.is_dir():
            shutil.rmtree(old, ignore_errors=True)
    copy = folder.with_suffix(".new")
    # With its owner, who for root is another one.
    subprocess.run(["cp", "-a", made / "data", copy], check=True)
    copy.rename(folder)


@cache
def embedded() -> str:
    """URL of the Postgres 18 that the service brings; pg_trgm cannot be installed there."""
    return servers.ask("embedded") or start_embedded()


def start_embedded() -> str:
    """Start one that ends with this process. Its database contentsvc has the schema."""
    folder = new_folder()
    folder.chmod(0o755)
    subprocess.run(["cp", "-a", prepared(), folder / "data"], check=True)
    server = EmbeddedPostgres(folder / "data", own=True, settings=_FAST)
    url = server.start()
    atexit.register(server.stop)
    return urlsplit(url)._replace(path="/postgres").geturl()


@cache
def debian() -> str | None:
    """URL of Debian's newest installed Postgres, with pg_trgm at hand; None where it has none."""
    return servers.ask("debian") or start_debian()


def start_debian() -> str | None:
    """Start one that ends with this process, if Debian's is installed."""
    installed = Path("/usr/lib/postgresql").glob("*/bin/postgres")
    newest = max(installed, key=lambda path: int(path.parts[-3]), default=None)
    if newest is None:
        return None
    folder, bin_folder = new_folder(), newest.parent
    whom: dict[str, Any] = {"cwd": "/"}
    if os.geteuid() == 0:  # Postgres refuses root; the package makes this user
        user = pwd.getpwnam("postgres")
        os.chown(folder, user.pw_uid, user.pw_gid)
        whom |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def run(program: str, *words: str) -> None:
        command = [bin_folder / program, *words, "-D", folder / "data"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **whom)

    options = {**_FAST, "listen_addresses": "", "port": "5432"}
    options["unix_socket_directories"] = str(folder)
    words = " ".join(f"-c {name}={shlex.quote(value)}" for name, value in options.items())
    run("initdb", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "-Upostgres")
    run("pg_ctl", "start", "-w", "-l", str(folder / "log"), "-o", words)
    atexit.register(run, "pg_ctl", "stop", "-w", "-m", "immediate")
    return f"postgresql://postgres@/postgres?host={quote(str(folder), safe='')}&port=5432"


def require_debian(case: TestCase) -> str:
    """`debian()`; without it `case` is skipped, or fails where CI promised it."""
    if url := debian():
        return url
    if os.environ.get("CONTENTSVC_REQUIRE_DEBIAN_POSTGRES") == "1":
        case.fail("Debian's postgresql is not installed")
    raise SkipTest("Debian's postgresql is not installed")


@cache
def template(server: str) -> str:
    """URL of a database with the schema, to be copied."""
    if server == embedded():
        return urlsplit(server)._replace(path="/contentsvc").geturl()
    if server == debian() and (found := servers.ask("debian-template")):
        return found
    return new_template(server)


def new_template(server: str) -> str:
    """URL of a new database with the schema."""
    url = database(server)
    migrate(url)
    return url


def database(server: str, template: str | None = None) -> str:
    """URL of a new database on `server`, empty or a copy of that of the URL `template`.

    Nobody may be connected to the template. `drop` it when done: a copy is 8 MB.
    """
    name = f"test_{secrets.token_hex(8)}"
    source = urlsplit(template).path[1:] if template else "template0"
    # Not through the log, which takes five times as long.
    statement = "create database {} template {} strategy file_copy"
    _administer(server, statement, name, source)
    return urlsplit(server)._replace(path=f"/{name}").geturl()


def schema(url: str) -> str:
    """A digest of the tables, indexes, constraints, triggers and functions of a database."""
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute(_SCHEMA)
        ((digest,),) = cursor.fetchall()
    return str(digest)


def empty(url: str) -> None:
    """Take all rows out of a database with the schema, and begin each sequence anew. A new database
    would take ten times as long, and so would each connection to it at first."""
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        # No trigger runs, neither of foreign keys nor what refuses to forget what admins did.
        cursor.execute("set lock_timeout = '20s'; set session_replication_role = replica")
        cursor.execute(_TABLES)
        tables = [table for (table,) in cursor.fetchall()]
        cursor.execute(
            " union all ".join(f"(select '{each}' from {each} limit 1)" for each in tables)
        )
        for (used,) in cursor.fetchall():
            cursor.execute(f"delete from {used}")
        cursor.execute(_SEQUENCES)
        connection.commit()


def drop(url: str) -> None:
    """Remove what `database` made, with whoever is still connected to it."""
    _administer(url, "drop database if exists {} with (force)", urlsplit(url).path[1:])


def admit(url: str, connections: bool) -> None:
    """Whether a database is open to new connections."""
    statement = f"alter database {{}} allow_connections {connections}"
    _administer(url, statement, urlsplit(url).path[1:])


def kill(url: str, pid: int) -> None:
    """End a process of the server that has this database, which may be closed."""
    _administer(url, f"select pg_terminate_backend({pid:d})")


def _administer(server: str, statement: str, *names: str) -> None:
    with closing(psycopg2.connect(urlsplit(server)._replace(path="/postgres").geturl())) as admin:
        admin.autocommit = True
        with admin.cursor() as cursor:
            cursor.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def new_folder() -> Path:
    """A temporary folder that lasts as long as the process."""
    folder = Path(tempfile.mkdtemp(prefix="contentsvc-test-"))
    # Registered before its server's stop, so it runs after.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
