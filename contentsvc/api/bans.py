"""Bans: accounts that admins shut out."""

from collections.abc import Callable

from contentsvc.api.errors import CannotBanSelf, UserNotFound
from contentsvc.db.database import Database
from contentsvc.store import bans, sessions
from contentsvc.web.allow import ADMIN
from contentsvc.web.call import Call
from contentsvc.web.route import route
from contentsvc.wire.accounts import BanBody


class Bans:
    """Bans of users, by admins.

    Calls `ended` with the sessions that were ended.
    """

    def __init__(self, db: Database, ended: Callable[[list[str]], None]) -> None:
        self._db = db
        self._ended = ended

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
            tx.after_commit(lambda: self._ended(ended))

    @route("DELETE", "/user/<guid:user>/ban", allow=ADMIN, raises=(UserNotFound,))
    async def lift(self, call: Call, user: str) -> None:
        """Let a user log in again."""
        if not await bans.lift(self._db, user):
            raise UserNotFound()
