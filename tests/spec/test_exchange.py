"""Log-in with the studio's own accounts, over HTTP: extensions §8 and RFC 8693."""

from __future__ import annotations

import base64
import hmac
import json
import time
from typing import Any, ClassVar

import jwt
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from twisted.internet.defer import Deferred

from tests.spec.client import Response
from tests.spec.data import User, guid, name
from tests.spec.harness import SpecCase
from tests.spec.shapes import GUID, TOKENS, instant
from tests.support.daemon import Daemon, shared
from tests.support.issuers import ACCESS_TOKEN, AUDIENCE, GRANT, ID_TOKEN, JWT, Issuer, SigningKey

IDENTITY = {"id": GUID, "issuer": str, "subject": str, "linked": instant}


class ExchangeCase(SpecCase):
    """A daemon that takes the tokens of an issuer which the test moves."""

    issuer: ClassVar[Issuer | None] = None

    async def connect(self) -> None:
        self.own_daemon()
        if ExchangeCase.issuer is not None:
            ExchangeCase.issuer.back()
        self.use(await shared("exchange", self.make))
        assert ExchangeCase.issuer is not None
        self.at = ExchangeCase.issuer
        self.addCleanup(self.at.stop)

    @classmethod
    def make(cls) -> Daemon:
        """The daemon, and the issuer, which is there during the tests."""
        issuer = ExchangeCase.issuer = Issuer()
        environ = {"ISSUERS": str(issuer.file()), "FAILED_LOG_INS_PER_ADDRESS": "0"}
        return Daemon(environ=environ)

    async def exchange(self, token: str, **changes: str | None) -> Response:
        """The answer to a token exchange. A change to None leaves a parameter out."""
        form = {
            "grant_type": GRANT,
            "subject_token": token,
            "subject_token_type": ID_TOKEN,
            **changes,
        }
        sent = {key: value for key, value in form.items() if value is not None}
        return await self.post("/oauth/token", data=sent)

    async def joined(self, token: str, **changes: str) -> dict[str, Any]:
        """The tokens of a successful exchange."""
        response = await self.exchange(token, **changes)
        self.assertEqual(200, response.status, repr(response))
        return dict(response.json())

    async def refused(self, token: str, error: str = "invalid_request", **changes: Any) -> str:
        """Assert that an exchange is refused; the description."""
        response = await self.exchange(token, **changes)
        self.assertEqual(400, response.status, repr(response))
        self.assertEqual(error, response.json()["error"], repr(response))
        return str(response.json()["error_description"])


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


class IdentityTests(ExchangeCase):
    """GET, POST and DELETE of a user's identities."""

    async def new(self) -> User:
        """A user without a password."""
        got = await self.joined(self.at.token(guid()))
        return User(got["userId"], "", "", "", got["access_token"], got["refresh_token"])

    def body(self, subject: str, **changes: str) -> dict[str, str]:
        """What links an account elsewhere."""
        return {
            "subject_token": self.at.token(subject),
            "subject_token_type": ID_TOKEN,
            **changes,
        }

    async def test_list(self):
        """Extensions §8: a list of {id, issuer, subject, linked}, newest first, with pages."""
        ann, subjects = await self.user(), [guid() for _ in range(3)]
        path = f"user/{ann.id}/identities"
        self.assertEqual([], await self.read(path, [IDENTITY], by=ann))
        for subject in subjects:
            await self.post(path, self.body(subject), by=ann, expect=204)
        found = await self.read(path, [IDENTITY], by=ann)
        self.assertEqual(subjects[::-1], [each["subject"] for each in found])
        self.assertEqual({self.at.url}, {each["issuer"] for each in found})
        pages = await self.pages(f"{path}?limit=2", [IDENTITY], by=ann)
        self.assertEqual(found, [each for page in pages for each in page])

    async def test_first(self):
        """The account elsewhere that made the user is one of them."""
        ann = await self.new()
        (found,) = await self.read(f"user/{ann.id}/identities", [IDENTITY], by=ann)
        self.assertEqual(self.at.url, found["issuer"])

    async def test_link(self):
        """Extensions §8: links; then its tokens log this user in; a repeat changes nothing."""
        ann, subject = await self.user(), guid()
        path = f"user/{ann.id}/identities"
        await self.post(path, self.body(subject), by=ann, expect=204)
        before = await self.read(path, [IDENTITY], by=ann)
        await self.post(path, self.body(subject), by=ann, expect=204)
        self.assertEqual(before, await self.read(path, [IDENTITY], by=ann))
        self.assertEqual(ann.id, (await self.joined(self.at.token(subject)))["userId"])

    async def test_taken(self):
        """Extensions §8: 409 identity_taken where it is another's."""
        subject = guid()
        await self.joined(self.at.token(subject))
        ann = await self.user()
        answer = await self.post(f"user/{ann.id}/identities", self.body(subject), by=ann)
        self.problem(answer, 409, "identity_taken")

    async def test_bad(self):
        """Extensions §8: 400 invalid_subject_token; what is missing is invalid_body."""
        ann = await self.user()
        path = f"user/{ann.id}/identities"
        for changes in (
            {"subject_token": "x"},
            {"subject_token": self.at.token(guid(), aud="other")},
            {"subject_token_type": "jwt"},
        ):
            answer = await self.post(path, self.body(guid(), **changes), by=ann)
            self.problem(answer, 400, "invalid_subject_token")
        for missing in ("subject_token", "subject_token_type"):
            body = self.body(guid())
            del body[missing]
            self.problem(await self.post(path, body, by=ann), 400, "invalid_body")

    async def test_unlink(self):
        """Extensions §8: DELETE takes the link away, of an unknown id too; then the account
        elsewhere makes a new user."""
        ann, subject = await self.user(), guid()
        path = f"user/{ann.id}/identities"
        await self.post(path, self.body(subject), by=ann, expect=204)
        (found,) = await self.read(path, [IDENTITY], by=ann)
        for _ in range(2):
            await self.delete(f"{path}/{found['id']}", by=ann, expect=204)
        await self.delete(f"{path}/{guid()}", by=ann, expect=204)
        self.assertNotEqual(ann.id, (await self.joined(self.at.token(subject)))["userId"])

    async def test_last(self):
        """Extensions §8: 409 last_identity where no password would be left, unless another is."""
        ann = await self.new()
        path = f"user/{ann.id}/identities"
        (first,) = await self.read(path, [IDENTITY], by=ann)
        self.problem(await self.delete(f"{path}/{first['id']}", by=ann), 409, "last_identity")
        await self.delete(f"{path}/{guid()}", by=ann, expect=204)
        await self.post(path, self.body(guid()), by=ann, expect=204)
        await self.delete(f"{path}/{first['id']}", by=ann, expect=204)

    async def test_another_s(self):
        """The id of another's identity is as one that is not there."""
        ann, ben = await self.new(), await self.user()
        (found,) = await self.read(f"user/{ann.id}/identities", [IDENTITY], by=ann)
        await self.delete(f"user/{ben.id}/identities/{found['id']}", by=ben, expect=204)
        await self.read(f"user/{ann.id}/identities", [IDENTITY], by=ann)

    async def test_permissions(self):
        """Only the user may, not even admins."""
        ann = await self.new()
        path = f"user/{ann.id}/identities"
        for method, at in (("GET", path), ("POST", path), ("DELETE", f"{path}/{guid()}")):
            sent = {"body": self.body(guid())} if method == "POST" else {}
            self.problem(await self.request(method, at, **sent), 401, "unauthorized")
            for by in (await self.someone(), await self.admin()):
                self.problem(await self.request(method, at, by=by, **sent), 403, "forbidden")

    async def test_methods_prefix(self):
        """/methods/v1 answers too."""
        ann = await self.new()
        await self.get(f"/methods/v1/user/{ann.id}/identities", by=ann, expect=200)


def hmac_token(claims: dict[str, Any], key: bytes, kid: str) -> str:
    """A token that is signed with HMAC, whatever the key looks like."""

    def encoded(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    head = json.dumps({"alg": "HS256", "typ": "JWT", "kid": kid}).encode()
    text = f"{encoded(head)}.{encoded(json.dumps(claims).encode())}"
    return f"{text}.{encoded(hmac.digest(key, text.encode(), 'sha256'))}"
