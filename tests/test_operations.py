"""The operations that there are, compared with those that there ought to be."""

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.api.families import MIRRORED, OPERATIONS

LISTED = Path(__file__).with_name("operations.txt")
SECTIONS = [f"§4.{number}" for number in range(1, 20)]


class Line(NamedTuple):
    """One line of the list, without its section."""

    method: str
    path: str
    allow: str


def listed() -> list[tuple[Line, str]]:
    """The list, each with its section of the spec or nothing."""
    lines = [line.split() for line in LISTED.read_text().splitlines() if line[0] != "#"]
    return [(Line(*words[:3]), "".join(words[3:])) for words in lines]


class OperationTests(SynchronousTestCase):
    def test_all(self) -> None:
        """None is missing from the list in operations.txt, and none beside it."""
        there = {Line(op.route.method, op.url, op.route.allow.name) for op in OPERATIONS}
        expected = {line for line, _ in listed()}
        self.assertEqual(there - expected, set(), "not listed")
        self.assertEqual(expected - there, set(), "not there")

    def test_spec(self) -> None:
        """Each of the spec's nineteen operations is on the list once."""
        sections = sorted((section for _, section in listed() if section), key=SECTIONS.index)
        self.assertEqual(sections, SECTIONS)

    def test_section(self) -> None:
        """An operation's description names its section of the spec."""
        sections = {(line.method, line.path): section for line, section in listed()}
        for operation in OPERATIONS:
            named = "".join(re.findall(r"\(spec (§[\d.]+)\)", operation.doc.replace("\n", " ")))
            expected = sections[operation.route.method, operation.url]
            self.assertEqual(named, expected, operation.id)

    def test_order(self) -> None:
        """The list is in order, and has nothing twice."""
        places = [(line.path, line.method) for line, _ in listed()]
        self.assertEqual(places, sorted(set(places)))

    def test_methods_prefix(self) -> None:
        """Spec §9: what is under /api/v1/user is under /methods/v1/user, and nothing else is."""
        users = [op for op in OPERATIONS if op.url.startswith("/api/v1/user")]
        self.assertEqual(
            [(op.id, op.url) for op in MIRRORED],
            [(op.id, op.url.replace("/api/", "/methods/", 1)) for op in users],
        )

    def test_value(self) -> None:
        """The table is read without a reactor."""
        code = (
            "import sys, contentsvc.api.families as f;"
            "print(len(f.OPERATIONS), 'twisted.internet.reactor' in sys.modules)"
        )
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        self.assertEqual(said.stdout.decode().split(), [str(len(OPERATIONS)), "False"])
