"""The load generator beside a fan-out: `python -m scripts.benchmark.steady`, a process of its own.

It has sockets of followers, and one line for each step: a Task as JSON; then, as often as wanted,
a Step as JSON. The answers are "ready" and the step's outcome, as JSON.
"""

from collections import deque
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any
from uuid import uuid4

import msgspec
from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import deferLater

from contentsvc.framework.core.timers import WallClock
from contentsvc.roles import ADMIN, PLAYER
from contentsvc.tokens import Keys, Tokens

from . import helper, world
from .client import Http, Socket, connected
from .world import Sizes

_API = "/api/v1"
_TICK = 0.05
"""Seconds between two looks at what has arrived."""


class Task(msgspec.Struct):
    """The server, its data set, and how many followers of the star have sockets."""

    port: int
    keys: str
    sizes: Sizes
    sockets: int


class Publish(msgspec.Struct, tag=True):
    """Publish content by this author."""

    author: int


class Broadcast(msgspec.Struct, tag=True):
    """Have the studio tell all who follow this author."""

    author: int


class Published(msgspec.Struct):
    """The content, or what the studio tells, and the milliseconds until the answer."""

    content: str
    took: float


class Begin(msgspec.Struct, tag=True):
    """Begin to send mixed requests, so many each second by the clock."""

    rate: float


class End(msgspec.Struct, tag=True):
    """Stop sending."""


class Latencies(msgspec.Struct):
    """Of each request since the beginning, in milliseconds."""

    took: list[float]


class Frames(msgspec.Struct, tag=True):
    """Wait until all sockets have been told of a content, or so many of them, or for so many
    seconds."""

    content: str
    patience: float
    sockets: int | None = None


class Told(msgspec.Struct):
    """Milliseconds from the answer to each frame about the content. Each socket should have one;
    `sockets` have."""

    after: list[float]
    sockets: int


Step = Publish | Broadcast | Begin | End | Frames


class Steady:
    """Does the steps."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._tokens = Tokens(Keys.load(Path(task.keys)), WallClock())
        self._random = Random(7)  # noqa: S311
        self._http: deque[Http] = deque()
        self._lost: list[str] = []
        self._answered: dict[str, float] = {}
        self._frames: dict[str, list[tuple[int, float]]] = {}
        self._load: Deferred[None] | None = None
        self._wanted = False
        self._took: list[float] = []
        self._open: set[Deferred[None]] = set()
        self._failed: list[str] = []

    async def prepare(self) -> None:
        """Open the sockets."""
        sizes = self._task.sizes
        # Not neighbours: they are told one after the other.
        every = sizes.followers // self._task.sockets
        first = sizes.first_follower
        for number in range(first, first + every * self._task.sockets, every):
            token = self._tokens.issue_socket(world.user(number), world.session(number), "game")
            socket = Socket(token, self._receiver(number), self._lost.append)
            await connected(reactor, self._task.port, socket)
            await socket.hello

    def _receiver(self, number: int) -> Any:
        def received(payload: bytes) -> None:
            told = msgspec.json.decode(payload).get("notification", {})
            content = told.get("content") or told.get("data", {}).get("content")
            self._frames.setdefault(content, []).append((number, perf_counter()))

        return received

    async def step(self, step: Step) -> Any:
        """Do one; its outcome."""
        match step:
            case Publish(author):
                outcome: Any = await self._publish(author)
            case Broadcast(author):
                outcome = await self._broadcast(author)
            case Begin(rate):
                self._took, self._wanted = [], True
                self._load = Deferred.fromCoroutine(self._send(rate))
                outcome = "begun"
            case End():
                outcome = await self._end()
            case Frames(content, patience, sockets):
                outcome = await self._told(content, patience, sockets or self._task.sockets)
        if self._failed or self._lost:
            raise RuntimeError(f"failed: {self._failed[:3]}, sockets lost: {self._lost[:3]}")
        return outcome

    async def _publish(self, author: int) -> Published:
        content = str(uuid4())
        core = {"entityId": str(uuid4()), "revisionId": str(uuid4()), "path": "entities/new.bin"}
        body = {
            "name": "Tilting Tower",
            "description": "Stack it as high as it goes.",
            "type": "game",
            "screenshotUris": ["shots/new/1.png"],
            "tags": ["physics"],
            "revisionId": str(uuid4()),
            "revisionDescription": "The first one",
            "version": "1.0",
            "entity": core,
            "originating": [],
            "using": [],
        }
        return await self._begun("PUT", f"/content/{content}", self._access(author), body, content)

    async def _broadcast(self, author: int) -> Published:
        id = str(uuid4())
        body = {
            "id": id,
            "topic": "bench",
            "data": {"content": id},
            "audience": {"followersOf": world.user(author)},
        }
        return await self._begun("POST", "/notifications", self._access(author, ADMIN), body, id)

    async def _begun(
        self, method: str, path: str, token: str, body: Any, content: str
    ) -> Published:
        sent = perf_counter()
        await self._request(method, path, token, body)
        self._answered[content] = perf_counter()
        return Published(content, (self._answered[content] - sent) * 1000)

    async def _send(self, rate: float) -> None:
        begun, number = perf_counter(), 0
        while self._wanted:
            # By the clock and not by the answers: a slow server gets no fewer requests.
            wait = begun + number / rate - perf_counter()
            if wait > 0:
                await deferLater(reactor, wait)
            number += 1
            sending = Deferred.fromCoroutine(self._mixed())
            self._open.add(sending)
            sending.addErrback(lambda failure: self._failed.append(failure.getErrorMessage()))
            sending.addBoth(lambda _, done=sending: self._open.discard(done))

    async def _mixed(self) -> None:
        sizes, random = self._task.sizes, self._random
        kind, user = random.randrange(5), random.randrange(sizes.regulars)
        content = world.active_content(random.randrange(sizes.active))
        writer = sizes.regulars + sizes.authors + user
        sent = perf_counter()
        if kind <= 1:
            await self._request("GET", f"/user/{world.user(random.randrange(sizes.users))}/info")
        elif kind == 2:
            await self._request("GET", f"/content/{content}/comments?size={world.PAGE}")
        elif kind == 3:
            path = f"/user/{world.user(user)}/notifications?limit=20"
            await self._request("GET", path, self._access(user))
        else:
            path = f"/user/{world.user(writer)}/rating/{content}"
            body = {"value": str(random.randrange(2))}
            await self._request("PUT", path, self._access(writer), body)
        self._took.append((perf_counter() - sent) * 1000)

    async def _end(self) -> Latencies:
        self._wanted = False
        if self._load is not None:
            await self._load
            self._load = None
        await gatherResults(list(self._open))
        return Latencies(self._took)

    async def _told(self, content: str, patience: float, sockets: int) -> Told:
        deadline = perf_counter() + patience
        while len(self._frames.get(content, [])) < sockets:
            if perf_counter() > deadline:
                break
            await deferLater(reactor, _TICK)
        frames, answered = self._frames.get(content, []), self._answered[content]
        after = [(at - answered) * 1000 for _, at in frames]
        return Told(after, len({number for number, _ in frames}))

    async def _request(
        self, method: str, path: str, token: str | None = None, body: Any = None
    ) -> None:
        http = await self._connection()
        status, answer = await http.request(method, _API + path, token, body)
        if status not in (200, 202, 204):
            raise RuntimeError(f"{method} {path}: {status} {answer!r}")
        self._http.append(http)

    async def _connection(self) -> Http:
        while self._http:
            http = self._http.pop()
            if http.open:
                return http
        return await connected(reactor, self._task.port, Http())

    def _access(self, number: int, role: str = PLAYER) -> str:
        return self._tokens.issue(world.user(number), world.session(number), role)


class _Obedient:
    def __init__(self) -> None:
        self._steady: Steady | None = None

    async def obey(self, line: bytes) -> bytes:
        """The first is the task."""
        if self._steady is None:
            self._steady = Steady(msgspec.json.decode(line, type=Task))
            await self._steady.prepare()
            return b"ready"
        step: Step = msgspec.json.decode(line, type=Step)
        return msgspec.json.encode(await self._steady.step(step))


if __name__ == "__main__":
    helper.serve(_Obedient().obey)
