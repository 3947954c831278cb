"""What all domains have in common: of it they make their families."""

from collections.abc import Callable
from typing import NamedTuple

from twisted.internet.interfaces import IReactorTime

from contentsvc.api.files.references import FileReferences
from contentsvc.config import Settings
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.maintenance import Maintenance
from contentsvc.framework.identity.issuer import Issuers
from contentsvc.framework.identity.passwords import Passwords
from contentsvc.framework.identity.subject import Verifiers
from contentsvc.framework.storage.bucket import Bucket
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.framework.webhooks.sender import Sender
from contentsvc.push.event_feed import EventFeed
from contentsvc.push.notifier import Notifier
from contentsvc.push.revocation import Revocation
from contentsvc.store.accounts.mails import Mails
from contentsvc.tokens import MailTokens, Tokens


class Credentials(NamedTuple):
    """What somebody proves with who they are. `failed` counts a log-in that failed, by its
    cause. `issuers` are those whose tokens the verifiers take."""

    tokens: Tokens
    mail_tokens: MailTokens
    passwords: Passwords
    verifiers: Verifiers
    issuers: Issuers
    failed: Callable[[str], object]


class Context(NamedTuple):
    """What a domain's `install` gets. Each family is handed what it uses of it, and never this.

    `clock` has the seconds that durations are measured in. `maintenance` says whether the service
    is closed. `mails` is None if the service sends no
    mail; so are `events` and `webhooks` where events are off. `bucket` is None if files are the
    studio's own matter; `blocked` is to be called when one was blocked, `stored` when the bytes of
    some have come, `downloaded` with the number and the bytes of files that were handed out, and
    `taken` with a user and the content whose files the user was told.
    """

    settings: Settings
    clock: IReactorTime
    db: Database
    notifier: Notifier
    events: EventFeed | None
    webhooks: Sender | None
    queue: TaskQueue
    maintenance: Maintenance
    revocation: Revocation
    credentials: Credentials
    mails: Mails | None
    bucket: Bucket | None
    blocked: Callable[[], None]
    stored: Callable[[], None]
    downloaded: Callable[[int, int], None]
    taken: Callable[[str, str], None]

    @property
    def claims(self) -> FileReferences | None:
        """What checks and claims the service's own files; None if it has none."""
        if self.bucket is None:
            return None
        return FileReferences(required=self.settings.require_files)
