"""Comments: spec §2 Comment, §4.4."""

from typing import Annotated

from msgspec import Meta

from contentsvc.wire.base import Page, Record, Wire

CommentBody = Annotated[str, Meta(min_length=1, max_length=4096)]
CommentId = Annotated[int, Meta(ge=1, le=2**63 - 1)]


class CommentCreate(Wire):
    """Body of POST …/comments."""

    body: CommentBody
    parent_id: CommentId | None = None


class CommentUpdate(Wire):
    """Body of PATCH …/comments/{commentId}."""

    body: CommentBody


class CommentQuery(Wire):
    """Query of spec §4.4."""

    size: Annotated[int, Meta(ge=1, le=200)] = 100
    page: Page = 0


class Comment(Record):
    """Spec §2 Comment; a deleted one keeps its place and loses its text."""

    id: int
    parent_id: int | None
    author_id: str
    body: str
    created: int
    updated: int
    deleted: bool


class CommentPage(Record):
    """Answer of spec §4.4."""

    page: int
    page_size: int
    count: int
    total: int
    items: list[Comment]
