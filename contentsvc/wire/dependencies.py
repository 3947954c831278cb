"""Entities and packages, of which content is made: spec §2 EntityReference, Entity, Package."""

from typing import Final, Literal, get_args

from msgspec import UNSET, Meta, UnsetType

from contentsvc.wire.base import Guid, MediaPath, Wire

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
