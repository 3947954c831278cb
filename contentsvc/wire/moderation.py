"""Reports, and what admins did (extensions §7)."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from contentsvc.wire.base import Id, Record

_KINDS = {"enum": ["content", "comment", "user"]}


class ReportedSubject(Record, omit_defaults=True):
    """What was reported. The id of a comment is its number; then `content` is the content that it
    is on."""

    kind: Annotated[str, Meta(extra_json_schema=_KINDS)]
    id: str
    content: Id | UnsetType = UNSET
