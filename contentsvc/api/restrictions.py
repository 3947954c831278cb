"""Being shut out of operations, as their routes say it (moderation#restrictions)."""

from attrs import frozen

from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import AccountRestricted
from contentsvc.push.restrictions import Restrictions


@frozen
class RestrictionRules:
    """Who is shut out of what; see contentsvc.framework.http.app."""

    _known: Restrictions

    def may_concern(self, user: str) -> bool:
        """Whether a user may be shut out of anything. Reads nothing."""
        return self._known.may_concern(user)

    async def check(self, db: Db | None, user: str, what: str) -> None:
        """Raises AccountRestricted if a user is shut out of this."""
        found = await self._known.find(db, user, what)
        if found is not None:
            raise AccountRestricted(what=what, until=found.until, decision=found.decision)
