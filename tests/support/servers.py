"""The servers that all processes of a run share; tests.runner.servers starts them when they are
first asked for."""

import os
import socket

ADDRESS = "CONTENTSVC_TEST_SERVERS"
"""The variable with the path of the runner's socket. Without it a process starts its own."""


def ask(name: str) -> str:
    """What the runner says of the server of this name; empty if there is no runner, or if it cannot
    be had here. Raises AssertionError if it did not start."""
    path = os.environ.get(ADDRESS)
    if path is None:
        return ""
    with socket.socket(socket.AF_UNIX) as runner:
        runner.connect(path)
        runner.sendall(name.encode())
        runner.shutdown(socket.SHUT_WR)
        with runner.makefile() as answer:
            word, _, said = answer.read().partition(" ")
    assert word == "ok", f"{name} did not start: {said}"
    return said
