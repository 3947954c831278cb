"""Admins tell players something in the console, and players' pages show it."""

from __future__ import annotations

from time import time
from typing import Any

from playwright.sync_api import Locator, expect

from tests.portal.walk import Person, WalkCase
from tests.spec.data import User, guid, name


def entry(who: Person, topic: str) -> Locator:
    """The entry in the list of the console."""
    rows = who.main.get_by_role("list", name="Notifications to players", exact=True)
    return rows.get_by_role("listitem").filter(has_text=topic)


def write(who: Person, **fields: str) -> Locator:
    """Open the dialog, and fill it."""
    who.go("/console/notifications")
    who.press("Notify players")
    dialog = who.page.get_by_role("dialog")
    who.fill(dialog, **fields)
    return dialog


class StudioNotificationsTests(WalkCase):
    world = "portal-console"

    async def tell(self, to: User, **changes: Any) -> None:
        """Notify one user as a service."""
        _, token = await self.service("notify")
        body = {"id": guid(), "topic": "news", "data": {}, "to": [to.id]} | changes
        await self.post("notifications", body, by=token, expect=202)

    async def test_live(self) -> None:
        """Players who are named get it without a reload: the unread number, then title and text;
        the console says how many were told, and who was not."""
        admin, topic = await self.admin(), name("topic").lower()
        muted = await self.user()
        settings = f"user/{muted.id}/notifications/settings"
        await self.put(settings, {"muted": [f"Studio:{topic}"]}, by=muted, expect=204)

        def steps(ada: Person, ben: Person) -> None:
            ben.register()
            ben.go("/settings")
            ada.log_in(admin.username, admin.password)
            dialog = write(ada, Title="Season two", Text="It begins.\nTonight.", Topic=topic)
            ada.fill(dialog, Players=f"{ben.username.upper()}, {muted.id}")
            ada.press("Send", dialog)
            expect(entry(ada, topic).get_by_text("done", exact=True)).to_be_visible()
            expect(entry(ada, topic).get_by_text("1 player told", exact=True)).to_be_visible()
            expect(entry(ada, topic).get_by_text("1 muted it", exact=True)).to_be_visible()
            expect(entry(ada, topic).get_by_role("link", name=admin.username)).to_be_visible()
            bell = ben.header.get_by_role("link", name="Notifications (1)", exact=True)
            bell.click()
            item = ben.main.get_by_role("listitem").filter(has_text="Season two")
            expect(item).to_contain_text("It begins.")
            expect(item.get_by_text(topic, exact=True)).to_be_visible()

        await self.walk(steps, 2)

    async def test_refused(self) -> None:
        """What cannot be sent is said beside its field, and what was typed stays, over a reload
        too."""
        admin, nobody = await self.admin(), name("nobody")

        def steps(ada: Person) -> None:
            ada.log_in(admin.username, admin.password)
            dialog = write(ada, Topic="Not This")
            ada.press("Send", dialog)
            for label in ("Players", "Title", "Topic"):
                field = dialog.get_by_label(label, exact=True)
                expect(field).to_have_attribute("aria-invalid", "true")
            expect(dialog.get_by_label("Players", exact=True)).to_be_focused()
            ada.fill(dialog, Players=nobody, Title="Hello", Topic="news")
            ada.press("Send", dialog)
            said = dialog.get_by_text(f"Nobody is called: {nobody}", exact=True)
            expect(said).to_be_visible()
            ada.fill(dialog, Players=guid())
            ada.press("Send", dialog)
            said = dialog.get_by_text("Some of these players do not exist.", exact=True)
            expect(said).to_be_visible()
            ada.page.reload()
            ada.press("Notify players")
            expect(dialog.get_by_label("Title", exact=True)).to_have_value("Hello")
            # The refusal is a 422, which the console has.
            ada.said = [line for line in ada.said if "422" not in line]

        await self.walk(steps)

    async def test_audiences(self) -> None:
        """Followers of a player, by the name, and everybody are told; who has entered a challenge
        is chosen by its name."""
        admin, author, fan = await self.admin(), await self.user(), await self.user()
        await self.put(f"user/{fan.id}/following/{author.id}", by=fan, expect=204)
        topic = name("topic").lower()

        def steps(ada: Person) -> None:
            ada.log_in(admin.username, admin.password)
            dialog = write(ada, Title="Hello", Topic=topic)
            audience = dialog.get_by_label("To whom", exact=True)
            audience.select_option(label="Who has entered a challenge")
            ada.press("Send", dialog)
            field = dialog.get_by_label("Challenge", exact=True)
            expect(field).to_have_attribute("aria-invalid", "true")
            audience.select_option(label="Followers of a player")
            ada.fill(dialog, Followers_of=author.username)
            ada.press("Send", dialog)
            expect(entry(ada, topic).get_by_text("1 player told", exact=True)).to_be_visible()
            dialog = write(ada, Title="Hello all", Topic=f"{topic}-all")
            audience.select_option(label="Everybody")
            expect(dialog.get_by_text("Every player gets this.", exact=False)).to_be_visible()
            ada.press("Send", dialog)
            told = entry(ada, f"{topic}-all").get_by_text("done", exact=True)
            expect(told).to_be_visible()

        await self.walk(steps)
        found = await self.notifications(fan)
        self.assertEqual(["Hello", "Hello all"], [each["data"]["title"] for each in found])

    async def test_expires(self) -> None:
        """What has expired is hidden, also while the page is open, and counts as unread no more."""
        user, far = await self.user(), int(time()) + 3600
        await self.tell(user, data={"title": "Two hours left"}, expires=far + 3600)
        await self.tell(user, data={"title": "One hour left"}, expires=far)

        def steps(ada: Person) -> None:
            ada.page.clock.install()
            ada.log_in(user.username, user.password)
            expect(ada.header.get_by_role("link", name="Notifications (2)")).to_be_visible()
            ada.go("/notifications")
            hidden = ada.main.get_by_role("listitem").filter(has_text="One hour left")
            shown = ada.main.get_by_role("listitem").filter(has_text="Two hours left")
            expect(hidden).to_be_visible()
            ada.page.clock.fast_forward(3_700_000)
            expect(hidden).to_have_count(0)
            expect(shown).to_be_visible()
            expect(ada.header.get_by_role("link", name="Notifications (1)")).to_be_visible()

        await self.walk(steps)
