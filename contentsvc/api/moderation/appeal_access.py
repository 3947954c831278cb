"""Who may read a decision with nothing but its token (moderation#appeals)."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.errors import bad_token
from contentsvc.store.moderation import appeals
from contentsvc.tokens import MailTokens


class AppealAccess(Struct):
    """Judges the appeal tokens of decisions: that of a ban, for a player who cannot log in."""

    db: Database
    tokens: MailTokens

    async def check(self, call: Call, user: str, decision: str) -> None:
        """Raises BadToken if the request has an appeal token that is not that of this user's
        decision, or not any more: its time is over, or the user has left."""
        token = call.own_token
        if token is None:
            return
        if not self.tokens.opens(token, decision, user):
            raise bad_token("The token is not that of this decision.")
        if not await appeals.is_young(self.db, user, decision):
            raise bad_token("The token is not good any more.")
