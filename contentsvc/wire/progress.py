"""Progress data: spec §2 ProgressData, §4.12."""

from typing import Annotated, Any

from msgspec import Meta, Raw

from contentsvc.wire.base import Guid, Record, Wire

Version = Annotated[int, Meta(ge=0, le=2**53)]


class ProgressBody(Wire):
    """Body of PUT …/progress/{key}. `version` is the version to replace; 0 means that the key was
    never written. A write with the same `write_id` can be sent again."""

    value: dict[str, Any]
    version: Version | None = None
    write_id: Guid | None = None


class ProgressDelete(Wire):
    """Query of DELETE …/progress/{key}: the version to delete."""

    version: Version | None = None


class ProgressQuery(Wire):
    """Query of GET …/progress: the keys that begin with `prefix`."""

    prefix: Annotated[str, Meta(max_length=256)] = ""


class ProgressText(Wire):
    """A ProgressBody as the service reads it: it keeps the text of the value."""

    value: Raw
    version: Version | None = None
    write_id: Guid | None = None


class ProgressData(Record):
    """Spec §2 ProgressData; `timestamp` in Unix seconds. `version` is 1 at the key's first write,
    and grows by one with each later write or deletion."""

    key: str
    value: Raw
    timestamp: int
    version: int
