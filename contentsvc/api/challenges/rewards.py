"""The rewards of design challenges (challenges#rewards)."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_user
from contentsvc.api.errors import UserNotFound
from contentsvc.api.paging import numbered, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.reply import Listed
from contentsvc.framework.http.route import route
from contentsvc.roles import CURATE
from contentsvc.store.accounts import users
from contentsvc.store.challenges import rewards
from contentsvc.store.moderation import audit_log
from contentsvc.wire.base import Part
from contentsvc.wire.challenges import EarnedAchievement, EarnedEmblem


class Rewards(Struct):
    """The achievements and emblems that users have earned."""

    db: Database

    @route("GET", "/user/<guid:user>/achievements", allow=ANYONE, raises=(UserNotFound,))
    async def list_achievements(
        self, call: Call, user: str, query: Part
    ) -> Listed[EarnedAchievement]:
        """List a user's achievements, newest first. Other users get only those that are generally
        visible now."""
        own = call.viewer.user == user
        rows = await rewards.achievements(self.db, user, own, position(query), query.limit)
        if not rows:
            await check_user(self.db, user)
        return numbered(rows, query)

    @route("GET", "/user/<guid:user>/emblems", allow=ANYONE, raises=(UserNotFound,))
    async def list_emblems(self, call: Call, user: str, query: Part) -> Listed[EarnedEmblem]:
        """List the emblems that a user has earned and may wear, newest first."""
        rows = await rewards.emblems(self.db, user, position(query), query.limit)
        if not rows:
            await check_user(self.db, user)
        return numbered(rows, query)

    @route(
        "DELETE",
        "/user/<guid:user>/rewards/<guid:challenge>",
        allow=CURATE,
        raises=(UserNotFound,),
    )
    async def revoke_rewards(self, call: Call, user: str, challenge: str) -> None:
        """Take back the rewards of a design challenge from a user. If the user wears its emblem,
        they wear none afterwards. If there are no rewards, this is not an error."""
        async with self.db.transaction() as tx:
            if not await users.lock(tx, user):
                raise UserNotFound()
            if await rewards.take(tx, user, challenge):
                await audit_log.record(tx, *call.actor, "reward_removed", "user", user, "")
