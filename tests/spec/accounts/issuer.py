"""Issuers of ID tokens: discovery and keys over HTTP, in a thread of its own, with keys that the
test holds.

    issuers = Issuers()
    studio = issuers.issuer("studio")
    token = studio.token(sub="player-7")
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

AUDIENCE = "the-game"
MAKERS: dict[str, tuple[Callable[[], Any], Any]] = {
    "RS256": (lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048), RSAAlgorithm),
    "ES256": (lambda: ec.generate_private_key(ec.SECP256R1()), ECAlgorithm),
    "EdDSA": (ed25519.Ed25519PrivateKey.generate, OKPAlgorithm),
}


class Key:
    """A key pair, of one algorithm."""

    def __init__(self, kid: str, algorithm: str = "RS256") -> None:
        make, self._jwk = MAKERS[algorithm]
        self.kid = kid
        self.algorithm = algorithm
        self.private = make()

    def public(self) -> dict[str, Any]:
        """The member of a JWKS."""
        made: dict[str, Any] = json.loads(self._jwk.to_jwk(self.private.public_key()))
        return {**made, "kid": self.kid, "alg": self.algorithm, "use": "sig"}


class Issuer:
    """One issuer. `away` lets it answer 503; `asked` are the paths that it was asked for."""

    def __init__(self, url: str, audience: str = AUDIENCE) -> None:
        self.url = url
        self.audience = audience
        self.away = False
        self.asked: list[str] = []
        self.keys = [Key(f"{algorithm}-1", algorithm) for algorithm in MAKERS]
        self.extra: list[dict[str, Any]] = []
        """Further members of the JWKS."""

    def answer(self, path: str) -> dict[str, Any] | None:
        """What is at a path below its own."""
        if path == "/.well-known/openid-configuration":
            return {
                "issuer": self.url,
                "jwks_uri": f"{self.url}/jwks",
                "authorization_endpoint": f"{self.url}/auth",
                "token_endpoint": f"{self.url}/token",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": list(MAKERS),
            }
        if path == "/jwks":
            return {"keys": [*(key.public() for key in self.keys), *self.extra]}
        return None

    def key(self, algorithm: str = "RS256") -> Key:
        """Its key of this algorithm."""
        return next(key for key in self.keys if key.algorithm == algorithm)

    def claims(self, **changes: Any) -> dict[str, Any]:
        """The claims of a good token; None removes one."""
        now = int(time.time())
        made = {"iss": self.url, "aud": self.audience, "iat": now, "exp": now + 300}
        return {name: value for name, value in (made | changes).items() if value is not None}

    def token(self, *, by: Key | None = None, kid: str | None = None, **changes: Any) -> str:
        """A token with these claims, signed `by` a key or its first; `kid` names another."""
        key = by or self.keys[0]
        headers = {"kid": key.kid if kid is None else kid}
        claims = self.claims(**changes)
        return jwt.encode(claims, key.private, algorithm=key.algorithm, headers=headers)


class Issuers:
    """Several issuers behind one port of 127.0.0.1, each at a path of its own."""

    def __init__(self, port: int = 0) -> None:
        self._issuers: dict[str, Issuer] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        Thread(target=self._server.serve_forever, daemon=True).start()

    def issuer(self, name: str) -> Issuer:
        """The issuer at this path; it is made when it is first asked for."""
        if name not in self._issuers:
            port = self._server.server_address[1]
            self._issuers[name] = Issuer(f"http://127.0.0.1:{port}/{name}")
        return self._issuers[name]

    def file(self) -> str:
        """What `--issuers` names: all of them, as TOML."""
        return "".join(
            f'[[issuer]]\nissuer = "{one.url}"\naudience = "{one.audience}"\n\n'
            for one in self._issuers.values()
        )

    def stop(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        issuers = self._issuers

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                _, name, *rest = self.path.split("/", 2)
                path = "/" + "".join(rest)
                issuer = issuers.get(name)
                found = None
                if issuer is not None:
                    issuer.asked.append(path)
                    found = None if issuer.away else issuer.answer(path)
                body = json.dumps(found).encode()
                self.send_response(503 if found is None else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *arguments: object) -> None:
                """Nothing is logged."""

        return Handler
