"""What it takes to notify many followers of a content: an author whom many follow publishes, and
others read meanwhile."""

import asyncio
from time import perf_counter
from uuid import uuid4

from . import BenchError, ids
from .clients import Http, paced, sockets
from .context import Context
from .daemon import Daemon, Meter
from .report import Fanout

KEY = "fanout"
ROUNDS = 3
"""More rounds would be more publications in a day than followers are notified of."""
RATE = 200
"""Reads of others, each second."""
_SOCKETS = 50
_ALONE = 2
"""Fan-outs of a round with nothing beside them. One more has the others' reads."""
_GRACE = 1.0
"""Seconds that the last frames may take once all is stored."""


async def measure(
    daemon: Daemon, context: Context, meter: Meter, seconds: float, into: Fanout
) -> None:
    """One round; the reads without a fan-out last for so many seconds. Raises BenchError."""
    run = _Run(daemon, context, into)
    sizes = context.sizes
    # Those who are notified one after the other have no sockets side by side.
    every = max(1, sizes.followers // _SOCKETS)
    followers = range(sizes.users - sizes.followers, sizes.users, every)[:_SOCKETS]
    await asyncio.to_thread(context.settle)
    async with sockets(daemon.port, [*map(context.socket_token, followers)], run.received):
        for _ in range(_ALONE):
            # dataset.py has only users with odd numbers followed.
            into.unfollowed.append(await run.publish(sizes.regulars + sizes.regulars % 2))
            with meter.cost(daemon) as cost:
                into.notified.append(await run.fan_out())
            into.server.append(cost[0] / sizes.followers * 1e6)
            into.postgres.append(cost[1] / sizes.followers * 1e6)
            await run.check(len(followers))
        await paced(RATE, seconds, lambda: run.read(into.quiet))
        done = asyncio.Event()
        reads = asyncio.create_task(paced(RATE, done, lambda: run.read(into.meanwhile)))
        into.notified_beside.append(await run.fan_out())
        done.set()
        await reads
        await run.check(len(followers))
    run.close()


class _Run:
    """One round on one daemon; remembers the last content, and when its author had the answer."""

    def __init__(self, daemon: Daemon, context: Context, into: Fanout) -> None:
        self._context = context
        self._into = into
        self._http = Http(daemon.port)
        self._frames: list[tuple[bytes, float]] = []
        self._content, self._answered = "", 0.0
        self.close = self._http.close

    def received(self, payload: bytes) -> None:
        """A frame of one of the sockets."""
        self._frames.append((payload, perf_counter()))

    async def read(self, into: list[float]) -> None:
        """Somebody asks for the first comments of any content."""
        number = self._context.random.randrange(self._context.sizes.active)
        path = f"/content/{ids.active_content(number)}/comments?size={ids.PAGE}"
        begun = perf_counter()
        await self._http.send("GET", path)
        into.append((perf_counter() - begun) * 1000)

    async def fan_out(self) -> float:
        """Let the star publish: the seconds from the answer until all are notified."""
        self._frames.clear()
        self._into.followed.append(await self.publish(self._context.sizes.star))
        await asyncio.to_thread(self._context.settle)
        return perf_counter() - self._answered

    async def publish(self, author: int) -> float:
        """Let an author publish something small: the milliseconds until the answer."""
        self._content, token = str(uuid4()), self._context.token(author)
        core = {"entityId": str(uuid4()), "revisionId": str(uuid4()), "path": "entities/new.bin"}
        body = {
            "name": "Tilting Tower",
            "description": "Stack it as high as it goes.",
            "type": "game",
            "screenshotUris": ["shots/new/1.png"],
            "revisionId": str(uuid4()),
            "revisionDescription": "The first one",
            "version": "1.0",
            "entity": core,
            "originating": [],
            "using": [],
        }
        begun = perf_counter()
        await self._http.send("PUT", f"/content/{self._content}", token, body)
        self._answered = perf_counter()
        return (self._answered - begun) * 1000

    async def check(self, sockets: int) -> None:
        """Look at what came of the last fan-out. Raises BenchError."""
        await asyncio.sleep(_GRACE)
        frames = [at for payload, at in self._frames if self._content.encode() in payload]
        if len(frames) != sockets:
            raise BenchError(f"{sockets} sockets have {len(frames)} frames")
        self._into.frames += [(at - self._answered) * 1000 for at in frames]
        notified = self._context.column(
            "select user_id from notifications"
            " where kind = 'ContentPublished' and position(%s in data) > 0",
            self._content,
        )
        followers = self._context.sizes.followers
        if not len(notified) == len(set(notified)) == followers:
            raise BenchError(f"{len(set(notified))} of {followers} have {len(notified)} rows")
