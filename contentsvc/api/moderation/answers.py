"""What those are told who have appealed (moderation#appeals)."""

from collections.abc import Sequence

from msgspec import Struct

from contentsvc.framework.db.query import Db
from contentsvc.push.notifier import Notifier
from contentsvc.store.accounts import mails as mail_store
from contentsvc.store.accounts.mails import Mails, Receipt
from contentsvc.store.moderation import bans, notices
from contentsvc.store.moderation.appeals import Answered
from contentsvc.wire.moderation import ReportedSubject
from contentsvc.wire.notifications import AppealDecided


class Answers(Struct):
    """Tells them, each once, in the transaction that has answered their appeals. Without `mails`
    the service sends none."""

    notifier: Notifier
    mails: Mails | None

    async def of_decision(
        self,
        tx: Db,
        answered: Sequence[Answered],
        decision: str,
        outcome: str,
        reason: str,
        *,
        ban: bool,
    ) -> frozenset[str]:
        """Tell whom a decision concerns, who have appealed. Who is banned is told by mail too, and
        of a `ban` whoever was. Gives who was told."""
        told = AppealDecided(decision=decision, outcome=outcome, reason=reason)
        appealed = {one.user_id: one.id for one in answered if one.user_id is not None}
        await self.notifier.send_many(tx, [(user, told) for user in appealed])
        if self.mails is not None:
            for one in await mail_store.confirmed(tx, [*appealed]):
                if ban or await _banned(tx, one.id):
                    purpose = _PURPOSES[outcome][0]
                    await self.mails.put(tx, purpose, one.id, one.email, appeal=appealed[one.id])
        return frozenset(appealed)

    async def of_outcome(
        self,
        tx: Db,
        answered: Sequence[Answered],
        subject: ReportedSubject,
        outcome: str,
        reason: str,
    ) -> None:
        """Tell who has reported something, and by mail who has sent a notice of it."""
        # The limits of mailboxes come before the counters of users in the order of locks.
        if self.mails is not None:
            receipts = []
            for one in answered:
                found = None if one.notice is None else await notices.of_id(tx, one.notice)
                if found is not None and found.email is not None:
                    purpose = _PURPOSES[outcome][1]
                    receipts.append(Receipt(purpose, found.id, found.email, one.id))
            await self.mails.answer_all(tx, receipts)
        told = AppealDecided(subject=subject, outcome=outcome, reason=reason)
        users = [one.user_id for one in answered if one.user_id is not None]
        await self.notifier.send_many(tx, [(user, told) for user in users])


_PURPOSES: dict[str, tuple[mail_store.Purpose, mail_store.Purpose]] = {
    "confirmed": ("appeal_confirmed", "notice_confirmed"),
    "reversed": ("appeal_reversed", "notice_reopened"),
}
"""The mails for users, and for who has sent a notice."""


async def _banned(tx: Db, user: str) -> bool:
    found = await bans.of_user(tx, user)
    return found is not None and found.reason is not None
