"""Invites to parties, and the answers to them: social#party-invites."""

from typing import Literal

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_wait
from contentsvc.api.errors import Blocked, InviteNotFound, NotFriends, TooManyRequests, UserNotFound
from contentsvc.api.guests import MESSAGE
from contentsvc.api.paging import PART, decoded, encoded, full, key_of
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.permissions import SELF
from contentsvc.framework.http.reply import Listed
from contentsvc.framework.http.route import route
from contentsvc.push.notifier import Notifier
from contentsvc.store.content.found_parts import Cursor
from contentsvc.store.social import pairs, party_invites
from contentsvc.store.social.pairs import Pair
from contentsvc.wire.base import SortedPart
from contentsvc.wire.notifications import PartyInvite, PartyInviteAccept, PartyInviteDecline
from contentsvc.wire.social import PartyBody, PendingInvite

_REPEAT = 60
"""Seconds within which the same answer again is a retry, and notifies nobody."""
_SHOWN = 3600
"""Seconds in which an invite is listed."""
_START: Cursor = (1e11, 0)
"""Before all invites: a moment of the year 5138."""

_ONESELF = Pair(friends=True, sent=False, received=False, blocked=False)


class PartyInvites(Struct):
    """Invites to parties. A user may send `per_hour` invites and answers to invites, 0 for any
    number. `invited_by` says who may invite a user. If `require_invite`, an answer needs an
    invite.
    """

    db: Database
    notifier: Notifier
    require_invite: bool
    invited_by: Literal["anyone", "friends"]
    per_hour: int
    part: int = PART

    @route(
        "POST",
        "/user/<guid:user>/friend/<guid:friend_user>/party-invite",
        allow=SELF,
        guests=MESSAGE,
        restricts="message",
        raises=(UserNotFound, Blocked, NotFriends, TooManyRequests),
    )
    async def send_party_invite(
        self, call: Call, user: str, friend_user: str, body: PartyBody
    ) -> None:
        """Invite a user to a party, and notify them. The same invite again within a minute notifies
        nobody."""
        invite = PartyInvite(sender=user, party=body.party)
        given = body.party, _REPEAT, self.per_hour
        async with self.db.transaction(pairs.row(user, friend_user)) as tx:
            pair = await _lock_pair(tx, user, friend_user)
            if pair.blocked:
                raise Blocked()
            if self.invited_by == "friends" and not pair.friends:
                raise NotFriends()
            invited = await party_invites.invite(tx, user, friend_user, *given)
            if invited.changed or invited.wait:
                await call.unrestricted(tx)
            check_wait(invited.wait)
            if invited.changed:
                await self.notifier.send(tx, friend_user, invite)

    @route(
        "POST",
        "/user/<guid:user>/friend/<guid:friend_user>/party-invite/accept",
        allow=SELF,
        guests=MESSAGE,
        raises=(UserNotFound, InviteNotFound, Blocked, NotFriends, TooManyRequests),
    )
    async def accept_party_invite(
        self, call: Call, user: str, friend_user: str, body: PartyBody
    ) -> None:
        """Accept an invite to a party (social#party-invites), and notify the user who sent it."""
        notification = PartyInviteAccept(sender=user, party=body.party)
        await self._answer("accept", user, friend_user, notification)

    @route(
        "POST",
        "/user/<guid:user>/friend/<guid:friend_user>/party-invite/decline",
        allow=SELF,
        guests=MESSAGE,
        raises=(UserNotFound, InviteNotFound, Blocked, NotFriends, TooManyRequests),
    )
    async def decline_party_invite(
        self, call: Call, user: str, friend_user: str, body: PartyBody
    ) -> None:
        """Decline an invite to a party (social#party-invites), and notify the user who sent it."""
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
        rows = await party_invites.invites(
            self.db, user, _SHOWN, moment, tie, query.limit, self.part
        )
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
        given = friend, user, notification.party, answer, _REPEAT, self.per_hour
        async with self.db.transaction(pairs.row(user, friend)) as tx:
            pair = await _lock_pair(tx, user, friend)
            # To a stranger, an answer without an invite would be as good as an invite.
            strangers = self.invited_by == "friends" and not pair.friends
            if self.require_invite or strangers:
                answered = await party_invites.answer_invite(tx, *given)
            else:
                answered = await party_invites.answer_any(tx, *given)
            if answered is None and self.require_invite:
                raise InviteNotFound()  # it comes before 403
            if pair.blocked:
                raise Blocked()
            if answered is None:
                raise NotFriends()
            check_wait(answered.wait)
            if answered.changed:
                await self.notifier.send(tx, friend, notification)


async def _lock_pair(tx: Db, user: str, other: str) -> Pair:
    """Lock the row of two users. Somebody may invite themself, as a friend.

    Raises Refused: there is no such other user."""
    return _ONESELF if user == other else await pairs.lock_or_make(tx, user, other)
