"""Mails about bans and about blocks of files: moderation#decisions."""

from __future__ import annotations

from tests.spec.accounts.base import AccountsCase
from tests.spec.data import User
from tests.spec.files.support import FilesCase, picture
from tests.spec.moderation.support import GROUND, DecidingCase, user_of


class DecisionMailTests(AccountsCase, DecidingCase, FilesCase):
    """Mails to those who have confirmed their address."""

    options = ("--files", "local", "--redress", "You can appeal.")

    async def says(self, user: User, count: int) -> None:
        """The mail of this number says why, by what, and what can be done."""
        mail = await self.mail(user.email, count)
        for text in (user.username, GROUND["explanation"], GROUND["reference"], "You can appeal."):
            self.assertIn(text, mail.text)

    async def test_ban(self):
        """A ban is told by mail, once; a repeat and its end are not."""
        user = await self.confirmed()
        count = len(self.mails.mails(user.email))
        id = await self.take("ban", user_of(user), until=4_000_000_000)
        await self.says(user, count + 1)
        body = self.order("ban", user_of(user), until=4_000_000_000) | {"id": id}
        await self.post("moderation/decisions", body, by=await self.admin(), expect=201)
        await self.reverse(id)
        await self.settled()
        self.assertEqual(count + 1, len(self.mails.mails(user.email)))

    async def test_block(self):
        """The block of a file is told to all whose avatar has it, by mail to those alone who have
        confirmed their address."""
        confirmed, other = await self.confirmed(), await self.known()
        file = picture("avatar")
        for user in (confirmed, other):
            await self.upload(user, file)
            self.assertEqual(204, (await self.dress(user, file.path)).status)
        count, others = [len(self.mails.mails(user.email)) for user in (confirmed, other)]
        id = await self.take("block_file", {"kind": "file", "id": file.digest})
        await self.says(confirmed, count + 1)
        await self.settled()
        for user in (confirmed, other):
            (told,) = await self.told(user, "DecisionTaken")
            self.assertEqual((id, "block_file"), (told["decision"], told["action"]))
            (own,) = await self.own(user)
            self.assertEqual((id, None), (own["id"], own["user"]))
        self.assertEqual(others, len(self.mails.mails(other.email)))
        self.assertEqual(count + 1, len(self.mails.mails(confirmed.email)))

    async def settled(self) -> None:
        """A mail that was asked for later has come."""
        await self.confirmed()
