"""An account that the operator deletes, with the `contentsvc` command: who gets its address."""

from tests.spec.accounts.mailing import MailCase
from tests.spec.data import User, guid, name


class DeletedTests(MailCase):
    async def delete(self, user: User, *more: str) -> None:
        """Have the operator delete the account."""
        assert self.daemon is not None
        await self.daemon.command("user", "delete", user.username, "--yes", *more)

    async def test_kept(self):
        """extensions §8: nobody else gets the address: by registering, by asking for it, or by
        confirming what was asked for before; whatever the case. The session of the deleted user
        ends."""
        user, other = await self.confirmed(), await self.confirmed()
        await self.delete(user)
        for email in (user.email, user.email.upper()):
            sent = {"username": name(), "email": email, "password": guid()}
            self.problem(await self.post("user", sent), 409, "email_taken")
            body = {"email": email, "password": other.password}
            answer = await self.put(f"user/{other.id}/email", body, by=other)
            self.problem(answer, 409, "email_taken")
        # Its own address is free for nobody, and the other's is still its own.
        self.assertTrue(await self.verified(other))

    async def test_confirmed_later(self):
        """extensions §8: a link to an address that was asked for before does not get it either."""
        user, other = await self.confirmed(), await self.confirmed()
        # Unconfirmed for a while, somebody else may ask for it.
        wanted = f"{guid()}@example.com"
        body = {"email": wanted, "password": other.password}
        await self.put(f"user/{other.id}/email", body, by=other, expect=204)
        mail = await self.server.arrived(wanted)
        third, _ = await self.newcomer(wanted)
        await self.delete(third)
        answer = await self.put("user/email/verification", {"token": mail.token})
        self.problem(answer, 409, "email_taken")
        self.assertTrue(await self.verified(user))

    async def test_freed(self):
        """With --free-address it is free at once."""
        user = await self.confirmed()
        await self.delete(user, "--free-address")
        again, _ = await self.newcomer(user.email)
        self.assertFalse(await self.verified(again))
