"""KINDS: the tasks of the outbox that this release does, and the step of each."""

from contentsvc.jobs.challenges import challenge_closed
from contentsvc.jobs.departures import departure
from contentsvc.jobs.dependents import dependency_changed
from contentsvc.jobs.outbox import kinds
from contentsvc.jobs.publications import content_published, revision_published
from contentsvc.jobs.reports import reports_resolved
from contentsvc.store.tasks import (
    ChallengeClosed,
    ContentPublished,
    Departure,
    DependencyChanged,
    ReportsResolved,
    RevisionPublished,
)

KINDS = kinds(
    (ContentPublished, content_published),
    (RevisionPublished, revision_published),
    (DependencyChanged, dependency_changed),
    (ChallengeClosed, challenge_closed),
    (ReportsResolved, reports_resolved),
    (Departure, departure),
)
