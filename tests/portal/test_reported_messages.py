"""Messages that somebody has named, before a moderator."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.moderation.test_messages import MessageCase, message_of


class MessageTests(WalkCase, MessageCase):
    world = "portal-console"

    async def test_removed(self) -> None:
        """A moderator reads a message that a notice names, and removes it for both sides."""
        user, other, id = await self.written("Words of hate")
        await self.notice(message_of(user, id))
        moderator = await self.member("moderator")

        def journey(ada: Person) -> None:
            ada.log_in(moderator, f"/console/reports/message/{id}?user={user.id}")
            self.reads(ada)
            self.removes(ada)

        await self.walk(journey)
        for one, friend in ((user, other), (other, user)):
            self.assertEqual([""], await self.heard(one, friend))

    @step
    def reads(self, ada: Person) -> None:
        """The evidence has its text, and the sender's record is beside it."""
        expect(ada.main.get_by_text("Words of hate").first).to_be_visible()

    @step
    def removes(self, ada: Person) -> None:
        """With a reason it is removed, once it cannot be taken back any more."""
        ada.fill(Reason="Hate.")
        ada.press("Remove")
        button(ada.main, "Removed").wait_for()
        with ada.answered("POST */moderation/decisions"):
            ada.wait_until_sent()
