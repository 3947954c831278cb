"""Token exchange at /oauth/token: accounts#other-services, and RFC 8693."""

from __future__ import annotations

import secrets

from tests.spec.accounts.base import AccountsCase
from tests.spec.data import claims, guid, name
from tests.spec.shapes import IDENTITY, TOKENS, USER
from tests.support.daemon import Daemon
from tests.support.issuers import (
    ACCESS_TOKEN,
    GRANT,
    ID_TOKEN,
    JWT,
    STEAM,
    STEAM_KEY,
    STEAM_TICKET,
)


class FirstTimeTests(AccountsCase):
    """The first time makes a user."""

    async def test_answer(self):
        """The answer is that of a log-in, and adds issued_token_type."""
        got = await self.exchange(self.issuer().token(guid()), expect=200)
        self.shape(got.json(), TOKENS | {"issued_token_type": {ACCESS_TOKEN}})
        self.assertEqual("no-store", got.header("Cache-Control"))

    async def test_record(self):
        """`email` is "" and not verified, whatever the token says; the rest is a user's."""
        address = self.fresh()
        user = await self.arrive(email=address, email_verified=True)
        self.shape(await self.record(user), USER)
        self.assertEqual(("", False), await self.address_of(user))
        await self.post("user", self.registration(address), expect=201)

    async def test_session(self):
        """The session is as any: renewed, listed, connected, ended."""
        user = await self.arrive()
        form = {"grant_type": "refresh_token", "refresh_token": user.refresh_token}
        renewed = (await self.post("/oauth/token", data=form, expect=200)).json()
        self.shape(renewed, TOKENS)
        self.assertEqual(user.id, renewed["userId"])
        sessions = (await self.get(f"user/{user.id}/sessions", by=user, expect=200)).json()
        self.assertEqual([True], [one["current"] for one in sessions])
        socket = await self.socket(user)
        await self.post("/oauth/revoke", data={"token": renewed["refresh_token"]}, expect=200)
        self.assertEqual(4403, await socket.closed())
        await self.is_over(user)

    async def test_role(self):
        """A token makes nobody an admin."""
        user = await self.arrive(role="admin", roles=["admin"], admin=True, groups=["admin"])
        self.assertEqual("user", claims(user.token)["role"])

    async def test_registration_closed(self):
        """It makes a user also where registration is closed."""
        closed = Daemon("--registration", "off", "--issuers", str(self.beside.file))
        self.addCleanup(closed.stop)
        await closed.start()
        self.use(closed)
        response = await self.post("user", self.registration(self.fresh()))
        self.problem(response, 403, "registration_closed")
        await self.exchange(self.issuer().token(guid()), expect=200)

    async def test_no_password(self):
        """There is no password until a reset sets one: no log-in by name finds one."""
        user = await self.arrive()
        for password in ("", "None", "null", "password"):
            got = await self.try_log_in(user.username, password)
            self.refused(got, "invalid_request" if not password else "invalid_grant")

    async def test_wrong_password(self):
        """Where a password is asked for, any is wrong."""
        user = await self.arrive()
        for password in ("", "a password"):
            body = {"current": password, "new": "another password"}
            response = await self.put(f"user/{user.id}/password", body, by=user)
            self.problem(response, 403, "wrong_password")

    async def test_not_by_address(self):
        """Nobody is found by the address in a token: another's makes a user of its own."""
        other = await self.confirmed()
        user = await self.arrive(email=other.email, email_verified=True)
        self.assertNotEqual(other.id, user.id)
        self.assertEqual((other.email, True), await self.address_of(other))

    async def test_nobody_by_empty_address(self):
        """Nobody logs in by the address ""."""
        await self.arrive()
        got = await self.try_log_in("", "a password")
        self.assertIn(got.json()["error"], ("invalid_request", "invalid_grant"))


MADE_UP = r"\Aplayer-[0-9]{4,8}\Z"


class NameTests(AccountsCase):
    """The name of a user whom an exchange makes."""

    async def test_preferred(self):
        """preferred_username is the name, if it is one as it stands."""
        for wanted in (name("Ada"), f"{name()[:12]}.q_-", name() + "z" * 10):
            user = await self.arrive(preferred_username=wanted[:32])
            self.assertEqual(wanted[:32], user.username)

    async def test_taken(self):
        """One that is taken, in whatever case, is none: a name is made up."""
        other = await self.user()
        for wanted in (other.username, other.username.upper()):
            user = await self.arrive(preferred_username=wanted)
            self.assertNotEqual(other.id, user.id)
            self.assertRegex(user.username, MADE_UP)

    async def test_made_up(self):
        """Without a name that can be one, it is made up: nothing is made of another text."""
        for wanted in (
            *(None, "", "x", "a b", "<b>", "\x00", "...@...", "日本語"),
            *("Jane Public", "Zoë", "ada\n", "a" * 33, 7, ["a"], {}),
        ):
            user = await self.arrive(preferred_username=wanted)
            self.assertRegex(user.username, MADE_UP)

    async def test_no_address(self):
        """Of an address nothing is shown, nor of other claims, such as a real name."""
        part = name()[:12]
        for said in (
            {"preferred_username": f"{part}@studio.example"},
            {"email": f"{part}@studio.example"},
            {"name": part, "given_name": part, "nickname": part},
        ):
            user = await self.arrive(**said)
            self.assertRegex(user.username, MADE_UP)

    async def test_at_once(self):
        """Several subjects who want one name at once all come in."""
        wanted = name()
        users = await self.together(*(self.arrive(preferred_username=wanted) for _ in range(4)))
        self.assertEqual(4, len({one.username.lower() for one in users}))
        self.assertIn(wanted, {one.username for one in users})


class AgainTests(AccountsCase):
    """The same subject later."""

    async def test_same(self):
        """The same issuer and subject are the same user, whatever else the token says. Each
        exchange begins a session."""
        subject = guid()
        user = await self.arrive(subject, preferred_username=name())
        again = await self.arrive(subject, preferred_username=name(), email=self.fresh())
        self.assertEqual((user.id, user.username), (again.id, again.username))
        sessions = (await self.get(f"user/{user.id}/sessions", by=user, expect=200)).json()
        self.assertEqual(2, len(sessions))

    async def test_jwt(self):
        """The token may be called an ID token or a JWT; it is the same subject."""
        token = self.issuer().token(guid())
        got = [await self.exchange(token, kind, expect=200) for kind in (ID_TOKEN, JWT)]
        self.assertEqual(1, len({one.json()["userId"] for one in got}))

    async def test_exactly(self):
        """Subjects are compared exactly, and for each issuer."""
        subject = guid()
        tokens = [self.issuer().token(one) for one in (subject, subject.upper(), f"{subject}.")]
        tokens.append(self.issuer("shop").token(subject))
        got = [await self.exchange(token, expect=200) for token in tokens]
        self.assertEqual(4, len({one.json()["userId"] for one in got}))

    async def test_at_once(self):
        """Of several first times at once one makes the user; all are that user."""
        token = self.issuer().token(guid(), preferred_username=name())
        got = await self.together(*(self.exchange(token, expect=200) for _ in range(6)))
        self.assertEqual(1, len({one.json()["userId"] for one in got}))

    async def test_banned(self):
        """A banned user does not come in, and hears why."""
        subject = guid()
        user = await self.arrive(subject)
        body = {"reason": "cheating"}
        await self.put(f"user/{user.id}/ban", body, by=await self.admin(), expect=204)
        got = await self.exchange(self.issuer().token(subject))
        self.refused(got, "account_banned", 403)
        self.assertEqual("cheating", got.json()["reason"])

    async def test_left(self):
        """Who has left is nobody: the subject makes a new user. The name is kept, so that the new
        one has another."""
        subject, wanted = guid(), name()
        user = await self.arrive(subject, preferred_username=wanted)
        token = self.issuer().token(subject)
        await self.leave(user, subject_token=token, subject_token_type=ID_TOKEN)
        again = await self.arrive(subject, preferred_username=wanted)
        self.assertNotEqual(user.id, again.id)
        self.assertRegex(again.username, MADE_UP)

    async def test_address_and_password(self):
        """The address is "" until one is confirmed; a reset then sets a password."""
        subject, address = guid(), self.fresh()
        user = await self.arrive(subject)
        token = self.issuer().token(subject)
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

    async def test_algorithms(self):
        """RS256, ES256 and EdDSA are taken, with any of the issuer's keys."""
        issuer, subject = self.issuer(), guid()
        tokens = [key.sign(issuer.claims(subject)) for key in issuer.signing]
        got = [await self.exchange(token, expect=200) for token in tokens]
        self.assertEqual(1, len({one.json()["userId"] for one in got}))

    async def test_away(self):
        """The keys are kept while the issuer is away."""
        issuer = self.issuer()
        for _ in range(12):  # so many that each process has the keys
            await self.exchange(issuer.token(guid()), expect=200)
        await issuer.stop()
        for _ in range(6):
            await self.exchange(issuer.token(guid()), expect=200)

    async def test_unknown_key_while_away(self):
        """A token of an unknown key while the issuer is away is `invalid_request`."""
        issuer = self.issuer("shop")
        await self.exchange(issuer.token(guid()), expect=200)
        await issuer.stop()
        token = issuer.key.sign(issuer.claims(guid()), kid="new")
        self.refused(await self.exchange(token), "invalid_request")

    async def test_asked_seldom(self):
        """Unknown keys have the keys fetched at most once a minute, by each process."""
        issuer = self.issuer("shop")
        await self.exchange(issuer.token(guid()), expect=200)
        issuer.asked.clear()
        for n in range(20):
            token = issuer.key.sign(issuer.claims(guid()), kid=f"unknown-{n}")
            self.refused(await self.exchange(token), "invalid_request")
        self.assertLessEqual(issuer.asked.count("/jwks"), 2 * 2)


class RequestTests(AccountsCase):
    """The form, and what else it has."""

    async def test_required(self):
        """subject_token and subject_token_type are required, and each is named where it is wrong
        (RFC 8693 §2.1)."""
        token = self.issuer().token(guid())
        for missing in (None, ""):
            said = self.refused(await self.exchange(missing), "invalid_request")
            self.assertIn("subject_token", said)
        for kind in (None, "", "jwt", "id_token", ACCESS_TOKEN):
            said = self.refused(await self.exchange(token, kind), "invalid_request")
            self.assertIn("subject_token_type", said)
        got = await self.post("/oauth/token", data={"grant_type": GRANT})
        self.refused(got, "invalid_request")

    async def test_optional(self):
        """The requested type can only be that of access tokens, other targets and actors are
        refused, a scope is ignored."""
        token = self.issuer().token(guid())
        for error, form in (
            ("invalid_request", {"requested_token_type": ID_TOKEN}),
            ("invalid_request", {"actor_token": token}),
            ("invalid_target", {"audience": "other"}),
            ("invalid_target", {"resource": "https://other.example"}),
        ):
            self.refused(await self.exchange(token, **form), error)
        form = {"requested_token_type": ACCESS_TOKEN, "scope": "openid"}
        await self.exchange(token, expect=200, **form)

    async def test_twice(self):
        """No parameter may come twice (RFC 6749 §3.2)."""
        token = self.issuer().token(guid())
        form = f"grant_type={GRANT}&subject_token_type={ID_TOKEN}"
        form += f"&subject_token={token}&subject_token={token}"
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        got = await self.post("/oauth/token", data=form.encode(), headers=headers)
        self.refused(got, "invalid_request")

    async def test_no_lock_out(self):
        """Good tokens are taken, though bad ones came before."""
        for _ in range(15):
            self.refused(await self.exchange("bad"), "invalid_request")
        await self.exchange(self.issuer().token(guid()), expect=200)

    async def test_not_a_bearer(self):
        """An issuer's token opens nothing by itself."""
        subject = guid()
        user = await self.arrive(subject)
        token = self.issuer().token(subject)
        self.problem(await self.get(f"user/{user.id}", by=token), 401, "invalid_token")
        form = {"grant_type": "refresh_token", "refresh_token": token}
        self.refused(await self.post("/oauth/token", data=form), "invalid_grant")

    async def test_own_tokens(self):
        """The service's own tokens are no issuer's."""
        user = await self.user()
        for token in (user.token, user.refresh_token, (await self.session(user))["accessToken"]):
            for kind in (ID_TOKEN, JWT):
                self.refused(await self.exchange(token, kind), "invalid_request")


class SteamTests(AccountsCase):
    """Tickets of Steam."""

    async def test_steam(self):
        """A ticket logs the player in, as often as Steam takes it; identities have the SteamID."""
        player = str(secrets.randbelow(10**17))
        self.issuer().tickets = {"14ab": player, "14ac": player}
        got = [await self.exchange(one, STEAM_TICKET, expect=200) for one in ("14ab", "14ac")]
        first, second = [one.json() for one in got]
        self.assertEqual(first["userId"], second["userId"])
        path = f"user/{first['userId']}/identities"
        (found,) = await self.read(path, [IDENTITY], by=first["access_token"])
        self.assertEqual(("steam", player), (found["issuer"], found["subject"]))

    async def test_bad(self):
        """What Steam does not take is `invalid_request`; so is a ticket as an ID token."""
        self.issuer().tickets = {"14ab": "1"}
        for ticket in ("14ff", "xyz", "14a"):
            self.refused(await self.exchange(ticket, STEAM_TICKET), "invalid_request")
        self.refused(await self.exchange("14ab"), "invalid_request")

    async def test_away(self):
        """Where Steam does not answer, it is 503 with Retry-After. The log has no key."""
        self.issuer().statuses = {STEAM: 500}
        self.addCleanup(self.issuer().statuses.clear)
        response = await self.exchange("14ab", STEAM_TICKET)
        self.refused(response, "temporarily_unavailable", 503)
        self.assertTrue(response.header("Retry-After"))
        assert self.daemon is not None
        self.assertIn("Cannot verify Steam tickets: the answer is 500", self.daemon.output())
        self.assertNotIn(STEAM_KEY, self.daemon.output())
