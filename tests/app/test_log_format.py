"""The log of whole daemons with log_format json: each line, of whatever process, is an object."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import treq

from contentsvc.framework.core import build
from tests.support.daemon import Daemon, until
from tests.support.workers import WorkersCase

TRACE = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}


def objects(text: str) -> list[dict[str, Any]]:
    """The objects on these lines. Raises ValueError: a line is none."""
    found = [json.loads(line) for line in text.splitlines()]
    for each in found:
        assert {"time", "level", "logger", "message"} <= each.keys(), each
    return found


class WorkersTests(WorkersCase):
    async def connect(self) -> None:
        """Nothing runs yet."""
        self.own_daemon()

    async def test_all(self) -> None:
        """From start to end, with a worker killed in between, all processes write objects."""
        service = self.service = Daemon("--workers", "2", "--log-format", "json", first=True)
        self.addCleanup(service.stop)
        await service.start()
        await self.both()
        self.mark = 0
        await self.prefixes()
        url = f"{service.url}/api/v1/design-challenges"
        response = await treq.get(url, headers=TRACE, persistent=False)
        await response.content()
        os.kill(min(self.workers()), signal.SIGKILL)
        await self.serving(3)
        await service.stop()
        found = objects(service.output())
        first = f"contentsvc {build.name()}"
        self.assertEqual(first, found[0]["message"])
        said = {each.get("worker") for each in found if each["message"] == first}
        self.assertEqual({None, 1, 2}, said)
        requests = [each for each in found if each.get("route") == "/api/v1/design-challenges"]
        self.assertLessEqual({1, 2}, {each["worker"] for each in requests})
        self.assertEqual(requests[-1]["trace_id"], TRACE["traceparent"][3:35])
        (killed,) = [each for each in found if "ended unexpectedly" in each["message"]]
        self.assertEqual((killed["level"], killed.get("worker")), ("warn", None))

    async def test_file(self) -> None:
        """In a file, the lines of workers are their own, not texts in lines of their parent's."""
        file = Path(os.path.abspath(self.mktemp()))  # noqa: ASYNC240
        service = self.service = Daemon(
            "--workers", "2", "--log-format", "json", twistd=["--logfile", str(file)]
        )
        self.addCleanup(service.stop)
        await service.start()
        await until(lambda: file.read_text().count(" is ready") == 2, 60, "two workers")
        await service.stop()
        self.assertEqual(service.output(), "")
        found = objects(file.read_text())  # noqa: ASYNC240
        self.assertLessEqual({None, 1, 2}, {each.get("worker") for each in found})
