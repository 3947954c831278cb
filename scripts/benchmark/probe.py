"""Asks a daemon for a sign of life again and again: `python -m scripts.benchmark.probe PORT`.

A first line begins, the next ends; the second is answered with the milliseconds of each answer.
"""

import socket
import sys
import threading
import time

import msgspec

_PAUSE = 0.002
"""Seconds from an answer to the next question."""
_QUESTION = b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def _ask(port: int, over: threading.Event, took: list[float]) -> None:
    with socket.create_connection(("127.0.0.1", port), 60) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while not over.is_set():
            begun = time.perf_counter()
            connection.sendall(_QUESTION)
            if not connection.recv(65536).startswith(b"HTTP/1.1 200"):
                raise RuntimeError("/health/live is not 200")
            took.append((time.perf_counter() - begun) * 1000)
            time.sleep(_PAUSE)


def main() -> None:
    """Until the input ends."""
    port = int(sys.argv[1])
    for _ in sys.stdin.buffer:
        over, took = threading.Event(), list[float]()
        asking = threading.Thread(target=_ask, args=(port, over, took))
        asking.start()
        _answer("begun")
        sys.stdin.buffer.readline()
        over.set()
        asking.join()
        _answer(took)


def _answer(value: object) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(value) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
