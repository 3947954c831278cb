"""pgbouncer before a Postgres of the tests, on a Unix socket in a folder of its own."""

import os
import shutil
import subprocess
import time
from pathlib import Path
from unittest import SkipTest, TestCase
from urllib.parse import parse_qs, quote, urlsplit

import psycopg2

from tests.support import postgres

CONFIG = """
[databases]
* = host={host} port=5432 user=postgres
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = {folder}
auth_type = any
pool_mode = {mode}
default_pool_size = {size}
server_round_robin = {round_robin}
query_wait_timeout = 10
"""
_START = 10.0
"""Seconds for it to listen."""


def through(
    case: TestCase, url: str, mode: str, *, size: int = 20, round_robin: bool = False
) -> str:
    """The URL of a pgbouncer in this pool mode before the database `url`, until `case` ends.

    Skips the test where it is not installed, or fails it where CI promised it.
    """
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        if os.environ.get("CONTENTSVC_REQUIRE_PGBOUNCER") == "1":
            case.fail("pgbouncer is not installed")
        raise SkipTest("pgbouncer is not installed")
    host = Path(parse_qs(urlsplit(url).query)["host"][0])
    folder = postgres.new_folder()
    # pgbouncer refuses root, and only the server's owner may connect to it.
    owner = host.stat()
    os.chown(folder, owner.st_uid, owner.st_gid)
    config = folder / "pgbouncer.ini"
    config.write_text(
        CONFIG.format(host=host, folder=folder, mode=mode, size=size, round_robin=int(round_robin))
    )
    whom = {} if os.geteuid() else {"user": owner.st_uid, "group": owner.st_gid}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [program, config], cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log, **whom
        )
    case.addCleanup(_stop, process)
    name = f"{urlsplit(url).path}?host={quote(str(folder), safe='')}&port=6432"
    pooled = f"postgresql://postgres@{name}"
    deadline = time.monotonic() + _START
    while True:
        try:
            psycopg2.connect(pooled).close()
            return pooled
        except psycopg2.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError((folder / "log").read_text()) from None
            time.sleep(0.02)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    process.wait(20)
