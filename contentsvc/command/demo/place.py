"""Whether the daemon that answers at a URL is one of the database that a command works on."""

import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Final

from contentsvc.command.terminal import CommandError
from contentsvc.config import Settings
from contentsvc.framework.db.blocking import in_transaction
from contentsvc.framework.db.query import Db
from contentsvc.store import processes

_PATIENCE: Final = 5.0
"""Seconds to wait for an answer. Where there is none, nobody knows what runs there."""
_BEATS: Final = 5
"""How often the database is asked, a second apart: a process that has just started is not in it
yet."""
_NUMBER: Final = re.compile(r"([0-9a-f]{12})-[0-9a-f]+")


def process_at(url: str) -> str | None:
    """What the requests of the process that answers at a URL are numbered with (X-Request-Id); None
    if none answers, or another program."""
    request = urllib.request.Request(f"{url}/health/live")  # noqa: S310 - checked by who gives it
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:  # noqa: S310
            headers = answer.headers
    except urllib.error.HTTPError as error:
        headers = error.headers
    except (OSError, ValueError):
        return None
    found = _NUMBER.fullmatch(headers.get("X-Request-Id") or "")
    return None if found is None else found[1]


def is_other(process: str | None, dsn: str | None) -> bool:
    """Whether a process that answers works on another database than the one that `dsn` leads to;
    without it, there is none yet."""
    return process is not None and (dsn is None or not _is_there(dsn, process))


def check(url: str, process: str | None, settings: Settings, dsn: str | None) -> None:
    """Raises CommandError if the `process` that answers at this URL works on another database than
    that of the settings, which `dsn` leads to."""
    if not is_other(process, dsn):
        return
    own = f"in {settings.data_dir}" if settings.database is None else "that --database names"
    raise CommandError(
        f"--url {url}: the daemon there has another database than the one {own}, so it would show "
        "nothing of this; give the --data-dir or the --database of that daemon"
    )


def _is_there(
    dsn: str, process: str, sleep: Callable[[float], object] = time.sleep, beats: int = _BEATS
) -> bool:
    async def find(db: Db) -> bool:
        return await processes.numbers(db, process)

    for left in reversed(range(beats)):
        if in_transaction(dsn, find):
            return True
        if left:
            sleep(1.0)
    return False
