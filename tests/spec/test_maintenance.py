"""Maintenance, on all processes of a service (docs/guides/maintenance.md)."""

from __future__ import annotations

from typing import ClassVar

import treq

from tests.spec.data import guid, name
from tests.spec.harness import SpecCase
from tests.support import daemon
from tests.support.daemon import until

WITHIN = 2.0
"""Seconds until every process knows."""
ASKED = 12
"""Connections, so that each of two workers has some."""


class MaintenanceTests(SpecCase):
    """Two workers."""

    SAID: ClassVar = {"on": "Closed for maintenance", "off": "Open again"}
    """What each logs when it knows."""
    state = "off"

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await daemon.shared("maintenance", lambda: daemon.Daemon("--workers", "2")))
        self.addCleanup(self.switch, "off")

    async def switch(self, *words: str) -> None:
        """`contentsvc maintenance` with these words, and wait until both processes know."""
        service = self.daemon
        assert service is not None
        if words[0] == self.state:
            return
        self.state = words[0]
        said = self.SAID[self.state]
        before = service.output().count(said)
        await service.command("maintenance", *words)
        await until(lambda: service.output().count(said) == before + 2, WITHIN, said)

    async def statuses(self, method: str, path: str) -> set[int]:
        """The statuses of a request on connections of its own."""
        found = set()
        for _ in range(ASKED):
            response = await treq.request(method, self.address(path), persistent=False)
            await response.content()
            found.add(response.code)
        return found

    async def test_closed(self) -> None:
        """All requests of players are 503 on every process; health, staff and log-ins go on."""
        user, admin = await self.user(), await self.admin()
        await self.switch("on", "--until", "2999-01-01T00:00Z", "--message", "Soon\u202e</script>")
        self.assertEqual(await self.statuses("GET", "content"), {503})
        self.assertEqual(await self.statuses("GET", "/health/ready"), {200})
        response = await self.put(f"user/{user.id}/following/{admin.id}", by=user)
        problem = self.problem(response, 503, "maintenance")
        self.assertEqual("60", response.header("Retry-After"))
        self.assertEqual("Soon\u202e</script>", problem["message"])
        self.assertEqual(32472144000, problem["until"])
        await self.get("content", by=admin, expect=200)
        await self.logged_in(user.username, user.email, user.password)
        await self.switch("off")
        self.assertEqual(await self.statuses("GET", "content"), {200})

    async def test_reads(self) -> None:
        """With --reads GET is answered, and open sockets stay."""
        user = await self.user()
        socket = await self.socket(user)
        await self.switch("on", "--reads")
        self.assertEqual(await self.statuses("GET", "content"), {200})
        response = await self.put(f"user/{user.id}/following/{user.id}", by=user)
        self.problem(response, 503, "maintenance")
        await socket.quiet()

    async def test_registration(self) -> None:
        """Nobody registers meanwhile."""
        await self.switch("on", "--reads")
        late = name("late")
        body = {"username": late, "email": f"{late}@example.com", "password": guid()}
        self.problem(await self.post("user", body), 503, "maintenance")

    async def test_sockets(self) -> None:
        """Sockets get their goodbye and 1013, and so do new ones, whosever they are."""
        user, admin = await self.user(), await self.admin()
        socket = await self.socket(user)
        await self.switch("on")
        goodbye = {"type": "goodbye", "reason": "maintenance", "retryAfter": 60}
        later = await self.socket(admin, greeted=False)
        for each in (socket, later):
            self.assertEqual(goodbye, await each.next())
            self.assertEqual(1013, await each.closed())

    async def test_restart(self) -> None:
        """It outlasts a restart, and no request finds the service open meanwhile."""
        await self.switch("on")
        assert self.daemon is not None
        await self.daemon.stop()
        await self.daemon.start()
        self.use(self.daemon)
        self.assertEqual(await self.statuses("GET", "content"), {503})
