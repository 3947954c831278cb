"""Messages between friends (extensions §4)."""

from uuid import uuid4

from msgspec import structs

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page
from contentsvc.wire.base import Part
from contentsvc.wire.social import Conversation, Message, MessageCreate


class Messages:
    """Messages between the user and others."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

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
        """Get one of them."""
        return await self._calls.get(f"{self._path(other)}/{quoted(message)}", Message)

    async def list_conversations(self, query: Part | None = None) -> Page[Conversation]:
        """List the users with whom the user has exchanged messages, each with the newest one."""
        return await self._calls.page(f"/user/{self._calls.user}/messages", Conversation, query)

    def _path(self, other: str) -> str:
        return f"/user/{self._calls.user}/friend/{quoted(other)}/messages"
