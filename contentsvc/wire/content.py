"""Content, its revisions and dependencies, the pre-check, comments and ratings (spec §2, §4.1 to
§4.4, §4.13, §4.14; extensions §1)."""

from typing import Annotated, Final, Literal, get_args

from msgspec import UNSET, Meta, UnsetType

from contentsvc.wire.base import (
    MEDIA_PATTERN,
    Count,
    Guid,
    Id,
    Ids,
    MediaPath,
    Name,
    Page,
    PageNumber,
    PageSize,
    Paging,
    Record,
    Seconds,
    SortedPart,
    Text,
    Wire,
    described,
)

Platform = Literal["win64", "osx64", "linux64"]
PLATFORMS: Final = get_args(Platform)
Many: Final = Meta(max_length=4096)
"""The most entities or packages in a list."""


class EntityReference(Wire):
    """The revision of an entity (spec §2 EntityReference)."""

    entity_id: Guid
    revision_id: Guid


class Entity(EntityReference):
    """A revision of an entity, and its file (spec §2 Entity). `path` is relative to the content
    bucket."""

    path: str


class EntityDefinition(Entity):
    """An entity to register. `path` is relative to the content bucket."""

    path: MediaPath


class Package(Wire, omit_defaults=True):
    """A package (spec §2 Package). It has one path for each platform that it supports."""

    id: Guid
    win64: str | UnsetType = UNSET
    osx64: str | UnsetType = UNSET
    linux64: str | UnsetType = UNSET


class PackageDefinition(Package):
    """A package to register, with one path for each platform that it supports."""

    win64: MediaPath | UnsetType = UNSET
    osx64: MediaPath | UnsetType = UNSET
    linux64: MediaPath | UnsetType = UNSET


class RevisionCreate(Wire):
    """A new revision (spec §4.2): its change notes, its version, and what it is made of."""

    revision_id: Guid
    revision_description: Text
    version: str
    entity: EntityDefinition
    originating: Annotated[list[EntityDefinition], Many]
    using: Annotated[list[EntityReference], Many]
    packages_originating: Annotated[list[PackageDefinition], Many] = []
    packages_using: Annotated[list[Guid], Many] = []


class Revision(Record):
    """A revision."""

    id: Id
    version: str
    description: str
    created: Seconds


class RevisionInfo(Revision, omit_defaults=True):
    """A revision in the list of its content. `current` says whether the content shows it. `gone` is
    there, and true, if its author has deleted it."""

    current: bool
    gone: bool = False


class RevisionDetail(Revision, omit_defaults=True):
    """A revision, with its entities and packages. `gone` is there, and true, if its author has
    deleted it."""

    entity: Entity
    originating: list[Entity]
    using: list[Entity]
    packages: list[Package]
    gone: bool = False


class CurrentRevision(Wire):
    """The revision that a content shall show."""

    revision_id: Guid


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


ListingId = Annotated[int, described("grows with each publication of any content")]


class Votes(Record):
    """The numbers of up-votes and down-votes."""

    up: Count
    down: Count


class ContentInfo(Record):
    """A content in a list (spec §2 ContentInfo)."""

    id: Id
    listing_id: ListingId
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
    created: Seconds
    comments: Annotated[Count, Meta(description="how many comments, without deleted ones")]
    votes: Votes


class ContentDetail(ContentInfo):
    """A content, with its current revision."""

    author_id: Id
    description: str
    screenshot_uris: list[str]
    tags: list[str]
    updated: Seconds
    revision: Revision
    entity: Entity
    originating: list[Entity]
    using: list[Entity]
    packages: list[Package]
    comment_count: Annotated[Count, Meta(description="the same as comments")]
    comments_locked: bool


class StatusChange(Wire):
    """Whether admins let a content be seen, and why."""

    status: Literal["active", "suspended"]
    reason: Annotated[str, Meta(max_length=4096)] = ""


class FeaturedChange(Wire):
    """Whether a content is featured."""

    featured: bool


CommentBody = Annotated[str, Meta(min_length=1, max_length=4096)]
CommentNumber = Annotated[int, described("the number of a comment")]
CommentId = Annotated[CommentNumber, Meta(ge=1, le=2**63 - 1)]


class CommentCreate(Wire):
    """A new comment. With `parentId` it is a reply. A repeat has the same `writeId`."""

    body: CommentBody
    parent_id: CommentId | None = None
    write_id: Guid | None = None


class CommentUpdate(Wire):
    """The new text of a comment."""

    body: CommentBody


class CommentQuery(Wire):
    """The page of the comments (spec §4.4)."""

    size: Annotated[int, Meta(ge=1, le=200, description="a number: the most on a page")] = 100
    page: Page = 0


class CommentRemoval(Wire):
    """Why somebody else's comment is deleted (extensions §4)."""

    reason: Annotated[
        str, Meta(max_length=4096, description="a text for the author of the comment")
    ] = ""


class CommentsLock(Wire):
    """Whether the comments on a content are locked."""

    locked: bool


class Comment(Record):
    """A comment (spec §2 Comment). A deleted one keeps its place and loses its text."""

    id: CommentNumber
    parent_id: CommentNumber | None
    author_id: Id
    body: str
    created: Seconds
    updated: Seconds
    deleted: bool


class CommentPage(Record):
    """A page of comments (spec §4.4)."""

    page: PageNumber
    page_size: PageSize
    count: Annotated[Count, Meta(description="how many are on this page")]
    total: Annotated[Count, Meta(description="how many are on all pages")]
    items: list[Comment]


class PrecheckDependency(EntityReference):
    """A dependency to check. If `path` is given, the check also finds another path of the same
    entity."""

    path: MediaPath | None = None


class Precheck(Wire):
    """The content that is to be uploaded and published (spec §4.1). `entity` says which of several
    dependencies is the core."""

    content_id: Guid
    operation: Literal["create", "update"]
    dependencies: Annotated[list[PrecheckDependency], Many]
    packages: Annotated[list[Guid], Many]
    entity: EntityReference | None = None


class PrecheckProblem(Wire, omit_defaults=True):
    """A reason why the next step would fail, with the code that this step would answer."""

    code: str
    detail: str
    entities: list[EntityReference] | UnsetType = UNSET
    packages: list[Id] | UnsetType = UNSET


class PrecheckAnswer(Wire):
    """The entities and packages to upload before the next step, and the reasons why that step would
    fail (spec §4.1)."""

    needed: list[EntityReference]
    needed_packages: list[Id]
    problems: list[PrecheckProblem]


Vote = Literal["1", "0"]
"""An up-vote, a down-vote."""
RatingMap = dict[Id, Vote]
"""Answer of spec §4.14: a user's votes by the ids of the content."""


class RatingBody(Wire):
    """A rating (spec §4.13). The ids may be missing; if present, they repeat the path."""

    value: Vote
    account_id: Guid | None = None
    content_id: Guid | None = None
