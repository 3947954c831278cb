"""PUT /user/{user}/email: extensions §8."""

from tests.spec.accounts.base import LINK, AccountsCase
from tests.spec.data import User, guid, name


class ChangeTests(AccountsCase):
    """A change of the address, from the request to the confirmation."""

    async def changed(self, user: User) -> str:
        """Change the user's address, wholly."""
        address = self.fresh()
        await self.change(user, address, expect=204)
        await self.confirm((await self.mail(address)).token)
        return address

    async def test_until_confirmed(self):
        """§8: 204, and the old address stays until the new one is confirmed."""
        user, address = await self.known(), self.fresh()
        await self.change(user, address, expect=204)
        mail = await self.mail(address)
        self.assertIn(f"{LINK}?token={mail.token}", mail.text.split())
        self.assertEqual((user.email, False), await self.address_of(user))
        await self.try_log_in(user.email, user.password, expect=200)
        self.refused(await self.try_log_in(address, user.password), "invalid_grant")

    async def test_confirmed(self):
        """§8: it changes when the new one is confirmed, and is verified then."""
        user = await self.known()
        address = await self.changed(user)
        for _ in range(4):
            self.assertEqual((address, True), await self.address_of(user))
        await self.try_log_in(address, user.password, expect=200)
        self.refused(await self.try_log_in(user.email, user.password), "invalid_grant")

    async def test_goes_on(self):
        """§8: no session ends, and the old one stays verified until then."""
        user, address = await self.confirmed(), self.fresh()
        await self.change(user, address, expect=204)
        self.assertEqual((user.email, True), await self.address_of(user))
        await self.confirm((await self.mail(address)).token)
        await self.goes_on(user)

    async def test_old_is_free(self):
        """choices: the old address is free then."""
        user = await self.confirmed()
        await self.changed(user)
        sent = {"username": name(), "email": user.email, "password": guid()}
        await self.post("user", sent, expect=201)

    async def test_old_tokens(self):
        """choices: the token of the mail to the old address does not confirm the new one."""
        user = await self.user()
        token = (await self.mail(user.email)).token
        address = await self.changed(user)
        await self.confirm(token, expect=None)
        self.assertEqual((address, True), await self.address_of(user))

    async def test_reset_meanwhile(self):
        """§8: until the confirmation a reset goes to the account's address, the old one."""
        user, address = await self.known(), self.fresh()
        await self.change(user, address, expect=204)
        await self.mail(address)
        await self.ask_reset(address)
        await self.reset_token(user)
        self.assertEqual(1, len(self.mails.mails(address)))

    async def test_reset_after(self):
        """§8: after it a reset goes to the new one."""
        user = await self.known()
        address = await self.changed(user)
        await self.ask_reset(address)
        await self.reset((await self.mail(address, 2)).token, expect=204)
        await self.try_log_in(user.username, "a new password", expect=200)

    async def test_case(self):
        """choices: an address may change its case alone."""
        user = await self.confirmed()
        address = user.email.capitalize()
        await self.change(user, address, expect=204)
        await self.confirm((await self.mail(address)).token)
        self.assertEqual((address, True), await self.address_of(user))

    async def test_again(self):
        """Extensions: sent again it is 204 again, and the newer mail's token is good."""
        user, address = await self.known(), self.fresh()
        for count in (1, 2):
            await self.change(user, address, expect=204)
            # One that still waits when its link ends would not be sent.
            mail = await self.mail(address, count)
        await self.confirm(mail.token)
        self.assertEqual((address, True), await self.address_of(user))


class RefusalTests(AccountsCase):
    """What is refused, in which order."""

    async def test_wrong_password(self):
        """§8: 403 wrong_password; no mail is sent."""
        user, address = await self.known(), self.fresh()
        response = await self.change(user, address, "not the password")
        self.problem(response, 403, "wrong_password")
        await self.reset_token(user)
        self.assertEqual([], self.mails.mails(address))

    async def test_guessing(self):
        """§8: wrong passwords are failed log-ins: after ten no more are taken."""
        user = await self.known()
        for _ in range(10):
            response = await self.change(user, self.fresh(), "not the password")
            self.problem(response, 403, "wrong_password")
        response = await self.change(user, self.fresh())
        self.problem(response, 429, "too_many_attempts")
        self.assertGreater(int(response.header("Retry-After") or 0), 0)
        self.refused(await self.try_log_in(user.username, user.password), "slow_down", 429)

    async def test_taken(self):
        """§8: 409 email_taken, whatever the case."""
        user, other = await self.known(), await self.known()
        for address in (other.email, other.email.upper()):
            self.problem(await self.change(user, address), 409, "email_taken")

    async def test_taken_meanwhile(self):
        """§8: 409 email_taken also at the confirmation: another has registered with it."""
        user, address = await self.known(), self.fresh()
        await self.change(user, address, expect=204)
        token = (await self.mail(address)).token
        sent = {"username": name(), "email": address.upper(), "password": guid()}
        await self.post("user", sent, expect=201)
        for _ in range(2):
            self.problem(await self.confirm(token, expect=409), 409, "email_taken")
        self.assertEqual((user.email, False), await self.address_of(user))

    async def test_race(self):
        """§8: of two who change to one address, the one who confirms first gets it."""
        users, address = [await self.known() for _ in range(2)], self.fresh()
        tokens = []
        for count, user in enumerate(users, 1):
            await self.change(user, address, expect=204)
            tokens.append((await self.mail(address, count)).token)
        got = await self.together(*(self.confirm(token, None) for token in tokens))
        self.assertEqual([204, 409], sorted(one.status for one in got))
        for user, one in zip(users, got, strict=True):
            taken = one.status == 204
            expected = (address, True) if taken else (user.email, False)
            self.assertEqual(expected, await self.address_of(user))

    async def test_order(self):
        """Extensions: 400 comes before 403, and 403 before 409."""
        user, other = await self.known(), await self.known()
        self.invalid(await self.change(user, "no address", "not the password"), "/email")
        response = await self.change(user, other.email, "not the password")
        self.problem(response, 403, "wrong_password")
