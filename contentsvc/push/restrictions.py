"""Who is shut out of what (moderation#decisions).

Each process holds the users in memory who are shut out of anything, loaded at the start and fed by
the other processes, as it holds the sessions that have ended. So a request of anybody else costs no
query. What somebody is shut out of, and until when, the database says each time.
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
    """Knows who is shut out of anything. Until it has learnt that, everybody may be."""

    _db: Db
    _relay: Others
    _users: dict[str, object] = field(factory=dict, init=False)
    """Each with an object of its own for the last time that something was heard of them."""
    _complete: bool = field(default=False, init=False)

    def note(self, db: Db, user: str) -> None:
        """A user is shut out of something as soon as `db` has committed."""
        db.after_commit(lambda: self._noted(user))

    def _noted(self, user: str) -> None:
        self._users[user] = object()
        self._relay.announce_restricted(user)

    def heard(self, users: Iterable[str]) -> None:
        """Another process has shut these users out of something."""
        for user in users:
            self._users[user] = object()

    async def learn(self) -> None:
        """Read who is shut out of anything. Raises Unavailable."""
        before = dict(self._users)
        found = await decisions.restricted(self._db)
        # What was heard meanwhile may be newer than what was read.
        newer = {user: at for user, at in self._users.items() if before.get(user) is not at}
        self._users = {**{user: before.get(user, object()) for user in found}, **newer}
        self._complete = True

    def may_concern(self, user: str) -> bool:
        """Whether a user may be shut out of anything."""
        return user in self._users or not self._complete

    async def find(self, db: Db | None, user: str, what: str) -> Restriction | None:
        """What shuts a user out of this now, if anything does. `db` is the transaction that would
        do it, if there is one."""
        heard = self._users.get(user)
        rows = await decisions.restrictions(self._db if db is None else db, user)
        for row in rows:
            if row.what == what:
                return row
        if not rows and heard is not None and self._users.get(user) is heard:
            # It was taken back, or is over.
            del self._users[user]
        return None
