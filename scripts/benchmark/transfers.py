"""The measurement of transfers: files up and down, beside nginx with the same files."""

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import msgspec

from contentsvc.framework.storage.paths import path_of

from .helper import Helper
from .mover import Down, Keep, Moved, Put, Step, Up
from .operations import API, Context
from .processes import Process, free_port, peak, reset_peak, resident
from .results import Move, Moves

KEY = "files"
FULL = 512 << 20
"""Bytes of a file, at scale 1."""
_LEAST = 4 << 20
_AT_ONCE = (1, 8)
_PIECE = 1 << 20
_NGINX, _PLAIN = "nginx", "plain"
_SETTLE = 0.5
"""Seconds without transfers before each measurement."""

Cost = Callable[[Process], AbstractContextManager[list[float]]]


class TransferError(Exception):
    """The daemon, or nginx, did not do what it should; `str()` says what."""


def size(scale: float) -> int:
    """Bytes of a file for a data set of this scale."""
    return max(_LEAST, min(FULL, round(FULL * scale)))


class Run:
    """Transfers on one daemon, whose files are in `folder`; `into` gets what is measured.

    Raises HelperError, TransferError.
    """

    def __init__(
        self, daemon: Process, context: Context, folder: Path, cost: Cost, file_size: int
    ) -> None:
        self._daemon = daemon
        self._context = context
        self._folder = folder
        self._cost = cost
        self._size = file_size
        self._scratch = folder / "transfers"
        self._source = self._scratch / "source"
        self._helpers = [Helper("mover"), Helper("probe", str(daemon.port))]
        self._subjects = {"daemon": daemon}
        self._start = resident(daemon.pid)
        try:
            self._prepare()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the helpers and nginx, and remove what was written."""
        for helper in self._helpers:
            helper.stop()
        if _NGINX in self._subjects:
            self._subjects[_NGINX].stop()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _prepare(self) -> None:
        shutil.rmtree(self._scratch, ignore_errors=True)
        self._scratch.mkdir(parents=True)
        self._digest = hashlib.sha256()
        with self._source.open("wb") as file:
            for at in range(0, self._size - 16, _PIECE):
                piece = os.urandom(min(_PIECE, self._size - 16 - at))
                self._digest.update(piece)
                file.write(piece)
        if (peer := nginx(self._scratch)) is not None:
            self._subjects[_NGINX] = peer
        # The first file stays: it is what is read.
        (put,) = puts = self._announced(1)
        self._do(Up(self._daemon.port, str(self._source), puts))
        self._path = path_of(self._digest_with(put.end))
        self._target = self._published(self._path)
        (found,) = self._lying(put)
        shutil.copyfile(found, self._scratch / "read")

    def round(self, number: int, into: dict[str, Moves]) -> None:
        """Each transfer once, on each of the subjects."""
        subjects = list(self._subjects)
        turned = subjects[number % len(subjects) :] + subjects[: number % len(subjects)]
        for count in _AT_ONCE:
            for direction in ("down", "up"):
                moves = into.setdefault(
                    f"{direction} {count}", Moves(direction, count, self._size, start=self._start)
                )
                for subject in turned:
                    step, over = self._step(direction, count, subject)
                    moves.subjects.setdefault(subject, []).append(self._measured(step, subject))
                    over()
            copies = [str(self._scratch / f"copy-{n}") for n in range(count)]
            step = Keep(str(self._source), copies)
            plain = into[f"up {count}"].subjects.setdefault(_PLAIN, [])
            plain.append(self._measured(step, _PLAIN))
            for copy in copies:
                Path(copy).unlink()

    def _step(self, direction: str, count: int, subject: str) -> tuple[Step, Callable[[], None]]:
        """What to do, and how to clean up afterwards."""
        if direction == "down":
            mine = subject == "daemon"
            target = self._target if mine else "/read"
            return Down(self._subjects[subject].port, [target] * count, self._size), lambda: None
        if subject == "daemon":
            puts = self._announced(count)
            found = lambda: [file for put in puts for file in self._lying(put)]  # noqa: E731
        else:
            puts = [Put(f"/up/{n}", {}, uuid4().bytes) for n in range(count)]
            found = lambda: list((self._scratch / "up").iterdir())  # noqa: E731

        def over() -> None:
            files = found()
            if len(files) != count or any(f.stat().st_size != self._size for f in files):
                raise TransferError(f"{subject}: not all of {count} files are there: {files}")
            for file in files:
                file.unlink()

        return Up(self._subjects[subject].port, str(self._source), puts), over

    def _measured(self, step: Step, subject: str) -> Move:
        os.sync()
        time.sleep(_SETTLE)
        process, prober = self._subjects.get(subject), self._helpers[1]
        if process is not None:
            reset_peak(process.pid)
        prober.ask(b"begin")
        with self._cost(process or self._subjects["daemon"]) as cost:
            moved = self._do(step)
        lags = msgspec.json.decode(prober.ask(b"end"), type=list[float])
        if process is None:
            return Move(moved.seconds, moved.cpu, lags)
        return Move(moved.seconds, cost[0], lags, peak(process.pid))

    def _do(self, step: Step) -> Moved:
        return msgspec.json.decode(self._helpers[0].ask(msgspec.json.encode(step)), type=Moved)

    def _digest_with(self, end: bytes) -> str:
        digest = self._digest.copy()
        digest.update(end)
        return digest.hexdigest()

    def _lying(self, put: Put) -> list[Path]:
        """The file of an upload, in the daemon's folder."""
        return list((self._folder / "files").rglob(self._digest_with(put.end)))

    def _announced(self, count: int) -> list[Put]:
        """Uploads of so many new files, each of another user."""
        puts = []
        for number in range(count):
            end = uuid4().bytes
            file = {"use": "entity", "sha256": self._digest_with(end), "size": self._size}
            answer = self._ask(number, "POST", "/uploads", {"files": [file]})
            upload = answer["files"][0]["upload"]
            puts.append(Put(_target(upload["url"]), upload["headers"], end))
        return puts

    def _published(self, path: str) -> str:
        """Publish content with this file: the target of its download."""
        content = str(uuid4())
        body = {
            "name": "Tilting Tower",
            "description": "Stack it as high as it goes.",
            "type": "game",
            "screenshotUris": ["shots/new/1.png"],
            "tags": ["physics"],
            "revisionId": str(uuid4()),
            "revisionDescription": "The first one",
            "version": "1.0",
            "entity": {"entityId": str(uuid4()), "revisionId": str(uuid4()), "path": path},
            "originating": [],
            "using": [],
        }
        self._ask(0, "PUT", f"/content/{content}", body)
        (file,) = self._ask(0, "GET", f"/content/{content}/files")
        return _target(file["url"])

    def _ask(self, writer: int, method: str, path: str, body: Any = None) -> Any:
        caller = self._context.caller(self._context.writers[writer])
        headers = caller | ({} if body is None else {"Content-Type": "application/json"})
        data = None if body is None else json.dumps(body)
        with closing(HTTPConnection("127.0.0.1", self._daemon.port, timeout=60)) as connection:
            connection.request(method, API + path, data, headers)
            answer = connection.getresponse()
            received = answer.read()
        if answer.status not in (200, 204):
            raise TransferError(f"{method} {path}: {answer.status} {received!r}")
        return json.loads(received or b"null")


def _target(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(scheme="", netloc="").geturl()


_CONFIGURATION = """
daemon off;
master_process off;
pid nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    client_max_body_size 0;
    client_body_buffer_size 1m;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server {{
        listen 127.0.0.1:{port};
        root .;
        location = /ready {{ return 200; }}
        location /up/ {{
            dav_methods PUT;
            create_full_put_path on;
        }}
    }}
}}
"""


def nginx(folder: Path) -> Process | None:
    """nginx as one process, which gives the files in `folder` and takes others below /up. None if
    it is not installed."""
    program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        return None
    port = free_port()
    (folder / "nginx.conf").write_text(_CONFIGURATION.format(port=port))
    return Process(
        _NGINX,
        [program, "-p", str(folder), "-c", str(folder / "nginx.conf")],
        port=port,
        ready="/ready",
        log=folder / "nginx.log",
    )
