"""The reference client: REST calls typed with the service's own Structs, and a live socket.

::

    async with Client(reactor, "https://play.example.com") as client:
        await client.log_in("ada", password)
        await client.ratings.put(content, RatingBody(value="1"))
        client.notifications.listen(lambda got: print(got.seq, got.notification))
        ...

The client renews tokens before they expire, and repeats the operations that it may repeat. The
subscription connects again by itself, whatever ends its connection. No notification is missing or
comes twice.
"""

from contentsvc.client.client import Client
from contentsvc.client.errors import (
    ApiError,
    ClientError,
    NotSignedIn,
    ProgressConflict,
    SessionEnded,
    SubscriptionEnded,
    Unreachable,
)
from contentsvc.client.reading import Page, UnknownNotification
from contentsvc.client.subscription import Received, Subscription

__all__ = [
    "ApiError",
    "Client",
    "ClientError",
    "NotSignedIn",
    "Page",
    "ProgressConflict",
    "Received",
    "SessionEnded",
    "Subscription",
    "SubscriptionEnded",
    "UnknownNotification",
    "Unreachable",
]
