"""Content and comments, and what is told of them: social#messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.spec.social.walk.logs import Answer, Logs
from tests.spec.social.walk.moderation import Memory
from tests.spec.social.walk.pairs import BLOCKED, Pairs

FORBIDDEN = 403, "forbidden"
HIDDEN = 404, "content_not_found"
NO_COMMENT = 404, "comment_not_found"
LOCKED = 403, "comments_locked"


@dataclass
class Piece:
    """A content: two flags of its status, and whether its comments are locked."""

    id: str
    author: str
    name: str
    suspended: bool = False
    deleted: bool = False
    locked: bool = False


@dataclass
class Remark:
    """A comment."""

    id: int
    content: str
    author: str
    parent: int | None
    body: str
    deleted: bool = False


class Talk:
    """All content with its comments."""

    def __init__(self, logs: Logs, pairs: Pairs, memory: Memory) -> None:
        self.logs, self.pairs, self.memory = logs, pairs, memory
        self.pieces: dict[str, Piece] = {}
        self.remarks: dict[int, Remark] = {}

    def publish(self, id: str, author: str, name: str) -> None:
        """A new content; nobody follows its author yet."""
        self.pieces[id] = Piece(id, author, name)

    def sees(self, user: str, content: str) -> bool:
        """Whether the user sees a content."""
        piece = self.pieces[content]
        hidden = piece.suspended or piece.deleted
        return not hidden or user == piece.author or user in self.memory.admins

    def of(self, content: str) -> list[Remark]:
        """The comments on a content, oldest first."""
        return [one for one in self.remarks.values() if one.content == content]

    def place(self, user: str, content: str, comment: int) -> Remark | None:
        """The comment at a path, if the user sees it."""
        found = self.remarks.get(comment)
        seen = found is not None and found.content == content and self.sees(user, content)
        return found if seen else None

    # -- comments

    def refusal(self, user: str, content: str, parent: int | None) -> Answer | None:
        """Why a comment cannot be written."""
        if not self.sees(user, content):
            return HIDDEN
        piece = self.pieces[content]
        above = None if parent is None else self.place(user, content, parent)
        others = {piece.author, piece.author if above is None else above.author}
        if any(self.pairs.blocked(user, other) for other in others):
            return BLOCKED
        if piece.locked:
            return LOCKED
        return (422, "unknown_parent") if parent is not None and above is None else None

    def write(self, user: str, content: str, parent: int | None, id: int, body: str) -> None:
        """What a comment that was not refused does; the service chose its id."""
        self.remarks[id] = Remark(id, content, user, parent, body)
        extra: dict[str, Any] = {"sender": user, "content": content, "comment": id}
        author, replied = self.pieces[content].author, None
        if parent is not None:
            above = self.remarks[parent]
            if above.deleted:
                return
            if self.sees(above.author, content):
                replied = above.author
        if replied not in (None, user):
            self.logs.tell(str(replied), "CommentReply", **extra)
        if author not in (user, replied):
            self.logs.tell(author, "CommentOnContent", **extra)

    def change(self, user: str, content: str, comment: int, body: str) -> Answer:
        """PATCH of a comment."""
        found = self.place(user, content, comment)
        if found is None:
            return NO_COMMENT
        if found.author != user:
            return FORBIDDEN
        if self.pieces[content].locked:
            return LOCKED
        if found.deleted:
            return 409, "comment_deleted"
        found.body = body
        return 204

    def remove(self, user: str, content: str, comment: int, reason: str) -> Answer:
        """DELETE of a comment."""
        found = self.place(user, content, comment)
        if found is None:
            return NO_COMMENT
        own = user in (found.author, self.pieces[content].author)
        if not own and user not in self.memory.admins:
            return FORBIDDEN
        if not found.deleted:
            found.deleted, found.body = True, ""
            if user != found.author:
                extra = {"content": content, "comment": comment, "reason": reason}
                self.logs.tell(found.author, "CommentRemoved", **extra)
            if not own:
                self.memory.act(user, "comment_deleted", "comment", comment, reason)
        return 204

    # -- content

    def lock(self, user: str, content: str, *, locked: bool) -> Answer:
        """PUT comments-locked."""
        piece = self.pieces[content]
        if user != piece.author and user not in self.memory.admins:
            return FORBIDDEN if self.sees(user, content) else HIDDEN
        if piece.locked != locked:
            piece.locked = locked
            if user != piece.author:
                action = "comments_locked" if locked else "comments_unlocked"
                self.memory.act(user, action, "content", content, "")
        return 204

    def suspend(self, user: str, content: str, reason: str, *, suspended: bool) -> Answer:
        """PUT status."""
        if user not in self.memory.admins:
            return FORBIDDEN
        piece = self.pieces[content]
        if piece.suspended != suspended:
            piece.suspended = suspended
            kind = "ContentSuspended" if suspended else "ContentRestored"
            self.logs.tell(piece.author, kind, content=content, reason=reason)
            action = "content_suspended" if suspended else "content_restored"
            self.memory.act(user, action, "content", content, reason)
        return 204

    def withdraw(self, user: str, content: str, *, deleted: bool) -> Answer:
        """DELETE of a content by its author, and its restoration."""
        piece = self.pieces[content]
        if user != piece.author:
            return FORBIDDEN if self.sees(user, content) else HIDDEN
        piece.deleted = deleted
        return 204
