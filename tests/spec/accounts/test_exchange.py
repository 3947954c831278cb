"""Token exchange at /oauth/token: extensions §8, RFC 8693."""

import re
import time

from tests.spec.accounts.base import ACCESS_TOKEN, EXCHANGE, ID_TOKEN, JWT, AccountsCase
from tests.spec.data import claims, guid, name
from tests.spec.shapes import TOKENS, USER

USERNAME = re.compile(r"[A-Za-z0-9_.-]{3,32}")


class FirstTimeTests(AccountsCase):
    """The first time makes a user."""

    async def test_answer(self):
        """§8: the answer is that of a log-in, and adds issued_token_type."""
        got = await self.exchange(self.issuer().token(sub=guid()), expect=200)
        self.shape(got.json(), TOKENS | {"issued_token_type": {ACCESS_TOKEN}})
        self.assertEqual("no-store", got.header("Cache-Control"))

    async def test_jwt(self):
        """§8: the token may be called an ID token or a JWT; it is the same subject."""
        token = self.issuer().token(sub=guid())
        got = [await self.exchange(token, kind, expect=200) for kind in (ID_TOKEN, JWT)]
        self.assertEqual(1, len({one.json()["userId"] for one in got}))

    async def test_algorithms(self):
        """§8: RS256, ES256 and EdDSA, with any of the issuer's keys."""
        issuer, subject = self.issuer(), guid()
        found = {
            (await self.exchange(issuer.token(by=key, sub=subject), expect=200)).json()["userId"]
            for key in issuer.keys
        }
        self.assertEqual(1, len(found))

    async def test_record(self):
        """§8: `email` is "" and not verified, whatever the token says; the rest is a user's."""
        address = self.fresh()
        user = await self.arrive(email=address, email_verified=True)
        found = await self.record(user)
        self.shape(found, USER | {"emailVerified": bool})
        self.assertEqual(("", False), await self.address_of(user))
        sent = {"username": name(), "email": address, "password": guid()}
        await self.post("user", sent, expect=201)

    async def test_session(self):
        """§8: the session is as any: renewed, listed, connected, ended."""
        user = await self.arrive()
        form = {"grant_type": "refresh_token", "refresh_token": user.refresh_token}
        renewed = (await self.post("/oauth/token", data=form, expect=200)).json()
        self.shape(renewed, TOKENS)
        sessions = (await self.get(f"user/{user.id}/sessions", by=user, expect=200)).json()
        self.assertEqual([True], [one["current"] for one in sessions])
        socket = await self.socket(user)
        await self.post("/oauth/revoke", data={"token": renewed["refresh_token"]}, expect=200)
        self.assertEqual(4403, await socket.closed())
        await self.is_over(user)

    async def test_role(self):
        """§8: a token makes nobody an admin."""
        user = await self.arrive(role="admin", roles=["admin"], admin=True, groups=["admin"])
        self.assertEqual("user", claims(user.token)["role"])

    async def test_preferred_name(self):
        """§8: preferred_username proposes the name."""
        wanted = name("Ada")
        user = await self.arrive(preferred_username=wanted)
        self.assertEqual(wanted, user.username)

    async def test_taken_name(self):
        """§8: a name that is taken, in whatever case, does not keep the subject out."""
        other = await self.user()
        for wanted in (other.username, other.username.upper()):
            user = await self.arrive(preferred_username=wanted)
            self.assertNotEqual(other.id, user.id)
            self.assertNotEqual(other.username.lower(), user.username.lower())
            self.assertRegex(user.username, USERNAME)

    async def test_unfit_name(self):
        """§8: nor does one that is none, or that is missing: a name is made up."""
        for wanted in (
            "",
            "a",
            "a b",
            "x" * 200,
            "Ünï\U0001f409",
            "<b>",
            "\x00",
            7,
            None,
            ["a"],
            {},
        ):
            user = await self.arrive(preferred_username=wanted)
            self.assertRegex(user.username, re.compile(r"\A[A-Za-z0-9_.-]{3,32}\Z"))

    async def test_no_password(self):
        """§8: there is no password until a reset sets one: no log-in by name finds one."""
        user = await self.arrive()
        for password in ("", "None", "null", "password"):
            got = await self.try_log_in(user.username, password)
            self.refused(got, "invalid_request" if not password else "invalid_grant")

    async def test_wrong_password(self):
        """§8: where a password is asked for, any is wrong."""
        user = await self.arrive()
        body = {"current": "a password", "new": "another password"}
        response = await self.put(f"user/{user.id}/password", body, by=user)
        self.problem(response, 403, "wrong_password")

    async def test_not_by_address(self):
        """§8: never merged by address: another's verified address makes a user of its own."""
        other = await self.confirmed()
        user = await self.arrive(email=other.email, email_verified=True)
        self.assertNotEqual(other.id, user.id)
        self.assertEqual((other.email, True), await self.address_of(other))

    async def test_nobody_by_empty_address(self):
        """§8: nobody logs in, or is sent a mail, by the address ""."""
        await self.arrive()
        got = await self.try_log_in("", "a password")
        self.assertIn(got.json()["error"], ("invalid_request", "invalid_grant"))
        self.invalid(await self.ask_reset("", expect=400), "/email")


class AgainTests(AccountsCase):
    """The same subject later."""

    async def test_same(self):
        """§8: the same issuer and subject are the same user, whatever else the token says."""
        subject = guid()
        user = await self.arrive(subject, preferred_username=name())
        again = await self.arrive(subject, preferred_username=name(), email=self.fresh())
        self.assertEqual((user.id, user.username), (again.id, again.username))

    async def test_exactly(self):
        """§8: subjects are compared exactly, and for each issuer."""
        subject = guid()
        tokens = [self.issuer().token(sub=one) for one in (subject, subject.upper(), f"{subject}.")]
        tokens.append(self.issuer("shop").token(sub=subject))
        got = [await self.exchange(token, expect=200) for token in tokens]
        self.assertEqual(4, len({one.json()["userId"] for one in got}))

    async def test_at_once(self):
        """§8: of several first times at once one makes the user; all are that user."""
        token = self.issuer().token(sub=guid(), preferred_username=name())
        got = await self.together(*(self.exchange(token, expect=200) for _ in range(6)))
        self.assertEqual(1, len({one.json()["userId"] for one in got}))

    async def test_one_name_at_once(self):
        """§8: several subjects who want one name at once all come in."""
        wanted = name()
        users = await self.together(*(self.arrive(preferred_username=wanted) for _ in range(4)))
        self.assertEqual(4, len({one.username.lower() for one in users}))
        self.assertIn(wanted, {one.username for one in users})

    async def test_banned(self):
        """choices: a banned user does not come in, and hears why."""
        subject = guid()
        user = await self.arrive(subject)
        body = {"reason": "cheating"}
        await self.put(f"user/{user.id}/ban", body, by=await self.admin(), expect=204)
        got = await self.exchange(self.issuer().token(sub=subject))
        self.refused(got, "account_banned", 403)
        self.assertEqual("cheating", got.json()["reason"])

    async def test_left(self):
        """§8: who has left is nobody: the subject makes a new user."""
        subject = guid()
        user = await self.arrive(subject)
        token = self.issuer().token(sub=subject)
        await self.leave(user, subject_token=token, subject_token_type=ID_TOKEN)
        again = await self.arrive(subject)
        self.assertNotEqual(user.id, again.id)

    async def test_address_and_password(self):
        """§8: the address is "" until one is confirmed; a reset then sets a password."""
        subject, address = guid(), self.fresh()
        user = await self.arrive(subject)
        token = self.issuer().token(sub=subject)
        body = {"email": address, "subject_token": token, "subject_token_type": ID_TOKEN}
        await self.put(f"user/{user.id}/email", body, by=user, expect=204)
        self.assertEqual(("", False), await self.address_of(user))
        await self.confirm((await self.mail(address)).token)
        self.assertEqual((address, True), await self.address_of(user))
        await self.ask_reset(address)
        await self.reset((await self.mail(address, 2)).token, "a first password", expect=204)
        got = await self.try_log_in(address, "a first password", expect=200)
        self.assertEqual(user.id, got.json()["userId"])
        self.assertEqual(user.id, (await self.arrive(subject)).id)


class KeyTests(AccountsCase):
    """The issuer's keys, and issuers that are away."""

    async def test_away(self):
        """§8: the keys are kept while the issuer is away."""
        issuer = self.issuer()
        for _ in range(12):  # so many that each process has the keys
            await self.exchange(issuer.token(sub=guid()), expect=200)
        issuer.away = True
        self.addCleanup(setattr, issuer, "away", False)
        for _ in range(6):
            await self.exchange(issuer.token(sub=guid()), expect=200)

    async def test_unknown_key_while_away(self):
        """§8: an unknown kid while the issuer is away is invalid_request."""
        issuer = self.issuer("shop")
        await self.exchange(issuer.token(sub=guid()), expect=200)
        issuer.away = True
        self.addCleanup(setattr, issuer, "away", False)
        self.refused(await self.exchange(issuer.token(sub=guid(), kid="new")), "invalid_request")

    async def test_asked_seldom(self):
        """§8: unknown kids have the keys fetched at most once a minute, by each process."""
        issuer = self.issuer("shop")
        await self.exchange(issuer.token(sub=guid()), expect=200)
        issuer.asked.clear()
        for n in range(20):
            token = issuer.token(sub=guid(), kid=f"unknown-{n}")
            self.refused(await self.exchange(token), "invalid_request")
        self.assertLessEqual(issuer.asked.count("/jwks"), 2 * 2)

    async def test_skew(self):
        """§8: `exp` and `nbf` are held, with 60 s of skew."""
        now, subject = int(time.time()), guid()
        for good in ({"exp": now - 30}, {"nbf": now + 30}, {"nbf": now - 5}, {"iat": None}):
            await self.exchange(self.issuer().token(sub=subject, **good), expect=200)
        for bad in ({"exp": now - 90}, {"nbf": now + 120}):
            got = await self.exchange(self.issuer().token(sub=subject, **bad))
            self.refused(got, "invalid_request")

    async def test_audience(self):
        """§8: `aud` is exact: the one audience, which may stand in an array alone."""
        issuer, subject = self.issuer(), guid()
        await self.exchange(issuer.token(sub=subject, aud=[issuer.audience]), expect=200)
        for wrong in (
            [issuer.audience, "other"],
            [issuer.audience, issuer.audience],
            "other",
            issuer.audience.upper(),
            f"{issuer.audience} ",
            "",
            [],
            7,
            {"a": issuer.audience},
            None,
        ):
            got = await self.exchange(issuer.token(sub=subject, aud=wrong))
            self.refused(got, "invalid_request")


class RequestTests(AccountsCase):
    """The form, and what else it has."""

    async def test_members(self):
        """RFC 8693 §2.1: subject_token and subject_token_type are required."""
        token = self.issuer().token(sub=guid())
        for form in (
            {"subject_token": token},
            {"subject_token_type": ID_TOKEN},
            {"subject_token": "", "subject_token_type": ID_TOKEN},
            {"subject_token": token, "subject_token_type": ""},
            {"subject_token": token, "subject_token_type": "id_token"},
            {"subject_token": token, "subject_token_type": ACCESS_TOKEN},
            {},
        ):
            got = await self.post("/oauth/token", data={"grant_type": EXCHANGE, **form})
            self.refused(got, "invalid_request")

    async def test_twice(self):
        """RFC 6749 §3.2: no parameter may come twice."""
        token = self.issuer().token(sub=guid())
        form = f"grant_type={EXCHANGE}&subject_token_type={ID_TOKEN}"
        form += f"&subject_token={token}&subject_token={token}"
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        got = await self.post("/oauth/token", data=form.encode(), headers=headers)
        self.refused(got, "invalid_request")

    async def test_no_lock_out(self):
        """§8: good tokens are taken, however many bad ones came before."""
        for _ in range(15):
            self.refused(await self.exchange("bad"), "invalid_request")
        await self.exchange(self.issuer().token(sub=guid()), expect=200)

    async def test_not_a_bearer(self):
        """§8: an issuer's token opens nothing by itself."""
        subject = guid()
        user = await self.arrive(subject)
        token = self.issuer().token(sub=subject)
        self.problem(await self.get(f"user/{user.id}", by=token), 401, "invalid_token")
        form = {"grant_type": "refresh_token", "refresh_token": token}
        self.refused(await self.post("/oauth/token", data=form), "invalid_grant")

    async def test_own_tokens(self):
        """§8: the service's own tokens are no issuer's."""
        user = await self.user()
        for token in (user.token, user.refresh_token, (await self.session(user))["accessToken"]):
            for kind in (ID_TOKEN, JWT):
                self.refused(await self.exchange(token, kind), "invalid_request")
