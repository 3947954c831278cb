"""contentsvc-client: what is in it and what it requires, and a game that needs no more."""

import re
import subprocess
import sys
import tomllib
import zipfile
from configparser import ConfigParser
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredQueue
from twisted.internet.protocol import ProcessProtocol
from twisted.internet.threads import deferToThread
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.wire.accounts import UserSearch
from contentsvc.wire.notifications import DebugNotify
from tests.client.test_service import PASSWORD, WAIT, Case, guid
from tests.support.daemon import ROOT
from tests.test_layers import graph, imported, modules

PAGE = (ROOT / "docs/guides/client.md").read_text()
(GAME,) = re.findall(r"^```python game\n(.*?)^```$", PAGE, re.M | re.S)
LAYERS = {"client", "wire"}
FRAMEWORK = {
    "framework",
    "framework.core",
    "framework.core.autobahn_internals",
    "framework.core.concurrency",
    "framework.core.connections",
    "framework.core.disk",
    "framework.core.host_names",
    "framework.core.http_client",
    "framework.core.http_proxy",
    "framework.core.timers",
    "framework.core.twisted_internals",
    "framework.images",
    "framework.images.metadata",
    "framework.storage",
    "framework.storage.paths",
    "framework.webhooks",
    "framework.webhooks.signature",
}
"""What the distribution has of the package: these layers whole, and of the framework what they
need."""
LINES = 48
"""The game's length at most, without blank lines."""


def has(name: str) -> bool:
    """Whether the distribution has this module of ours, named below contentsvc."""
    return name.partition(".")[0] in LAYERS or name in {*FRAMEWORK, "__init__"}


def requirements(lines: list[str]) -> dict[str, str]:
    """The versions that are required, by the names of the distributions."""
    parts = [re.match(r"([\w.-]+)(?:\[\w+\])? *(.*)", line).groups() for line in lines]
    return {canonical(name): versions for name, versions in parts}


def canonical(name: str) -> str:
    """The name of a distribution, as it is compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def client() -> dict[str, str]:
    """The requirements of the client's distribution."""
    project = tomllib.loads((ROOT / "contentsvc/client/pyproject.toml").read_text())
    return requirements(project["project"]["dependencies"])


def server() -> dict[str, str]:
    """The requirements of the server's distribution."""
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg")
    lines = setup["options"]["install_requires"].strip().splitlines()
    return requirements([line for line in lines if not line.startswith("#")])


OTHERWISE = {"OpenSSL": "pyopenssl", "service_identity": "service-identity"}
"""The distributions of modules with another name."""


class RequirementTests(SynchronousTestCase):
    def test_layers(self) -> None:
        """Its modules import no module of ours that it lacks."""
        arrows = graph()
        needed = {to for name in arrows if has(name) for to in arrows[name]}
        self.assertEqual({name for name in needed if not has(name)}, set())

    def test_imports(self) -> None:
        """It requires every distribution whose modules it imports itself, and no other."""
        ours = [tree for name, tree in modules() if has(name)]
        names = {name for tree in ours for name in imported(tree)}
        top = {name.partition(".")[0] for name in names} - {"contentsvc", *sys.stdlib_module_names}
        # A package of many distributions.
        zope = {"-".join(name.split(".")[:2]) for name in names if name.startswith("zope.")}
        top = {OTHERWISE.get(name, name) for name in top}
        self.assertEqual({*top - {"zope"}, *zope}, set(client()))

    def test_ranges(self) -> None:
        """The two distributions take the same versions of a library."""
        theirs = server()
        for name, versions in client().items():
            if name in theirs:
                self.assertEqual(versions, theirs[name], name)


class GameTests(SynchronousTestCase):
    def test_length(self) -> None:
        """The game of docs/guides/client.md is short, and its lines are not long."""
        lines = [line for line in GAME.splitlines() if line.strip()]
        self.assertLessEqual(len(lines), LINES)
        self.assertLessEqual(max(map(len, lines)), 100)


class Game(ProcessProtocol):
    """A game under way, and what it prints."""

    def __init__(self, *command: str) -> None:
        self.said = ""
        self.more: DeferredQueue[None] = DeferredQueue()
        self.ended: Deferred[int] = Deferred()
        reactor.spawnProcess(self, command[0], command, env={"PYTHONUNBUFFERED": "1"})

    def outReceived(self, data: bytes) -> None:
        self.said += data.decode()
        self.more.put(None)

    def errReceived(self, data: bytes) -> None:
        self.said += data.decode()

    def processEnded(self, reason) -> None:
        self.ended.callback(reason.value.exitCode)
        self.more.put(None)

    async def until(self, words: str) -> None:
        """Wait until it has said these words; forget what it has said up to them."""
        while words not in self.said:
            assert not self.ended.called, self.said
            await self.more.get().addTimeout(WAIT, reactor)
        self.said = self.said.partition(words)[2]

    async def asked(self, floor: int) -> None:
        """Wait for the question of this floor."""
        await self.until(f"Floor {floor}: {floor} x 7 = ")

    def answer(self, number: int) -> None:
        self.transport.write(b"%d\n" % number)

    def kill(self) -> None:
        if not self.ended.called:
            self.transport.signalProcess("KILL")


class InstalledTests(Case):
    """One test for all, since an installation takes ten seconds."""

    timeout = 240

    async def test_game(self) -> None:
        """The wheel has the files of this folder, brings none of the libraries that only the server
        needs, and is enough for the game of docs/guides/client.md."""
        folder = TemporaryDirectory(prefix="contentsvc-client-")
        self.addCleanup(folder.cleanup)
        home = Path(folder.name)
        await deferToThread(self.install, home)
        self.check_files(home)
        self.check_packages(home)
        (home / "tower.py").write_text(GAME)
        await self.check_game(str(home / "venv/bin/python"), str(home / "tower.py"))

    def install(self, home: Path) -> None:
        run(str(ROOT / "scripts/client-wheel"), str(home))
        run(sys.executable, "-m", "venv", "--without-pip", str(home / "venv"))
        (wheel,) = home.glob("contentsvc_client-*.whl")
        pip(home, "install", "--quiet", str(wheel))

    def check_files(self, home: Path) -> None:
        (path,) = home.glob("contentsvc_client-*.whl")
        with zipfile.ZipFile(path) as wheel:
            names = {name for name in wheel.namelist() if ".dist-info/" not in name}
            layers = {name.split("/")[1].removesuffix(".py") for name in names}
            self.assertEqual(layers, {*LAYERS, "framework", "__init__", "py.typed"})
            framework = {name for name in names if name.startswith("contentsvc/framework/")}
            self.assertEqual(len(framework), len(FRAMEWORK))
            # Where the server is installed too, its files and these replace each other.
            for name in names - {"contentsvc/client/LICENSE"}:
                self.assertEqual(wheel.read(name), (ROOT / name).read_bytes(), name)

    def check_packages(self, home: Path) -> None:
        lines = pip(home, "list", "--format", "freeze").splitlines()
        there = {canonical(line.partition("==")[0]) for line in lines}
        self.assertLessEqual(client().keys() | {"contentsvc-client"}, there)
        # Twisted brings attrs to the client too.
        self.assertEqual(there & (server().keys() - client().keys() - {"attrs"}), set())

    async def check_game(self, *command: str) -> None:
        name = f"u{guid()[:12]}"
        game = self.play(*command, name)
        await game.asked(0)
        player = (await self.client.users.search(UserSearch(q=name))).items[0].id
        await self.client.debug.send_notification(DebugNotify(recipient=player, text="Higher!"))
        await game.until("Higher!")
        game.answer(0)
        await game.asked(1)
        game.answer(7)
        await game.asked(2)

        # The same player elsewhere begins with a wrong version, and then has the same floor.
        elsewhere = self.play(*command, name)
        await elsewhere.asked(2)
        elsewhere.answer(13)
        await elsewhere.asked(1)
        # The first has missed this; its right answer does not count.
        game.answer(14)
        for floor in range(1, 10):
            await game.asked(floor)
            game.answer(7 * floor)
        self.assertEqual(await game.ended, 0, game.said)
        (published,) = (await self.client.content.list(player)).items
        self.assertEqual(published.name, "My tower")
        found = await self.client.downloads.list_content_files(published.id)
        self.assertEqual([file.sha256 for file in found], [sha256(GAME.encode()).hexdigest()])
        self.assertRegex(published.thumbnail_uri, r"^[0-9a-f]{2}/[0-9a-f]{64}\.png$")

    def play(self, *command: str) -> Game:
        *program, name = command
        game = Game(*program, self.service.url, name, PASSWORD)
        self.addCleanup(game.kill)
        return game


def run(*command: str) -> str:
    """The output of a command. Raises AssertionError if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def pip(home: Path, *words: str) -> str:
    """pip for the environment in this folder."""
    return run(sys.executable, "-m", "pip", "--python", str(home / "venv/bin/python"), *words)
