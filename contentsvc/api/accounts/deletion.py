"""Users take what is theirs with them, and delete their accounts (extensions §8)."""

from typing import Final
from uuid import uuid4

from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from contentsvc.api.accounts.credentials import Guard
from contentsvc.api.accounts.reauthentication import Given, Proved, proof_of, proved, unproved
from contentsvc.api.errors import TooManyAttempts, UserNotFound, WrongPassword
from contentsvc.db.database import Database
from contentsvc.db.errors import Unavailable
from contentsvc.push.revocation import Revocation
from contentsvc.store import outbox
from contentsvc.store.accounts import accounts, deletion
from contentsvc.store.accounts.export import PAGE, whole
from contentsvc.store.accounts.export import account as read_account
from contentsvc.store.outbox import Outbox
from contentsvc.store.tasks import Departure
from contentsvc.web.call import Call
from contentsvc.web.decode import Either
from contentsvc.web.permissions import SELF
from contentsvc.web.reply import Pieces
from contentsvc.web.route import route
from contentsvc.wire.accounts import Export, PasswordProof, SubjectProof

LONGEST: Final = 5.0
"""Seconds after which a request leaves the rest of its batches to the outbox."""
TRIES: Final = 3
"""How often the transaction is tried that others may keep from a lock."""
_PAUSE = 0.05


class AccountDeletion:
    """Users take all that is theirs with them, and delete their accounts."""

    def __init__(
        self,
        reactor: IReactorTime,
        db: Database,
        guard: Guard,
        endings: Revocation,
        outbox: Outbox,
        *,
        longest: float = LONGEST,
        page: tuple[int, int] = PAGE,
    ) -> None:
        self._reactor = reactor
        self._db = db
        self._guard = guard
        self._endings = endings
        self._outbox = outbox
        self._longest = longest
        self._page = page

    @route(
        "DELETE",
        "/user/<guid:user>",
        allow=SELF,
        raises=(WrongPassword, TooManyAttempts),
    )
    async def delete_user(
        self, call: Call, user: str, body: Either[PasswordProof | SubjectProof]
    ) -> None:
        """Delete the account, for good. All sessions end, and nobody finds the user any more. What
        others see of the user is deleted too: comments become tombstones, content is deleted, votes
        and messages go. It takes the password. If the account has none, it takes a `subject_token`
        of an account elsewhere that is linked to it."""
        by_password = body.decode(Given).by_password
        given = body.decode(PasswordProof) if by_password else body.decode(SubjectProof)
        found = await proved(self._db, self._guard, call, user, proof_of(given))
        task = Departure(user=user)
        await self._leave(task, found)
        await self._finish(task)

    @route("GET", "/user/<guid:user>/export", allow=SELF, raises=(UserNotFound,))
    async def export_user(self, call: Call, user: str) -> Pieces[Export]:
        """Get all that the service holds of the user, as one JSON object. What the user or others
        write meanwhile may be in one member and not yet in another. If the account is deleted
        meanwhile, the answer breaks off."""
        account = await read_account(self._db, user)
        if account is None:
            raise UserNotFound()
        members = whole(self._db, account, *self._page)

        async def more() -> bytes:
            piece = await anext(members, "")
            # It would look whole, and lack what was deleted before it was read.
            if not piece and await accounts.credentials_of(self._db, user) is None:
                raise UserNotFound()
            return piece.encode()

        async def state() -> str:
            return str(uuid4())  # to compare two of them would cost as much as the export

        return Pieces(more, state, b"{}", f"{account.username}.json")

    async def _leave(self, task: Departure, proof: Proved) -> None:
        """Delete what goes at once. Raises WrongPassword, Unavailable."""
        for left in reversed(range(TRIES)):
            try:
                async with self._db.transaction() as tx:
                    ended = await deletion.leave(tx, task.user, *proof)
                    if ended is None:
                        # It was changed, or unlinked, while it was checked, or another request was
                        # first.
                        raise await unproved(tx, task.user)
                    await self._outbox.put_later(tx, task)
                    self._endings.end(tx, ended)
                return
            except Unavailable as error:
                if error.cause != "lock" or not left:
                    raise

    async def _finish(self, task: Departure) -> None:
        """Do the batches that are left. The outbox does them if this process dies, or if they take
        too long."""
        end = self._reactor.seconds() + self._longest
        try:
            while self._reactor.seconds() < end:
                async with self._db.transaction() as tx:
                    row = await outbox.take_of(tx, task.topic)
                    if row is not None:
                        place = await deletion.step(tx, task, row.place)
                        if place is None:
                            await outbox.finish(tx, row.id)
                            return
                        await outbox.move(tx, row.id, place)
                if row is None:
                    if not await outbox.has(self._db, task.topic):
                        return
                    await deferLater(self._reactor, _PAUSE)  # another process is at it
        except Unavailable:
            pass
        self._outbox.wake()
