"""Friends, messages, blocks and party invites (social#friends, social#messages, social#blocks,
social#party-invites)."""

from typing import Annotated, Literal, get_args

from msgspec import Meta

from contentsvc.wire.accounts import UserInfo
from contentsvc.wire.base import Guid, Id, Part, Record, Seconds, Wire


class PartyBody(Wire):
    """The id of a party (social#party-invites)."""

    party: Guid


class PendingInvite(Record):
    """An invite to a party that the user has not answered (social#party-invites)."""

    sender: UserInfo
    party: Id
    created: Seconds


Direction = Literal["incoming", "outgoing"]
ShownDirection = Annotated[str, Meta(extra_json_schema={"enum": list(get_args(Direction))})]
"""In answers. A later release may have other words, which a client must accept."""


class Friend(Record):
    """A friend, and since when (social#friends)."""

    user: UserInfo
    since: Seconds


class PendingRequest(Record):
    """A request for friendship that nobody has answered (social#friends). `incoming`: `user` has
    asked. `outgoing`: `user` was asked."""

    user: UserInfo
    direction: ShownDirection
    created: Seconds


class RequestsQuery(Part):
    """The requests to list: those of one direction, or all."""

    direction: (
        Annotated[
            Direction,
            Meta(description="`incoming`: the others have asked; `outgoing`: the user has asked"),
        ]
        | None
    ) = None


class BlockedUser(Record):
    """A user who is blocked, and since when (social#blocks)."""

    user: UserInfo
    since: Seconds


MessageText = Annotated[str, Meta(min_length=1, max_length=4096)]


class MessageCreate(Wire):
    """A new message (social#messages). With `id`, a GUID that the client makes, the request can be
    sent again."""

    text: MessageText
    id: Guid | None = None


class Message(Record):
    """A message (social#messages). If it was taken away, `removed` is true and the text is empty
    (social#unsending)."""

    id: Id
    sender: Id
    text: str
    created: Seconds
    removed: bool


class Conversation(Record):
    """A user with whom the user has exchanged messages, and the newest message
    (social#messages)."""

    user: UserInfo
    last: Message
