"""What users subscribe to, play and collect, and who may test or edit content
(content#subscriptions, content#library-map, content#plays, content#collections,
content#members)."""

from typing import Annotated, Final, Literal, get_args

from msgspec import UNSET, Meta, UnsetType, field

from contentsvc.wire.accounts import UserInfo
from contentsvc.wire.base import NOT_BLANK, Count, Guid, Id, Part, Record, Seconds, Wire, described
from contentsvc.wire.content import ContentInfo
from contentsvc.wire.moderation import Day, Number
from contentsvc.wire.searches import ClientFeatures, ClientGame, ClientPlatform

STATES: Final = ("active", "unavailable", "gone")
SubscriptionState = Annotated[str, Meta(extra_json_schema={"enum": list(STATES)})]
"""In answers. A later release may have other words, which a client must accept."""
_Stays = Annotated[Id | None, Meta(description="the revision to stay with; null: the current one")]


class SubscriptionBody(Wire):
    """The revision that the subscription stays with. Without `pin` it follows the current revision
    (content#subscriptions)."""

    pin: Guid | None = None


class SubscriptionsQuery(Part):
    """A part of the subscriptions, and what the client has: its version of the game, platform and
    features (content#fitting-revisions)."""

    game: ClientGame = None
    platform: ClientPlatform = None
    features: ClientFeatures = None


class Kept(Record):
    """The state of a subscription, and the revision that the client should have
    (content#library-map). `revision` is null if `state` is not `active`, or if no revision fits the
    client."""

    revision: Id | None
    state: SubscriptionState


class Subscription(Record):
    """A subscription to a content (content#subscriptions). If `state` is not `active`, `content`
    and `revision` are null. `revision` is also null if none fits the client."""

    id: Id
    content: ContentInfo | None
    since: Seconds
    pin: _Stays
    revision: Id | None
    state: SubscriptionState


LibraryMap = dict[Id, Kept]
"""All subscriptions of a user, by the ids of the content (content#library-map)."""


GuestRole = Literal["tester", "editor"]
"""A tester may see a content. An editor, whom the interface calls a member, may change it too
(content#members)."""
ShownRole = Annotated[str, Meta(extra_json_schema={"enum": list(get_args(GuestRole))})]
"""In answers. A later release may have other words, which a client must accept."""


class ContentName(Record):
    """A present or former name of a content, and since when (content#names). `by` is the user who
    gave it; null if that was staff, or a user who has left."""

    name: str
    since: Seconds
    by: UserInfo | None


class Tester(Record):
    """A tester of a content, and since when (content#members)."""

    user: UserInfo
    since: Seconds


class Member(Record):
    """A member of a content, when they were invited, and whether they have `accepted`
    (content#members)."""

    user: UserInfo
    since: Seconds
    accepted: bool


class Membership(Record):
    """A content that a user is a tester or a member of, or is invited to (content#members). Testers
    need not accept."""

    content: ContentInfo
    role: ShownRole
    accepted: bool
    since: Seconds


class PlayBody(Wire):
    """A play that is over (content#plays). `id` is a GUID that the client makes; the same `id`
    again is a repeat. `seconds` is how long the play took. `completed` says whether the player got
    to the end."""

    id: Guid
    content: Guid
    revision: Guid | None = None
    seconds: Annotated[
        int, Meta(ge=0, le=86_400, description="a number of seconds: how long it was played")
    ] = 0
    completed: bool = False


class ContentStatisticsQuery(Wire):
    """The first and the last day of UTC, both included (content#plays)."""

    first: Day = field(name="from")
    last: Day = field(name="to")


class ContentDay(Record):
    """What changed for a content on a day of UTC (content#plays). `players` are those who played it
    for the first time. `seconds` is how long it was played."""

    day: Annotated[str, described("a day of UTC", examples=["2026-11-22"])]
    plays: Number
    players: Number
    completions: Number
    seconds: Number
    downloads: Number
    subscribers: Annotated[int, described("more subscribers, or fewer if negative", bits=64)]


CollectionName = Annotated[str, Meta(min_length=1, max_length=128, examples=["Castles"]), NOT_BLANK]


class CollectionBody(Wire):
    """The name of a collection, its description, and whether everybody sees it
    (content#collections)."""

    name: CollectionName
    public: bool
    description: Annotated[str, Meta(max_length=4096)] = ""


class FavouritesBody(Wire):
    """Whether everybody sees the user's favourites. Nothing else of them can be changed
    (content#collections)."""

    public: bool


class ItemBody(Wire):
    """The place of an item in a collection: before the item with the id `before`, or at the end if
    that is null. Without `before`, a new item comes first, and an old one stays where it is."""

    before: Guid | UnsetType | None = UNSET


class CollectionsQuery(Part):
    """A part of a user's collections. With `content`, only those that contain it."""

    content: Annotated[Guid, Meta(description="a GUID with dashes: a content's")] | None = None


class Collection(Record):
    """A collection (content#collections). `items` is how many items it has, including those that
    the caller does not see."""

    id: Id
    owner: UserInfo
    name: str
    description: str
    public: bool
    items: Count
    updated: Seconds
    kind: Annotated[str, Meta(extra_json_schema={"enum": ["favourites", "collection"]})]
