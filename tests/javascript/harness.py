"""Runs the JavaScript tests, those of clients/javascript/tests, against a daemon."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path
from typing import TextIO

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread
from twisted.internet.utils import getProcessOutputAndValue
from twisted.trial.unittest import SkipTest, TestCase
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request, Site

from tests.spec.harness import SpecCase
from tests.support.daemon import ROOT, Daemon, shared

PACKAGE = ROOT / "clients/javascript"
NEWEST = PACKAGE / "tests/newest"
INSTALL = ("ci", "--ignore-scripts", "--no-audit", "--no-fund")


class _Control(Resource):
    """POST /start, /stop and /kill do so to the daemon, and answer 204 when it is done."""

    isLeaf = True

    def __init__(self, daemon: Daemon) -> None:
        super().__init__()
        self._works = {
            b"/start": lambda: daemon.start(daemon.port),
            b"/stop": daemon.stop,
            b"/kill": daemon.kill,
        }

    def render_POST(self, request: Request) -> int:
        done = Deferred.fromCoroutine(self._works[request.path]())
        done.addCallbacks(lambda _: request.setResponseCode(204), request.processingFailed)
        done.addCallback(lambda _: request.finish())
        return NOT_DONE_YET


def _opened(path: Path) -> TextIO:
    return path.open()


def _is_newer(made: Path, named: Path) -> bool:
    return made.exists() and made.stat().st_mtime >= named.stat().st_mtime


class NpmCase(TestCase):
    """Tests of the package, with what its package-lock.json names."""

    timeout = 300.0

    async def setUp(self) -> None:
        await self.prepare()

    async def prepare(self) -> None:
        """Find Node, and install what the package names. Raises SkipTest where there is none."""
        self.required = os.environ.get("CONTENTSVC_REQUIRE_NPM") == "1"
        self.node, self.npm = self._program("node"), self._program("npm")
        await self._install()

    def _program(self, name: str) -> str:
        found = shutil.which(name)
        if found is None:
            if self.required:
                self.fail(f"{name} is not installed")
            raise SkipTest(f"{name} is not installed")
        return found

    async def _install(self) -> None:
        """Have the packages, once for all processes of a run."""
        there = PACKAGE / "node_modules/.package-lock.json"
        await self._once(PACKAGE / "package-lock.json", there, (self.npm, *INSTALL))

    async def _once(self, named: Path, made: Path, *commands: tuple[str, ...]) -> None:
        """Run these commands beside the file that names what they install, unless what they make
        is there. Raises SkipTest where one fails."""
        with _opened(named) as file:
            await deferToThread(fcntl.flock, file, fcntl.LOCK_EX)
            if _is_newer(made, named):
                return
            for program, *arguments in commands:
                said, status = await self.run_program(program, *arguments, folder=named.parent)
                if status != 0:
                    if self.required:
                        self.fail(said)
                    raise SkipTest(f"{program} {arguments[0]}: {said}")

    async def run_program(
        self, program: str, *arguments: str, folder: Path = PACKAGE, **environ: str
    ) -> tuple[str, int]:
        """What it prints in a folder, by default the package's, and its exit status."""
        out, err, status = await getProcessOutputAndValue(
            program, arguments, env=os.environ | environ, path=str(folder)
        )
        return (out + err).decode(), status

    async def run_tests(self, name: str, **environ: str) -> None:
        """Run tests/NAME.test.js."""
        await self.run_node(f"tests/{name}.test.js", **environ)

    async def run_node(self, *arguments: str, **environ: str) -> str:
        """What a script prints that ends well."""
        said, status = await self.run_program(self.node, *arguments, **environ)
        self.assertEqual(0, status, said)
        return said


class NewestCase(NpmCase):
    """Tests in the newest Node, which the npm package `node` brings."""

    async def prepare(self) -> None:
        """Have it as `node`. Raises SkipTest where there is none."""
        await super().prepare()
        package = NEWEST / "node_modules/node"
        install = ("install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock")
        # Its script, which npm would run, has npm bring the program of this machine.
        script = f"process.chdir('{package}'); require('{package}/installArchSpecificPackage.js')"
        await self._once(
            NEWEST / "package.json",
            package / "bin",
            (self.npm, *install),
            (self.node, "--eval", script),
        )
        self.node = str(package / "bin/node")


class NodeCase(NpmCase, SpecCase):
    """Tests that run in Node, against a daemon."""

    async def setUp(self) -> None:
        await SpecCase.setUp(self)
        await self.prepare()

    async def connect(self) -> None:
        """Find a daemon of one process, which has ended a session when it says so; Node chooses the
        connections."""
        await super().connect()
        if self.daemon is not None:
            self.use(await shared("one process", Daemon))

    async def run_tests(self, name: str, **environ: str) -> None:
        """Run tests/NAME.test.js. It has the service's address in CONTENTSVC_URL."""
        await super().run_tests(name, CONTENTSVC_URL=self.url, **environ)

    async def control(self, daemon: Daemon) -> str:
        """The URL by which a test starts and ends this daemon."""
        port = reactor.listenTCP(0, Site(_Control(daemon)), interface="127.0.0.1")
        self.addCleanup(port.stopListening)
        return f"http://127.0.0.1:{port.getHost().port}"


class OwnServiceCase(NodeCase):
    """Tests of a daemon that they may end."""

    async def connect(self) -> None:
        self.own_daemon()
        daemon = Daemon()
        self.addCleanup(daemon.stop)
        await daemon.start()
        self.use(daemon)

    async def run_tests(self, name: str, **environ: str) -> None:
        """Run tests/NAME.test.js. At CONTROL_URL it starts and ends the daemon."""
        assert self.daemon is not None
        control = await self.control(self.daemon)
        await super().run_tests(name, CONTROL_URL=control, **environ)
