"""Cases about what users are and do to each other."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from tests.spec.client import NOTHING, Http, Response
from tests.spec.data import Content, User
from tests.spec.harness import SpecCase
from tests.spec.shapes import FRIEND, FRIEND_REQUEST, MESSAGE
from tests.support.daemon import Daemon, shared
from tests.support.deferreds import together

LOW = {"MESSAGES_PER_MINUTE": "3", "FRIEND_REQUESTS_PER_DAY": "3", "REPORTS_PER_DAY": "2"}
ALL = (*LOW, "COMMENTS_PER_MINUTE", "FOLLOWS_PER_DAY", "PUBLICATIONS_PER_DAY")


async def limited() -> Daemon:
    """A daemon of two workers with low limits of how much a user may do."""
    return await shared("low-limits", lambda: Daemon("--workers", "2", environ=LOW))


async def unlimited() -> Daemon:
    """A daemon of two workers without such limits."""
    none = dict.fromkeys(ALL, "0")
    return await shared("no-limits", lambda: Daemon("--workers", "2", environ=none))


class SocialCase(SpecCase):
    """What users do to each other, and what they see of it."""

    async def together(self, *acts: Coroutine[Any, Any, Any]) -> list[Any]:
        """Their results; all are begun at once."""
        return await together(*acts)

    async def users(self, count: int) -> list[User]:
        """So many fresh users."""
        return await self.together(*(self.user() for _ in range(count)))

    async def apart(self, method: str, path: str, by: User, body: Any = NOTHING) -> Response:
        """The answer to a request on a connection of its own, which any process may take."""
        http, headers = Http(), {"Authorization": f"Bearer {by.token}"}
        try:
            return await http.request(method, self.address(path), body=body, headers=headers)
        finally:
            await http.close()

    # -- friends, followers, blocks

    async def ask(self, user: User, other: User, expect: int | None = 204) -> Response:
        """PUT friend."""
        return await self.put(f"user/{user.id}/friend/{other.id}", by=user, expect=expect)

    async def part(self, user: User, other: User) -> None:
        """DELETE friend."""
        await self.delete(f"user/{user.id}/friend/{other.id}", by=user, expect=204)

    async def befriend(self, user: User, other: User) -> None:
        """Make two users friends; `user` asks."""
        await self.ask(user, other)
        await self.ask(other, user)

    async def friends(self, user: User) -> list[str]:
        """The ids of the user's friends."""
        found = await self.read(f"user/{user.id}/friends", [FRIEND], by=user)
        return [one["user"]["id"] for one in found]

    async def requests(self, user: User, **query: str) -> list[tuple[str, str]]:
        """The direction and the other user of each request."""
        path = f"user/{user.id}/friend-requests"
        found = await self.read(path, [FRIEND_REQUEST], by=user, query=query)
        return [(one["direction"], one["user"]["id"]) for one in found]

    async def follow(self, user: User, other: User, expect: int | None = 204) -> Response:
        """PUT following."""
        return await self.put(f"user/{user.id}/following/{other.id}", by=user, expect=expect)

    async def listed(self, user: User, what: str) -> list[str]:
        """The ids of the users in the list of followers or of those followed."""
        response = await self.get(f"user/{user.id}/{what}", by=user, expect=200)
        return [one["id"] for one in response.json()]

    async def block(self, user: User, other: User) -> Response:
        """PUT blocked."""
        return await self.put(f"user/{user.id}/blocked/{other.id}", by=user, expect=204)

    async def unblock(self, user: User, other: User) -> None:
        """DELETE blocked."""
        await self.delete(f"user/{user.id}/blocked/{other.id}", by=user, expect=204)

    async def nothing(self, *users: User) -> None:
        """Assert that these have no friends, requests and followers, and follow nobody."""
        for user in users:
            self.assertEqual(([], []), (await self.friends(user), await self.requests(user)))
            for way in ("following", "followers"):
                self.assertEqual([], await self.listed(user, way))

    async def told(self, user: User) -> list[tuple[str, str]]:
        """What the user was told: kinds and senders."""
        found = await self.notifications(user)
        return [(one["kind"], one["sender"]) for one in found]

    # -- messages and comments

    def letters(self, user: User, other: User) -> str:
        """The path of their messages, as `user` has it."""
        return f"user/{user.id}/friend/{other.id}/messages"

    async def say(self, user: User, other: User, text: str = "hello", **more: Any) -> Response:
        """POST a message, whatever comes of it."""
        return await self.post(self.letters(user, other), {"text": text, **more}, by=user)

    async def wrote(self, user: User, other: User, text: str = "hello", **more: Any) -> str:
        """The id of a new message."""
        response = await self.say(user, other, text, **more)
        self.assertEqual(201, response.status, repr(response))
        return (response.header("Location") or "").rpartition("/")[2]

    async def heard(self, user: User, other: User) -> list[str]:
        """The texts of their messages, newest first, as `user` sees them."""
        found = await self.read(self.letters(user, other), [MESSAGE], by=user)
        return [one["text"] for one in found]

    async def remark(self, on: Content, by: User, parent: int | None = None) -> int:
        """The number of a new comment."""
        path = await self.comment(on, by, parentId=parent)
        return int(path.rpartition("/")[2])
