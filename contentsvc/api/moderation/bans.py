"""Bans: accounts that moderators shut out."""

from functools import partial

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_outranks, required
from contentsvc.api.errors import BanNotFound, CannotBanSelf, ProtectedUser, UserNotFound
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.route import route
from contentsvc.push.revocation import Revocation
from contentsvc.roles import MODERATE
from contentsvc.store.accounts import roles, sessions
from contentsvc.store.moderation import audit_log, bans
from contentsvc.wire.accounts import Ban, BanBody


class Bans(Struct):
    """Bans of users, by moderators."""

    db: Database
    revocation: Revocation

    @route("GET", "/user/<guid:user>/ban", allow=MODERATE, raises=(UserNotFound, BanNotFound))
    async def get_ban(self, call: Call, user: str) -> Ban:
        """Get the ban of a user. When its end has come, there is none."""
        found = required(await bans.of_user(self.db, user), UserNotFound)
        if found.reason is None:
            raise BanNotFound()
        return Ban(found.reason, found.until)

    @route(
        "PUT",
        "/user/<guid:user>/ban",
        allow=MODERATE,
        heeds="/user/<guid:user>/ban",
        raises=(UserNotFound, CannotBanSelf, ProtectedUser),
    )
    async def ban_user(self, call: Call, user: str, body: BanBody) -> None:
        """Ban a user whose role is below the caller's, and end all their log-ins."""
        if user == call.user:
            raise CannotBanSelf()
        async with self.db.transaction() as tx:
            check_outranks(call, user, required(await roles.lock(tx, user), UserNotFound))
            await call.unchanged(tx, partial(audit_log.last, tx, "user", user))
            changed = await bans.put(tx, call.user, user, body.reason, body.until)
            ended = await sessions.revoke_all(tx, user, None)
            # A ban that is over, put again, ends the sessions of the time since.
            if changed or ended:
                await audit_log.record(tx, *call.actor, "user_banned", "user", user, body.reason)
            self.revocation.end(tx, ended)

    @route("DELETE", "/user/<guid:user>/ban", allow=MODERATE, raises=(UserNotFound, ProtectedUser))
    async def unban_user(self, call: Call, user: str) -> None:
        """Let a user log in again."""
        async with self.db.transaction() as tx:
            check_outranks(call, user, required(await roles.share(tx, user), UserNotFound))
            lifted = required(await bans.lift(tx, call.user, user), UserNotFound)
            if lifted:
                await audit_log.record(tx, *call.actor, "ban_lifted", "user", user, "")
