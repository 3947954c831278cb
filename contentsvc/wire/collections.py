"""Collections of content (library §3)."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from contentsvc.wire.accounts import UserInfo
from contentsvc.wire.base import NOT_BLANK, Count, Guid, Id, Part, Record, Seconds, Wire

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
