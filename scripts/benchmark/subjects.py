"""The daemon, the floor and the peer: how each is started."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from .beside import Checkout
from .processes import Process, free_port, script

READY = "/health/ready"
_PROBE = "/api/v1/user/{user}/info"
_UNLIMITED = {
    "CONTENTSVC_COMMENTS_PER_MINUTE": "0",
    "CONTENTSVC_PLAYS_PER_MINUTE": "0",
    "CONTENTSVC_MESSAGES_PER_MINUTE": "0",
    "CONTENTSVC_FOLLOWS_PER_DAY": "0",
    "CONTENTSVC_FRIEND_REQUESTS_PER_DAY": "0",
    "CONTENTSVC_REPORTS_PER_DAY": "0",
    "CONTENTSVC_PUBLICATIONS_PER_DAY": "0",
    "CONTENTSVC_CHANGES_PER_HOUR": "0",
    "CONTENTSVC_INVITES_PER_HOUR": "0",
    "CONTENTSVC_DEBUG_NOTIFY": "true",
    "CONTENTSVC_NOTIFICATION_RETENTION": "0",  # the data set's are old
    "CONTENTSVC_FILES": "local",
    "CONTENTSVC_USER_BYTES": "0",
}
"""Variables, not options: a checkout from before does not know them."""
PEER = ("fastapi", "uvicorn", "uvloop", "httptools", "asyncpg", "pydantic", "pyjwt")


class PeerError(Exception):
    """The peer's venv could not be made."""


def daemon(
    folder: Path, storage: list[str], workers: int | None, checkout: Checkout | None = None
) -> Process:
    """The daemon as an operator runs it, request log and all. `storage` are its options; with
    `checkout`, it is that one's."""
    port = free_port()
    # The data set has stored files: without a folder for them, each daemon would look for it again
    # and again.
    for bucket in ("content", "media"):
        (folder / "files" / bucket).mkdir(parents=True, exist_ok=True)
    words = ["-n", "--pidfile=", "contentsvc"]
    words += ["--listen", f"tcp:{port}:interface=127.0.0.1", *storage]
    if workers is not None:
        words += ["--workers", str(workers)]
    if checkout is None:
        return Process(
            "daemon",
            [script("twistd"), *words],
            port=port,
            ready=READY,
            log=folder / "daemon.log",
            environ=_UNLIMITED,
        )
    return Process(
        "beside",
        [checkout.script("twistd"), *words],
        port=port,
        ready=READY,
        log=folder / "beside.log",
        environ=_UNLIMITED,
        folder=checkout.folder,
    )


def daemon_on_s3(folder: Path, storage: list[str], store: Mapping[str, str]) -> Process:
    """A further daemon, whose files lie in a store; `store` are its variables."""
    port = free_port()
    words = ["-n", "--pidfile=", "contentsvc"]
    words += ["--listen", f"tcp:{port}:interface=127.0.0.1", *storage]
    return Process(
        "daemon on s3",
        [script("twistd"), *words],
        port=port,
        ready=READY,
        log=folder / "s3.log",
        environ=_UNLIMITED | store,
    )


def floor(folder: Path, database: str, user: str) -> Process:
    """The floor; `user` is one to ask for until it answers."""
    port = free_port()
    return Process(
        "floor",
        [sys.executable, "-m", "scripts.benchmark.floor", database, str(port)],
        port=port,
        ready=_PROBE.format(user=user),
        log=folder / "floor.log",
    )


def peer(folder: Path, database: str, keys: Path, user: str, *, tuned: bool) -> Process:
    """The peer: one process, no access log."""
    port = free_port()
    words = ["--app-dir", str(Path(__file__).parent), "peer:app", "--no-access-log"]
    words += ["--host", "127.0.0.1", "--port", str(port)]
    words += ["--loop", "uvloop", "--http", "httptools", "--log-level", "warning"]
    environ = {"PEER_DATABASE": database, "PEER_KEYS": str(keys)}
    if tuned:
        environ["PEER_TUNED"] = "1"
    return Process(
        "peer",
        [str(_peer_venv(folder) / "bin/python"), "-m", "uvicorn", *words],
        port=port,
        ready=_PROBE.format(user=user),
        log=folder / "peer.log",
        environ=environ,
    )


def install_peer(folder: Path) -> None:
    """Make the peer's venv, if there is none. Raises PeerError."""
    venv = _peer_venv(folder)
    stamp = venv / "installed"
    if stamp.exists() and stamp.read_text().split() == list(PEER):
        return
    pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PEER)
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(venv)],
        [str(venv / "bin/python"), *pip],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise PeerError(f"the peer's venv: {done.stderr.strip()}")
    stamp.write_text(" ".join(PEER))


def peer_versions(folder: Path) -> dict[str, str]:
    """The versions that are installed there."""
    command = [str(_peer_venv(folder) / "bin/python"), "-m", "pip", "list", "--format=json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    listed = {entry["name"].lower(): entry["version"] for entry in json.loads(done.stdout)}
    return {f"peer's {name}": listed[name] for name in PEER}


def _peer_venv(folder: Path) -> Path:
    return folder / "peer-venv"
