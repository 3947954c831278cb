"""Mails to who has sent a notice: notices#notices."""

from __future__ import annotations

from typing import Any

from tests.spec.accounts.base import AccountsCase


class NoticeMailTests(AccountsCase):
    """A receipt, and what was decided."""

    options = ("--redress", "You can appeal.", "--notices-per-address", "0")

    async def notice(self, content: str, email: str) -> dict[str, Any]:
        """A new notice of a content."""
        body = {
            "subjects": [{"kind": "content", "id": content}],
            "reason": "illegal",
            "explanation": "buy at evil.example",
            "name": "Evil Name",
            "email": email,
            "goodFaith": True,
        }
        return dict((await self.post("notices", body, expect=201)).json())

    async def test_mails(self):
        """One comes with the notice and one with the decision. Both have the link with its token
        and the redress, and no word of what was sent."""
        address, made = self.fresh(), await self.castle()
        sent = await self.notice(made.id, address)
        receipt = await self.mail(address)
        await self.judge("content", made.id, "dismissed")
        outcome = await self.mail(address, 2)
        self.assertNotEqual(receipt.message["Subject"], outcome.message["Subject"])
        for mail in (receipt, outcome):
            self.assertIn(sent["token"], mail.text)
            self.assertIn(sent["id"], mail.text)
            self.assertIn("You can appeal.", mail.text)
            for word in ("evil", "Evil", made.sent["name"]):
                self.assertNotIn(word, mail.text)

    async def test_five(self):
        """An address gets five a day; the notices are filed all the same."""
        address, other, made = self.fresh(), self.fresh(), await self.castle()
        for _ in range(6):
            await self.notice(made.id, address)
        await self.notice(made.id, other)
        await self.mail(other)
        await self.mail(address, 5)
        self.assertEqual(5, len(self.beside.mails.mails(address)))
        self.assertEqual(7, len(await self.reports("content", made.id)))
