"""The client of transfers: `python -m scripts.benchmark.mover`, a process of its own.

Each line is a Step as JSON, and is answered with its seconds. It costs as little as a client can:
the kernel sends files by itself, and throws away what arrives.
"""

import hashlib
import os
import socket
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

_PIECE = 1 << 20
_PATIENCE = 120.0
"""Seconds of silence after which a transfer has failed."""


class Down(msgspec.Struct, tag=True):
    """Get these targets at once, each of so many bytes."""

    port: int
    targets: list[str]
    size: int


class Put(msgspec.Struct):
    """A PUT of the source and, after it, of some bytes of its own."""

    target: str
    headers: dict[str, str]
    end: bytes


class Up(msgspec.Struct, tag=True):
    """Send these at once."""

    port: int
    source: str
    puts: list[Put]


class Keep(msgspec.Struct, tag=True):
    """Copy the source so often at once, without any network: hashed, written and fsynced."""

    source: str
    copies: list[str]


class Moved(msgspec.Struct):
    """Seconds from the first byte to the end of the last transfer, and this process's own CPU."""

    seconds: float
    cpu: float


Step = Down | Up | Keep


def obey(step: Step) -> Moved:
    """Do one."""
    match step:
        case Down(port, targets, size):
            jobs: Sequence[Callable[[], None]] = [
                lambda target=target: _get(port, target, size) for target in targets
            ]
        case Up(port, source, puts):
            jobs = [lambda put=put: _put(port, source, put) for put in puts]
        case Keep(source, copies):
            jobs = [lambda copy=copy: _keep(source, copy) for copy in copies]
    cpu, begun = time.process_time(), time.perf_counter()
    with ThreadPoolExecutor(len(jobs)) as pool:
        for done in [pool.submit(job) for job in jobs]:
            done.result()
    return Moved(time.perf_counter() - begun, time.process_time() - cpu)


def _get(port: int, target: str, size: int) -> None:
    with _connected(port) as connection:
        connection.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        head, rest = _head(connection)
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(f"GET {target}: {head!r} {rest!r}")
        left, buffer = size - len(rest), bytearray(_PIECE)
        while left:
            # Counted, not copied.
            got = connection.recv_into(buffer, min(left, _PIECE), socket.MSG_TRUNC)
            if not got:
                raise RuntimeError(f"GET {target}: {left} bytes are missing")
            left -= got


def _put(port: int, source: str, put: Put) -> None:
    with _connected(port) as connection, Path(source).open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        lines = [f"PUT {put.target} HTTP/1.1", f"Host: 127.0.0.1:{port}"]
        lines += [f"{name}: {value}" for name, value in put.headers.items()]
        if "content-length" not in {name.lower() for name in put.headers}:
            lines.append(f"Content-Length: {size + len(put.end)}")
        connection.sendall("\r\n".join((*lines, "", "")).encode())
        connection.sendfile(file, count=size)
        connection.sendall(put.end)
        head, rest = _head(connection)
        if head[9:12] not in (b"200", b"201", b"204"):
            raise RuntimeError(f"PUT {put.target}: {head!r} {rest!r}")


def _connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), _PATIENCE)


def _head(connection: socket.socket) -> tuple[bytes, bytes]:
    """The head of an answer, and what has come after it."""
    received = b""
    while b"\r\n\r\n" not in received:
        more = connection.recv(65536)
        if not more:
            raise RuntimeError(f"the connection ended after {received!r}")
        received += more
    head, _, rest = received.partition(b"\r\n\r\n")
    return head, rest


def _keep(source: str, copy: str) -> None:
    digest, buffer = hashlib.sha256(), memoryview(bytearray(_PIECE))
    with Path(source).open("rb", buffering=0) as file, Path(copy).open("wb", buffering=0) as kept:
        while got := file.readinto(buffer):
            digest.update(buffer[:got])
            kept.write(buffer[:got])
        os.fsync(kept.fileno())


def main() -> None:
    """Obey each line."""
    decoder = msgspec.json.Decoder(Step)
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(msgspec.json.encode(obey(decoder.decode(line))) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
