"""Progress data: spec §2 ProgressData, §4.12."""

from typing import Any

from msgspec import Raw

from contentsvc.wire.base import Record, Wire


class ProgressBody(Wire):
    """Body of PUT …/progress/{key}."""

    value: dict[str, Any]


class ProgressText(Wire):
    """A ProgressBody as the service reads it: the value is kept as the text that came."""

    value: Raw


class ProgressData(Record):
    """Spec §2 ProgressData; `timestamp` in Unix seconds."""

    key: str
    value: Raw
    timestamp: int
