"""Workers for tests of several processes on one port."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress

import psutil
import treq

from tests.spec.client import Socket
from tests.spec.data import User
from tests.spec.harness import SpecCase
from tests.support.daemon import Daemon, until

PATIENCE = 90


def postmaster(service: Daemon) -> int:
    """The process of the embedded Postgres."""
    return int((service.data_dir / "postgres" / "postmaster.pid").read_text().split()[0])


def children(pid: int, word: str, *, recursive: bool = False) -> Iterator[psutil.Process]:
    """The children of a process with a word of their command line that ends so."""
    for child in psutil.Process(pid).children(recursive=recursive):
        with suppress(psutil.NoSuchProcess):  # it may go at any moment
            if any(each.endswith(word) for each in child.cmdline()):
                yield child


def workers_of(service: Daemon) -> set[int]:
    """The processes of the workers."""
    return {child.pid for child in children(service.pid, "--nodaemon")}


def gone(*pids: int) -> Callable[[], bool]:
    """A condition: none of these processes is there, or all that is left of it is its status."""

    def lives(pid: int) -> bool:
        try:
            return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
        except psutil.NoSuchProcess:  # it may go at any moment, this one too
            return False

    return lambda: not any(map(lives, pids))


class WorkersCase(SpecCase):
    """A daemon with two workers, and its own embedded Postgres."""

    service: Daemon
    mark = 0

    async def connect(self) -> None:
        self.own_daemon()
        self.service = Daemon("--workers", "2")
        self.addCleanup(self.service.stop)
        await self.service.start()
        await self.both()

    async def both(self) -> None:
        """Wait until both workers serve; what the log has had by then is not looked at."""
        self.use(self.service)
        await self.serving(2)
        self.mark = len(self.service.output())

    def log(self) -> str:
        """The daemon's log in this test."""
        return self.service.output()[self.mark :]

    async def said(self, times: int, what: str) -> None:
        """Wait until the log has lines like this so many times."""
        await until(lambda: len(re.findall(what, self.log())) >= times, PATIENCE, what)

    async def serving(self, times: int) -> None:
        """Wait until so many workers have said that they serve."""
        await self.said(times, r"Worker \d \(process \d+\) is ready")

    def workers(self) -> set[int]:
        """The processes of the workers."""
        return workers_of(self.service)

    def holder(self, socket: Socket) -> int:
        """The worker that a socket is connected to."""
        port = socket.transport.getHost().port
        (worker,) = [
            pid
            for pid in self.workers()
            if any(c.raddr and c.raddr.port == port for c in psutil.Process(pid).net_connections())
        ]
        return worker

    async def on_each(self, user: User) -> dict[int, Socket]:
        """A socket of this user on each worker."""
        found: dict[int, Socket] = {}
        for _ in range(100):
            socket = await self.socket(user)
            if self.holder(socket) in found:
                await socket.close()
            else:
                found[self.holder(socket)] = socket
            if found.keys() == self.workers():
                return found
        self.fail("one worker gets no sockets")

    async def prefixes(self) -> set[str]:
        """The beginnings of the workers' request ids, of enough requests to meet all workers."""
        found = set()
        for _ in range(100):
            response = await treq.get(self.url + "/api/v1/design-challenges", persistent=False)
            await response.content()
            (request,) = response.headers.getRawHeaders("X-Request-Id")
            found.add(request.partition("-")[0])
            if len(found) == 2:
                break
        return found
