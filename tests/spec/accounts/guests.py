"""Guests of a service that takes them: accounts#guests."""

from __future__ import annotations

import secrets
from typing import Any

from tests.spec.client import Response
from tests.spec.data import User, guid, name
from tests.spec.harness import SpecCase

GUEST_GRANT = "urn:contentsvc:grant:guest"


def secret() -> str:
    """A secret that no guest has."""
    return secrets.token_urlsafe(48)


class GuestCase(SpecCase):
    """Users who are guests at first."""

    async def enter(self, given: str, **more: Any) -> Response:
        """POST /oauth/token with this secret."""
        form = {"grant_type": GUEST_GRANT, "secret": given}
        return await self.post("/oauth/token", data=form, **more)

    async def guest(self, given: str | None = None) -> User:
        """A guest, whom this secret makes or logs in. The secret is in the place of a password."""
        given = given or secret()
        got = (await self.enter(given, expect=200)).json()
        found = await self.get(f"user/{got['userId']}/info", expect=200)
        return User(
            got["userId"],
            found.json()["username"],
            "",
            given,
            got["access_token"],
            got["refresh_token"],
        )

    async def again(self, user: User) -> User:
        """The user with the tokens that a renewal gives."""
        form = {"grant_type": "refresh_token", "refresh_token": user.refresh_token}
        got = (await self.post("/oauth/token", data=form, expect=200)).json()
        return User(
            user.id, user.username, "", user.password, got["access_token"], got["refresh_token"]
        )

    def full(self, **changes: str) -> dict[str, str]:
        """What makes a guest a full account."""
        chosen = name()
        made = {"username": chosen, "email": f"{chosen}@example.com", "password": guid()}
        return made | changes

    async def become(self, user: User, body: Any = None, **more: Any) -> Response:
        """PUT account."""
        return await self.put(f"user/{user.id}/account", body or self.full(), by=user, **more)

    async def is_guest(self, user: User) -> bool:
        """What the full record says, GET /me and the list of moderators, which agree."""
        record = (await self.get(f"user/{user.id}", by=user, expect=200)).json()
        me = (await self.get("me", by=user, expect=200)).json()
        path = f"moderation/users/{user.id}"
        seen = (await self.get(path, by=await self.admin(), expect=200)).json()
        self.assertEqual([record["guest"]] * 2, [me["guest"], seen["guest"]])
        return bool(record["guest"])
