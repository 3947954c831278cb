"""Admins tell players something in the console, and players' pages show it."""

from __future__ import annotations

from time import time

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase
from tests.spec.data import User, guid, name

HOUR = 3_600


def entry(who: Person, topic: str) -> Locator:
    """The entry in the list of the console."""
    rows = who.main.get_by_role("list", name="Notifications to players", exact=True)
    return rows.get_by_role("listitem").filter(has_text=topic)


def write(who: Person, **fields: str) -> None:
    """Open the dialog, and fill it."""
    who.press("Notify players")
    who.fill(who.dialog, **fields)


class StudioNotificationsTests(WalkCase):
    world = "portal-console"

    async def test_told(self) -> None:
        """An admin tells players something, mends what is refused, and chooses whom to tell."""
        self.chief, muted = await self.admin(), await self.user()
        author, fan = await self.user(), await self.user()
        await self.put(f"user/{fan.id}/following/{author.id}", by=fan, expect=204)
        topic = name("topic").lower()
        settings = f"user/{muted.id}/notifications/settings"
        await self.put(settings, {"muted": [f"Studio:{topic}"]}, by=muted, expect=204)

        def journey(ada: Person, ben: Person) -> None:
            ben.register("/settings")
            ada.log_in(self.chief, "/console/notifications")
            self.live(ada, ben, topic, muted)
            self.refused(ada)
            self.followers(ada, author)
            self.everybody(ada, fan)

        await self.walk(journey, 2)

    @step
    def live(self, ada: Person, ben: Person, topic: str, muted: User) -> None:
        """Players who are named get it without a reload: the unread number, then title and text;
        the console says how many were told, and who was not."""
        write(ada, Title="Season two", Text="It begins.\nTonight.", Topic=topic)
        ada.fill(ada.dialog, Players=f"{ben.username.upper()}, {muted.id}")
        ada.press("Send", ada.dialog)
        expect(entry(ada, topic).get_by_text("done", exact=True)).to_be_visible()
        expect(entry(ada, topic).get_by_text("1 player reached", exact=True)).to_be_visible()
        expect(entry(ada, topic).get_by_text("1 muted it", exact=True)).to_be_visible()
        expect(entry(ada, topic).get_by_role("heading", name="Season two")).to_be_visible()
        expect(entry(ada, topic)).to_contain_text("It begins.")
        expect(entry(ada, topic).get_by_role("link", name=self.chief.username)).to_be_visible()
        bell = ben.header.get_by_role("link", name="Notifications (1)", exact=True)
        bell.click()
        item = ben.main.get_by_role("listitem").filter(has_text="Season two")
        expect(item).to_contain_text("It begins.")
        expect(item.get_by_text(topic, exact=True)).to_be_visible()

    @step
    def refused(self, ada: Person) -> None:
        """What cannot be sent is said beside its field, and what was typed stays, over a reload
        too."""
        nobody = name("nobody")
        write(ada, Topic="Not This")
        ada.press("Send", ada.dialog)
        for label in ("Players", "Title", "Topic"):
            field = ada.dialog.get_by_label(label, exact=True)
            expect(field).to_have_attribute("aria-invalid", "true")
        expect(ada.dialog.get_by_label("Players", exact=True)).to_be_focused()
        ada.fill(ada.dialog, Players=nobody, Title="Hello", Topic="news")
        ada.press("Send", ada.dialog)
        said = ada.dialog.get_by_text(f"Nobody is called: {nobody}", exact=True)
        expect(said).to_be_visible()
        ada.fill(ada.dialog, Players=guid())
        ada.press("Send", ada.dialog)
        said = ada.dialog.get_by_text("Some of these players do not exist.", exact=True)
        expect(said).to_be_visible()
        # The refusal is a 422.
        ada.spare("422")
        ada.page.reload()
        ada.press("Notify players")
        expect(ada.dialog.get_by_label("Title", exact=True)).to_have_value("Hello")
        ada.escape()

    @step
    def followers(self, ada: Person, author: User) -> None:
        """Who has entered a challenge is chosen by its name; followers of a player, by the name,
        are told."""
        topic = name("topic").lower()
        write(ada, Title="Hello", Topic=topic)
        audience = ada.dialog.get_by_label("To whom", exact=True)
        audience.select_option(label="Everybody in a challenge")
        ada.press("Send", ada.dialog)
        field = ada.dialog.get_by_label("Challenge", exact=True)
        expect(field).to_have_attribute("aria-invalid", "true")
        audience.select_option(label="Followers of a player")
        ada.fill(ada.dialog, Followers_of=author.username)
        ada.press("Send", ada.dialog)
        expect(entry(ada, topic).get_by_text("1 player reached", exact=True)).to_be_visible()

    @step
    def everybody(self, ada: Person, fan: User) -> None:
        """Everybody is told."""
        topic = name("topic").lower()
        write(ada, Title="Hello all", Topic=topic)
        ada.dialog.get_by_label("To whom", exact=True).select_option(label="Everybody")
        every = ada.dialog.get_by_text("Every player gets this.", exact=False)
        expect(every).to_be_visible()
        ada.press("Send", ada.dialog)
        expect(entry(ada, topic).get_by_text("done", exact=True)).to_be_visible()
        expect(entry(ada, topic).get_by_text("Hello all", exact=True)).to_be_visible()
        found = self.wait(self.notifications(fan))
        self.assertEqual(["Hello", "Hello all"], [each["data"]["title"] for each in found])

    async def test_heard(self) -> None:
        """A player hears from the studio, and mutes it."""
        user = await self.user()
        for title, hours in (("<b>Two</b> hours", 2), ("One hour", 1), ("Half an hour", 0.5)):
            await self.tell(user, data={"title": title, "text": "It begins."}, expires=hours)

        def journey(ada: Person) -> None:
            ada.page.clock.install()
            ada.log_in(user, "/settings")
            self.expired_before(ada)
            self.expires(ada)
            self.mute(ada)

        await self.walk(journey)

    async def tell(self, to: User, *, data: dict[str, str], expires: float) -> None:
        """Notify one user as a service, of what expires in so many hours."""
        _, token = await self.service("notify")
        body = {"id": guid(), "topic": "season", "data": data, "to": [to.id]}
        body |= {"expires": int(time() + expires * HOUR)}
        await self.post("notifications", body, by=token, expect=202)

    def item(self, ada: Person, title: str) -> Locator:
        """The notification with this title."""
        return ada.main.get_by_role("listitem").filter(has_text=title)

    @step
    def expired_before(self, ada: Person) -> None:
        """What has expired is not shown to who comes; what has not is, with title and text, as
        text."""
        expect(ada.header.get_by_role("link", name="Notifications (3)")).to_be_visible()
        ada.page.clock.fast_forward(1_900_000)
        ada.move("/notifications")
        expect(self.item(ada, "<b>Two</b> hours")).to_contain_text("It begins.")
        expect(self.item(ada, "One hour")).to_be_visible()
        expect(self.item(ada, "Half an hour")).to_have_count(0)

    @step
    def expires(self, ada: Person) -> None:
        """What expires is hidden, also while the page is open, and counts as unread no more."""
        ada.page.clock.fast_forward(1_800_000)
        expect(self.item(ada, "One hour")).to_have_count(0)
        expect(self.item(ada, "<b>Two</b> hours")).to_be_visible()
        expect(ada.header.get_by_role("link", name="Notifications (1)")).to_be_visible()

    @step
    def mute(self, ada: Person) -> None:
        """Its topic can be muted."""
        mute = ada.main.get_by_role("button", name="Mute this topic: ")
        mute.click()
        expect(ada.main.get_by_text("From the studio: season").last).to_be_visible()
        expect(mute).to_have_count(0)
