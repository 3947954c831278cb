"""The operations that there are, compared with those that there ought to be."""

import re
from pathlib import Path
from typing import NamedTuple

import msgspec
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc import config
from contentsvc.tap import Daemon
from contentsvc.web.route import Route

LISTED = Path(__file__).with_name("operations.txt")
SECTIONS = [f"§4.{number}" for number in range(1, 20)]


class Operation(NamedTuple):
    """One line of the list, without its section."""

    method: str
    path: str
    allow: str


def listed() -> list[tuple[Operation, str]]:
    """The list, each with its section of the spec or nothing."""
    lines = [line.split() for line in LISTED.read_text().splitlines() if line[0] != "#"]
    return [(Operation(*words[:3]), "".join(words[3:])) for words in lines]


def routes(**changes: object) -> list[tuple[Operation, Route]]:
    """The daemon's own routes, with the default settings but for these."""
    settings = msgspec.structs.replace(config.read({}, {}), **changes)
    daemon = Daemon(Clock(), settings, None, lambda port: None)
    nothing = [None] * (daemon._site.__code__.co_argcount - 1)
    site = daemon._site(*nothing)
    found = []
    for method, path, route in site.resource._api.routes:
        shown = re.sub(r"<\w+:(\w+)>", r"{\1}", path)
        found.append((Operation(method, shown, repr(route.allow)), route))
    return found


class OperationTests(SynchronousTestCase):
    def test_all(self) -> None:
        """None is missing from the list in operations.txt, and none beside it."""
        served = {op for op, _ in routes() if not op.path.startswith("/methods/")}
        expected = {op for op, _ in listed()}
        self.assertEqual(served - expected, set(), "not listed")
        self.assertEqual(expected - served, set(), "not served")

    def test_spec(self) -> None:
        """Each of the spec's nineteen operations is on the list once."""
        sections = sorted((section for _, section in listed() if section), key=SECTIONS.index)
        self.assertEqual(sections, SECTIONS)

    def test_order(self) -> None:
        """The list is in order, and has nothing twice."""
        places = [(op.path, op.method) for op, _ in listed()]
        self.assertEqual(places, sorted(set(places)))

    def test_methods_prefix(self) -> None:
        """Spec §9: what is under /api/v1/user is under /methods/v1/user, and nothing else is."""
        served = [op for op, _ in routes()]
        other = {op for op in served if op.path.startswith("/methods/")}
        users = [op for op in served if op.path.startswith("/api/v1/user")]
        moved = {op._replace(path=op.path.replace("/api/", "/methods/", 1)) for op in users}
        self.assertEqual(other, moved)

    def test_once(self) -> None:
        """No two routes are the same, whatever their variables are called."""
        shapes = [(op.method, re.sub(r"{\w+}", "{}", op.path)) for op, _ in routes()]
        self.assertEqual(len(shapes), len(set(shapes)))

    def test_debug(self) -> None:
        """The option debug_notify takes that operation away, and no other."""
        served = {op for op, _ in routes(debug_notify=False)}
        gone = {op.path for op, _ in routes()} - {op.path for op in served}
        self.assertEqual(gone, {"/api/v1/debug/notify"})

    def test_self(self) -> None:
        """Where only the user themself is allowed, the path says which user."""
        for op, route in routes():
            if op.allow.startswith("SELF"):
                self.assertIn(("guid", "user"), route.variables, op)
