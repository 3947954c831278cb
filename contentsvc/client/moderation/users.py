"""Users, as moderators see them (extensions §7)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page
from contentsvc.wire.accounts import RoleBody
from contentsvc.wire.base import Part
from contentsvc.wire.moderation import (
    ClearableCounts,
    EmailReplacement,
    IdentityLookup,
    IdentityOwner,
    ModeratedUser,
    StaffMember,
    UserClearance,
    UserComment,
    UserLookup,
)


class ModeratedUsers:
    """Accounts, and what their users have written. All of it is for moderators and admins."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def list_identity_owners(self, query: IdentityLookup) -> list[IdentityOwner]:
        """Find the user to whom an account of another service is linked: one or none."""
        return await self._calls.get("/identities", list[IdentityOwner], query)

    async def list(self, query: UserLookup) -> list[ModeratedUser]:
        """Find the account with an address or a username: one or none."""
        return await self._calls.get("/moderation/users", list[ModeratedUser], query)

    async def get(self, user: str) -> ModeratedUser:
        """Get an account."""
        return await self._calls.get(f"/moderation/users/{quoted(user)}", ModeratedUser)

    async def list_staff(self, query: Part | None = None) -> Page[StaffMember]:
        """List everybody who is no player. Who got their role last comes first."""
        return await self._calls.page("/moderation/staff", StaffMember, query)

    async def set_role(self, user: str, body: RoleBody) -> None:
        """Give a user a role, as an admin. All their log-ins end."""
        await self._calls.send("PUT", f"/user/{quoted(user)}/role", body)

    async def set_email(self, user: str, body: EmailReplacement) -> None:
        """Give a user another address, as an admin. All their log-ins end."""
        await self._calls.send("PUT", f"/moderation/users/{quoted(user)}/email", body)

    async def get_clearance(self, user: str) -> ClearableCounts:
        """Get how much of a user there is that can be taken away at once."""
        return await self._calls.get(f"/moderation/users/{quoted(user)}/clear", ClearableCounts)

    async def clear(self, user: str, body: UserClearance) -> None:
        """Take away content, comments or collections of a user. The service goes on with it."""
        path = f"/moderation/users/{quoted(user)}/clear"
        await self._calls.send("POST", path, body, operation="clearUser")

    async def list_comments(self, user: str, query: Part | None = None) -> Page[UserComment]:
        """List what a user has written, newest first."""
        path = f"/moderation/users/{quoted(user)}/comments"
        return await self._calls.page(path, UserComment, query)
