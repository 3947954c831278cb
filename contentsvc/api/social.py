"""Followers, following and party invites: spec §4.9, §4.10, §4.15, §4.16."""

from collections.abc import Awaitable, Callable
from typing import Literal

from contentsvc.api.checks import check_user
from contentsvc.api.errors import (
    CannotFollowSelf,
    InviteNotFound,
    TooManyRequests,
    UserNotFound,
    retry_after,
)
from contentsvc.api.paging import PIECE, LongList, Piece, listed, position
from contentsvc.db.database import Database
from contentsvc.push.notifier import Notifier
from contentsvc.store import social
from contentsvc.store.floods import DAY
from contentsvc.web.allow import SELF
from contentsvc.web.call import Call
from contentsvc.web.route import route
from contentsvc.wire.base import Paging
from contentsvc.wire.notifications import (
    PartyInvite,
    PartyInviteAccept,
    PartyInviteDecline,
)
from contentsvc.wire.social import PartyBody
from contentsvc.wire.users import UserInfo

_REPEAT = 60
"""Within so many seconds, the same answer again is a retry, and notifies nobody."""
PART = 4 * 1024 * 1024
"""A part of a list ends after so many bytes of profiles, whatever its `limit`."""

_Read = Callable[[Database, str, int | None, int, int], Awaitable[list[social.Follow]]]
_ReadState = Callable[[Database, str, int | None], Awaitable[str]]


class Social:
    """Followers, and invites to parties.

    A user may follow `follows_per_day` more, 0 for any number.
    """

    def __init__(
        self,
        db: Database,
        notifier: Notifier,
        *,
        require_invite: bool,
        follows_per_day: int,
        piece: Piece = PIECE,
        part: int = PART,
    ) -> None:
        self._db = db
        self._notifier = notifier
        self._require_invite = require_invite
        self._follows_per_day = follows_per_day
        self._piece = piece
        self._part = part

    @route("GET", "/user/<guid:user>/followers", allow=SELF)
    async def followers(self, call: Call, user: str, query: Paging) -> LongList[UserInfo]:
        """List the users who follow this user (spec §4.9), newest first."""
        return await self._list(user, query, social.followers, social.followers_state)

    @route("GET", "/user/<guid:user>/following", allow=SELF)
    async def following(self, call: Call, user: str, query: Paging) -> LongList[UserInfo]:
        """List the users whom this user follows (spec §4.10), newest first."""
        return await self._list(user, query, social.following, social.following_state)

    async def _list(
        self, user: str, query: Paging, read: _Read, read_state: _ReadState
    ) -> LongList[UserInfo]:
        before = position(query)
        if query.limit is not None:
            rows = await read(self._db, user, before, query.limit, self._part)
            return listed(rows, query, _number, _user, cut=_size(rows) >= self._part)

        def page(after: int | None) -> Awaitable[list[social.Follow]]:
            return read(self._db, user, after, *self._piece)

        def state() -> Awaitable[str]:
            return read_state(self._db, user, before)

        first = await page(before)
        return self._piece.whole(first, _number, _user, start=before, page=page, state=state)

    @route(
        "PUT",
        "/user/<guid:user>/following/<guid:other>",
        allow=SELF,
        raises=(CannotFollowSelf, UserNotFound, TooManyRequests),
    )
    async def follow(self, call: Call, user: str, other: str) -> None:
        """Follow a user. A repeat changes nothing."""
        if user == other:
            raise CannotFollowSelf()
        wait = await social.follow(self._db, user, other, self._follows_per_day, DAY)
        if wait is None:
            raise UserNotFound()
        if wait:
            raise TooManyRequests(headers=retry_after(wait))

    @route("DELETE", "/user/<guid:user>/following/<guid:other>", allow=SELF, raises=(UserNotFound,))
    async def unfollow(self, call: Call, user: str, other: str) -> None:
        """Stop following a user."""
        if not await social.unfollow(self._db, user, other):
            raise UserNotFound()

    @route(
        "POST",
        "/user/<guid:user>/friend/<guid:friend_user>/party-invite",
        allow=SELF,
        raises=(UserNotFound,),
    )
    async def invite(self, call: Call, user: str, friend_user: str, body: PartyBody) -> None:
        """Invite a user to a party, and notify them. The same invite again within a minute notifies
        nobody."""
        invite = PartyInvite(sender=user, party=body.party)
        async with self._db.transaction() as tx:
            if await social.invite(tx, user, friend_user, body.party, _REPEAT):
                await self._notifier.send(tx, friend_user, invite)

    @route(
        "POST",
        "/user/<guid:user>/friend/<guid:friend_user>/party-invite/accept",
        allow=SELF,
        raises=(UserNotFound, InviteNotFound),
    )
    async def accept(self, call: Call, user: str, friend_user: str, body: PartyBody) -> None:
        """Accept an invite to a party (spec §4.15), and notify the user who sent it."""
        notification = PartyInviteAccept(sender=user, party=body.party)
        await self._answer("accept", user, friend_user, notification)

    @route(
        "POST",
        "/user/<guid:user>/friend/<guid:friend_user>/party-invite/decline",
        allow=SELF,
        raises=(UserNotFound, InviteNotFound),
    )
    async def decline(self, call: Call, user: str, friend_user: str, body: PartyBody) -> None:
        """Decline an invite to a party (spec §4.16), and notify the user who sent it."""
        notification = PartyInviteDecline(sender=user, party=body.party)
        await self._answer("decline", user, friend_user, notification)

    async def _answer(
        self,
        answer: Literal["accept", "decline"],
        user: str,
        friend: str,
        notification: PartyInviteAccept | PartyInviteDecline,
    ) -> None:
        statement = social.answer_invite if self._require_invite else social.answer_any
        async with self._db.transaction() as tx:
            changed = await statement(tx, friend, user, notification.party, answer, _REPEAT)
            if changed is None and self._require_invite:
                await check_user(tx, friend)
                raise InviteNotFound()
            if changed:
                await self._notifier.send(tx, friend, notification)


def _number(row: social.Follow) -> int:
    return row.number


def _size(rows: list[social.Follow]) -> int:
    """The bytes of their profiles."""
    profiles = (row.info.profile for row in rows)
    return sum(len(profile.encode()) for profile in profiles if profile is not None)


def _user(row: social.Follow) -> UserInfo:
    return row.info
