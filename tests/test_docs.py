"""docs/ and etc/ are right about the settings, the errors and the operations."""

import configparser
import contextlib
import glob
import io
import os
import re
import subprocess
from contextlib import closing
from pathlib import Path
from textwrap import indent
from typing import get_args
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import psycopg2
from msgspec import structs
from twisted.python import usage
from twisted.trial.unittest import SynchronousTestCase

from contentsvc import config, tap
from contentsvc.command import cli
from contentsvc.command.demo.world import WORLD
from contentsvc.tokens import Keys
from contentsvc.wire.base import tag_of
from contentsvc.wire.moderation import Act
from contentsvc.wire.notifications import AnyNotification, Deleted, Notification
from scripts.references import log_lines
from tests.support import lists, postgres
from tests.support.daemon import ROOT
from tests.support.pages import rows, sections

BACKUPS = (ROOT / "docs/guides/backups.md").read_text()
COMMAND = (ROOT / "docs/guides/command.md").read_text()
DATA = (ROOT / "docs/guides/data.md").read_text()
DEVELOPING = (ROOT / "docs/developing.md").read_text()
MODERATION = (ROOT / "docs/interface/moderation.md").read_text()
NOTIFICATIONS = (ROOT / "docs/interface/notifications.md").read_text()
CITED = [*sorted((ROOT / "docs/interface").glob("*.md")), ROOT / "docs/design.md"]
"""The pages that code and tests cite by their sections."""
CODE = ("contentsvc", "tests", "scripts")
SOURCES = {".py", ".sql", ".txt"}
"""Where they are cited."""
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
SETTINGS = {setting.name: setting for setting in config.SETTINGS}


class CommandTests(SynchronousTestCase):
    def test_commands(self) -> None:
        """docs/guides/command.md has the commands that there are."""
        for command, _ in rows(COMMAND, "| Command |"):
            given = {
                "SEQ": "41",
                "ID": str(uuid4()),
                "CONTENT": str(uuid4()),
                "PLACE": "s3",
                "SECONDS": "30",
                "SCOPE": "events",
                "DAYS": "30",
            }
            words = [given.get(word, word) for word in re.sub(r"[][]", "", command).split()[1:]]
            # Parsed, not run: an unknown one would exit.
            parsed = cli.parser().parse_args(words)
            self.assertTrue(callable(parsed.act), command)


class LogTests(SynchronousTestCase):
    def test_explained(self) -> None:
        """A comment above each call that logs says what the line means to an operator. Each error
        says what to do."""
        errors = [each for each in log_lines.every() if each.level == "error"]
        wordless = [each.text for each in errors if not each.do]
        self.assertEqual(wordless, [], "a comment above each call must say: Log: … Do: …")


class UnitTests(SynchronousTestCase):
    def setUp(self) -> None:
        unit = configparser.ConfigParser(strict=False, interpolation=None)
        unit.optionxform = str
        unit.read(ROOT / "etc/contentsvc.service")
        self.service = unit["Service"]

    def test_command_line(self) -> None:
        """The unit starts twistd in the foreground, with options that there are."""
        twistd, _, ours = self.service["ExecStart"].partition(" contentsvc ")
        self.assertEqual(
            twistd.split()[1:],
            ["--nodaemon", "--pidfile="],
        )
        options = tap.Options()
        usage.Options.parseOptions(options, ours.split())
        self.assertEqual(options["config"], "/etc/contentsvc/contentsvc.toml")

    def test_stop(self) -> None:
        """systemd waits longer than the daemon takes to stop, and signals only the daemon."""
        drain = SETTINGS["drain_timeout"].default
        self.assertGreater(int(self.service["TimeoutStopSec"]), drain + 40)
        self.assertEqual(self.service["KillMode"], "mixed")

    def test_files(self) -> None:
        """The daemon may open a file for each socket of the default limit."""
        self.assertGreater(int(self.service["LimitNOFILE"]), SETTINGS["sockets"].default)


class InterfaceTests(SynchronousTestCase):
    def test_cited(self) -> None:
        """The pages have each section that code and tests cite, such as `content#withdrawal`."""
        there = {f"{page.stem}#{each}" for page in CITED for each in sections(page)}
        names = "|".join(page.stem for page in CITED)
        pattern = re.compile(rf"(?<![\w./-])(?:{names})#[a-z0-9-]+")
        sources = (path for name in CODE for path in (ROOT / name).rglob("*"))
        cited = [
            (path.relative_to(ROOT), found)
            for path in sorted(sources)
            if path.suffix in SOURCES
            for found in pattern.findall(path.read_text())
        ]
        self.assertGreater(len(cited), 1000)
        missing = [f"{path}: {found}" for path, found in cited if found not in there]
        self.assertEqual(missing, [], "cited, but the page has no such section")

    def test_kinds(self) -> None:
        """docs/interface/notifications.md has every kind that is sent, with its fields."""
        shared = {field.name for field in structs.fields(Notification)}
        there = {
            tag_of(kind): {f.encode_name for f in structs.fields(kind) if f.name not in shared}
            for kind in get_args(AnyNotification)
            if kind is not Deleted
        }
        shown = {
            kind: set(fields.split(", "))
            for kinds, fields, *_ in rows(NOTIFICATIONS, "| Kind | Extra fields |")
            for kind in kinds.split(", ")
        }
        lists.same(
            self,
            "docs/interface/notifications.md, the table | Kind | Extra fields |",
            ((kind, *sorted(fields)) for kind, fields in shown.items()),
            ((kind, *sorted(fields)) for kind, fields in there.items()),
            lambda kind: f"| {kind[0]} | {', '.join(kind[1:])} | WHO | WHEN |",
        )

    def test_actions(self) -> None:
        """docs/interface/moderation.md has everything that is noted of admins."""
        shown = [re.findall(r"\w+", acts) for acts, *_ in rows(MODERATION, "| `action` |")]
        place = "docs/interface/moderation.md, the table | `action` |"
        acts = [act for row in shown for act in row]
        lists.same(self, place, acts, get_args(Act), "| `{}` | WHEN | SUBJECT | REASON |".format)
        self.assertEqual(acts, list(get_args(Act)), "in the order of contentsvc/wire/moderation.py")


class DevelopingTests(SynchronousTestCase):
    def test_files(self) -> None:
        """The files and folders that docs/developing.md names exist."""
        names = re.findall(r"`((?:contentsvc|tests|docs|scripts|etc|\.ci)/[^` ]+)", DEVELOPING)
        self.assertGreater(len(names), 20)
        missing = [name for name in names if not (ROOT / name).exists()]
        self.assertEqual(missing, [], "docs/developing.md names what is not there")

    def test_example(self) -> None:
        """The route of docs/developing.md is that of the code."""
        (shown,) = re.findall(r"^```python\n(.*?)^```$", DEVELOPING, re.M | re.S)
        code = (ROOT / "contentsvc/api/content/ratings.py").read_text()
        place = "docs/developing.md has another route than contentsvc/api/content/ratings.py"
        self.assertIn(indent(shown, "    "), code, place)


class LinkTests(SynchronousTestCase):
    def test_links(self) -> None:
        """What the pages link to exists: each file, and each section of a page."""
        missing = []
        for page in PAGES:
            for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
                file, _, section = link.partition("#")
                target = page if not file else page.parent / file
                if urlsplit(link).scheme:
                    continue
                if not target.exists() or (section and section not in sections(target)):
                    missing.append(f"{page.relative_to(ROOT)}: {link}")
        self.assertEqual(missing, [])

    def test_index(self) -> None:
        """docs/index.md leads to every page."""
        index = (ROOT / "docs/index.md").read_text()
        leads = {(ROOT / "docs" / link).resolve() for link in re.findall(r"\]\(([^)#\s]+)", index)}
        others = {page for page in PAGES if page.name != "index.md"}
        missing = [str(page.relative_to(ROOT)) for page in sorted(others - leads)]
        self.assertEqual(missing, [], "docs/index.md: add a link")


class WorldCase(SynchronousTestCase):
    """With the demo's world."""

    def world(self) -> tuple[str, Path]:
        """A database with something in it, and a file of keys."""
        url = postgres.database(postgres.embedded())
        self.addCleanup(postgres.drop, url)
        keys = postgres.new_folder() / "keys"
        Keys.load_or_generate(keys)
        with contextlib.redirect_stdout(io.StringIO()):
            status = cli.main(["demo", "--database", url, "--secret-file", str(keys)])
        self.assertEqual(status, 0)
        return url, keys


class BackupTests(WorldCase):
    def test_dump_and_restore(self) -> None:
        """The back-up and its return, as docs/guides/backups.md has them,
        give back what was there."""
        backup, restore = re.search(
            r"## With other tools.*?```sh\n(.*?)```.*?```sh\n(.*?)```", BACKUPS, re.S
        ).groups()
        (programs,) = re.findall(r"^PATH=\$\(echo /opt/contentsvc/venv(.*)\):\$PATH$", backup, re.M)
        (folder,) = glob.glob(str(ROOT / ".venv") + programs)
        url, keys = self.world()
        # The same commands, but for the names.
        script = backup.partition("\n")[2] + restore.partition("contentsvc restore")[0]
        script = re.sub(r"(?<!/)\bcontentsvc\b(?!\.dump)", urlsplit(url).path[1:], script)
        (socket,) = parse_qs(urlsplit(url).query)["host"]
        script = script.replace("/var/lib/contentsvc/postgres-socket", socket)
        done = subprocess.run(
            ["/bin/bash", "-e", "-c", script],
            cwd=keys.parent,
            env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with contextlib.redirect_stdout(io.StringIO()):
            words = ["restore", "--finish", "--database", url, "--secret-file", str(keys)]
            self.assertEqual(cli.main(words), 0)
        with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
            cursor.execute("select username from find_users('mira') join users using (id)")
            self.assertEqual(cursor.fetchall(), [("mira",)])


class GrowthTests(WorldCase):
    def test_old_messages(self) -> None:
        """The statements of docs/guides/data.md delete old messages, and conversations that have no
        others; the list of tables works."""
        tables, deletion = re.findall(
            r"^```sql\n(.*?)^```", DATA.partition("\n## What grows\n")[2], re.M | re.S
        )
        with closing(psycopg2.connect(self.world()[0])) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(tables)
                self.assertEqual(cursor.rowcount, 10)
                cursor.execute(
                    "update messages set created = now() - interval '3 years'"
                    " where text like 'May I use%' or text like 'Do foxes%'"
                )
                self.assertEqual(cursor.rowcount, 2)
                cursor.execute(deletion)
                cursor.execute("select count(*) from messages")
                self.assertEqual(cursor.fetchone(), (len(WORLD["messages"]) - 2,))
                talks = len({frozenset(message[:2]) for message in WORLD["messages"]}) - 1
                cursor.execute(
                    "select count(*), count(m.number) from conversations c"
                    " left join messages m on m.pair = c.pair and m.number = c.newest"
                )
                self.assertEqual(cursor.fetchone(), (talks, talks))
