"""What players keep (library §1)."""

from typing import Annotated, Final

from msgspec import Meta

from contentsvc.wire.base import Guid, Id, Part, Record, Seconds, Wire
from contentsvc.wire.content import ClientFeatures, ClientGame, ClientPlatform, ContentInfo

STATES: Final = ("active", "unavailable", "gone")
SubscriptionState = Annotated[str, Meta(extra_json_schema={"enum": list(STATES)})]
"""In answers: a client takes what a later release may add."""
_Stays = Annotated[Id | None, Meta(description="the revision to stay with; null: the current one")]


class SubscriptionBody(Wire):
    """Which revision the user stays with; without `pin`, none."""

    pin: Guid | None = None


class SubscriptionsQuery(Part):
    """The part of the list, and what the client says of itself (library §2)."""

    game: ClientGame = None
    platform: ClientPlatform = None
    features: ClientFeatures = None


class Kept(Record):
    """What a client is to have of a content. Unless it is active, `revision` is null."""

    revision: Id | None
    state: SubscriptionState


class Subscription(Record):
    """A content that the user keeps. Unless it is active, `content` and `revision` are null."""

    id: Id
    content: ContentInfo | None
    since: Seconds
    pin: _Stays
    revision: Id | None
    state: SubscriptionState


LibraryMap = dict[Id, Kept]
"""All that a user keeps, by the ids of the content."""
