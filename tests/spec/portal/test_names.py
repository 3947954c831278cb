"""Each role and exact name of the portal is where a visitor needs it, once (docs/portal.md)."""

from __future__ import annotations

import contextlib

from playwright.sync_api import Locator, TimeoutError, expect

from tests.contract.browser import step
from tests.portal.walk import SITE, Person, WalkCase, button
from tests.spec.challenges.support import ChallengeCase
from tests.spec.data import Content, User

STRANGER = ("Browse", "Challenges", "Settings", "Log in", "Register")
PLAYER = ("Browse", "Challenges", "Publish", "Friends", "Settings")
NARROW, WIDE = {"width": 320, "height": 700}, {"width": 1280, "height": 900}
REVISION = ("Version", "Change notes", "File", "Further files")
CONTENT = ("Name", "Description", "Type", "Tags", "Screenshots")
PERSONAL = ("Profile", "Current password", "New password")
_INSIDE = """
(found, scope) => found.filter((one) => one.closest("article, dialog, main, header.top") === scope)
    .filter((one) => one.checkVisibility()).length
"""


class Visitor(Person):
    """A person who looks at one part of the page: its header, main, an open dialog, an article."""

    def find(self, scope: Locator, role: str, name: str) -> Locator:
        """What has this role and name in `scope`; `field` is any role that has a label."""
        if role == "field":
            return scope.get_by_label(name, exact=True)
        return scope.get_by_role(role, name=name, exact=True)  # type: ignore[arg-type]

    def count(self, scope: Locator, role: str, name: str) -> int:
        """How many there are in `scope`, without those of an inner article or dialog."""
        found = self.find(scope, role, name)
        return int(found.evaluate_all(_INSIDE, scope.element_handle()))

    def once(self, scope: Locator, role: str, *names: str) -> None:
        """Assert that each of these names is there exactly once, when the first of each has
        come."""
        for name in names:
            # What does not come is counted as 0.
            with contextlib.suppress(TimeoutError):
                self.find(scope, role, name).first.wait_for()
            count = self.count(scope, role, name)
            assert count == 1, f"{self.page.url}: {count} of {role} {name}"


class NamesTests(WalkCase, ChallengeCase):
    person = Visitor

    async def test_player(self) -> None:
        """A stranger looks at all places, logs in, and looks at those of a player."""
        user, asking = await self.user(), await self.user()
        await self.notify(user)
        await self.content(user)
        made = await self.challenge()

        def journey(who: Visitor) -> None:
            who.go("/")
            self.header_of_nobody(who)
            self.places(who)
            who.log_in(user)
            self.header(who)
            self.narrow(who)
            self.entered(who, f"/challenges/{made.id}")
            self.wait(self.put(f"user/{asking.id}/friend/{user.id}", by=asking, expect=204))
            self.own(who)
            self.another(who, asking)
            self.left(who)

        await self.walk(journey)

    @step
    def header_of_nobody(self, who: Visitor) -> None:
        """The header has a stranger's links once."""
        who.once(who.header, "link", *STRANGER)

    @step
    def places(self, who: Visitor) -> None:
        """Where nobody need be logged in, each place has its heading, fields and buttons."""
        for path, title, fields in (
            ("/", "Discover", ()),
            ("/browse", "Browse", ("Type", "Tags")),
            ("/challenges", "Challenges", ()),
            ("/settings", "Settings", ("Language", "Theme")),
            ("/account", "Account", ()),
            ("/log-in", "Log in", ("Username", "Password")),
            ("/register", "Register", ("Username", "Password", "E-mail")),
        ):
            with self.step(path):
                who.move(path)
                who.once(who.main, "heading", title)
                self.assertEqual(1, who.main.get_by_role("heading", level=1).count(), path)
                who.once(who.main, "field", *fields)
                if path == "/browse":
                    who.once(who.main, "searchbox", "Search")
                elif path in {"/log-in", "/register"}:
                    who.once(who.main, "button", title)

    @step
    def header(self, who: Visitor) -> None:
        """The header has a player's links and `Log out` once, the title what is unread."""
        expect(who.page).to_have_title(f"(1) Discover {SITE}")
        who.once(who.header, "link", *PLAYER, "Notifications (1)")
        who.once(who.header, "button", "Log out")

    @step
    def entered(self, who: Visitor, path: str) -> None:
        """A challenge is entered and left."""
        who.move(path)
        who.once(who.main, "button", "Enter")
        who.press("Enter")
        who.once(who.main, "button", "Leave")

    @step
    def own(self, who: Visitor) -> None:
        """A player's own places have their fields and buttons."""
        for path, title, fields, buttons in (
            ("/notifications", "Notifications", (), ("Mark all as read",)),
            ("/friends", "Friends", (), ("Accept", "Decline")),
            ("/publish", "Publish", (*REVISION, *CONTENT), ("Publish",)),
            (
                *("/settings", "Settings"),
                (*PERSONAL, "Language", "Theme"),
                ("Save", "Export", "Delete account"),
            ),
        ):
            with self.step(path):
                who.move(path)
                self.assertEqual(title, who.main.get_by_role("heading", level=1).inner_text())
                who.once(who.main, "field", *fields)
                who.once(who.main, "button", *buttons)
        who.press("Delete account")
        who.once(who.dialog, "field", "Password")
        who.escape()

    @step
    def another(self, who: Visitor, other: User) -> None:
        """What one does about another player, and why there is no conversation yet."""
        who.move(f"/user/{other.id}")
        who.once(who.main, "heading", other.username)
        who.once(who.main, "button", "Follow", "Block", "Report", "Accept", "Decline")
        who.press("Follow")
        who.once(who.main, "button", "Unfollow")
        who.press("Decline")
        who.once(who.main, "button", "Ask for friendship")
        who.move(f"/messages/{other.id}")
        who.once(who.main, "heading", other.username)
        who.once(who.main, "button", "Ask for friendship")
        self.assertEqual(0, who.count(who.main, "field", "Message"))

    @step
    def narrow(self, who: Visitor) -> None:
        """Narrow, the links of the header are behind `Menu`, which says what is unread and which
        Escape closes."""
        who.page.set_viewport_size(NARROW)  # type: ignore[arg-type]
        expect(button(who.header, "Log out")).to_be_hidden()
        menu = button(who.header, "Menu")
        expect(menu).to_have_accessible_description("Notifications (1)")
        menu.click()
        who.once(who.header, "link", *PLAYER, "Notifications (1)")
        who.page.keyboard.press("Escape")
        expect(menu).to_have_attribute("aria-expanded", "false")
        expect(menu).to_be_focused()
        who.page.set_viewport_size(WIDE)  # type: ignore[arg-type]

    @step
    def left(self, who: Visitor) -> None:
        """After a log-out a narrow header has a stranger's links."""
        with who.read():
            who.move("/settings")
        who.page.set_viewport_size(NARROW)  # type: ignore[arg-type]
        who.press("Menu", who.header)
        who.press("Log out", who.header)
        who.once(who.header, "link", *STRANGER)

    async def test_content(self) -> None:
        """An author and a player look at content and at its comments."""
        author, player = await self.user(), await self.user()
        content = await self.content(author)
        await self.comment(content, author, "Mine")

        def journey(ada: Visitor, ben: Visitor) -> None:
            ben.log_in(player, f"/content/{content.id}")
            self.others(ben, content)
            # The page of content would ask for new comments of what is withdrawn: 404.
            ben.go("/challenges")
            ada.log_in(author, f"/content/{content.id}")
            self.edited(ada)
            self.withdrawn(ada)
            self.revised(ada, content)

        await self.walk(journey, 2)

    @step
    def others(self, ben: Visitor, content: Content) -> None:
        """The content of another has votes, comments and reports, and so has each comment."""
        ben.once(ben.main, "heading", content.sent["name"])
        ben.once(ben.main, "field", "Comment")
        ben.open("More")
        ben.once(ben.main, "button", "Vote up", "Vote down", "Report", "Comment")
        comment = ben.main.get_by_role("article").filter(has_text="Mine")
        ben.once(comment, "button", "Reply", "Report")
        ben.press("Reply", comment)
        ben.once(comment, "field", "Comment")
        ben.once(comment, "button", "Send")
        ben.press("Report", comment)
        ben.once(ben.dialog, "field", "Reason", "Text")
        ben.once(ben.dialog, "button", "Send")

    @step
    def edited(self, ada: Visitor) -> None:
        """An author edits content, and a comment."""
        ada.open("Manage")
        ada.once(ada.main, "button", "Edit", "Withdraw")
        button(ada.main, "Edit").first.click()
        ada.once(ada.main, "field", "Description", "Tags")
        ada.once(ada.main, "button", "Save")
        ada.press("Save")
        comment = ada.main.get_by_role("article").first
        ada.once(comment, "button", "Edit")
        ada.press("Edit", comment)
        ada.once(comment, "field", "Comment")
        ada.once(comment, "button", "Save")

    @step
    def withdrawn(self, ada: Visitor) -> None:
        """An author withdraws and restores."""
        ada.press("Withdraw")
        ada.once(ada.main, "button", "Restore")

    @step
    def revised(self, ada: Visitor, content: Content) -> None:
        """An author publishes a revision."""
        ada.move(f"/publish/{content.id}")
        ada.once(ada.main, "field", *REVISION)
        ada.once(ada.main, "button", "Publish")

    async def test_console(self) -> None:
        """A subject of the queue has what ends it."""
        ada, admin = await self.user(), await self.admin()
        content = await self.content(await self.user())
        await self.post(f"{content.path}/report", {"reason": "spam"}, by=ada, expect=204)

        def journey(who: Visitor) -> None:
            who.log_in(admin, f"/console/reports/content/{content.id}")
            with self.step("A reported content can be suspended, its report dismissed or upheld"):
                who.once(who.main, "button", "Suspend", "Dismiss", "Uphold")
                who.once(who.main, "heading", "Console")
                who.once(who.main, "field", "Reason")
                spam = who.main.get_by_role("article").filter(has_text="Spam")
                self.assertEqual(1, spam.count())
            with self.step("What is suspended can be restored"):
                who.press("Suspend")
                who.once(who.main, "button", "Restore")
            with self.step("The queue has it"):
                who.move("/console/reports")
                who.main.get_by_role("article").filter(has_text="Spam").first.wait_for()

        await self.walk(journey)
