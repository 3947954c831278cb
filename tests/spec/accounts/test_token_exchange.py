"""Log-in with the studio's own accounts, over HTTP: extensions §8 and RFC 8693."""

from __future__ import annotations

import base64
import hmac
import json
import secrets
import time
from typing import Any

import jwt
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from twisted.internet.defer import Deferred

from tests.spec.accounts.exchanging import IDENTITY, ExchangeCase
from tests.spec.data import guid, name
from tests.spec.shapes import TOKENS
from tests.support.daemon import Daemon
from tests.support.issuers import (
    ACCESS_TOKEN,
    AUDIENCE,
    ID_TOKEN,
    JWT,
    STEAM,
    STEAM_KEY,
    STEAM_TICKET,
    Issuer,
    SigningKey,
)

USER = {"username": "ada", "email": "ada@example.com", "password": "correct horse"}


class GrantTests(ExchangeCase):
    """POST /oauth/token."""

    async def test_answer(self):
        """Extensions §8: the answer of a log-in, and issued_token_type."""
        got = await self.joined(self.at.token(guid()))
        self.shape(got, {**TOKENS, "issued_token_type": {ACCESS_TOKEN}})
        await self.get(f"user/{got['userId']}", by=got["access_token"], expect=200)

    async def test_again(self):
        """Extensions §8: only the first exchange makes a user; each begins a session."""
        subject = guid()
        first = await self.joined(self.at.token(subject))
        token = self.at.token(subject, preferred_username=name())
        second = await self.joined(token, subject_token_type=JWT)
        self.assertEqual(first["userId"], second["userId"])
        path = f"user/{first['userId']}/sessions"
        sessions = (await self.get(path, by=first["access_token"], expect=200)).json()
        self.assertEqual(2, len(sessions))

    async def test_at_once(self):
        """Of several first exchanges at once, one makes the user."""
        token = self.at.token(guid(), preferred_username=name())
        begun = [Deferred.fromCoroutine(self.joined(token)) for _ in range(6)]
        found = [await each for each in begun]
        self.assertEqual(1, len({each["userId"] for each in found}))

    async def test_renewal(self):
        """Its refresh token is good as that of a log-in is, once, and without the issuer."""
        got = await self.joined(self.at.token(guid()))
        form = {"grant_type": "refresh_token", "refresh_token": got["refresh_token"]}
        answer = (await self.post("/oauth/token", data=form, expect=200)).json()
        self.shape(answer, TOKENS)
        self.assertEqual(got["userId"], answer["userId"])

    async def test_parameters(self):
        """RFC 8693: subject_token and subject_token_type are required; the requested type can only
        be that of access tokens; other targets and actors are refused."""
        token = self.at.token(guid())
        for missing in ("subject_token", "subject_token_type"):
            for value in (None, ""):
                self.assertIn(missing, await self.refused(token, **{missing: value}))
        self.assertIn("subject_token_type", await self.refused(token, subject_token_type="jwt"))
        await self.refused(token, requested_token_type=ID_TOKEN)
        await self.refused(token, actor_token=token)
        await self.refused(token, "invalid_target", audience="other")
        await self.refused(token, "invalid_target", resource="https://other.example")
        await self.joined(token, requested_token_type=ACCESS_TOKEN, scope="openid")

    async def test_banned(self):
        """A banned user gets the refusal of a log-in."""
        subject = guid()
        user = (await self.joined(self.at.token(subject)))["userId"]
        await self.put(f"user/{user}/ban", {"reason": "rude"}, by=await self.admin(), expect=204)
        response = await self.exchange(self.at.token(subject))
        self.assertEqual(403, response.status)
        self.assertEqual("account_banned", response.json()["error"])

    async def test_registration_closed(self):
        """Choices: the first exchange makes a user also where registration is closed."""
        closed = Daemon("--registration", "off", "--issuers", str(self.at.file()))
        await closed.start()
        self.addCleanup(closed.stop)
        self.use(closed)
        self.problem(await self.post("user", USER), 403, "registration_closed")
        await self.joined(self.at.token(guid()))


class SteamTests(ExchangeCase):
    """Tickets of Steam."""

    async def test_steam(self):
        """A ticket logs the player in, as often as Steam takes it; identities have the SteamID."""
        player = str(secrets.randbelow(10**17))
        self.at.tickets = {"14ab": player, "14ac": player}
        first = await self.joined("14ab", subject_token_type=STEAM_TICKET)
        second = await self.joined("14ac", subject_token_type=STEAM_TICKET)
        self.assertEqual(first["userId"], second["userId"])
        path = f"user/{first['userId']}/identities"
        (found,) = await self.read(path, [IDENTITY], by=first["access_token"])
        self.assertEqual(("steam", player), (found["issuer"], found["subject"]))

    async def test_bad(self):
        """What Steam does not take is invalid_request; so is a ticket as an ID token."""
        self.at.tickets = {"14ab": "1"}
        for ticket in ("14ff", "xyz", "14a"):
            await self.refused(ticket, subject_token_type=STEAM_TICKET)
        await self.refused("14ab")

    async def test_away(self):
        """Where Steam does not answer, it is 503 with Retry-After. The log has no key."""
        self.at.statuses = {STEAM: 500}
        self.addCleanup(self.at.statuses.clear)
        response = await self.exchange("14ab", subject_token_type=STEAM_TICKET)
        self.assertEqual(503, response.status)
        self.assertEqual("temporarily_unavailable", response.json()["error"])
        self.assertTrue(response.header("Retry-After"))
        assert self.daemon is not None
        self.assertIn("Cannot verify Steam tickets: the answer is 500", self.daemon.output())
        self.assertNotIn(STEAM_KEY, self.daemon.output())


class UserTests(ExchangeCase):
    """The user whom the first exchange makes."""

    async def full(self, **claims: Any) -> dict[str, Any]:
        """The full record of a new user."""
        got = await self.joined(self.at.token(guid(), **claims))
        path = f"user/{got['userId']}"
        return dict((await self.get(path, by=got["access_token"], expect=200)).json())

    async def test_name(self):
        """Extensions §8: preferred_username proposes the name."""
        proposed = name()
        self.assertEqual(proposed, (await self.full(preferred_username=proposed))["username"])

    async def test_name_taken(self):
        """A name that is taken, in whatever case, gets digits."""
        ann = await self.user()
        found = (await self.full(preferred_username=ann.username.upper()))["username"]
        self.assertRegex(found, rf"^{ann.username.upper()}-[0-9]{{4}}$")

    async def test_name_made_up(self):
        """Without a name that can be one, it is made up."""
        for proposed in (None, "", "x", "...@...", "日本語", 7):
            found = (await self.full(preferred_username=proposed))["username"]
            self.assertRegex(found, r"^(player-[0-9]{4,8}|\.\.\.(-[0-9]{4,8})?)$")

    async def test_name_other_characters(self):
        """Of a name, only the characters remain that a username may have, and no address."""
        part = name()[:12]
        found = (await self.full(preferred_username=f"Zoë {part}!@studio.example"))["username"]
        self.assertEqual(f"Zoe{part}", found)
        long = (await self.full(preferred_username=name() + "z" * 60))["username"]
        self.assertEqual(32, len(long))

    async def test_name_kept(self):
        """The name of a user who has left is kept: the same account elsewhere gets digits too."""
        subject, proposed = guid(), name()
        first = await self.joined(self.at.token(subject, preferred_username=proposed))
        proof = {"subject_token": self.at.token(subject), "subject_token_type": ID_TOKEN}
        path = f"user/{first['userId']}"
        await self.request("DELETE", path, proof, by=first["access_token"], expect=204)
        token = self.at.token(subject, preferred_username=proposed)
        second = await self.joined(token)
        self.assertNotEqual(first["userId"], second["userId"])
        path = f"user/{second['userId']}"
        found = (await self.get(path, by=second["access_token"], expect=200)).json()
        self.assertRegex(found["username"], rf"^{proposed}-[0-9]{{4}}$")

    async def test_email(self):
        """Extensions §8: `email` is "", whatever the token says; nobody is merged by address."""
        ann = await self.user()
        found = await self.full(email=ann.email, email_verified=True)
        self.assertEqual("", found["email"])
        self.assertNotEqual(ann.id, found["id"])

    async def test_no_password(self):
        """Extensions §8: there is no password: log-in and change of password are refused."""
        user = await self.full()
        for password in ("", "password", "None"):
            form = {"grant_type": "password", "username": user["username"], "password": password}
            answer = await self.post("/oauth/token", data=form)
            self.assertEqual(400, answer.status)
        again = await self.joined(self.at.token(guid()))
        body = {"current": "", "new": "a new password"}
        path = f"user/{again['userId']}/password"
        answer = await self.put(path, body, by=again["access_token"])
        self.problem(answer, 403, "wrong_password")


class BadTokenTests(ExchangeCase):
    """A bad subject token is `invalid_request`."""

    async def test_claims(self):
        """Extensions §8: exact iss and aud, one aud; exp and sub required; nbf; 60 s of skew."""
        now = int(time.time())
        at = self.at
        for claims in (
            {"iss": at.url + "/"},
            {"iss": "https://other.example"},
            {"iss": None},
            {"aud": "other"},
            {"aud": AUDIENCE.upper()},
            {"aud": None},
            {"aud": []},
            {"aud": [AUDIENCE, "other"]},
            {"aud": [AUDIENCE, AUDIENCE]},
            {"exp": None},
            {"exp": now - 90},
            {"exp": "soon"},
            {"nbf": now + 90},
            {"sub": None},
            {"sub": ""},
            {"sub": 7},
            {"sub": "s" * 256},
            {"sub": "a\0b"},
        ):
            await self.refused(at.token(guid(), **claims))
        for claims in (
            {"aud": [AUDIENCE]},
            {"exp": now - 30},
            {"nbf": now + 30},
            {"sub": "s" * 200 + guid()},
        ):
            await self.joined(at.token(**{"subject": guid(), **claims}))

    async def test_signature(self):
        """The key must be the issuer's, and the token whole."""
        at, other = self.at, SigningKey("first")
        claims = at.claims(guid())
        await self.refused(other.sign(claims))
        head, body, signature = at.token(guid()).split(".")
        other_body = at.token(guid()).split(".")[1]
        for token in (f"{head}.{other_body}.{signature}", f"{head}.{body}.", f"{head}.{body}", "x"):
            await self.refused(token)

    async def test_algorithms(self):
        """Neither `none`, nor HMAC with the public key, nor another algorithm with the key."""
        at = self.at
        claims = at.claims(guid())
        await self.refused(jwt.encode(claims, None, "none", {"kid": at.key.kid}))
        public = at.key.private.public_key()
        for key in (
            public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
            public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint),
            json.dumps(at.keys[0]).encode(),
        ):
            await self.refused(hmac_token(claims, key, at.key.kid))
        await self.refused(SigningKey(at.key.kid, "RS256").sign(claims))

    async def test_unknown_issuer(self):
        """A token of an issuer that is not in the file is refused, and nobody is asked."""
        other = Issuer()
        self.addCleanup(other.stop)
        await self.refused(other.token(guid()))
        self.assertEqual([], other.asked)

    async def test_long(self):
        """A token that is too long is refused."""
        await self.refused(self.at.token(guid(), more="x" * 10_900))


def hmac_token(claims: dict[str, Any], key: bytes, kid: str) -> str:
    """A token that is signed with HMAC, whatever the key looks like."""

    def encoded(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    head = json.dumps({"alg": "HS256", "typ": "JWT", "kid": kid}).encode()
    text = f"{encoded(head)}.{encoded(json.dumps(claims).encode())}"
    return f"{text}.{encoded(hmac.digest(key, text.encode(), 'sha256'))}"
