"""Friends, requests for friendship, and blocks (social#friends)."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_user, check_wait
from contentsvc.api.errors import (
    Blocked,
    CannotBlockSelf,
    CannotFriendSelf,
    TooManyRequests,
    UserNotFound,
)
from contentsvc.api.guests import MESSAGE
from contentsvc.api.paging import PART, full, numbered, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.permissions import SELF
from contentsvc.framework.http.reply import Listed
from contentsvc.framework.http.route import route
from contentsvc.push.notifier import Notifier
from contentsvc.store.content import access_list
from contentsvc.store.content.library_audience import of_each_other
from contentsvc.store.fragments import Numbered
from contentsvc.store.social import friends, pairs
from contentsvc.wire.base import Part
from contentsvc.wire.notifications import FriendConfirm, FriendRequest
from contentsvc.wire.social import BlockedUser, Friend, PendingRequest, RequestsQuery

_OfUser = TypeVar("_OfUser", Friend, BlockedUser, PendingRequest)

_FRIEND = "/user/<guid:user>/friend/<guid:other>"
_BLOCKED = "/user/<guid:user>/blocked/<guid:other>"


class Friends(Struct):
    """Friends and blocks.

    A user may make `requests_per_day` requests for friendship, 0 for any number. A part of a list
    ends after `part` bytes of profiles.
    """

    db: Database
    notifier: Notifier
    requests_per_day: int
    part: int = PART

    @route(
        "PUT",
        _FRIEND,
        allow=SELF,
        guests=MESSAGE,
        restricts="message",
        raises=(CannotFriendSelf, UserNotFound, Blocked, TooManyRequests),
    )
    async def add_friend(self, call: Call, user: str, other: str) -> None:
        """Ask a user for friendship, and notify them. If they have asked already, you are friends
        from then on, and they are notified of that. A repeat changes nothing."""
        if user == other:
            raise CannotFriendSelf()
        async with self.db.transaction(pairs.row(user, other)) as tx:
            pair = await pairs.lock_or_make(tx, user, other)
            if pair.blocked:
                raise Blocked()
            if pair.received:
                await friends.confirm(tx, user, other)
                await self._notify_subscribers(tx, user, other)
                await self.notifier.send(tx, other, FriendConfirm(sender=user))
            elif not (pair.friends or pair.sent):
                await call.unrestricted(tx)
                asked = await friends.ask(tx, user, other, self.requests_per_day)
                check_wait(asked.wait)
                if asked.notified:
                    await self.notifier.send(tx, other, FriendRequest(sender=user))

    @route("DELETE", _FRIEND, allow=SELF, raises=(UserNotFound,))
    async def remove_friend(self, call: Call, user: str, other: str) -> None:
        """End a friendship, take back a request for it, or turn the other's request down. Nobody is
        notified."""
        await self._undo(user, other, friends.end)

    @route("GET", "/user/<guid:user>/friends", allow=SELF)
    async def list_friends(self, call: Call, user: str, query: Part) -> Listed[Friend]:
        """List the user's friends. The newest come first."""
        rows = await friends.friends(self.db, user, position(query), query.limit, self.part)
        return self._listed(rows, query)

    @route("GET", "/user/<guid:user>/friend-requests", allow=SELF)
    async def list_friend_requests(
        self, call: Call, user: str, query: RequestsQuery
    ) -> Listed[PendingRequest]:
        """List the requests for friendship that are not answered, to the user and by the user. The
        newest come first."""
        given = position(query), query.limit, self.part
        if query.direction == "outgoing":
            rows = await friends.outgoing(self.db, user, *given)
        else:
            incoming = query.direction == "incoming"
            rows = await friends.requests(self.db, user, incoming, *given)
        return self._listed(rows, query)

    @route("PUT", _BLOCKED, allow=SELF, raises=(CannotBlockSelf, UserNotFound))
    async def block_user(self, call: Call, user: str, other: str) -> None:
        """Block a user. This ends friendship, requests and following between you, and neither is a
        tester or a member of the other's content any more. Nobody is notified. A repeat changes
        nothing."""
        if user == other:
            raise CannotBlockSelf()
        async with self.db.transaction(pairs.row(user, other)) as tx:
            await pairs.lock_or_make(tx, user, other)
            await pairs.bar(tx, user, other)
            await access_list.part(tx, user, other)
            await friends.block(tx, user, other)
            await self._notify_subscribers(tx, user, other)

    @route("DELETE", _BLOCKED, allow=SELF, raises=(UserNotFound,))
    async def unblock_user(self, call: Call, user: str, other: str) -> None:
        """Take back a block. The other's block, if there is one, stays."""
        await self._undo(user, other, friends.unblock)

    @route("GET", "/user/<guid:user>/blocked", allow=SELF)
    async def list_blocked_users(self, call: Call, user: str, query: Part) -> Listed[BlockedUser]:
        """List the users whom the user blocks. The newest come first."""
        rows = await friends.blocked(self.db, user, position(query), query.limit, self.part)
        return self._listed(rows, query)

    def _listed(self, rows: Sequence[Numbered[_OfUser]], query: Part) -> Listed[_OfUser]:
        return numbered(rows, query, cut=full((row.item.user for row in rows), self.part))

    async def _undo(self, user: str, other: str, undo: Callable[..., Awaitable[None]]) -> None:
        await check_user(self.db, other)
        async with self.db.transaction(pairs.row(user, other)) as tx:
            if await pairs.lock(tx, user, other):
                await undo(tx, user, other)
                await self._notify_subscribers(tx, user, other)

    async def _notify_subscribers(self, tx: Db, user: str, other: str) -> None:
        """Notify those of the two who subscribe to content of the other's: what they see of it may
        have changed."""
        if subscribers := await of_each_other(tx, user, other):
            tx.after_commit(lambda: self.notifier.library_changed(subscribers))
