"""Debian's Prometheus, and the text that a daemon gives it."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import treq
from twisted.trial.unittest import SkipTest

from tests.support.daemon import Daemon

PATIENCE = 8.0
"""Seconds after which Prometheus would have given up; its default is 10."""
REQUIRED = "CONTENTSVC_REQUIRE_PROMETHEUS"


def program(name: str) -> str:
    """The path of `prometheus` or `promtool`. Skips the test without it."""
    found = shutil.which(name)
    if found is None:
        if os.environ.get(REQUIRED):
            raise AssertionError(f"{REQUIRED} is set, and there is no {name}")
        raise SkipTest(f"needs {name}, of Debian's package prometheus")
    return found


def promtool(*arguments: str, given: bytes | None = None, folder: Path | None = None) -> str:
    """What promtool says. AssertionError if it finds a fault."""
    done = subprocess.run(
        [program("promtool"), *arguments],
        input=given,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    assert done.returncode == 0, f"{arguments}: {done.stdout.decode()}"
    return done.stdout.decode()


def samples(text: bytes) -> dict[str, float]:
    """The numbers of a scrape by name and labels, as they are written."""
    found = {}
    for line in text.decode().splitlines():
        if not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            found[name] = float(value)
    return found


class Watched(Daemon):
    """A daemon with an admin endpoint, on a port that the kernel chooses."""

    def __init__(self, *options: str, **more: Any) -> None:
        super().__init__("--admin", "tcp:0:interface=127.0.0.1", *options, **more)

    @property
    def admin(self) -> str:
        """The URL of the admin endpoint, without a slash at its end. AssertionError if it does not
        listen yet."""
        ports = re.findall(r"AdminSite starting on (\d+)", self.output())
        assert ports, "no admin endpoint"
        return f"http://127.0.0.1:{ports[-1]}"

    async def page(self, path: str) -> tuple[int, bytes]:
        """The status and the body of a GET. It fails if that takes over PATIENCE seconds."""
        response = await treq.get(self.admin + path, persistent=False, timeout=PATIENCE)
        return response.code, await response.content()

    async def scrape(self) -> dict[str, float]:
        """The metrics of now."""
        status, text = await self.page("/metrics")
        assert status == 200, text
        return samples(text)
