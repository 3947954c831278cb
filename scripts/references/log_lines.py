"""docs/reference/log-lines.md, from the calls in the code that log.

A comment above each call says what the line means, and what an operator does about it::

    # Log: somebody reloaded a daemon without workers. Do: restart it.
    log.warn("SIGHUP does nothing: a rolling restart needs two or more workers")

Without `Do`, there is nothing to do. A line with a traceback has no comment: it is a fault of the
service. Pages are named by their path, with a section: docs/guides/logs.md#json.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scripts.references.markdown import code, items, page, table

ROOT = Path(__file__).resolve().parents[2]

_ABOUT = """\
What the daemon writes for its operators. `<…>` stands for details. [Logs](../guides/logs.md) says
what form a line has. Search this page for the beginning of a line."""

_FAULTS = """\
These come with a traceback. They are faults of the service itself: report them, with the
traceback. Where a request failed, it was answered 500, and the line has its id."""

_LEVELS = ("critical", "error", "warn", "info")
_TOPICS = {
    "contentsvc/app/lifecycle.py": "Start and stop",
    "contentsvc/app/restore_watch.py": "Database",
    "contentsvc/app/maintenance_state.py": "Start and stop",
    "contentsvc/app": "Workers",
    "contentsvc/framework/process": "Workers",
    "contentsvc/framework/tasks": "Background jobs",
    "contentsvc/framework/storage": "Files",
    "contentsvc/framework/images": "Files",
    "contentsvc/framework/sockets": "Requests",
    "contentsvc/framework/mail": "Background jobs",
    "contentsvc/framework/webhooks": "Requests",
    "contentsvc/framework/core": "Files",
    "contentsvc/framework/db": "Database",
    "contentsvc/push": "Database",
    "contentsvc/framework/postgres": "Embedded Postgres",
    "contentsvc/jobs": "Background jobs",
    "contentsvc/portal": "Requests",
    "contentsvc/framework/http": "Requests",
    "contentsvc/framework/identity": "Accounts of other services",
    "contentsvc/api": "Requests",
}
"""The section of each module or folder; the first that fits counts."""
_WITHOUT = ("contentsvc/client/", "contentsvc/command/")
"""What is no part of the daemon."""
_WHO = {"who": "Worker <number>"}
"""Details that always begin in the same way."""
_UNNAMED = "the module needs a topic: a line in _TOPICS of scripts/references/log_lines.py"
_WORDLESS = "needs a comment above the call: # Log: what it means. Do: what an operator does."


class Line(NamedTuple):
    """A line of the log. A fault has neither a meaning nor something to do."""

    topic: str
    level: str
    text: str
    meaning: str
    do: str

    @property
    def fault(self) -> bool:
        """Whether it has a traceback."""
        return self.level == "failure"


class UnexplainedError(Exception):
    """A line cannot be explained: `str()` says where, and why."""


def reference() -> str:
    """The page. Raises UnexplainedError."""
    found = every()
    parts = []
    for topic in dict.fromkeys(_TOPICS.values()):
        rows = _rows([line for line in found if line.topic == topic and not line.fault])
        if rows:
            heads = ("Line", "Level", "Meaning", "What to do")
            parts += [f"## {topic}", table(heads, rows)]
    faults = sorted({code(line.text) for line in found if line.fault})
    parts += ["## Faults of the service", _FAULTS, items(faults)]
    return page("Log lines", _ABOUT, *parts)


def every() -> list[Line]:
    """All lines of the daemon. Raises UnexplainedError."""
    found: list[Line] = []
    for path in sorted((ROOT / "contentsvc").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(_WITHOUT):
            found += of_module(name, path.read_text("utf-8"))
    return found


def of_module(name: str, text: str) -> Iterator[Line]:
    """The lines of a module, by its path and text. Raises UnexplainedError."""
    topic = next((topic for prefix, topic in _TOPICS.items() if name.startswith(prefix)), "")
    above = text.splitlines()
    for statement in ast.walk(ast.parse(text)):
        for level, logged in _logged(statement):
            where = f"{name}:{getattr(statement, 'lineno', 0)}"
            if logged is None or not topic:
                why = "its text is no constant" if logged is None else _UNNAMED
                raise UnexplainedError(f"{where}: {why}")
            meaning, _, do = _comment(above, statement).partition(" Do: ")
            if level != "failure" and not meaning:
                raise UnexplainedError(f"{where}: {logged!r} {_WORDLESS}")
            words = re.sub(r"{(\w+)[^}]*}", lambda at: _WHO.get(at[1], f"<{at[1]}>"), logged)
            yield Line(topic, level, words, meaning, do)


def _logged(statement: ast.AST) -> Iterator[tuple[str, str | None]]:
    """The level and the text of each line that this statement itself logs; None for a text that is
    no constant."""
    if not isinstance(statement, ast.stmt) or hasattr(statement, "body"):
        return
    for node in ast.walk(statement):
        match node:
            case ast.Call(ast.Attribute(ast.Name("log"), str(level)), [said, *_]) if level in (
                *_LEVELS,
                "failure",
            ):
                yield level, _constant(said)
            case ast.Call(ast.Attribute(ast.Name("log"), "observer"), [ast.Dict(keys, values)]):
                event = dict(zip(map(_constant, keys), values, strict=True))
                level = event["log_level"]
                yield getattr(level, "attr", ""), _constant(event["log_format"])


def _constant(node: ast.AST | None) -> str | None:
    constant = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if constant else None


def _comment(lines: list[str], statement: ast.AST) -> str:
    """The text of the comment above a statement, from its word "Log:" on."""
    first = below = getattr(statement, "lineno", 1) - 1
    while first > 0 and lines[first - 1].lstrip().startswith("# "):
        first -= 1
    whole = " ".join(line.strip().removeprefix("# ") for line in lines[first:below])
    return whole.partition("Log: ")[2]


def _rows(lines: list[Line]) -> list[tuple[str, str, str, str]]:
    ordered = sorted(lines, key=lambda line: _LEVELS.index(line.level))
    rows = [
        (code(each.text), each.level, _sentence(each.meaning), _sentence(each.do) or "nothing")
        for each in ordered
    ]
    return list(dict.fromkeys(rows))


def _sentence(text: str) -> str:
    """A text without its full stop, with links to the pages that it names."""
    linked = re.sub(
        r"docs/((?:guides/|interface/)?([\w-]+)\.md)(?:#([\w-]+))?",
        lambda match: f"[{_title(match[2], match[3])}](../{match[1]}{_part(match[3])})",
        text.removesuffix("."),
    )
    return linked


def _title(name: str, section: str | None) -> str:
    return (section or name).replace("-", " ")


def _part(section: str | None) -> str:
    return f"#{section}" if section else ""
