"""A whole visit by the keyboard alone (docs/portal.md)."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from tests.contract.browser import step
from tests.portal.walk import PASSWORD, Person, WalkCase

FOCUSED = """
() => {
    const one = document.activeElement;
    const style = getComputedStyle(one), box = one.getBoundingClientRect();
    const label = one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent
        ?? document.getElementById(one.getAttribute("aria-labelledby"))?.textContent
        ?? one.textContent;
    const y = box.y + Math.min(box.height / 2, 9);
    const at = document.elementFromPoint(box.x + box.width / 2, y);
    return {
        name: label.trim(),
        tag: one.localName,
        dialog: !!one.closest("dialog"),
        outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
        uncovered: one === at || one.contains(at),
    };
}
"""
MOST = 120
"""Steps by Tab from one end of a page to the other."""


class Typist(Person):
    """Somebody without a mouse."""

    def focused(self) -> dict[str, Any]:
        """What has the focus."""
        return dict(self.page.evaluate(FOCUSED))

    def type(self, *keys: str) -> None:
        """Press keys; what is no key's name is typed."""
        for key in keys:
            if key in {"Tab", "Enter", "Space", "Escape", "ArrowDown", "ArrowRight"}:
                self.page.keyboard.press(key)
            else:
                self.page.keyboard.type(key)

    def reach(self, name: str, *tags: str) -> None:
        """Go on by Tab to what has this name. All on the way is seen to have the focus."""
        for _ in range(MOST):
            self.page.keyboard.press("Tab")
            found = self.focused()
            if found["tag"] == "body":
                continue  # the way leads round through the browser's own
            if not found["outlined"] or not found["uncovered"]:
                raise AssertionError(f"the focus is not seen: {found}")
            if found["name"] == name and (not tags or found["tag"] in tags):
                return
        raise AssertionError(f"{name} is not reached on {self.page.url}")


class KeyboardTests(WalkCase):
    person = Typist

    async def test_visit(self) -> None:
        """From registration over a vote, a comment and a report to the log-out, the focus is
        always somewhere, and seen."""
        author = await self.user()
        content = await self.content(author)
        title = content.sent["name"]

        def journey(who: Typist) -> None:
            self.register(who)
            self.vote(who, title)
            self.report(who)
            self.comment_and_reply(who)
            self.choose_colours(who)
            self.menu(who)
            self.leave(who)

        await self.walk(journey)

    @step
    def register(self, who: Typist) -> None:
        """From the first page to an account."""
        heading = who.main.get_by_role("heading", level=1)
        who.go("/")
        who.reach("Register", "a")
        who.type("Enter")
        expect(heading).to_have_text("Register")
        for field, text in (
            ("Username", who.username),
            ("E-mail", f"{who.username}@example.com"),
            ("Password", PASSWORD),
        ):
            who.reach(field, "input")
            who.type(text)
        who.type("Enter")
        expect(heading).to_have_text("Discover")

    @step
    def vote(self, who: Typist, title: str) -> None:
        """Search content, open it and vote for it."""
        heading = who.main.get_by_role("heading", level=1)
        who.reach("Browse", "a")
        who.type("Enter")
        expect(heading).to_have_text("Browse")
        expect(who.main).to_be_focused()
        who.reach("Search", "input")
        who.type(title, "Enter")
        who.page.wait_for_url("**q=*")
        who.main.get_by_role("link", name=title, exact=True).first.wait_for()
        who.reach(title, "a")
        who.type("Enter")
        expect(heading).to_have_text(title)
        who.reach("Vote up", "button")
        who.type("Space")
        vote = who.main.get_by_role("button", name="Vote up", exact=True)
        expect(vote).to_have_attribute("aria-pressed", "true")
        expect(vote).to_be_focused()

    @step
    def report(self, who: Typist) -> None:
        """Open the dialog, and close it."""
        who.reach("More", "button")
        who.type("Enter")
        who.reach("Report", "button")
        who.type("Enter")
        who.dialog.wait_for()
        self.assertTrue(who.focused()["dialog"])
        for _ in range(8):
            who.type("Tab")
            self.assertTrue(who.focused()["dialog"] or who.focused()["tag"] == "body")
        who.escape()
        expect(who.main.get_by_role("button", name="Report", exact=True)).to_be_focused()

    @step
    def comment_and_reply(self, who: Typist) -> None:
        """Write a comment and an answer."""
        who.reach("Comment", "textarea")
        who.type("Higher")
        who.reach("Comment", "button")
        who.type("Enter")
        comment = who.main.get_by_role("article").filter(has_text="Higher")
        comment.wait_for()
        who.reach("Reply", "button")
        who.type("Enter")
        # The answer's field has the focus.
        expect(who.main.locator("article").get_by_label("Comment", exact=True)).to_be_focused()
        who.type("Still higher")
        who.reach("Send", "button")
        who.type("Enter")
        who.main.get_by_role("article").filter(has_text="Still higher").wait_for()
        # What had the focus is gone with the form.
        who.page.wait_for_function("() => document.activeElement !== document.body")

    @step
    def choose_colours(self, who: Typist) -> None:
        """Choose colours in Settings."""
        who.reach("Settings", "a")
        who.type("Enter")
        expect(who.main.get_by_role("heading", level=1)).to_have_text("Settings")
        who.reach("Theme", "select")
        who.type("ArrowDown")
        expect(who.page.locator("html")).to_have_attribute("data-theme", "light")

    @step
    def menu(self, who: Typist) -> None:
        """At 320 pixels the places are behind `Menu`, which the keyboard opens; arrows move
        between tabs."""
        who.move(f"/user/{who.id}")
        who.page.set_viewport_size({"width": 320, "height": 700})
        tab = who.main.get_by_role("tab", selected=True)
        expect(tab).to_have_text("Content")
        who.reach("Content", "button")
        who.type("ArrowRight")
        expect(tab).to_have_text("Achievements")
        expect(tab).to_be_focused()
        who.reach("Menu", "button")
        who.type("Enter")
        who.reach("Challenges", "a")
        who.type("Enter")
        expect(who.main.get_by_role("heading", level=1)).to_have_text("Challenges")
        expect(who.main).to_be_focused()
        expect(who.header.get_by_role("link", name="Challenges")).to_be_hidden()
        who.page.set_viewport_size({"width": 1280, "height": 900})

    @step
    def leave(self, who: Typist) -> None:
        """Look at the notifications, and log out."""
        with who.read():
            who.reach("Notifications", "a")
            who.type("Enter")
            expect(who.main.get_by_role("heading", level=1)).to_have_text("Notifications")
        who.reach("Log out", "button")
        who.type("Enter")
        who.left()
        who.page.wait_for_function("() => document.activeElement !== document.body")
