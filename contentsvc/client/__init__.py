"""The reference client: REST calls typed with the service's own Structs, and a live socket.

::

    async with Client(reactor, "https://play.example.com") as client:
        await client.log_in("ada", password)
        await client.ratings.put(content, RatingBody(value="1"))
        client.notifications.listen(lambda got: print(got.seq, got.notification))
        ...

The client renews tokens before they expire, and repeats the operations that it may repeat.
`client.transfers` sends and gets files, which are verified at both ends. The subscription connects
again by itself, whatever ends its connection. No notification is missing or comes twice.
"""

from contentsvc.client.calls import Page, Seen
from contentsvc.client.client import Client
from contentsvc.client.errors import (
    ApiError,
    BadFile,
    ClientError,
    FileChanged,
    FilesRefused,
    NotSignedIn,
    ProgressConflict,
    SessionEnded,
    SubscriptionEnded,
    TlsError,
    TransferError,
    Unreachable,
    WrongBytes,
)
from contentsvc.client.files.downloading import Downloaded
from contentsvc.client.files.local import LocalFile, Measured, Progress
from contentsvc.client.library import Change, FileStore, Library
from contentsvc.client.login import guest_secret
from contentsvc.client.notifications.subscription import (
    Received,
    State,
    Subscription,
    UnknownNotification,
)
from contentsvc.client.studio import EventReader, NotSigned, verify_webhook

__all__ = [
    "ApiError",
    "BadFile",
    "Change",
    "Client",
    "ClientError",
    "Downloaded",
    "EventReader",
    "FileChanged",
    "FileStore",
    "FilesRefused",
    "Library",
    "LocalFile",
    "Measured",
    "NotSigned",
    "NotSignedIn",
    "Page",
    "Progress",
    "ProgressConflict",
    "Received",
    "Seen",
    "SessionEnded",
    "State",
    "Subscription",
    "SubscriptionEnded",
    "TlsError",
    "TransferError",
    "UnknownNotification",
    "Unreachable",
    "WrongBytes",
    "guest_secret",
    "verify_webhook",
]
