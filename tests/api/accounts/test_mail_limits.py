"""How many mails somebody can have sent to others."""

from __future__ import annotations

from typing import Any
from uuid import NAMESPACE_DNS, uuid5

from contentsvc.api.accounts.authentication import Authenticator
from contentsvc.api.accounts.credentials import Accounts
from contentsvc.api.errors import TooManyRequests
from contentsvc.framework.identity.subject import Verifiers
from contentsvc.framework.mail.message import mailbox
from contentsvc.store.accounts.mails import Mails
from contentsvc.wire.accounts import EmailChange, PasswordResetRequest, Registration
from tests.api.accounts.test_accounts import PASSWORD
from tests.api.accounts.test_emails import Body, EmailCase
from tests.api.support import Caller
from tests.support.databases import guid
from tests.support.deferreds import together

MOST = 3
"""Mails to a mailbox in an hour."""
OF_ADDRESS = 4
"""Requests for mails of a client address."""


class MailLimitCase(EmailCase):
    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        # A real limit of addresses, which most tests do not come to.
        self.limited(100, MOST)
        self.local = f"v{guid()[:8]}"
        self.victim = f"{self.local}@example.com"

    def limited(self, of_address: int, most: int) -> None:
        """Have these limits."""
        limits = {"most_of_address": 100, "mails_of_address": of_address}
        auth = Authenticator(self.db, self.passwords, self.tokens, Verifiers([]), **limits)
        queue = Mails(lambda: None, lambda email: str(uuid5(NAMESPACE_DNS, mailbox(email))), most)
        parts: Any = (self.db, self.passwords, auth, self.revocation)
        self.emails = self.accounts = Accounts(*parts, self.mail_tokens, queue, registration=True)

    def variants(self, count: int) -> list[str]:
        """Addresses of the victim's mailbox."""
        forms = ("{0}+{1}@example.com", "{0}.+{1}@EXAMPLE.com", "V{2}+{1}@Example.com")
        return [forms[n % 3].format(self.local, guid(), self.local[1:]) for n in range(count)]

    def mailed(self) -> list[str]:
        """The purposes of the mails to the victim."""
        rows = self.sql(
            """select purpose from mails where lower(replace(email, '.', '')) like %s
               order by created""",
            f"{self.local}%",
        )
        return [purpose for (purpose,) in rows]

    async def refused(self, email: str, user: str) -> int:
        """The seconds to wait, after which a user may ask for a mail to this address."""
        body: Any = Body(EmailChange(email=email, password=PASSWORD))
        try:
            await self.emails.change_email(Caller(user), user, body)
        except TooManyRequests as error:
            return int(dict(error.headers)["Retry-After"])
        raise AssertionError("it was not refused")

    def older(self) -> None:
        """An hour goes by."""
        self.sql("update rate_limits set expires = expires - interval '1 hour'")


class RecipientTests(MailLimitCase):
    async def test_registrations(self) -> None:
        """Whoever registers gets an account, and a mailbox no more mails than the limit."""
        for email in self.variants(MOST + 3):
            await self.register(email)
        self.assertEqual(self.mailed(), ["confirm"] * MOST)
        self.older()
        await self.register(self.victim)
        self.assertEqual(len(self.mailed()), MOST + 1)

    async def test_at_once(self) -> None:
        """However many register at once, of any number of mails so many are sent."""
        await together(*(self.register(email) for email in self.variants(12)))
        self.assertEqual(len(self.mailed()), MOST)

    async def test_changes(self) -> None:
        """A new address beyond the limit is 429 without effect, whichever account asks: the link
        that was sent before stays good, and nothing counts."""
        before = f"{guid()}@example.com"
        self.assertEqual(await self.change(before), "done")
        for email in self.variants(MOST):
            other = await self.register(f"{guid()}@example.com")
            self.assertEqual(await self.change(email, other), "done")
        for _ in range(3):
            wait = await self.refused(self.victim, self.ann)
            self.assertTrue(3500 < wait <= 3600, wait)
        self.assertEqual(self.mailed(), ["change"] * MOST)
        rows = self.sql(
            "select email, ended from mails where user_id = %s and purpose = 'change'", self.ann
        )
        self.assertEqual(rows, [(before, False)])
        self.older()
        self.assertEqual(await self.change(self.victim), "done")

    async def test_again(self) -> None:
        """To ask again for the mail with which the own address is confirmed counts too."""
        user = await self.register(self.victim)
        for _ in range(MOST - 1):
            await self.emails.request_email_verification(Caller(user), user)
        asking = self.emails.request_email_verification(Caller(user), user)
        self.assertEqual(await self.outcome(asking), "too_many_requests")
        self.assertEqual(self.mailed(), ["confirm"] * MOST)

    async def test_both(self) -> None:
        """Of two mails that are asked for together, both are sent or none."""
        user = await self.register(self.victim)
        other = f"{guid()}@example.com"
        self.assertEqual(await self.change(other, user), "done")
        await self.emails.request_email_verification(Caller(user), user)
        sent = [self.sent("confirm", user), self.sent("change", user)]
        self.assertEqual(list(map(len, sent)), [2, 2])
        await self.register(self.variants(1)[0])
        asking = self.emails.request_email_verification(Caller(user), user)
        self.assertEqual(await self.outcome(asking), "too_many_requests")
        self.assertEqual([self.sent("confirm", user), self.sent("change", user)], sent)
        # What was refused has not counted for the other mailbox.
        self.assertEqual(await self.change(other, user), "done")

    async def test_refusals(self) -> None:
        """A registration that is refused counts for nothing."""
        for _ in range(MOST + 1):
            taken = Registration(username=self.name, email=self.victim, password=PASSWORD)
            asking = self.accounts.register_user(Caller(), taken)
            self.assertEqual(await self.outcome(asking), "users_username")
        await self.register(self.victim)
        self.assertEqual(self.mailed(), ["confirm"])

    async def test_others(self) -> None:
        """Mails to set a password, and those that tell the address before, come all the same."""
        user = await self.register(self.victim)
        token = await self.token("confirm", user)
        self.assertEqual(await self.confirm(token), "done")
        for email in self.variants(MOST):
            await self.register(email)
        await self.emails.request_password_reset(Caller(), PasswordResetRequest(email=self.victim))
        new = await self.token("change", user, f"{guid()}@example.com")
        self.assertEqual(await self.confirm(new), "done")
        self.assertEqual(self.mailed()[-2:], ["reset", "changed"])

    async def test_no_limit(self) -> None:
        """0 is no limit, and nothing is kept."""
        self.limited(100, 0)
        for email in self.variants(MOST + 1):
            await self.register(email)
        self.assertEqual(len(self.mailed()), MOST + 1)
        counted = "select 1 from rate_limits where name = 'mails' and subject = %s"
        box = uuid5(NAMESPACE_DNS, mailbox(self.victim))
        self.assertEqual(self.sql(counted, str(box)), [])


class AddressTests(MailLimitCase):
    async def test_registrations(self) -> None:
        """Registrations count for the limit of a client address. Beyond it they go on, without a
        mail, and what else asks for one is refused."""
        self.limited(OF_ADDRESS, MOST)
        users = [await self.register(f"{guid()}@example.com") for _ in range(OF_ADDRESS + 2)]
        sent = [len(self.sent("confirm", user)) for user in users]
        self.assertEqual(sent, [1] * OF_ADDRESS + [0] * 2)
        asking = self.emails.request_email_verification(Caller(users[-1]), users[-1])
        self.assertEqual(await self.outcome(asking), "too_many_requests")
