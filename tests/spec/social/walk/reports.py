"""Reports and decisions: moderation#reports."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.spec.social.walk.logs import Answer, Logs
from tests.spec.social.walk.moderation import FORBIDDEN, UNKNOWN, Memory
from tests.spec.social.walk.pairs import Pairs
from tests.spec.social.walk.talk import HIDDEN, NO_COMMENT, Talk

Subject = tuple[str, str]
"""The kind and the id."""

OWN = 422, "cannot_report_self"
MONTH = 30 * 86_400


@dataclass
class Report:
    """A report, with its evidence as far as it can be known; the service makes its `id`."""

    reporter: str
    reason: str
    text: str
    evidence: dict[str, Any]
    state: str = "open"
    id: str = ""
    replaced: bool = False


class Reports:
    """All reports of each subject, oldest first, replaced ones too."""

    def __init__(self, logs: Logs, pairs: Pairs, talk: Talk, memory: Memory) -> None:
        self.logs, self.pairs, self.talk, self.memory = logs, pairs, talk, memory
        self.of: dict[Subject, list[Report]] = {}
        self.last: dict[Subject, None] = {}
        self.dismissed: dict[tuple[str, Subject], float] = {}

    def content(self, user: str, content: str, reason: str, text: str, now: float) -> Answer:
        """POST report of a content."""
        if not self.talk.sees(user, content):
            return HIDDEN
        piece = self.talk.pieces[content]
        if piece.author == user:
            return OWN
        evidence = {"name": piece.name, "authorId": piece.author}
        return self.open(user, ("content", content), Report(user, reason, text, evidence), now)

    def comment(
        self, user: str, content: str, comment: int, reason: str, text: str, now: float
    ) -> Answer:
        """POST report of a comment."""
        found = self.talk.place(user, content, comment)
        if found is None:
            return NO_COMMENT
        if found.author == user:
            return OWN
        evidence = {"body": found.body, "deleted": found.deleted, "parentId": found.parent}
        evidence |= {"authorId": found.author, "contentId": content}
        report = Report(user, reason, text, evidence)
        return self.open(user, ("comment", str(comment)), report, now)

    def user(
        self, user: str, other: str, reason: str, text: str, messages: list[str], now: float
    ) -> Answer:
        """POST report of a user."""
        if other not in self.logs:
            return UNKNOWN
        if user == other:
            return OWN
        found = [one for one in reversed(self.pairs.between(user, other)) if one.sender == other]
        if not set(messages) <= {one.id for one in found}:
            return 422, "unknown_message"
        named = [(one.id, one.text) for one in found if one.id in messages]
        report = Report(user, reason, text, {"messages": named} if named else {})
        return self.open(user, ("user", other), report, now)

    def open(self, user: str, subject: Subject, report: Report, now: float) -> Answer:
        """Add the report, unless one of this user was dismissed not long ago."""
        then = self.dismissed.get((user, subject))
        if then is not None and now - then < MONTH:
            return 204
        for one in self.open_of(subject):
            one.replaced |= one.reporter == user
        self.of.setdefault(subject, []).append(report)
        self.last.pop(subject, None)
        self.last[subject] = None
        return 204

    def all_of(self, subject: Subject) -> list[Report]:
        """The list of a subject, newest first."""
        return [one for one in reversed(self.of.get(subject, [])) if not one.replaced]

    def open_of(self, subject: Subject) -> list[Report]:
        """Those of them that are open."""
        return [one for one in self.all_of(subject) if one.state == "open"]

    def queue(self, kind: str | None = None, reason: str | None = None) -> list[Subject]:
        """The subjects of the queue: most reporters first, among equals the last reported."""
        found = [
            one
            for one in reversed(self.last)
            if kind in (None, one[0])
            and any(reason in (None, report.reason) for report in self.open_of(one))
        ]
        return sorted(found, key=lambda one: -len(self.open_of(one)))

    def reasons(self, subject: Subject) -> dict[str, int]:
        """How many open reports have each reason."""
        return dict(Counter(one.reason for one in self.open_of(subject)))

    def place(self, subject: Subject) -> dict[str, Any]:
        """A subject as the service writes it."""
        kind, id = subject
        more = {"content": self.talk.remarks[int(id)].content} if kind == "comment" else {}
        return {"kind": kind, "id": id, **more}

    def closing(self, subject: Subject, up_to: str) -> list[Report]:
        """The reports that a decision would close."""
        filed = self.of.get(subject, [])
        at = next((n for n, one in enumerate(filed) if one.id == up_to), -1)
        return [one for one in filed[: at + 1] if one.state == "open" and not one.replaced]

    def decide(
        self, user: str, subject: Subject, outcome: str, up_to: str, note: str, now: float
    ) -> Answer:
        """PUT of an outcome."""
        if user not in self.memory.admins:
            return FORBIDDEN
        if up_to not in [one.id for one in self.of.get(subject, [])]:
            return 404, "report_not_found"
        closed = self.closing(subject, up_to)
        for one in closed:
            one.state = outcome
            if outcome == "dismissed":
                self.dismissed[one.reporter, subject] = now
            extra = {"subject": self.place(subject), "outcome": outcome}
            self.logs.tell(one.reporter, "ReportResolved", **extra)
        if closed:
            self.memory.act(user, f"report_{outcome}", *subject, note)
        return 204
