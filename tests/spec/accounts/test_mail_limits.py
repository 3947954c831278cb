"""What strangers can have sent to an address, and what it says (extensions §8)."""

from functools import cache

from tests.spec.accounts.mailing import MailCase
from tests.spec.data import User, guid, name
from tests.support.postgres import new_folder

LINK = "evil.com"


@cache
def texts() -> str:
    """A folder with texts that name the user wherever they can."""
    made = new_folder()
    for text in ("confirm", "change", "reset"):
        body = f"Subject: {text} of $username\n\n$username, see $link for $email"
        (made / f"{text}.txt").write_text(body)
    return str(made)


class NameTests(MailCase):
    """With texts of the operator's."""

    own = True

    async def connect(self) -> None:
        self.options = ("--mail-templates", texts()) if self.own else ()
        await super().connect()

    async def linking(self) -> tuple[User, str]:
        """A user with a name that mail programs show as a link, and with a victim's address, who
        has got a mail."""
        username, email = f"{LINK}.{guid()[:8]}", f"{guid()}@example.com"
        sent = {"username": username, "email": email, "password": guid()}
        await self.post("user", sent, expect=201)
        return await self.logged_in(**sent), email

    async def test_unconfirmed(self):
        """§8: no mail to an address that nobody has confirmed as the account's holds its name."""
        user, email = await self.linking()
        mails = [await self.server.arrived(email)]
        mails.append(await self.asked_reset(email, 2))
        other = f"{guid()}@example.com"
        await self.put(
            f"user/{user.id}/email",
            {"email": other, "password": user.password},
            by=user,
            expect=204,
        )
        mails.append(await self.server.arrived(other))
        for mail in mails:
            self.assertNotIn(LINK, str(mail.message))

    async def test_confirmed(self):
        """§8: once it is confirmed, a mail to set a password names the account. One to a new
        address does not."""
        user, email = await self.linking()
        mail = await self.server.arrived(email)
        await self.put("user/email/verification", {"token": mail.token}, expect=204)
        self.assertIn(user.username, (await self.asked_reset(email, 2)).text)
        other = f"{guid()}@example.com"
        await self.put(
            f"user/{user.id}/email",
            {"email": other, "password": user.password},
            by=user,
            expect=204,
        )
        self.assertNotIn(LINK, str((await self.server.arrived(other)).message))


class OurNameTests(NameTests):
    """With our own texts."""

    own = False

    async def test_many(self):
        """§8: registrations and requests of many accounts send a mailbox five mails in an hour.
        Accounts are made all the same; the other requests are 429 with Retry-After."""
        local = guid()
        addresses = [f"{local}+{n}@example.com" for n in range(8)]
        users = []
        for address in addresses:
            sent = {"username": name(), "email": address, "password": guid()}
            await self.post("user", sent, expect=201)
            users.append(await self.logged_in(**sent))
        for user in users:
            for answer in (
                await self.post(f"user/{user.id}/email/verification", by=user),
                await self.put(
                    f"user/{user.id}/email",
                    {"email": f"{local}@example.com", "password": user.password},
                    by=user,
                ),
            ):
                self.problem(answer, 429, "too_many_requests")
                self.assertTrue(0 < int(answer.header("Retry-After")) <= 3600)
        # Later than all others.
        await self.newcomer()
        sent = [mail for to in addresses for mail in self.server.mails(to)]
        self.assertEqual((5, []), (len(sent), self.server.mails(f"{local}@example.com")))
