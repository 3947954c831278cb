"""Users, as moderators see them (moderation#accounts)."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import required
from contentsvc.api.errors import UserNotFound
from contentsvc.api.paging import numbered, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.errors import at_parameter
from contentsvc.framework.http.permissions import Rule
from contentsvc.framework.http.reply import Listed
from contentsvc.framework.http.route import route
from contentsvc.roles import MODERATE, USERS_READ, role_of
from contentsvc.store.accounts import identities
from contentsvc.store.moderation import users
from contentsvc.wire.accounts import Ban
from contentsvc.wire.base import Part
from contentsvc.wire.moderation import (
    IdentityLookup,
    IdentityOwner,
    ModeratedUser,
    UserComment,
    UserLookup,
)

_MOST_IDENTITIES = 200
_BY_ADDRESS = Rule(permissions=(USERS_READ,))
"""Who may find an account by its address."""


class ModeratedUsers(Struct):
    """Accounts, and what their users have written."""

    db: Database

    @route("GET", "/moderation/users", allow=(MODERATE, USERS_READ))
    async def list_moderated_users(self, call: Call, query: UserLookup) -> list[ModeratedUser]:
        """Find the account with an address or a username, whatever the case: one or none. It
        takes `email`, `name`, or both, which must both fit. `email` needs the permission
        `users.read`; without it, the account's `email` and `identities` are null."""
        if query.email is not None:
            _BY_ADDRESS.check(call.caller, None)
            found = await users.of_email(self.db, query.email, query.name)
        elif query.name is not None:
            found = await users.of_name(self.db, query.name)
        else:
            raise at_parameter("email", "Give this or a name.")
        return [] if found is None else [await self._shown(call, found)]

    @route(
        "GET",
        "/moderation/users/<guid:user>",
        allow=(MODERATE, USERS_READ),
        raises=(UserNotFound,),
    )
    async def get_moderated_user(self, call: Call, user: str) -> ModeratedUser:
        """Get an account. `email` and `identities` are null without the permission `users.read`."""
        return await self._shown(call, required(await users.of_id(self.db, user), UserNotFound))

    @route(
        "GET",
        "/moderation/users/<guid:user>/comments",
        allow=(MODERATE, USERS_READ),
        raises=(UserNotFound,),
    )
    async def list_user_comments(self, call: Call, user: str, query: Part) -> Listed[UserComment]:
        """List the comments of a user, newest first, on hidden content too, with the tombstones of
        deleted comments."""
        rows = await users.comments(self.db, user, position(query), query.limit)
        if not rows:
            raise UserNotFound()
        return numbered(rows, query)

    @route("GET", "/identities", allow=USERS_READ)
    async def list_identity_owners(self, call: Call, query: IdentityLookup) -> list[IdentityOwner]:
        """Find the user to whom an account of another service is linked: one or none."""
        found = await identities.owner_of(self.db, query.issuer, query.subject)
        return [] if found is None else [found]

    async def _shown(self, call: Call, account: users.Account) -> ModeratedUser:
        linked = None
        if call.may(USERS_READ):
            rows = await identities.of_user(self.db, account.info.id, None, _MOST_IDENTITIES)
            linked = [row.item for row in rows]
        return ModeratedUser(
            user=account.info,
            email=None if linked is None else account.email,
            email_verified=account.email_verified,
            role=role_of(account.role),
            guest=account.guest,
            created=account.created,
            ban=None if account.reason is None else Ban(account.reason, account.until),
            sessions=account.sessions,
            identities=linked,
        )
