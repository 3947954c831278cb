"""The tasks that this release does: the steps in transactions, and the effects on the outside."""

from functools import partial

from contentsvc.jobs.account_deletion import departure
from contentsvc.jobs.challenge_closing import challenge_closed
from contentsvc.jobs.dependents import dependency_changed
from contentsvc.jobs.libraries import author_left, library_changed
from contentsvc.jobs.publications import published
from contentsvc.jobs.report_decisions import reports_resolved
from contentsvc.jobs.search_index import renew_words
from contentsvc.jobs.steps import Kind, kinds
from contentsvc.jobs.studio_notifications import Limits, studio_notification
from contentsvc.jobs.user_clearance import user_clearance
from contentsvc.store.tasks import (
    AuthorLeft,
    ChallengeClosed,
    ContentPublished,
    DeleteBlockedFile,
    DeleteUnusedFiles,
    DeliverWebhook,
    Departure,
    DependencyChanged,
    LibraryChanged,
    RenewWords,
    ReportsResolved,
    RevisionPublished,
    ScaleImage,
    SendMail,
    StudioNotification,
    UserClearance,
)
from contentsvc.wire.base import tag_of


def steps(seen_within: int, studio: Limits) -> dict[str, Kind]:
    """The steps by the names of their kinds. Followers are told who were seen within so many days;
    0: all. `studio` limits what the studio tells."""
    publication = partial(published, within=seen_within)
    return kinds(
        (ContentPublished, publication),
        (RevisionPublished, publication),
        (DependencyChanged, dependency_changed),
        (LibraryChanged, library_changed),
        (AuthorLeft, author_left),
        (ChallengeClosed, challenge_closed),
        (ReportsResolved, reports_resolved),
        (StudioNotification, partial(studio_notification, limits=studio)),
        (Departure, departure),
        (UserClearance, user_clearance),
        (RenewWords, renew_words),
    )


KINDS = steps(0, Limits())
EFFECTS = tuple(
    tag_of(kind)
    for kind in (SendMail, DeleteBlockedFile, DeleteUnusedFiles, ScaleImage, DeliverWebhook)
)
"""The kinds of effects. How each is done depends on the settings."""
