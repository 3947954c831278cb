"""Users: accounts#search, accounts#user-info, accounts#full-record and accounts#update."""

from functools import partial
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_outranks, check_wait, required, trimmed
from contentsvc.api.errors import (
    EmblemNotEarned,
    FileInvalid,
    FileMissing,
    ImageHasMetadata,
    ProtectedUser,
    TooManyRequests,
    UserNotFound,
    account_deleted,
)
from contentsvc.api.files.references import FileReferences
from contentsvc.api.guests import PUBLISH
from contentsvc.api.moderation.acts import Acts, Taken, takes_away
from contentsvc.api.paging import ids
from contentsvc.framework.core.folding import folded
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.permissions import ANYONE, EVERY_CALLER, SELF
from contentsvc.framework.http.reply import Pieces
from contentsvc.framework.http.route import route
from contentsvc.roles import MODERATE, Permission, role_of, scopes_of
from contentsvc.store import rate_limits
from contentsvc.store.accounts import service_accounts, users
from contentsvc.store.challenges import rewards
from contentsvc.store.content.spellings import plain
from contentsvc.store.moderation import audit_log, evidence
from contentsvc.store.rate_limits import USER_UPDATES
from contentsvc.wire.accounts import (
    LONGEST_NAME,
    FullUser,
    Profile,
    ServiceMe,
    UserIds,
    UserInfo,
    UserMe,
    UserPage,
    UserSearch,
    UserUpdate,
)
from contentsvc.wire.legal import AcceptedTerms

_SHORTEST_QUERY, _LONGEST_QUERY = 3, 64

_Record = tuple[str, str | None, str | None, str | None, str | None]
"""The id of a user, avatar, emblem, and both profiles."""


class Users(Struct):
    """Users' own data, and the search for users. Without `claims` no avatar is a file of the
    service's own. A user may change the own record `per_minute` times, 0 for any number."""

    db: Database
    claims: FileReferences | None
    acts: Acts
    per_minute: int = 0

    @route("GET", "/user/search", allow=ANYONE)
    async def search_users(self, call: Call, query: UserSearch) -> UserPage | Pieces[UserPage]:
        """Search users by name (accounts#search). The exact name comes first, then names that begin
        with `q`, then similar names. If these take too long to find, they are left out."""
        q = plain(folded(trimmed("q", query.q, _SHORTEST_QUERY, _LONGEST_QUERY)))
        if len(q) > LONGEST_NAME:
            return UserPage([], query.page, query.page_size, 0)
        found = await self._found(q, query.page_size, query.page)
        infos, total = [row.info for row in found if row.info is not None], found[0].total
        if found[0].bytes > users.PROFILES:
            place = f'"page":{query.page},"pageSize":{query.page_size},"total":{total}'
            return self._in_pieces([info.id for info in infos], f'{place},"items":[', b"{]}")
        return UserPage(infos, query.page, query.page_size, total)

    @route("GET", "/user", allow=ANYONE)
    async def list_users(
        self, call: Call, query: UserIds
    ) -> list[UserInfo] | Pieces[list[UserInfo]]:
        """Get the public infos of several users, in the order of `ids`. Users that do not exist are
        left out, and a repeated id counts once."""
        given = ids("ids", query.ids)
        infos = await users.infos(self.db, given, users.PROFILES)
        if sum(len((info.profile or "").encode()) for info in infos) < users.PROFILES:
            return infos
        return self._in_pieces(given)

    async def _found(self, q: str, size: int, page: int) -> list[users.FoundUser]:
        try:
            return await users.search(self.db, q, size, page)
        except Unavailable as error:
            if error.cause != "time-out":
                raise
            return await users.search_beginning(self.db, q, size, page)

    def _in_pieces(self, given: list[str], head: str = "", brackets: bytes = b"[]") -> Pieces[Any]:
        """These users after the `head`. They are read part by part."""
        left, begun, db = given, head.encode(), self.db.whole()

        async def more() -> bytes:
            nonlocal left, begun
            infos = await users.infos(db, left, users.PROFILES) if left else []
            left = left[left.index(infos[-1].id) + 1 :] if infos else []
            first, begun = begun, b""
            return first + msgspec.json.encode(infos)[1:-1]

        async def state() -> str:
            return head + await users.infos_state(db, given)

        return Pieces(more, state, brackets)

    @route("GET", "/me", allow=EVERY_CALLER)
    async def get_me(self, call: Call) -> UserMe | ServiceMe:
        """Get who is signed in, a user or a service account, and the permissions or scopes
        (accounts#me)."""
        if call.service:
            name = required(await service_accounts.name_of(self.db, call.user), account_deleted)
            return ServiceMe(call.user, name, scopes_of(call.permissions))
        me = required(await users.me(self.db, call.user), account_deleted)
        may = [permission for permission in Permission if call.may(permission)]
        return UserMe(call.user, me.username, me.guest, call.role, [*may])

    @route("GET", "/user/<guid:user>/info", allow=ANYONE, raises=(UserNotFound,))
    async def get_user_info(self, call: Call, user: str) -> UserInfo:
        """Get a user's public info (accounts#user-info)."""
        info = required(await users.info(self.db, user), UserNotFound)
        return info

    @route("GET", "/user/<guid:user>", allow=SELF, raises=(UserNotFound,))
    async def get_user(self, call: Call, user: str) -> FullUser:
        """Get a user's complete record (accounts#full-record)."""
        row = required(await users.full(self.db, user), UserNotFound)
        return FullUser(
            id=row.id,
            username=row.username,
            email=row.email,
            email_verified=row.email_verified,
            avatar=row.avatar,
            emblem=row.emblem,
            full_profile=_profile(row.full_profile),
            public_profile=_profile(row.public_profile),
            role=role_of(row.role),
            guest=row.guest,
            terms=None if row.terms is None else AcceptedTerms(row.terms, row.accepted or 0),
        )

    @route(
        "PUT",
        "/user/<guid:user>",
        allow=SELF | MODERATE,
        guests=PUBLISH,
        heeds="/user/<guid:user>",
        raises=(
            UserNotFound,
            ProtectedUser,
            EmblemNotEarned,
            FileMissing,
            FileInvalid,
            ImageHasMetadata,
            TooManyRequests,
        ),
    )
    async def update_user(self, call: Call, user: str, body: UserUpdate) -> None:
        """Change a user's avatar, emblem and profiles (accounts#update). Where nothing differs,
        nothing is written. A moderator who removes something of another user's record gives a
        `reason`: that is a decision (moderation#decisions)."""
        full, public = body.full_profile.profile, body.public_profile.profile
        record = (
            user,
            body.avatar,
            body.emblem,
            None if full is UNSET else full,
            None if public is UNSET else public,
        )
        claims, images = self.claims, [body.avatar] if body.avatar else []
        own = call.user == user
        if own and not call.conditional and (claims is None or claims.ignores(images)):
            update = users.update if claims is None else users.update_unclaimed
            done = required(await update(self.db, *record, self.per_minute), UserNotFound)
            check_wait(done.wait)
            if done.simple:
                return
        # With the lock, no admin can take a reward away meanwhile.
        async with self.db.transaction() as tx:
            before = required(await users.lock_for_update(tx, *record), UserNotFound)
            check_outranks(call, user, before.role)
            await call.unchanged(tx, partial(users.changed, tx, user))
            if before.differs:
                await self._write(tx, call, record, body.reason, own=own)
            # What stays is checked too: its bytes may have gone.
            if claims is not None:
                old = [before.avatar] if before.avatar else []
                await claims.replace(
                    tx, "user", user, caller=call.user, owner=user, old=old, new=images
                )

    async def _write(self, tx: Db, call: Call, record: _Record, reason: str, *, own: bool) -> None:
        user, _, emblem, *_ = record
        if not own:
            await self._change_anothers(tx, call, record, reason)
        most = self.per_minute if own else 0
        done = required(await users.update(tx, *record, most), UserNotFound)
        check_wait(done.wait)
        if not done.simple:
            # The emblem is a reward.
            if emblem is None or not await rewards.has_earned(tx, user, emblem):
                raise EmblemNotEarned()
            check_wait(await rate_limits.take(tx, USER_UPDATES, user, most))
            await users.update_earned(tx, *record)

    async def _change_anothers(self, tx: Db, call: Call, record: _Record, reason: str) -> None:
        """Note a change of another's record, with a decision if it takes something away."""
        user, *members = record
        before = required(await evidence.lock_user(tx, user), UserNotFound)
        after = Taken(None, *members)
        if not takes_away(before, after):
            await audit_log.record(tx, *call.actor, "user_changed", "user", user, reason)
            return
        order = self.acts.order(reason)
        given = tx, call.actor, user, order, before, after
        await self.acts.profile_taken(*given, act="user_changed")


def _profile(text: str | None) -> Profile:
    return Profile() if text is None else Profile(profile=text)
