"""README.md does what it says."""

import json
import os
import re
import shutil
from unittest import SkipTest

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.protocol import ProcessProtocol
from twisted.internet.utils import getProcessOutputAndValue
from twisted.trial.unittest import SynchronousTestCase, TestCase

from contentsvc import config
from tests.spec.harness import SpecCase
from tests.support import daemon

README = (daemon.ROOT / "README.md").read_text()
BASE = "BASE=http://127.0.0.1:8080\n"
ANSWERS = [
    *(201, 201, 204, 200, 204, 201, 204, 200, 200),
    # From the socket's address on: sent, suspended, gone, restored.
    *(200, 204, 204, 404, 204),
]


def transcript() -> str:
    """The marked blocks, one after the other, as a reader pastes them."""
    return "".join(re.findall(r"^```bash transcript\n(.*?)^```$", README, re.M | re.S))


class TranscriptTests(TestCase):
    """The blocks, run by bash with curl against a daemon."""

    timeout = 120.0

    async def test_transcript(self):
        """Pasted from top to bottom, it goes from registration to notifications on the open
        socket, and every answer is the one it should be."""
        if shutil.which("curl") is None:
            raise SkipTest("needs curl")
        service = daemon.Daemon()
        await service.start()
        try:
            said = await self.paste(transcript().replace(BASE, f"BASE={service.url}\n"), service)
        finally:
            await service.stop()
        self.assertEqual([int(code) for code in re.findall(r" -> (\d+)\n", said)], ANSWERS, said)
        lines = re.findall(r'^{"type":"(?:hello|notification)".*$', said, re.M)
        heard = [json.loads(line) for line in lines]
        self.assertEqual(heard[0]["type"], "hello")
        kinds = [message["notification"]["kind"] for message in heard[1:]]
        self.assertEqual(kinds, ["Debug", "ContentSuspended", "ContentRestored"])
        self.assertEqual(heard[1]["notification"]["text"], "Hello from Ben")

    async def paste(self, script: str, service: daemon.Daemon) -> str:
        """What bash printed, on either stream, as a terminal shows it."""
        kept = {name: v for name, v in os.environ.items() if not name.startswith("CONTENTSVC_")}
        environ = {**kept, "CONTENTSVC_DATA_DIR": str(service.data_dir)}
        out, _, status = await getProcessOutputAndValue(
            "/bin/bash", ["-c", f"exec 2>&1\n{script}"], env=environ, path=str(daemon.ROOT)
        )
        self.assertEqual(status, 0, out.decode())
        return str(out.decode())


class ReadmeTests(SynchronousTestCase):
    def test_base(self) -> None:
        """The transcript begins with where the daemon is by default."""
        self.assertTrue(transcript().startswith(BASE))

    def test_links(self) -> None:
        """What the README links to is there."""
        links = re.findall(r"\]\(([^)#]+)", README)
        missing = [link for link in links if not (daemon.ROOT / link).exists()]
        self.assertEqual(missing, [])
        self.assertIn("docs/operating.md", links)


class Watch(ProcessProtocol):
    """scripts/watch under way."""

    def __init__(self, *words: str) -> None:
        self.ended: Deferred[int | None] = Deferred()
        self.said = self.complained = ""
        command = [str(daemon.ROOT / "scripts" / "watch"), *words]
        reactor.spawnProcess(self, command[0], command, env=dict(os.environ))

    def outReceived(self, data: bytes) -> None:
        self.said += data.decode()

    def errReceived(self, data: bytes) -> None:
        self.complained += data.decode()

    def processEnded(self, reason) -> None:
        self.ended.callback(reason.value.exitCode)


class WatchTests(SpecCase):
    """scripts/watch, which the transcript uses."""

    async def test_resume(self):
        """With SEQ it prints what came after that number, a message a line, until interrupted."""
        user = await self.user()
        for text in ("one", "two"):
            await self.notify(user, text)
        session = await self.session(user)
        watch = Watch(session["socketUrl"], session["accessToken"], "1")
        await daemon.until(lambda: watch.said.count("\n") == 2, 20, "two messages")
        await self.notify(user, "three")
        await daemon.until(lambda: watch.said.count("\n") == 3, 20, "a third")
        watch.transport.signalProcess("INT")
        self.assertEqual((await watch.ended, watch.complained), (0, ""))
        hello, *others = [json.loads(line) for line in watch.said.splitlines()]
        self.assertEqual((hello["type"], hello["seq"]), ("hello", 1))
        self.assertEqual([m["notification"]["text"] for m in others], ["two", "three"])

    async def test_closed(self):
        """When the server closes, the code is on standard error and the exit status is 1."""
        session = await self.session(await self.someone())
        watch = Watch(session["socketUrl"], "nonsense")
        self.assertEqual(await watch.ended, 1)
        self.assertIn("4401", watch.complained)

    async def test_nobody_there(self):
        """Where nothing listens, it says so, and the exit status is 1."""
        watch = Watch(f"ws://127.0.0.1:{daemon.free_port()}/socket", "nonsense")
        self.assertEqual(await watch.ended, 1)
        self.assertIn("not connected", watch.complained)


class ExampleTests(SynchronousTestCase):
    def test_listen(self):
        """The example of --listen is the default on another port: the same backlog, for one."""
        (example,) = re.findall(r"`--listen ([^`]+)`", README)
        (default,) = (s.default for s in config.SETTINGS if s.name == "listen")
        self.assertEqual(re.sub(r":\d+:", ":8080:", example), default)
