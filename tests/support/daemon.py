"""The real daemon as a subprocess, for tests that talk to it over the network."""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from unittest import SkipTest

import argon2
import treq
from twisted.internet import reactor
from twisted.internet.task import deferLater
from twisted.internet.utils import getProcessOutputAndValue

from contentsvc.framework.db.blocking import in_transaction
from contentsvc.framework.db.query import Db
from contentsvc.store.accounts import addresses, credentials
from tests.support import postgres, servers
from tests.support.sizes import SIZE

ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 90
STOP_SECONDS = 90
_of_run: list[Daemon] = []
"""That of the run, which is asked for by its address alone."""
PORT_TAKEN = re.compile(r"address already in use|in use|couldn't listen", re.IGNORECASE)


def script(name: str) -> str:
    """The path of a console script beside the running interpreter."""
    return str(Path(sys.executable).with_name(name))


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nothing listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def until(condition: Callable[[], bool], seconds: float, what: str) -> None:
    """Wait until `condition()` holds; AssertionError naming `what` after `seconds`."""
    deadline = reactor.seconds() + seconds
    while not condition():
        if reactor.seconds() > deadline:
            raise AssertionError(f"{what}: not within {seconds} s")
        await deferLater(reactor, 0.05)


def _heed_interrupts() -> None:
    # A shell that runs this in the background has it ignore SIGINT, and its children too.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _end(started: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in started:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class Daemon:
    """One `twistd contentsvc` on 127.0.0.1, with a folder of its own.

    `options` are added to the command line, those of `twistd` before them, `environ` (names without
    their CONTENTSVC_ prefix, or those of AWS) to the environment, and `variables` as they are. With
    `admin` it has an admin listener, on `admin_port`. Without `database` it runs its embedded
    Postgres, in `folder`. With it, several share a `secret_file`. start() after stop() starts it
    again on the same data.

    Two things save time: passwords are cheap (sitecustomize.py), and the first start finds the
    database of `postgres.prepared`. With `first` all is as for an operator.

    A start takes some four seconds of a core. The smallest run has only those that are `common` to
    many tests; the others raise SkipTest there.
    """

    def __init__(
        self,
        *options: str,
        database: str | None = None,
        secret_file: Path | None = None,
        environ: Mapping[str, str] | None = None,
        variables: Mapping[str, str] | None = None,
        folder: str = "var",
        admin: bool = False,
        twistd: Sequence[str] = (),
        first: bool = False,
        common: bool = False,
    ) -> None:
        if not common and os.environ.get(SIZE) == "quick":
            raise SkipTest("it needs a daemon with settings of its own")
        self._home = tempfile.TemporaryDirectory(prefix="contentsvc-", ignore_cleanup_errors=True)
        home = Path(self._home.name)
        home.chmod(0o755)  # as root the embedded Postgres is another system user
        self.data_dir = home / folder
        self.log = home / "daemon.log"
        self.secret_file = self.data_dir / "secret.keys"
        self.port = 0
        self._prepared = None if database or first else postgres.prepared
        self._storage = ["--data-dir", str(self.data_dir)]
        self._database = database
        if database is not None:
            self.secret_file = secret_file or self.new_secret(home / "secret.keys")
            self._storage += ["--database", database, "--secret-file", str(self.secret_file)]
        self.admin_port = free_port() if admin else 0
        listener = ("--admin", f"tcp:{self.admin_port}:interface=127.0.0.1") if admin else ()
        self._options = (*listener, *options)
        self._twistd = twistd
        # what the caller's shell says about some other service must not reach this one
        self._environ = {k: v for k, v in os.environ.items() if not k.startswith("CONTENTSVC_")}
        # on with whatever database and public URL: the tests need it
        self._environ["CONTENTSVC_DEBUG_NOTIFY"] = "on"
        if not first:
            self._environ["PYTHONPATH"] = str(ROOT / "tests" / "support" / "first")
        self._environ |= {
            name if name.startswith("AWS_") else f"CONTENTSVC_{name}": value
            for name, value in (environ or {}).items()
        }
        self._environ |= variables or {}
        self._others = 0
        # Its folder has 70 MB and goes with it, not with this process: the process that uses the
        # folder has to end before.
        self._started: list[subprocess.Popen[bytes]] = []
        weakref.finalize(self, _end, self._started)

    @classmethod
    def for_run(cls) -> str:
        """Start the one that all processes of a run share, without a reactor. Gives what `joined`
        takes."""
        daemon = cls(*SHARED, common=True)
        _of_run.append(daemon)
        daemon.spawn()
        deadline = time.monotonic() + START_SECONDS
        while not daemon.answers():
            if not daemon._alive() or time.monotonic() > deadline:
                daemon._kill()
                raise AssertionError(f"the daemon did not start:\n{daemon.output()[-4000:]}")
            time.sleep(0.05)
        return json.dumps([daemon.port, daemon.pid, str(daemon.log), str(daemon.data_dir)])

    @classmethod
    def joined(cls, said: str) -> Daemon:
        """The daemon of the run, which others use too."""
        daemon = cls(*SHARED, common=True)
        daemon.port, daemon._others, log, data_dir = json.loads(said)
        daemon.log, daemon.data_dir = Path(log), Path(data_dir)
        daemon.secret_file = daemon.data_dir / "secret.keys"
        daemon._storage = ["--data-dir", data_dir]
        return daemon

    def answers(self) -> bool:
        """Whether it is ready."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/health/ready")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    @staticmethod
    def new_secret(path: Path) -> Path:
        key = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()
        path.write_text(f"test {key}\n")
        path.chmod(0o600)
        return path

    @property
    def url(self) -> str:
        """The base URL, without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    def output(self) -> str:
        """Everything the daemon has printed since it was first started."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def key(self) -> tuple[str, bytes]:
        """The kid and the bytes of the key that signs."""
        kid, key = self.secret_file.read_text().split("\n")[0].split()
        return kid, base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))

    def socket_folder(self) -> Path | None:
        """The folder of the embedded Postgres's Unix socket, if it is among the data."""
        found = list(self.data_dir.rglob(".s.PGSQL.*[0-9]"))
        return found[0].parent if found else None

    def dsn(self) -> str:
        """That of its database."""
        if self._database is not None:
            return self._database
        return f"host={self.socket_folder()} user=postgres dbname=contentsvc"

    @property
    def pid(self) -> int:
        """The number of the process that was started last."""
        if self._others:
            return self._others
        assert self._process is not None, "never started"
        return self._process.pid

    def spawn(self, port: int | None = None) -> None:
        """Start the process, on a given port or a free one, and do not wait for anything."""
        assert not self._others, "others use it"
        if self._prepared and not self.data_dir.exists():
            # With its owner, who for root is another one.
            subprocess.run(["cp", "-a", self._prepared(), self.data_dir], check=True)
        self.port = port or free_port()
        listen = ["--listen", f"tcp:{self.port}:interface=127.0.0.1"]
        command = [script("twistd"), "-n", "--pidfile=", *self._twistd, "contentsvc", *listen]
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [*command, *self._storage, *self._options],
                cwd=ROOT,
                env=self._environ,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                preexec_fn=_heed_interrupts,  # noqa: PLW1509, no thread of a test holds a lock
            )
            self._started[:] = [process]

    async def start(self, port: int | None = None) -> None:
        """Start and wait until /health/ready is 200; AssertionError with the output if not."""
        for _ in range(3):
            before = len(self.output())
            self.spawn(port)
            if await self._ready():
                return
            said = self.output()[before:]
            if not PORT_TAKEN.search(said):
                break
        raise AssertionError(f"the daemon did not start:\n{said[-4000:]}")

    async def _ready(self) -> bool:
        deadline = reactor.seconds() + START_SECONDS
        while self._alive() and reactor.seconds() < deadline:
            try:
                response = await treq.get(self.url + "/health/ready", persistent=False, timeout=5)
                await response.content()
            except Exception:  # refused, reset or too slow: not yet
                await deferLater(reactor, 0.1)
                continue
            if response.code == 200:
                return True
            await deferLater(reactor, 0.1)
        self._kill()
        return False

    @property
    def _process(self) -> subprocess.Popen[bytes] | None:
        return self._started[0] if self._started else None

    def _alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _kill(self) -> None:
        _end(self._started)

    def end(self) -> None:
        """SIGTERM, and do not wait."""
        if self._process is not None and self._alive():
            self._process.terminate()

    async def ended(self) -> int:
        """Wait for the end of the process and return its exit status."""
        assert not self._others, "others use it"
        process = self._process
        assert process is not None, "never started"
        await until(lambda: process.poll() is not None, STOP_SECONDS, "the daemon's end")
        return process.returncode

    async def stop(self) -> int:
        """end(), then ended()."""
        self.end()
        return await self.ended()

    async def kill(self) -> None:
        """SIGKILL, then ended()."""
        if self._process is not None and self._alive():
            self._process.kill()
        await self.ended()

    async def add_user(self, name: str, password: str, *, admin: bool = False) -> str:
        """Make an account as `contentsvc user add` does, without a process for it where its
        database runs, and return its e-mail address."""
        email = f"{name}@example.com"
        if self._database is None and self.socket_folder() is None:
            words = ["user", "add", name, "--email", email, *(["--admin"] if admin else [])]
            await self.command(*words, given=password)
            return email
        encoded = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(password)

        async def add(db: Db) -> None:
            role = "admin" if admin else "player"
            await addresses.vouch(db, await credentials.register(db, name, email, encoded, role))

        in_transaction(self.dsn(), add)
        return email

    async def command(self, *arguments: str, given: str | None = None) -> str:
        """Run `contentsvc`, with `given` as password on standard input; what it printed."""
        stdin = [] if given is None else ["--password-stdin"]
        out, err, status = await getProcessOutputAndValue(
            script("contentsvc"),
            [*arguments, *stdin, *self._storage],
            env=self._environ,
            path=str(ROOT),
            stdinBytes=None if given is None else given.encode() + b"\n",
        )
        assert status == 0, f"contentsvc {' '.join(arguments)}: {status}\n{err.decode()}"
        return str(out.decode())


SHARED = ("--workers", "2")
"""The options of the daemon that all tests share which need no others."""
_shared: dict[str, Daemon | Exception] = {}


async def shared(name: str = "", make: Callable[[], Daemon] | None = None) -> Daemon:
    """The daemon of this name in this process, started at first use; without a name, that of the
    run.

    A start that failed is not tried again: it fails at once for every later test.
    """
    if name in _shared:
        _shared[name] = _shared.pop(name)  # the last is the one that was asked for last
    else:
        try:
            if not name and (said := servers.ask("daemon")):
                _shared[name] = Daemon.joined(said)
            else:
                daemon = Daemon(*SHARED, common=True) if make is None else make()
                await daemon.start()
                _shared[name] = daemon
        except Exception as failure:
            _shared[name] = failure
    found = _shared[name]
    if isinstance(found, Exception):
        raise found
    return found


def end_shared(kept: int = 0) -> None:
    """End those of this process but the ones `kept`, which were asked for last: modules that follow
    may share them."""
    names = [name for name in _shared if name]
    for name in names[: len(names) - kept]:
        daemon = _shared.pop(name)
        if isinstance(daemon, Daemon):
            daemon.end()
