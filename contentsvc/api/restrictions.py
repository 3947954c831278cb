"""Being shut out of operations by moderators, as their routes say it (moderation#restrictions)."""

from functools import partial

from attrs import frozen

from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import AccountRestricted
from contentsvc.framework.http.permissions import Check, Who
from contentsvc.push.restrictions import Restrictions


@frozen
class RestrictionRules:
    """Who is shut out of what; see contentsvc.framework.http.app."""

    _known: Restrictions

    def concerning(self, caller: Who, what: str) -> Check | None:
        """What finds out whether the caller is shut out of this. It raises AccountRestricted."""
        user = caller.user
        return partial(self._check, user, what) if self._known.may_concern(user) else None

    async def _check(self, user: str, what: str, db: Db | None) -> None:
        found = await self._known.find(db, user, what)
        if found is not None:
            raise AccountRestricted(what=what, until=found.until, decision=found.decision)
