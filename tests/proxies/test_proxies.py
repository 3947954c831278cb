"""Requests and sockets through a proxy: when all is well, and when a daemon drains or dies."""

import contextlib
import json
import os
import signal
from collections.abc import Awaitable, Callable
from functools import cache
from http.client import HTTPConnection
from urllib.parse import urlsplit

import treq
from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.error import ConnectError
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThread
from twisted.web.http_headers import Headers

from tests.proxies.proxy import Haproxy, Nginx, Proxy
from tests.spec.client import Response, Socket
from tests.spec.data import User
from tests.spec.harness import SpecCase
from tests.spec.shapes import GOODBYE
from tests.support import postgres
from tests.support.daemon import Daemon, shared, until


@cache
def common() -> str:
    """The database of the daemons that several tests share."""
    return postgres.database(postgres.embedded())


class Cases:
    """Proxies, and requests through them."""

    proxy: type[Proxy]

    async def connect(self) -> None:
        self.own_daemon()
        self.first, self.second = await self.daemons()
        self.running = self.proxy(self, (self.first, self.second))
        self.running.start()
        self.use(self.first)
        self.ann = await self.user()
        contract = await self.contract()
        self.url = self.running.url
        self._contracts[self.url] = contract
        await self.answering()

    async def daemons(self) -> tuple[Daemon, Daemon]:
        """Two on one database, for this test alone."""
        database = postgres.database(postgres.embedded())
        self.addCleanup(postgres.drop, database)
        first = Daemon(admin=True, database=database)
        second = Daemon(admin=True, database=database, secret_file=first.secret_file)
        for daemon in (first, second):
            self.addCleanup(daemon.stop)
        await gatherResults([Deferred.fromCoroutine(each.start()) for each in (first, second)])
        return first, second

    async def answering(self) -> None:
        """Wait until the proxy has found a daemon."""
        for _ in range(200):
            with contextlib.suppress(ConnectError):
                if (await self.get(f"user/{self.ann.id}", by=self.ann)).status == 200:
                    return
            await deferLater(reactor, 0.1)
        self.fail("the proxy does not answer")

    async def sockets(self, user: User) -> list[Socket]:
        """Sockets through the proxy, some to each daemon."""
        found = [await self.socket(user, via=via) for via in ("header", "portal", "auth", "header")]
        for daemon in (self.first, self.second):
            self.assertIn("GET /socket 101", daemon.output())
        return found


class WellCases(Cases):
    """Both daemons are there, for all of these tests."""

    async def daemons(self) -> tuple[Daemon, Daemon]:
        dsn = common()
        trusts = ("--trusted-proxies", "127.0.0.1")
        first = await shared("behind a proxy", lambda: Daemon(*trusts, admin=True, database=dsn))
        key = first.secret_file
        return first, await shared(
            "behind it too", lambda: Daemon(*trusts, admin=True, database=dsn, secret_file=key)
        )

    async def test_request(self):
        """Requests go through, with their answers' own headers and bodies."""
        made = await self.content(self.ann)
        response = await self.get(made.path, by=self.ann, expect=200)
        tag = response.header("ETag")
        again = await self.get(made.path, by=self.ann, headers={"If-None-Match": tag})
        self.assertEqual(again.status, 304)
        self.problem(await self.get("user/nobody", by=self.ann), 400, "invalid_path")
        self.problem(await self.put("nothing", {}), 404, "not_found")

    async def test_precondition(self):
        """If-Match and If-Unmodified-Since go through (conventions#preconditions)."""
        made = await self.content(self.ann)
        tag = (await self.get(made.path, by=self.ann, expect=200)).header("ETag")
        body = {"description": "b", "screenshotUris": made.sent["screenshotUris"]}
        for headers, status in (
            ({"If-Match": tag}, 204),
            ({"If-Match": tag}, 412),
            ({"If-Unmodified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"}, 412),
        ):
            await self.put(made.path, body, by=self.ann, headers=headers, expect=status)

    async def test_socket(self):
        """Sockets go through, and bring what either daemon has stored."""
        sockets = await self.sockets(self.ann)
        for n in range(4):
            await self.notify(self.ann, f"number {n}")
            for socket in sockets:
                got = await self.pushed(socket)
                self.assertEqual(got["notification"]["text"], f"number {n}")
        for socket in sockets:
            await socket.quiet()

    def ask_from(self, source: str) -> tuple[str, str]:
        """Ask for a socket from this address, with headers that only a proxy may set; the answer's
        request id and socketUrl."""
        asking = HTTPConnection(urlsplit(self.url).netloc, source_address=(source, 0), timeout=20)
        with contextlib.closing(asking):
            headers = {
                "Authorization": f"Bearer {self.ann.token}",
                "X-Forwarded-For": "192.0.2.7",
                "X-Forwarded-Proto": "https",
            }
            asking.request("POST", "/api/v1/session/connect", b'{"client":"game"}', headers)
            answer = asking.getresponse()
            self.assertEqual(answer.status, 200)
            return answer.headers["X-Request-Id"], json.loads(answer.read())["socketUrl"]

    async def test_client(self):
        """The daemons know the client's address and scheme from the proxy, whatever the client
        says of them itself."""
        number, url = await deferToThread(self.ask_from, "127.0.0.7")

        def logged() -> list[str]:
            return [
                line
                for daemon in (self.first, self.second)
                for line in daemon.output().splitlines()
                if line.endswith(f"request={number}")
            ]

        # The line is written just after the answer.
        await until(lambda: bool(logged()), 10, "a line of the request")
        lines = logged()
        self.assertEqual(len(lines), 1)
        self.assertIn(" client=127.0.0.7 ", lines[0])
        self.assertTrue(url.startswith("ws://"), url)

    async def test_large_body(self):
        """A body that the service would take goes through; what is too large is 413."""
        text = "x" * 200_000
        path = f"user/{self.ann.id}/progress/large"
        await self.put(path, {"value": {"text": text}}, by=self.ann, expect=204)
        found = await self.get(path, by=self.ann, expect=200)
        self.assertIn(text.encode(), found.body)
        for size in (300_000, 2_500_000):
            response = await deferToThread(self.put_bytes, f"/api/v1/{path}", size)
            self.problem(response, 413, "payload_too_large")

    def put_bytes(self, path: str, size: int) -> Response:
        """Send a body of so many bytes, as far as it is taken; the answer, which may come while it
        is sent."""
        sending = HTTPConnection(urlsplit(self.url).netloc, timeout=60)
        with contextlib.closing(sending):
            headers = {"Authorization": f"Bearer {self.ann.token}"}
            with contextlib.suppress(ConnectionError):
                sending.request("PUT", path, b"x" * size, headers)
            answer = sending.getresponse()
            names = {name: [value] for name, value in answer.headers.items()}
            return Response(f"PUT {path}", answer.status, Headers(names), answer.read())

    async def test_health(self):
        """/health is not for the outside."""
        for path in ("/health/ready", "/health/live"):
            response = await treq.get(self.url + path, persistent=False)
            await response.content()
            self.assertEqual(response.code, 404)


class FaultCases(Cases):
    """One of them drains, or dies."""

    async def asking(self, over: Callable[[], bool], ask: Callable[[], Awaitable[object]]) -> int:
        """Ask until `over()`, and a few times after; how often it was."""
        count = rest = 0
        while rest < 5:
            await ask()
            count, rest = count + 1, rest + over()
        return count

    async def read(self) -> None:
        """A request that must succeed."""
        await self.get(f"user/{self.ann.id}", by=self.ann, expect=200)

    async def write(self) -> None:
        """Another one, that must not be sent twice."""
        body = {"recipient": self.ann.id, "text": "one of many"}
        await self.post("debug/notify", body, by=self.ann, expect=204)
        self.written += 1

    async def noticed(self, daemon: Daemon) -> None:
        """Wait until the proxy sends it new connections; others may stay where they are."""
        line = "GET /api/v1/design-challenges 200"
        before = daemon.output().count(line)
        while daemon.output().count(line) == before:
            url = f"{self.url}/api/v1/design-challenges"
            await (await treq.get(url, persistent=False)).content()
            await deferLater(reactor, 0.01)

    async def test_drain(self):
        """A daemon that drains costs no request, of whatever method; its sockets get their
        goodbye through the proxy, and those of the other daemon go on."""
        sockets = await self.sockets(self.ann)
        self.written = 0
        over = False
        asking = [
            Deferred.fromCoroutine(self.asking(lambda: over, ask))
            for ask in (self.read, self.write, self.read, self.write)
        ]
        await until(lambda: self.written > 3, 20, "some requests")
        self.assertEqual(-signal.SIGTERM, await self.first.stop())
        over = True
        await gatherResults(asking)
        closed, seqs = 0, []
        for socket in sockets:
            seqs.append([])
            while len(seqs[-1]) < self.written:
                message = await socket.next()
                if message["type"] == "goodbye":
                    self.shape(message, GOODBYE)
                    self.assertEqual(1001, await socket.closed())
                    closed += 1
                    break
                seqs[-1].append(message["seq"])
        self.assertTrue(0 < closed < len(sockets), closed)
        for each in seqs:
            self.assertEqual(each, list(range(1, len(each) + 1)))

    async def test_one_by_one(self):
        """To restart one daemon after the other, as the guide to scaling has it, costs none."""
        self.written = 0
        over = False
        asking = [
            Deferred.fromCoroutine(self.asking(lambda: over, ask))
            for ask in (self.read, self.write)
        ]
        for daemon in (self.first, self.second):
            before = self.written
            await until(lambda: self.written > before + 3, 20, "some requests")  # noqa: B023
            self.assertEqual(-signal.SIGTERM, await daemon.stop())
            await daemon.start(daemon.port)
            await self.noticed(daemon)
        over = True
        await gatherResults(asking)

    async def test_dead_daemon(self):
        """The requests for a dead daemon go to the other one, and its sockets are closed."""
        sockets = await self.sockets(self.ann)
        os.kill(self.first.pid, signal.SIGKILL)
        await self.first.ended()
        for _ in range(10):
            await self.read()
        user = await self.user()
        await self.socket(user)
        await self.notify(self.ann, "after")
        lost = 0
        for socket in sockets:
            try:
                self.assertEqual((await self.pushed(socket))["notification"]["text"], "after")
            except AssertionError:
                self.assertEqual(1006, await socket.closed())
                lost += 1
        self.assertTrue(0 < lost < len(sockets), lost)

    async def test_daemon_returns(self):
        """A daemon that is back is used again."""
        self.assertEqual(-signal.SIGTERM, await self.first.stop())
        await self.read()
        await self.first.start(self.first.port)
        self.assertEqual(-signal.SIGTERM, await self.second.stop())
        await self.answering()
        await self.read()

    async def test_no_daemon(self):
        """Where there is no daemon, the proxy's own answer looks like the service's."""
        await self.first.stop()
        await self.second.stop()
        response = await self.get(f"user/{self.ann.id}", by=self.ann)
        self.problem(response, 503, "unavailable")
        self.assertEqual(response.header("Retry-After"), "1")
        self.assertEqual(response.header("Access-Control-Allow-Origin"), "*")


class NginxTests(WellCases, SpecCase):
    proxy = Nginx


class HaproxyTests(WellCases, SpecCase):
    proxy = Haproxy


class NginxFaultTests(FaultCases, SpecCase):
    proxy = Nginx


class HaproxyFaultTests(FaultCases, SpecCase):
    proxy = Haproxy
