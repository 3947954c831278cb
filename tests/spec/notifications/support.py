"""Cases about who is told what, and who is not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from tests.spec.client import Response, Socket
from tests.spec.data import Content, User, draft, entity, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import NOTIFICATION_STATE, STATE
from tests.spec.social.support import SocialCase

Act = Callable[[], Awaitable[Any]]


def revision(**changes: Any) -> dict[str, Any]:
    """A body that publishes a revision (notifications#followers)."""
    return {
        "revisionId": guid(),
        "revisionDescription": "second",
        "version": "2.0",
        "entity": entity(),
        "originating": [],
        "using": [],
        **changes,
    }


def bare(**changes: Any) -> dict[str, Any]:
    """A body that creates content of nothing but its core."""
    return draft(**{"originating": [], "packagesOriginating": [], **changes})


class TellingCase(SpecCase):
    """Publishing, withdrawing, and what users are told of it."""

    async def publish(
        self, content: Content, by: User | None = None, expect: int = 201, **changes: Any
    ) -> dict[str, Any]:
        """A new revision of the content by its author, or `by` another; the body that was sent."""
        sent = revision(**changes)
        await self.post(f"{content.path}/revisions", sent, by=by or content.author, expect=expect)
        return sent

    async def roll(self, content: Content, to: str, expect: int | None = 204) -> Response:
        """Make the revision of this id the current one."""
        path = f"{content.path}/revisions/current"
        return await self.put(path, {"revisionId": to}, by=content.author, expect=expect)

    async def withdraw(self, content: Content) -> None:
        """DELETE the content as its author."""
        await self.delete(content.path, by=content.author, expect=204)

    async def restore(self, content: Content) -> None:
        """Take the withdrawal back."""
        await self.post(f"{content.path}/restore", by=content.author, expect=204)

    async def follow(self, user: User, other: User) -> None:
        """Let `user` follow `other`."""
        await self.put(f"user/{user.id}/following/{other.id}", by=user, expect=204)

    async def told(self, user: User, count: int = 0) -> list[dict[str, Any]]:
        """The `count` notifications that the user has or gets, without id, created and read;
        fails if there are more, or if more come before what is published after them.
        """
        socket = await self.socket(user, resume=0)
        found = [(await self.pushed(socket))["notification"] for _ in range(count)]
        fence = await self.user()
        await self.follow(user, fence)
        last = await self.content(fence)
        message = (await self.pushed(socket))["notification"]
        self.assertEqual(last.id, message.get("content"), message)
        await socket.close()
        common = {"id", "created", "read"}
        return [{key: one[key] for key in one if key not in common} for one in found]


class LogCase(SocialCase):
    """Users' notifications: how many there are, and which kinds a user does not want."""

    async def state(self, user: User) -> tuple[int, int, int]:
        """newest, oldest and unread."""
        path = f"user/{user.id}/notifications/state"
        got = await self.read(path, NOTIFICATION_STATE, by=user)
        return got["newest"], got["oldest"], got["unread"]

    async def mute(self, user: User, *kinds: object, expect: int | None = 204) -> Response:
        """Mute these kinds, and no others."""
        path = f"user/{user.id}/notifications/settings"
        return await self.put(path, {"muted": list(kinds)}, by=user, expect=expect)


class NotedCase(LogCase):
    """Users with Debug notifications, who read and delete them."""

    def path(self, user: User, rest: str = "") -> str:
        """The path of the user's notifications, or below it."""
        return f"user/{user.id}/notifications{rest}"

    async def noted(self, count: int) -> tuple[User, list[str]]:
        """A fresh user with notifications "1", "2" and so on, which have these numbers; their
        ids."""
        user = await self.user()
        for n in range(1, count + 1):
            await self.notify(user, f"{n}")
        return user, [one["id"] for one in await self.notifications(user)]

    async def texts(self, user: User, **query: object) -> list[str]:
        """The texts listed."""
        return [one["text"] for one in await self.notifications(user, **query)]

    async def flag(self, user: User, id: str, *, read: bool = True) -> None:
        """Mark one as read, or not."""
        await self.amend(self.path(user, f"/{id}"), {"read": read}, by=user, expect=204)

    async def read_to(self, user: User, up_to: object) -> None:
        """Mark one and all before it as read."""
        await self.post(self.path(user, "/read"), {"upTo": up_to}, by=user, expect=204)

    async def drop(self, user: User, id: str) -> None:
        """DELETE one."""
        await self.delete(self.path(user, f"/{id}"), by=user, expect=204)

    async def drop_to(self, user: User, up_to: object) -> None:
        """DELETE one and all before it."""
        await self.delete(self.path(user), by=user, query={"upTo": up_to}, expect=204)

    async def stated(self, socket: Socket) -> tuple[int, int]:
        """The next message, which must be a state: seq and unread."""
        message = await socket.next()
        self.shape(message, STATE)
        self.assertIsNone((await self.contract()).wrong_message(message))
        return message["seq"], message["unread"]

    def changes(self, user: User, ids: list[str]) -> list[tuple[int, Act]]:
        """Changes of four notifications, and how many are unread after each."""
        return [
            (3, lambda: self.flag(user, ids[0])),
            (4, lambda: self.flag(user, ids[0], read=False)),
            (2, lambda: self.read_to(user, ids[1])),
            (1, lambda: self.read_to(user, 3)),
            (0, lambda: self.drop(user, ids[3])),
            (0, lambda: self.drop_to(user, 4)),
        ]
