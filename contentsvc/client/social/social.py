"""Followers, following and party invites (spec §4.9, §4.10, §4.15, §4.16)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page
from contentsvc.wire.accounts import UserInfo
from contentsvc.wire.base import Paging, SortedPart
from contentsvc.wire.social import PartyBody, PendingInvite


class Social:
    """Followers and party invites."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def list_followers(self, query: Paging | None = None) -> Page[UserInfo]:
        """List the user's followers, newest first (spec §4.9)."""
        return await self._calls.page(f"{self._path}/followers", UserInfo, query)

    async def list_following(self, query: Paging | None = None) -> Page[UserInfo]:
        """List the users whom the user follows, newest first (spec §4.10)."""
        return await self._calls.page(f"{self._path}/following", UserInfo, query)

    async def follow(self, other: str) -> None:
        """Follow a user."""
        await self._calls.send("PUT", f"{self._path}/following/{quoted(other)}")

    async def unfollow(self, other: str) -> None:
        """Stop following a user."""
        await self._calls.send("DELETE", f"{self._path}/following/{quoted(other)}")

    # The service takes the same party-invite call again, within a minute, for a repeat.

    async def send_invite(self, friend: str, body: PartyBody) -> None:
        """Invite a user to a party."""
        await self._calls.send("POST", self._party(friend), body, operation="sendPartyInvite")

    async def accept_invite(self, friend: str, body: PartyBody) -> None:
        """Accept a user's invite (spec §4.15)."""
        await self._calls.send(
            "POST", f"{self._party(friend)}/accept", body, operation="acceptPartyInvite"
        )

    async def decline_invite(self, friend: str, body: PartyBody) -> None:
        """Decline a user's invite (spec §4.16)."""
        await self._calls.send(
            "POST", f"{self._party(friend)}/decline", body, operation="declinePartyInvite"
        )

    async def list_invites(self, query: SortedPart | None = None) -> Page[PendingInvite]:
        """List the invites of the last hour that the user has not answered, newest first."""
        return await self._calls.page(f"{self._path}/party-invites", PendingInvite, query)

    @property
    def _path(self) -> str:
        return f"/user/{self._calls.user}"

    def _party(self, friend: str) -> str:
        return f"{self._path}/friend/{quoted(friend)}/party-invite"
