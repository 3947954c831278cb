"""The terms that players accept (notices#terms)."""

from functools import partial
from typing import Final

from msgspec import Struct, field

from contentsvc.api.call import Call
from contentsvc.api.errors import TermsRequired, UnknownVersion, UserNotFound
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.permissions import SELF, Check, Who
from contentsvc.framework.http.route import route
from contentsvc.roles import PLAYER
from contentsvc.store.accounts import terms as store
from contentsvc.wire.legal import Terms, TermsAcceptance

REMEMBERED: Final = 100_000
"""Users of whom a process remembers that they have accepted the terms."""


class TermsRules(Struct, frozen=True):
    """The terms of this service, which players accept. None: there are none.

    A version is accepted for good, so a process asks once of each user: it remembers `most`."""

    db: Database | None = None
    terms: Terms | None = None
    needed: bool = False
    most: int = REMEMBERED
    _accepted: dict[str, None] = field(default_factory=dict)

    def check_version(self, version: str) -> None:
        """Raises UnknownVersion unless this is the present one."""
        if self.terms is None or version != self.terms.version:
            raise UnknownVersion()

    def concerning(self, caller: Who, what: str) -> Check | None:
        """What finds out whether a caller has accepted them, whatever it is that they do. It raises
        TermsRequired. Services, and all who are no players, need none. See
        contentsvc.framework.http.app."""
        if not self.needed or self.db is None or self.terms is None:
            return None
        if caller.service or caller.role != PLAYER or caller.user in self._accepted:
            return None
        return partial(self._check, self.db, self.terms, caller.user)

    async def _check(self, own: Database, terms: Terms, user: str, db: Db | None) -> None:
        state = await store.state(own if db is None else db, user, terms.version)
        if state is None or state.staff:
            return
        if not state.accepted:
            raise TermsRequired(version=terms.version, url=terms.url)
        if len(self._accepted) >= self.most:
            del self._accepted[next(iter(self._accepted))]
        self._accepted[user] = None


NO_TERMS: Final = TermsRules()


class TermsOfUsers(Struct):
    """The terms that users have accepted."""

    db: Database
    rules: TermsRules

    @route("PUT", "/user/<guid:user>/terms", allow=SELF, raises=(UserNotFound, UnknownVersion))
    async def accept_terms(self, call: Call, user: str, body: TermsAcceptance) -> None:
        """Accept the present version of the terms. The same again changes nothing."""
        self.rules.check_version(body.version)
        if not await store.accept(self.db, user, body.version):
            raise UserNotFound()
