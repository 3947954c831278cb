"""What others notice of hostile pictures: `python -m scripts.benchmark.hostile [SECONDS]`.

A daemon of its own, with its own Postgres and a folder for files, answers 200 requests a second by
the clock: reads, searches and comments. It does so alone, and then while somebody uploads pictures
that are meant to hurt: bombs, pictures that are cut off, too large, turned by EXIF, or that take
minutes to read. Printed are the milliseconds from the moment at which a request was due to its
answer. Nothing else should run on the machine.
"""

import hashlib
import json
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from random import Random
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import uuid4

from PIL import Image

from tests.support import pictures

from .processes import Process, free_port, script

SECONDS: Final = 60
"""Of each part."""
RATE: Final = 200.0
"""Requests of others in a second."""
READERS: Final = 8
"""Connections for them."""
PASSWORD: Final = "open sesame"  # noqa: S105
_API: Final = "/api/v1"
_BETWEEN: Final = 0.4
"""Seconds between two uploads."""


class HostileError(Exception):
    """The daemon did not answer as it should; `str()` says what."""


class Caller:
    """A connection of a user, who may be nobody."""

    def __init__(self, port: int, token: str | None = None) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self.user = ""

    def ask(self, method: str, path: str, body: Any = None, *wanted: int) -> Any:
        """The decoded answer. Raises HostileError for other statuses than 2xx and those wanted."""
        data, headers = None, dict(self._headers)
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        return self.send(method, path, data, headers, *wanted)

    def send(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str], *wanted: int
    ) -> Any:
        """The same of bytes with these headers alone."""
        self._connection.request(method, path, data, headers)
        answer = self._connection.getresponse()
        received = answer.read()
        if answer.status >= 300 and answer.status not in wanted:
            raise HostileError(f"{method} {path}: {answer.status} {received[:500]!r}")
        return json.loads(received) if received[:1] in (b"{", b"[") else None

    def close(self) -> None:
        """Close it."""
        self._connection.close()


def joined(port: int) -> Caller:
    """A new user, who is logged in."""
    with closing(Caller(port)) as nobody:
        name = f"u{uuid4().hex[:12]}"
        account = {"username": name, "email": f"{name}@example.com", "password": PASSWORD}
        nobody.ask("POST", f"{_API}/user", account)
        form = f"grant_type=password&username={name}&password={PASSWORD.replace(' ', '+')}"
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        tokens = nobody.send("POST", "/oauth/token", form.encode(), kind)
    caller = Caller(port, tokens["access_token"])
    caller.user = tokens["userId"]
    return caller


def upload(caller: Caller, use: str, data: bytes, kind: str | None = None) -> str:
    """Send a file, which may be refused once it is there. Gives its path."""
    file = {"use": use, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    body = {"files": [file if kind is None else file | {"mediaType": kind}]}
    (announced,) = caller.ask("POST", f"{_API}/uploads", body)["files"]
    if (place := announced["upload"]) is not None:
        target = urlsplit(place["url"])._replace(scheme="", netloc="").geturl()
        caller.send(place["method"], target, data, place["headers"], 400, 413, 422)
        caller.ask("POST", f"{_API}/uploads", body, 422)
    return str(announced["path"])


def published(caller: Caller) -> str:
    """The id of new content."""
    content, core = str(uuid4()), upload(caller, "entity", uuid4().bytes)
    body = {
        "name": "Tilting Tower",
        "description": "Stack it as high as it goes.",
        "type": "game",
        "screenshotUris": [upload(caller, "screenshot", pictures.drawn(), pictures.PNG)],
        "revisionId": str(uuid4()),
        "revisionDescription": "",
        "version": "1",
        "entity": {"entityId": str(uuid4()), "revisionId": str(uuid4()), "path": core},
        "originating": [],
        "using": [],
    }
    caller.ask("PUT", f"{_API}/content/{content}", body)
    return content


def _bomb(random: Random) -> tuple[bytes, str]:
    picture = Image.new("RGB", (5790, 5790), (random.randrange(256), 0, 0))
    return pictures.written(picture), pictures.PNG


def _noise(wide: int, tall: int) -> Image.Image:
    return Image.effect_noise((600, 400), 90).resize((wide, tall))


def _cut(kind: str) -> Callable[[Random], tuple[bytes, str]]:
    def made(random: Random) -> tuple[bytes, str]:
        whole = pictures.written(_noise(3000, 2000), kind)
        return whole[: len(whole) // 2], kind

    return made


def _turned(random: Random) -> tuple[bytes, str]:
    exif = Image.Exif()
    exif[0x0112] = random.randint(2, 8)
    return pictures.written(_noise(4000, 3000), pictures.JPEG, exif=exif), pictures.JPEG


HOSTILE: dict[str, Callable[[Random], tuple[bytes, str]]] = {
    "33 million pixels in some KB": _bomb,
    "9000 x 9000 pixels": lambda random: (pictures.png(9000, 9000), pictures.PNG),
    "PNG, cut off": _cut(pictures.PNG),
    "JPEG, cut off": _cut(pictures.JPEG),
    "turned by EXIF": _turned,
    "thousands of scans": lambda random: (pictures.many_scans(), pictures.JPEG),
    "a header alone": lambda random: (pictures.webp(8000, 4000), pictures.WEBP),
}
"""What makes each kind of picture: its bytes and their type."""


def attack(port: int, prepared: list[tuple[str, bytes, str]], over: Event) -> None:
    """Upload them, one after the other, until it is over; in a process of its own, so that the
    others do not wait for it here."""
    taken: Counter[str] = Counter()
    with closing(joined(port)) as caller:
        for what, data, kind in prepared:
            if over.wait(_BETWEEN):
                break
            upload(caller, "screenshot", data, kind)
            taken[what] += 1
    said = ", ".join(f"{count} x {what}" for what, count in sorted(taken.items()))
    print(f"uploaded: {said}", file=sys.stderr, flush=True)


def steady(port: int, contents: list[str], seconds: float, number: int, took: list[float]) -> None:
    """Send one connection's share of the requests, each when it is due."""
    random = Random(number)  # noqa: S311
    with closing(joined(port)) as caller:
        begun = time.perf_counter() + random.uniform(0, READERS / RATE)
        for count in range(int(seconds * RATE / READERS)):
            due = begun + count * READERS / RATE
            time.sleep(max(0.0, due - time.perf_counter()))
            content, dice = random.choice(contents), random.random()
            if dice < 0.1:
                path = f"{_API}/content/{content}/comments"
                caller.ask("POST", path, {"body": "Nineteen floors."})
            elif dice < 0.3:
                caller.ask("GET", f"{_API}/content?q=tower&limit=20")
            elif dice < 0.6:
                caller.ask("GET", f"{_API}/content/{content}")
            else:
                caller.ask("GET", f"{_API}/user/{caller.user}/info")
            took.append((time.perf_counter() - due) * 1000)


def measured(port: int, contents: list[str], seconds: float) -> list[float]:
    """The milliseconds of all requests."""
    took: list[float] = []
    sending = [
        threading.Thread(target=steady, args=(port, contents, seconds, n, took))
        for n in range(READERS)
    ]
    for each in sending:
        each.start()
    for each in sending:
        each.join()
    if len(took) < int(seconds * RATE / READERS) * READERS:
        raise HostileError("a request was refused; what it said is above")
    return sorted(took)


def line(name: str, took: list[float]) -> str:
    """A row of the table."""
    at = [took[min(len(took) - 1, int(len(took) * share))] for share in (0.5, 0.9, 0.99, 0.999)]
    return f"{name:<28}" + "".join(f"{value:9.1f}" for value in (*at, took[-1]))


def main() -> None:
    """Measure and print."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    random = Random(1)  # noqa: S311
    kinds = [random.choice(list(HOSTILE)) for _ in range(int(seconds / _BETWEEN))]
    prepared = [(kind, *HOSTILE[kind](random)) for kind in kinds]
    folder = Path(tempfile.mkdtemp(prefix="contentsvc-hostile-"))
    port = free_port()
    options = ["--listen", f"tcp:{port}:interface=127.0.0.1", "--data-dir", str(folder / "var")]
    options += ["--files", "local", "--comments-per-minute", "0"]
    command = [script("twistd"), "-n", "--pidfile=", "contentsvc", *options]
    log = folder / "daemon.log"
    try:
        daemon = Process("daemon", command, port=port, ready="/health/ready", log=log)
        try:
            with closing(joined(port)) as author:
                contents = [published(author) for _ in range(50)]
            measured(port, contents, 3)  # everything was done once
            alone = measured(port, contents, seconds)
            forks = get_context("fork")
            over = forks.Event()
            attacking = forks.Process(target=attack, args=(port, prepared, over))
            attacking.start()
            beside = measured(port, contents, seconds)
            over.set()
            attacking.join()
        finally:
            daemon.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    head = "".join(f"{name:>9}" for name in ("p50", "p90", "p99", "p99.9", "max"))
    print(f"{'milliseconds':<28}{head}")
    print(line("alone", alone))
    print(line("beside hostile pictures", beside))


if __name__ == "__main__":
    main()
