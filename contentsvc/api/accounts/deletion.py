"""Users export their data, and delete their accounts (accounts#deletion, accounts#export)."""

from contextlib import suppress
from typing import Final
from uuid import uuid4

from msgspec import Struct
from twisted.internet.defer import Deferred

from contentsvc.api.accounts.authentication import Authenticator
from contentsvc.api.accounts.reauthentication import Proved, form_of, proof_of, proved, unproved
from contentsvc.api.call import Call
from contentsvc.api.checks import check_wait, keep_an_admin, required
from contentsvc.api.errors import (
    LastAdmin,
    TooManyAttempts,
    TooManyRequests,
    UserNotFound,
    WrongPassword,
)
from contentsvc.framework.core.timers import Clock
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.http.decode import Either
from contentsvc.framework.http.permissions import SELF
from contentsvc.framework.http.reply import Pieces
from contentsvc.framework.http.route import route
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.push.revocation import Revocation
from contentsvc.roles import ADMIN
from contentsvc.store import rate_limits
from contentsvc.store.accounts import credentials, deletion, guests
from contentsvc.store.accounts.export import account as read_account
from contentsvc.store.accounts.export import whole
from contentsvc.store.rate_limits import EXPORTING, EXPORTS
from contentsvc.store.sections import PAGE
from contentsvc.store.tasks import Departure
from contentsvc.wire.accounts import Export, PasswordProof, SubjectProof

_RENEWED: Final = EXPORTING.span / 3
"""Seconds after which an export that goes on says so."""
TRIES: Final = 3
"""How often the transaction is tried, which may fail to get a lock."""


class AccountDeletion(Struct):
    """Users take all that is theirs with them, at most `exports_per_day` times, 0 for any number,
    and delete their accounts."""

    db: Database
    auth: Authenticator
    revocation: Revocation
    queue: TaskQueue
    clock: Clock
    exports_per_day: int = 0
    page: tuple[int, int] = PAGE

    @route(
        "DELETE",
        "/user/<guid:user>",
        allow=SELF,
        bodiless=True,
        raises=(WrongPassword, TooManyAttempts, LastAdmin),
    )
    async def delete_user(
        self, call: Call, user: str, body: Either[PasswordProof | SubjectProof]
    ) -> None:
        """Delete the account, for good. All sessions end, and nobody finds the user any more. What
        others see of the user is deleted too: comments become tombstones, and content, votes and
        messages are deleted. The body has the password. If the account has none, it has a
        `subject_token` of a linked account elsewhere. A guest needs no body. One admin who is not
        banned always remains."""
        if not (await guests.is_guest(self.db, user) and await self._leave_guest(user)):
            given = form_of(body, PasswordProof, SubjectProof)
            found = await proved(self.db, self.auth, call, user, proof_of(given))
            await self._leave(user, found)
        # The user has left, however long others hold these locks.
        with suppress(Unavailable):
            await deletion.outlast_publications(self.db, user)

    @route("GET", "/user/<guid:user>/export", allow=SELF, raises=(UserNotFound, TooManyRequests))
    async def export_user(self, call: Call, user: str) -> Pieces[Export]:
        """Get all data that the service has about the user, as one JSON object. What the user or
        others write meanwhile may be in one member and not yet in another. If the account is
        deleted meanwhile, the answer breaks off. A user can run one export at a time."""
        account = required(await read_account(self.db, user), UserNotFound)
        members = whole(self.db, account, *self.page)
        place = _Place(self.db, self.clock, user)

        async def begin() -> None:
            await place.take(self.exports_per_day)
            call.when_gone(lambda: Deferred.fromCoroutine(place.give_back()))

        async def more() -> bytes:
            try:
                piece = await anext(members, "")
                # It would look whole, and lack what was deleted before it was read.
                if not piece and await credentials.by_id(self.db, user) is None:
                    raise UserNotFound()
                if piece:
                    await place.keep()
            except BaseException:
                await place.give_back()
                raise
            if not piece:
                await place.give_back()
            return piece.encode()

        async def state() -> str:
            return str(uuid4())  # to compare two of them would cost as much as the export

        return Pieces(more, state, b"{}", f"{account.username}.json", begin)

    async def _leave_guest(self, user: str) -> bool:
        """Delete a guest. False if it has just become a full account."""
        try:
            await self._leave(user, Proved(None, None, guest=True))
        except WrongPassword:
            return False
        return True

    async def _leave(self, user: str, proof: Proved) -> None:
        """Delete what goes at once, and have the rest deleted. Raises WrongPassword, LastAdmin,
        Unavailable."""
        for left in reversed(range(TRIES)):
            try:
                async with self.db.transaction() as tx:
                    departed = await deletion.leave(tx, user, *proof)
                    if departed is None:
                        # It was changed, or unlinked, while it was checked, or another request was
                        # first.
                        raise await unproved(tx, user)
                    if departed.role == ADMIN:
                        await keep_an_admin(tx)
                    await self.queue.put(tx, Departure(user=user))
                    self.revocation.end(tx, departed.sessions)
                return
            except Unavailable as error:
                if error.cause != "lock" or not left:
                    raise


class _Place:
    """The place of one export among those that go on: of a user, one at a time."""

    def __init__(self, db: Database, clock: Clock, user: str) -> None:
        self._db, self._clock, self._user = db, clock, user
        self._since: float | None = None

    @property
    def _age(self) -> float:
        """Seconds since it was taken or renewed; without it, as many as end it."""
        return EXPORTING.span if self._since is None else self._clock.seconds() - self._since

    async def take(self, per_day: int) -> None:
        """Begin an export. Raises TooManyRequests."""
        began = self._clock.seconds()
        async with self._db.transaction() as tx:
            check_wait(await rate_limits.take(tx, EXPORTING, self._user, EXPORTING.most))
            check_wait(await rate_limits.take(tx, EXPORTS, self._user, per_day))
        self._since = began

    async def keep(self) -> None:
        """Say now and then that it goes on. Raises TooManyRequests if the reader has stopped for so
        long that another export has the place."""
        age, now = self._age, self._clock.seconds()
        if age < _RENEWED:
            return
        if age < EXPORTING.span:
            await rate_limits.renew(self._db, EXPORTING, self._user)
        else:
            self._since = None
            check_wait(await rate_limits.take(self._db, EXPORTING, self._user, EXPORTING.most))
        self._since = now

    async def give_back(self) -> None:
        """It has ended. Near the end of its minute, the place may soon be another export's: then it
        is left to lapse, as it is if the database is away."""
        if self._age <= 2 * _RENEWED:
            self._since = None
            with suppress(Unavailable):
                await rate_limits.give_back(self._db, EXPORTING, self._user)
