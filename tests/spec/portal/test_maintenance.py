"""What a page shows while the service is closed for maintenance (docs/guides/maintenance.md)."""

from __future__ import annotations

from playwright.sync_api import expect
from twisted.internet import reactor
from twisted.internet.task import deferLater

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.portal.severing import killable

CLOSED = "The service is under maintenance"
WITHIN = 2.0
"""Seconds until every process knows."""
CHECKS_WITHIN = 31_000
"""Milliseconds until a page looks again whether the service is open."""


class MaintenanceTests(WalkCase):
    async def connect(self) -> None:
        self.own_daemon()
        service = await killable()
        self.use(service)
        self.addCleanup(service.command, "maintenance", "off")

    async def switch(self, *words: str) -> None:
        """`contentsvc maintenance` with these words, and the time until the service knows."""
        assert self.daemon is not None
        await self.daemon.command("maintenance", *words)
        deadline = reactor.seconds() + WITHIN
        while ((await self.post("user", {})).status == 503) != (words[0] == "on"):
            self.assertLess(reactor.seconds(), deadline, f"maintenance {words} is not known")
            await deferLater(reactor, 0.05)

    async def test_maintenance(self) -> None:
        """The service is closed for writes, and then altogether, before a player and a warden."""
        user, admin = await self.user(), await self.admin()
        content = await self.content(await self.user())

        def journey(player: Person, warden: Person) -> None:
            # Before the page has timers: those of before could never be cleared.
            player.page.clock.install()
            player.log_in(user, f"/content/{content.id}")
            warden.log_in(admin, "/console")
            self.read_only(player)
            self.open_again(player)
            self.closed(player)
            self.staff(warden)
            self.opens_by_itself(player)

        await self.walk(journey, 2)

    @step
    def read_only(self, player: Person) -> None:
        """Where only writes are refused, the page says so, and keeps what was typed."""
        self.wait(self.switch("on", "--reads", "--message", "Back at nine."))
        player.fill(Comment="Half a thought")
        player.press("Comment")
        expect(player.main.get_by_role("alert")).to_contain_text("Back at nine.")
        field = player.main.get_by_label("Comment", exact=True)
        expect(field).to_have_value("Half a thought")
        player.spare("status of 503")

    @step
    def open_again(self, player: Person) -> None:
        """Afterwards the page goes on."""
        self.wait(self.switch("off"))
        player.press("Comment")
        expect(player.main.get_by_role("article").get_by_text("Half a thought")).to_be_visible()
        expect(player.main.get_by_label("Comment", exact=True)).to_have_value("")

    @step
    def closed(self, player: Person) -> None:
        """An open page says why the service is closed and until when, also when it is loaded."""
        until = ("--until", "2099-07-01T12:00Z")
        self.wait(self.switch("on", *until, "--message", "Back <b>soon</b>."))
        heading = player.main.get_by_role("heading", level=1)
        with player.read():
            player.header.get_by_role("link", name="Challenges", exact=True).click()
            expect(heading).to_have_text(CLOSED)
        expect(player.main.get_by_text("Back <b>soon</b>.", exact=True)).to_be_visible()
        expect(player.main.get_by_text("2099")).to_be_visible()
        player.spare("status of 503")
        with player.read():
            player.page.reload()
            expect(heading).to_have_text(CLOSED)
        player.spare("status of 503")

    @step
    def staff(self, warden: Person) -> None:
        """Staff goes on meanwhile."""
        warden.header.get_by_role("link", name="Challenges", exact=True).click()
        expect(warden.main.get_by_role("heading", level=1)).to_have_text("Challenges")

    @step
    def opens_by_itself(self, player: Person) -> None:
        """The page goes on by itself when the service is open again, with its log-in."""
        self.wait(self.switch("off"))
        player.page.clock.fast_forward(CHECKS_WITHIN)
        expect(player.main.get_by_role("heading", level=1)).to_have_text("Challenges")
        expect(button(player.header, "Log out")).to_be_visible()
