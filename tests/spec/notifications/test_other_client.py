"""The session socket with a client that shares no code with the server: Python's websockets."""

import json
import sys

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessDone
from twisted.internet.protocol import ProcessProtocol

from tests.spec.harness import SpecCase

CLIENT = """
import json, sys
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

url, how, token = sys.argv[1:]
headers = {"Authorization": f"Bearer {token}"} if how == "header" else {}
with connect(url, additional_headers=headers) as socket:
    if how == "auth":
        socket.send(json.dumps({"type": "auth", "token": token}))
    try:
        for message in socket:
            print(message, flush=True)
    except ConnectionClosed:
        pass
    print(json.dumps({"type": "closed", "code": socket.close_code}), flush=True)
"""


class Watching(ProcessProtocol):
    """The client as a process: one message a line."""

    def __init__(self) -> None:
        self.ended: Deferred[None] = Deferred()
        self.messages: list[dict] = []
        self._rest = b""
        self._waiting: tuple[int, Deferred[None]] | None = None

    def outReceived(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        self.messages += map(json.loads, lines)
        if self._waiting is not None and len(self.messages) >= self._waiting[0]:
            waiting, self._waiting = self._waiting[1], None
            waiting.callback(None)

    def errReceived(self, data: bytes) -> None:
        sys.stderr.write(data.decode())

    def processEnded(self, reason) -> None:
        self.ended.callback(None if reason.check(ProcessDone) else reason)

    async def until(self, count: int) -> list[dict]:
        """The messages, when there are so many."""
        if len(self.messages) < count:
            self._waiting = (count, Deferred())
            await self._waiting[1]
        return self.messages


class OtherClientTests(SpecCase):
    """The socket, through the websockets library."""

    timeout = 30

    def watch(self, url: str, how: str, token: str) -> Watching:
        watching = Watching()
        arguments = [sys.executable, "-c", CLIENT, url, how, token]
        process = reactor.spawnProcess(watching, sys.executable, arguments, env=None)

        async def end() -> None:
            if process.pid is not None:
                process.signalProcess("KILL")
                await watching.ended.addErrback(lambda _: None)

        self.addCleanup(lambda: Deferred.fromCoroutine(end()))
        return watching

    async def test_live(self):
        """socket#session-connect, notifications#debug: socketUrl and accessToken open a socket that
        is pushed to."""
        for how in ("header", "auth"):
            user = await self.user()
            session = await self.session(user)
            watching = self.watch(session["socketUrl"], how, session["accessToken"])
            self.assertEqual("hello", (await watching.until(1))[0]["type"])
            await self.notify(user, "to another library")
            pushed = (await watching.until(2))[1]
            self.assertEqual(await self.notifications(user), [pushed["notification"]])

    async def test_log_out(self):
        """socket#close-codes: a log-out says goodbye and closes with 4403."""
        user = await self.user()
        session = await self.session(user)
        watching = self.watch(session["socketUrl"], "header", session["accessToken"])
        await watching.until(1)
        await self.post("/oauth/revoke", data={"token": user.token}, expect=200)
        goodbye, closed = (await watching.until(3))[1:]
        self.assertEqual("goodbye", goodbye["type"])
        self.assertEqual({"type": "closed", "code": 4403}, closed)
