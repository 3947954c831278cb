"""How much memory an idle socket takes, in a daemon that has done nothing else."""

import asyncio

from .clients import sockets
from .context import Context
from .daemon import Daemon
from .report import Idle

KEY = "idle"
_REST = 20.0
"""Seconds; the service pings every 15."""


async def measure(daemon: Daemon, context: Context, number: int) -> Idle:
    """Open so many sockets, of as many users, and let them rest. Raises BenchError."""
    tokens = [context.socket_token(user) for user in range(number)]
    first, second = tokens[: number // 2], tokens[number // 2 :]
    start = daemon.memory()
    async with sockets(daemon.port, first, lambda payload: None):
        half = daemon.memory()
        async with sockets(daemon.port, second, lambda payload: None):
            await asyncio.sleep(_REST)
            end = daemon.memory()
    return Idle(number, (end - start) / number, (end - half) / len(second))
