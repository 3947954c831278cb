"""Bearer tokens, good and bad: accounts#tokens and conventions#errors."""

import base64
import secrets

from tests.spec.data import User, claims, guid, unsigned
from tests.spec.harness import SpecCase

MISSING = 'Bearer realm="contentsvc"'


def encoded(part: bytes) -> str:
    """A part of a JWT."""
    return base64.urlsafe_b64encode(part).decode().rstrip("=")


class BearerTests(SpecCase):
    """The Authorization header."""

    async def refused(self, user: User, token: str) -> None:
        """Assert that the token opens nothing."""
        for path in (f"user/{user.id}", f"user/{user.id}/info"):
            response = await self.get(path, by=token)
            self.problem(response, 401, "invalid_token")
            challenge = response.header("WWW-Authenticate") or ""
            self.assertTrue(challenge.startswith(MISSING), challenge)
            self.assertIn('error="invalid_token"', challenge)

    async def test_bearer(self):
        """`Authorization: Bearer <ACCESS_TOKEN>` authenticates a request."""
        user = await self.someone()
        await self.get(f"user/{user.id}", by=user, expect=200)

    async def test_scheme_in_any_case(self):
        """The name of the scheme may be written in any case (RFC 9110 §11.1)."""
        user = await self.someone()
        headers = {"Authorization": f"bearer {user.token}"}
        await self.get(f"user/{user.id}", headers=headers, expect=200)

    async def test_no_token(self):
        """conventions#errors: without a token it is 401 `unauthorized`, the challenge without an
        error."""
        response = await self.get(f"user/{(await self.someone()).id}")
        self.problem(response, 401, "unauthorized")
        self.assertEqual(MISSING, response.header("WWW-Authenticate"))

    async def test_garbage(self):
        """accounts#authentication: a bad token is 401 `invalid_token`, on public
        operations too."""
        user = await self.someone()
        head, body, _ = user.token.split(".")
        for token in ("garbage", "a.b.c", f"{head}.{body}.", f"{head}.{body}", user.token + "x"):
            await self.refused(user, token)

    async def test_deep(self):
        """So is one whose header or payload is nested deeply."""
        user = await self.someone()
        head, body, mark = user.token.split(".")
        for deep in (encoded(b"[" * 2900), encoded(b'{"a":' * 600), encoded(b"[" * 9000)):
            for token in (f"{deep}.{body}.{mark}", f"{head}.{deep}.{mark}", f"{deep}.{deep}."):
                if len(token) < 15_000:  # the limit of all headers
                    await self.refused(user, token)

    async def test_other_schemes(self):
        """An Authorization header that holds no bearer token is 401."""
        user = await self.someone()
        for value in ("Basic dTpw", "Bearer", "Bearer ", user.token, "Bearer a b", "Bearer \xff"):
            response = await self.get(f"user/{user.id}", headers={"Authorization": value})
            self.problem(response, 401)

    async def test_no_algorithm(self):
        """A token with `alg: none` is invalid."""
        user = await self.someone()
        await self.refused(user, unsigned(user.token))

    async def test_socket_token(self):
        """socket#session-connect: the token of session/connect does not open the
        API."""
        user = await self.someone()
        await self.refused(user, (await self.session(user))["accessToken"])

    async def test_refresh_token(self):
        """A refresh token does not open the API."""
        user = await self.someone()
        await self.refused(user, user.refresh_token)

    async def test_resigned(self):
        """A token made with the service's key and its claims is good: the control."""
        user = await self.someone()
        await self.get(f"user/{user.id}", by=self.forge(user), expect=200)

    async def test_expired(self):
        """accounts#tokens: an expired token is invalid."""
        user = await self.someone()
        issued = claims(user.token)["iat"]
        await self.refused(user, self.forge(user, iat=issued - 1900, exp=issued - 1000))

    async def test_other_key(self):
        """A token signed with another key is invalid, whatever its kid and its role."""
        user = await self.someone()
        await self.refused(user, self.forge(user, signed=secrets.token_bytes(32)))
        await self.refused(user, self.forge(user, signed=secrets.token_bytes(32), kid="other"))
        await self.refused(user, self.forge(user, signed=b"x" * 32, role="admin"))

    async def test_unknown_kid(self):
        """A token whose kid names no key is invalid."""
        user = await self.someone()
        await self.refused(user, self.forge(user, kid="nobody"))

    async def test_wrong_audience(self):
        """accounts#tokens: a token for another audience is invalid."""
        user = await self.someone()
        for audience in ("socket", "elsewhere", None):
            await self.refused(user, self.forge(user, aud=audience))

    async def test_wrong_issuer(self):
        """accounts#tokens: a token of another issuer is invalid."""
        user = await self.someone()
        for issuer in ("elsewhere", None):
            await self.refused(user, self.forge(user, iss=issuer))

    async def test_missing_claims(self):
        """accounts#tokens: a token without expiry, user or session is
        invalid."""
        user = await self.someone()
        for claim in ("exp", "sub", "sid"):
            await self.refused(user, self.forge(user, **{claim: None}))

    async def test_strange_claims(self):
        """Claims of other types are invalid, never an error of the service."""
        user = await self.someone()
        for changes in ({"sub": 7}, {"sid": []}, {"exp": "soon"}):
            await self.refused(user, self.forge(user, **changes))

    async def test_anothers_session(self):
        """No token opens another user's data."""
        user = await self.someone()
        self.problem(await self.get(f"user/{guid()}", by=user), 403, "forbidden")
