"""Tasks: what each row of contentsvc.framework.tasks.task_queue remembers.

Give a new field a default: a row is read by another release too. What is done for each task is in
contentsvc.jobs.
"""

from contentsvc.framework.tasks.task_queue import Effect, Task
from contentsvc.wire.moderation import ReportedSubject


class Publication(Task, frozen=True):
    """Something that an author has published, of which followers up to the follow number `upto` are
    notified."""

    author: str
    content: str
    upto: int

    @property
    def topic(self) -> str:
        """The author: followers are notified of publications in their order."""
        return f"publications of {self.author}"


class ContentPublished(Publication, frozen=True, tag="ContentPublished"):
    """Notify an author's followers of a new content."""


class ChallengeClosed(Task, frozen=True, tag="ChallengeClosed"):
    """Notify those who have taken part in a challenge whether they have won."""

    challenge: str


class RevisionPublished(Publication, frozen=True, tag="RevisionPublished"):
    """Notify an author's followers of a new revision."""

    revision: str


class DependencyChanged(Task, frozen=True, tag="DependencyChanged"):
    """Notify the authors of all that depends on a content that it was suspended, withdrawn or
    restored, and shows this `status` since. The `actor` is left out. `by_author`: its author did
    it, of which each is notified once in a day."""

    dependency: str
    status: str
    actor: str
    by_author: bool

    @property
    def topic(self) -> str:
        """The content: recipients are notified of several acts in their order."""
        return self.dependency


class LibraryChanged(Task, frozen=True, tag="LibraryChanged"):
    """Notify the subscribers of a content that its state, or its revision for them, may have
    changed: those who see it, or saw it when it had the status `before`, "" if that has not
    changed. Subscribers up to the number `upto` are notified of the new `revision`, if there is
    one. An `unsettled` one waits for a change that is under way, because somebody has just
    subscribed."""

    content: str
    revision: str | None = None
    upto: int = 0
    unsettled: bool = False
    before: str = "active"

    @property
    def topic(self) -> str:
        """The content: a later task includes those before it."""
        return f"library {self.content}"


class AuthorLeft(Task, frozen=True, tag="AuthorLeft"):
    """Notify all subscribers of content of an author who has left."""

    author: str


class ReportsResolved(Task, frozen=True, tag="ReportsResolved"):
    """Notify those who have reported a subject of the decision: those who filed the reports after
    the number `after`, up to `upto`. The subject has a `number` too."""

    subject: ReportedSubject
    number: int
    after: int
    upto: int
    outcome: str

    @property
    def topic(self) -> str:
        """The subject: a user who has reported it twice is notified of both decisions in their
        order."""
        return f"reports of {self.number}"


class BlockDecided(Task, frozen=True, tag="BlockDecided"):
    """Notify all whose content or avatar has the file of these `paths` that a moderator has blocked
    it, by the decision with this id and `number`; or that the decision is `reversed`."""

    decision: str
    number: int
    sha256: str
    paths: list[str]
    reversed: bool = False
    reason: str = ""

    @property
    def topic(self) -> str:
        """The file: whoever is told of two decisions is told in their order."""
        return f"block of {self.sha256}"


class StudioNotification(Task, frozen=True, tag="StudioNotification"):
    """Send a notification of the studio. The `audience` is `users`, those of the list `users`,
    which are in order; `everybody`; or the `followers` of the user or `entrants` of the challenge
    `of`, up to the number `upto`."""

    notification: str
    audience: str
    of: str | None = None
    upto: int = 0
    users: list[str] = []


class Departure(Task, frozen=True, tag="Departure"):
    """Delete what a user has left behind, who has left."""

    user: str


class UserClearance(Task, frozen=True, tag="UserClearance"):
    """Suspend, or remove, `what` a user has made: `content`, `comments`, `collections`. `admin` is
    who wants it, of a `service` account its id; None for the operator."""

    user: str
    what: list[str]
    reason: str
    admin: str | None
    service: bool = False

    @property
    def topic(self) -> str:
        """The user: one that finds nothing more leaves no trace."""
        return f"clearance of {self.user}"


class CopyHold(Task, frozen=True, tag="CopyHold"):
    """Copy the record of what is held, once all of its files are claimed, if the service has any
    `files`."""

    hold: str
    files: bool = True

    @property
    def topic(self) -> str:
        """The hold: one of its tasks is done after the other."""
        return f"hold {self.hold}"


class ReleaseHold(Task, frozen=True, tag="ReleaseHold"):
    """Give up the files of a hold that has ended."""

    hold: str

    @property
    def topic(self) -> str:
        """As that of CopyHold."""
        return f"hold {self.hold}"


class RenewWords(Task, frozen=True, tag="RenewWords"):
    """Write by what content is found anew, of all of it: this release makes other words of the same
    text than the one before. An upgrade puts it."""


class SendMail(Effect, frozen=True, tag="SendMail"):
    """Send a mail of contentsvc.store.accounts.mails."""

    mail: str


class DeleteBlockedFile(Effect, frozen=True, tag="DeleteBlockedFile"):
    """Delete the bytes of a digest that is blocked. As long as there is this task, they may still
    come."""

    sha256: str

    @property
    def topic(self) -> str:
        """The digest: whoever lifts its block withdraws the task."""
        return self.sha256


class KeepHold(Effect, frozen=True, tag="KeepHold"):
    """Keep the bytes of a hold apart, whose record is copied."""

    hold: str

    @property
    def topic(self) -> str:
        """As that of CopyHold."""
        return f"hold {self.hold}"


class DeleteUnusedFiles(Effect, frozen=True, tag="DeleteUnusedFiles"):
    """Delete the bytes of these files, which are marked as `collecting`, and then their rows."""

    paths: list[str]


class ScaleImage(Effect, frozen=True, tag="ScaleImage"):
    """See to the smaller images of the image at a path: make them, or delete them if it is not good
    any more. A first try was not enough for one that is `long`."""

    path: str
    long: bool = False

    @property
    def topic(self) -> str:
        """The path: what is made late of an image is not deleted later."""
        return self.path


class DeliverWebhook(Effect, frozen=True, tag="DeliverWebhook"):
    """Send a webhook what it is to get. The function wake_webhooks of the database puts it too."""

    webhook: str

    @property
    def topic(self) -> str:
        """The hook: it is sent one thing after the other."""
        return f"webhook {self.webhook}"
