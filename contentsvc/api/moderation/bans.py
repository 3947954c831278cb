"""Bans: accounts that moderators shut out."""

from functools import partial

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_not_self, check_outranks, required
from contentsvc.api.errors import BanNotFound, CannotBanSelf, ProtectedUser, UserNotFound
from contentsvc.api.moderation.acts import Acts
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.route import route
from contentsvc.roles import MODERATE
from contentsvc.store.accounts import roles
from contentsvc.store.moderation import audit_log, bans
from contentsvc.wire.accounts import Ban, BanBody


class Bans(Struct):
    """Bans of users, by moderators."""

    db: Database
    acts: Acts

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
        check_not_self(call, user)
        order = self.acts.order(body.reason)._replace(until=body.until)
        async with self.db.transaction() as tx:
            check_outranks(call, user, required(await roles.lock(tx, user), UserNotFound))
            await call.unchanged(tx, partial(audit_log.last, tx, "user", user))
            await self.acts.ban(tx, call.actor, user, order)

    @route("DELETE", "/user/<guid:user>/ban", allow=MODERATE, raises=(UserNotFound, ProtectedUser))
    async def unban_user(self, call: Call, user: str) -> None:
        """Let a user log in again."""
        async with self.db.transaction() as tx:
            check_outranks(call, user, required(await roles.lock(tx, user), UserNotFound))
            await self.acts.unban(tx, call.actor, user, "")
