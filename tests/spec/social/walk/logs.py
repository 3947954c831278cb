"""Notifications: notifications#read-flags."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Answer = int | tuple[int, str]
"""The status of an answer; with the code where it is a problem."""

NOT_MUTABLE = {"ContentSuspended", "ContentRestored", "AccountWarning", "CommentRemoved"}
KINDS = NOT_MUTABLE | {
    *("FriendRequest", "FriendConfirm", "FriendMessage", "NewFollower"),
    *("PartyInvite", "PartyInviteAccept", "PartyInviteDecline"),
    *("CommentOnContent", "CommentReply", "ReportResolved"),
}
NOT_FOUND = 404, "notification_not_found"


@dataclass
class Entry:
    """One notification. The service makes `id` and `created`, and says them with the push."""

    kind: str
    extra: dict[str, Any]
    id: str = ""
    created: int = 0
    read: bool = False
    deleted: bool = False

    def change(self, *, read: bool | None = None, deleted: bool = False) -> bool:
        """Mark or delete it; whether that changed anything."""
        if self.deleted or (not deleted and self.read == read):
            return False
        self.deleted = deleted
        self.read = deleted or bool(read)
        return True


@dataclass
class Log:
    """The notifications of a user; number n is entries[n - 1]. `changes` counts what makes a
    `state` on the sockets."""

    entries: list[Entry] = field(default_factory=list)
    muted: set[str] = field(default_factory=set)
    changes: int = 0

    def tell(self, kind: str, **extra: Any) -> bool:
        """Store one unless its kind is muted; whether it was."""
        if kind in self.muted:
            return False
        self.entries.append(Entry(kind, extra))
        return True

    def unread(self, up_to: int | None = None) -> int:
        """How many are unread, of all or of those up to this number."""
        return sum(not one.read for one in self.entries[:up_to])

    def left(self) -> list[Entry]:
        """What REST lists."""
        return [one for one in self.entries if not one.deleted]

    def number(self, id: str) -> int | None:
        """The number of a notification, deleted or not."""
        return next((n for n, one in enumerate(self.entries, 1) if one.id == id), None)

    def flag(self, id: str, *, read: bool) -> Answer:
        """PATCH of one."""
        at = self.number(id)
        if at is None or self.entries[at - 1].deleted:
            return NOT_FOUND
        self.changes += self.entries[at - 1].change(read=read)
        return 204

    def drop(self, id: str) -> Answer:
        """DELETE of one."""
        at = self.number(id)
        self.changes += at is not None and self.entries[at - 1].change(deleted=True)
        return 204

    def up_to(self, end: str | int, *, deleted: bool) -> Answer:
        """POST read and DELETE with `upTo`, an id or a number."""
        at = self.number(end) if isinstance(end, str) else end
        if at is None:
            return NOT_FOUND
        changed = [one.change(read=True, deleted=deleted) for one in self.entries[:at]]
        self.changes += any(changed)
        return 204

    def mute(self, kinds: list[str]) -> Answer:
        """PUT settings."""
        if not set(kinds) <= KINDS:
            return 400, "invalid_body"
        if set(kinds) & NOT_MUTABLE:
            return 422, "not_mutable"
        self.muted = set(kinds)
        return 204


class Logs(dict[str, Log]):
    """The logs of users by their ids."""

    def tell(self, user: str, kind: str, **extra: Any) -> bool:
        """Tell a user."""
        return self[user].tell(kind, **extra)
