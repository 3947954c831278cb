"""The daemon as a whole: how it starts, stops, and lives through a database that goes away."""

import contextlib
import os
import re
import signal
import socket
from types import SimpleNamespace
from typing import Any

import psycopg2
from psycopg2.extensions import make_dsn, parse_dsn
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread
from twisted.protocols.portforward import ProxyFactory, ProxyServer

from contentsvc.framework.postgres.embedded import EmbeddedPostgres
from contentsvc.store import migrate
from tests.framework.postgres.servers import postmaster
from tests.spec.client import Response
from tests.spec.data import User, guid, name
from tests.spec.harness import SpecCase
from tests.spec.shapes import GOODBYE
from tests.support import postgres
from tests.support.daemon import Daemon, until
from tests.support.databases import fresh

CLEAN = (0, -signal.SIGTERM)
"""twistd ends itself by the signal that it was stopped with; supervisors take both for clean."""
LOCKED = (
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'PREPARE|EXECUTE'"
)


def listening(port: int) -> bool:
    """Whether somebody takes connections there."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5):
        return True
    return False


class OnSocket(ProxyServer):
    """Forwards to a Unix socket, whose path is the host."""

    reactor = SimpleNamespace(
        connectTCP=lambda path, port, client: reactor.connectUNIX(path, client)
    )


class Few(ProxyFactory):
    """Lets so many connections through to the Postgres of this URL, and no more."""

    protocol = OnSocket

    def __init__(self, url: str, most: int) -> None:
        parts = parse_dsn(url)
        super().__init__(f"{parts['host']}/.s.PGSQL.{parts['port']}", 0)
        self._left = most

    def buildProtocol(self, addr: Any) -> ProxyServer | None:
        self._left -= 1
        return super().buildProtocol(addr) if self._left >= 0 else None


class DaemonCase(SpecCase):
    """Daemons that a test makes itself."""

    async def connect(self) -> None:
        self.own_daemon()

    def make(self, *options: str, **more: Any) -> Daemon:
        """One that ends with the test."""
        made = Daemon(*options, **more)
        self.addCleanup(lambda: Deferred.fromCoroutine(self.ended(made)))
        return made

    async def ended(self, made: Daemon) -> None:
        """Stop it if it was started at all."""
        with contextlib.suppress(AssertionError):
            await made.stop()

    def terminate(self, made: Daemon) -> Deferred[int]:
        """SIGTERM; its exit status."""
        os.kill(made.pid, signal.SIGTERM)
        return Deferred.fromCoroutine(made.ended())


class StopTests(DaemonCase):
    """SIGTERM, while a request waits for a row that somebody else has locked."""

    async def begin(self, *options: str) -> Deferred[Response]:
        """Start a daemon, and a request on it that can only go on when `self.locker` commits."""
        self.service = self.make(*options)
        await self.service.start()
        self.use(self.service)
        self.ann = await self.user()
        path = f"user/{self.ann.id}/progress/k"
        await self.put(path, {"value": {}}, by=self.ann, expect=204)
        folder = self.service.socket_folder()
        self.locker = psycopg2.connect(host=folder, user="postgres", dbname="contentsvc")
        self.addCleanup(self.locker.close)
        self.cursor = self.locker.cursor()
        self.cursor.execute("select 1 from progress for update")
        request = self.put(path, {"value": {"n": 1}}, by=self.ann)
        waiting = Deferred.fromCoroutine(request)
        await until(self.is_locked, 20, "the request")
        return waiting

    def is_locked(self) -> bool:
        """Whether the request waits."""
        # Without this, a transaction sees the same statements of others until its end.
        self.cursor.execute("select pg_stat_clear_snapshot()")
        self.cursor.execute(LOCKED)
        return bool(self.cursor.fetchall())

    async def test_under_way(self) -> None:
        """It is finished: no new connections, goodbye to the sockets, its answer, Postgres."""
        waiting = await self.begin()
        open_socket = await self.socket(self.ann)
        ending = self.terminate(self.service)
        self.shape(await open_socket.next(), GOODBYE)
        self.assertEqual(await open_socket.closed(), 1001)
        await until(lambda: not listening(self.service.port), 20, "the port's end")
        self.assertFalse(ending.called)
        self.assertIsNotNone(postmaster(self.service.data_dir))
        self.locker.commit()
        response = await waiting
        self.assertEqual(response.status, 204)
        self.assertIn(await ending, CLEAN)
        self.assertIsNone(postmaster(self.service.data_dir))

    async def test_not_accepted_yet(self) -> None:
        """Connections that wait to be accepted as it stops, with their requests, are answered."""
        made = self.make()
        await made.start()
        os.kill(made.pid, signal.SIGSTOP)
        clients = [socket.create_connection(("127.0.0.1", made.port), 20) for _ in range(20)]
        for client in clients:
            self.addCleanup(client.close)
            client.sendall(b"GET /health/live HTTP/1.1\r\nHost: t\r\n\r\n")
        os.kill(made.pid, signal.SIGTERM)
        os.kill(made.pid, signal.SIGCONT)
        for client in clients:
            self.assertIn(b"HTTP/1.1 200 ", await deferToThread(client.recv, 4096))
        self.assertIn(await Deferred.fromCoroutine(made.ended()), CLEAN)

    async def test_time_is_up(self) -> None:
        """One that takes longer than drain_timeout is cut off, and nothing of it is written."""
        waiting = await self.begin("--drain-timeout", "0.2")
        self.assertIn(await self.terminate(self.service), CLEAN)
        self.assertIn("Requests cut off at the stop, after drain_timeout: 1", self.service.output())
        with contextlib.suppress(Exception):
            self.assertEqual((await waiting).status, 503)
        self.assertIsNone(postmaster(self.service.data_dir))
        self.assertNotIn("Traceback", self.service.output())


class StartTests(DaemonCase):
    """Starts against a database that is not there."""

    async def away(self, made: Daemon, times: int = 1) -> None:
        """Wait until it has tried so often."""
        said = "Waiting for the database"
        await until(lambda: made.output().count(said) >= times, 20, "a try")

    async def test_retried(self) -> None:
        """An unreachable database is tried again and again, with the port closed."""
        made = self.make(database="host=/nowhere dbname=x user=x")
        made.spawn()
        await self.away(made, 2)
        self.assertFalse(listening(made.port))
        self.assertIn(await self.terminate(made), CLEAN)
        self.assertNotIn("Traceback", made.output())

    async def test_stop_amid_a_try(self) -> None:
        """A stop while the database neither answers nor refuses ends the daemon."""
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
            made = self.make(database=f"host=127.0.0.1 port={port} dbname=x user=x")
            made.spawn()
            accepted, _ = await deferToThread(silent.accept)
            with accepted:
                ending = self.terminate(made)
                # The first bytes of the try, and then that it was given up.
                while await deferToThread(accepted.recv, 4096):
                    pass
            silent.close()
            self.assertIn(await ending, CLEAN)

    async def test_stop_amid_migrations(self) -> None:
        """A start that waits until another process has migrated says so, and a stop ends it."""
        url = postgres.database(postgres.embedded())
        self.addCleanup(postgres.drop, url)
        made = self.make(database=url)
        with contextlib.closing(psycopg2.connect(url)) as other, other.cursor() as cursor:
            cursor.execute("select pg_advisory_lock(%s)", (migrate.LOCK,))
            made.spawn()
            await until(
                lambda: "another process is updating the schema" in made.output(), 20, "a try"
            )
            self.assertIn(await self.terminate(made), CLEAN)
        self.assertNotIn("Traceback", made.output())

    async def test_stop_without_listen(self) -> None:
        """A stop ends a start that gets no connection for LISTEN."""
        url = fresh(postgres.embedded())
        self.addCleanup(postgres.drop, url)
        # For the migration, the check of the engine, which needs two, and the pool.
        few = Few(url, 4)
        port = reactor.listenTCP(0, few, interface="127.0.0.1")
        self.addCleanup(port.stopListening)
        made = self.make(database=make_dsn(url, host="127.0.0.1", port=port.getHost().port))
        made.spawn()
        await until(lambda: "Could not listen to the other processes" in made.output(), 20, "a try")
        self.assertIn(await self.terminate(made), CLEAN)
        self.assertNotIn("Traceback", made.output())

    async def test_port_taken(self) -> None:
        """A port that is taken stops the start with one line, and Postgres with it."""
        with socket.create_server(("127.0.0.1", 0)) as taken:
            made = self.make()
            made.spawn(taken.getsockname()[1])
            self.assertEqual(await made.ended(), 1)
        lines = [line for line in made.output().splitlines() if "cannot start" in line]
        self.assertEqual(len(lines), 1, made.output())
        self.assertNotIn("Traceback", made.output())
        self.assertIsNone(postmaster(made.data_dir))

    async def test_engine(self) -> None:
        """An engine on which locks exclude nobody is refused in one line."""
        url = postgres.database(postgres.embedded())
        self.addCleanup(postgres.drop, url)
        with contextlib.closing(psycopg2.connect(url)) as other, other, other.cursor() as cursor:
            cursor.execute(
                "create function pg_try_advisory_lock(integer, integer) returns boolean"
                " language sql as 'select true'"
            )
            cursor.execute(
                f"alter database {other.info.dbname} set search_path = public, pg_catalog"
            )
        made = self.make("--workers", "2", database=url)
        made.spawn()
        self.assertEqual(await made.ended(), 1)
        lines = [line for line in made.output().splitlines() if "cannot start" in line]
        self.assertEqual(len(lines), 1, made.output())
        self.assertIn("an advisory lock does not exclude", lines[0])

    async def test_foreign_schema(self) -> None:
        """A database with other tables of these names is refused in one line, unchanged."""
        url = postgres.database(postgres.embedded())
        self.addCleanup(postgres.drop, url)
        with contextlib.closing(psycopg2.connect(url)) as other, other, other.cursor() as cursor:
            cursor.execute("create table users (mine text)")
        made = self.make(database=url)
        made.spawn()
        self.assertEqual(await made.ended(), 1)
        lines = [line for line in made.output().splitlines() if "cannot start" in line]
        self.assertEqual(len(lines), 1, made.output())
        self.assertIn("users", lines[0])


class AwayTests(DaemonCase):
    """Two daemons on one database, which goes away and comes back."""

    async def connect(self) -> None:
        self.own_daemon()
        fast = {"fsync": "off"}
        self.server = EmbeddedPostgres(postgres.new_folder() / "d", own=True, settings=fast)
        self.addCleanup(deferToThread, self.server.stop)
        url = await deferToThread(self.server.start)
        await deferToThread(self.server.stop)
        self.first = self.make(database=url)
        self.second = self.make(database=url, secret_file=self.first.secret_file)

    async def ready(self, made: Daemon) -> Response:
        """The daemon's answer about its readiness."""
        self.use(made)
        return await self.get("/health/ready")

    async def wait_ready(self) -> None:
        """Wait until both are well."""
        for made in (self.first, self.second):
            while (await self.ready(made)).status != 200:
                pass

    async def check_push(self, user: User, opened: Any, text: str) -> None:
        """Assert that what the second daemon writes reaches a socket on the first."""
        self.use(self.second)
        await self.notify(user, text)
        self.assertEqual((await self.pushed(opened))["notification"]["text"], text)

    async def test_away(self) -> None:
        """Started before it, both serve when it comes; while it is away requests are 503 and
        /health/ready says why; when it is back all is well, push between the two included."""
        for made in (self.first, self.second):
            made.spawn()
            await until(lambda: "Waiting for the database" in made.output(), 20, "a try")  # noqa: B023
            self.assertFalse(listening(made.port))
        await deferToThread(self.server.start)
        for made in (self.first, self.second):
            await until(lambda: listening(made.port), 20, "the port")  # noqa: B023
        await self.wait_ready()
        self.use(self.first)
        ann = await self.user()
        opened = await self.socket(ann)
        await self.check_push(ann, opened, "before")

        await deferToThread(self.server.stop)
        for made in (self.first, self.second):
            self.use(made)
            response = await self.get(f"user/{ann.id}/info")
            self.problem(response, 503, "unavailable")
            self.assertTrue(response.header("Retry-After"))
            found = self.problem(await self.ready(made), 503, "not_ready")
            self.assertEqual(found["reasons"], ["database", "listen"])
            self.assertEqual((await self.get("/health/live")).status, 200)

        await deferToThread(self.server.start)
        await self.wait_ready()
        await self.check_push(ann, opened, "after")
        self.use(self.first)
        await self.check_push(ann, await self.socket(ann), "to a new one")
        self.use(self.second)
        await self.post("/oauth/revoke", data={"token": ann.token}, expect=200)
        self.assertEqual(await opened.closed(), 4403)
        for made in (self.first, self.second):
            self.assertNotIn("Traceback", made.output())


class LogTests(DaemonCase):
    """The log after a bit of everything."""

    async def request(self, *args: Any, **more: Any) -> Response:
        response = await super().request(*args, **more)
        self.ids.append(response.header("X-Request-Id") or "")
        return response

    async def everything(self) -> list[str]:
        """Use the service rightly and wrongly; all that must not be in a log."""
        word = f"secret-{guid()}"
        ann = await self.user()
        hidden = [ann.email, ann.password, ann.token, ann.refresh_token, word]
        await self.socket(ann)
        token = (await self.session(ann))["accessToken"]
        await self.socket(ann, token=token, via="auth")
        hidden.append(token)
        token = (await self.session(ann))["accessToken"]
        await self.get(f"/socket?token={token}&access_token={word}")
        hidden.append(token)

        sent = {"username": ann.username, "email": f"{word}@example.com", "password": word}
        await self.post("user", sent, expect=409)
        await self.post("user", {**sent, "username": name(), "email": ann.email}, expect=409)
        await self.post("user", {**sent, "username": f"{word} "}, expect=400)
        await self.post("user", {**sent, "username": name(), "email": word}, expect=400)
        form = {"grant_type": "password", "username": ann.email, "password": word}
        await self.post("/oauth/token", data=form, expect=400)
        form = {"grant_type": "password", "username": f"{word}@example.com", "password": word}
        await self.post("/oauth/token", data=form, expect=400)
        form = {"grant_type": "refresh_token", "refresh_token": ann.refresh_token}
        answer = (await self.post("/oauth/token", data=form, expect=200)).json()
        hidden += [answer["access_token"], answer["refresh_token"]]
        await self.post("/oauth/token", data={**form, "refresh_token": word}, expect=400)

        await self.get(f"user/{ann.id}", by=word, expect=401)
        await self.get(f"user/{ann.id}", headers={"Authorization": f"Basic {word}"}, expect=401)
        await self.get(f"user/search?q={word}@example.com&token={word}", by=ann, expect=200)
        await self.get(f"{word}/{ann.token}", expect=404)
        await self.request("BREW", f"user/{ann.id}?{word}", expect=405)
        await self.put(f"user/{ann.id}/progress/{word}", {"value": {word: word}}, by=ann)
        await self.content(ann, description=word)
        await self.post("user", data=b"x" * 300_000, expect=413)
        await self.post("/oauth/revoke", data={"token": answer["access_token"]}, expect=200)
        return hidden

    def logs_of_postgres(self, made: Daemon) -> list[str]:
        """The log of its embedded server."""
        logs = made.data_dir.rglob("*.log")
        return [path.read_text(errors="replace") for path in logs if path.is_file()]

    async def test_log(self) -> None:
        """One line per request, and never a token, a password or an e-mail address, in the log
        of the daemon and in that of its Postgres."""
        self.ids: list[str] = []
        made = self.make()
        await made.start()
        self.use(made)
        hidden = await self.everything()
        await self._http.close()
        self.assertIn(await made.stop(), CLEAN)
        output = made.output()
        for number in self.ids:
            lines = [line for line in output.splitlines() if f"request={number}" in line]
            self.assertEqual(len(lines), 1, number)
            line = r" (\S+) (\S+) \d{3} [\d.]+ms user=\S+ client=127.0.0.1 request="
            self.assertRegex(lines[0], line)
        texts = [output, *self.logs_of_postgres(made)]
        self.assertGreater(len(texts), 1, "Postgres has no log")
        for text in texts:
            for word in hidden:
                self.assertNotIn(word, text)
                self.assertNotIn(word.rpartition(".")[2] if word.count(".") == 2 else word, text)
        self.assertNotIn("Traceback", output)
        self.assertIsNone(re.search(r"[\w.]+@example\.com", output))
