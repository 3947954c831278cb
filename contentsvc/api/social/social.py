"""Followers, following and party invites: spec §4.9, §4.10, §4.15, §4.16; extensions §4."""

from collections.abc import Awaitable, Callable
from typing import Literal

from msgspec import Struct

from contentsvc.api.checks import check_wait
from contentsvc.api.errors import (
    Blocked,
    CannotFollowSelf,
    InviteNotFound,
    NotFriends,
    TooManyRequests,
    UserNotFound,
)
from contentsvc.api.paging import (
    NUMBERED,
    PART,
    PIECE,
    LongList,
    Piece,
    decoded,
    encoded,
    full,
    key_of,
    numbered,
    position,
)
from contentsvc.db.database import Database
from contentsvc.db.query import Db
from contentsvc.push.notifier import Notifier
from contentsvc.store.content.search import Cursor
from contentsvc.store.fragments import Numbered
from contentsvc.store.social import pairs, social
from contentsvc.store.social.pairs import Pair
from contentsvc.web.call import Call
from contentsvc.web.permissions import SELF
from contentsvc.web.reply import Listed
from contentsvc.web.route import route
from contentsvc.wire.accounts import UserInfo
from contentsvc.wire.base import Paging, SortedPart
from contentsvc.wire.notifications import (
    NewFollower,
    PartyInvite,
    PartyInviteAccept,
    PartyInviteDecline,
)
from contentsvc.wire.social import PartyBody, PendingInvite

_REPEAT = 60
"""Within so many seconds, the same answer again is a retry, and notifies nobody."""
_SHOWN = 3600
"""Seconds in which an invite is listed."""
_START: Cursor = (1e11, 0)
"""Before all invites: a moment of the year 5138."""

_ONESELF = Pair(friends=True, sent=False, received=False, blocked=False)

_Read = Callable[[Db, str, int | None, int, int], Awaitable[list[Numbered[UserInfo]]]]
_ReadState = Callable[[Db, str, int | None], Awaitable[str]]


class Social(Struct):
    """Followers, and invites to parties.

    A user may follow `follows_per_day` more, and send `invites_per_hour` invites and answers to
    invites, 0 for any number. `invited_by` says who may invite a user. If `require_invite`, an
    answer needs an invite.
    """

    db: Database
    notifier: Notifier
    require_invite: bool
    invited_by: Literal["anyone", "friends"]
    follows_per_day: int
    invites_per_hour: int
    piece: Piece = PIECE
    part: int = PART

    @route("GET", "/user/<guid:user>/followers", allow=SELF)
    async def list_followers(self, call: Call, user: str, query: Paging) -> LongList[UserInfo]:
        """List the users who follow this user (spec §4.9), newest first."""
        return await self._list(user, query, social.followers, social.followers_state)

    @route("GET", "/user/<guid:user>/following", allow=SELF)
    async def list_following(self, call: Call, user: str, query: Paging) -> LongList[UserInfo]:
        """List the users whom this user follows (spec §4.10), newest first."""
        return await self._list(user, query, social.following, social.following_state)

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
        raises=(CannotFollowSelf, UserNotFound, Blocked, TooManyRequests),
    )
    async def follow_user(self, call: Call, user: str, other: str) -> None:
        """Follow a user, and notify them, at most once in 24 hours. A repeat changes nothing."""
        if user == other:
            raise CannotFollowSelf()
        async with self.db.transaction(pairs.row(user, other)) as tx:
            if (await pairs.hold(tx, user, other)).blocked:
                raise Blocked()
            followed = await social.follow(tx, user, other, self.follows_per_day)
            check_wait(followed.wait)
            if followed.notified:
                await self.notifier.send(tx, other, NewFollower(sender=user))

    @route("DELETE", "/user/<guid:user>/following/<guid:other>", allow=SELF, raises=(UserNotFound,))
    async def unfollow_user(self, call: Call, user: str, other: str) -> None:
        """Stop following a user."""
        async with self.db.transaction(pairs.row(user, other)) as tx:
            await pairs.lock(tx, user, other)
            if not await social.unfollow(tx, user, other):
                raise UserNotFound()

    @route(
        "POST",
        "/user/<guid:user>/friend/<guid:friend_user>/party-invite",
        allow=SELF,
        raises=(UserNotFound, Blocked, NotFriends, TooManyRequests),
    )
    async def send_party_invite(
        self, call: Call, user: str, friend_user: str, body: PartyBody
    ) -> None:
        """Invite a user to a party, and notify them. The same invite again within a minute notifies
        nobody."""
        invite = PartyInvite(sender=user, party=body.party)
        given = body.party, _REPEAT, self.invites_per_hour
        async with self.db.transaction(pairs.row(user, friend_user)) as tx:
            pair = await _hold(tx, user, friend_user)
            if pair.blocked:
                raise Blocked()
            if self.invited_by == "friends" and not pair.friends:
                raise NotFriends()
            invited = await social.invite(tx, user, friend_user, *given)
            check_wait(invited.wait)
            if invited.changed:
                await self.notifier.send(tx, friend_user, invite)

    @route(
        "POST",
        "/user/<guid:user>/friend/<guid:friend_user>/party-invite/accept",
        allow=SELF,
        raises=(UserNotFound, InviteNotFound, Blocked, NotFriends, TooManyRequests),
    )
    async def accept_party_invite(
        self, call: Call, user: str, friend_user: str, body: PartyBody
    ) -> None:
        """Accept an invite to a party (spec §4.15), and notify the user who sent it."""
        notification = PartyInviteAccept(sender=user, party=body.party)
        await self._answer("accept", user, friend_user, notification)

    @route(
        "POST",
        "/user/<guid:user>/friend/<guid:friend_user>/party-invite/decline",
        allow=SELF,
        raises=(UserNotFound, InviteNotFound, Blocked, NotFriends, TooManyRequests),
    )
    async def decline_party_invite(
        self, call: Call, user: str, friend_user: str, body: PartyBody
    ) -> None:
        """Decline an invite to a party (spec §4.16), and notify the user who sent it."""
        notification = PartyInviteDecline(sender=user, party=body.party)
        await self._answer("decline", user, friend_user, notification)

    @route("GET", "/user/<guid:user>/party-invites", allow=SELF)
    async def list_party_invites(
        self, call: Call, user: str, query: SortedPart
    ) -> Listed[PendingInvite]:
        """List the invites to parties of the last hour that the user has not answered. The newest
        come first."""
        key = key_of("party-invites", user)
        moment, tie = _START
        if query.after is not None:
            moment, tie = decoded(key, query.after, len(_START))
            moment = min(max(moment, 0), _START[0])  # the database knows no times beyond
        rows = await social.invites(self.db, user, _SHOWN, moment, tie, query.limit, self.part)
        cut = len(rows) == query.limit or full((row.invite.sender for row in rows), self.part)
        return Listed(
            [row.invite for row in rows],
            encoded(key, (rows[-1].moment, rows[-1].tie)) if cut else None,
        )

    async def _answer(
        self,
        answer: Literal["accept", "decline"],
        user: str,
        friend: str,
        notification: PartyInviteAccept | PartyInviteDecline,
    ) -> None:
        given = friend, user, notification.party, answer, _REPEAT, self.invites_per_hour
        async with self.db.transaction(pairs.row(user, friend)) as tx:
            pair = await _hold(tx, user, friend)
            # To a stranger, an answer without an invite would be as good as an invite.
            strangers = self.invited_by == "friends" and not pair.friends
            if self.require_invite or strangers:
                answered = await social.answer_invite(tx, *given)
            else:
                answered = await social.answer_any(tx, *given)
            if answered is None and self.require_invite:
                raise InviteNotFound()  # it comes before 403
            if pair.blocked:
                raise Blocked()
            if answered is None:
                raise NotFriends()
            check_wait(answered.wait)
            if answered.changed:
                await self.notifier.send(tx, friend, notification)


async def _hold(tx: Db, user: str, other: str) -> Pair:
    """Lock the row of two users. Somebody may invite themself, as a friend.

    Raises Refused: there is no such other user."""
    return _ONESELF if user == other else await pairs.hold(tx, user, other)
