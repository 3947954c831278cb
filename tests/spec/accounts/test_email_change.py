"""PUT /user/{user}/email: accounts#mail."""

from tests.spec.accounts.base import AccountsCase, link_with


class ChangeTests(AccountsCase):
    """A change of the address, from the request to the confirmation."""

    async def test_until_confirmed(self):
        """The old address stays until the new one is confirmed."""
        user, address = await self.known(), self.fresh()
        await self.change(user, address, expect=204)
        mail = await self.mail(address)
        self.assertIn(link_with(mail.token), mail.text.split())
        self.assertEqual((user.email, False), await self.address_of(user))
        await self.try_log_in(user.email, user.password, expect=200)
        self.refused(await self.try_log_in(address, user.password), "invalid_grant")

    async def test_confirmed(self):
        """It changes when the new one is confirmed, and is verified then; a second use of the link
        changes nothing."""
        user, address = await self.known(), self.fresh()
        await self.change(user, address, expect=204)
        token = (await self.mail(address)).token
        for _ in range(2):
            await self.confirm(token)
            for _ in range(4):
                self.assertEqual((address, True), await self.address_of(user))
        await self.try_log_in(address, user.password, expect=200)
        self.refused(await self.try_log_in(user.email, user.password), "invalid_grant")

    async def test_goes_on(self):
        """No session ends, and the old one stays verified until then."""
        user, address = await self.confirmed(), self.fresh()
        await self.change(user, address, expect=204)
        self.assertEqual((user.email, True), await self.address_of(user))
        await self.confirm((await self.mail(address)).token)
        await self.goes_on(user)

    async def test_told(self):
        """The old one, if it was confirmed, is told, without the new one."""
        user = await self.confirmed()
        address = await self.moved(user)
        told = await self.mail(user.email, 2)
        self.assertIn(user.email, told.text)
        self.assertNotIn(address, told.text)
        self.assertNotIn("token", told.text)

    async def test_old_is_free(self):
        """The old address is free then."""
        user = await self.confirmed()
        await self.moved(user)
        await self.post("user", self.registration(user.email), expect=201)

    async def test_old_tokens(self):
        """The token of an earlier address, that of the registration too, does not bring it back."""
        user = await self.user()
        tokens = [(await self.mail(user.email)).token]
        for _ in range(2):
            address = self.fresh()
            await self.change(user, address, expect=204)
            tokens.append((await self.mail(address)).token)
            await self.confirm(tokens[-1])
        for token in tokens[:2]:
            self.problem(await self.confirm(token, expect=400), 400, "invalid_token")
        self.assertEqual((address, True), await self.address_of(user))

    async def test_reset_meanwhile(self):
        """Until the confirmation a reset goes to the account's address, the old one."""
        user, address = await self.known(), self.fresh()
        await self.change(user, address, expect=204)
        await self.mail(address)
        await self.ask_reset(address)
        await self.reset_token(user)
        self.assertEqual(1, len(self.mails.mails(address)))

    async def test_reset_after(self):
        """After it a reset goes to the new one."""
        user = await self.known()
        address = await self.moved(user)
        await self.ask_reset(address)
        await self.reset((await self.mail(address, 2)).token, expect=204)
        await self.try_log_in(user.username, "a new password", expect=200)

    async def test_case(self):
        """An address may change its case alone."""
        user = await self.confirmed()
        address = user.email.upper()
        await self.change(user, address, expect=204)
        await self.confirm((await self.mail(address)).token)
        self.assertEqual((address, True), await self.address_of(user))

    async def test_again(self):
        """Sent again it is 204 again, and the newer mail's token is good."""
        user, address = await self.known(), self.fresh()
        for count in (1, 2):
            await self.change(user, address, expect=204)
            # One that still waits when its link ends would not be sent.
            mail = await self.mail(address, count)
        await self.confirm(mail.token)
        self.assertEqual((address, True), await self.address_of(user))

    async def test_later(self):
        """A later request replaces the one before, and its mail can be sent again."""
        user, first, second = await self.confirmed(), self.fresh(), self.fresh()
        await self.change(user, first, expect=204)
        old = (await self.mail(first)).token
        await self.change(user, second, expect=204)
        await self.mail(second)
        await self.post(f"user/{user.id}/email/verification", by=user, expect=204)
        new = (await self.mail(second, 2)).token
        self.problem(await self.confirm(old, expect=400), 400, "invalid_token")
        await self.confirm(new)
        self.assertEqual((second, True), await self.address_of(user))


class RefusalTests(AccountsCase):
    """What is refused, in which order."""

    async def test_wrong_password(self):
        """A wrong password is 403 `wrong_password`; no mail is sent."""
        user, address = await self.known(), self.fresh()
        response = await self.change(user, address, "not the password")
        self.problem(response, 403, "wrong_password")
        await self.reset_token(user)
        self.assertEqual([], self.mails.mails(address))

    async def test_taken(self):
        """Another's address is 409 `email_taken`, whatever the case."""
        user, other = await self.known(), await self.known()
        for address in (other.email, other.email.upper()):
            self.problem(await self.change(user, address), 409, "email_taken")

    async def test_taken_meanwhile(self):
        """It is 409 `email_taken` also at the confirmation, if another has registered with it."""
        user, address = await self.known(), self.fresh()
        await self.change(user, address, expect=204)
        token = (await self.mail(address)).token
        await self.post("user", self.registration(address.upper()), expect=201)
        for _ in range(2):
            self.problem(await self.confirm(token, expect=409), 409, "email_taken")
        self.assertEqual((user.email, False), await self.address_of(user))

    async def test_race(self):
        """Of two who change to one address, the one who confirms first gets it."""
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
        """400 comes before 403, and 403 before 409."""
        user, other = await self.known(), await self.known()
        self.invalid(await self.change(user, "no address", "not the password"), "/email")
        response = await self.change(user, other.email, "not the password")
        self.problem(response, 403, "wrong_password")
