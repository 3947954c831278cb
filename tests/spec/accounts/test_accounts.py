"""Registration, log-in, renewal and log-out: accounts#tokens."""

import secrets

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.accounts.base import LogInCase
from tests.spec.client import Response
from tests.spec.data import claims, guid, name
from tests.spec.shapes import GUID, TOKENS, USER


class RegistrationTests(LogInCase):
    """POST /api/v1/user."""

    def form(self, **changes: str) -> dict[str, str]:
        """A valid registration."""
        username = name()
        email = f"{username}@example.com"
        return {"username": username, "email": email, "password": "correct horse", **changes}

    async def test_reserved(self):
        """accounts#accounts: names that stand for the staff are 409 `username_taken`, whatever the
        case and the signs in them; the operator's command gives them."""
        for username in ("admin", "Moderator", "S.U.P.P.O.R.T", "content_svc", "-staff-"):
            response = await self.post("user", self.form(username=username))
            self.problem(response, 409, "username_taken")
        await self.post("user", self.form(username=name("admin")), expect=201)

    async def test_register(self):
        """accounts#tokens: it is 201 with a Location, a path that GET answers
        with what was registered."""
        form = self.form()
        response = await self.post("user", form, expect=201)
        location = response.header("Location") or ""
        self.assertRegex(location, f"^/api/v1/user/{GUID.pattern}$")
        token = (await self.login(form["username"], form["password"]))["access_token"]
        found = await self.read(location, USER, by=token)
        expected = {
            "id": location.rpartition("/")[2],
            "username": form["username"],
            "email": form["email"],
            "emailVerified": False,
            "avatar": None,
            "emblem": None,
            "fullProfile": {},
            "publicProfile": {},
            "role": "player",
            "guest": False,
            "terms": None,
        }
        self.assertEqual(expected, found)

    async def test_usernames(self):
        """Usernames are 3 to 32 of A-Za-z0-9_.-"""
        for good in (secrets.token_urlsafe(3)[:3], name("A_.-").ljust(32, "z")):
            await self.post(
                "user", self.form(username=good, email=f"{guid()}@example.com"), expect=201
            )
        for bad in ("ab", "a" * 33, "with space", "umläut", "at@sign", "line\n"):
            self.invalid(await self.post("user", self.form(username=bad)), "/username")

    async def test_username_taken(self):
        """accounts#tokens: a username that another has, in any case, is 409
        `username_taken`."""
        form = self.form()
        await self.post("user", form, expect=201)
        again = self.form(username=form["username"].upper())
        self.problem(await self.post("user", again), 409, "username_taken")

    async def test_email_taken(self):
        """accounts#tokens: an address that another account has, in any case, is
        409 `email_taken`."""
        form = self.form()
        await self.post("user", form, expect=201)
        for email in (form["email"], form["email"].upper()):
            self.problem(await self.post("user", self.form(email=email)), 409, "email_taken")

    async def test_refused_registration_makes_nothing(self):
        """A refused registration leaves its username free."""
        taken, form = self.form(), self.form()
        await self.post("user", taken, expect=201)
        await self.post("user", form | {"email": taken["email"]}, expect=409)
        await self.post("user", form, expect=201)

    async def test_passwords(self):
        """Passwords are 8 to 128 characters of any kind."""
        for good in ("8 chars!", "x" * 128, "пароль 🏰"):
            form = self.form(password=good)
            await self.post("user", form, expect=201)
            await self.login(form["username"], good)
        for bad in ("7 chars", "x" * 129):
            self.invalid(await self.post("user", self.form(password=bad)), "/password")


class PasswordTests(LogInCase):
    """PUT /user/{userId}/password."""

    async def test_change(self):
        """accounts#tokens: the new password counts from now on, and ends the
        other log-ins."""
        user, other = await self.twice()
        body = {"current": user.password, "new": "another password"}
        await self.put(f"user/{user.id}/password", body, by=user, expect=204)
        await self.goes_on(user)
        await self.is_over(other)
        self.refused(await self.try_log_in(user.username, user.password), "invalid_grant")
        await self.try_log_in(user.username, "another password", expect=200)

    async def test_wrong_current(self):
        """accounts#tokens: a wrong present password is 403 `wrong_password`, and
        changes nothing."""
        user = await self.user()
        body = {"current": "not the password", "new": "another password"}
        response = await self.put(f"user/{user.id}/password", body, by=user)
        self.problem(response, 403, "wrong_password")
        await self.try_log_in(user.username, user.password, expect=200)


class TokenTests(LogInCase):
    """POST /oauth/token and /oauth/revoke."""

    async def token(self, **form: str) -> Response:
        """The response of POST /oauth/token."""
        return await self.post("/oauth/token", data=form)

    def refused(self, response: Response, error: str, status: int = 400) -> str:
        """Assert an error as RFC 6749 §5.2 has it."""
        media = (response.header("Content-Type") or "").partition(";")[0]
        self.assertEqual("application/json", media)
        self.assertEqual({"error", "error_description"}, set(response.json()))
        return super().refused(response, error, status)

    async def refresh(self, token: str) -> Response:
        """The response to a refresh."""
        return await self.token(grant_type="refresh_token", refresh_token=token)

    async def test_password_grant(self):
        """accounts#tokens: the password grant answers as RFC 6749 §5.1 has it,
        and with userId."""
        user = await self.user()
        found = await self.login(user.username, user.password)
        self.shape(found, TOKENS)
        self.assertEqual((user.id, 900), (found["userId"], found["expires_in"]))
        await self.get(f"user/{user.id}", by=found["access_token"], expect=200)

    async def test_by_email(self):
        """accounts#tokens: the e-mail address is as good as the username."""
        user = await self.user()
        self.assertEqual(user.id, (await self.login(user.email, user.password))["userId"])

    async def test_not_stored(self):
        """Answers that hold tokens say `Cache-Control: no-store` (RFC 6749 §5.1)."""
        user = await self.user()
        response = await self.token(
            grant_type="password", username=user.username, password=user.password
        )
        self.assertIn("no-store", response.listed("Cache-Control"))

    async def test_wrong_password(self):
        """specification, Failed log-ins: a wrong password and an unknown user are the same 400
        `invalid_grant`."""
        user = await self.user()
        wrong = await self.token(grant_type="password", username=user.username, password="wrong!!!")
        unknown = await self.token(grant_type="password", username=name(), password="wrong!!!")
        for response in (wrong, unknown):
            self.refused(response, "invalid_grant")
        self.assertEqual(wrong.json(), unknown.json())

    async def test_missing_parameter(self):
        """A missing parameter is `invalid_request` (RFC 6749 §5.2)."""
        for form in (
            {"username": "someone", "password": "whatever"},
            {"grant_type": "password", "username": "someone"},
            {"grant_type": "password", "password": "whatever"},
            {"grant_type": "refresh_token"},
        ):
            self.refused(await self.token(**form), "invalid_request")

    async def test_unsupported_grant(self):
        """Another grant is `unsupported_grant_type` (RFC 6749 §5.2)."""
        self.refused(await self.token(grant_type="authorization_code"), "unsupported_grant_type")

    async def test_json_form(self):
        """The form is form-encoded; JSON is `invalid_request` (RFC 6749 §4.3.2)."""
        body = {"grant_type": "password", "username": "someone", "password": "whatever"}
        self.refused(await self.post("/oauth/token", body), "invalid_request")

    async def test_bad_bytes(self):
        """A NUL or bytes that are no UTF-8 in the form are a clear refusal."""
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        for username in (b"%00", b"%ff%fe"):
            form = b"grant_type=password&password=whatever&username=" + username
            response = await self.post("/oauth/token", data=form, headers=headers)
            self.assertEqual(400, response.status)
            self.assertIn(response.json()["error"], ("invalid_request", "invalid_grant"))

    async def test_refresh(self):
        """accounts#tokens: a refresh token gives a new pair of tokens for the
        same session."""
        user = await self.user()
        found = (await self.refresh(user.refresh_token)).json()
        self.shape(found, TOKENS)
        self.assertNotEqual(user.refresh_token, found["refresh_token"])
        self.assertEqual(claims(user.token)["sid"], claims(found["access_token"])["sid"])
        await self.get(f"user/{user.id}", by=found["access_token"], expect=200)
        self.assertEqual(200, (await self.refresh(found["refresh_token"])).status)

    async def test_refresh_twice_at_once(self):
        """accounts#tokens: two refreshes at once with one token both succeed,
        and give the same one."""
        user = await self.user()
        both = await gatherResults(
            Deferred.fromCoroutine(self.refresh(user.refresh_token)) for _ in range(2)
        )
        self.assertEqual([200, 200], [response.status for response in both])
        for response in both:
            await self.get(f"user/{user.id}", by=response.json()["access_token"], expect=200)
        both.append(await self.refresh(user.refresh_token))
        self.assertEqual(1, len({response.json()["refresh_token"] for response in both}))

    async def test_refresh_behind(self):
        """accounts#tokens: one that comes again when its successor was used ends
        the session."""
        user = await self.user()
        second = (await self.refresh(user.refresh_token)).json()["refresh_token"]
        third = (await self.refresh(second)).json()["refresh_token"]
        for token in (user.refresh_token, third):
            self.refused(await self.refresh(token), "invalid_grant")
        self.problem(await self.get(f"user/{user.id}", by=user), 401, "invalid_token")

    async def test_unknown_refresh_token(self):
        """An unknown refresh token is `invalid_grant` (RFC 6749 §5.2)."""
        self.refused(await self.refresh("never-issued"), "invalid_grant")

    async def test_access_token(self):
        """accounts#tokens: the access token is a JWT for 15 minutes and the
        API."""
        user = await self.user()
        found = claims(user.token)
        self.assertEqual({"iss", "sub", "sid", "jti", "iat", "exp", "aud", "role"}, set(found))
        known = {claim: found[claim] for claim in ("iss", "sub", "aud", "role")}
        expected = {"iss": "contentsvc", "sub": user.id, "aud": "api", "role": "user"}
        self.assertEqual(expected, known)
        self.assertEqual(900, found["exp"] - found["iat"])

    async def test_admin_role(self):
        """accounts#authentication: an admin's access token says role admin."""
        self.assertEqual("admin", claims((await self.admin()).token)["role"])

    async def test_revoke_ends_session(self):
        """accounts#sessions: to revoke either token ends the session: both tokens are dead at
        once."""
        for revoked in ("token", "refresh_token"):
            user = await self.user()
            form = {"token": getattr(user, revoked)}
            await self.post("/oauth/revoke", data=form, expect=200)
            await self.is_over(user)

    async def test_revoke_spares_other_sessions(self):
        """accounts#tokens: a log-out ends one session of the user, not the
        others."""
        user, other = await self.twice()
        await self.post("/oauth/revoke", data={"token": user.token}, expect=200)
        await self.goes_on(other)

    async def test_revoke_unknown(self):
        """To revoke an unknown or a dead token is 200 (RFC 7009 §2.2)."""
        user = await self.user()
        for token in ("never-issued", user.token, user.token):
            await self.post("/oauth/revoke", data={"token": token}, expect=200)

    async def test_revoke_nothing(self):
        """A revocation without token is `invalid_request` (RFC 7009 §2.2.1)."""
        self.refused(await self.post("/oauth/revoke", data={"x": "y"}), "invalid_request")
