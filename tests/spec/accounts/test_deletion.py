"""DELETE /user/{user}: who may, what it ends, and what becomes of name and address:
accounts#deletion."""

from tests.spec.accounts.base import AccountsCase, LogInCase
from tests.spec.data import User, guid, name
from tests.support.issuers import ID_TOKEN


class LeaveTests(AccountsCase):
    """Who leaves, and with what."""

    async def test_leave(self):
        """After the 204 the user is nobody, on each process."""
        user = await self.user()
        await self.leave(user)
        await self.is_over(user)
        for _ in range(4):
            self.problem(await self.get(f"user/{user.id}/info"), 404, "user_not_found")

    async def test_wrong_password(self):
        """A wrong password is 403 `wrong_password`; nothing is lost."""
        user = await self.user()
        made = await self.content(user)
        response = await self.leave(user, None, password="not the password")
        self.problem(response, 403, "wrong_password")
        await self.goes_on(user)
        await self.get(made.path, expect=200)

    async def test_body(self):
        """A body without any proof, or with half of one, is 400; so is none."""
        user = await self.user()
        for body, pointer in (
            ({}, "/password"),
            ({"other": "x"}, "/password"),
            ({"password": None}, "/password"),
            ({"password": 7}, "/password"),
            ({"password": "x" * 129}, "/password"),
            ({"subject_token": "x"}, "/subject_token_type"),
            ([], ""),
        ):
            self.invalid(await self.delete(f"user/{user.id}", body=body, by=user), pointer)
        self.problem(await self.delete(f"user/{user.id}", by=user), 400, "malformed_json")
        await self.goes_on(user)

    async def test_repeat(self):
        """Sent again with the same token it is 401: the session has ended."""
        user = await self.user()
        await self.leave(user)
        await self.unauthorized(lambda: self.leave(user, None))

    async def test_at_once(self):
        """Of several at once each is 204, 401 or 404, and the user has left."""
        user = await self.user()
        await self.content(user)
        got = await self.together(*(self.leave(user, None) for _ in range(4)))
        statuses = [one.status for one in got]
        self.assertIn(204, statuses)
        self.assertLessEqual(set(statuses), {204, 401, 404})
        await self.is_over(user)

    async def test_admin(self):
        """An admin leaves as anybody does, where there is another; what they did stays listed."""
        other, admin, user = await self.admin(), await self._new_admin(), await self.user()
        body = {"reason": "cheating"}
        await self.put(f"user/{user.id}/ban", body, by=admin, expect=204)
        await self.leave(admin)
        await self.is_over(admin)
        path = f"moderation/actions?admin={admin.id}"
        found = (await self.get(path, by=other, expect=200)).json()
        self.assertEqual([user.id], [one["subject"]["id"] for one in found])


class WithoutPasswordTests(AccountsCase):
    """Who has no password leaves by a token of theirs."""

    async def leaves_by(self, user: User, token: str, expect: int | None = 204):
        """DELETE of the user with this token of another service."""
        body = {"subject_token": token, "subject_token_type": ID_TOKEN}
        return await self.leave(user, expect, **body)

    async def test_subject_token(self):
        """A token of the account elsewhere is a proof where there is no password."""
        subject = guid()
        user = await self.arrive(subject)
        await self.leaves_by(user, self.issuer().token(subject))
        await self.is_over(user)

    async def test_wrong(self):
        """Neither a password, nor a bad token, nor another's is a proof."""
        user, other = await self.arrive(), guid()
        await self.arrive(other)
        response = await self.leave(user, None, password="a password")
        self.problem(response, 403, "wrong_password")
        for token in ("x", self.issuer().token(guid()), self.issuer().token(other)):
            self.problem(await self.leaves_by(user, token, None), 403, "wrong_password")
        await self.goes_on(user)

    async def test_with_a_password(self):
        """Where there is a password, a token is no proof."""
        user = await self.user()
        token = self.issuer().token(guid())
        await self.link(user, token, expect=204)
        for one in (token, "x"):
            self.problem(await self.leaves_by(user, one, None), 403, "wrong_password")
        await self.goes_on(user)


class EndTests(AccountsCase):
    """What ends at once."""

    async def test_sessions(self):
        """Every session ends, on each process."""
        user = await self.user()
        others = [await self.logged_in(user.username, user.email, user.password) for _ in "ab"]
        await self.leave(user)
        for one in (user, *others):
            await self.is_over(one)

    async def test_sessions_at_once(self):
        """The process that deletes the account refuses its sessions at once."""
        self.one_process()
        user, other = await self.twice()
        await self.leave(user)
        for one in (user, other):
            await LogInCase.is_over(self, one)

    async def test_sockets(self):
        """Sockets are closed as those of an ended session, 4403, on each process."""
        user = await self.user()
        sockets = [await self.socket(user, kind=kind) for kind in ["game"] * 4 + ["portal"] * 2]
        await self.leave(user)
        for socket in sockets:
            self.assertEqual(4403, await socket.closed())

    async def test_connecting(self):
        """A socket token that was given before opens none."""
        user = await self.user()
        token = (await self.session(user))["accessToken"]
        await self.leave(user)
        for _ in range(3):
            socket = await self.socket(token=token, greeted=False)
            self.assertIn(await socket.closed(), (4401, 4403))

    async def test_log_in(self):
        """There is no log-in, by name or address; it is as for somebody unknown."""
        user = await self.user()
        await self.leave(user)
        for who in (user.username, user.email):
            got = await self.try_log_in(who, user.password)
            self.refused(got, "invalid_grant")
        unknown = await self.try_log_in(name(), guid())
        self.assertEqual(unknown.json(), got.json())


class NameTests(AccountsCase):
    """The name and the address."""

    async def test_name(self):
        """The name stays taken, in whatever case; who tries both hears of the name."""
        user = await self.user()
        await self.leave(user)
        for wanted in (user.username, user.username.upper()):
            for email in (self.fresh(), user.email):
                response = await self.post("user", self.registration(email, wanted))
                self.problem(response, 409, "username_taken")

    async def test_place(self):
        """Nobody can have the name that stands in the place of theirs."""
        user = await self.user()
        await self.leave(user)
        sent = self.registration(self.fresh(), f"deleted-{user.id[:8]}")
        self.problem(await self.post("user", sent), 409, "username_taken")

    async def test_address(self):
        """The address is free at once."""
        user = await self.confirmed()
        await self.leave(user)
        sent = self.registration(user.email)
        await self.post("user", sent, expect=201)
        again = await self.logged_in(**sent)
        self.assertNotEqual(user.id, again.id)
        self.assertEqual((user.email, False), await self.address_of(again))

    async def test_no_more_mails(self):
        """A reset for the address is 204 and sends nothing."""
        user, other = await self.known(), await self.known()
        await self.leave(user)
        count = len(self.mails.mails(user.email))
        await self.ask_reset(user.email)
        await self.reset_token(other)
        self.assertEqual(count, len(self.mails.mails(user.email)))


class OperatorTests(AccountsCase):
    """An account that the operator deletes, with the `contentsvc` command."""

    async def deletes(self, user: User, *more: str) -> None:
        """Have the operator delete the account."""
        assert self.daemon is not None
        await self.daemon.command("user", "delete", user.username, "--yes", *more)

    async def test_kept(self):
        """Nobody else gets the address, whatever the case: by registering, or by asking for it."""
        user, other = await self.confirmed(), await self.confirmed()
        await self.deletes(user)
        await self.is_over(user)
        for email in (user.email, user.email.upper()):
            response = await self.post("user", self.registration(email))
            self.problem(response, 409, "email_taken")
            self.problem(await self.change(other, email), 409, "email_taken")
        self.assertEqual((other.email, True), await self.address_of(other))

    async def test_confirmed_later(self):
        """A link to an address that was asked for before does not get it either."""
        other, wanted = await self.confirmed(), self.fresh()
        # Until it is confirmed, somebody else may register with it.
        await self.change(other, wanted, expect=204)
        token = (await self.mail(wanted)).token
        sent = self.registration(wanted)
        await self.post("user", sent, expect=201)
        await self.deletes(await self.logged_in(**sent))
        self.problem(await self.confirm(token, None), 409, "email_taken")
        self.assertEqual((other.email, True), await self.address_of(other))

    async def test_freed(self):
        """With --free-address it is free at once."""
        user = await self.confirmed()
        await self.deletes(user, "--free-address")
        sent = self.registration(user.email)
        await self.post("user", sent, expect=201)
        self.assertEqual((user.email, False), await self.address_of(await self.logged_in(**sent)))
