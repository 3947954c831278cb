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
    """To the server, as the first message: the token of session/connect (socket#session-connect).

    `resume` and `resumeId` are the seq and id of the last notification that the client has handled.
    `resume` alone is enough (socket#resuming).
    """

    token: str
    resume: Seq | UnsetType = UNSET
    resume_id: Guid | UnsetType | None = UNSET


class PingMessage(Message, tag="ping"):
    """To the server, for clients that cannot send the pings of WebSocket itself."""


class HelloMessage(Message, tag="hello"):
    """To the client, once: it is logged in (socket#connecting).

    This socket's notifications start after the number `seq`. `unread` is how many notifications the
    user has not read. `heartbeat` is the seconds between the server's pings. `id` is the id of the
    notification with the number `seq`. It is null at 0, and if retention has deleted the
    notification.
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
    """To the client: read flags have changed, or notifications were deleted. `unread` is how many
    of the user's notifications up to the number `seq` are not read (socket#unread-count)."""

    seq: Seq
    unread: Unread


class AnnouncementsMessage(Message, tag="announcements"):
    """To the client: the announcements have changed. Read them again after a random part of
    `within` seconds (studio#announcements)."""

    within: Annotated[int, described("seconds, over which clients spread", bits=32)]


class LibraryMessage(Message, tag="library"):
    """To the client: the user's subscriptions have changed, or may have. Read the map
    `…/subscriptions/state` again (content#library-map)."""


class PongMessage(Message, tag="pong"):
    """To the client: the answer to `ping`."""


class ErrorMessage(Message, tag="error"):
    """To the client: something is wrong (socket#errors). `code` does not change in later releases;
    `detail` is a sentence that may change. The socket stays open, unless the server closes it.

    Only `log_changed` has `seq` and `id`: those of the notification after which the socket goes on.
    """

    code: str
    detail: str
    seq: Seq | UnsetType = UNSET
    id: Guid | UnsetType | None = UNSET


class GoodbyeMessage(Message, tag="goodbye"):
    """To the client, as the last message before the close (socket#close-codes).

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
