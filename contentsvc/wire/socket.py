"""The messages of the session socket (socket#messages).

The table of the protocol is in push/socket.py, above the class that implements it.
"""

from typing import Annotated

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from contentsvc.wire.base import Guid, described
from contentsvc.wire.notifications import Unread

Seq = Annotated[
    int,
    Meta(ge=0),
    described("the number of a notification among its recipient's: 1, 2, 3, without holes"),
]


class Message(Struct, tag_field="type", rename="camel"):
    """The member `type`, which all messages share."""


class AuthMessage(Message, tag="auth"):
    """To the server, first of all: the token of session/connect (socket#session-connect).

    `resume` and `resumeId` are the seq and id of the last notification that the client has
    handled. The seq alone is enough.
    """

    token: str
    resume: Seq | UnsetType = UNSET
    resume_id: Guid | UnsetType | None = UNSET


class PingMessage(Message, tag="ping"):
    """To the server, for clients that cannot send the protocol's own pings."""


class HelloMessage(Message, tag="hello"):
    """To the client, once: it is signed in.

    This socket's notifications start after the number `seq`. `unread` is how many notifications
    the user has not read. `heartbeat` is the seconds between the server's pings.
    `id` is the id of the notification with the number `seq`. It is null at 0, and if retention has
    deleted the notification.
    """

    seq: Seq
    unread: Unread
    heartbeat: Annotated[int, described("seconds between the server's pings", bits=32)]
    id: Guid | None = None


class NotificationMessage(Message, tag="notification"):
    """To the client. `notification` is the same object as in REST (notifications#list)."""

    seq: Seq
    notification: Annotated[
        Raw, Meta(extra_json_schema={"$ref": "#/components/schemas/Notification"})
    ]


class StateMessage(Message, tag="state"):
    """To the client: read flags have changed, or notifications were deleted. Of the user's
    notifications up to the number `seq`, `unread` have not been read."""

    seq: Seq
    unread: Unread


class AnnouncementsMessage(Message, tag="announcements"):
    """To the client: the announcements are others now. Read them after a random part of so many
    seconds."""

    within: Annotated[int, described("seconds, over which clients spread", bits=32)]


class LibraryMessage(Message, tag="library"):
    """To the client: what the user keeps has changed, or may have. Read the map
    `…/subscriptions/state` again."""


class PongMessage(Message, tag="pong"):
    """To the client: the answer to `ping`."""


class ErrorMessage(Message, tag="error"):
    """To the client: `code` is stable, `detail` a sentence. Only a close ends the socket.

    `log_changed` has the seq and id of the notification after which the socket goes on.
    """

    code: str
    detail: str
    seq: Seq | UnsetType = UNSET
    id: Guid | UnsetType | None = UNSET


class GoodbyeMessage(Message, tag="goodbye"):
    """To the client, last of all, before the close.

    `retryAfter` is the least number of seconds to wait before connecting again.
    """

    reason: str
    retry_after: Annotated[
        int, described("the least seconds to wait before connecting again", bits=32)
    ]


ServerMessage = (
    HelloMessage
    | NotificationMessage
    | StateMessage
    | AnnouncementsMessage
    | LibraryMessage
    | PongMessage
    | ErrorMessage
    | GoodbyeMessage
)
"""The messages that a client decodes."""

ClientMessage = AuthMessage | PingMessage
"""The messages that a client may send."""
