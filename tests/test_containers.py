"""The Dockerfile and compose.yaml: linted, and held against what its guide promises."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from twisted.trial.unittest import SynchronousTestCase

from contentsvc import config

ROOT = Path(__file__).resolve().parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text()
INSTRUCTION = re.compile(r"^([A-Z]+) ((?:.*\\\n)*.*)$", re.MULTILINE)


def instructions(text: str) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile, or of a part of it, with their words."""
    return [
        (name, " ".join(words.replace("\\\n", " ").split()))
        for name, words in INSTRUCTION.findall(text)
    ]


class DockerfileTests(SynchronousTestCase):
    def setUp(self) -> None:
        _, self.build, self.final = DOCKERFILE.split("\nFROM ")
        self.last = dict(instructions(self.final))

    def test_lint(self) -> None:
        """hadolint finds nothing."""
        hadolint = Path(sys.executable).with_name("hadolint")
        done = subprocess.run(
            [hadolint, "--failure-threshold", "style", ROOT / "Dockerfile"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((done.stdout + done.stderr, done.returncode), ("", 0))

    def test_base(self) -> None:
        """The base is a slim Debian, pinned by its tag, of a version that the package allows."""
        found = re.search(r"^ARG BASE=python:3\.(\d+)-slim-\w+$", DOCKERFILE, re.MULTILINE)
        assert found is not None
        self.assertGreaterEqual(int(found[1]), 11)

    def test_process(self) -> None:
        """twistd is process 1: the entry point has the exec form, and runs it in the foreground."""
        words = json.loads(self.last["ENTRYPOINT"])
        self.assertEqual(words, ["twistd", "--nodaemon", "--pidfile=", "contentsvc"])
        self.assertEqual(self.last["STOPSIGNAL"], "SIGTERM")

    def test_user(self) -> None:
        """It runs as a numeric user, whom Postgres finds by name and who owns the data."""
        user, _, group = self.last["USER"].partition(":")
        self.assertTrue(user.isdigit() and group.isdigit() and int(user) > 0)
        self.assertIn(f"--uid {user} ", self.last["RUN"])
        self.assertIn(f"-o {user} -g {group} {self.last['VOLUME']}", self.last["RUN"])

    def test_compiler(self) -> None:
        """The final image gets the venv alone, and installs nothing."""
        self.assertEqual(self.last["COPY"], "--from=build /opt/contentsvc /opt/contentsvc")
        self.assertNotRegex(self.final, "apt|pip|gcc")

    def test_settings(self) -> None:
        """The variables of the image are settings, and right."""
        pairs = dict(word.split("=", 1) for word in self.last["ENV"].split())
        ours = {name: value for name, value in pairs.items() if name != "PATH"}
        settings = config.read({}, ours)
        self.assertEqual(
            set(ours), {f"CONTENTSVC_{name}" for name in ("LISTEN", "DATA_DIR", "LOG_FORMAT")}
        )
        self.assertEqual(settings.log_format, "json")
        self.assertEqual(str(settings.data_dir), self.last["VOLUME"])
        self.assertTrue(settings.listen.startswith(f"tcp:{self.last['EXPOSE']}"))

    def test_health(self) -> None:
        """The check of health asks the port that is exposed, whether the process is alive."""
        url = f"http://127.0.0.1:{self.last['EXPOSE']}/health/live"
        self.assertIn(url, self.last["HEALTHCHECK"])
        words = json.loads(self.last["HEALTHCHECK"].partition(" CMD ")[2])
        compile(words[2], "healthcheck", "exec")

    def test_context(self) -> None:
        """The context of the build has all that the wheel is built of, and no secrets."""
        allowed = {
            line[1:]
            for line in (ROOT / ".dockerignore").read_text().splitlines()
            if line.startswith("!")
        }
        copied = {
            word.removeprefix("./").rstrip("/")
            for name, words in instructions(self.build)
            if name == "COPY"
            for word in words.split()[:-1]
        }
        self.assertEqual(copied, allowed)
        self.assertNotIn("compose.yaml", allowed)


def locked(name: str) -> dict[str, tuple[str, list[str]]]:
    """The version and the hashes of each distribution of a file of etc."""
    text = (ROOT / "etc" / name).read_text().replace("\\\n", " ")
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    found = {}
    for first, *hashes in lines:
        distribution, _, version = first.partition("==")
        found[canonicalize_name(distribution)] = version, hashes
    return found


class LockTests(SynchronousTestCase):
    """What the image installs: scripts/lock."""

    def test_hashes(self) -> None:
        """Each distribution has one version, and the hash of each of its files."""
        for name in ("requirements.lock", "requirements.build.lock"):
            for version, hashes in locked(name).values():
                self.assertTrue(Version(version))
                self.assertTrue(hashes)
                for each in hashes:
                    self.assertRegex(each, r"^--hash=sha256:[0-9a-f]{64}$")
            self.assertNotIn("//", (ROOT / "etc" / name).read_text())

    def ranges(self, name: str, wanted: list[str]) -> None:
        """Assert that the file has each of these requirements in a version that they allow."""
        have = locked(name)
        for requirement in map(Requirement, wanted):
            name = canonicalize_name(requirement.name)
            self.assertIn(name, have, "run scripts/lock")
            version, _ = have[name]
            fits = Version(version) in requirement.specifier
            self.assertTrue(fits, f"{requirement} is {version}: run scripts/lock")

    def test_ranges(self) -> None:
        """They are in the ranges of setup.cfg and pyproject.toml. If not, run scripts/lock."""
        setup = ConfigParser()
        setup.read(ROOT / "setup.cfg")
        lines = setup["options"]["install_requires"].strip().splitlines()
        self.ranges("requirements.lock", [line for line in lines if not line.startswith("#")])
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())
        self.ranges("requirements.build.lock", project["build-system"]["requires"])

    def test_installed(self) -> None:
        """The image installs nothing else."""
        (build, *_) = DOCKERFILE.split("\nFROM ")[1:]
        run = dict(instructions(build))["RUN"]
        for command in run.split(" && "):
            words = command.split()
            if words[0].endswith("/pip"):
                self.assertTrue({"--require-hashes", "--no-index"} & set(words), command)
            if words[0].endswith("/pip") and words[1] == "wheel":
                self.assertIn("--no-build-isolation", words)


class ComposeTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
        self.services: dict[str, Any] = self.compose["services"]

    def test_parsed(self) -> None:
        """Docker itself takes it, where its compose is installed."""
        docker = shutil.which("docker")
        has = (
            docker
            and not subprocess.run(
                [docker, "compose", "version"], capture_output=True, check=False
            ).returncode
        )
        if docker is None or not has:
            self.assertNotIn("CONTENTSVC_REQUIRE_COMPOSE", os.environ)
            return
        subprocess.run([docker, "compose", "config", "--quiet"], cwd=ROOT, check=True)

    def test_references(self) -> None:
        """Each volume, secret and service that is used is defined, and each that is defined is
        used."""
        volumes, secrets = set(), set()
        for service in self.services.values():
            volumes |= {volume.partition(":")[0] for volume in service["volumes"]}
            secrets |= set(service["secrets"])
            self.assertLessEqual(set(service.get("depends_on", {})), set(self.services))
        self.assertEqual(volumes, set(self.compose["volumes"]))
        self.assertEqual(secrets, set(self.compose["secrets"]))

    def test_secrets(self) -> None:
        """No secret is in the environment: those are files."""
        for service in self.services.values():
            for name, value in service["environment"].items():
                self.assertFalse("PASSWORD" in name and not name.endswith("_FILE"), name)
                self.assertNotIn("password=", value)
        for secret in self.compose["secrets"].values():
            self.assertEqual(list(secret), ["file"])

    def test_settings(self) -> None:
        """The service's variables are settings, and right."""
        environ = self.services["contentsvc"]["environment"]
        settings = config.read({}, environ)
        known = {f"CONTENTSVC_{setting.name.upper()}" for setting in config.SETTINGS}
        self.assertLessEqual(set(environ), known)
        self.assertEqual(settings.files, "local")
        self.assertIn("host=database", settings.database or "")

    def test_database(self) -> None:
        """The service starts once Postgres 18 can be reached."""
        database = self.services["database"]
        self.assertTrue(database["image"].startswith("postgres:18"))
        self.assertIn("pg_isready", database["healthcheck"]["test"])
        self.assertEqual(
            self.services["contentsvc"]["depends_on"],
            {"database": {"condition": "service_healthy"}},
        )

    def test_hardened(self) -> None:
        """No container gains rights or writes its own root, and each starts again after a fault."""
        for service in self.services.values():
            self.assertEqual(service["security_opt"], ["no-new-privileges:true"])
            self.assertEqual(service["cap_drop"], ["ALL"])
            self.assertTrue(service["read_only"])
            self.assertEqual(service["restart"], "unless-stopped")

    def test_capabilities(self) -> None:
        """The service keeps no capability; Postgres those by which it becomes its own user."""
        self.assertNotIn("cap_add", self.services["contentsvc"])
        kept = {"CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"}
        self.assertEqual(set(self.services["database"]["cap_add"]), kept)

    def test_bounded(self) -> None:
        """Memory and processes of each container have a limit."""
        for service in self.services.values():
            self.assertRegex(service["mem_limit"], r"^\d+[mg]$")
            self.assertGreaterEqual(service["pids_limit"], 200)

    def test_stop(self) -> None:
        """There is time to drain."""
        settings = config.read({}, {})
        grace = int(self.services["contentsvc"]["stop_grace_period"].removesuffix("s"))
        self.assertGreater(grace, settings.drain_timeout + 15)
