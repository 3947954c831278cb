"""Accounts elsewhere with which a user logs in (extensions §8)."""

from typing import Annotated

from msgspec import Meta

from contentsvc.wire.accounts import SubjectToken, SubjectTokenType
from contentsvc.wire.base import Id, Record, Seconds, Wire


class LinkBody(Wire, rename=None):
    """A token of another service, and its type as RFC 8693 §2.1 has it."""

    subject_token: SubjectToken
    subject_token_type: SubjectTokenType


class Identity(Record):
    """An account elsewhere: `subject` names it at `issuer`. `linked` is when it was linked."""

    id: Id
    issuer: Annotated[str, Meta(examples=["https://id.studio.example"])]
    subject: str
    linked: Seconds
