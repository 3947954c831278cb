"""HTTP and WebSocket clients that cost little, and requests by the clock."""

import asyncio
import json
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import count
from time import perf_counter
from typing import Any

from . import BenchError

_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10
_AT_ONCE = 50
"""Sockets that are being opened at a time."""
_HOST = "127.0.0.1"


class Http:
    """Requests to a port of 127.0.0.1, over as many connections as there are requests at once."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[tuple[StreamReader, StreamWriter]] = []

    async def send(
        self, method: str, path: str, token: str | None = None, body: dict[str, Any] | None = None
    ) -> None:
        """Send a request, and read its answer. Raises BenchError if that is none of 2xx."""
        head = f"{method} /api/v1{path} HTTP/1.1\r\nHost: {_HOST}\r\n"
        data = b""
        if token is not None:
            head += f"Authorization: Bearer {token}\r\n"
        if body is not None:
            data = json.dumps(body).encode()
            head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n"
        reader, writer = await self._connection()
        writer.write(f"{head}\r\n".encode() + data)
        status, *headers = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
        lengths = (line[15:] for line in headers if line.startswith(b"content-length:"))
        answer = await reader.readexactly(int(next(lengths, b"0")))
        if not status.startswith(b"http/1.1 2"):
            raise BenchError(f"{method} {path}: {status!r} {answer!r}")
        self._idle.append((reader, writer))

    async def _connection(self) -> tuple[StreamReader, StreamWriter]:
        # A server closes what has been idle for long.
        while self._idle:
            reader, writer = self._idle.pop()
            if not reader.at_eof():
                return reader, writer
        return await asyncio.open_connection(_HOST, self._port)

    def close(self) -> None:
        """Close the connections."""
        for _, writer in self._idle:
            writer.close()


@asynccontextmanager
async def sockets(
    port: int, tokens: Sequence[str], received: Callable[[bytes], None]
) -> AsyncIterator[None]:
    """A socket for each token, open during the block. `received` gets each text after `hello`.
    Raises BenchError if one is refused or lost."""
    turns = asyncio.Semaphore(_AT_ONCE)

    async def one(token: str) -> tuple[StreamReader, StreamWriter]:
        async with turns:
            return await _opened(port, token)

    opened = await asyncio.gather(*map(one, tokens))
    reading = [asyncio.create_task(_read(*each, received)) for each in opened]
    yield
    if lost := [task for task in reading if task.done()]:
        raise BenchError(f"{len(lost)} sockets were lost: {lost[0].exception()!r}")
    for task, (_, writer) in zip(reading, opened, strict=True):
        task.cancel()
        _write(writer, _CLOSE, b"\x03\xe8")
        writer.close()


async def _opened(port: int, token: str) -> tuple[StreamReader, StreamWriter]:
    reader, writer = await asyncio.open_connection(_HOST, port)
    writer.write(
        f"GET /socket HTTP/1.1\r\nHost: {_HOST}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"Authorization: Bearer {token}\r\n\r\n".encode()
    )
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 101"):
        raise BenchError(f"the handshake was answered {head[:40]!r}")
    _, hello = await _frame(reader)
    if b'"hello"' not in hello:
        raise BenchError(hello.decode())
    return reader, writer


async def _read(
    reader: StreamReader, writer: StreamWriter, received: Callable[[bytes], None]
) -> None:
    """Until the server closes."""
    while True:
        kind, payload = await _frame(reader)
        if kind == _TEXT:
            received(payload)
        elif kind == _PING:
            _write(writer, _PONG, payload)
        elif kind == _CLOSE:
            raise BenchError(f"closed with {int.from_bytes(payload[:2], 'big')}")


async def _frame(reader: StreamReader) -> tuple[int, bytes]:
    kind, length = await reader.readexactly(2)
    if length >= 126:
        length = int.from_bytes(await reader.readexactly(2 if length == 126 else 8), "big")
    return kind & 15, await reader.readexactly(length)


def _write(writer: StreamWriter, kind: int, payload: bytes) -> None:
    # A client must mask; a key of zeros leaves the payload as it is.
    writer.write(bytes([128 | kind, 128 | len(payload), 0, 0, 0, 0]) + payload)


async def paced(rate: float, until: float | asyncio.Event, send: Callable[[], Any]) -> None:
    """Begin `send` so many times a second, for so many seconds or until the event; wait for all.

    By the clock and not by the answers: a slow server gets no fewer requests.
    """
    begun = perf_counter()
    try:
        async with asyncio.TaskGroup() as group:
            for number in count():
                if until.is_set() if isinstance(until, asyncio.Event) else number >= until * rate:
                    break
                await asyncio.sleep(begun + number / rate - perf_counter())
                group.create_task(send())
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from failed
