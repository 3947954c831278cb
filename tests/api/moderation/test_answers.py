"""Answers to appeals: in which order their transactions take what others wait for."""

from collections.abc import Sequence

from contentsvc.api.moderation.answers import Answers
from contentsvc.framework.db.query import Db
from contentsvc.store.accounts.mails import Mails, Purpose
from contentsvc.store.moderation import notices
from contentsvc.store.moderation.appeals import Answered
from contentsvc.wire.moderation import ReportedSubject
from contentsvc.wire.notifications import Notification
from tests.api.support import ApiCase, Notifier
from tests.support.databases import guid


class _Telling(Notifier):
    """Notes in `done` whom it tells."""

    def __init__(self, done: list[str]) -> None:
        super().__init__()
        self.done = done

    async def send_many(self, db: Db, batch: Sequence[tuple[str, Notification]]) -> None:
        self.done += [recipient for recipient, _ in batch]


class _Mailing(Mails):
    """Notes in `done` to which address it sends. The mailbox of an address is its domain."""

    done: list[str] = []

    async def answer(
        self, tx: Db, purpose: Purpose, notice: str, email: str, appeal: str | None = None
    ) -> None:
        self.done.append(email)


class OrderTests(ApiCase):
    async def notice(self, tx: Db, email: str) -> str:
        """A notice of a content, sent from this address."""
        sent = "illegal", "x", None, "Mira", email, None
        about = ["content"], [guid()], [None], [None], [None]
        return await notices.file(tx, *sent, *about, ["{}"], [None])

    async def test_outcome(self) -> None:
        """The limits of mailboxes come in their order, and before the counters of users."""
        done: list[str] = []
        mails = _Mailing(lambda: None, lambda email: email.partition("@")[2], done=done)
        answers = Answers(_Telling(done), mails)  # type: ignore[arg-type]
        reporter = guid()
        async with self.db.transaction() as tx:
            answered = [Answered(guid(), reporter, None)]
            for email in ("ann@c.example", "ben@a.example", "cid@b.example"):
                answered.append(Answered(guid(), None, await self.notice(tx, email)))
            subject = ReportedSubject("content", guid())
            await answers.of_outcome(tx, answered, subject, "confirmed", "x")
        self.assertEqual(done, ["ben@a.example", "cid@b.example", "ann@c.example", reporter])
