"""The queries for lists and searches of content, suggestions and tags (content#browsing,
content#by-author, content#suggestions, content#tags)."""

from typing import Annotated, ClassVar, Final, Literal

from msgspec import Meta

from contentsvc.wire.base import CURSOR, Count, Guid, Ids, Paging, Part, Record, SortedPart, Wire
from contentsvc.wire.content import (
    ATTRIBUTES_SCHEMA,
    FEATURE,
    LONGEST_TAG,
    MOST_TAGS,
    Category,
    GameVersion,
    Statuses,
)
from contentsvc.wire.packages import Platform

MOST_ASKED: Final = 4
AskedAttributes = Annotated[
    dict[str, str],
    Meta(
        description=f"an attribute, as `attr.KEY=VALUE` or `attr[KEY]=VALUE`, up to {MOST_ASKED}: "
        "content has all of these attributes. A value is compared as text, numbers and booleans as "
        "JSON has them",
        extra_json_schema={"propertyNames": ATTRIBUTES_SCHEMA["propertyNames"], "maxProperties": 4},
    ),
]


MOST_FEATURES = 256


ClientGame = (
    Annotated[GameVersion, Meta(description="a version of the game: that of the client")] | None
)
ClientPlatform = Annotated[Platform, Meta(description="a platform: the client's")] | None
ClientFeatures = (
    Annotated[
        str,
        Meta(
            description=f"a comma list of up to {MOST_FEATURES} features: those that the client "
            "has. Empty if it has none",
            extra_json_schema={
                "pattern": rf"^(?:{FEATURE}(?:,{FEATURE}){{0,{MOST_FEATURES - 1}}})?\Z",
                "examples": ["vr,mods"],
            },
        ),
    ]
    | None
)
"""ClientGame, ClientPlatform and ClientFeatures say what the client has
(content#fitting-revisions). What is absent is not compared."""


class ClientQuery(Wire):
    """What the client has: its version of the game, platform and features
    (content#fitting-revisions)."""

    game: ClientGame = None
    platform: ClientPlatform = None
    features: ClientFeatures = None


class ContentQuery(Paging):
    """The filters of a list of a user's content (content#by-author): comma lists, or `all`;
    attributes; and what the client has (content#fitting-revisions)."""

    maps: ClassVar[frozenset[str]] = frozenset({"attr"})

    category: Category = "all"
    status: Statuses | None = None
    attr: AskedAttributes | None = None
    game: ClientGame = None
    platform: ClientPlatform = None
    features: ClientFeatures = None


_IDS = (
    "a comma list of 1 to 100 ids of content: then the answer has these, in this order, without "
    "those that do not fit. sort, limit and after have no effect"
)
_SORT = (
    "newest; updated, by the latest publication; top, by all votes; trending, by votes of which "
    "those of a week ago count half; played, by players; subscribed, by subscribers; relevance, "
    "by where the words of q are. The default is "
    "relevance with q, otherwise newest"
)
Sort = Literal["newest", "updated", "top", "trending", "played", "subscribed", "relevance"]
# Python also trims these five control characters; ECMA-262, which the document uses, does not.
_UNSEEN = r"\s\x00\x1c-\x1f\x85"
_SEEN = rf"[^{_UNSEEN}]"
_TAG = rf"[^,\x00]*[^,{_UNSEEN}][^,\x00]*"


class SuggestionQuery(Wire):
    """A search that may be misspelt (content#suggestions)."""

    q: Annotated[
        str,
        Meta(
            description="a text of 1 to 256 characters, as GET /content takes it",
            extra_json_schema={"pattern": _SEEN, "examples": ["casle ruin"]},
        ),
    ]


class Suggestion(Record):
    """A search with its misspelt words corrected (content#suggestions)."""

    q: str | None
    """The corrected text. Null if no word is misspelt, or no known word is near."""


class ContentSearch(SortedPart):
    """The conditions of a list of content (content#browsing). Content must meet all of them.
    Without parameters the list has all active content."""

    maps: ClassVar[frozenset[str]] = frozenset({"attr"})

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
                description=f"a comma list of up to {MOST_TAGS} tags. Content has all of them, "
                "whatever the case",
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
    attr: AskedAttributes | None = None
    game: ClientGame = None
    platform: ClientPlatform = None
    features: ClientFeatures = None


GROUP_KEY: Final = "[a-z0-9_-]{1,32}"


class TagsQuery(Part):
    """Which tags to list (content#tags)."""

    q: (
        Annotated[
            str,
            Meta(
                description=f"a text of 1 to {LONGEST_TAG} characters: tags that begin so, "
                "whatever the case",
                extra_json_schema={"pattern": _SEEN, "examples": ["phy"]},
            ),
        ]
        | None
    ) = None
    group: (
        Annotated[
            str,
            Meta(
                pattern=rf"^{GROUP_KEY}\Z",
                description="a key of a group: its tags",
                examples=["genre"],
            ),
        ]
        | None
    ) = None
    after: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=512,
                description=CURSOR.description,
                extra_json_schema={"pattern": r"^[A-Za-z0-9_-]{11,352}\Z"},
            ),
        ]
        | None
    ) = None


class TagCount(Record):
    """A tag, and how much public active content has it (content#tags)."""

    tag: str
    group: Annotated[str, Meta(description="the key of its group; null: it is a free one")] | None
    count: Count
