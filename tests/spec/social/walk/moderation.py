"""Warnings, bans and what admins did: moderation#moderation."""

from __future__ import annotations

from dataclasses import dataclass

from tests.spec.social.walk.logs import Answer, Logs

FORBIDDEN = 403, "forbidden"
UNKNOWN = 404, "user_not_found"
NO_BAN = 404, "ban_not_found"


@dataclass(frozen=True)
class Act:
    """What an admin did."""

    admin: str
    action: str
    kind: str
    id: str
    reason: str


class Memory:
    """What admins have done; nothing is taken from it."""

    def __init__(self, logs: Logs, admins: set[str]) -> None:
        self.logs, self.admins = logs, admins
        self.acts: list[Act] = []
        self.warnings: set[tuple[str, str]] = set()
        self.bans: dict[str, tuple[str, int | None]] = {}

    def act(self, admin: str, action: str, kind: str, id: object, reason: str) -> None:
        """Remember an act."""
        self.acts.append(Act(admin, action, kind, str(id), reason))

    def refusal(self, user: str, other: str) -> Answer | None:
        """Why the user can do nothing to another."""
        if user not in self.admins:
            return FORBIDDEN
        return None if other in self.logs else UNKNOWN

    def warn(self, user: str, other: str, reason: str, id: str | None) -> Answer:
        """POST warning."""
        if refused := self.refusal(user, other):
            return refused
        if id is None or (other, id) not in self.warnings:
            self.warnings.add((other, id or ""))
            self.logs.tell(other, "AccountWarning", reason=reason)
            self.act(user, "user_warned", "user", other, reason)
        return 204

    def ban(self, user: str, other: str, reason: str, until: int | None) -> Answer:
        """PUT ban."""
        if refused := self.refusal(user, other):
            return refused
        if user == other:
            return 422, "cannot_ban_self"
        if self.bans.get(other) != (reason, until):
            self.bans[other] = reason, until
            self.act(user, "user_banned", "user", other, reason)
        return 204

    def lift(self, user: str, other: str) -> Answer:
        """DELETE ban."""
        if refused := self.refusal(user, other):
            return refused
        if self.bans.pop(other, None):
            self.act(user, "ban_lifted", "user", other, "")
        return 204

    def banned(self, user: str, other: str) -> Answer:
        """GET ban."""
        if refused := self.refusal(user, other):
            return refused
        return 200 if other in self.bans else NO_BAN
