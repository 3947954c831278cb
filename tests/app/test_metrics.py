"""The admin endpoint of real daemons: what they tell, with one process and with two workers."""

import contextlib
import os
import signal
from urllib.parse import urlsplit

import psycopg2
from twisted.internet.defer import Deferred

from contentsvc.framework.core import build
from tests.spec.data import guid, name
from tests.spec.harness import SpecCase
from tests.support import daemon
from tests.support.daemon import until
from tests.support.prometheus import Watched, promtool, samples
from tests.support.workers import PATIENCE, WorkersCase

REQUESTS = "contentsvc_http_request_duration_seconds"
INFO = "/api/v1/user/<guid:user>/info"


def total(found: dict[str, float], family: str, *labels: str) -> float:
    """The sum of a metric over all rows with these labels, each as it is written."""
    return sum(
        value
        for row, value in found.items()
        if row.partition("{")[0] == family and all(label in row for label in labels)
    )


class WatchedCase(SpecCase):
    """A daemon with an admin endpoint."""

    service: Watched
    options: tuple[str, ...] = ()

    async def connect(self) -> None:
        self.own_daemon()
        found = await daemon.shared(f"watched {self.options}", lambda: Watched(*self.options))
        assert isinstance(found, Watched)
        self.service = found
        self.use(found)

    async def increase(self, before: dict[str, float], family: str, *labels: str) -> float:
        """By how much a metric has grown."""
        now = await self.service.scrape()
        return total(now, family, *labels) - total(before, family, *labels)


class OneTests(WatchedCase):
    async def test_promtool(self):
        """promtool finds no fault in the metrics of a daemon in use."""
        user = await self.user()
        await self.socket(user)
        await self.notify(user)
        await self.get("nowhere", expect=404)
        _, text = await self.service.page("/metrics")
        promtool("check", "metrics", given=text)

    async def test_requests(self):
        """A request is counted by its method, its route and the class of its status; nothing says
        whose it was."""
        user = await self.user()
        before = await self.service.scrape()
        await self.get(f"user/{user.id}/info", by=user, expect=200)
        labels = 'method="GET"', f'route="{INFO}"', 'status="2xx"'
        self.assertEqual(await self.increase(before, f"{REQUESTS}_count", *labels), 1)
        _, text = await self.service.page("/metrics")
        self.assertNotIn(user.id.encode(), text)
        self.assertNotIn(user.username.encode(), text)

    async def test_unknown_paths(self):
        """However many paths there are not, they are one row."""
        rows = await self.service.scrape()
        for _ in range(5):
            await self.get(f"/{guid()}", expect=404)
        labels = 'route="unknown"', 'status="4xx"', 'method="GET"'
        self.assertEqual(await self.increase(rows, f"{REQUESTS}_count", *labels), 5)
        with contextlib.suppress(Exception):
            await self.request("BREW", f"/{guid()}")
        found = await self.service.scrape()
        self.assertEqual(len([row for row in found if "unknown" in row and "_sum" in row]), 2)

    async def test_sockets(self):
        """Sockets are counted by the type of their client, sign-ins and closes too."""
        before = await self.service.scrape()
        user = await self.user()
        opened = await self.socket(user)
        await self.socket(user, via="portal")
        for client in ("game", "portal"):
            label = f'client="{client}"'
            self.assertEqual(await self.increase(before, "contentsvc_sockets", label), 1)
            self.assertEqual(
                await self.increase(before, "contentsvc_socket_sign_ins_total", label), 1
            )
        labels = 'by="server"', 'code="4403"'
        await self.post("/oauth/revoke", data={"token": user.token}, expect=200)
        self.assertEqual(4403, await opened.closed())
        await self.grown(before, "contentsvc_socket_closes_total", *labels)

    async def grown(self, before: dict[str, float], family: str, *labels: str) -> None:
        """Wait until a metric has grown."""
        for _ in range(100):
            if await self.increase(before, family, *labels) > 0:
                return
        self.fail(f"{family} does not grow")

    async def test_pushes(self):
        """A notification that reaches a socket is counted with its delay."""
        user = await self.user()
        socket = await self.socket(user)
        before = await self.service.scrape()
        await self.notify(user)
        await socket.next()
        own = 'stored_by="own"'
        family = "contentsvc_push_delay_seconds"
        self.assertEqual(await self.increase(before, f"{family}_count", own), 1)
        seconds = await self.increase(before, f"{family}_sum", own)
        self.assertTrue(0 < seconds < 10, seconds)

    async def test_failed_log_in(self):
        """A wrong password is counted."""
        before = await self.service.scrape()
        form = {"grant_type": "password", "username": name(), "password": guid()}
        await self.post("/oauth/token", data=form, expect=400)
        label = 'reason="password"'
        self.assertEqual(await self.increase(before, "contentsvc_failed_log_ins_total", label), 1)

    async def test_build(self):
        """The version, the commit and the newest migration are labels."""
        (row,) = [row for row in await self.service.scrape() if "build_info" in row]
        self.assertRegex(row, r'migration="\d{4}\.\w+"')
        self.assertIn(f'version="{build.release()}"', row)
        self.assertIn(f'commit="{build.commit() or ""}"', row)

    async def test_ready(self):
        """A daemon that serves is live and ready, and says so in its metrics."""
        self.assertEqual((await self.service.page("/live"))[0], 200)
        self.assertEqual((await self.service.page("/ready"))[0], 200)
        self.assertEqual((await self.service.scrape())["contentsvc_ready"], 1)

    async def test_apart(self):
        """The main port has none of it."""
        for path in ("/metrics", "/live", "/ready"):
            await self.get(path, expect=404)


class TwoTests(WatchedCase):
    options = ("--workers", "2")

    async def test_promtool(self):
        """promtool finds no fault in the metrics of two workers in use."""
        user = await self.user()
        await self.socket(user)
        await self.notify(user)
        _, text = await self.service.page("/metrics")
        promtool("check", "metrics", given=text)
        workers = {f'worker="{worker}"' for worker in ("1", "2", "parent")}
        found = samples(text)
        self.assertEqual(
            {each for each in workers if f"process_cpu_seconds_total{{{each}}}" in found}, workers
        )

    async def test_both(self):
        """The requests of both workers are there, each with its worker's number."""
        before = await self.service.scrape()
        label = 'route="/health/live"'
        workers, sent, most = ('worker="1"', 'worker="2"'), 0, 400
        counts = [0.0, 0.0]
        # Whichever worker is idle takes a connection: nobody can say how many both need.
        while not all(counts) and sent < most:
            for _ in range(20):
                await self._http.close()
                await self.get("/health/live", expect=200)
            sent += 20
            counts = [
                await self.increase(before, f"{REQUESTS}_count", label, worker)
                for worker in workers
            ]
        self.assertTrue(all(counts), counts)
        self.assertEqual(await self.increase(before, f"{REQUESTS}_count", label), sent)

    async def test_up(self):
        """Both are up, and the service is ready."""
        found = await self.service.scrape()
        self.assertEqual(total(found, "contentsvc_worker_up"), 2)
        self.assertEqual(found["contentsvc_workers_serving"], 2)
        self.assertEqual((await self.service.page("/ready"))[0], 200)

    async def test_shared(self):
        """The tasks and the mails, which both share, are told once."""
        shared = "contentsvc_outbox", "contentsvc_mails_waiting", "contentsvc_queues"
        rows = [row for row in await self.service.scrape() if row.startswith(shared)]
        self.assertGreater(len(rows), 3)
        self.assertEqual([row for row in rows if "worker" in row], [])


class FrozenTests(WorkersCase):
    async def connect(self) -> None:
        self.own_daemon()
        self.watched = Watched("--workers", "2")
        self.service = self.watched
        self.addCleanup(self.service.stop)
        await self.service.start()
        await self.both()

    async def test_frozen(self):
        """A worker that is frozen holds up no scrape: its metrics are missing meanwhile, and a
        gauge says so."""
        frozen = min(self.workers())
        os.kill(frozen, signal.SIGSTOP)
        found = await self.watched.scrape()
        self.assertEqual(total(found, "contentsvc_worker_up"), 1)
        self.assertEqual(len([row for row in found if "process_open_fds" in row]), 2)
        self.assertEqual((await self.watched.page("/ready"))[0], 200)
        os.kill(frozen, signal.SIGCONT)
        found = await self.watched.scrape()
        self.assertEqual(total(found, "contentsvc_worker_up"), 2)

    async def test_all_frozen(self):
        """While all are frozen, the service is live, and not ready."""
        for pid in self.workers():
            os.kill(pid, signal.SIGSTOP)
        self.assertEqual((await self.watched.page("/live"))[0], 200)
        status, body = await self.watched.page("/ready")
        self.assertEqual((status, b'"workers"' in body), (503, True))
        for pid in self.workers():
            os.kill(pid, signal.SIGCONT)


class LifeCase(SpecCase):
    """A daemon that the test starts."""

    options: tuple[str, ...] = ()

    async def connect(self) -> None:
        self.own_daemon()
        self.service = Watched(*self.options)
        self.addCleanup(lambda: Deferred.fromCoroutine(self.ended()))

    async def ended(self) -> None:
        with contextlib.suppress(AssertionError):
            await self.service.stop()

    async def starting(self) -> None:
        """Assert that a daemon that starts is live, not ready, and has metrics."""
        service = Watched(*self.options, database="host=127.0.0.1 port=9 dbname=x")
        self.service = service
        service.spawn()
        await until(lambda: "Waiting for the database" in service.output(), PATIENCE, "a start")
        self.assertEqual((await service.page("/live"))[0], 200)
        status, body = await service.page("/ready")
        self.assertEqual((status, b'"starting"' in body), (503, True))
        _, text = await service.page("/metrics")
        promtool("check", "metrics", given=text)
        self.assertIn("contentsvc_build_info", text.decode())

    async def draining(self) -> None:
        """Assert that one that drains is live and not ready, with its port closed."""
        await self.service.start()
        self.use(self.service)
        user = await self.user()
        wire = await self.wire("PUT", f"user/{user.id}/bio", by=user, Content_Length=10)
        wire.send(b'{"bio"')
        os.kill(self.service.pid, signal.SIGTERM)
        closed = f"Port {self.service.port} Closed"
        await until(lambda: closed in self.service.output(), PATIENCE, closed)
        self.assertEqual((await self.service.page("/live"))[0], 200)
        status, body = await self.service.page("/ready")
        self.assertEqual((status, b'"stopping"' in body), (503, True))
        self.assertEqual((await self.service.page("/metrics"))[0], 200)


class LifeTests(LifeCase):
    def locks(self, table: str) -> None:
        """Hold a lock on a table until the test ends."""
        folder = self.service.socket_folder()
        connection = psycopg2.connect(host=str(folder), user="postgres", dbname="contentsvc")
        self.addCleanup(connection.close)
        with connection.cursor() as cursor:
            cursor.execute(f"lock table {table} in access exclusive mode")

    async def test_start(self):
        """While the daemon starts, it is live, not ready, and has metrics."""
        await self.starting()

    async def test_drain(self):
        """While it drains, it is live and not ready, with its port closed."""
        await self.draining()

    async def test_stalled_database(self):
        """A database that does not answer holds up no scrape, and shows in the metrics."""
        await self.service.start()
        self.assertEqual(total(await self.service.scrape(), "contentsvc_ready"), 1)
        self.locks("tasks, schema_upgrades")
        for _ in range(20):
            found = await self.service.scrape()
            if total(found, "contentsvc_ready") == 0:
                break
        self.assertEqual(total(found, "contentsvc_not_ready", 'reason="database"'), 1)
        self.assertEqual((await self.service.page("/ready"))[0], 503)

    async def test_taken(self):
        """An admin port that is taken ends the start with one line that names it."""
        await self.service.start()
        port = urlsplit(self.service.admin).port
        other = daemon.Daemon("--admin", f"tcp:{port}:interface=127.0.0.1")
        other.spawn()
        self.assertEqual(await other.ended(), 1)
        self.assertRegex(other.output(), rf"contentsvc cannot start: .*{port}")


class LifeOfTwoTests(LifeCase):
    options = ("--workers", "2")

    async def test_start(self):
        """So is the parent of workers while it starts."""
        await self.starting()

    async def test_drain(self):
        """And while its workers drain."""
        await self.draining()
