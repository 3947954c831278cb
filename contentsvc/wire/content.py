"""Content, its revisions and dependencies, the pre-check, and ratings (content#contentinfo,
content#detail, content#publishing, content#revisions, content#pre-check, content#ratings)."""

from functools import lru_cache
from typing import Annotated, Any, Final, Literal, TypeVar, cast, get_args

from msgspec import UNSET, DecodeError, Meta, Raw, Struct, UnsetType, defstruct, field, json

from contentsvc.wire.base import (
    ADDED,
    MEDIA_PATTERN,
    Count,
    FileName,
    Guid,
    Id,
    MediaPath,
    Name,
    Record,
    Seconds,
    Text,
    Wire,
    described,
)
from contentsvc.wire.packages import (
    MOST_PLATFORMS,
    PLATFORMS,
    Package,
    PackageDefinition,
    Platform,
    ShownPlatform,
    definition_type,
    is_platform,
    ordered,
    package_type,
)

Many: Final = Meta(max_length=4096)
"""The most entities or packages in a list."""


class EntityReference(Wire):
    """The revision of an entity (content#parts)."""

    entity_id: Guid
    revision_id: Guid


class Entity(EntityReference):
    """A revision of an entity, and its file (content#parts). `path` is relative to the content
    bucket."""

    path: str


class EntityDefinition(Entity, omit_defaults=True):
    """An entity to register. `path` is relative to the content bucket. `name` is the name of the
    file in downloads (files#names)."""

    path: MediaPath
    name: FileName | None = None


_PART = (
    r"0*(?:[0-9]|[1-9][0-9]{1,8}|1[0-9]{9}|20[0-9]{8}|21[0-3][0-9]{7}|214[0-6][0-9]{6}"
    r"|2147[0-3][0-9]{5}|21474[0-7][0-9]{4}|214748[0-2][0-9]{3}|2147483[0-5][0-9]{2}"
    r"|21474836[0-3][0-9]|214748364[0-7])"
)
_VERSION = Meta(
    max_length=64,
    pattern=rf"^{_PART}(?:\.{_PART}){{0,3}}\Z",
    description="a version: 1 to 4 numbers up to 2147483647, with dots between them",
    examples=["1.4.2"],
)
GameVersion = Annotated[str, _VERSION]
FEATURE = r"[a-z0-9._-]{1,32}"
Feature = Annotated[
    str,
    Meta(
        pattern=rf"^{FEATURE}\Z",
        description="a feature: 1 to 32 of a-z, 0-9, `.`, `_` and `-`",
        examples=["vr"],
    ),
]


class GameVersions(Wire, omit_defaults=True):
    """A range of versions of the game (content#requirements). `max` is inclusive, and compared on
    as many numbers as it has: 1.4 includes 1.4.9."""

    min: GameVersion | UnsetType = UNSET
    max: GameVersion | UnsetType = UNSET


class Requires(Wire, omit_defaults=True):
    """What a revision requires of a client: a version of the game, one of the platforms, and all of
    the features (content#requirements). An absent member fits all clients."""

    game: GameVersions | UnsetType = UNSET
    platforms: (
        Annotated[list[Platform], Meta(min_length=1, max_length=MOST_PLATFORMS)] | UnsetType
    ) = UNSET
    features: Annotated[list[Feature], Meta(min_length=1, max_length=32)] | UnsetType = UNSET


class ShownRequires(Requires):
    """What a revision requires of a client, in answers (content#requirements). Some platforms may
    be ones that the service no longer has."""

    platforms: list[ShownPlatform] | UnsetType = UNSET


class RequiresChange(Wire):
    """What a revision requires from now on; null: nothing."""

    requires: Requires | None


class RevisionCreate(Wire):
    """A new revision (content#publishing): its change notes, its version, what it is made of, and
    what it requires of a client (content#requirements)."""

    revision_id: Guid
    revision_description: Text
    version: str
    entity: EntityDefinition
    originating: Annotated[list[EntityDefinition], Many]
    using: Annotated[list[EntityReference], Many]
    packages_originating: Annotated[list[PackageDefinition], Many] = []
    packages_using: Annotated[list[Guid], Many] = []
    requires: Requires | None = None


class Revision(Record):
    """A revision (content#revisions)."""

    id: Id
    version: str
    description: str
    created: Seconds


class RevisionInfo(Revision, omit_defaults=True):
    """A revision in the list of its content (content#revisions). `current` says whether the content
    shows it. `gone` is there, and true, only if its author has deleted it."""

    current: bool
    gone: bool = False


class RevisionDetail(Revision, omit_defaults=True):
    """A revision, with its entities and packages (content#revisions). `gone` is there, and true,
    only if its author has deleted it."""

    entity: Entity
    originating: list[Entity]
    using: list[Entity]
    packages: list[Package]
    requires: ShownRequires | None
    gone: bool = False


class CurrentRevision(Wire):
    """The revision that becomes the current one (content#revisions)."""

    revision_id: Guid


CONTENT_TYPES: Final = ("game", "asset", "avatar_box", "gameplay_box", "scene_box")
"""The types of a service without settings (content#types). The setting `content_types` adds
others."""
TYPE_PATTERN: Final = r"^[a-z0-9_]{1,32}\Z"
ContentType = Annotated[str, Meta(extra_json_schema={"enum": list(CONTENT_TYPES)})]
"""The schema here has the types of a service without settings; the document of each service has its
own. The handler checks the type."""
ContentStatus = Literal["active", "suspended", "deleted"]
CONTENT_STATUSES: tuple[str, ...] = get_args(ContentStatus)
Visibility = Literal["public", "unlisted", "friends", "private"]
VISIBILITIES: tuple[str, ...] = get_args(Visibility)
ShownVisibility = Annotated[
    str,
    Meta(
        description="who sees it: everybody; whoever has the id; friends of the author; or nobody "
        "but the author, testers and members",
        extra_json_schema={"enum": list(VISIBILITIES)},
    ),
]
LISTED_STATUSES = ("active", "suspended")
"""The statuses in a list of a user's content, unless an admin asks for others
(content#by-author)."""
ShownType = Annotated[
    str, Meta(description="a content type", extra_json_schema={"examples": list(CONTENT_TYPES)})
]
"""In answers. It may be a type that the service no longer has."""
ShownStatus = Annotated[str, Meta(extra_json_schema={"enum": list(CONTENT_STATUSES)})]
"""In answers. A later release may have other words, which a client must accept."""
Share = Annotated[float, Meta(extra_json_schema={"minimum": 0, "maximum": 1, "examples": [0.75]})]
CATEGORIES = rf"^(all|({'|'.join(CONTENT_TYPES)})(,({'|'.join(CONTENT_TYPES)}))*)\Z"
"""A comma list of types, or `all`. The pattern is only in the document; the handler checks the
list."""
Category = Annotated[
    str,
    Meta(
        description="a comma list of content types, or all",
        extra_json_schema={"pattern": CATEGORIES},
    ),
]
Statuses = Annotated[
    str, Meta(description="a comma list of statuses, or all. Only for admins; others' is ignored")
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
"""Each is a MediaPath, which is checked after decoding, because msgspec checks the length of a list
only at its end. A body can have 260,000 strings, and to match each of them with a pattern would
block the process."""
MOST_TAGS: Final = 64
LONGEST_TAG: Final = 64
Tag = Annotated[str, Meta(min_length=1, max_length=LONGEST_TAG)]
Tags = Annotated[list[Tag], Meta(max_length=MOST_TAGS)]


MOST_ATTRIBUTES: Final = 32
ATTRIBUTE_KEY: Final = "[a-z0-9._-]{1,32}"
ATTRIBUTES_SCHEMA = {
    "propertyNames": {"pattern": rf"^{ATTRIBUTE_KEY}\Z"},
    "examples": [{"mode": "race", "players": 4, "vr": False}],
}
AttributeText = Annotated[str, Meta(max_length=256)]
_Number = Annotated[int, described("a number")]
WHOLE: Final = 2**63
"""Whole numbers of attributes are at least -WHOLE and less than WHOLE, so that they are exact
(content#attributes)."""
_Whole = Annotated[
    int, Meta(description="a number", extra_json_schema={"minimum": -WHOLE, "maximum": WHOLE - 1})
]
Attributes = Annotated[
    dict[str, AttributeText | bool | _Whole | float],
    Meta(max_length=MOST_ATTRIBUTES, extra_json_schema=ATTRIBUTES_SCHEMA),
]
"""The attributes of a content: texts, numbers and booleans by keys (content#attributes). The
handler checks the keys."""


class ContentCreate(RevisionCreate, kw_only=True):
    """A new content, with its first revision (content#publishing). The first of `screenshotUris` is
    the primary image."""

    name: Name
    description: Text
    screenshot_uris: Screenshots
    type: ContentType
    tags: Tags = []
    visibility: Visibility = "public"
    attributes: Attributes = {}


@lru_cache(maxsize=16)
def revision_create(platforms: tuple[str, ...]) -> type[RevisionCreate]:
    """The type of a RevisionCreate whose packages are for these platforms."""
    return cast("type[RevisionCreate]", _with_platforms(RevisionCreate, platforms))


@lru_cache(maxsize=16)
def content_create(platforms: tuple[str, ...]) -> type[ContentCreate]:
    """The type of a ContentCreate whose packages are for these platforms."""
    return cast("type[ContentCreate]", _with_platforms(ContentCreate, platforms))


def _with_platforms(base: Any, platforms: tuple[str, ...]) -> Any:
    if platforms == PLATFORMS:
        return base
    definition: Any = definition_type(platforms)
    member: Any = (Annotated[list[definition], Many], field(default_factory=list))
    return defstruct(
        base.__name__, [("packages_originating", *member)], bases=(base,), module=__name__
    )


class ContentRepeat(Wire):
    """The member of the body of PUT content that distinguishes an update from a create that is
    repeated, or that comes too late (content#publishing)."""

    revision_id: Guid | None = None


_Kept = Annotated[list[Tag], Meta(extra_json_schema={"maxItems": MOST_TAGS})]
"""The tags of a PUT. Tags that curators have given do not count against MOST_TAGS, so the handler
counts the others."""


class ContentUpdate(ContentRepeat, kw_only=True):
    """The parts of a content that can change (content#publishing). The first of `screenshotUris` is
    the primary image. Without `tags`, the tags stay. Without `attributes`, the attributes stay;
    otherwise the new ones replace all of them. A `revisionId` must be a revision of this
    content."""

    description: Text
    screenshot_uris: Screenshots
    tags: _Kept | UnsetType = UNSET
    attributes: Attributes | UnsetType = UNSET


class ContentNameChange(Wire):
    """The new name of a content (content#names)."""

    name: Name


ListingId = Annotated[int, described("grows with each publication of any content")]


class Votes(Record):
    """The numbers of up-votes and down-votes."""

    up: Count
    down: Count


Total = Annotated[int, described("how many", bits=64)]


class Counts(Record):
    """The totals of a content (content#counts). `plays` are all plays, and `completions` those that
    reached the end. `players` has each player once, and `downloads` each user once a day.
    `subscribers` and `favourites` are the users who have the content there."""

    plays: Total
    players: Total
    completions: Total
    downloads: Total
    subscribers: Total
    favourites: Total


class ContentInfo(Record):
    """A content in a list (content#contentinfo)."""

    id: Id
    listing_id: ListingId
    revision_id: Id
    author_id: Id
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
    visibility: ShownVisibility
    attributes: Annotated[
        dict[str, str | bool | _Number | float], Meta(extra_json_schema=ATTRIBUTES_SCHEMA)
    ]
    counts: Counts
    fitting: Annotated[
        Id | UnsetType | None,
        ADDED,
        described(
            "the revision that fits what the query says of the client; null if none does. It is "
            "there only if the query says something"
        ),
    ] = UNSET


class ContentDetail(ContentInfo, kw_only=True):
    """A content, with its current revision (content#detail)."""

    description: str
    screenshot_uris: list[str]
    tags: list[str]
    updated: Seconds
    revision: Revision
    entity: Entity
    originating: list[Entity]
    using: list[Entity]
    packages: list[Package]
    requires: ShownRequires | None
    comment_count: Annotated[Count, Meta(description="the same as comments")]
    comments_locked: bool


class _Packages(Struct):
    packages: list[dict[str, Raw]] = []


Detail = TypeVar("Detail", ContentDetail, RevisionDetail)


def detail_type(kind: type[Detail], body: bytes) -> type[Detail]:
    """The type to decode the JSON of a detail with: `kind`, for the platforms that the packages in
    `body` have. It is `kind` itself if `body` cannot be decoded."""
    try:
        found = json.decode(body, type=_Packages).packages
    except (DecodeError, UnicodeDecodeError, RecursionError):
        return kind  # to decode it as that fails too
    names = {name for package in found for name, path in package.items() if bytes(path)[:1] == b'"'}
    return cast("type[Detail]", _detail_type(kind, ordered(filter(is_platform, names))))


@lru_cache(maxsize=64)
def _detail_type(base: Any, platforms: tuple[str, ...]) -> Any:
    made: Any = package_type(platforms)
    if made is Package:
        return base
    return defstruct(
        base.__name__, [("packages", list[made])], bases=(base,), kw_only=True, module=__name__
    )


class StatusChange(Wire):
    """The status that an admin gives a content, and why (moderation#suspension)."""

    status: Literal["active", "suspended"]
    reason: Annotated[str, Meta(max_length=4096)] = ""


class VisibilityChange(Wire):
    """Who sees a content from now on (content#visibility)."""

    visibility: Visibility


class StaffTags(Wire):
    """All staff tags of a content: they replace those that it has. Only curators give them
    (content#tags)."""

    tags: Tags


class FeaturedChange(Wire):
    """Whether a content is featured (moderation#featuring)."""

    featured: bool


class PrecheckDependency(EntityReference):
    """A dependency to check. With `path`, the check also finds that the entity is registered with
    another path."""

    path: MediaPath | None = None


class Precheck(Wire):
    """The content that is to be uploaded and published (content#pre-check). `entity` says which of
    several dependencies is the core. `type` is the type of new content."""

    content_id: Guid
    operation: Literal["create", "update"]
    dependencies: Annotated[list[PrecheckDependency], Many]
    packages: Annotated[list[Guid], Many]
    entity: EntityReference | None = None
    tags: _Kept | None = None
    type: ContentType | None = None


class PrecheckProblem(Wire, omit_defaults=True):
    """A reason why the next step would fail, with the code that this step would answer
    (content#pre-check)."""

    code: str
    detail: str
    entities: list[EntityReference] | UnsetType = UNSET
    packages: list[Id] | UnsetType = UNSET
    tags: list[str] | UnsetType = UNSET
    group: Annotated[str, Meta(description="the key of a group of tags")] | UnsetType = UNSET
    most: Annotated[int, described("the most tags of the group")] | UnsetType = UNSET


class PrecheckAnswer(Wire):
    """The entities and packages to upload before the next step, and the reasons why that step would
    fail (content#pre-check)."""

    needed: list[EntityReference]
    needed_packages: list[Id]
    problems: list[PrecheckProblem]


Vote = Literal["1", "0"]
"""`1` is an up-vote, `0` a down-vote (content#ratings)."""
RatingMap = dict[Id, Vote]
"""A user's votes by the ids of the content (content#ratings)."""


class RatingBody(Wire):
    """A rating (content#ratings). The ids may be missing; if present, they repeat the path."""

    value: Vote
    account_id: Guid | None = None
    content_id: Guid | None = None
