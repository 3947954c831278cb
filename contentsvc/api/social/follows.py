"""Followers and following: social#following."""

from collections.abc import Awaitable, Callable

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_wait
from contentsvc.api.errors import Blocked, CannotFollowSelf, TooManyRequests, UserNotFound
from contentsvc.api.guests import FOLLOW
from contentsvc.api.paging import NUMBERED, PART, PIECE, LongList, Piece, full, numbered, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.permissions import SELF
from contentsvc.framework.http.route import route
from contentsvc.push.notifier import Notifier
from contentsvc.store.fragments import Numbered
from contentsvc.store.social import follows, pairs
from contentsvc.wire.accounts import UserInfo
from contentsvc.wire.base import Paging
from contentsvc.wire.notifications import NewFollower

_Read = Callable[[Db, str, int | None, int, int], Awaitable[list[Numbered[UserInfo]]]]
_ReadState = Callable[[Db, str, int | None], Awaitable[str]]


class Follows(Struct):
    """Following. A user may follow `per_day` more, 0 for any number."""

    db: Database
    notifier: Notifier
    per_day: int
    piece: Piece = PIECE
    part: int = PART

    @route("GET", "/user/<guid:user>/followers", allow=SELF)
    async def list_followers(self, call: Call, user: str, query: Paging) -> LongList[UserInfo]:
        """List the users who follow this user (social#following), newest first."""
        return await self._list(user, query, follows.followers, follows.followers_state)

    @route("GET", "/user/<guid:user>/following", allow=SELF)
    async def list_following(self, call: Call, user: str, query: Paging) -> LongList[UserInfo]:
        """List the users whom this user follows (social#following), newest first."""
        return await self._list(user, query, follows.following, follows.following_state)

    async def _list(
        self, user: str, query: Paging, read: _Read, read_state: _ReadState
    ) -> LongList[UserInfo]:
        before = position(query)
        if query.limit is not None:
            rows = await read(self.db, user, before, query.limit, self.part)
            return numbered(rows, query, cut=full((row.item for row in rows), self.part))

        db = self.db.whole()

        def page(after: int | None) -> Awaitable[list[Numbered[UserInfo]]]:
            return read(db, user, after, *self.piece)

        first = await page(before)
        return self.piece.whole(
            first, *NUMBERED, start=before, page=page, state=lambda: read_state(db, user, before)
        )

    @route(
        "PUT",
        "/user/<guid:user>/following/<guid:other>",
        allow=SELF,
        guests=FOLLOW,
        raises=(CannotFollowSelf, UserNotFound, Blocked, TooManyRequests),
    )
    async def follow_user(self, call: Call, user: str, other: str) -> None:
        """Follow a user, and notify them, at most once in 24 hours. A repeat changes nothing."""
        if user == other:
            raise CannotFollowSelf()
        async with self.db.transaction(pairs.row(user, other)) as tx:
            if (await pairs.lock_or_make(tx, user, other)).blocked:
                raise Blocked()
            followed = await follows.follow(tx, user, other, self.per_day)
            check_wait(followed.wait)
            if followed.notified:
                await self.notifier.send(tx, other, NewFollower(sender=user))

    @route("DELETE", "/user/<guid:user>/following/<guid:other>", allow=SELF, raises=(UserNotFound,))
    async def unfollow_user(self, call: Call, user: str, other: str) -> None:
        """Stop following a user."""
        async with self.db.transaction(pairs.row(user, other)) as tx:
            await pairs.lock(tx, user, other)
            if not await follows.unfollow(tx, user, other):
                raise UserNotFound()
