"""Mails of bans, and of answers to appeals: moderation#appeals."""

from __future__ import annotations

from typing import Any

from tests.spec.accounts.base import AccountsCase
from tests.spec.data import User
from tests.spec.shapes import USER_DECISION


class AppealMailTests(AccountsCase):
    """What who is banned, and who has sent a notice, is told."""

    options = ("--redress", "You can appeal.", "--notices-per-address", "0")

    async def banned(self) -> User:
        """A user who is banned, and has had two mails: after the registration, and of the ban."""
        user = await self.confirmed()
        body = {"reason": "cheating"}
        await self.put(f"user/{user.id}/ban", body, by=await self.admin(), expect=204)
        return user

    async def answer(self, decision: str | None, outcome: str, **members: Any) -> None:
        """Answer the appeal against a decision, or one with these members."""
        by, members = await self.member("moderator"), {"decision": decision, **members}
        listed = await self.get("moderation/appeals?state=open&limit=200", by=by, expect=200)
        (found,) = [
            one for one in listed.json() if members == {name: one[name] for name in members}
        ]
        body = {"outcome": outcome, "reason": "We looked again"}
        for _ in range(2):
            await self.put(f"moderation/appeals/{found['id']}", body, by=by, expect=204)

    async def test_banned(self):
        """The mail of a ban has the token that appeals; the answer comes by mail, once."""
        for outcome, word in (("confirmed", "stays"), ("reversed", "reversed")):
            user = await self.banned()
            mail = await self.mail(user.email, 2)
            token = mail.token
            listed = await self.get(f"user/{user.id}/decisions", by=await self.admin())
            (ban,) = listed.json()
            path = f"user/{user.id}/decisions/{ban['id']}"
            await self.read(path, USER_DECISION, by=token)
            await self.post(f"{path}/appeal", {"text": "No"}, by=token, expect=201)
            await self.answer(ban["id"], outcome)
            mail = await self.mail(user.email, 3)
            self.assertIn(word, str(mail.message["Subject"]))
            self.assertIn("We looked again", mail.text)
            self.assertIn("You can appeal.", mail.text)
            self.assertEqual(3, len(self.beside.mails.mails(user.email)))

    async def test_notice(self):
        """Who has sent a notice hears of the answer by mail, without a word of what was sent."""
        address, made = self.fresh(), await self.castle()
        body = {
            "subjects": [{"kind": "content", "id": made.id}],
            "reason": "illegal",
            "explanation": "buy at evil.example",
            "name": "Evil Name",
            "email": address,
            "goodFaith": True,
        }
        sent = (await self.post("notices", body, expect=201)).json()
        path = f"notices/{sent['id']}/appeal"
        for count, outcome in ((3, "reversed"), (5, "confirmed")):
            await self.judge("content", made.id, "dismissed")
            await self.mail(address, count - 1)
            text = {"text": "buy at evil.example again"}
            await self.post(path, text, by=sent["token"], expect=201)
            await self.answer(None, outcome, notice=sent["id"])
            mail = await self.mail(address, count)
            self.assertIn("We looked again", mail.text)
            self.assertIn(sent["token"], mail.text)
            for word in ("evil", "Evil", made.sent["name"]):
                self.assertNotIn(word, mail.text)
        self.assertEqual(5, len(self.beside.mails.mails(address)))
