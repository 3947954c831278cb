"""Users change their names (extensions §8)."""

from msgspec import Struct

from contentsvc.api.accounts.reserved_names import NO_NAMES, ReservedNames
from contentsvc.api.call import Call
from contentsvc.api.checks import check_outranks, check_wait, required
from contentsvc.api.errors import ProtectedUser, TooManyRequests, UsernameTaken, UserNotFound
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.permissions import SELF
from contentsvc.framework.http.route import route
from contentsvc.roles import MODERATE
from contentsvc.store import rate_limits
from contentsvc.store.accounts import usernames
from contentsvc.store.events import events
from contentsvc.store.moderation import audit_log
from contentsvc.store.rate_limits import DAY, RENAMES
from contentsvc.wire.accounts import UsernameChange


class Usernames(Struct):
    """The names of users. Who is no staff may change the own name once in so many `days`, 0 for
    any number of times. Nobody gets a `reserved` one."""

    db: Database
    days: int
    reserved: ReservedNames = NO_NAMES

    @route(
        "PUT",
        "/user/<guid:user>/username",
        allow=SELF | MODERATE,
        raises=(UserNotFound, ProtectedUser, UsernameTaken, TooManyRequests),
    )
    async def set_username(self, call: Call, user: str, body: UsernameChange) -> None:
        """Give a user another name. It is shown everywhere from then on, and the user logs in with
        it. For 30 days, nobody else can have the old one. Who is no moderator can change the own
        name once in 30 days, or as often as the option `username_days` says. The present name again
        changes nothing."""
        async with self.db.transaction() as tx:
            held = required(await usernames.hold(tx, user, body.username), UserNotFound)
            check_outranks(call, user, held.role)
            if held.username == body.username:
                return
            if body.username in self.reserved and not held.same:
                raise UsernameTaken("This username is reserved.")
            if held.taken:
                raise UsernameTaken()
            # First, so that a name that nobody can have uses nothing up: it is undone with the
            # rest.
            await usernames.rename(tx, user, body.username)
            if not call.may(MODERATE):
                limit = RENAMES._replace(span=self.days * DAY)
                most = RENAMES.most if self.days else 0
                check_wait(await rate_limits.take(tx, limit, user, most))
            if call.user != user:
                await audit_log.record(tx, *call.actor, "user_renamed", "user", user, "")
            await events.note(tx, "UserRenamed", call.user, "user", user)
