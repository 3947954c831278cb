"""The operations that there are, compared with those that there ought to be."""

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.api.families import MIRRORED, OPERATIONS

LISTED = Path(__file__).with_name("operations.txt")
READS = ("get", "list", "search", "check", "export")
VERBS = {
    *READS,
    *("create", "put", "update", "replace", "delete", "set"),
    *("publish", "restore", "announce", "block", "unblock"),
    *("follow", "unfollow", "add", "remove", "send", "accept", "decline", "mark", "clear"),
    *("enter", "leave", "close", "revoke", "stop"),
    *("register", "connect", "end", "change", "reset", "request", "verify", "link", "unlink"),
    *("report", "resolve", "ban", "unban", "warn"),
}
"""What operations do, in a word. A new one takes one of these, if any fits."""
SECTIONS = [f"§4.{number}" for number in range(1, 20)]


class Line(NamedTuple):
    """One line of the list, without its section."""

    method: str
    path: str
    allow: str
    id: str


def listed() -> list[tuple[Line, str]]:
    """The list, each with its section of the spec or nothing."""
    lines = [line.split() for line in LISTED.read_text().splitlines() if line[0] != "#"]
    return [(Line(*words[:4]), "".join(words[4:])) for words in lines]


class OperationTests(SynchronousTestCase):
    def test_all(self) -> None:
        """None is missing from the list in operations.txt, and none beside it."""
        there = {Line(op.route.method, op.url, op.route.allow.name, op.id) for op in OPERATIONS}
        expected = {line for line, _ in listed()}
        self.assertEqual(there - expected, set(), "not listed")
        self.assertEqual(expected - there, set(), "not there")

    def test_ids(self) -> None:
        """An id is a verb and what it is done to, in lower camel case."""
        for line, _ in listed():
            self.assertRegex(line.id, "^[a-z]+([A-Z][a-z]+)+$")
            self.assertIn(re.match("[a-z]+", line.id)[0], VERBS, line.id)  # type: ignore[index]

    def test_read(self) -> None:
        """What only reads says so, and nothing else does."""
        for line, _ in listed():
            reads = line.id.startswith(READS)
            self.assertEqual(reads, line.method == "GET" or line.id == "checkUpload", line.id)

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
