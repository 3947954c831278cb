"""Comments: spec §2 Comment, §4.4."""

from typing import Annotated

from msgspec import Meta

from contentsvc.wire.base import Id, Page, Record, Seconds, Wire

CommentBody = Annotated[str, Meta(min_length=1, max_length=4096)]
CommentId = Annotated[int, Meta(ge=1, le=2**63 - 1)]


class CommentCreate(Wire):
    """A new comment. With `parentId` it is a reply."""

    body: CommentBody
    parent_id: CommentId | None = None


class CommentUpdate(Wire):
    """The new text of a comment."""

    body: CommentBody


class CommentQuery(Wire):
    """The page of the comments (spec §4.4)."""

    size: Annotated[int, Meta(ge=1, le=200, description="a number: the most on a page")] = 100
    page: Page = 0


class CommentRemoval(Wire):
    """Why somebody else's comment is deleted (extensions §4)."""

    reason: Annotated[
        str, Meta(max_length=4096, description="a text for the author of the comment")
    ] = ""


class CommentsLock(Wire):
    """Whether the comments on a content are locked."""

    locked: bool


class Comment(Record):
    """A comment (spec §2 Comment). A deleted one keeps its place and loses its text."""

    id: int
    parent_id: int | None
    author_id: Id
    body: str
    created: Seconds
    updated: Seconds
    deleted: bool


class CommentPage(Record):
    """A page of comments (spec §4.4)."""

    page: int
    page_size: int
    count: int
    total: int
    items: list[Comment]
