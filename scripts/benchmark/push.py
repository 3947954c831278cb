"""How long a notification takes, from the write of its request to the frame at the client."""

import asyncio
from itertools import count
from time import perf_counter
from typing import NamedTuple

from . import BenchError, ids
from .clients import Http, paced, sockets
from .context import Context
from .daemon import Daemon, Meter
from .report import Sample, spread

_RATE = 300
"""Notifications a second."""
_RECEIVERS = 50
_SETTLE = 1.0
"""Seconds between the opening of the sockets and what is measured."""
_GRACE = 5.0
"""Seconds that the last frames may take after the last request."""


class Push(NamedTuple):
    """One line of the table: beside so many idle sockets."""

    key: str
    title: str
    idle: int


PUSHES = (
    Push("push", "debug notify to frame, 500 idle", 500),
    Push("push-5000", "debug notify to frame, 5,000 idle", 5000),
)


async def measure(
    push: Push, daemon: Daemon, context: Context, meter: Meter, seconds: float
) -> Sample:
    """Notify users with sockets. Raises BenchError."""
    first = context.sizes.first_writer
    caller, numbers = context.token(first), count()
    sent: dict[int, float] = {}
    latencies: list[float] = []

    def received(payload: bytes) -> None:
        if b'"Debug"' not in payload:
            return
        at = payload.find(b'"text":"') + 8
        begun = sent.pop(int(payload[at : payload.index(b'"', at)]), None)
        if begun is not None:
            latencies.append((perf_counter() - begun) * 1000)

    async def notify() -> None:
        number = next(numbers)
        recipient = ids.user(first + context.random.randrange(_RECEIVERS))
        body = {"recipient": recipient, "text": str(number)}
        sent[number] = perf_counter()
        await http.send("POST", "/debug/notify", caller, body)

    # In a small data set the idle ones are of users that are not there, which costs the same.
    tokens = [context.socket_token(first + number) for number in range(_RECEIVERS + push.idle)]
    http = Http(daemon.port)
    # What was published before is no cost of these.
    await asyncio.to_thread(context.settle)
    async with sockets(daemon.port, tokens, received):
        await asyncio.sleep(_SETTLE)
        with meter.cost(daemon) as cost:
            begun = perf_counter()
            await paced(_RATE, seconds, notify)
            took = perf_counter() - begun
            while sent:
                if perf_counter() > begun + took + _GRACE:
                    raise BenchError(f"{len(sent)} frames are missing")
                await asyncio.sleep(0.01)
    http.close()
    p50, p99, _ = spread(latencies)
    return Sample(len(latencies), took, cost[0], cost[1], p50, p99)
