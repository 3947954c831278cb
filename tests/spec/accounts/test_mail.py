"""What mails say, and what strangers can have sent to an address: accounts#mail."""

from functools import cache

from tests.spec.accounts.base import SENDER, AccountsCase, link_with
from tests.spec.data import User, guid
from tests.spec.shapes import SERVICE
from tests.support.mailserver import Mail
from tests.support.postgres import new_folder

SHOWN_AS_LINK = "evil.com"


@cache
def texts() -> str:
    """A folder with texts that name the user wherever they can."""
    made = new_folder()
    for text in ("confirm", "change", "reset"):
        body = f"Subject: {text} of $username\n\n$username, see $link for $email"
        (made / f"{text}.txt").write_text(body)
    return str(made)


class MessageTests(AccountsCase):
    """The form of a mail."""

    async def test_service(self):
        """conventions#the-service: a service that sends mails says so."""
        self.assertEqual({"mail": True}, await self.read("service", SERVICE))

    async def test_form(self):
        """A mail says who it is from and to, is made by a machine, and its link is the URL of the
        setting with the token. It names no user, and has no password."""
        user, address = await self.user(), self.fresh()
        await self.change(user, address, expect=204)
        await self.mail(user.email)
        await self.ask_reset(user.email)
        for to, count in ((user.email, 1), (user.email, 2), (address, 1)):
            mail = await self.mail(to, count)
            message = mail.message
            self.assertEqual((SENDER, [to]), (mail.sender, mail.recipients))
            self.assertEqual(f"The Studio <{SENDER}>", message["From"])
            self.assertEqual(to, message["To"])
            self.assertTrue(message["Subject"])
            self.assertEqual("auto-generated", message["Auto-Submitted"])
            self.assertRegex(message["Message-ID"], r"^<[0-9a-f-]{36}@studio\.example>$")
            self.assertIsNotNone(message["Date"].datetime)
            self.assertEqual("text/plain", message.get_content_type())
            lines = [line for line in mail.text.splitlines() if line.startswith("https:")]
            self.assertEqual([link_with(mail.token)], lines)
            self.assertNotIn(user.username, mail.text)
            self.assertNotIn(user.password, mail.text)


@cache
def brand() -> str:
    """The file of a brand."""
    made = new_folder() / "brand.toml"
    made.write_text('name = "Skyforge"')
    return str(made)


class BrandTests(AccountsCase):
    """Mails of a service with a brand, whose sender has no name."""

    options = ("--brand", brand(), "--mail-from", SENDER)

    async def test_name(self):
        """They are from the brand, name it, and have no name of ours."""
        user = await self.user()
        await self.ask_reset(user.email)
        for count in (1, 2):
            mail = await self.mail(user.email, count)
            self.assertEqual(f"Skyforge <{SENDER}>", mail.message["From"])
            self.assertIn("your account at Skyforge", " ".join(mail.text.split()))
            self.assertNotIn("contentsvc", str(mail.message).lower())


class NameTests(AccountsCase):
    """Who is named, with texts of the operator's."""

    own = True

    async def connect(self) -> None:
        self.options = ("--mail-templates", texts()) if self.own else ()
        await super().connect()

    async def linking(self) -> User:
        """A user with a name that mail programs show as a link, and with a victim's address."""
        sent = self.registration(f"{guid()}@example.com", f"{SHOWN_AS_LINK}.{guid()[:8]}")
        await self.post("user", sent, expect=201)
        return await self.logged_in(**sent)

    async def asked(self, user: User, count: int) -> list[Mail]:
        """The mails, of the first this number, to set a password and to change the address."""
        await self.ask_reset(user.email)
        address = self.fresh()
        await self.change(user, address, expect=204)
        return [await self.mail(user.email, count), await self.mail(address)]

    async def test_unconfirmed(self):
        """No mail to an address that nobody has confirmed as the account's holds its name."""
        user = await self.linking()
        for mail in [await self.mail(user.email), *await self.asked(user, 2)]:
            self.assertNotIn(SHOWN_AS_LINK, str(mail.message))

    async def test_confirmed(self):
        """Once it is confirmed, a mail to set a password names the account. One to a new address
        does not."""
        user = await self.linking()
        await self.confirm((await self.mail(user.email)).token)
        resetting, changing = await self.asked(user, 2)
        self.assertIn(user.username, resetting.text)
        self.assertNotIn(SHOWN_AS_LINK, str(changing.message))


class OurNameTests(NameTests):
    """Who is named, with our own texts."""

    own = False


class LimitTests(AccountsCase):
    """How many mails a mailbox gets."""

    async def test_many(self):
        """Registrations and requests of many accounts send a mailbox five mails in an hour.
        Accounts are made all the same; the other requests are 429 with Retry-After."""
        local = guid()
        addresses = [f"{local}+{n}@example.com" for n in range(8)]
        users = []
        for address in addresses:
            sent = self.registration(address)
            await self.post("user", sent, expect=201)
            users.append(await self.logged_in(**sent))
        for user in users:
            for answer in (
                await self.post(f"user/{user.id}/email/verification", by=user),
                await self.change(user, f"{local}@example.com"),
            ):
                self.problem(answer, 429, "too_many_requests")
                self.assertTrue(0 < int(answer.header("Retry-After") or 0) <= 3600)
        # Later than all others.
        await self.known()
        sent = [mail for to in addresses for mail in self.mails.mails(to)]
        self.assertEqual((5, []), (len(sent), self.mails.mails(f"{local}@example.com")))
