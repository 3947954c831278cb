"""Accounts elsewhere with which a user logs in (extensions §8)."""

from typing import Annotated

from msgspec import Meta

from contentsvc.wire.base import Id, Record, Seconds


class Identity(Record):
    """An account elsewhere: `subject` names it at `issuer`. `linked` is when it was linked."""

    id: Id
    issuer: Annotated[str, Meta(examples=["https://id.studio.example"])]
    subject: str
    linked: Seconds
