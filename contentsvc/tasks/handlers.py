"""KINDS: the tasks of the outbox that this release does, and the step of each."""

from contentsvc.store.tasks import (
    ChallengeClosed,
    ContentPublished,
    Departure,
    DependencyChanged,
    ReportsResolved,
    RevisionPublished,
)
from contentsvc.tasks.account_deletion import departure
from contentsvc.tasks.challenge_closing import challenge_closed
from contentsvc.tasks.dependents import dependency_changed
from contentsvc.tasks.outbox import kinds
from contentsvc.tasks.publications import content_published, revision_published
from contentsvc.tasks.report_decisions import reports_resolved

KINDS = kinds(
    (ContentPublished, content_published),
    (RevisionPublished, revision_published),
    (DependencyChanged, dependency_changed),
    (ChallengeClosed, challenge_closed),
    (ReportsResolved, reports_resolved),
    (Departure, departure),
)
