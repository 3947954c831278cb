"""docs/reference, the sample of the settings and the list of operations: what is committed is what
the code makes."""

import re
import tomllib
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from contentsvc import config
from contentsvc.app.families import OPERATIONS
from contentsvc.roles import PURPOSES, Permission
from scripts.references import errors, log_lines, markdown, pages
from tests.support.daemon import ROOT

SETTINGS = {setting.name: setting for setting in config.SETTINGS}
PAGES = {path.name: text for path, text in pages.texts().items()}
SAMPLE = PAGES["contentsvc.toml.sample"]


def rows(name: str) -> list[list[str]]:
    """The cells of all tables of a page."""
    lines = re.findall(r"^\| (?!---)(.*) \|$", PAGES[name], re.M)
    return [re.split(r" (?<!\\)\| ", line) for line in lines]


class CommittedTests(SynchronousTestCase):
    def test_committed(self) -> None:
        """Each file is as `scripts/reference` makes it."""
        old = [
            str(path.relative_to(ROOT))
            for path, text in pages.texts().items()
            if not path.is_file() or path.read_text("utf-8") != text
        ]
        if old:
            self.fail(f"run scripts/reference, and read what changes: it makes {', '.join(old)}")

    def test_no_others(self) -> None:
        """The folder has no other page."""
        there = {path.name for path in (ROOT / "docs/reference").iterdir()}
        others = there - {path.name for path in pages.texts() if path.suffix == ".md"}
        self.assertEqual(others, set(), "scripts/reference does not make them: delete them")

    def test_tables(self) -> None:
        """Each row of a table has as many cells as its head."""
        for name, text in PAGES.items():
            for block in re.findall(r"(?:^\|.*\n)+", text, re.M):
                widths = {len(re.split(r"(?<!\\)\|", line)) for line in block.splitlines()}
                self.assertEqual(len(widths), 1, f"{name}: {block[:80]}")


class SettingsTests(SynchronousTestCase):
    def shows(self, name: str, value: Any) -> None:
        """Assert that the value shown is the setting's default; one without takes any good one."""
        setting = SETTINGS[name]
        shown = setting.parse(value)
        if setting.default is not None:
            self.assertEqual(shown, setting.parse(setting.default), name)

    def test_sample(self) -> None:
        """The sample file has every setting, commented out, with its default."""
        self.assertEqual(tomllib.loads(SAMPLE), {})
        table = tomllib.loads(re.sub(r"^#(?=\w+ = )", "", SAMPLE, flags=re.M))
        self.assertEqual([*table], [*SETTINGS, *config.STORE_KEYS])
        for name in SETTINGS:
            self.shows(name, table[name])

    def test_sample_explains(self) -> None:
        """Each setting of the sample follows a comment that says what it is."""
        for paragraph in SAMPLE.strip().split("\n\n")[1:]:
            self.assertRegex(paragraph, r"\A# ---- .* ----\Z|\A(# .*\n)+#\w+ = .*\Z")

    def test_page(self) -> None:
        """The page has every setting once, with its default."""
        found = {name.strip("`"): default for name, default, *_ in rows("settings.md")}
        self.assertEqual(found.keys() - {"Setting", "Key"}, {*SETTINGS, *config.STORE_KEYS})
        for name, setting in SETTINGS.items():
            shown = re.match(r"`(.*?)`", found[name])
            if shown is None:
                self.assertIn(setting.default, (None, ()), name)
            else:
                self.shows(name, shown[1])

    def test_usage(self) -> None:
        """Help is one short line without a full stop, and says what the values are."""
        for setting in config.SETTINGS:
            self.assertRegex(setting.help, r"\A[^\n]{10,95}[^.]\Z", setting.name)
            self.assertRegex(setting.more, r"\A\Z|\.\Z", setting.name)
            self.assertTrue(setting.values, setting.name)


class ErrorsTests(SynchronousTestCase):
    def test_every_code(self) -> None:
        """The page has every code with its status, each once, and says where it comes from."""
        shown = [
            (int(row[0]), row[1].strip("`"), row[-1])
            for row in rows("errors.md")
            if row[0].isdigit()
        ]
        there = [(kind.status, kind.code) for kind in errors.every()]
        self.assertEqual([row[:2] for row in shown], there)
        self.assertEqual(len(set(there)), len(there))
        self.assertEqual([row for row in shown if not row[2]], [])


class OperationsTests(SynchronousTestCase):
    def test_every_operation(self) -> None:
        """The page has every operation once."""
        shown = [row[1].strip("`") for row in rows("operations.md") if row[1].startswith("`")]
        self.assertCountEqual(shown, [f"{op.route.method} {op.url}" for op in OPERATIONS])

    def test_permissions(self) -> None:
        """The page has every permission with what it is for, and the operations that ask for it."""
        shown = {row[0]: row for row in rows("operations.md") if row[1] in PURPOSES.values()}
        self.assertEqual(list(shown), [f"`{each}`" for each in Permission])
        for each in OPERATIONS:
            path = f"`{each.route.method} {each.url}`"
            for permission in Permission:
                asks, more = shown[f"`{permission}`"][4:]
                floor = permission in each.route.allow.needed
                beyond = permission in each.permissions and not floor
                listed = path in asks.split(", "), path in more.split(", ")
                self.assertEqual(listed, (floor, beyond), path)


class LogTests(SynchronousTestCase):
    def lines(self, *code: str) -> list[log_lines.Line]:
        """The lines of a module of the daemon with this code."""
        return list(log_lines.of_module("contentsvc/jobs/x.py", "\n".join(code)))

    def test_explained(self) -> None:
        """A comment says what a line means, and what to do; its details have names."""
        (line,) = self.lines(
            "# Log: it is", "# so. Do: look.", 'log.warn("It {verb:.1f} so", verb=1)'
        )
        self.assertEqual(line, ("Background jobs", "warn", "It <verb> so", "it is so.", "look."))

    def test_observer(self) -> None:
        """An event that is given to the observer itself is a line too."""
        event = '{"log_level": LogLevel.info, "log_format": "It is", "x": x}'
        (line,) = self.lines("# Log: it is so.", f"log.observer({event})")
        self.assertEqual((line.level, line.text, line.meaning), ("info", "It is", "it is so."))

    def test_nothing_to_do(self) -> None:
        """Without `Do` there is nothing to do."""
        (line,) = self.lines("if x:", "    # Log: it is so.", '    log.info("It is")')
        self.assertEqual((line.meaning, line.do), ("it is so.", ""))

    def test_faults(self) -> None:
        """A line with a traceback needs no comment, wherever in a statement it is."""
        (line,) = self.lines('d.addErrback(lambda f: log.failure("It failed", f))')
        self.assertTrue(line.fault)

    def test_unexplained(self) -> None:
        """A line without a comment, or whose text is not there to be read, is an error."""
        for code in ('log.warn("It is")', "# It is.\n" + 'log.warn("It is")', "log.warn(text)"):
            self.assertRaises(log_lines.UnexplainedError, self.lines, code)
        where = "contentsvc/elsewhere.py", '# Log: so.\nlog.warn("It is")'
        self.assertRaises(log_lines.UnexplainedError, list, log_lines.of_module(*where))


class MarkdownTests(SynchronousTestCase):
    def test_anchor(self) -> None:
        """A heading's anchor is that of GitHub."""
        self.assertEqual(markdown.anchor("Errors of /oauth, `all`"), "errors-of-oauth-all")

    def test_code(self) -> None:
        """Code may have a backquote."""
        self.assertEqual(markdown.code("a `b` c"), "``a `b` c``")

    def test_sizes(self) -> None:
        """Bytes and seconds are in the largest unit that shows them whole."""
        self.assertEqual(
            [markdown.size(n) for n in (5, 1536, 2**20)], ["5 bytes", "1,536 bytes", "1 MiB"]
        )
        self.assertEqual(
            [markdown.span(n) for n in (60, 120, 90, 172800)],
            ["1 minute", "2 minutes", "90 s", "2 days"],
        )
