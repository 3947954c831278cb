"""What a page shows while the service is closed for maintenance (studio §5)."""

from __future__ import annotations

from playwright.sync_api import expect
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater
from twisted.internet.threads import blockingCallFromThread

from tests.spec.portal.visitor import VisitCase, Visitor
from tests.support import daemon

CLOSED = "The service is under maintenance"
WITHIN = 2.0
"""Seconds until every process knows."""
LOOKS_WITHIN = 31_000
"""Milliseconds until a page looks again whether the service is open."""


class MaintenanceTests(VisitCase):
    async def connect(self) -> None:
        self.own_daemon()
        environ = {"FILES": "local"}
        name = "portal-maintenance"
        service = await daemon.shared(name, lambda: daemon.Daemon(environ=environ))
        self.use(service)
        self.addCleanup(service.command, "maintenance", "off")

    def switch(self, *words: str) -> None:
        """`contentsvc maintenance` with these words, and the time until every process knows; from
        the thread of a walk."""

        async def run() -> None:
            assert self.daemon is not None
            await self.daemon.command("maintenance", *words)
            await deferLater(reactor, WITHIN)

        blockingCallFromThread(reactor, lambda: Deferred.fromCoroutine(run()))

    def refused(self, *people: Visitor) -> None:
        """Forget the refusals that the consoles have."""
        for who in people:
            who.said = [line for line in who.said if "status of 503" not in line]

    async def test_closed(self) -> None:
        """An open page says why and until when, and goes on by itself; staff goes on meanwhile."""
        user, admin = await self.user(), await self.admin()

        def steps(player: Visitor, warden: Visitor) -> None:
            player.page.clock.install()
            player.arrive(user, "/browse")
            warden.arrive(admin)
            until = ("--until", "2099-07-01T12:00Z")
            self.switch("on", *until, "--message", "Back <b>soon</b>.")
            for who in (player, warden):
                who.header.get_by_role("link", name="Challenges", exact=True).click()
            heading = player.main.get_by_role("heading", level=1)
            expect(heading).to_have_text(CLOSED)
            expect(player.main.get_by_text("Back <b>soon</b>.", exact=True)).to_be_visible()
            expect(player.main.get_by_text("2099")).to_be_visible()
            expect(warden.main.get_by_role("heading", level=1)).to_have_text("Challenges")
            player.page.reload()
            expect(heading).to_have_text(CLOSED)
            self.switch("off")
            player.page.clock.fast_forward(LOOKS_WITHIN)
            expect(heading).to_have_text("Challenges")
            expect(player.header.get_by_role("button", name="Log out", exact=True)).to_be_visible()
            self.refused(player, warden)

        await self.walk(steps, 2)

    async def test_reads(self) -> None:
        """Where only writes are refused, the page goes on, says so, and keeps what was typed."""
        user = await self.user()
        content = await self.content(await self.user())

        def steps(who: Visitor) -> None:
            who.arrive(user, f"/content/{content.id}")
            self.switch("on", "--reads", "--message", "Back at nine.")
            field = who.main.get_by_label("Comment", exact=True)
            field.fill("Half a thought")
            who.press("Comment")
            expect(who.main.get_by_role("alert")).to_contain_text("Back at nine.")
            expect(field).to_have_value("Half a thought")
            self.switch("off")
            who.press("Comment")
            expect(who.main.get_by_role("article").get_by_text("Half a thought")).to_be_visible()
            expect(field).to_have_value("")
            self.refused(who)

        await self.walk(steps)
