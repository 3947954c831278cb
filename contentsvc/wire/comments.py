"""Comments on content (content#comments)."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from contentsvc.wire.base import (
    ADDED,
    Count,
    Guid,
    Id,
    Page,
    PageNumber,
    PageSize,
    Record,
    Seconds,
    Wire,
    described,
)

CommentBody = Annotated[str, Meta(min_length=1, max_length=4096)]
CommentNumber = Annotated[int, described("the number of a comment")]
CommentId = Annotated[CommentNumber, Meta(ge=1, le=2**63 - 1)]


class CommentCreate(Wire):
    """A new comment (content#comments). With `parentId` it is a reply. A repeat has the same
    `writeId`."""

    body: CommentBody
    parent_id: CommentId | None = None
    write_id: Guid | None = None


class CommentUpdate(Wire):
    """The new text of a comment."""

    body: CommentBody


CommentOrder = Literal["oldest", "newest"]


class CommentQuery(Wire):
    """A page of the comments (content#comments), from the oldest or the newest on. With `parent`,
    only the direct replies to that comment, or with `none` only comments that are no replies."""

    size: Annotated[int, Meta(ge=1, le=200, description="a number: the most on a page")] = 100
    page: Page = 0
    order: Annotated[CommentOrder, Meta(description="which come first")] = "oldest"
    parent: (
        Annotated[
            str,
            Meta(
                pattern=r"^(none|[1-9][0-9]{0,17})\Z",
                description="a number of a comment: what answers it directly; or none: what "
                "answers no comment",
                examples=["none"],
            ),
        ]
        | None
    ) = None


class CommentRemoval(Wire):
    """Why somebody else's comment is deleted (content#comments)."""

    reason: Annotated[
        str, Meta(max_length=4096, description="a text for the author of the comment")
    ] = ""


class CommentsLock(Wire):
    """Whether the comments on a content are locked, and why (content#comment-locks)."""

    locked: bool
    reason: Annotated[str, Meta(max_length=4096)] = ""


class Comment(Record):
    """A comment (content#comments). A deleted one keeps its place and loses its text."""

    id: CommentNumber
    parent_id: CommentNumber | None
    author_id: Id
    body: str
    created: Seconds
    updated: Seconds
    deleted: bool
    replies: Annotated[
        Count | UnsetType,
        ADDED,
        described(
            "how many comments answer this one directly, deleted ones too. It is there only in "
            "pages of the newest, and of a parent"
        ),
    ] = UNSET


class CommentPage(Record):
    """A page of comments (content#comments)."""

    page: PageNumber
    page_size: PageSize
    count: Annotated[Count, Meta(description="how many are on this page")]
    total: Annotated[Count, Meta(description="how many are on all pages")]
    items: list[Comment]
