"""The examples of the framework's README: they run, and do what it says."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.config.kinds import number
from contentsvc.framework.config.reading import Source
from contentsvc.framework.config.setting import Section, Setting
from contentsvc.framework.core.timers import Bell
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db, Statements
from contentsvc.framework.http.call import Call
from contentsvc.framework.http.errors import named
from contentsvc.framework.http.operations import Family, table
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.route import route
from contentsvc.framework.sockets.frame_limits import FrameLimits
from contentsvc.framework.tasks.runner import Job
from contentsvc.framework.tasks.task_queue import STEPS, Task
from contentsvc.framework.tasks.task_runners import StepRunner, kinds
from tests.support.pages import rows

FRAMEWORK = Path(__file__).resolve().parents[2] / "contentsvc/framework"
README = (FRAMEWORK / "README.md").read_text()


class Bowl(Struct):
    """The rows of the examples, and what is answered."""

    name: str
    size: int


class Washed(NamedTuple):
    """What a step has done."""

    size: int
    place: str | None


async def washed(tx: Db, batch: Washed) -> None:
    """Nothing more is to be done."""


def example() -> dict[str, Any]:
    """The names that the examples declare, beside those that they use."""
    names: dict[str, Any] = {
        "__name__": "tests.readme",
        **{"Bowl": Bowl, "Washed": Washed, "washed": washed, "maybe": Statements().maybe},
        **{"NoBowl": named(404, "no_bowl", "There is no such bowl."), "ANYONE": ANYONE},
        **{"Call": Call, "Db": Db, "Database": Database, "route": route, "Task": Task},
        **{"kinds": kinds, "StepRunner": StepRunner, "STEPS": STEPS, "Job": Job, "Bell": Bell},
        **{"IReactorTime": IReactorTime, "FrameLimits": FrameLimits, "number": number},
        **{"SHELF": Section("Shelf"), "Setting": Setting, "dataclass": dataclass},
        "fields": fields,
    }
    for code in re.findall(r"^```python\n(.*?)^```$", README, re.M | re.S):
        exec(code, names)
    return names


class ReadmeTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.names = example()

    def test_length(self) -> None:
        """It is one page."""
        self.assertLessEqual(len(README.splitlines()), 80)

    def test_packages(self) -> None:
        """It names each package once."""
        named = [
            name for first, *_ in rows(README, "| Package |") for name in re.findall(r"\w+", first)
        ]
        packages = [path.parent.name for path in FRAMEWORK.glob("*/__init__.py")]
        self.assertEqual(sorted(named), sorted(packages))

    def test_paths(self) -> None:
        """The files that it names are there."""
        root = FRAMEWORK.parent.parent
        for path in re.findall(r"`([\w/]+\.py)`", README):
            self.assertTrue((root / path).is_file() or (FRAMEWORK / path).is_file(), path)

    def test_route(self) -> None:
        """The route is an operation, which answers the row of the statement or the error."""
        family = type("Bowls", (), {"get_bowl": self.names["get_bowl"], "db": None})
        (operation,) = table([Family("bowls", family, "/v1")])
        self.assertEqual((operation.path, operation.id), ("/v1/bowl/<guid:bowl>", "getBowl"))
        self.assertIn(self.names["NoBowl"], operation.errors)

    def test_step(self) -> None:
        """The task is done in parts, of which each begins where the one before has ended."""
        task, place, places = self.names["Wash"](upto=9), None, []
        for _ in range(3):
            place = self.successResultOf(_run(self.names["wash"], task, place)).place
            places.append(place)
        self.assertEqual(places, ["4", "8", None])

    def test_job(self) -> None:
        """The job has the queue of the steps."""
        job = self.names["washing"](Clock(), None)
        self.assertEqual((job.name, job.queue), ("wash bowls", STEPS))

    def test_setting(self) -> None:
        """The setting is read from where it is given, or has its default."""
        for environ, value in (({}, 8), ({"BOWLS_BOWLS": "5"}, 5)):
            source = Source("BOWLS_", {}, environ, "bowls.toml", {})
            settings = self.names["Settings"](**source.values(self.names["SETTINGS"]))
            self.assertEqual(settings.bowls, value)


def _run(step: Callable[..., Awaitable[Washed]], task: Task, place: str | None) -> Any:
    """A part of four."""

    async def run() -> Washed:
        return await step(None, task, place, 4)

    return Deferred.fromCoroutine(run())
