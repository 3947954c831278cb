"""What players keep (content#library-map)."""

from typing import Annotated, Final, Literal, get_args

from msgspec import UNSET, Meta, UnsetType, field

from contentsvc.wire.accounts import UserInfo
from contentsvc.wire.base import NOT_BLANK, Count, Guid, Id, Part, Record, Seconds, Wire, described
from contentsvc.wire.content import ContentInfo
from contentsvc.wire.moderation import Day, Number
from contentsvc.wire.searches import ClientFeatures, ClientGame, ClientPlatform

STATES: Final = ("active", "unavailable", "gone")
SubscriptionState = Annotated[str, Meta(extra_json_schema={"enum": list(STATES)})]
"""In answers: a client takes what a later release may add."""
_Stays = Annotated[Id | None, Meta(description="the revision to stay with; null: the current one")]


class SubscriptionBody(Wire):
    """Which revision the user stays with; without `pin`, none."""

    pin: Guid | None = None


class SubscriptionsQuery(Part):
    """The part of the list, and what the client says of itself (content#fitting-revisions)."""

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


GuestRole = Literal["tester", "editor"]
"""A tester sees a content, and an editor, who is called a member, may change it too."""
ShownRole = Annotated[str, Meta(extra_json_schema={"enum": list(get_args(GuestRole))})]
"""In answers: a client takes what a later release may add."""


class ContentName(Record):
    """What a content is or was called, and since when. `by` has given it; null: staff, or a user
    who has left."""

    name: str
    since: Seconds
    by: UserInfo | None


class Tester(Record):
    """A tester of a content, and since when."""

    user: UserInfo
    since: Seconds


class Member(Record):
    """A member of a content, when they were invited, and whether they have `accepted`."""

    user: UserInfo
    since: Seconds
    accepted: bool


class Membership(Record):
    """A content that a user is a tester or a member of, or is invited to be. Testers need not
    accept."""

    content: ContentInfo
    role: ShownRole
    accepted: bool
    since: Seconds


class PlayBody(Wire):
    """A play that is over. `id` is a GUID of the client's: by it, a repeat is known. `seconds` is
    how long it took, `completed` whether the player got to the end."""

    id: Guid
    content: Guid
    revision: Guid | None = None
    seconds: Annotated[
        int, Meta(ge=0, le=86_400, description="a number of seconds: how long it was played")
    ] = 0
    completed: bool = False


class ContentStatisticsQuery(Wire):
    """The first and the last day."""

    first: Day = field(name="from")
    last: Day = field(name="to")


class ContentDay(Record):
    """What changed on a day of UTC. `players` are those who played the content for the first
    time."""

    day: Annotated[str, described("a day of UTC", examples=["2026-11-22"])]
    plays: Number
    players: Number
    completions: Number
    seconds: Number
    downloads: Number
    subscribers: Annotated[int, described("more subscribers, or fewer if negative", bits=64)]


CollectionName = Annotated[str, Meta(min_length=1, max_length=128, examples=["Castles"]), NOT_BLANK]


class CollectionBody(Wire):
    """What a collection is called, and whether everybody sees it."""

    name: CollectionName
    public: bool
    description: Annotated[str, Meta(max_length=4096)] = ""


class FavouritesBody(Wire):
    """Whether everybody sees the user's favourites: all that a request can change of them."""

    public: bool


class ItemBody(Wire):
    """Where an item comes: before this content, or at the end with null. Without it, a new item
    comes first, and one that is there stays where it is."""

    before: Guid | UnsetType | None = UNSET


class CollectionsQuery(Part):
    """A part of a user's collections: only those that hold this content."""

    content: Annotated[Guid, Meta(description="a GUID with dashes: a content's")] | None = None


class Collection(Record):
    """A collection. `items` is how many it has, also those that the caller does not see."""

    id: Id
    owner: UserInfo
    name: str
    description: str
    public: bool
    items: Count
    updated: Seconds
    kind: Annotated[str, Meta(extra_json_schema={"enum": ["favourites", "collection"]})]
