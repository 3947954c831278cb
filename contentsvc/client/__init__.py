"""The reference client: REST calls typed with the service's own Structs, and a live socket.

::

    client = Client(reactor, "https://play.example.com")
    await client.log_in("ada", password)
    await client.ratings.put(content, RatingBody(value="1"))
    subscription = client.notifications.listen(lambda got: print(got.seq, got.notification))
    ...
    await client.close()

Tokens are renewed as they expire, operations that may be repeated are, and the subscription
comes back by itself after whatever happens to its connection, without gap or repeat.
"""

from contentsvc.client.client import Client
from contentsvc.client.errors import (
    ApiError,
    ClientError,
    NotSignedIn,
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
    "Received",
    "SessionEnded",
    "Subscription",
    "SubscriptionEnded",
    "UnknownNotification",
    "Unreachable",
]
