"""The log as JSON: each line is one object, whatever the event has."""

import io
import json
import sys
import warnings
from typing import Any

from twisted.logger import Logger, LogPublisher
from twisted.python.failure import Failure
from twisted.python.log import LogPublisher as LegacyPublisher
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.http.trace_context import Trace, Traced
from contentsvc.framework.process import json_log
from contentsvc.framework.process.json_log import JsonLog
from tests.app.test_logs import FORMAT, LINE


class Awkward:
    """A value without a text."""

    def __str__(self) -> str:
        raise ZeroDivisionError


def fail(message: str, depth: int = 0) -> Failure:
    """A failure from so many calls deep."""

    def deep(left: int) -> None:
        if left:
            deep(left - 1)
        raise ValueError(message)

    try:
        deep(depth)
    except ValueError:
        return Failure()
    raise AssertionError


class JsonTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.file = io.StringIO()
        self.log = Logger("web", observer=JsonLog(self.file))

    def object(self) -> dict[str, Any]:
        """The only object that was written, on the only line."""
        text = self.file.getvalue()
        self.assertEqual((text.count("\n"), text[-1]), (1, "\n"))
        self.assertTrue(text.isascii())
        found: dict[str, Any] = json.loads(text)
        return found

    def test_members(self) -> None:
        """An event has its time, level, logger, message, and the values in the message."""
        JsonLog(self.file)(
            {
                "log_time": 1772366400.1239,
                "log_level": None,
                "log_namespace": "web",
                "log_format": "The {what} is {n} {missing()}",
                "what": "pool",
                "n": 7,
                "missing": lambda: "again",
                "unsaid": "a secret",
            }
        )
        found = self.object()
        self.assertTrue(found.pop("missing").startswith("<function"))
        self.assertEqual(
            found,
            {
                "time": "2026-03-01T12:00:00.123Z",
                "level": "info",
                "logger": "web",
                "message": "The pool is 7 again",
                "what": "pool",
                "n": 7,
            },
        )

    def test_level(self) -> None:
        """The level is Twisted's word for it."""
        self.log.warn("late")
        self.assertEqual(self.object()["level"], "warn")

    def test_request(self) -> None:
        """The line of a request has its numbers as numbers."""
        self.log.info(FORMAT, **LINE)
        found = self.object()
        self.assertRegex(found.pop("time"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(
            found,
            {
                "level": "info",
                "logger": "web",
                "message": "GET /api/v1/user/<guid:user>/info 200",
                "method": "GET",
                "route": "/api/v1/user/<guid:user>/info",
                "status": 200,
                "ms": 1.2,
                "user": None,
                "client": "192.0.2.7",
                "request_id": "abc-1",
            },
        )

    def test_request_says_more(self) -> None:
        """It also has its user, trace and note, and a worker's number."""
        log = Logger("web", observer=JsonLog(self.file, 2))
        note = Traced.of(Trace("ab", "cd"), " failed-log-in cut-off")
        log.info(FORMAT, **{**LINE, "user": "u-1", "note": note})
        found = self.object()
        names = ("user", "trace_id", "parent_id", "note", "worker")
        self.assertEqual(
            [found[name] for name in names], ["u-1", "ab", "cd", "failed-log-in cut-off", 2]
        )

    def test_request_of_content(self) -> None:
        """A write has the id of its content, with a trace and a note or without."""
        for trace, note in ((Trace("ab", "cd"), " cut-off"), (None, "")):
            self.file.seek(0)
            self.file.truncate()
            self.log.info(FORMAT, **{**LINE, "note": Traced.of(trace, note, "c-1")})
            found = self.object()
            self.assertEqual(found["content"], "c-1")
            self.assertEqual(found.get("trace_id"), trace and "ab")
            self.assertEqual(found.get("note"), note.strip() or None)

    def test_failure(self) -> None:
        """A failure has its exception, its error and its traceback as texts."""
        self.log.failure("Request {id} failed", fail("so\nbad"), id="abc-1")
        found = self.object()
        self.assertEqual(found["message"], "Request abc-1 failed")
        self.assertEqual((found["exception"], found["error"]), ("builtins.ValueError", "so\nbad"))
        self.assertIn("raise ValueError(message)", found["traceback"])

    def test_characters(self) -> None:
        """No character ends the line, and half of a pair survives."""
        text = "a\nb\r\x1e\u2028\x00\ud83d\U0001f600\x85"
        self.log.info("{text}", text=text)
        found = self.object()
        self.assertEqual((found["message"], found["text"]), (text, text))

    def test_values(self) -> None:
        """What JSON does not have, or not exactly, is text."""
        for value, shown in (
            (None, None),
            (True, True),
            (2**53, 2**53),
            (2**53 + 1, str(2**53 + 1)),
            (0.25, 0.25),
            (float("nan"), "nan"),
            (float("-inf"), "-inf"),
            (b"\xff", "b'\\xff'"),
            ({"a": 1}, "{'a': 1}"),
            (Awkward(), "(ZeroDivisionError)"),
        ):
            self.file.truncate(self.file.seek(0))
            self.log.info("{value}", value=value)
            self.assertEqual(self.object()["value"], shown, repr(value)[:40])

    def test_names_of_its_own(self) -> None:
        """A value does not take the place of a member that all lines have."""
        self.log.info("{time} {logger} {message}", time=1, logger="2", message="3")
        found = self.object()
        self.assertEqual((found["logger"], found["message"]), ("web", "1 2 3"))

    def test_bounded(self) -> None:
        """A long line loses the middle of its longest values, and no more."""
        for text in ("x" * 10**6, "\U0001f600" * 10**5, "\x00" * 40_000):
            self.file.truncate(self.file.seek(0))
            self.log.info("{short} {text}", short="kept whole", text=text)
            line = self.file.getvalue()
            self.assertLessEqual(len(line), json_log.LONGEST)
            self.assertGreater(len(line), json_log.LONGEST // 2)
            found = self.object()
            self.assertEqual(found["short"], "kept whole")
            self.assertEqual((found["text"][:3], found["text"][-3:]), (text[:3], text[-3:]))

    def test_bounded_failure(self) -> None:
        """A long traceback keeps both its ends: who called, and what failed."""
        log = Logger("web", observer=JsonLog(self.file, 1, longest=json_log.SHARED))
        log.failure("Failed", fail("deep down", depth=200))
        self.assertLessEqual(len(self.file.getvalue()), json_log.SHARED)
        found = self.object()
        self.assertTrue(found["traceback"].startswith("Traceback"))
        self.assertIn("deep down", found["traceback"][-200:])

    def test_many_long_values(self) -> None:
        """Several long values are all shortened."""
        self.log.info("{a}{b}{c}", a="a" * 10**5, b="b" * 10**5, c="c" * 10**5)
        self.assertLessEqual(len(self.file.getvalue()), json_log.LONGEST)
        self.object()

    def test_bad_format(self) -> None:
        """An event that cannot be formatted is a line that says so."""
        self.log.info("{nobody", x=1)
        self.assertIn("Unable to format", self.object()["message"])

    def test_nothing(self) -> None:
        """An event without a text or a failure is no line."""
        JsonLog(self.file)({"log_time": 1.0})
        self.assertEqual(self.file.getvalue(), "")

    def test_legacy(self) -> None:
        """Events of Twisted's older log are lines too, with their failures."""
        publisher = LogPublisher(JsonLog(self.file))
        LegacyPublisher(publishPublisher=publisher).msg("(TCP Port ", 8080, " Closed)")
        self.assertEqual(self.object()["message"], "(TCP Port  8080  Closed)")

    def test_output_of_worker(self) -> None:
        """A worker's line in its parent's log is the worker's own; other output of it is text."""
        log = Logger("twisted.runner.procmon.ProcessMonitor", observer=JsonLog(self.file))
        inner = io.StringIO()
        Logger("web", observer=JsonLog(inner, 2)).info("\u2028 ready")
        log.info("[{tag}] {line}", tag="2.1", line=inner.getvalue().strip(), stream="stdout")
        self.assertEqual(self.object(), json.loads(inner.getvalue()))
        for line in ("Fatal Python error", '"text"', "[" * 5000):
            self.file.truncate(self.file.seek(0))
            log.info("[{tag}] {line}", tag="2.1", line=line, stream="stderr")
            self.assertEqual(self.object()["line"], line)


class BeginTests(SynchronousTestCase):
    """Before the log begins."""

    def setUp(self) -> None:
        self.errors = io.StringIO()
        self.patch(sys, "__stderr__", self.errors)
        self.patch(sys, "excepthook", sys.excepthook)

    def test_traceback(self) -> None:
        """What ends the process is one line, with the traceback."""
        json_log.begin()
        failure = fail("no")
        sys.excepthook(ValueError, failure.value, failure.getTracebackObject())
        found = json.loads(self.errors.getvalue())
        self.assertEqual((found["level"], found["exception"]), ("critical", "builtins.ValueError"))
        self.assertIn("raise ValueError(message)", found["traceback"])

    def test_warning(self) -> None:
        """A warning is a line."""
        self.patch(warnings, "showwarning", warnings.showwarning)
        json_log.begin()
        warnings.showwarning("old", DeprecationWarning, "x.py", 1)
        found = json.loads(self.errors.getvalue())
        self.assertEqual(
            (found["level"], found["message"]), ("warn", "builtins.DeprecationWarning: old")
        )
