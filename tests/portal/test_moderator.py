"""A moderator's first hour: who finds players, acts, and answers reports."""

from __future__ import annotations

from time import time

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import Content, User, guid, name

DAY = 86_400
TABS = 80
"""More than any place of the console needs."""


def reach(ada: Person, wanted: Locator) -> None:
    """Move the focus there by the keyboard alone."""
    wanted.wait_for()
    for _ in range(TABS):
        if wanted.evaluate("(one) => one === document.activeElement"):
            return
        ada.page.keyboard.press("Tab")
    raise AssertionError(f"The keyboard does not reach {wanted}")


def enter(ada: Person, name: str, within: Locator | None = None) -> None:
    """Press the one button with this name by the keyboard alone."""
    reach(ada, button(within or ada.main, name))
    ada.page.keyboard.press("Enter")


class ModeratorTests(WalkCase):
    world = "portal-console"

    async def report(self, path: str) -> User:
        """Somebody reports this."""
        reporter = await self.user()
        body = {"reason": "spam", "text": ""}
        await self.post(f"{path}/report", body, by=reporter, expect=204)
        return reporter

    async def outcome(self, reporter: User) -> str:
        """What the reporter was told, or nothing."""
        told = await self.notifications(reporter)
        return next((one["outcome"] for one in told if one["kind"] == "ReportResolved"), "")

    async def test_keyboard(self) -> None:
        """By keyboard alone, a moderator finds a player by a part of the name, bans them for a day,
        lifts that, and upholds the report about them."""
        moderator, player = await self.member("moderator"), await self.user()
        reporter = await self.report(f"user/{player.id}")

        def journey(ada: Person) -> None:
            ada.page.clock.install()
            ada.log_in(moderator, "/console/users")
            self.find(ada, player)
            self.ban(ada, player, moderator)
            self.lift(ada, player, moderator)
            self.uphold(ada)

        await self.walk(journey)
        self.assertEqual("upheld", await self.outcome(reporter))

    @step
    def find(self, ada: Person, player: User) -> None:
        """A player is found by the beginning of the name, and looked at."""
        reach(ada, ada.main.get_by_role("searchbox", name="Name", exact=True))
        ada.page.keyboard.type(player.username[:-1])
        ada.page.keyboard.press("Enter")
        reach(ada, ada.main.get_by_role("link", name=player.username, exact=True))
        ada.page.keyboard.press("Enter")
        ada.main.get_by_role("heading", name="What to do", exact=True).wait_for()

    @step
    def ban(self, ada: Person, player: User, moderator: User) -> None:
        """A ban of one day needs a reason, has that end, and is said on the button."""
        enter(ada, "Ban")
        reason = ada.main.get_by_label("Reason", exact=True)
        expect(reason).to_be_focused()
        ada.page.keyboard.type("Nagging.")
        reach(ada, ada.main.get_by_role("radio", name="1 day", exact=True))
        enter(ada, "Ban")
        expect(button(ada.main, "Banned")).to_be_focused()
        with ada.answered("POST */moderation/decisions"):
            ada.wait_until_sent()
        found = self.wait(self.get(f"user/{player.id}/ban", by=moderator, expect=200)).json()
        self.assertEqual("Nagging.", found["reason"])
        self.assertLess(abs(found["until"] - time() - DAY), 300)

    @step
    def lift(self, ada: Person, player: User, moderator: User) -> None:
        """The next button lifts the ban."""
        enter(ada, "Lift")
        button(ada.main, "Ban").wait_for()
        self.wait(self.get(f"user/{player.id}/ban", by=moderator, expect=404))

    @step
    def uphold(self, ada: Person) -> None:
        """To uphold where nothing is left of what was done asks."""
        enter(ada, "Uphold")
        expect(ada.dialog.get_by_role("heading")).to_be_focused()
        enter(ada, "Uphold", ada.dialog)
        button(ada.main, "Upheld").wait_for()
        expect(ada.dialog).to_have_count(0)

    async def test_steps(self) -> None:
        """At a subject, first something is done, then its reports are answered; no button moves."""
        moderator, author = await self.member("moderator"), await self.user()
        content = await self.content(author, name=name("tower"))
        reporter = await self.report(content.path)

        def journey(ada: Person) -> None:
            ada.page.clock.install()
            ada.log_in(moderator, f"/console/reports/content/{content.id}")
            places = self.places(ada)
            self.suspend(ada, author)
            self.durations(ada, author, moderator)
            self.assertEqual(places, self.places(ada))
            self.note(ada, content, moderator)
            self.assertEqual(places, self.places(ada))

        await self.walk(journey)
        self.assertEqual("upheld", await self.outcome(reporter))

    def places(self, ada: Person) -> list[dict[str, float]]:
        """Where the buttons of both steps are on the page."""
        button(ada.main, "Dismiss").wait_for()
        where = "(all) => all.map((one) => [one.offsetLeft, one.offsetTop, one.offsetWidth])"
        return list(ada.main.locator(".acts .button").evaluate_all(where))

    @step
    def suspend(self, ada: Person, author: User) -> None:
        """The author reads why the content was suspended, and the button says that it is."""
        expect(ada.main.get_by_text("For Suspend, Restore, Warn, and Ban")).to_be_visible()
        ada.fill(Reason="Copied.")
        ada.press("Suspend")
        expect(button(ada.main, "Suspended")).to_have_attribute("aria-disabled", "true")
        with ada.answered("POST */moderation/decisions"):
            ada.wait_until_sent()
        told = self.wait(self.notifications(author))
        (reason,) = [one["reason"] for one in told if one["kind"] == "ContentSuspended"]
        self.assertEqual("Copied.", reason)

    @step
    def durations(self, ada: Person, author: User, moderator: User) -> None:
        """A ban lasts 30 days or for ever, as is chosen; another choice changes it."""
        path = f"user/{author.id}/ban"
        for choice, days in (("30 days", 30), ("for ever", None)):
            ada.main.get_by_role("radio", name=choice, exact=True).check()
            ada.press("Ban")
            button(ada.main, "Banned").wait_for()
            with ada.answered("POST */moderation/decisions"):
                ada.wait_until_sent()
            until = self.wait(self.get(path, by=moderator, expect=200)).json()["until"]
            if days is None:
                self.assertIsNone(until)
            else:
                self.assertLess(abs(until - time() - days * DAY), 300)

    @step
    def note(self, ada: Person, content: Content, moderator: User) -> None:
        """To uphold does not ask where something was done, and keeps the note for staff."""
        ada.fill(Note="See the original.")
        ada.press("Uphold")
        button(ada.main, "Upheld").wait_for()
        ada.main.get_by_text("0 are open.").wait_for()
        query = {"subject": content.id, "action": "report_upheld"}
        path = "moderation/actions"
        (act,) = self.wait(self.get(path, by=moderator, query=query, expect=200)).json()
        self.assertEqual("See the original.", act["reason"])

    async def test_elsewhere(self) -> None:
        """To uphold asks where the author was warned for something else, and where what was done
        here was taken back; not where it was done here."""
        moderator, author = await self.member("moderator"), await self.user()
        content = await self.content(author, name=name("tower"))
        await self.report(content.path)
        warning = {"reason": "Passwords."}
        await self.post(f"user/{author.id}/warning", warning, by=moderator, expect=204)

        def journey(ada: Person) -> None:
            ada.page.clock.install()
            ada.log_in(moderator, f"/console/reports/content/{content.id}")
            self.asked(ada)
            ada.fill(Reason="Copied.")
            ada.press("Warn")
            ada.page.locator("#undo").click()
            button(ada.main, "Warn").wait_for()
            self.asked(ada)
            ada.press("Warn")
            ada.press("Uphold")
            button(ada.main, "Upheld").wait_for()

        await self.walk(journey)

    @step
    def asked(self, ada: Person) -> None:
        """To uphold asks, and is not done."""
        ada.press("Uphold")
        expect(ada.dialog.get_by_role("heading")).to_have_text("Uphold, with nothing done?")
        ada.escape()

    async def test_keys(self) -> None:
        """Keys do nothing until they are switched on, which is kept for who did so; none acts in a
        field or beside an open dialog."""
        moderator, other = await self.member("moderator"), await self.member("moderator")
        content = await self.content(await self.user(), name=name("tower"))
        await self.report(content.path)
        path = f"/console/reports/content/{content.id}"

        def journey(ada: Person) -> None:
            ada.log_in(moderator, path)
            self.off(ada)
            self.on(ada)
            self.elsewhere(ada)
            ada.log_out()
            ada.log_in(other, path)
            self.off(ada)
            ada.log_out()
            ada.log_in(moderator, path)
            self.acts(ada)

        await self.walk(journey)

    def quiet(self, ada: Person) -> None:
        """Nothing was done."""
        with ada.read():
            ada.page.keyboard.press("s")
        expect(button(ada.main, "Suspend")).not_to_have_attribute("aria-disabled", "true")

    @step
    def off(self, ada: Person) -> None:
        """A key does nothing at first."""
        button(ada.main, "Suspend").wait_for()
        self.quiet(ada)

    @step
    def on(self, ada: Person) -> None:
        """The question mark shows the keys and their switch; while it does, none acts."""
        ada.page.keyboard.press("?")
        switch = ada.dialog.get_by_role("switch", name="Use keys", exact=True)
        expect(switch).to_be_focused()
        expect(switch).not_to_be_checked()
        ada.page.keyboard.press("Space")
        expect(switch).to_be_checked()
        ada.dialog.get_by_role("heading").focus()
        ada.page.keyboard.press("s")
        ada.escape()
        self.quiet_in(ada, ada.main.get_by_label("Reason", exact=True))

    def quiet_in(self, ada: Person, field: Locator) -> None:
        """A key in this field types."""
        field.focus()
        self.quiet(ada)
        expect(field).to_have_value("s")
        field.fill("")

    @step
    def elsewhere(self, ada: Person) -> None:
        """A key in the other fields types, or chooses."""
        self.quiet_in(ada, ada.main.get_by_label("Note", exact=True))
        ada.main.get_by_role("radio", name="7 days", exact=True).focus()
        self.quiet(ada)

    @step
    def acts(self, ada: Person) -> None:
        """Switched on before, a key acts."""
        button(ada.main, "Suspend").wait_for()
        ada.page.keyboard.press("s")
        button(ada.main, "Suspended").wait_for()

    async def test_ways(self) -> None:
        """Players and content lead a moderator to the console, which opens with the first place
        that one may see."""
        moderator, curator = await self.member("moderator"), await self.member("curator")
        chief, author = await self.admin(), await self.user()
        content = await self.content(author, name=name("tower"))

        def journey(ada: Person, ben: Person, cleo: Person) -> None:
            self.links(ada, moderator, content)
            self.nobody(ada)
            self.first(ben, curator, author)
            self.by_address(cleo, chief, author)

        await self.walk(journey, 3)

    @step
    def links(self, ada: Person, moderator: User, content: Content) -> None:
        """`Moderate` leads from a player to the account, and from content to its subject."""
        author = content.author.id
        ada.log_in(moderator, f"/user/{author}")
        link = ada.main.get_by_role("link", name="Moderate", exact=True)
        link.click()
        ada.page.wait_for_url(f"**/console/users/{author}")
        ada.move(f"/content/{content.id}")
        link.click()
        ada.page.wait_for_url(f"**/console/reports/content/{content.id}")
        ada.main.get_by_role("heading", name="What to answer", exact=True).wait_for()
        # That there is no report.
        ada.spare("404")

    @step
    def nobody(self, ada: Person) -> None:
        """A name that nobody has is said to be so; an address is no name."""
        ada.move("/console/users")
        field = ada.main.get_by_role("searchbox", name="Name", exact=True)
        for asked in (guid(), f"{name()}@example.com"):
            field.fill(asked)
            ada.press("Search")
            expect(ada.main.get_by_text("No players found", exact=True)).to_be_visible()

    @step
    def first(self, ben: Person, curator: User, player: User) -> None:
        """A curator's console begins with what is featured; no player is theirs to moderate."""
        ben.log_in(curator, f"/user/{player.id}")
        button(ben.main, "Follow").wait_for()
        expect(ben.main.get_by_role("link", name="Moderate")).to_have_count(0)
        ben.move("/console")
        ben.page.wait_for_url("**/console/featured")
        ben.main.get_by_role("heading", name="Featured", level=2).wait_for()

    @step
    def by_address(self, cleo: Person, chief: User, player: User) -> None:
        """An admin finds a player by the whole address."""
        cleo.log_in(chief, "/console/users")
        cleo.main.get_by_role("searchbox", name="Name or whole address").fill(player.email)
        cleo.press("Search")
        cleo.main.get_by_role("link", name=player.username, exact=True).wait_for()

    async def test_block(self) -> None:
        """Files are blocked by their names; a picture among them is blurred until it is pressed."""
        moderator = await self.member("moderator")

        def journey(ada: Person, ben: Person) -> None:
            ben.register("/publish")
            path = ben.publish_here("Tilting tower").removeprefix("/")
            self.wait(self.report(path))
            ada.page.clock.install()
            ada.log_in(moderator, f"/console/reports/{path}")
            self.block(ada)

        await self.walk(journey, 2)

    @step
    def block(self, ada: Person) -> None:
        """The one that is chosen is blocked."""
        ada.press("Block files")
        cover = ada.dialog.get_by_role("button", name="Show Picture 1", exact=True)
        expect(cover.locator(".blurred")).to_have_count(1)
        cover.click()
        expect(cover.locator(".blurred")).to_have_count(0)
        ada.dialog.get_by_role("checkbox", name="level.bin").check()
        ada.press("Block files", ada.dialog)
        expect(ada.page.get_by_text("1 file blocked: Tilting tower")).to_be_visible()
        with ada.answered("POST */moderation/decisions"):
            ada.wait_until_sent()
