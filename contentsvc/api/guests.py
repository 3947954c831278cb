"""What guests may do (accounts#guests): their routes name the word of the setting `guests_may`."""

from typing import Final

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.errors import GuestAccount
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import Problem
from contentsvc.store.accounts import guests

RATE: Final = "rate"
COMMENT: Final = "comment"
FOLLOW: Final = "follow"
MESSAGE: Final = "message"
PUBLISH: Final = "publish"


class GuestRules(Struct, frozen=True):
    """What this service lets guests do: the words of its setting."""

    may: tuple[str, ...] = ()

    def refusal(self) -> Problem:
        """The refusal of what is not for guests."""
        return GuestAccount(may=[*self.may])

    async def check(self, db: Db, call: Call, word: str) -> None:
        """Raises GuestAccount if the caller is a guest, who may not do this."""
        # The token may be older than the full account.
        if call.guest and word not in self.may and await guests.is_guest(db, call.user):
            raise self.refusal()

    async def check_full(self, db: Db, user: str) -> None:
        """Raises GuestAccount if a user is a guest."""
        if await guests.is_guest(db, user):
            raise self.refusal()


NO_GUESTS: Final = GuestRules()
