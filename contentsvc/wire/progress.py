"""Progress data (progress#list, progress#keys, progress#versions)."""

from typing import Annotated, Any, ClassVar

from msgspec import Meta

from contentsvc.wire.base import Guid, JsonObject, Record, Seconds, Wire, described

VersionNumber = Annotated[int, described("the version of the data at a key")]
Version = Annotated[VersionNumber, Meta(ge=0, le=2**53)]


KeptKey = Annotated[
    str, Meta(min_length=1, max_length=256, description="a text: the key", examples=["tower/best"])
]
NewKey = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=256,
        pattern=r"^(?!([^\x00]*[/\\])?\.\.(?![^/\\]))[^\x00]*\Z",
        description="a text: the key. No segment of it, between slashes or backslashes, is `..`",
        examples=["tower/best"],
    ),
]
"""Older keys may have such a segment. The query `key` reads and deletes them (progress#keys)."""


class ProgressBody(Wire):
    """Data to store. `version` is the version that this replaces: 0 for a key that was never
    written. A repeat has the same `writeId` (progress#versions)."""

    value: dict[str, Any]
    version: Version | None = None
    write_id: Guid | None = None


class ProgressDelete(Wire):
    """The version to delete (progress#versions). Without it, any version is deleted."""

    version: Annotated[Version, Meta(description="a version: only this one is deleted")] | None = (
        None
    )


class ProgressKey(Wire):
    """The key to write to."""

    key: NewKey


class ProgressKeyDelete(ProgressDelete, kw_only=True):
    """The key to delete, and its version."""

    key: KeptKey


class ProgressQuery(Wire):
    """The beginning of the keys to list, or the one key to list."""

    prefix: Annotated[
        str, Meta(max_length=256, description="a text: only keys that begin with it are listed")
    ] = ""
    key: Annotated[KeptKey, Meta(description="a text: only this key is listed")] | None = None


class ProgressText(Wire):
    """A ProgressBody as the service decodes it: `value` stays the text that was sent."""

    described_as: ClassVar[type[Wire]] = ProgressBody

    value: JsonObject
    version: Version | None = None
    write_id: Guid | None = None


class ProgressData(Record):
    """Data at a key (progress#list). `version` is 1 at the first write of the key. Each
    write and each deletion adds 1."""

    key: str
    value: JsonObject
    timestamp: Seconds
    version: VersionNumber
