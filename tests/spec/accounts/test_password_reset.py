"""POST and PUT /user/password-reset: accounts#mail."""

from tests.spec.accounts.base import AccountsCase, LogInCase
from tests.spec.data import User, guid


def foreign(token: str) -> list[str]:
    """Tokens that are none, of this form and of others."""
    half = len(token) // 2
    kind = token.partition("-")[0]
    return [
        "",
        " ",
        "x",
        guid(),
        f"{kind}-",
        f"{kind}-x",
        f"{kind}-ä",
        f"{kind}-{'A' * 48}",
        token[:-1],
        token[:-1] + ("A" if token[-1] != "A" else "B"),
        token[1:],
        token + "x",
        token.swapcase(),
        token[half:] + token[:half],
        "a" * 10_000,
        "päss-wörd-\U0001f511",
        "../../etc/passwd",
        "' or 1=1 --",
        "\u202e\ufeff",
        "." * 50,
        "-1",
        "9" * 400,
    ]


class AskTests(AccountsCase):
    """POST password-reset."""

    async def test_confirmed(self):
        """A confirmed address gets the mail as any other."""
        user = await self.confirmed()
        await self.reset(await self.reset_token(user), expect=204)

    async def test_unknown(self):
        """The answer is 204 also for an address that nobody has, which gets no mail."""
        nobody, user = self.fresh(), await self.known()
        await self.ask_reset(nobody)
        await self.reset_token(user)
        self.assertEqual([], self.mails.mails(nobody))

    async def test_any_case(self):
        """The case of the address does not matter; the mail goes to the account's."""
        user = await self.known()
        await self.ask_reset(user.email.upper())
        await self.mail(user.email, 2)

    async def test_bad_address(self):
        """What is no address is 400."""
        for email in ("nobody", "", None):
            self.invalid(await self.ask_reset(email, expect=400), "/email")

    async def test_again(self):
        """The answer is 204 as often as it is asked."""
        user = await self.known()
        for _ in range(5):
            await self.ask_reset(user.email)

    async def test_signed_in(self):
        """Anyone may ask, a user for another too."""
        user = await self.known()
        body = {"email": user.email}
        await self.post("user/password-reset", body, by=await self.someone(), expect=204)
        await self.mail(user.email, 2)

    async def test_changes_nothing(self):
        """Asking alone changes nothing: the owner goes on, and logs in as before."""
        user = await self.known()
        await self.reset_token(user)
        await self.goes_on(user)
        await self.try_log_in(user.username, user.password, expect=200)


class UseTests(AccountsCase):
    """PUT password-reset."""

    async def test_new_password(self):
        """The new password logs in, the old one does not."""
        user = await self.known()
        await self.reset(await self.reset_token(user), "another password", expect=204)
        await self.try_log_in(user.username, "another password", expect=200)
        self.refused(await self.try_log_in(user.username, user.password), "invalid_grant")

    async def test_once(self):
        """A token is good once."""
        user = await self.known()
        token = await self.reset_token(user)
        await self.reset(token, "the first one", expect=204)
        self.problem(await self.reset(token, "the second one"), 400, "invalid_token")
        await self.try_log_in(user.username, "the first one", expect=200)

    async def test_once_of_many(self):
        """Of several uses at once, one succeeds."""
        user = await self.known()
        token = await self.reset_token(user)
        got = await self.together(*(self.reset(token, f"password {n}") for n in range(6)))
        self.assertEqual([204, 400, 400, 400, 400, 400], sorted(one.status for one in got))
        (new,) = [n for n, one in enumerate(got) if one.status == 204]
        await self.try_log_in(user.username, f"password {new}", expect=200)

    async def test_others_end(self):
        """Using one ends the others, whether older or newer."""
        user = await self.known()
        tokens = [await self.reset_token(user) for _ in range(3)]
        await self.reset(tokens[1], expect=204)
        for token in tokens:
            self.problem(await self.reset(token, "yet another one"), 400, "invalid_token")
        await self.try_log_in(user.username, "a new password", expect=200)

    async def test_others_live(self):
        """An older token is as good, as long as none was used."""
        user = await self.known()
        first = await self.reset_token(user)
        await self.reset_token(user)
        await self.reset(first, expect=204)

    async def test_after_use(self):
        """A token that was asked for after a use is good."""
        user = await self.known()
        await self.reset(await self.reset_token(user), expect=204)
        await self.reset(await self.reset_token(user), "yet another one", expect=204)
        await self.try_log_in(user.username, "yet another one", expect=200)

    async def test_anothers(self):
        """A use ends no token of another user."""
        user, other = await self.known(), await self.known()
        mine, theirs = await self.reset_token(user), await self.reset_token(other)
        await self.reset(mine, expect=204)
        await self.reset(theirs, expect=204)

    async def test_password_changed(self):
        """A change of the password ends links that set one."""
        user = await self.known()
        token = await self.reset_token(user)
        body = {"current": user.password, "new": guid()}
        await self.put(f"user/{user.id}/password", body, by=user, expect=204)
        self.problem(await self.reset(token), 400, "invalid_token")

    async def test_new_address(self):
        """A link that went to the address before sets no password any more."""
        user = await self.confirmed()
        token = await self.reset_token(user)
        await self.moved(user)
        self.problem(await self.reset(token), 400, "invalid_token")

    async def test_sessions(self):
        """A reset ends all sessions, and their sockets, on each process."""
        user = await self.known()
        again = await self.logged_in(user.username, user.email, user.password)
        sockets = [await self.socket(one) for one in (user, again, user, again)]
        await self.reset(await self.reset_token(user), expect=204)
        for socket in sockets:
            self.assertEqual(4403, await socket.closed())
        for one in (user, again):
            await self.is_over(one)

    async def test_sessions_at_once(self):
        """The process that takes the new password refuses the sessions at once."""
        self.one_process()
        user = await self.known()
        await self.reset(await self.reset_token(user), expect=204)
        await LogInCase.is_over(self, user)

    async def test_own_session(self):
        """The session that sends it ends too."""
        user = await self.known()
        await self.reset(await self.reset_token(user), by=user, expect=204)
        await self.is_over(user)

    async def test_lock_out(self):
        """A reset lifts a lock-out."""
        user = await self.known()
        for _ in range(10):
            self.refused(await self.try_log_in(user.username, "wrong password"), "invalid_grant")
        self.refused(await self.try_log_in(user.username, user.password), "slow_down", 429)
        await self.reset(await self.reset_token(user), "another password", expect=204)
        await self.try_log_in(user.username, "another password", expect=200)

    async def test_confirms(self):
        """A reset confirms the address."""
        user = await self.known()
        self.assertEqual((user.email, False), await self.address_of(user))
        await self.reset(await self.reset_token(user), expect=204)
        again = await self.logged_in(user.username, user.email, "a new password")
        self.assertEqual((user.email, True), await self.address_of(again))

    async def test_banned(self):
        """A banned user gets the mail too, sets a password by any link, and stays banned."""
        user = await self.known()
        token = await self.reset_token(user)
        body = {"reason": "cheating"}
        await self.put(f"user/{user.id}/ban", body, by=await self.admin(), expect=204)
        await self.reset(token, expect=204)
        await self.reset(await self.reset_token(user), "yet another one", expect=204)
        self.refused(await self.try_log_in(user.email, "yet another one"), "account_banned", 403)


class InvalidTests(AccountsCase):
    """Tokens and passwords that are none."""

    async def unharmed(self, user: User, token: str) -> None:
        """Assert that nothing was changed by what was refused, and the token is still good."""
        await self.goes_on(user)
        await self.try_log_in(user.username, user.password, expect=200)
        await self.reset(token, expect=204)

    async def test_unknown(self):
        """What is no token of a mail is 400 `invalid_token`."""
        user = await self.known()
        token = await self.reset_token(user)
        for wrong in foreign(token):
            if wrong != token:
                self.problem(await self.reset(wrong), 400, "invalid_token")
        await self.unharmed(user, token)

    async def test_half(self):
        """Two tokens make no third one."""
        user = await self.known()
        first, second = await self.reset_token(user), await self.reset_token(user)
        for at in range(4, min(len(first), len(second)), 5):
            mixed = first[:at] + second[at:]
            if mixed not in (first, second):
                self.problem(await self.reset(mixed), 400, "invalid_token")
        await self.unharmed(user, second)

    async def test_other_kinds(self):
        """Tokens for something else are none: of a verification, a change, a session."""
        user = await self.user()
        verifying = (await self.mail(user.email)).token
        address = self.fresh()
        await self.change(user, address, expect=204)
        changing = (await self.mail(address)).token
        session = (await self.session(user))["accessToken"]
        token = await self.reset_token(user)
        for wrong in (verifying, changing, user.token, user.refresh_token, session):
            self.problem(await self.reset(wrong), 400, "invalid_token")
        await self.unharmed(user, token)

    async def test_new(self):
        """The new password follows the rules of registration; the token stays good."""
        user = await self.known()
        token = await self.reset_token(user)
        for wrong in ("short", "x" * 129, "", None, 12345678, ["a password"]):
            self.invalid(await self.reset(token, wrong), "/new")
        await self.unharmed(user, token)

    async def test_after_leaving(self):
        """A token of somebody who has left is none, also for the address's next owner."""
        user = await self.known()
        token = await self.reset_token(user)
        await self.leave(user)
        self.problem(await self.reset(token), 400, "invalid_token")
        sent = self.registration(user.email)
        await self.post("user", sent, expect=201)
        self.problem(await self.reset(token), 400, "invalid_token")
        await self.try_log_in(user.email, sent["password"], expect=200)
