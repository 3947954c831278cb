"""The embedded Postgres's folder goes while the daemon runs."""

from twisted.internet import reactor
from twisted.internet.task import deferLater

from tests.spec.harness import SpecCase
from tests.support.daemon import Daemon, until
from tests.support.workers import PATIENCE, gone, postmaster


class GoneCase(SpecCase):
    options: tuple[str, ...] = ()

    async def connect(self) -> None:
        self.own_daemon()
        self.service = Daemon(*self.options)
        self.addCleanup(self.service.stop)
        await self.service.start()
        self.use(self.service)

    async def answers(self, status: int) -> list[str]:
        """Wait until each process answers /health/ready so; the reasons of the last."""
        in_a_row = 0
        for _ in range(PATIENCE * 10):
            response = await self.get("/health/ready")
            in_a_row = in_a_row + 1 if response.status == status else 0
            if in_a_row == 10:
                return response.json().get("reasons", [])
            await deferLater(reactor, 0.1)
        self.fail(f"/health/ready is not {status}")

    async def check(self) -> list[str]:
        """Move it away and back; the reasons that were given meanwhile."""
        user = await self.user()
        server = postmaster(self.service)
        home = self.service.data_dir
        elsewhere = home.rename(home.with_name("elsewhere"))
        reasons = await self.answers(503)
        await until(gone(server), PATIENCE, "the end of the server")
        self.assertFalse(home.exists())
        self.assertIn(f"missing from {home / 'postgres'}.", self.service.output())
        elsewhere.rename(home)
        await self.answers(200)
        await self.get(f"user/{user.id}", by=user, expect=200)
        return reasons


class DaemonTests(GoneCase):
    async def test_back(self):
        """It is not ready, makes no new database, and goes on when the folder is back."""
        self.assertIn("data_dir", await self.check())


class WorkersTests(GoneCase):
    options = ("--workers", "2")

    async def test_back(self):
        """So it is where workers serve and their parent keeps the server."""
        self.assertIn("database", await self.check())
