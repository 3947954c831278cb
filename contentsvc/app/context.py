"""What all domains have in common, from which each installs its own parts."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from prometheus_client import Metric

from contentsvc.api.accounts.terms import TermsRules
from contentsvc.api.files.blocks import FileBlocks
from contentsvc.api.files.references import FileReferences
from contentsvc.api.guests import GuestRules
from contentsvc.api.moderation.acts import Acts
from contentsvc.app.observations import Observations
from contentsvc.app.signals import Signals
from contentsvc.config import Settings
from contentsvc.config.studio_files import StudioFiles
from contentsvc.framework.core.timers import WallClock
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.maintenance import Maintenance
from contentsvc.framework.identity.issuer import Issuers
from contentsvc.framework.identity.passwords import Passwords
from contentsvc.framework.identity.subject import Verifiers
from contentsvc.framework.storage.bucket import Bucket
from contentsvc.framework.tasks.runner import Job
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.jobs.mails import MailCounts
from contentsvc.push.hub import Hub
from contentsvc.push.notifier import Notifier
from contentsvc.push.restrictions import Restrictions
from contentsvc.push.revocation import Revocation
from contentsvc.store.accounts.mails import Mails
from contentsvc.tokens import MailTokens, Tokens


class Credentials(NamedTuple):
    """What proves who a caller is. `failed` counts a log-in that failed, by its cause. `issuers`
    are those whose tokens the verifiers take."""

    tokens: Tokens
    mail_tokens: MailTokens
    passwords: Passwords
    verifiers: Verifiers
    issuers: Issuers
    failed: Callable[[str], object]


class Mailing(NamedTuple):
    """What sends mail: the queue, the job, and what the job has done in this process."""

    queue: Mails
    job: Job
    counts: MailCounts


class Context(NamedTuple):
    """What a domain's `install` gets. Each family and job is handed what it uses of it, and never
    this.

    `studio` is what the TOML files say that settings name.
    `maintenance` says whether the service is closed. `mailing` is None if the service sends no
    mail, and `bucket` if files are the studio's own matter.
    """

    settings: Settings
    studio: StudioFiles
    reactor: Any
    wall: WallClock
    db: Database
    signals: Signals
    observed: Observations
    hub: Hub
    notifier: Notifier
    queue: TaskQueue
    maintenance: Maintenance
    revocation: Revocation
    restrictions: Restrictions
    credentials: Credentials
    mailing: Mailing | None
    bucket: Bucket | None
    terms: TermsRules

    @property
    def guests(self) -> GuestRules:
        """What guests may do."""
        return GuestRules(self.settings.guests_may)

    @property
    def claims(self) -> FileReferences | None:
        """What checks and claims the service's own files; None if it has none."""
        if self.bucket is None:
            return None
        return FileReferences(required=self.settings.require_files)

    @property
    def acts(self) -> Acts:
        """What moderators do."""
        settings = self.settings
        return Acts(
            *(self.notifier, self.queue, self.revocation, self.restrictions, self.mails),
            reference=settings.terms_reference,
            require_reasons=settings.require_reasons,
        )

    @property
    def blocks(self) -> FileBlocks | None:
        """What blocks files; None if the service has none."""
        if self.bucket is None:
            return None
        woken = self.signals.file_blocked
        place = self.reactor, self.db, self.bucket
        return FileBlocks(*place, self.acts, woken, self.wall)

    @property
    def mails(self) -> Mails | None:
        """The queue of mails."""
        return None if self.mailing is None else self.mailing.queue


class Installed(NamedTuple):
    """What a domain has installed: the families that serve its operations, its jobs, and what reads
    its metrics. `drain` is called when the port has closed: no request may wait any longer. `stop`
    is called when the jobs have stopped."""

    families: Sequence[object]
    jobs: Sequence[Job] = ()
    metrics: Sequence[Callable[[], Iterable[Metric]]] = ()
    drain: Callable[[], object] = lambda: None
    stop: Callable[[], object] = lambda: None
