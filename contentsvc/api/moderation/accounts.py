"""What moderators do to accounts, beside bans (moderation#accounts)."""

from msgspec import Struct, json

from contentsvc.api.call import Call
from contentsvc.api.checks import check_mailable, check_outranks, required
from contentsvc.api.errors import (
    AddressNotMailable,
    EmailTaken,
    GuestAccount,
    MailUnavailable,
    ProtectedUser,
    UserNotFound,
)
from contentsvc.api.guests import NO_GUESTS, GuestRules
from contentsvc.api.moderation.acts import Acts
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.reply import Accepted
from contentsvc.framework.http.route import route
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.push.revocation import Revocation
from contentsvc.roles import ADMINISTER, MODERATE
from contentsvc.store.accounts import addresses, credentials, mails, roles, sessions
from contentsvc.store.accounts.mails import Mails
from contentsvc.store.moderation import audit_log, clearance
from contentsvc.store.tasks import UserClearance as Clearance
from contentsvc.wire.moderation import CLEARABLE, ClearableCounts, EmailReplacement, UserClearance


class AccountActs(Struct):
    """Acts about the accounts of users whose role is below the caller's. Without `mails` the
    service sends none."""

    db: Database
    queue: TaskQueue
    revocation: Revocation
    mails: Mails | None
    acts: Acts
    guests: GuestRules = NO_GUESTS

    @route(
        "PUT",
        "/moderation/users/<guid:user>/email",
        allow=ADMINISTER,
        raises=(
            UserNotFound,
            ProtectedUser,
            GuestAccount,
            EmailTaken,
            AddressNotMailable,
            MailUnavailable,
        ),
    )
    async def set_user_email(self, call: Call, user: str, body: EmailReplacement) -> None:
        """Give another address to a user who has lost the mailbox. This ends all log-ins of the
        user, and all links that were mailed. A mail to the old address reports it, and one to the
        new address has a link to confirm it: until then it is not confirmed. The present address
        again changes nothing. The user's role must be below the caller's. To change one's own
        address, use PUT /user/{user}/email."""
        if call.user == user:
            raise ProtectedUser("Change your own address as everybody does.")
        found = required(await credentials.by_id(self.db, user), UserNotFound)
        check_outranks(call, user, found.role)
        await self.guests.check_full(self.db, user)
        await check_mailable(self.mails, body.email)
        async with self.db.transaction() as tx:
            # Both, in one order: an address that lapses may be another's.
            await addresses.lock(tx, user, body.email)
            check_outranks(call, user, required(await roles.lock(tx, user), UserNotFound))
            before = required(await mails.lock(tx, user), UserNotFound)
            if before.email == body.email:
                return
            if await addresses.taken(tx, user, body.email):
                raise EmailTaken()
            same = (before.email or "").lower() == body.email.lower()
            if not same:
                await addresses.free(tx, body.email)
            await addresses.replace(tx, user, body.email)
            await mails.end_links(tx, user)
            await audit_log.record(tx, *call.actor, "email_changed", "user", user, body.reason)
            if self.mails is not None and not same:
                if before.email is not None:
                    await self.mails.put(tx, "changed", user, before.email)
                await self.mails.put(tx, "confirm", user, body.email)
            self.revocation.end(tx, await sessions.revoke_all(tx, user, None))

    @route("GET", "/moderation/users/<guid:user>/clear", allow=MODERATE, raises=(UserNotFound,))
    async def get_user_clearance(self, call: Call, user: str) -> ClearableCounts:
        """Count the content, comments and collections of a user that can be cleared
        (moderation#clearing)."""
        return required(await clearance.clearable(self.db, user), UserNotFound)

    @route(
        "POST",
        "/moderation/users/<guid:user>/clear",
        allow=MODERATE,
        raises=(UserNotFound, ProtectedUser),
    )
    async def clear_user(self, call: Call, user: str, body: UserClearance) -> Accepted:
        """Clear what a user has made: suspend all content, delete all comments, delete all
        collections, or several of these (moderation#clearing). A task does it, and then records it
        among the actions of admins, with the numbers. The user is notified of each content and
        comment, as if it were the only one. Nothing is recorded if there was nothing to clear. The
        user's role must be below the caller's, or the user is the caller."""
        self.acts.order(body.reason)
        what: list[str] = [each for each in CLEARABLE if each in body.what]
        async with self.db.transaction() as tx:
            check_outranks(call, user, required(await roles.share(tx, user), UserNotFound))
            task = Clearance(
                user=user,
                what=what,
                reason=body.reason,
                admin=call.actor.id,
                service=call.actor.service,
            )
            # One that has not begun does it all the same.
            asked = json.encode(what).decode()
            if await clearance.waiting(tx, task.topic, asked) is None:
                await self.queue.put(tx, task)
        return Accepted(f"/api/v1/moderation/users/{user}")
