"""Which build this is."""

import os
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.core import build
from tests.support import postgres
from tests.support.daemon import ROOT, script

WHO = {"AUTHOR", "COMMITTER"}


class CommitTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = postgres.new_folder()
        self.package = self.folder / "contentsvc"
        core = self.package / "framework" / "core"
        core.mkdir(parents=True)
        for path in ("__init__.py", "framework/core/build.py"):
            (self.package / path).write_bytes((ROOT / "contentsvc" / path).read_bytes())

    def git(self, *words: str) -> str:
        """What git says in this folder."""
        names = {f"GIT_{one}_{what}": "x@example.com" for one in WHO for what in ("NAME", "EMAIL")}
        environ = {"PATH": os.environ["PATH"], "HOME": str(self.folder), **names}
        return self.output(["git", *words], environ)

    def output(self, command: list[str], environ: dict[str, str]) -> str:
        """What a program prints in this folder."""
        done = subprocess.run(
            command, cwd=self.folder, env=environ, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def committed(self) -> str:
        """Make a clone of the folder; the first digits of its commit."""
        self.git("init", "--quiet")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "all")
        return self.git("rev-parse", "--short=12", "HEAD")

    def wheel_version(self, **environ: str) -> str:
        """The version that a wheel of this folder gets, which nothing of ours helps to find."""
        path = "contentsvc/framework/core/build.py"
        asked = f"import runpy; print(runpy.run_path('{path}')['_wheel_version']())"
        command = [sys.executable, "-I", "-S", "-c", asked]
        return self.output(command, {"PATH": os.environ["PATH"], **environ})

    def test_clone(self) -> None:
        """A wheel of a clone has the commit in its version, and says where files differ from it."""
        commit = self.committed()
        self.assertEqual(f"{build.release()}+g{commit}", self.wheel_version())
        (self.package / "__init__.py").open("a").write("# changed\n")
        self.assertEqual(f"{build.release()}+g{commit}.dirty", self.wheel_version())

    def test_other_folder(self) -> None:
        """Variables of git that are about another clone change nothing."""
        commit = self.committed()
        found = self.wheel_version(GIT_DIR=str(ROOT / ".git"))
        self.assertEqual(f"{build.release()}+g{commit}", found)

    def test_no_clone(self) -> None:
        """Without a clone it is the version alone, or with the commit that the builder names."""
        release, commit = build.release(), "0123456789abcdef0123456789abcdef01234567"
        self.assertEqual(release, self.wheel_version())
        self.assertEqual(f"{release}+g{commit[:12]}", self.wheel_version(CONTENTSVC_COMMIT=commit))
        for wrong in ("", "main", "A" * 40, "0123"):
            self.assertEqual(release, self.wheel_version(CONTENTSVC_COMMIT=wrong))

    def test_sdist(self) -> None:
        """A wheel of an sdist has the version of that."""
        text = "Metadata-Version: 2.4\nName: contentsvc\nVersion: 1.0.0+g0123456789ab\n"
        (self.folder / "PKG-INFO").write_text(text)
        self.assertEqual("1.0.0+g0123456789ab", self.wheel_version())

    def test_broken_clone(self) -> None:
        """A clone that git cannot read costs the commit only."""
        (self.folder / ".git").write_text("gitdir: /nowhere\n")
        self.assertEqual(build.release(), self.wheel_version())


class NameTests(SynchronousTestCase):
    def test_clone(self) -> None:
        """In a clone, the name has the commit of now, whatever was installed."""
        if not (ROOT / ".git").exists():
            self.skipTest("no clone")
        asked = ["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"]
        commit = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
        release, _, label = build.name().partition("+g")
        self.assertEqual((build.release(), commit), (release, label.removesuffix(".dirty")))

    def test_wheel(self) -> None:
        """An installed wheel says what its version has."""
        self.addCleanup(build.commit.cache_clear)
        self.patch(build, "ROOT", Path("/nowhere"))
        for given, commit in (
            ("1.2.3", None),
            ("1.2.3+g0123456789ab", "0123456789ab"),
            ("1.2.3+g0123456789ab.dirty", "0123456789ab.dirty"),
        ):
            build.commit.cache_clear()
            self.patch(build, "version", lambda name, given=given: given)
            self.assertEqual((commit, given), (build.commit(), build.name()))
            self.assertEqual("1.2.3", build.release())

    def test_commands(self) -> None:
        """Both commands say it, and need nothing for that."""
        for command in (["contentsvc", "--version"], ["twistd", "contentsvc", "--version"]):
            said = subprocess.run(
                [script(command[0]), *command[1:]],
                cwd=postgres.new_folder(),
                env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertEqual(f"contentsvc {build.name()}\n", said.stdout)
