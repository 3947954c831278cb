"""The tasks that this release does: the steps in transactions, and the effects on the outside; and
the check for all that waits."""

from collections.abc import Sequence
from functools import partial

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks import runner
from contentsvc.framework.tasks.runner import Job
from contentsvc.framework.tasks.task_queue import kind_of
from contentsvc.framework.tasks.task_runners import StepKind, kinds
from contentsvc.jobs.accounts import departure
from contentsvc.jobs.challenges import challenge_closed
from contentsvc.jobs.content import (
    author_left,
    dependency_changed,
    library_changed,
    published,
    renew_words,
)
from contentsvc.jobs.holds import copy_hold, release_hold
from contentsvc.jobs.moderation import block_decided, reports_resolved, user_clearance
from contentsvc.jobs.notifications import StudioLimits, studio_notification
from contentsvc.jobs.steps import Batch
from contentsvc.store.accounts.mails import Mails
from contentsvc.store.tasks import (
    AuthorLeft,
    BlockDecided,
    ChallengeClosed,
    ContentPublished,
    CopyHold,
    DeleteBlockedFile,
    DeleteUnusedFiles,
    DeliverWebhook,
    Departure,
    DependencyChanged,
    KeepHold,
    LibraryChanged,
    ReleaseHold,
    RenewWords,
    ReportsResolved,
    RevisionPublished,
    ScaleImage,
    SendMail,
    StudioNotification,
    UserClearance,
)

CHECK_EVERY = 4.5
"""Most seconds between two checks for what waits: sockets are notified of announcements within 5.
One follows each check of the sweep."""
CHECK_OFTEN = 1.0
"""The same while there are steps: less than the head start of connected followers."""
CHECK_SOON = 0.1
"""Seconds until the check after this process has put a task. Most are done by then."""


def steps(
    seen_within: int, studio: StudioLimits, mails: Mails | None = None, reference: str = ""
) -> dict[str, StepKind[Batch]]:
    """The steps by the names of their kinds. Followers are notified who were seen within so many
    days; 0: all. `studio` limits the studio's notifications. Without `mails` the service sends
    none. `reference` is the clause that a clearance refers to."""
    publication = partial(published, within=seen_within)
    return kinds(
        (ContentPublished, publication),
        (RevisionPublished, publication),
        (DependencyChanged, dependency_changed),
        (LibraryChanged, library_changed),
        (AuthorLeft, author_left),
        (ChallengeClosed, challenge_closed),
        (ReportsResolved, partial(reports_resolved, mails=mails)),
        (StudioNotification, partial(studio_notification, limits=studio)),
        (Departure, departure),
        (UserClearance, partial(user_clearance, reference=reference)),
        (BlockDecided, partial(block_decided, mails=mails)),
        (CopyHold, copy_hold),
        (ReleaseHold, release_hold),
        (RenewWords, renew_words),
    )


KINDS = steps(0, StudioLimits())
EFFECTS = tuple(
    kind_of(kind)
    for kind in (
        *(SendMail, DeleteBlockedFile, DeleteUnusedFiles, KeepHold, ScaleImage, DeliverWebhook),
    )
)
"""The kinds of effects. How each is done depends on the settings."""


def watch(db: Db, jobs: Sequence[Job], bell: Bell) -> Job:
    """The job that begins those of `jobs` for which something waits."""
    return runner.watch(db, jobs, bell, every=CHECK_EVERY, often=CHECK_OFTEN)
