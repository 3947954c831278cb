"""Content: spec §2 ContentInfo; §4.2, §4.3."""

from typing import Annotated, Literal, get_args

from msgspec import UNSET, Meta, UnsetType

from contentsvc.wire.base import (
    MEDIA_PATTERN,
    Guid,
    Id,
    Ids,
    Name,
    Paging,
    Record,
    Seconds,
    SortedPart,
    Text,
    Wire,
)
from contentsvc.wire.dependencies import Entity, Package
from contentsvc.wire.revisions import Revision, RevisionCreate

ContentType = Literal["game", "asset", "avatar_box", "gameplay_box", "scene_box"]
ContentStatus = Literal["active", "suspended", "deleted"]
CONTENT_TYPES: tuple[str, ...] = get_args(ContentType)
CONTENT_STATUSES: tuple[str, ...] = get_args(ContentStatus)
LISTED_STATUSES = ("active", "suspended")
"""Those that a list of a user's content has, unless an admin asks for others (spec §4.3)."""
ShownType = Annotated[str, Meta(extra_json_schema={"enum": list(CONTENT_TYPES)})]
ShownStatus = Annotated[str, Meta(extra_json_schema={"enum": list(CONTENT_STATUSES)})]
"""In answers: a client takes what a later release may add."""
Share = Annotated[float, Meta(extra_json_schema={"minimum": 0, "maximum": 1, "examples": [0.75]})]
CATEGORIES = rf"^(all|({'|'.join(CONTENT_TYPES)})(,({'|'.join(CONTENT_TYPES)}))*)\Z"
"""A comma list of types. It is described so; the handler's message says more."""
Category = Annotated[
    str,
    Meta(
        description="a comma list of content types, or all",
        extra_json_schema={"pattern": CATEGORIES},
    ),
]
Statuses = Annotated[
    str,
    Meta(description="a comma list of statuses, or all. Only for admins; others' is ignored"),
]

Screenshot = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=1024,
        extra_json_schema={"pattern": MEDIA_PATTERN, "examples": ["shots/0e1f7a52.png"]},
    ),
]
Screenshots = Annotated[list[Screenshot], Meta(min_length=1, max_length=64)]
"""Each is a MediaPath, which is checked after decoding: msgspec counts a list only at its end. A
body can hold 260,000 strings, and to match each of them with a pattern would block everybody."""
MOST_TAGS = 64
Tags = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=64)]], Meta(max_length=MOST_TAGS)
]


class ContentCreate(RevisionCreate, kw_only=True):
    """A new content, with its first revision (spec §4.2). The first of `screenshotUris` is the
    primary image."""

    name: Name
    description: Text
    screenshot_uris: Screenshots
    type: ContentType
    tags: Tags = []


class ContentRepeat(Wire):
    """The member of a PUT's body that distinguishes an update from a create that is repeated, or
    that comes too late."""

    revision_id: Guid | None = None


class ContentUpdate(ContentRepeat, kw_only=True):
    """The parts of a content that can change (spec §4.2). The first of `screenshotUris` is the
    primary image. Without `tags` the tags stay. A `revisionId` must be a revision of this
    content."""

    description: Text
    screenshot_uris: Screenshots
    tags: Tags | UnsetType = UNSET


class ContentQuery(Paging):
    """Filters (spec §4.3): comma lists, or `all`."""

    category: Category = "all"
    status: Statuses | None = None


_IDS = (
    "a comma list of 1 to 100 ids of content: then the answer has these, in this order, without "
    "those that do not fit. sort, limit and after have no effect"
)
_SORT = (
    "newest; updated, by the latest publication; top, by all votes; trending, by votes of which "
    "those of a week ago count half; relevance, by where the words of q are. The default is "
    "relevance with q, otherwise newest"
)
Sort = Literal["newest", "updated", "top", "trending", "relevance"]
# Python also trims the five control characters; ECMA-262, which the document has, does not.
_UNSEEN = r"\s\x00\x1c-\x1f\x85"
_SEEN = rf"[^{_UNSEEN}]"
_TAG = rf"[^,\x00]*[^,{_UNSEEN}][^,\x00]*"


class ContentSearch(SortedPart):
    """What to list (extensions §1): content that has all of these. Without parameters it is all
    active content."""

    q: (
        Annotated[
            str,
            Meta(
                description="a text of 1 to 256 characters. Content has all of its words in the "
                "name, the tags or the description; the last may be the beginning of a word",
                extra_json_schema={"pattern": _SEEN, "examples": ["castle ru"]},
            ),
        ]
        | None
    ) = None
    category: Category = "all"
    tags: (
        Annotated[
            str,
            Meta(
                description="a comma list of tags. Content has all of them, whatever the case",
                extra_json_schema={
                    "pattern": rf"^{_TAG}(,{_TAG}){{0,{MOST_TAGS - 1}}}\Z",
                    "examples": ["physics,co-op"],
                },
            ),
        ]
        | None
    ) = None
    author: Annotated[Guid, Meta(description="a GUID with dashes: the author's")] | None = None
    featured: Annotated[bool, Meta(description="true or false: is it featured")] | None = None
    ids: Annotated[Ids, Meta(description=_IDS)] | None = None
    sort: Annotated[Sort, Meta(description=_SORT)] | None = None
    status: Statuses | None = None


class ContentInfo(Record):
    """A content in a list (spec §2 ContentInfo)."""

    id: Id
    listing_id: int
    revision_id: Id
    author_username: str
    author_avatar: str
    author_emblem: Id | None
    type: ShownType
    status: ShownStatus
    name: str
    thumbnail_uri: str
    featured: bool
    rating: Share


class Votes(Record):
    """The numbers of up-votes and down-votes."""

    up: int
    down: int


class ContentDetail(ContentInfo):
    """A content, with its current revision."""

    author_id: Id
    description: str
    screenshot_uris: list[str]
    tags: list[str]
    created: Seconds
    updated: Seconds
    revision: Revision
    entity: Entity
    originating: list[Entity]
    using: list[Entity]
    packages: list[Package]
    votes: Votes
    comment_count: int
    comments_locked: bool


class StatusChange(Wire):
    """Whether admins let a content be seen, and why."""

    status: Literal["active", "suspended"]
    reason: Annotated[str, Meta(max_length=4096)] = ""


class FeaturedChange(Wire):
    """Whether a content is featured."""

    featured: bool
