"""Testers and members of content (library §5)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page
from contentsvc.wire.access_list import Member, Membership, Tester
from contentsvc.wire.base import Part


class Guests:
    """Whom authors let in to their content."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def add_tester(self, content: str, other: str) -> None:
        """Let a user see content of the user's own."""
        await self._calls.send("PUT", _path(content, "testers", other))

    async def remove_tester(self, content: str, other: str) -> None:
        """End that somebody is a tester: of the user's own content, or the user themself."""
        await self._calls.send("DELETE", _path(content, "testers", other))

    async def list_testers(self, content: str, query: Part | None = None) -> Page[Tester]:
        """List the testers of the user's own content, newest first."""
        return await self._calls.page(_path(content, "testers"), Tester, query)

    async def put_member(self, content: str, other: str) -> None:
        """Invite a user to be a member of the user's own content; or accept, as the user
        themself."""
        await self._calls.send("PUT", _path(content, "members", other))

    async def remove_member(self, content: str, other: str) -> None:
        """End that somebody is a member: of the user's own content, or the user themself."""
        await self._calls.send("DELETE", _path(content, "members", other))

    async def list_members(self, content: str, query: Part | None = None) -> Page[Member]:
        """List the members of content, newest first."""
        return await self._calls.page(_path(content, "members"), Member, query)

    async def list_memberships(self, query: Part | None = None) -> Page[Membership]:
        """List what the user is a tester or a member of, newest first."""
        return await self._calls.page(f"/user/{self._calls.user}/memberships", Membership, query)


def _path(content: str, *rest: str) -> str:
    return "/".join(("/content", quoted(content), *map(quoted, rest)))
