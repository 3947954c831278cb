"""The upload pre-check: spec §4.1."""

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from contentsvc.wire.base import Guid, Id, MediaPath, Wire
from contentsvc.wire.dependencies import EntityReference, Many


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
