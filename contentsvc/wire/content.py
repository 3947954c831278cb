"""Content: spec §2 ContentInfo, EntityReference, Entity, Package; §4.1 to §4.3."""

from typing import Annotated, Literal, get_args

from msgspec import UNSET, Meta, UnsetType

from contentsvc.wire.base import Guid, MediaPath, Name, Paging, Record, Text, Wire

ContentType = Literal["game", "asset", "avatar_box", "gameplay_box", "scene_box"]
ContentStatus = Literal["active", "suspended"]
CONTENT_TYPES: tuple[str, ...] = get_args(ContentType)
CONTENT_STATUSES: tuple[str, ...] = get_args(ContentStatus)
PLATFORMS = ("win64", "osx64", "linux64")

Screenshots = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=1024)]], Meta(min_length=1, max_length=64)
]
"""Each is a MediaPath, which is checked after decoding: msgspec counts a list only at its end. A
body can hold 260,000 strings, and to match each of them with a pattern would block everybody."""
Tags = Annotated[list[Annotated[str, Meta(min_length=1, max_length=64)]], Meta(max_length=64)]
Many = Meta(max_length=4096)


class EntityReference(Wire):
    """Spec §2 EntityReference."""

    entity_id: Guid
    revision_id: Guid


class Entity(EntityReference):
    """Spec §2 Entity; the path is relative to the content bucket. It may be older than the
    present limits."""

    path: str


class EntityDefinition(Entity):
    """An Entity in a request that registers it."""

    path: MediaPath


class Package(Wire, omit_defaults=True):
    """Spec §2 Package: one member for each platform that it supports."""

    id: Guid
    win64: str | UnsetType = UNSET
    osx64: str | UnsetType = UNSET
    linux64: str | UnsetType = UNSET


class PackageDefinition(Package):
    """A Package in a request that registers it."""

    win64: MediaPath | UnsetType = UNSET
    osx64: MediaPath | UnsetType = UNSET
    linux64: MediaPath | UnsetType = UNSET


class ContentCreate(Wire):
    """Body of spec §4.2 where the content does not exist."""

    name: Name
    description: Text
    screenshot_uris: Screenshots
    type: ContentType
    revision_id: Guid
    revision_description: Text
    version: str
    entity: EntityDefinition
    originating: Annotated[list[EntityDefinition], Many]
    using: Annotated[list[EntityReference], Many]
    tags: Tags = []
    packages_originating: Annotated[list[PackageDefinition], Many] = []
    packages_using: Annotated[list[Guid], Many] = []


class ContentRepeat(Wire):
    """The member of a PUT's body that distinguishes an update from a create that is repeated, or
    that comes too late."""

    revision_id: Guid | None = None


class ContentUpdate(ContentRepeat, kw_only=True):
    """Body of spec §4.2 where the content exists."""

    description: Text
    screenshot_uris: Screenshots
    tags: Tags | UnsetType = UNSET


class PrecheckDependency(EntityReference):
    """An EntityReference of the pre-check. With the path that it will be registered with, the
    pre-check finds conflicts too."""

    path: MediaPath | None = None


class Precheck(Wire):
    """Body of spec §4.1."""

    content_id: Guid
    operation: Literal["create", "update"]
    dependencies: Annotated[list[PrecheckDependency], Many]
    packages: Annotated[list[Guid], Many]


class PrecheckProblem(Wire, omit_defaults=True):
    """Something that would make the next step fail, with the code that step would answer."""

    code: str
    detail: str
    entities: list[EntityReference] | UnsetType = UNSET
    packages: list[str] | UnsetType = UNSET


class PrecheckAnswer(Wire):
    """Answer of spec §4.1."""

    needed: list[EntityReference]
    needed_packages: list[str]
    problems: list[PrecheckProblem]


class ContentQuery(Paging):
    """Query of spec §4.3: comma-separated lists, or `all`."""

    category: str = "all"
    status: str | None = None


class ContentInfo(Record):
    """Spec §2 ContentInfo."""

    id: str
    listing_id: int
    revision_id: str
    author_username: str
    author_avatar: str
    author_emblem: str | None
    type: str
    status: str
    name: str
    thumbnail_uri: str
    featured: bool
    rating: float


class Revision(Record):
    """A revision's own data; `created` in Unix seconds."""

    id: str
    version: str
    description: str
    created: int


class RevisionDetail(Revision):
    """Answer of GET …/revisions/{revisionId}."""

    entity: Entity
    originating: list[Entity]
    using: list[Entity]
    packages: list[Package]


class Votes(Record):
    """How many users voted which way."""

    up: int
    down: int


class ContentDetail(ContentInfo):
    """Answer of GET /content/{contentId}: ContentInfo, and everything that was published."""

    author_id: str
    description: str
    screenshot_uris: list[str]
    tags: list[str]
    created: int
    updated: int
    revision: Revision
    entity: Entity
    originating: list[Entity]
    using: list[Entity]
    packages: list[Package]
    votes: Votes
    comment_count: int


class StatusChange(Wire):
    """Body of PUT …/status."""

    status: ContentStatus
    reason: Annotated[str, Meta(max_length=4096)] = ""


class FeaturedChange(Wire):
    """Body of PUT …/featured."""

    featured: bool
