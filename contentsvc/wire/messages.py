"""Messages between friends (extensions §4)."""

from typing import Annotated

from msgspec import Meta

from contentsvc.wire.base import Guid, Id, Record, Seconds, Wire
from contentsvc.wire.users import UserInfo

MessageText = Annotated[str, Meta(min_length=1, max_length=4096)]


class MessageCreate(Wire):
    """A new message. With an `id` of its own, the request can be sent again."""

    text: MessageText
    id: Guid | None = None


class Message(Record):
    """A message."""

    id: Id
    sender: Id
    text: str
    created: Seconds


class Conversation(Record):
    """A user with whom messages were exchanged, and the newest message."""

    user: UserInfo
    last: Message
