"""Followers, party invites and messages. The module `friends` has friends and blocks."""

from uuid import uuid4

from msgspec import structs

from contentsvc.client.calls import Family, Page, quoted
from contentsvc.wire.accounts import UserInfo
from contentsvc.wire.base import Paging, Part, SortedPart
from contentsvc.wire.social import Conversation, Message, MessageCreate, PartyBody, PendingInvite


class Social(Family):
    """Followers and party invites."""

    async def list_followers(self, query: Paging | None = None) -> Page[UserInfo]:
        """List the user's followers, newest first (social#following)."""
        return await self._calls.page(f"{self._path}/followers", UserInfo, query)

    async def list_following(self, query: Paging | None = None) -> Page[UserInfo]:
        """List the users whom the user follows, newest first (social#following)."""
        return await self._calls.page(f"{self._path}/following", UserInfo, query)

    async def follow(self, other: str) -> None:
        """Follow a user (social#following)."""
        await self._calls.send("PUT", f"{self._path}/following/{quoted(other)}")

    async def unfollow(self, other: str) -> None:
        """Stop following a user."""
        await self._calls.send("DELETE", f"{self._path}/following/{quoted(other)}")

    # The service takes the same party-invite call again, within a minute, for a repeat.

    async def send_invite(self, friend: str, body: PartyBody) -> None:
        """Invite a user to a party (social#party-invites)."""
        await self._calls.send("POST", self._party(friend), body, operation="sendPartyInvite")

    async def accept_invite(self, friend: str, body: PartyBody) -> None:
        """Accept a user's invite (social#party-invites)."""
        await self._calls.send(
            "POST", f"{self._party(friend)}/accept", body, operation="acceptPartyInvite"
        )

    async def decline_invite(self, friend: str, body: PartyBody) -> None:
        """Decline a user's invite (social#party-invites)."""
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


class Messages(Family):
    """Messages between the user and others (social#messages)."""

    async def send(self, friend: str, body: MessageCreate) -> str:
        """Send a message to a friend. Returns its id. A body without an id gets one, so that a
        repeat after a lost answer is no second message."""
        if body.id is None:
            body = structs.replace(body, id=str(uuid4()))
        return await self._calls.create(self._path(friend), body, operation="sendMessage")

    async def list(self, other: str, query: Part | None = None) -> Page[Message]:
        """List the messages between the user and another, newest first."""
        return await self._calls.page(self._path(other), Message, query)

    async def get(self, other: str, message: str) -> Message:
        """Get one message of this conversation."""
        return await self._calls.get(f"{self._path(other)}/{quoted(message)}", Message)

    async def unsend(self, other: str, message: str) -> None:
        """Remove a message of the user's own for both users (social#unsending). Repeatable. Raises
        ApiError (`too_late`)."""
        await self._calls.send("DELETE", f"{self._path(other)}/{quoted(message)}")

    async def list_conversations(self, query: Part | None = None) -> Page[Conversation]:
        """List the users with whom the user has exchanged messages, each with the newest one."""
        return await self._calls.page(f"/user/{self._calls.user}/messages", Conversation, query)

    def _path(self, other: str) -> str:
        return f"/user/{self._calls.user}/friend/{quoted(other)}/messages"
