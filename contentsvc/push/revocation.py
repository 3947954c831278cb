"""Revocation: every end of a session takes effect here, on its tokens and on its sockets."""

from collections.abc import Callable, Iterable
from typing import Protocol

from attrs import define, field
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db
from contentsvc.push.hub import Hub
from contentsvc.store.accounts import sessions
from contentsvc.tokens import Revoked

log = Logger()


class Others(Protocol):
    """The relay to the other processes."""

    def announce_revoked(self, sid: str) -> None: ...


@define(eq=False)
class Revocation:
    """Refuses the tokens of ended sessions and closes their sockets, in this process and in the
    others. Reads `db` for ends that no process has announced. `ended` is called when sessions have
    ended: requests that wait for their users may have to end too."""

    _reactor: IReactorTime
    _db: Db
    _revoked: Revoked
    _hub: Hub
    _relay: Others
    _some_ended: Callable[[], object] = field(default=lambda: None, alias="ended", kw_only=True)
    _learnt: float = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._learnt = self._reactor.seconds()

    def end(self, db: Db, sids: list[str]) -> None:
        """End these sessions as soon as `db` has committed. Their end is stored by then."""
        db.after_commit(lambda: self._ended(sids))

    def _ended(self, sids: list[str]) -> None:
        for sid in sids:
            self._revoked.add(sid)
            self._relay.announce_revoked(sid)
        self._hub.revoke(sids)
        self._some_ended()

    def heard(self, sids: Iterable[str]) -> None:
        """Another process has ended these sessions. Most of those from the database are already
        known."""
        new = [sid for sid in sids if sid not in self._revoked]
        for sid in new:
            self._revoked.add(sid)
        self._hub.revoke(new)
        if new:
            self._some_ended()

    async def learn(self) -> None:
        """Read which sessions have been ended. Raises Unavailable."""
        # Sockets stay open while the database is away, however long that is.
        began = self._reactor.seconds()
        away = max(0, int(began - self._learnt))
        self.heard(await sessions.revoked(self._db, away + sessions.LATELY))
        self._learnt = began
        self._revoked.complete = True

    async def learn_first(self) -> None:
        """Read which sessions ended while this process was down, before any client can ask.

        If somebody holds a lock on the sessions, only requests without a token are served until
        `learn` has succeeded. Raises Unavailable otherwise.
        """
        self._revoked.complete = False
        try:
            await self.learn()
        except Unavailable as error:
            if error.cause != "lock":
                raise
            # Log: a transaction holds a lock on the table of sessions. Do: end that transaction.
            log.warn(
                "Requests with a token get 503 until the sessions can be read: {error}",
                error=error,
            )
