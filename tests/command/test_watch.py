"""`contentsvc watch` against the real service."""

import os
import subprocess
from collections.abc import Mapping

from msgspec import json
from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredQueue
from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure

from contentsvc.client import Client
from contentsvc.wire.notifications import DebugNotify
from tests.client.test_service import PASSWORD, WAIT, Case
from tests.support import daemon
from tests.support.daemon import script


class Watch(ProcessProtocol):
    """The command with a line to read, and what it prints."""

    def __init__(
        self, *arguments: str, line: str, environ: Mapping[str, str] | None = None
    ) -> None:
        self.lines: DeferredQueue[dict[str, object]] = DeferredQueue()
        self.printed = self.errors = b""
        self.ended: Deferred[int] = Deferred()
        self._rest = b""
        self._line = line
        command = [script("contentsvc"), "watch", *arguments]
        reactor.spawnProcess(self, command[0], command, env={**os.environ, **(environ or {})})

    def connectionMade(self) -> None:
        self.transport.write(self._line.encode() + b"\n")

    def outReceived(self, data: bytes) -> None:
        self.printed += data
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self.lines.put(json.decode(line))

    def errReceived(self, data: bytes) -> None:
        self.errors += data

    def processEnded(self, reason: Failure) -> None:
        reason.trap(ProcessDone, ProcessTerminated)
        self.ended.callback(reason.value.exitCode)

    async def line(self) -> dict[str, object]:
        return await self.lines.get().addTimeout(WAIT, reactor)

    async def end(self) -> int:
        return await self.ended.addTimeout(WAIT, reactor)

    def kill(self) -> None:
        if not self.ended.called:
            self.transport.signalProcess("KILL")


class WatchTests(Case):
    def watch(self, *arguments: str, password: str = PASSWORD) -> Watch:
        """As the user, by name."""
        user = ("--user", self.name, "--password-stdin")
        return self.begun(Watch(self.service.url, *user, *arguments, line=password))

    def with_token(self, token: str, url: str | None = None) -> Watch:
        """From the first notification on, with a token."""
        arguments = ("--token-stdin", "--resume", "0")
        return self.begun(Watch(url or self.service.url, *arguments, line=token))

    def begun(self, watch: Watch) -> Watch:
        self.addCleanup(watch.kill)
        return watch

    async def test_resume(self) -> None:
        """It prints what came after the number, as REST gives it, and goes on live until it is
        interrupted."""
        await self.notify("one", "two")
        watch = self.watch("--resume", "1")
        line = await watch.line()
        self.assertEqual((line["seq"], line["notification"]["text"]), (2, "two"))
        await self.notify("three")
        self.assertEqual((await watch.line())["notification"]["text"], "three")
        watch.transport.signalProcess("INT")
        self.assertEqual((await watch.end(), watch.errors), (0, b""))

    async def test_harmful(self) -> None:
        """A text is printed without what a terminal obeys, and is the same when the line is
        read."""
        text = "\x1b[2J\x9b31m\u202eexe.\u2066\u200b\x7f\n\U000e0041"
        await self.notify(text)
        watch = self.watch("--resume", "0")
        self.assertEqual((await watch.line())["notification"]["text"], text)
        self.assertTrue(watch.printed.decode().replace("\n", "").isprintable())
        watch.transport.signalProcess("INT")
        self.assertEqual(await watch.end(), 0)

    async def test_restart(self) -> None:
        """It goes on where the service was away."""
        service = self.service = daemon.Daemon()
        await service.start()
        self.addCleanup(service.stop)
        self.client: Client = await self.signed_in()
        await self.notify("one")
        watch = self.watch("--resume", "0")
        await watch.line()
        await service.stop()
        await service.start(port=service.port)
        await self.client.debug.send_notification(
            DebugNotify(recipient=self.client.user, text="two")
        )
        self.assertEqual((await watch.line())["seq"], 2)

    async def test_wrong_password(self) -> None:
        """A wrong password is one line, and status 1."""
        watch = self.watch(password="not this one")
        self.assertEqual(await watch.end(), 1)
        self.assertIn(b"invalid_grant", watch.errors)
        self.assertEqual(watch.errors.count(b"\n"), 1)

    async def test_revoked(self) -> None:
        """So is a session that is ended."""
        await self.notify("one")
        watch = self.watch("--resume", "0")
        await watch.line()
        await self.client.sessions.end_other()
        self.assertEqual(await watch.end(), 1)
        self.assertIn(b"4403 revoked", watch.errors)

    async def test_token(self) -> None:
        """With an access token it shows that user's notifications, and the session goes on."""
        await self.notify("one")
        watch = self.with_token(self.client.tokens.access_token)
        self.assertEqual((await watch.line())["notification"]["text"], "one")
        watch.transport.signalProcess("INT")
        self.assertEqual((await watch.end(), watch.errors), (0, b""))
        await self.client.sessions.list()

    async def test_wrong_token(self) -> None:
        """A token that the service does not take is one line, and status 1."""
        watch = self.with_token("nonsense")
        self.assertEqual(await watch.end(), 1)
        self.assertIn(b"invalid_token", watch.errors)
        self.assertEqual(watch.errors.count(b"\n"), 1)

    async def test_closed_output(self) -> None:
        """It ends in silence when nobody reads any more."""
        watch = self.watch("--resume", "0")
        watch.transport.closeChildFD(1)
        await self.notify("one")
        self.assertEqual((await watch.end(), watch.errors), (0, b""))

    def test_arguments(self) -> None:
        """A URL of another kind, a number that is none, and a user with a token or without any are
        refused in one line."""
        for words in (
            ("ftp://x", "--user", "a"),
            ("http://x", "--user", "a", "--resume", "-1"),
            ("http://x", "--user", "a", "--token-stdin"),
            ("http://x", "--token-stdin"),
            ("http://x",),
        ):
            done = subprocess.run(
                [script("contentsvc"), "watch", *words, "--password-stdin"],
                input=b"x\n",
                capture_output=True,
                check=False,
            )
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertEqual(done.stderr.count(b"\n"), 1)
