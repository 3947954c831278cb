"""Progress data: spec §2 ProgressData, §4.12."""

from typing import Annotated, Any

from msgspec import Meta, Raw

from contentsvc.wire.base import Guid, Record, Wire

Version = Annotated[int, Meta(ge=0, le=2**53)]


class ProgressBody(Wire):
    """Body of PUT …/progress/{key}. `version` is the one that this replaces, 0 for a key that was
    never written. With the same `write_id` the same write may be sent again."""

    value: dict[str, Any]
    version: Version | None = None
    write_id: Guid | None = None


class ProgressDelete(Wire):
    """Query of DELETE …/progress/{key}: the version that it deletes."""

    version: Version | None = None


class ProgressQuery(Wire):
    """Query of GET …/progress: what the keys begin with."""

    prefix: Annotated[str, Meta(max_length=256)] = ""


class ProgressText(Wire):
    """A ProgressBody as the service reads it: the value is kept as the text that came."""

    value: Raw
    version: Version | None = None
    write_id: Guid | None = None


class ProgressData(Record):
    """Spec §2 ProgressData; `timestamp` in Unix seconds. `version` is 1 at the key's first write,
    and one more with each that follows, deletions included."""

    key: str
    value: Raw
    timestamp: int
    version: int
