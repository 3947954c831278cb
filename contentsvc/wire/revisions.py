"""Revisions of content: extensions §1; spec §4.2."""

from typing import Annotated

from contentsvc.wire.base import Guid, Id, Record, Seconds, Text, Wire
from contentsvc.wire.dependencies import (
    Entity,
    EntityDefinition,
    EntityReference,
    Many,
    Package,
    PackageDefinition,
)


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
