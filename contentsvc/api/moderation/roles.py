"""Users' roles (studio#roles)."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import keep_an_admin, required
from contentsvc.api.errors import GuestAccount, LastAdmin, UserNotFound
from contentsvc.api.guests import NO_GUESTS, GuestRules
from contentsvc.api.paging import numbered, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.reply import Listed
from contentsvc.framework.http.route import route
from contentsvc.push.revocation import Revocation
from contentsvc.roles import ADMIN, ADMINISTER, MODERATE
from contentsvc.store.accounts import roles, sessions
from contentsvc.store.events import events
from contentsvc.store.moderation import audit_log
from contentsvc.wire.accounts import RoleBody
from contentsvc.wire.base import Part
from contentsvc.wire.events import EventData
from contentsvc.wire.moderation import StaffMember


class Roles(Struct):
    """The roles of users."""

    db: Database
    revocation: Revocation
    guests: GuestRules = NO_GUESTS

    @route(
        "PUT",
        "/user/<guid:user>/role",
        allow=ADMINISTER,
        raises=(UserNotFound, GuestAccount, LastAdmin),
    )
    async def set_user_role(self, call: Call, user: str, body: RoleBody) -> None:
        """Give a user a role, and end all log-ins of the user. The same role again changes nothing.
        One admin who is not banned always remains."""
        async with self.db.transaction() as tx:
            before = required(await roles.lock(tx, user), UserNotFound)
            if before == body.role:
                return
            await self.guests.check_full(tx, user)
            await self._put(tx, user, before, body.role)
            ended = await sessions.revoke_all(tx, user, None)
            await audit_log.record(tx, *call.actor, "role_changed", "user", user, body.role)
            data = EventData(role=body.role)
            await events.note(tx, "RoleChanged", call.user, "user", user, data)
            self.revocation.end(tx, ended)

    async def _put(self, tx: Db, user: str, before: str, role: str) -> None:
        await roles.put(tx, user, role)
        if before == ADMIN:
            await keep_an_admin(tx)

    @route("GET", "/moderation/staff", allow=MODERATE)
    async def list_staff(self, call: Call, query: Part) -> Listed[StaffMember]:
        """List all users who are not players, the latest change of a role first."""
        return numbered(await roles.staff(self.db, position(query), query.limit), query)
