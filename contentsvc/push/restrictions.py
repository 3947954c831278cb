"""The users whom moderators have restricted (moderation#restrictions).

Each process holds the ids of all restricted users in memory. It loads them at its start, and the
other processes announce new ones, as they do for ended sessions. So a request of another user costs
no query. What a user is shut out of, and until when, is read from the database each time.
"""

from collections.abc import Iterable
from typing import Protocol

from attrs import define, field

from contentsvc.framework.db.query import Db
from contentsvc.store.moderation import decisions
from contentsvc.store.moderation.decisions import Restriction


class Others(Protocol):
    """The relay to the other processes."""

    def announce_restricted(self, user: str) -> None: ...


@define(eq=False)
class Restrictions:
    """Knows which users are restricted. Until `learn` has succeeded, any user may be."""

    _db: Db
    _relay: Others
    _users: dict[str, object] = field(factory=dict, init=False)
    """By id, a new object each time that a user was announced."""
    _complete: bool = field(default=False, init=False)

    def note(self, db: Db, user: str) -> None:
        """This user is restricted as soon as `db` has committed."""
        db.after_commit(lambda: self._noted(user))

    def _noted(self, user: str) -> None:
        self._users[user] = object()
        self._relay.announce_restricted(user)

    def heard(self, users: Iterable[str]) -> None:
        """Another process has restricted these users."""
        for user in users:
            self._users[user] = object()

    async def learn(self) -> None:
        """Read which users are restricted. Raises Unavailable."""
        before = dict(self._users)
        found = await decisions.restricted(self._db)
        # What other processes announced meanwhile may be newer than what was read.
        newer = {user: at for user, at in self._users.items() if before.get(user) is not at}
        self._users = {**{user: before.get(user, object()) for user in found}, **newer}
        self._complete = True

    def may_concern(self, user: str) -> bool:
        """Whether a user may be restricted."""
        return user in self._users or not self._complete

    async def find(self, db: Db | None, user: str, what: str) -> Restriction | None:
        """The restriction that shuts a user out of this now, None if there is none. `db` is the
        transaction of the act, if there is one."""
        heard = self._users.get(user)
        rows = await decisions.restrictions(self._db if db is None else db, user)
        for row in rows:
            if row.what == what:
                return row
        if not rows and heard is not None and self._users.get(user) is heard:
            # The restriction was reversed, or is over.
            del self._users[user]
        return None
