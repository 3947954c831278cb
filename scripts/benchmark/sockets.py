"""The load generator of sockets: `python -m scripts.benchmark.sockets`, a process of its own.

Reads one line with a Task as JSON. Opens what the task says should be open, prints "ready",
works when it reads another line, and prints an Outcome as JSON.
"""

import itertools
from collections import deque
from pathlib import Path
from random import Random
from time import perf_counter

import msgspec
from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import deferLater

from contentsvc.framework.core.timers import WallClock, timer
from contentsvc.tokens import Keys, Tokens

from . import helper, world
from .client import Http, Socket, connected

_AT_ONCE = 50
"""Sockets that are being opened at a time."""
_GRACE = 5.0
"""Seconds that the last frames may take after the last request."""


class Task(msgspec.Struct):
    """What to do. With `rate`, notifications per second to sockets among `receivers`; with
    `workers`, as many connections as these can make one after the other; else nothing. Users are
    numbered from `first` on. With `logs`, the workers come back to the logs of the first so many
    users from their beginnings, and read NOTIFIED notifications each."""

    port: int
    keys: str
    first: int
    seconds: float
    idle: int = 0
    receivers: int = 0
    rate: float = 0
    workers: int = 0
    logs: int = 0


class Outcome(msgspec.Struct):
    """Each latency in milliseconds, from the moment a request is written to that a frame, or
    `hello`, is read; `missing` frames were not received in time; `lost` sockets
    ended by themselves."""

    latencies: list[float]
    seconds: float
    missing: int = 0
    lost: list[str] = []


class Generator:
    """Does one task."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._tokens = Tokens(Keys.load(Path(task.keys)), WallClock())
        self._random = Random(task.first)  # noqa: S311
        self._lost: list[str] = []
        self._sent: dict[int, float] = {}
        self._latencies: list[float] = []
        self._http: deque[Http] = deque()
        self._failed: list[str] = []

    async def prepare(self) -> None:
        """Open the sockets and the first HTTP connections."""
        task = self._task
        numbers = iter(range(task.first, task.first + task.receivers + task.idle))

        async def opener() -> None:
            for number in numbers:
                await self._open(number)

        await gatherResults([Deferred.fromCoroutine(opener()) for _ in range(_AT_ONCE)])
        for _ in range(task.workers or 4):
            self._http.append(await connected(reactor, task.port, Http()))

    async def _open(self, number: int) -> Socket:
        token = self._tokens.issue_socket(world.user(number), world.session(number), "game")
        return await self._socket(token)

    async def _socket(self, token: str) -> Socket:
        socket = Socket(token, self._received, self._lost.append)
        await connected(reactor, self._task.port, socket)
        await socket.hello
        return socket

    def _received(self, payload: bytes) -> None:
        now = perf_counter()
        at = payload.find(b'"text":"')
        number = int(payload[at + 8 : payload.index(b'"', at + 8)])
        sent = self._sent.pop(number, None)
        if sent is not None:
            self._latencies.append((now - sent) * 1000)

    async def work(self) -> Outcome:
        """Do it, and say how it went."""
        begun = perf_counter()
        if self._task.rate:
            outcome = await self._notify(begun)
        elif self._task.logs:
            outcome = await self._resume(begun)
        elif self._task.workers:
            outcome = await self._connect(begun)
        else:
            await deferLater(reactor, self._task.seconds)
            outcome = Outcome([], perf_counter() - begun, 0, self._lost)
        if self._failed:
            raise RuntimeError(f"{len(self._failed)} requests failed: {self._failed[0]}")
        return outcome

    async def _notify(self, begun: float) -> Outcome:
        task = self._task
        caller = self._access(task.first)
        for number in range(int(task.rate * task.seconds)):
            # By the clock and not by the answers: a slow server gets no fewer requests.
            wait = begun + number / task.rate - perf_counter()
            if wait > 0:
                await deferLater(reactor, wait)
            recipient = world.user(task.first + self._random.randrange(task.receivers))
            posting = self._post(number, caller, recipient)
            Deferred.fromCoroutine(posting).addErrback(
                lambda failure: self._failed.append(failure.getErrorMessage())
            )
        seconds = perf_counter() - begun
        deadline = perf_counter() + _GRACE
        while self._sent and perf_counter() < deadline:
            await deferLater(reactor, 0.05)
        return Outcome(self._latencies, seconds, len(self._sent), self._lost)

    async def _post(self, number: int, token: str, recipient: str) -> None:
        http = self._http.pop() if self._http else None
        if http is None:
            http = await connected(reactor, self._task.port, Http())
        body = {"recipient": recipient, "text": str(number)}
        self._sent[number] = perf_counter()
        status, answer = await http.request("POST", "/api/v1/debug/notify", token, body)
        if status != 204:
            raise RuntimeError(f"{status} {answer!r}")
        self._http.append(http)

    async def _connect(self, begun: float) -> Outcome:
        task = self._task
        until = begun + task.seconds
        numbers = iter(range(task.first, task.first + 1_000_000))

        async def worker(http: Http) -> None:
            while perf_counter() < until:
                number = task.first + (next(numbers) - task.first) % 1000
                access = self._access(number)
                sent = perf_counter()
                status, answer = await http.request("POST", _CONNECT, access, _GAME)
                if status != 200:
                    raise RuntimeError(f"{status} {answer!r}")
                socket = await self._socket(msgspec.json.decode(answer)["accessToken"])
                self._latencies.append((perf_counter() - sent) * 1000)
                socket.close()

        await gatherResults([Deferred.fromCoroutine(worker(http)) for http in self._http])
        return Outcome(self._latencies, perf_counter() - begun, 0, self._lost)

    async def _resume(self, begun: float) -> Outcome:
        task = self._task
        until, numbers = begun + task.seconds, itertools.count()

        async def worker() -> None:
            while perf_counter() < until:
                number = next(numbers) % task.logs
                token = self._tokens.issue_socket(world.user(number), world.session(number), "game")
                sent = perf_counter()
                await self._read(token)
                self._latencies.append((perf_counter() - sent) * 1000)

        await gatherResults([Deferred.fromCoroutine(worker()) for _ in range(task.workers)])
        return Outcome(self._latencies, perf_counter() - begun, 0, self._lost)

    async def _read(self, token: str) -> None:
        left, done = world.NOTIFIED, Deferred[None]()

        def received(payload: bytes) -> None:
            nonlocal left
            left -= 1
            if not left:
                done.callback(None)

        socket = Socket(token, received, self._lost.append, 0)
        await connected(reactor, self._task.port, socket)
        with timer(reactor, _GRACE, done.cancel):
            await done
        socket.close()

    def _access(self, number: int) -> str:
        return self._tokens.issue(world.user(number), world.session(number))


_CONNECT = "/api/v1/session/connect"
_GAME = {"client": "game"}


class _Obedient:
    """Does what the lines say."""

    def __init__(self) -> None:
        self._generator: Generator | None = None

    async def obey(self, line: bytes) -> bytes:
        """The first is the task."""
        if self._generator is None:
            self._generator = Generator(msgspec.json.decode(line, type=Task))
            await self._generator.prepare()
            return b"ready"
        return msgspec.json.encode(await self._generator.work())


if __name__ == "__main__":
    helper.serve(_Obedient().obey)
