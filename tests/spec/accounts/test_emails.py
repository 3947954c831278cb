"""Resetting passwords by mail, and confirming addresses (extensions §8)."""

from tests.spec.accounts.mailing import SENDER, URL, MailCase
from tests.spec.data import guid, name

RESET = "user/password-reset"
CONFIRM = "user/email/verification"


class ResetTests(MailCase):
    async def test_reset(self):
        """§8: the token of the mailed link sets a new password, and ends all sessions."""
        user, _ = await self.newcomer()
        mail = await self.asked_reset(user.email, 2)
        new = guid()
        await self.put(RESET, {"token": mail.token, "new": new}, expect=204)
        self.problem(await self.get(f"user/{user.id}", by=user), 401, "invalid_token")
        self.assertEqual(user.id, (await self.login(user.username, new))["userId"])
        form = {"grant_type": "password", "username": user.username, "password": user.password}
        self.assertEqual(400, (await self.post("/oauth/token", data=form)).status)

    async def test_sockets(self):
        """§8: a reset closes the sockets of all sessions."""
        user, _ = await self.newcomer()
        socket = await self.socket(user)
        mail = await self.asked_reset(user.email, 2)
        await self.put(RESET, {"token": mail.token, "new": guid()}, expect=204)
        self.assertEqual(4403, await socket.closed())

    async def test_once(self):
        """§8: a link is good once, and using one ends the others."""
        user, _ = await self.newcomer()
        first = await self.asked_reset(user.email, 2)
        second = await self.asked_reset(user.email, 3)
        await self.put(RESET, {"token": first.token, "new": guid()}, expect=204)
        for token in (first.token, second.token):
            body = {"token": token, "new": guid()}
            self.problem(await self.put(RESET, body), 400, "invalid_token")

    async def test_unknown(self):
        """§8: the answer is 204 for an address that nobody has, and nobody gets a mail."""
        email = f"{guid()}@example.com"
        await self.post(RESET, {"email": email}, expect=204)
        await self.newcomer()
        self.assertEqual([], self.server.mails(email))

    async def test_case(self):
        """The case of the address does not matter. The mail goes to the address as it was
        registered."""
        user, _ = await self.newcomer()
        await self.post(RESET, {"email": user.email.upper()}, expect=204)
        await self.server.arrived(user.email, 2)

    async def test_confirms(self):
        """§8: a reset confirms the address."""
        user, _ = await self.newcomer()
        self.assertFalse(await self.verified(user))
        mail = await self.asked_reset(user.email, 2)
        new = guid()
        await self.put(RESET, {"token": mail.token, "new": new}, expect=204)
        self.assertTrue(await self.verified(await self.logged_in(user.username, user.email, new)))

    async def test_lifts(self):
        """§8: a reset lifts a lock-out."""
        user, _ = await self.newcomer()
        form = {"grant_type": "password", "username": user.username, "password": "wrong"}
        for _ in range(11):
            last = await self.post("/oauth/token", data=form)
        self.assertEqual(429, last.status)
        mail = await self.asked_reset(user.email, 2)
        new = guid()
        await self.put(RESET, {"token": mail.token, "new": new}, expect=204)
        await self.login(user.username, new)

    async def test_bad(self):
        """§8: what is no token is 400 invalid_token, also without any likeness to one."""
        _, mail = await self.newcomer()
        altered = mail.token[:-1] + ("A" if mail.token[-1] != "A" else "B")
        for token in ("", "x", "reset-", "reset-ä", "reset-" + "A" * 48, mail.token, altered):
            body = {"token": token, "new": guid()}
            self.problem(await self.put(RESET, body), 400, "invalid_token")
        body = {"token": mail.token, "new": "short"}
        self.invalid(await self.put(RESET, body), "/new")
        self.invalid(await self.post(RESET, {"email": "nobody"}), "/email")

    async def test_password_changed(self):
        """A change of the password ends links that set one."""
        user, _ = await self.newcomer()
        mail = await self.asked_reset(user.email, 2)
        body = {"current": user.password, "new": guid()}
        await self.put(f"user/{user.id}/password", body, by=user, expect=204)
        body = {"token": mail.token, "new": guid()}
        self.problem(await self.put(RESET, body), 400, "invalid_token")

    async def test_banned(self):
        """A banned user can set a password, and stays banned."""
        user, _ = await self.newcomer()
        ban = {"reason": "rules"}
        await self.put(f"user/{user.id}/ban", ban, by=await self.admin(), expect=204)
        mail = await self.asked_reset(user.email, 2)
        new = guid()
        await self.put(RESET, {"token": mail.token, "new": new}, expect=204)
        form = {"grant_type": "password", "username": user.username, "password": new}
        self.assertEqual(403, (await self.post("/oauth/token", data=form)).status)


class MessageTests(MailCase):
    async def test_form(self):
        """The mail says who it is from and to, is made by a machine, and its link is the URL of the
        setting with the token."""
        user, mail = await self.newcomer()
        message = mail.message
        self.assertEqual(SENDER, mail.sender)
        self.assertEqual(f"The Studio <{SENDER}>", message["From"])
        self.assertEqual(user.email, message["To"])
        self.assertEqual("auto-generated", message["Auto-Submitted"])
        self.assertRegex(message["Message-ID"], r"^<[0-9a-f-]{36}@studio\.example>$")
        self.assertIsNotNone(message["Date"].datetime)
        self.assertEqual("text/plain", message.get_content_type())
        self.assertNotIn(user.username, mail.text)
        link = next(line for line in mail.text.splitlines() if line.startswith("https:"))
        self.assertEqual(URL.replace("#", f"&token={mail.token}#"), link)


class ConfirmTests(MailCase):
    async def test_registered(self):
        """§8: registering sends a mail, whose link confirms the address; a second use changes
        nothing."""
        user, mail = await self.newcomer()
        self.assertFalse(await self.verified(user))
        for _ in range(2):
            await self.put(CONFIRM, {"token": mail.token}, expect=204)
            self.assertTrue(await self.verified(user))

    async def test_again(self):
        """§8: the mail is sent again on request. Both links work. Once confirmed, nothing is
        sent."""
        user, first = await self.newcomer()
        await self.post(f"user/{user.id}/email/verification", by=user, expect=204)
        second = await self.server.arrived(user.email, 2)
        await self.put(CONFIRM, {"token": first.token}, expect=204)
        await self.put(CONFIRM, {"token": second.token}, expect=204)
        await self.post(f"user/{user.id}/email/verification", by=user, expect=204)
        await self.newcomer()
        self.assertEqual(2, len(self.server.mails(user.email)))

    async def test_bad(self):
        """§8: what is no token is 400 invalid_token; a token to set a password is none."""
        user, _ = await self.newcomer()
        mail = await self.asked_reset(user.email, 2)
        for token in ("", "email-x", mail.token, mail.token.replace("reset", "email")):
            self.problem(await self.put(CONFIRM, {"token": token}), 400, "invalid_token")


class ChangeTests(MailCase):
    async def change(self, user, email, status=204, password=None):
        """The answer of PUT email."""
        body = {"email": email, "password": password or user.password}
        return await self.put(f"user/{user.id}/email", body, by=user, expect=status)

    async def email(self, user):
        """The user's present address."""
        return (await self.get(f"user/{user.id}", by=user, expect=200)).json()["email"]

    async def test_change(self):
        """§8: the mail goes to the new address, and the address changes when that is confirmed. The
        address before, which was confirmed, is told."""
        user, new = await self.confirmed(), f"{guid()}@example.com"
        await self.change(user, new)
        mail = await self.server.arrived(new)
        self.assertEqual(user.email, await self.email(user))
        await self.put(CONFIRM, {"token": mail.token}, expect=204)
        self.assertEqual(new, await self.email(user))
        self.assertTrue(await self.verified(user))
        told = await self.server.arrived(user.email, 2)
        self.assertNotIn("token", told.text)
        self.assertIn(user.email, told.text)
        await self.put(CONFIRM, {"token": mail.token}, expect=204)
        await self.login(new, user.password)

    async def test_later(self):
        """A later request replaces the one before, and can be sent again."""
        user = await self.confirmed()
        first, second = f"{guid()}@example.com", f"{guid()}@example.com"
        await self.change(user, first)
        old = await self.server.arrived(first)
        await self.change(user, second)
        await self.server.arrived(second)
        await self.post(f"user/{user.id}/email/verification", by=user, expect=204)
        new = await self.server.arrived(second, 2)
        self.problem(await self.put(CONFIRM, {"token": old.token}), 400, "invalid_token")
        await self.put(CONFIRM, {"token": new.token}, expect=204)
        self.assertEqual(second, await self.email(user))

    async def test_back(self):
        """The link of an earlier address does not bring it back."""
        user = await self.confirmed()
        first, second = f"{guid()}@example.com", f"{guid()}@example.com"
        tokens = []
        for email in (first, second):
            await self.change(user, email)
            mail = await self.server.arrived(email)
            tokens.append(mail.token)
            await self.put(CONFIRM, {"token": mail.token}, expect=204)
        self.problem(await self.put(CONFIRM, {"token": tokens[0]}), 400, "invalid_token")
        self.assertEqual(second, await self.email(user))

    async def test_wrong_password(self):
        """§8: 403 wrong_password."""
        user = await self.confirmed()
        response = await self.change(user, f"{guid()}@example.com", 403, "wrong")
        self.problem(response, 403, "wrong_password")

    async def test_taken(self):
        """§8: 409 email_taken for an address that another keeps, in any case."""
        user, other = await self.confirmed(), await self.confirmed()
        response = await self.change(user, other.email.upper(), 409)
        self.problem(response, 409, "email_taken")

    async def test_taken_meanwhile(self):
        """§8: 409 email_taken also at the confirmation."""
        user, new = await self.confirmed(), f"{name()}@example.com"
        await self.change(user, new)
        mail = await self.server.arrived(new)
        sent = {"username": name(), "email": new, "password": guid()}
        await self.post("user", sent, expect=201)
        self.problem(await self.put(CONFIRM, {"token": mail.token}), 409, "email_taken")
        self.assertEqual(user.email, await self.email(user))

    async def test_letters(self):
        """The case of one's own address can be changed."""
        user = await self.confirmed()
        new = user.email.upper()
        await self.change(user, new)
        mail = await self.server.arrived(new)
        await self.put(CONFIRM, {"token": mail.token}, expect=204)
        self.assertEqual(new, await self.email(user))

    async def test_resets_end(self):
        """A link that went to the address before sets no password any more."""
        user, new = await self.confirmed(), f"{guid()}@example.com"
        reset = await self.asked_reset(user.email, 2)
        await self.change(user, new)
        mail = await self.server.arrived(new)
        await self.put(CONFIRM, {"token": mail.token}, expect=204)
        body = {"token": reset.token, "new": guid()}
        self.problem(await self.put(RESET, body), 400, "invalid_token")
