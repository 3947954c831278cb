"""An issuer of tokens, with discovery and keys, that does as a test says."""

from __future__ import annotations

import atexit
import base64
import hashlib
import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from twisted.internet import reactor
from twisted.internet.defer import maybeDeferred
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request, Site

GRANT = "urn:ietf:params:oauth:grant-type:token-exchange"
ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"
JWT = "urn:ietf:params:oauth:token-type:jwt"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
AUDIENCE = "game"
DISCOVERY, JWKS = "/.well-known/openid-configuration", "/jwks"
STEAM_TICKET = "urn:contentsvc:token-type:steam-ticket"
STEAM, STEAM_KEY = "/ISteamUserAuth/AuthenticateUserTicket/v1/", "0123456789ABCDEF"
_MAKERS = {"RS256": RSAAlgorithm, "ES256": ECAlgorithm, "EdDSA": OKPAlgorithm}


class SigningKey:
    """A private key, and the JWK of its public one."""

    def __init__(self, kid: str, algorithm: str = "ES256", *, bits: int = 2048) -> None:
        self.kid = kid
        self.algorithm = algorithm
        self.private: Any = {
            "RS256": lambda: rsa.generate_private_key(65537, bits),
            "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
            "EdDSA": ed25519.Ed25519PrivateKey.generate,
        }[algorithm]()

    def jwk(self, **changes: Any) -> dict[str, Any]:
        """Its public key. A change to None leaves the member out."""
        made = _MAKERS[self.algorithm].to_jwk(self.private.public_key(), as_dict=True)
        whole = {**made, "kid": self.kid, "alg": self.algorithm, "use": "sig", **changes}
        whole = {name: value for name, value in whole.items() if value is not None}
        if "key_ops" not in changes:
            whole.pop("key_ops", None)
        return whole

    def sign(self, claims: dict[str, Any], **header: Any) -> str:
        """A token with these claims; a header of None is left out."""
        headers = {"kid": self.kid, **header}
        headers = {name: value for name, value in headers.items() if value is not None}
        return jwt.encode(claims, self.private, self.algorithm, headers)


class Issuer(Resource):
    """Serves its configuration and `keys`, until `stop`: those of `signing`, or of one for ES256.
    It signs with the first. `answers` has other bodies for its paths, `statuses` other statuses; a
    body of None never comes. It is a Steam too, which knows whose the `tickets` are."""

    isLeaf = True

    def __init__(self, *signing: SigningKey) -> None:
        super().__init__()
        self.signing = signing or (SigningKey("first"),)
        self.key = self.signing[0]
        self.keys = [key.jwk() for key in self.signing]
        self.answers: dict[str, bytes | None] = {}
        self.statuses: dict[str, int] = {}
        self.headers: dict[str, str] = {}
        self.asked: list[str] = []
        self.tickets: dict[str, str] = {}
        self._port: Any = None
        self.back()
        self.port: int = self._port.getHost().port
        self.url = f"http://127.0.0.1:{self.port}"
        self._open: set[Request] = set()

    async def stop(self) -> None:
        """Be away."""
        for request in list(self._open):
            request.transport.abortConnection()
        await maybeDeferred(self._port.stopListening)

    def back(self) -> None:
        """Be there again."""
        port = 0 if self._port is None else self.port
        self._port = reactor.listenTCP(port, Site(self), interface="127.0.0.1")

    def rotate(self, kid: str, algorithm: str = "ES256") -> None:
        """Sign with another key from now on, and give only that."""
        self.key = SigningKey(kid, algorithm)
        self.keys = [self.key.jwk()]

    def render_GET(self, request: Request) -> Any:
        path = request.path.decode()
        self.asked.append(path)
        request.setHeader("Content-Type", "application/json")
        for name, value in self.headers.items():
            request.setHeader(name, value)
        request.setResponseCode(self.statuses.get(path, 200))
        normal = {
            DISCOVERY: {"issuer": self.url, "jwks_uri": self.url + JWKS},
            JWKS: {"keys": self.keys},
        }
        if path == STEAM and path not in self.answers:
            return self._player(request)
        body = self.answers.get(path, json.dumps(normal.get(path, {})).encode())
        if body is None:
            self._open.add(request)
            request.notifyFinish().addBoth(lambda _: self._open.discard(request))
            return NOT_DONE_YET
        return body

    @property
    def steam(self) -> str:
        """The table of a Steam whose web API it serves too."""
        return (
            f'[steam]\napp_id = 480\nidentity = "us"\nkey_file = "steam.key"\nurl = "{self.url}"\n'
        )

    def _player(self, request: Request) -> bytes:
        ticket = request.args.get(b"ticket", [b""])[0].decode()
        right = request.args.get(b"appid") == [b"480"] and request.args.get(b"identity") == [b"us"]
        if request.getHeader("x-webapi-key") != STEAM_KEY:
            request.setResponseCode(403)
        if ticket not in self.tickets or not right:
            error = {"errorcode": 101, "errordesc": "Invalid ticket"}
            return json.dumps({"response": {"error": error}}).encode()
        player = self.tickets[ticket]
        params = {"result": "OK", "steamid": player, "ownersteamid": player}
        banned = {"vacbanned": False, "publisherbanned": False}
        return json.dumps({"response": {"params": params | banned}}).encode()

    def claims(self, subject: str = "ada-1", **changes: Any) -> dict[str, Any]:
        """What a good token says. A change to None leaves the claim out."""
        now = int(time.time())
        whole = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": subject,
            "iat": now,
            "exp": now + 300,
            **changes,
        }
        return {name: value for name, value in whole.items() if value is not None}

    def token(self, subject: str = "ada-1", **changes: Any) -> str:
        """A good token, but for these changes of its claims."""
        return self.key.sign(self.claims(subject, **changes))

    def file(self, more: str = "") -> Path:
        """A file of issuers that has it, until the end of the process; beside it, a key of
        Steam."""
        folder = Path(tempfile.mkdtemp(prefix="contentsvc-issuers-"))
        atexit.register(shutil.rmtree, folder)
        (folder / "steam.key").write_text(STEAM_KEY)
        (folder / "steam.key").chmod(0o600)
        path = folder / "issuers.toml"
        path.write_text(f'[[issuer]]\nissuer = "{self.url}"\naudience = "{AUDIENCE}"\n{more}')
        return path


class PageIssuer(Issuer):
    """Logs `subject` in on a page, without a question (OpenID Connect Core §3.1, RFC 7636).

    `answered` changes what it answers to the page, by names; a change to None leaves one out.
    `claimed` changes the claims of its tokens. `begun` has the requests to log in, `brought` those
    with a code.
    """

    def __init__(self, name: str = "Studio") -> None:
        super().__init__()
        self.name = name
        self.client_id = f"{name.lower()}-pages"
        self.subject = "ada-1"
        self.answered: dict[str, str | None] = {}
        self.claimed: dict[str, Any] = {}
        self.begun: list[dict[str, str]] = []
        self.brought: list[dict[str, str]] = []
        self._codes: dict[str, dict[str, str]] = {}
        self.configuration = {
            "issuer": self.url,
            "jwks_uri": self.url + JWKS,
            "authorization_endpoint": f"{self.url}/authorize?at=first",
            "token_endpoint": f"{self.url}/token",
            "authorization_response_iss_parameter_supported": True,
        }
        self.configure()

    def configure(self, **changes: Any) -> None:
        """Have another configuration. A change to None leaves a member out."""
        whole = {**self.configuration, **changes}
        shown = {name: value for name, value in whole.items() if value is not None}
        self.answers[DISCOVERY] = json.dumps(shown).encode()

    @property
    def table(self) -> str:
        """Its table in the file of issuers."""
        return (
            f'[[issuer]]\nissuer = "{self.url}"\naudience = "{AUDIENCE}"\n'
            f'name = "{self.name}"\nclient_id = "{self.client_id}"\n'
        )

    def render_GET(self, request: Request) -> Any:
        if request.path != b"/authorize":
            return super().render_GET(request)
        asked = dict(parse_qsl(request.uri.decode().partition("?")[2]))
        self.begun.append(asked)
        code = f"code-{len(self.begun)}"
        self._codes[code] = asked
        answer = {"code": code, "state": asked["state"], "iss": self.url, **self.answered}
        sent = {name: value for name, value in answer.items() if value is not None}
        request.redirect(f"{asked['redirect_uri']}?{urlencode(sent)}".encode())
        return b""

    def render_POST(self, request: Request) -> bytes:
        """Give a token for a code, once."""
        request.setHeader("Access-Control-Allow-Origin", "*")
        request.setHeader("Content-Type", "application/json")
        brought = dict(parse_qsl(request.content.read().decode()))
        self.brought.append(brought)
        asked = self._codes.pop(brought.get("code", ""), None)
        digest = hashlib.sha256(brought.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        same = ("redirect_uri", "client_id")
        if (
            asked is None
            or (asked["code_challenge_method"], asked["code_challenge"]) != ("S256", challenge)
            or any(asked[name] != brought[name] for name in same)
        ):
            request.setResponseCode(400)
            return b'{"error": "invalid_grant"}'
        named = {"aud": self.client_id, "nonce": asked["nonce"], **self.claimed}
        token = self.token(self.subject, preferred_username=self.subject, **named)
        return json.dumps({"id_token": token, "token_type": "Bearer"}).encode()


def page_file(*issuers: PageIssuer) -> Path:
    """A file of issuers that has these, until the end of the process."""
    folder = Path(tempfile.mkdtemp(prefix="contentsvc-issuers-"))
    atexit.register(shutil.rmtree, folder)
    path = folder / "issuers.toml"
    path.write_text("".join(issuer.table for issuer in issuers))
    return path
