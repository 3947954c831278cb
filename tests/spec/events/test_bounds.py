"""Where reading events ends: numbers that are gone, too many readers, events that are off
(studio#events)."""

from __future__ import annotations

from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.task import deferLater

from tests.faults.servers import run_sql
from tests.spec.data import guid
from tests.spec.events.support import EventCase
from tests.spec.harness import SpecCase
from tests.support import postgres
from tests.support.daemon import Daemon, shared
from tests.support.databases import fresh

MOST, EACH = 100, 20
"""Readers who wait at a process, and those of one account."""


class ExpiredTests(EventCase):
    async def connect(self) -> None:
        self.own_daemon()
        self.database = fresh(postgres.embedded())
        self.addCleanup(postgres.drop, self.database)
        service = Daemon(database=self.database)
        self.addCleanup(service.stop)
        await service.start()
        self.use(service)

    async def test_gone(self) -> None:
        """Where events after the number are not kept any more it is cursor_expired, but not from 0,
        nor after the last one that is gone. So it is above the newest."""
        admin = await self.admin()
        await self.caused(0, (await self.user()).id)
        old = await self.newest()
        self.trim(old)
        await self.caused(old, (await self.user()).id)
        new = await self.newest()
        for after in (1, old - 1, new + 1):
            response = await self.get("events", query={"after": after}, by=admin)
            self.problem(response, 400, "cursor_expired")
        for after in (0, old):
            numbers = [each["number"] for each in (await self.events(after=after))["items"]]
            self.assertEqual(numbers, [*range(old + 1, new + 1)])
        self.assertEqual((await self.events(after=new))["items"], [])

    def trim(self, upto: int) -> None:
        """Let the events up to this one be gone, as after `event_retention`."""
        run_sql(self.database, f"delete from events where number <= {upto}")
        run_sql(self.database, f"update event_numbers set trimmed = {upto}")


class ReadersTests(EventCase):
    async def connect(self) -> None:
        self.own_daemon()
        self.use(await shared("readers", Daemon))

    async def test_full(self) -> None:
        """Where as many readers of an account wait as it has places, one more is 503 `unavailable`;
        who need not wait is answered. When a reader goes, there is a place again."""
        after, admin = await self.newest(), await self.admin()
        await self.user()
        await self.caused(after)
        query = {"after": await self.newest(), "kinds": "BanLifted", "wait": 30}
        readers = [
            Deferred.fromCoroutine(self.get("events", by=admin, query=query))
            for _ in range(EACH + 1)
        ]
        for each in readers:
            self.addCleanup(each.cancel)
        response, refused = await DeferredList(readers, fireOnOneCallback=True, consumeErrors=True)
        self.problem(response, 503, "unavailable")
        self.assertEqual("1", response.header("Retry-After"))
        page = await self.events(after=after, kinds="UserRegistered", wait=30)
        self.assertNotEqual(page["items"], [])
        readers[refused - 1].cancel()
        query["wait"] = 1
        while (response := await self.get("events", by=admin, query=query)).status == 503:
            await deferLater(reactor, 0.05)
        self.assertEqual(200, response.status)

    async def test_full_of_many(self) -> None:
        """Where as many readers wait as a process has places for, one more is 503 `unavailable`, of
        whichever account, and one account leaves places to others."""
        admins = [await self._new_admin() for _ in range(MOST // EACH + 1)]
        await self.caused(await self.newest())
        query = {"after": await self.newest(), "kinds": "BanLifted", "wait": 30}
        readers: list[Deferred[Any]] = []
        for admin in admins[:-1]:
            own = [
                Deferred.fromCoroutine(self.get("events", by=admin, query=query))
                for _ in range(EACH)
            ]
            for each in own:
                self.addCleanup(each.cancel)
            readers += own
        last = Deferred.fromCoroutine(self.get("events", by=admins[-1], query=query))
        self.addCleanup(last.cancel)
        response, _ = await DeferredList(
            [*readers, last], fireOnOneCallback=True, consumeErrors=True
        )
        self.problem(response, 503, "unavailable")

    async def test_ends_with_its_token(self) -> None:
        """A wait ends with the log-in that it belongs to: 401, and nothing is told any more."""
        admin = await self._new_admin()
        await self.caused(await self.newest())
        query = {"after": await self.newest(), "kinds": "BanLifted", "wait": 30}
        waiting = Deferred.fromCoroutine(self.get("events", by=admin, query=query))
        self.addCleanup(waiting.cancel)
        await self.events()
        await self.post("/oauth/revoke", data={"token": admin.refresh_token}, expect=200)
        self.problem(await waiting, 401, "invalid_token")


class OffTests(SpecCase):
    async def connect(self) -> None:
        self.own_daemon()
        self.use(await shared("events off", lambda: Daemon("--events", "off")))

    async def test_off(self) -> None:
        """Without events there are neither these nor webhooks, and what would cause them goes
        on."""
        admin, user = await self.admin(), await self.user()
        for by in (admin, user, None):
            for path in ("events", "webhooks"):
                self.problem(await self.get(path, by=by), 404, "not_found")
        await self.put(f"user/{user.id}/ban", {"reason": "rude"}, by=admin, expect=204)
        await self.put(f"user/{user.id}/role", {"role": "curator"}, by=admin, expect=204)
        self.problem(await self.get(f"content/{guid()}"), 404, "content_not_found")
