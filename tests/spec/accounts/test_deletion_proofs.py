"""DELETE /user/{user}: who may, what it ends, and what becomes of name and address: extensions
§8."""

from tests.spec.accounts.base import ID_TOKEN, AccountsCase
from tests.spec.data import guid, name
from tests.support.daemon import Daemon


class LeaveTests(AccountsCase):
    """Who leaves, and with what."""

    async def test_leave(self):
        """§8: {password}: 204, and the user is nobody on each process."""
        user = await self.user()
        await self.leave(user)
        await self.is_over(user)
        for _ in range(4):
            self.problem(await self.get(f"user/{user.id}/info"), 404, "user_not_found")

    async def test_wrong_password(self):
        """§8: 403 wrong_password; nothing is lost."""
        user = await self.user()
        made = await self.content(user)
        response = await self.leave(user, None, password="not the password")
        self.problem(response, 403, "wrong_password")
        await self.goes_on(user)
        await self.get(made.path, expect=200)

    async def test_guessing(self):
        """§8: wrong passwords are failed log-ins: after ten no more are taken."""
        user = await self.user()
        for _ in range(10):
            response = await self.leave(user, None, password="not the password")
            self.problem(response, 403, "wrong_password")
        self.problem(await self.leave(user, None), 429, "too_many_attempts")
        await self.goes_on(user)

    async def test_body(self):
        """Extensions: 400 comes before 403."""
        user = await self.user()
        for body in ({}, {"password": None}, {"password": 7}, [], {"subject_token": "x"}):
            response = await self.delete(f"user/{user.id}", body=body, by=user)
            self.problem(response, 400, "invalid_body")
        self.problem(await self.delete(f"user/{user.id}", by=user), 400)
        await self.goes_on(user)

    async def test_repeat(self):
        """§8: sent again with the same token it is 401: the session has ended."""
        user = await self.user()
        await self.leave(user)
        await self.unauthorized(lambda: self.leave(user, None))

    async def test_at_once(self):
        """§8: several at once: each is 204, 401 or 404, and the user has left."""
        user = await self.user()
        await self.content(user)
        got = await self.together(*(self.leave(user, None) for _ in range(4)))
        statuses = [one.status for one in got]
        self.assertIn(204, statuses)
        self.assertLessEqual(set(statuses), {204, 401, 404})
        await self.is_over(user)

    async def test_admin(self):
        """§8: an admin leaves as anybody does; what they did stays listed."""
        if self.daemon is None:
            return
        username, password = name("admin"), guid()
        email = await self.daemon.add_user(username, password, admin=True)
        admin, user = await self.logged_in(username, email, password), await self.user()
        body = {"reason": "cheating"}
        await self.put(f"user/{user.id}/ban", body, by=admin, expect=204)
        await self.leave(admin)
        await self.is_over(admin)
        path = f"moderation/actions?admin={admin.id}"
        found = (await self.get(path, by=await self.admin(), expect=200)).json()
        self.assertEqual([user.id], [one["subject"]["id"] for one in found])


class WithoutPasswordTests(AccountsCase):
    """Who has no password leaves by a token of theirs."""

    async def test_subject_token(self):
        """§8: {subject_token, subject_token_type} where there is no password."""
        subject = guid()
        user = await self.arrive(subject)
        token = self.issuer().token(sub=subject)
        await self.leave(user, subject_token=token, subject_token_type=ID_TOKEN)
        await self.is_over(user)

    async def test_wrong(self):
        """§8: neither a password, nor a bad token, nor another's."""
        user, other = await self.arrive(), guid()
        await self.arrive(other)
        response = await self.leave(user, None, password="a password")
        self.problem(response, 403, "wrong_password")
        for token in ("x", self.issuer().token(sub=guid()), self.issuer().token(sub=other)):
            body = {"subject_token": token, "subject_token_type": ID_TOKEN}
            self.problem(await self.leave(user, None, **body), (400, 403))
        await self.goes_on(user)

    async def test_with_a_password(self):
        """§8: where there is a password, a token alone is not enough."""
        user, subject = await self.user(), guid()
        token = self.issuer().token(sub=subject)
        await self.link(user, token, expect=204)
        body = {"subject_token": token, "subject_token_type": ID_TOKEN}
        self.problem(await self.leave(user, None, **body), (400, 403))
        await self.goes_on(user)


class EndTests(AccountsCase):
    """What ends at once."""

    async def test_sessions(self):
        """§8: every session ends, on each process."""
        user = await self.user()
        others = [await self.logged_in(user.username, user.email, user.password) for _ in "ab"]
        await self.leave(user)
        for one in (user, *others):
            await self.is_over(one)

    async def test_sockets(self):
        """§8: sockets are closed as those of an ended session, 4403, on each process."""
        user = await self.user()
        sockets = [await self.socket(user, kind=kind) for kind in ["game"] * 4 + ["portal"] * 2]
        await self.leave(user)
        for socket in sockets:
            self.assertEqual(4403, await socket.closed())

    async def test_connecting(self):
        """§8: a socket token that was given before opens none."""
        user = await self.user()
        token = (await self.session(user))["accessToken"]
        await self.leave(user)
        for _ in range(3):
            socket = await self.socket(token=token, greeted=False)
            self.assertIn(await socket.closed(), (4401, 4403))

    async def test_log_in(self):
        """§8: there is no log-in, by name or address; it is as for somebody unknown."""
        user = await self.user()
        await self.leave(user)
        for who in (user.username, user.email):
            got = await self.try_log_in(who, user.password)
            self.refused(got, "invalid_grant")
        unknown = await self.try_log_in(name(), guid())
        self.assertEqual(unknown.json(), got.json())

    async def test_restart(self):
        """§8: it is as ended after the service was started again."""
        self.own_daemon()
        service = Daemon()
        self.addCleanup(service.stop)
        await service.start()
        self.use(service)
        user = await self.user()
        await self.leave(user)
        await service.stop()
        await service.start()
        self.use(service)
        await self.is_over(user)
        self.problem(await self.get(f"user/{user.id}/info"), 404, "user_not_found")

    async def test_many_things(self):
        """§8: who has much leaves as well, and wholly."""
        user, others = await self.user(), await self.users(3)
        made = [await self.content(user) for _ in range(12)]
        for one in others:
            await self.befriend(user, one)
            await self.follow(one, user)
        home = await self.content(others[0])
        remarks = [await self.comment(home, user, f"remark {n}") for n in range(15)]
        for n in range(60):
            path = f"user/{user.id}/progress/key-{n}"
            await self.put(path, {"value": {"n": n}}, by=user, expect=204)
        await self.leave(user)
        for content in made:
            self.problem(await self.get(content.path), 404, "content_not_found")
        for remark in remarks:
            self.assertTrue((await self.get(remark, expect=200)).json()["deleted"])
        for one in others:
            self.assertEqual([], await self.friends(one))
            self.assertEqual([], await self.listed(one, "following"))


class NameTests(AccountsCase):
    """The name and the address."""

    async def test_name(self):
        """§8: the name stays taken, in whatever case."""
        user = await self.user()
        await self.leave(user)
        for wanted in (user.username, user.username.upper()):
            sent = {"username": wanted, "email": self.fresh(), "password": guid()}
            self.problem(await self.post("user", sent), 409, "username_taken")

    async def test_name_by_exchange(self):
        """§8: for who comes by exchange too."""
        user = await self.user()
        await self.leave(user)
        other = await self.arrive(preferred_username=user.username)
        self.assertNotEqual(user.username.lower(), other.username.lower())

    async def test_address(self):
        """§8: the address is free at once."""
        user = await self.confirmed()
        await self.leave(user)
        sent = {"username": name(), "email": user.email, "password": guid()}
        await self.post("user", sent, expect=201)
        again = await self.logged_in(**sent)
        self.assertNotEqual(user.id, again.id)
        self.assertEqual((user.email, False), await self.address_of(again))

    async def test_both_taken(self):
        """§8: who tries both hears of the name."""
        user = await self.user()
        await self.leave(user)
        sent = {"username": user.username, "email": user.email, "password": guid()}
        self.problem(await self.post("user", sent), 409, "username_taken")

    async def test_no_more_mails(self):
        """§8: a reset for the address is 204 and sends nothing."""
        user, other = await self.known(), await self.known()
        await self.leave(user)
        count = len(self.mails.mails(user.email))
        await self.ask_reset(user.email)
        await self.reset_token(other)
        self.assertEqual(count, len(self.mails.mails(user.email)))
