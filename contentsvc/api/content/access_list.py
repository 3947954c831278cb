"""Testers and members of content (content#members)."""

from typing import Final

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_wait
from contentsvc.api.errors import (
    Blocked,
    CannotInviteSelf,
    ContentDeleted,
    ContentNotFound,
    InvitationNotFound,
    QuotaExceeded,
    TooManyRequests,
    UserNotFound,
)
from contentsvc.api.guests import PUBLISH
from contentsvc.api.paging import PART, full, heavy, numbered, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.errors import Forbidden
from contentsvc.framework.http.permissions import ANYONE, SELF, SIGNED_IN
from contentsvc.framework.http.reply import Listed
from contentsvc.framework.http.route import route
from contentsvc.push.notifier import Notifier
from contentsvc.store.content import access_list
from contentsvc.store.social import pairs
from contentsvc.wire.base import Part, tag_of
from contentsvc.wire.library import GuestRole, Member, Membership, Tester
from contentsvc.wire.notifications import MemberInvited, TesterInvited

TESTERS: Final = 50
MEMBERS: Final = 10
"""The most that a content may have; invited users count."""
_TESTER = "/content/<guid:content>/testers/<guid:other>"
_MEMBER = "/content/<guid:content>/members/<guid:other>"
_INVITING = (
    *(ContentNotFound, Forbidden, UserNotFound, ContentDeleted, CannotInviteSelf, Blocked),
    *(QuotaExceeded, TooManyRequests),
)


class Guests(Struct):
    """The users to whom authors give access to content: testers, who see it, and members, who may
    edit it.

    An author may invite `per_day` times, 0 for any number. A part of a list ends after `part` bytes
    of profiles.
    """

    db: Database
    notifier: Notifier
    per_day: int
    part: int = PART

    @route("PUT", _TESTER, allow=SIGNED_IN, guests=PUBLISH, raises=_INVITING)
    async def add_tester(self, call: Call, content: str, other: str) -> None:
        """Let a user see a content item of yours, whatever its visibility, and notify them the
        first time. A repeat changes nothing. Only its author may."""
        await self._check_author(call, content)
        await self._invite(call, content, other, "tester", TESTERS)

    @route("DELETE", _TESTER, allow=SIGNED_IN, raises=(ContentNotFound, Forbidden))
    async def remove_tester(self, call: Call, content: str, other: str) -> None:
        """Remove a tester from a content item. Its author and the tester may. If the user is no
        tester, this is not an error."""
        await self._remove(call, content, other, "tester")

    @route(
        "GET",
        "/content/<guid:content>/testers",
        allow=SIGNED_IN,
        raises=(ContentNotFound, Forbidden),
    )
    async def list_testers(self, call: Call, content: str, query: Part) -> Listed[Tester]:
        """List the testers of a content item, the newest first. Only its author may."""
        after = position(query)
        await self._check_author(call, content)
        rows = await access_list.testers(self.db, content, after, query.limit, self.part)
        return numbered(rows, query, cut=full((row.item.user for row in rows), self.part))

    @route("PUT", _MEMBER, allow=SIGNED_IN, guests=PUBLISH, raises=(*_INVITING, InvitationNotFound))
    async def put_member(self, call: Call, content: str, other: str) -> None:
        """Invite a user to be a member of a content item of yours, and notify them the first time;
        or, if its author has invited you, accept the invitation. Members see it, and can edit it
        once they have accepted. A repeat changes nothing."""
        host = await self._host(call, content)
        if call.user == other != host.author_id:
            if not await access_list.accept(self.db, content, other):
                raise InvitationNotFound()
            return
        if call.user != host.author_id:
            raise Forbidden("Only its author can invite members of this content.")
        await self._invite(call, content, other, "editor", MEMBERS)

    @route("DELETE", _MEMBER, allow=SIGNED_IN, raises=(ContentNotFound, Forbidden))
    async def remove_member(self, call: Call, content: str, other: str) -> None:
        """Remove a member, or an invited user, from a content item. Its author and that user may.
        If the user is neither, this is not an error."""
        await self._remove(call, content, other, "editor")

    @route("GET", "/content/<guid:content>/members", allow=ANYONE, raises=(ContentNotFound,))
    async def list_members(self, call: Call, content: str, query: Part) -> Listed[Member]:
        """List the members of a content item, the newest first. A member who has not accepted yet
        is shown only to its author and to that member."""
        window = position(query), query.limit, self.part
        host, caller = await self._host(call, content), call.viewer.user
        rows = await access_list.members(
            self.db, content, caller, caller == host.author_id, *window
        )
        return numbered(rows, query, cut=full((row.item.user for row in rows), self.part))

    @route("GET", "/user/<guid:user>/memberships", allow=SELF)
    async def list_memberships(self, call: Call, user: str, query: Part) -> Listed[Membership]:
        """List the content that the user is a tester or a member of, or is invited to be. The
        newest come first."""
        rows = await access_list.memberships(self.db, user, position(query), query.limit)
        return numbered(rows, query, cut=heavy(row.item.content for row in rows))

    async def _host(self, call: Call, content: str) -> access_list.Host:
        """Raises ContentNotFound."""
        host = await access_list.host(self.db, content, *call.viewer)
        if host is None or not host.visible:
            raise ContentNotFound()
        return host

    async def _check_author(self, call: Call, content: str) -> None:
        """Raises ContentNotFound, Forbidden."""
        if (await self._host(call, content)).author_id != call.user:
            raise Forbidden("Only its author sees and chooses the testers of this content.")

    async def _invite(
        self, call: Call, content: str, other: str, role: GuestRole, quota: int
    ) -> None:
        if other == call.user:
            raise CannotInviteSelf()
        kind = TesterInvited if role == "tester" else MemberInvited
        async with self.db.transaction(pairs.row(call.user, other)) as tx:
            pair = await pairs.lock_or_make(tx, call.user, other)
            if not await access_list.lock_content(tx, content, call.user):
                raise ContentDeleted()
            if pair.blocked:
                raise Blocked()
            made = await access_list.invite(
                tx, content, call.user, other, role, tag_of(kind), quota, self.per_day
            )
            if not made.known and made.used >= quota:
                raise QuotaExceeded(limit=quota, used=made.used)
            check_wait(made.wait)
            if not made.known:
                tx.after_commit(lambda: self.notifier.library_changed([other]))
            if made.notified:
                await self.notifier.send(tx, other, kind(content=content, sender=call.user))

    async def _remove(self, call: Call, content: str, other: str, role: GuestRole) -> None:
        host = await access_list.host(self.db, content, *call.viewer)
        may = host is not None and call.user in {host.author_id, other}
        # Also while the content is hidden from them.
        if may and await access_list.remove(self.db, content, other, role):
            self.notifier.library_changed([other])
            return
        if host is None or not host.visible:
            raise ContentNotFound()
        if not may:
            raise Forbidden("Only its author and that user can do this.")
