"""Progress data: spec §2 ProgressData, §4.12."""

from typing import Annotated, Any, ClassVar

from msgspec import Meta

from contentsvc.wire.base import Guid, JsonObject, Record, Seconds, Wire, described

VersionNumber = Annotated[int, described("the version of the data at a key")]
Version = Annotated[VersionNumber, Meta(ge=0, le=2**53)]


class ProgressBody(Wire):
    """Data to store. `version` is the version that this replaces: 0 for a key that was never
    written. A repeat has the same `writeId`."""

    value: dict[str, Any]
    version: Version | None = None
    write_id: Guid | None = None


class ProgressDelete(Wire):
    """The version to delete."""

    version: Annotated[Version, Meta(description="a version: only this one is deleted")] | None = (
        None
    )


class ProgressQuery(Wire):
    """The beginning of the keys to list."""

    prefix: Annotated[
        str, Meta(max_length=256, description="a text: only keys that begin with it are listed")
    ] = ""


class ProgressText(Wire):
    """A ProgressBody as the service reads it: the value stays the text that came."""

    described_as: ClassVar[type[Wire]] = ProgressBody

    value: JsonObject
    version: Version | None = None
    write_id: Guid | None = None


class ProgressData(Record):
    """Data at a key (spec §2 ProgressData). `version` is 1 at the first write of the key. Each
    write and each deletion adds 1."""

    key: str
    value: JsonObject
    timestamp: Seconds
    version: VersionNumber
