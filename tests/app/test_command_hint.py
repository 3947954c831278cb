"""The command that a start names can be pasted."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from contentsvc import config
from contentsvc.app import command_hint
from tests.support import postgres
from tests.support.daemon import ROOT


class CommandTests(SynchronousTestCase):
    """A folder with an installation, in which the shell is."""

    def setUp(self) -> None:
        self.home = postgres.new_folder().resolve()
        self.bin = self.home / "env/bin"
        self.bin.mkdir(parents=True)
        for name in ("twistd", "contentsvc"):
            (self.bin / name).write_text("#!/bin/sh\n")
            (self.bin / name).chmod(0o755)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.home)
        self.path("/nonexistent")

    def path(self, path: str) -> None:
        """The shell's PATH."""
        self.patch(os, "environ", {**os.environ, "PATH": path})

    def command(self, script: str, file: str | None = None, **given: str) -> str:
        """The hint after such a call of twistd, with these options."""
        options = {name.replace("_", "-"): value for name, value in given.items()}
        settings = config.read({**options, "config": file}, {})
        return command_hint.command(script, file, settings)

    def written(self, text: str) -> str:
        """A file of settings."""
        (self.home / "conf.toml").write_text(text)
        return "conf.toml"

    def test_in_place(self) -> None:
        """Where the shell is in the folder, it is as short as what was typed."""
        self.assertEqual(self.command("env/bin/twistd"), "env/bin/contentsvc")

    def test_elsewhere(self) -> None:
        """Where it may be in another, all paths are whole."""
        self.assertEqual(
            self.command(str(self.bin / "twistd")),
            f"{self.bin}/contentsvc --data-dir {self.home}/var",
        )

    def test_installed(self) -> None:
        """Where the shell finds the command by its name, that is it."""
        self.path(str(self.bin))
        said = self.command(str(self.bin / "twistd"))
        self.assertEqual(said, f"contentsvc --data-dir {self.home}/var")

    def test_another_is_found(self) -> None:
        """But not where it would find another."""
        other = self.home / "other"
        other.mkdir()
        (other / "contentsvc").write_text("#!/bin/sh\n")
        (other / "contentsvc").chmod(0o755)
        self.path(str(other))
        self.assertTrue(self.command(str(self.bin / "twistd")).startswith(f"{self.bin}/content"))

    def test_same_folder(self) -> None:
        """A path without a folder is none to a shell."""
        os.chdir(self.bin)
        self.assertEqual(self.command("twistd"), "./contentsvc")

    def test_data_dir(self) -> None:
        """A data dir of its own is named."""
        said = self.command("env/bin/twistd", data_dir="a b")
        self.assertEqual(said, "env/bin/contentsvc --data-dir 'a b'")

    def test_file(self) -> None:
        """The hint leaves out options that the file already has."""
        file = self.written('data_dir = "/d"\n')
        self.assertEqual(
            self.command("env/bin/twistd", file), "env/bin/contentsvc --config conf.toml"
        )
        self.assertEqual(
            self.command("env/bin/twistd", file, data_dir="/e"),
            "env/bin/contentsvc --config conf.toml --data-dir /e",
        )

    def test_file_in_part(self) -> None:
        """Nor is the rest left out where the file alone is not enough."""
        file = self.written('database = "dbname=x"\n')
        said = self.command("env/bin/twistd", file, secret_file="/k")
        words = ["--config", "conf.toml", "--database", "dbname=x", "--secret-file", "/k"]
        self.assertEqual(said, shlex.join(["env/bin/contentsvc", *words]))

    def test_database(self) -> None:
        """A database is named, with its keys, and without what is embedded."""
        said = self.command("env/bin/twistd", database="dbname=x host=/s", secret_file="/k")
        self.assertEqual(said, "env/bin/contentsvc --database 'dbname=x host=/s' --secret-file /k")

    def test_password(self) -> None:
        """Its password is not."""
        for dsn in ("postgresql://u:hunter2@h/d", "user=u password=hunter2 dbname=d"):
            said = self.command("env/bin/twistd", database=dsn, secret_file="/k")
            self.assertNotIn("hunter2", said)
            self.assertIn("password=PASSWORD", said)
            self.assertIn("dbname=d", said)


class RunTests(SynchronousTestCase):
    def test_whole_path(self) -> None:
        """scripts/run calls twistd by its whole path, from whatever folder."""
        home = postgres.new_folder().resolve()
        (home / "scripts").mkdir()
        (home / ".venv/bin").mkdir(parents=True)
        shutil.copy(ROOT / "scripts/run", home / "scripts/run")
        for name, text in (("scripts/venv", ":"), (".venv/bin/twistd", "echo $0")):
            (home / name).write_text(f"#!/bin/sh\n{text}\n")
            (home / name).chmod(0o755)
        for folder in (home, Path("/")):
            said = subprocess.check_output([home / "scripts/run"], cwd=folder, text=True)
            self.assertEqual(said, f"{home}/.venv/bin/twistd\n")
