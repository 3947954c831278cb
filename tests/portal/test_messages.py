"""Conversations: who speaks, how one writes, who may not, and what goes with a report."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.test_undo import undo
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import User

COMPOSING = """(field) => {
    for (const given of [{ isComposing: true }, { keyCode: 229 }])
        field.dispatchEvent(
            new KeyboardEvent("keydown", { key: "Enter", bubbles: true, ...given }));
}"""
"""Enter, as an input method has it."""


class MessagesTests(WalkCase):
    async def befriend(self, one: User, other: User) -> None:
        """Make them friends."""
        await self.put(f"user/{one.id}/friend/{other.id}", by=one, expect=204)
        await self.put(f"user/{other.id}/friend/{one.id}", by=other, expect=204)

    async def say(self, by: User, to: User, text: str) -> None:
        """Send a message."""
        path = f"user/{by.id}/friend/{to.id}/messages"
        await self.post(path, {"text": text}, by=by, expect=201)

    def log(self, who: Person) -> Locator:
        """The conversation."""
        return who.main.get_by_role("log", name="Conversation", exact=True)

    def item(self, who: Person, text: str) -> Locator:
        """The message with this text."""
        return self.log(who).get_by_role("listitem").filter(has_text=text)

    def texts(self, by: User, other: User) -> list[str]:
        """What the service has of the conversation, the oldest first."""
        found = self.wait(self.get(f"user/{by.id}/friend/{other.id}/messages", by=by, expect=200))
        return [each["text"] for each in reversed(found.json())]

    async def test_conversation(self) -> None:
        """A player reads who said what, and writes by keys."""
        self.ada, self.ben = await self.user(), await self.user()
        await self.befriend(self.ada, self.ben)
        await self.say(self.ben, self.ada, "Tower at nine?")
        await self.say(self.ada, self.ben, "At ten.")

        def journey(ada: Person) -> None:
            ada.log_in(self.ada, f"/messages/{self.ben.id}")
            self.speaks(ada)
            self.composes(ada)
            self.enter(ada)
            self.heard(ada)
            self.refused(ada)

        await self.walk(journey)

    @step
    def speaks(self, ada: Person) -> None:
        """Each message says who speaks; the day is said once."""
        expect(self.item(ada, "Tower at nine?")).to_contain_text(self.ben.username)
        expect(self.item(ada, "At ten.")).to_contain_text("You")
        expect(self.log(ada).get_by_role("heading", name="today", exact=True)).to_have_count(1)

    @step
    def composes(self, ada: Person) -> None:
        """Enter of an input method sends nothing, nor does it where nothing was typed."""
        field = ada.main.get_by_label("Message", exact=True)
        field.press("Enter")
        field.fill("half")
        field.evaluate(COMPOSING)
        ada.page.evaluate("() => new Promise(requestAnimationFrame)")
        expect(field).to_have_value("half")
        self.assertEqual(["Tower at nine?", "At ten."], self.texts(self.ada, self.ben))

    @step
    def enter(self, ada: Person) -> None:
        """Shift and Enter make a line, and Enter sends; the focus stays."""
        field = ada.main.get_by_label("Message", exact=True)
        field.fill("One")
        field.press("Shift+Enter")
        field.press_sequentially("Two")
        with ada.answered("POST */messages"):
            field.press("Enter")
        expect(self.item(ada, "One")).to_contain_text("Two")
        expect(field).to_have_value("")
        expect(field).to_be_focused()
        self.assertEqual("One\nTwo", self.texts(self.ada, self.ben)[-1])

    @step
    def heard(self, ada: Person) -> None:
        """What the other writes comes by itself, into what is read aloud."""
        self.wait(self.say(self.ben, self.ada, "I hear you."))
        expect(self.item(ada, "I hear you.")).to_contain_text(self.ben.username)
        expect(self.log(ada)).to_have_attribute("aria-live", "polite")

    @step
    def refused(self, ada: Person) -> None:
        """What was refused is in the field again, and what was typed meanwhile is below it."""
        field = ada.main.get_by_label("Message", exact=True)
        field.fill("First")
        with ada.held("**/messages") as waiting:
            field.press("Enter")
        expect(field).to_have_value("")
        field.fill("Second")
        ada.refuse(waiting, title="No", status=400, code="invalid_body")
        expect(ada.main.get_by_role("alert")).to_be_visible()
        expect(field).to_have_value("First\nSecond")
        ada.spare("400")

    async def test_unsend(self) -> None:
        """A player takes back what they wrote; the other's goes as it is taken away."""
        self.ada, self.ben = await self.user(), await self.user()
        await self.befriend(self.ada, self.ben)
        await self.say(self.ben, self.ada, "Who is there?")
        await self.say(self.ada, self.ben, "Wrong window.")

        def journey(ada: Person) -> None:
            ada.log_in(self.ada, f"/messages/{self.ben.id}")
            self.put_back(ada)
            self.unsent(ada)
            self.taken_by_other(ada)
            self.previews(ada)

        await self.walk(journey)

    @step
    def put_back(self, ada: Person) -> None:
        """One's own message alone has the button; at once it is not shown, and Undo has it back."""
        expect(button(self.item(ada, "Who is there?"), "Unsend")).to_have_count(0)
        button(self.item(ada, "Wrong window."), "Unsend: Wrong window.").click()
        expect(self.item(ada, "Message removed")).to_contain_text("You")
        expect(self.item(ada, "Wrong window.")).to_have_count(0)
        undo(ada).click()
        expect(self.item(ada, "Wrong window.")).to_be_visible()
        self.assertIn("Wrong window.", self.texts(self.ada, self.ben))

    @step
    def unsent(self, ada: Person) -> None:
        """Once the page is left the service has it, and it says so in its place."""
        button(self.item(ada, "Wrong window."), "Unsend: Wrong window.").click()
        with ada.answered("DELETE */messages/*"):
            ada.page.evaluate("dispatchEvent(new Event('pagehide'))")
        self.assertEqual(["Who is there?", ""], self.texts(self.ada, self.ben))
        expect(self.item(ada, "Message removed")).to_be_visible()

    @step
    def taken_by_other(self, ada: Person) -> None:
        """What the other takes away goes without a reload."""
        path = f"user/{self.ben.id}/friend/{self.ada.id}/messages"
        self.wait(self.post(path, {"text": "Never mind."}, by=self.ben, expect=201))
        expect(self.item(ada, "Never mind.")).to_be_visible()
        found = self.wait(self.get(path, by=self.ben, expect=200))
        self.wait(self.delete(f"{path}/{found.json()[0]['id']}", by=self.ben, expect=204))
        expect(self.item(ada, "Never mind.")).to_have_count(0)
        expect(self.item(ada, "Message removed")).to_have_count(2)

    @step
    def previews(self, ada: Person) -> None:
        """The list of conversations and the notifications say so too."""
        ada.go("/friends")
        expect(ada.main.get_by_text("Message removed")).to_be_visible()
        ada.go("/notifications")
        expect(ada.main.get_by_text("Message removed")).to_be_visible()

    async def test_closed(self) -> None:
        """Who may not write reads why, and what helps."""
        self.ada, self.ben = await self.user(), await self.user()

        def journey(ada: Person) -> None:
            ada.log_in(self.ada, f"/messages/{self.ben.id}")
            self.stranger(ada)
            self.friend(ada)
            self.oneself(ada)

        await self.walk(journey)

    @step
    def stranger(self, ada: Person) -> None:
        """A stranger can be asked for friendship."""
        expect(ada.main.get_by_text("and you can write to each other", exact=False)).to_be_visible()
        expect(ada.main.get_by_label("Message", exact=True)).to_have_count(0)
        ada.press("Ask for friendship")
        expect(ada.main.get_by_text("As soon as they accept", exact=False)).to_be_visible()

    @step
    def friend(self, ada: Person) -> None:
        """As soon as the other accepts, the field is there."""
        self.wait(self.put(f"user/{self.ben.id}/friend/{self.ada.id}", by=self.ben, expect=204))
        expect(ada.main.get_by_label("Message", exact=True)).to_be_visible()

    @step
    def oneself(self, ada: Person) -> None:
        """Nobody writes to oneself."""
        ada.move(f"/messages/{self.ada.id}")
        expect(ada.main.get_by_text("This is you.", exact=False)).to_be_visible()
        expect(ada.main.get_by_label("Message", exact=True)).to_have_count(0)

    async def test_reported(self) -> None:
        """Messages go with a report, also after a block."""
        self.ada, self.ben = await self.user(), await self.user()
        await self.befriend(self.ada, self.ben)
        await self.say(self.ada, self.ben, "Hello?")
        for n in range(21):
            await self.say(self.ben, self.ada, f"Insult {n}.")

        def journey(ada: Person) -> None:
            ada.log_in(self.ada, f"/messages/{self.ben.id}")
            self.chooses(ada)
            self.blocks(ada)
            self.blocked(ada)

        await self.walk(journey)

    def evidence(self) -> set[str]:
        """The messages that moderators read."""
        admin = self.wait(self.admin())
        path = f"moderation/reports/user/{self.ben.id}"
        (report,) = self.wait(self.get(path, by=admin, expect=200)).json()
        return {each["text"] for each in report["evidence"]["messages"]}

    @step
    def chooses(self, ada: Person) -> None:
        """Up to 20 of what the other wrote can be chosen, nothing of one's own."""
        ada.press("Report")
        boxes = ada.dialog.get_by_role("checkbox")
        expect(boxes).to_have_count(21)
        expect(ada.dialog.get_by_text("Hello?")).to_have_count(0)
        for n in range(20):
            boxes.nth(n).check()
        expect(ada.dialog.get_by_text("Chosen: 20.", exact=False)).to_be_visible()
        expect(boxes.nth(20)).to_be_disabled()
        for n in range(2, 20):
            boxes.nth(n).uncheck()
        expect(boxes.nth(20)).to_be_enabled()
        ada.press("Send", ada.dialog)
        expect(ada.main.get_by_text("Thank you.", exact=False)).to_be_visible()
        self.assertEqual({"Insult 20.", "Insult 19."}, self.evidence())

    @step
    def blocks(self, ada: Person) -> None:
        """A block ends the conversation, and the page says so."""
        ada.press("Block")
        ada.press("Block", ada.dialog)
        expect(button(ada.main, "Unblock")).to_be_visible()
        expect(ada.main.get_by_label("Message", exact=True)).to_have_count(0)
        expect(ada.main.get_by_text("Insult 3.")).to_have_count(0)

    @step
    def blocked(self, ada: Person) -> None:
        """Who is blocked can be reported from the player's page, with messages."""
        ada.move(f"/user/{self.ben.id}")
        expect(button(ada.main, "Unblock")).to_be_visible()
        ada.press("Report")
        ada.dialog.get_by_role("checkbox", name="Insult 7.").check()
        ada.press("Send", ada.dialog)
        expect(ada.main.get_by_text("Thank you.", exact=False)).to_be_visible()
        self.assertEqual({"Insult 7."}, self.evidence())
