"""The servers of a run. Each starts when the first process asks for it by its name, and ends with
the run; tests.support.servers asks."""

import atexit
import os
import socket
import threading
from collections.abc import Callable

from tests.support import postgres, servers, stores
from tests.support.daemon import Daemon


def _debian() -> str:
    return postgres.start_debian() or ""


def _store() -> str:
    seaweed = stores.Seaweed()
    atexit.register(seaweed.remove)
    seaweed.start()
    return seaweed.endpoint


class Servers:
    """Answers on a Unix socket, from its own threads, until `stop`."""

    def __init__(self) -> None:
        self._starts: dict[str, Callable[[], str]] = {
            "embedded": postgres.start_embedded,
            "debian": _debian,
            "debian-template": lambda: postgres.new_template(self._answer("debian")),
            "daemon": Daemon.for_run,
            "store": _store,
        }
        self._turns = {name: threading.Lock() for name in self._starts}
        self._said: dict[str, str] = {}
        # Not in the clone, whose path may be longer than that of a socket.
        path = postgres.new_folder() / "servers"
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen(64)
        os.environ[servers.ADDRESS] = str(path)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                asking, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(asking,), daemon=True).start()

    def _serve(self, asking: socket.socket) -> None:
        with asking, asking.makefile() as question:
            try:
                said = f"ok {self._answer(question.read())}"
            except Exception as error:  # whoever asks is told, and each test that needs it
                said = f"error {error}"
            asking.sendall(said.encode())

    def _answer(self, name: str) -> str:
        with self._turns[name]:
            if name not in self._said:
                self._said[name] = self._starts[name]()
            return self._said[name]

    def stop(self) -> None:
        """Take no more questions. The servers end with the process."""
        self._socket.close()
        os.environ.pop(servers.ADDRESS, None)
