"""People who stand in every way to a content, and what they see."""

from __future__ import annotations

from typing import Any

from tests.spec.data import Content, User
from tests.spec.notifications.support import TellingCase

VISIBILITIES = ("public", "unlisted", "friends", "private")
ROLES = ("tester", "invited", "member")
EVERYBODY = ("nobody", "stranger", "friend", *ROLES, "author", "moderator", "admin", "service")
CLOSE = frozenset({*ROLES, "author", "moderator", "admin", "service"})
SEE: dict[str, frozenset[str]] = {
    "public": frozenset(EVERYBODY),
    "unlisted": frozenset(EVERYBODY),
    "friends": CLOSE | {"friend"},
    "private": CLOSE,
}
"""Who sees the content of each visibility."""
LIST: dict[str, frozenset[str]] = {**SEE, "unlisted": CLOSE}
"""In whose list of the author's content it is."""


class GuestsCase(TellingCase):
    """Content, with those whom its author has let in."""

    async def people(self) -> dict[str, User | str | None]:
        """One of each kind of callers, as what a request is sent by."""
        names = ("stranger", "friend", *ROLES, "author")
        people: dict[str, Any] = {name: await self.user() for name in names}
        people |= {"nobody": None, "admin": await self.admin()}
        people["moderator"] = await self.member("moderator")
        people["service"] = (await self.service("moderate"))[1]
        await self.befriend(people["author"], people["friend"])
        return people

    async def befriend(self, one: User, other: User) -> None:
        """Make two users friends."""
        for user, friend in ((one, other), (other, one)):
            await self.put(f"user/{user.id}/friend/{friend.id}", by=user, expect=204)

    async def let_in(self, content: Content, **people: User) -> None:
        """Let people in, by how they stand to the content: `tester`, `invited` or `member`."""
        for role, user in people.items():
            path = f"{content.path}/{'testers' if role == 'tester' else 'members'}/{user.id}"
            await self.put(path, by=content.author, expect=204)
            if role == "member":
                await self.put(path, by=user, expect=204)

    async def show(self, content: Content, visibility: str, by: User | None = None) -> None:
        """Change who sees a content."""
        body = {"visibility": visibility}
        await self.put(f"{content.path}/visibility", body, by=by or content.author, expect=204)
