"""Starting and stopping: what survives a restart, and two daemons on one database."""

import os
import signal
from typing import ClassVar

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.data import guid, name
from tests.spec.harness import SpecCase
from tests.spec.shapes import CONTENT, GOODBYE
from tests.support import daemon, databases, postgres


class RestartTests(SpecCase):
    """One daemon, stopped and started again."""

    async def connect(self) -> None:
        self.own_daemon()
        service = daemon.Daemon()
        self.addCleanup(lambda: Deferred.fromCoroutine(service.stop()))
        await service.start()
        self.use(service)

    def ended_well(self, status: int) -> None:
        """Assert the exit status of a daemon that was asked to stop: twistd gives the signal."""
        self.assertIn(status, (0, -signal.SIGTERM))

    async def restart(self) -> None:
        """Stop and start on the same data."""
        assert self.daemon is not None
        self.ended_well(await self.daemon.stop())
        await self._http.close()
        await self.daemon.start()
        self.use(self.daemon)

    async def test_goodbye(self):
        """socket#close-codes: SIGTERM closes sockets with goodbye and 1001."""
        assert self.daemon is not None
        socket = await self.socket(await self.user())
        ending = Deferred.fromCoroutine(self.daemon.stop())
        self.shape(await socket.next(), GOODBYE)
        self.assertEqual(1001, await socket.closed())
        self.ended_well(await ending)

    async def test_requests_under_way(self):
        """SIGTERM lets the requests under way finish."""
        assert self.daemon is not None
        bodies = [
            {"username": name(), "email": f"{name()}@example.com", "password": guid()}
            for _ in range(4)
        ]
        answers = [Deferred.fromCoroutine(self.post("user", body)) for body in bodies]
        statuses: list[int] = []
        for answer in answers:
            answer.addCallback(lambda response: statuses.append(response.status))
        # the first answer tells that the others, sent with it, have arrived
        await daemon.until(lambda: bool(statuses), 20, "the first answer")
        self.ended_well(await self.daemon.stop())
        await gatherResults(answers)
        self.assertLessEqual(set(statuses), {201, 503})

    async def test_what_survives(self):
        """Content, tokens and the numbers of notifications outlive a restart."""
        user = await self.user()
        made = await self.content(user)
        await self.notify(user, "before")
        seen = (await self.socket(user)).hello["seq"]
        before = await self.read(made.path, CONTENT)
        await self.restart()
        self.assertEqual(before, await self.read(made.path, CONTENT))
        await self.get(f"user/{user.id}", by=user, expect=200)
        body = {"recipient": user.id, "text": "after"}
        await self.post("debug/notify", body, by=user, expect=204)
        socket = await self.socket(user, resume=seen)
        self.assertEqual("after", (await self.pushed(socket))["notification"]["text"])

    async def test_revocation_survives(self):
        """accounts#sessions: the end of a session is durable, by a log-out or with the
        account: its tokens stay dead after a restart."""
        user, gone = await self.user(), await self.user()
        await self.post("/oauth/revoke", data={"token": user.token}, expect=200)
        body = {"password": gone.password}
        await self.delete(f"user/{gone.id}", body=body, by=gone, expect=204)
        await self.restart()
        for one in (user, gone):
            self.problem(await self.get(f"user/{one.id}", by=one), 401, "invalid_token")
            form = {"grant_type": "refresh_token", "refresh_token": one.refresh_token}
            refused = await self.post("/oauth/token", data=form, expect=400)
            self.assertEqual("invalid_grant", refused.json()["error"])
        self.problem(await self.get(f"user/{gone.id}/info"), 404, "user_not_found")


class BadConfigurationTests(SpecCase):
    """Starts that must not succeed."""

    async def connect(self) -> None:
        self.own_daemon()

    async def refused(self, key: str, *options: str) -> None:
        """Assert exit status 1 and a line that names the key, no more."""
        service = daemon.Daemon(*options)
        service.spawn()
        self.assertEqual(1, await service.ended())
        lines = [line for line in service.output().splitlines() if key in line]
        self.assertEqual(1, len(lines), service.output())
        self.assertNotIn("Traceback", service.output())
        self.assertNotIn("Usage:", service.output())

    async def test_listen(self):
        """An endpoint that is none stops the start with a line that names listen."""
        await self.refused("listen", "--listen", "bogus:1")

    async def test_secret_required(self):
        """With --database there is no secret by default."""
        await self.refused("secret", "--database", "postgresql://127.0.0.1:1/none")


class TwoDaemonsCase(SpecCase):
    """Two daemons on one database: CONTENTSVC_TEST_DATABASE, or one of this process's."""

    _database: ClassVar[str] = ""

    async def connect(self) -> None:
        self.own_daemon()
        database = os.environ.get("CONTENTSVC_TEST_DATABASE")
        if database is None:
            TwoDaemonsCase._database = self._database or databases.fresh(postgres.embedded())
            database = self._database
        dsn = database
        self.first = await daemon.shared("first", lambda: daemon.Daemon(database=dsn))
        secret = self.first.secret_file
        self.second = await daemon.shared(
            "second", lambda: daemon.Daemon(database=dsn, secret_file=secret)
        )
        self.use(self.first)


class TwoDaemonsTests(TwoDaemonsCase):
    """What one tells the other."""

    async def test_push(self):
        """design#one-database: what one daemon commits, the other pushes to its sockets."""
        user = await self.user()
        self.use(self.second)
        socket = await self.socket(user)
        self.use(self.first)
        await self.notify(user, "across")
        self.assertEqual("across", (await self.pushed(socket))["notification"]["text"])

    async def test_order(self):
        """What both write comes in order on the sockets of both."""
        user = await self.user()
        sockets = [await self.socket(user)]
        self.use(self.second)
        sockets.append(await self.socket(user, via="portal"))
        services = (self.first, self.second)
        for service in services:
            self.use(service)
            await self.someone()
        sends = []
        for n in range(40):
            self.use(services[n % 2])
            sends.append(Deferred.fromCoroutine(self.notify(user)))
        await gatherResults(sends)
        for socket in sockets:
            got = [(await self.pushed(socket))["seq"] for _ in range(40)]
            self.assertEqual(list(range(1, 41)), got)
            await socket.quiet()

    async def test_log_out(self):
        """design#one-database: log-out at one daemon closes sockets and refuses tokens at the
        other."""
        user = await self.user()
        self.use(self.second)
        socket = await self.socket(user)
        self.use(self.first)
        await self.post("/oauth/revoke", data={"token": user.token}, expect=200)
        self.assertEqual(4403, await socket.closed())
        self.use(self.second)
        self.problem(await self.get(f"user/{user.id}", by=user), 401, "invalid_token")
