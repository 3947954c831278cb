"""The operations that there are: their names, and those of the specification.

tests/operations.txt has all of them, for reviewers. `scripts/reference` writes it."""

import re
import subprocess
import sys
from typing import NamedTuple

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.app.families import MIRRORED, OPERATIONS
from scripts.references.operations import sections
from tests.support import lists
from tests.support.daemon import ROOT
from tests.support.pages import anchor, parts

LISTED = ROOT / "tests/operations.txt"
INTERFACE = ROOT / "docs/interface"
MARK = re.compile(r"\*\*Specification (4\.\d+)\*\* `([A-Z]+) ([^`]+)`")
"""What begins the words of the specification about an operation."""
READS = ("get", "list", "search", "check", "export")
VERBS = {
    *READS,
    *("create", "put", "update", "replace", "delete", "set"),
    *("publish", "restore", "announce", "block", "unblock"),
    *("follow", "unfollow", "add", "remove", "send", "unsend", "accept", "decline"),
    *("mark", "clear"),
    *("enter", "leave", "close", "revoke", "stop"),
    *("register", "connect", "end", "change", "reset", "request", "verify", "link", "unlink"),
    *("report", "resolve", "ban", "unban", "warn", "reverse", "appeal", "decide"),
}
"""What operations do, in a word. A new one takes one of these, if any fits."""
SECTIONS = [f"4.{number}" for number in range(1, 20)]


class Line(NamedTuple):
    """One line of the list, without its section."""

    method: str
    path: str
    allow: str
    id: str


def listed() -> list[tuple[Line, str]]:
    """The list, each with its section of docs/interface or nothing: for tests without the code."""
    lines = [line.split() for line in LISTED.read_text().splitlines() if line[0] != "#"]
    return [(Line(*words[:4]), "".join(words[4:])) for words in lines]


def plain(path: str) -> str:
    """A path whose variables have no names."""
    return re.sub(r"\{\w+\}", "{}", path)


class OperationTests(SynchronousTestCase):
    def test_ids(self) -> None:
        """An id is a verb and what it is done to, in lower camel case."""
        for operation in OPERATIONS:
            self.assertRegex(operation.id, "^[a-z]+([A-Z][a-z]+)+$")
        verbs = {re.match("[a-z]+", each.id)[0] for each in OPERATIONS}  # type: ignore[index]
        place = "an id begins with one of tests/test_operations.py, VERBS. If none fits"
        lists.same(self, place, VERBS & verbs, verbs, '    "{}",'.format)

    def test_read(self) -> None:
        """What only reads says so, and nothing else does."""
        for operation in OPERATIONS:
            reads = operation.id.startswith(READS)
            only = operation.route.method == "GET" or operation.id == "checkUpload"
            self.assertEqual(
                reads, only, f"{operation.id}: what a GET does is one of {', '.join(READS)}"
            )

    def test_spec(self) -> None:
        """The pages quote each of the specification's nineteen operations once, in the section
        that the operation's description names."""
        found = {(each.route.method, plain(each.url)): each for each in OPERATIONS}
        quoted = [
            (number, method, path, f"{page.stem}#{anchor(title)}")
            for page in INTERFACE.glob("*.md")
            for title, text in parts(page.read_text())
            for number, method, path in MARK.findall(text)
        ]
        numbers = [number for number, *_ in quoted]
        self.assertEqual(sorted(numbers, key=SECTIONS.index), SECTIONS)
        for number, method, path, section in quoted:
            self.assertEqual(sections(found[method, plain(path)]), section, number)

    def test_methods_prefix(self) -> None:
        """conventions#versions: what is under /api/v1/user is under /methods/v1/user, and nothing
        else is."""
        users = [op for op in OPERATIONS if op.url.startswith("/api/v1/user")]
        self.assertEqual(
            [(op.id, op.url) for op in MIRRORED],
            [(op.id, op.url.replace("/api/", "/methods/", 1)) for op in users],
        )

    def test_value(self) -> None:
        """The table is read without a reactor."""
        code = (
            "import sys, contentsvc.app.families as f;"
            "print(len(f.OPERATIONS), 'twisted.internet.reactor' in sys.modules)"
        )
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        self.assertEqual(said.stdout.decode().split(), [str(len(OPERATIONS)), "False"])
