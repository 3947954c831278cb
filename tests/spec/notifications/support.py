"""Cases about who is told what, and who is not."""

from __future__ import annotations

from typing import Any

from tests.spec.client import Response
from tests.spec.data import Content, User, draft, entity, guid
from tests.spec.harness import SpecCase


def revision(**changes: Any) -> dict[str, Any]:
    """A body that publishes a revision (extensions §1)."""
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
