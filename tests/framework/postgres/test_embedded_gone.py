"""Data that go while their server runs, and a data folder from which they have gone."""

import shutil
import subprocess
from pathlib import Path

from contentsvc.framework.postgres.embedded import EmbeddedPostgres
from contentsvc.framework.postgres.errors import EmbeddedError
from tests.framework.postgres.servers import Case, postmaster, run_sql


class GoneTests(Case):
    """A server with a table, whose folder something happens to."""

    def setUp(self) -> None:
        self.home = self.folder()
        self.home.chmod(0o755)
        self.path = self.data(self.home / "data")
        self.running = self.server(self.path)
        self.url = self.running.start()
        run_sql(self.url, "create table kept as select 42 as n")
        self.process = postmaster(self.path)
        self.addCleanup(self.killed)

    def killed(self) -> None:
        """Whatever the test has shown."""
        if self.process.is_running():
            self.process.kill()

    def move(self) -> Path:
        """The volume is elsewhere."""
        return self.path.rename(self.home / "elsewhere")

    def back(self) -> None:
        """And back."""
        (self.home / "elsewhere").rename(self.path)

    def refused(self) -> str:
        """Why a start fails."""
        return str(self.assertRaises(EmbeddedError, self.running.start))

    def test_there(self) -> None:
        """While nothing happens they are there."""
        self.assertTrue(self.running.there())

    def test_moved(self) -> None:
        """Where the folder is gone there is no start, and no new folder."""
        self.move()
        self.assertFalse(self.running.there())
        self.assertIn(str(self.path / "postgres"), self.refused())
        self.assertFalse(self.path.exists())

    def test_emptied(self) -> None:
        """Nor in an empty folder at its place, in which nothing is left."""
        self.move()
        self.path.mkdir()
        self.assertFalse(self.running.there())
        self.refused()
        self.assertEqual(list(self.path.iterdir()), [])

    def test_only_postgres(self) -> None:
        """Nor where all else is there."""
        (self.path / "postgres").rename(self.home / "elsewhere")
        for empty in (False, True):
            self.assertFalse(self.running.there())
            self.refused()
            if not empty:
                (self.path / "postgres").mkdir()
        self.assertEqual(list((self.path / "postgres").iterdir()), [])

    def test_another_database(self) -> None:
        """Nor with data that are not those."""
        self.move()
        other = EmbeddedPostgres(self.path, own=True)
        other.start()
        other.stop()
        self.assertFalse(self.running.there())
        self.refused()

    def test_abandoned(self) -> None:
        """The server is ended, which would take commits where they are lost."""
        self.move()
        self.running.abandon()
        self.assertFalse(self.process.is_running())

    def begins_anew(self) -> str:
        """Why the next process does not make a database."""
        return str(self.assertRaises(EmbeddedError, self.server(self.path).start))

    def test_restarted_below_the_volume(self) -> None:
        """Nor does a process that is started meanwhile, in the empty folder at its place."""
        self.move()
        self.path.mkdir(0o755)
        self.running.abandon()
        self.assertIn("has held a database", self.begins_anew())

    def test_restarted_without_a_folder(self) -> None:
        """Nor one that is started after the data were given up, though all of it is gone."""
        self.move()
        self.running.abandon()
        self.assertFalse(self.path.exists())  # so that it can be moved back
        self.running.give_up()
        self.assertIn("has held a database", self.begins_anew())

    def test_back(self) -> None:
        """When they are back, it goes on with what was committed."""
        self.move()
        self.running.abandon()
        self.back()
        self.assertTrue(self.running.there())
        self.assertEqual(self.running.start(), self.url)
        self.assertEqual(run_sql(self.url, "select n from kept"), [(42,)])

    def test_back_as_a_copy(self) -> None:
        """So it does with a copy of them, and another process that comes and goes leaves it be."""
        elsewhere = self.move()
        self.running.abandon()
        subprocess.run(["cp", "-a", elsewhere, self.path], check=True)
        self.running.start()
        tool = self.server(self.path)
        tool.start()
        tool.stop()
        self.assertEqual(run_sql(self.url, "select n from kept"), [(42,)])

    def test_replaced_by_a_copy(self) -> None:
        """With an older copy at their place the next start ends the server, which would go on
        elsewhere, and serves the copy."""
        self.running.stop()
        copy = self.home / "copy"
        subprocess.run(["cp", "-a", self.path / "postgres", copy], check=True)
        self.running.start()
        run_sql(self.url, "update kept set n = 43")
        former = postmaster(self.path)
        (self.path / "postgres").rename(self.home / "elsewhere")
        copy.rename(self.path / "postgres")
        self.assertTrue(self.running.there())
        self.assertFalse(self.running.running())
        self.assertEqual(self.running.start(), self.url)
        self.assertFalse(former.is_running())
        self.assertEqual(run_sql(self.url, "select n from kept"), [(42,)])

    def test_stop(self) -> None:
        """A stop while they are away ends the server, and leaves nothing at their place."""
        self.move()
        self.running.stop()
        self.assertFalse(self.process.is_running())
        self.assertFalse(self.path.exists())


class TraceTests(Case):
    """A start in a folder without data."""

    def test_trace(self) -> None:
        """One that has held a database gets no new one; the reason names what is missing."""
        path = self.data(self.folder() / "data")
        shutil.rmtree(path / "postgres")
        for empty in (False, True):
            if empty:
                (path / "postgres").mkdir()
            before = sorted(path.rglob("*"))
            reason = str(self.assertRaises(EmbeddedError, self.server(path).start))
            for word in (path, path / "postgres", path / "postgres.users", "mounted"):
                self.assertIn(str(word), reason)
            self.assertEqual(sorted(path.rglob("*")), before)

    def test_begin_anew(self) -> None:
        """It does once the trace of the old one is removed, as the reason says."""
        path = self.data(self.folder() / "data")
        path.parent.chmod(0o755)
        shutil.rmtree(path / "postgres")
        (path / "postgres.users").unlink()
        self.server(path).start()

    def test_keys_only(self) -> None:
        """Keys that were put there beforehand are no trace of a database."""
        path = self.data(made=False)
        path.parent.chmod(0o755)
        path.mkdir(0o755)
        (path / "secret.keys").write_text("k x\n")
        self.server(path).start()
