"""Each role and exact name of the portal is where a visitor needs it, once (portal §4)."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.spec.challenges.support import ChallengeCase
from tests.spec.portal.visitor import VisitCase, Visitor

STRANGER = ("Browse", "Challenges", "Settings", "Log in", "Register")
PLAYER = ("Browse", "Challenges", "Publish", "Friends", "Settings")
NARROW = {"width": 320, "height": 700}
REVISION = ("Version", "Change notes", "File", "Further files")
CONTENT = ("Name", "Description", "Type", "Tags", "Screenshots")
PERSONAL = ("Profile", "Current password", "New password", "E-mail", "Password")


class NamesTests(VisitCase, ChallengeCase):
    async def test_header(self) -> None:
        """The header has its links and `Log out` once; narrow, they are behind `Menu`."""
        user = await self.user()
        await self.notify(user)

        def steps(who: Visitor) -> None:
            found: list[str] = []
            who.go("/")
            found += who.miscounted(who.header, "link", *STRANGER)
            who.arrive(user)
            expect(who.page).to_have_title("(1) Discover")
            found += who.miscounted(who.header, "link", *PLAYER, "Notifications (1)")
            found += who.miscounted(who.header, "button", "Log out")
            who.page.set_viewport_size(NARROW)  # type: ignore[arg-type]
            expect(who.header.get_by_role("button", name="Log out", exact=True)).to_be_hidden()
            who.press("Menu", who.header)
            found += who.miscounted(who.header, "link", *PLAYER, "Notifications (1)")
            who.press("Log out", who.header)
            found += who.miscounted(who.header, "link", *STRANGER)
            self.assertEqual([], found)

        await self.walk(steps)

    async def test_strangers(self) -> None:
        """Where nobody need be logged in, each place has its heading, fields and buttons."""

        def steps(who: Visitor) -> None:
            found: list[str] = []
            for path, title in (
                ("/", "Discover"),
                ("/browse", "Browse"),
                ("/challenges", "Challenges"),
                ("/settings", "Settings"),
                ("/account", "Account"),
                ("/log-in", "Log in"),
                ("/register", "Register"),
            ):
                who.go(path)
                found += who.miscounted(who.main, "heading", title)
                self.assertEqual(1, who.main.get_by_role("heading", level=1).count(), path)
                if path == "/browse":
                    found += who.miscounted(who.main, "searchbox", "Search")
                    found += who.miscounted(who.main, "field", "Type", "Tags")
                elif path == "/settings":
                    found += who.miscounted(who.main, "field", "Language", "Theme")
                elif path in {"/log-in", "/register"}:
                    found += who.miscounted(who.main, "field", "Username", "Password")
                    found += who.miscounted(who.main, "button", title)
                if path in {"/account", "/register"}:
                    found += who.miscounted(who.main, "field", "E-mail")
            self.assertEqual([], found)

        await self.walk(steps)

    async def test_player(self) -> None:
        """A player's own places have their fields and buttons."""
        user, asking = await self.user(), await self.user()
        await self.put(f"user/{asking.id}/friend/{user.id}", by=asking, expect=204)

        def steps(who: Visitor) -> None:
            found: list[str] = []
            who.arrive(user)
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
                who.go(path)
                self.assertEqual(title, who.main.get_by_role("heading", level=1).inner_text())
                found += who.miscounted(who.main, "field", *fields)
                found += who.miscounted(who.main, "button", *buttons)
            who.press("Delete account")
            found += who.miscounted(who.dialog, "field", "Password")
            self.assertEqual([], found)

        await self.walk(steps)

    async def test_content(self) -> None:
        """The content of another has votes, comments and reports, and so has each comment."""
        ada, ben = await self.user(), await self.user()
        content = await self.content(ada)
        await self.comment(content, ada, "Mine")

        def steps(who: Visitor) -> None:
            found: list[str] = []
            who.arrive(ben, f"/content/{content.id}")
            found += who.miscounted(who.main, "heading", content.sent["name"])
            found += who.miscounted(who.main, "field", "Comment")
            buttons = ("Vote up", "Vote down", "Report", "Comment")
            found += who.miscounted(who.main, "button", *buttons)
            comment = who.main.get_by_role("article").filter(has_text="Mine")
            found += who.miscounted(comment, "button", "Reply", "Report")
            who.press("Reply", comment)
            found += who.miscounted(comment, "field", "Comment")
            found += who.miscounted(comment, "button", "Send")
            who.press("Report", comment)
            found += who.miscounted(who.dialog, "field", "Reason", "Text")
            found += who.miscounted(who.dialog, "button", "Send")
            self.assertEqual([], found)

        await self.walk(steps)

    async def test_own_content(self) -> None:
        """An author edits, withdraws and restores, and edits a comment."""
        ada = await self.user()
        content = await self.content(ada)
        await self.comment(content, ada, "Mine")

        def steps(who: Visitor) -> None:
            found: list[str] = []
            who.arrive(ada, f"/content/{content.id}")
            found += who.miscounted(who.main, "button", "Edit", "Withdraw")
            who.main.get_by_role("button", name="Edit", exact=True).first.click()
            found += who.miscounted(who.main, "field", "Description", "Tags")
            found += who.miscounted(who.main, "button", "Save")
            who.press("Save")
            comment = who.main.get_by_role("article").first
            found += who.miscounted(comment, "button", "Edit")
            who.press("Edit", comment)
            found += who.miscounted(comment, "field", "Comment")
            found += who.miscounted(comment, "button", "Save")
            who.press("Withdraw")
            found += who.miscounted(who.main, "button", "Restore")
            who.go(f"/publish/{content.id}")
            found += who.miscounted(who.main, "field", *REVISION)
            found += who.miscounted(who.main, "button", "Publish")
            self.assertEqual([], found)

        await self.walk(steps)

    async def test_user(self) -> None:
        """What one does about another player, and a conversation with a friend."""
        ada, ben = await self.user(), await self.user()
        await self.put(f"user/{ben.id}/friend/{ada.id}", by=ben, expect=204)

        def steps(who: Visitor) -> None:
            found: list[str] = []
            who.arrive(ada, f"/user/{ben.id}")
            buttons = ("Follow", "Block", "Report", "Accept", "Decline")
            found += who.miscounted(who.main, "heading", ben.username)
            found += who.miscounted(who.main, "button", *buttons)
            who.press("Follow")
            found += who.miscounted(who.main, "button", "Unfollow")
            who.press("Decline")
            found += who.miscounted(who.main, "button", "Ask for friendship")
            who.go(f"/messages/{ben.id}")
            found += who.miscounted(who.main, "heading", ben.username)
            found += who.miscounted(who.main, "field", "Message")
            found += who.miscounted(who.main, "button", "Send")
            self.assertEqual([], found)

        await self.walk(steps)

    async def test_challenge(self) -> None:
        """A challenge is entered and left."""
        ada = await self.user()
        await self.content(ada)
        made = await self.challenge()

        def steps(who: Visitor) -> None:
            found: list[str] = []
            who.arrive(ada, f"/challenges/{made.id}")
            found += who.miscounted(who.main, "button", "Enter")
            who.press("Enter")
            found += who.miscounted(who.main, "button", "Leave")
            self.assertEqual([], found)

        await self.walk(steps)

    async def test_console(self) -> None:
        """A subject of the queue has what ends it."""
        ada, admin = await self.user(), await self.admin()
        content = await self.content(await self.user())
        await self.post(f"{content.path}/report", {"reason": "spam"}, by=ada, expect=204)

        def steps(who: Visitor) -> None:
            found: list[str] = []
            who.arrive(admin, f"/console/reports/content/{content.id}")
            found += who.miscounted(who.main, "button", "Suspend", "Dismiss", "Uphold")
            found += who.miscounted(who.main, "heading", "Console")
            found += who.miscounted(who.main, "field", "Reason")
            self.assertEqual(1, who.main.get_by_role("article").filter(has_text="Spam").count())
            who.press("Suspend")
            found += who.miscounted(who.main, "button", "Restore")
            who.go("/console/reports")
            who.main.get_by_role("article").filter(has_text="Spam").first.wait_for()
            self.assertEqual([], found)

        await self.walk(steps)
