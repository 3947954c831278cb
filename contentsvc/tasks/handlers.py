"""The tasks that this release does: the steps in transactions, and the effects on the outside."""

from contentsvc.store.tasks import (
    ChallengeClosed,
    ContentPublished,
    DeleteBlockedFile,
    DeleteUnusedFiles,
    Departure,
    DependencyChanged,
    ReportsResolved,
    RevisionPublished,
    SendMail,
)
from contentsvc.tasks.account_deletion import departure
from contentsvc.tasks.challenge_closing import challenge_closed
from contentsvc.tasks.dependents import dependency_changed
from contentsvc.tasks.publications import content_published, revision_published
from contentsvc.tasks.report_decisions import reports_resolved
from contentsvc.tasks.steps import kinds
from contentsvc.wire.base import tag_of

KINDS = kinds(
    (ContentPublished, content_published),
    (RevisionPublished, revision_published),
    (DependencyChanged, dependency_changed),
    (ChallengeClosed, challenge_closed),
    (ReportsResolved, reports_resolved),
    (Departure, departure),
)
"""The steps by the names of their kinds."""
EFFECTS = (tag_of(SendMail), tag_of(DeleteBlockedFile), tag_of(DeleteUnusedFiles))
"""The kinds of effects. How each is done depends on the settings."""
