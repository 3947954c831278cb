"""Bans: accounts that admins shut out."""

from contentsvc.api.errors import CannotBanSelf, UserNotFound
from contentsvc.db.database import Database
from contentsvc.push.endings import Endings
from contentsvc.store import bans, sessions
from contentsvc.web.allow import ADMIN
from contentsvc.web.call import Call
from contentsvc.web.route import route
from contentsvc.wire.accounts import BanBody


class Bans:
    """Bans of users, by admins."""

    def __init__(self, db: Database, endings: Endings) -> None:
        self._db = db
        self._endings = endings

    @route("PUT", "/user/<guid:user>/ban", allow=ADMIN, raises=(UserNotFound, CannotBanSelf))
    async def put(self, call: Call, user: str, body: BanBody) -> None:
        """Ban a user, and end all their log-ins."""
        if user == call.user:
            raise CannotBanSelf()
        async with self._db.transaction() as tx:
            if not await bans.hold(tx, user):
                raise UserNotFound()
            await bans.put(tx, user, body.reason, body.until)
            ended = await sessions.revoke_all(tx, user, None)
            self._endings.end(tx, ended)

    @route("DELETE", "/user/<guid:user>/ban", allow=ADMIN, raises=(UserNotFound,))
    async def lift(self, call: Call, user: str) -> None:
        """Let a user log in again."""
        if not await bans.lift(self._db, user):
            raise UserNotFound()
