"""Test data: users, content and its parts, tokens."""

from __future__ import annotations

import base64
import json
import secrets
import string
import uuid
from dataclasses import dataclass
from typing import Any

import jwt

GAME = "game"
PLATFORMS = ("win64", "osx64", "linux64")


@dataclass(frozen=True)
class User:
    """A registered user, logged in."""

    id: str
    username: str
    email: str
    password: str
    token: str
    refresh_token: str


@dataclass(frozen=True)
class Service:
    """A service account, with a secret of it."""

    id: str
    name: str
    secret_id: str
    secret: str


@dataclass(frozen=True)
class Content:
    """A published content item: who made it, and the body that did."""

    id: str
    author: User
    sent: dict[str, Any]

    @property
    def path(self) -> str:
        """Its path below the API's prefix."""
        return f"content/{self.id}"


def guid() -> str:
    """A fresh GUID in canonical form."""
    return str(uuid.uuid4())


def name(prefix: str = "u") -> str:
    """A username nobody else has."""
    return prefix + secrets.token_hex(8)


def word() -> str:
    """A word in small letters that nobody else uses, and that begins no other."""
    return "".join(secrets.choice(string.ascii_lowercase) for _ in range(14))


def entity() -> dict[str, str]:
    """A new Entity (content#parts)."""
    return {"entityId": guid(), "revisionId": guid(), "path": f"entities/{secrets.token_hex(4)}"}


def reference(of: dict[str, str]) -> dict[str, str]:
    """The EntityReference of an Entity."""
    return {"entityId": of["entityId"], "revisionId": of["revisionId"]}


def package() -> dict[str, str]:
    """A new Package for all platforms (content#parts)."""
    at = f"packages/{secrets.token_hex(4)}"
    return {"id": guid(), **{one: f"{at}/{one}" for one in PLATFORMS}}


def draft(**changes: Any) -> dict[str, Any]:
    """A body that creates a content item (content#publishing)."""
    return {
        "name": f"Castle {secrets.token_hex(3)}",
        "description": "A castle to storm",
        "screenshotUris": [f"shots/{secrets.token_hex(4)}.png", "shots/second.png"],
        "type": GAME,
        "tags": ["castle", "co-op"],
        "revisionId": guid(),
        "revisionDescription": "first",
        "version": "1.0",
        "entity": entity(),
        "originating": [entity()],
        "using": [],
        "packagesOriginating": [package()],
        "packagesUsing": [],
        **changes,
    }


def claims(token: str) -> dict[str, Any]:
    """The claims of a JWT, unverified."""
    return dict(jwt.decode(token, options={"verify_signature": False}))


def unsigned(token: str) -> str:
    """The same claims with `alg: none` and no signature."""
    header = base64.urlsafe_b64encode(json.dumps({"alg": "none", "typ": "JWT"}).encode())
    return f"{header.decode().rstrip('=')}.{token.split('.')[1]}."
