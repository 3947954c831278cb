"""Accounts elsewhere with which a user logs in (extensions §8)."""

from contentsvc.api.errors import (
    IdentityTaken,
    InvalidSubjectToken,
    LastIdentity,
    TooManyAttempts,
    UserNotFound,
)
from contentsvc.api.guard import Guard
from contentsvc.api.paging import listed, position
from contentsvc.db.database import Database
from contentsvc.identity import subject as identity
from contentsvc.identity.subject import Subject
from contentsvc.store import identities, users
from contentsvc.web.allow import SELF
from contentsvc.web.call import Call
from contentsvc.web.reply import Listed
from contentsvc.web.route import route
from contentsvc.wire.accounts import SubjectProof
from contentsvc.wire.base import Part
from contentsvc.wire.identities import Identity


class Identities:
    """The accounts elsewhere that are linked to a user."""

    def __init__(self, db: Database, guard: Guard) -> None:
        self._db = db
        self._guard = guard

    @route("GET", "/user/<guid:user>/identities", allow=SELF)
    async def all(self, call: Call, user: str, query: Part) -> Listed[Identity]:
        """List the accounts of other services that are linked to the user, newest first."""
        rows = await identities.of_user(self._db, user, position(query), query.limit)
        return listed(rows, query, lambda row: row.number, lambda row: row.identity)

    @route(
        "POST",
        "/user/<guid:user>/identities",
        allow=SELF,
        raises=(UserNotFound, InvalidSubjectToken, IdentityTaken, TooManyAttempts),
    )
    async def link(self, call: Call, user: str, body: SubjectProof) -> None:
        """Link an account of another service to the user, who can then log in with it. The token
        proves that it is theirs. A repeat changes nothing."""
        subject = await subject_of(
            self._guard, call, body.subject_token, body.subject_token_type
        )
        if await identities.link(self._db, user, subject.issuer, subject.subject) != user:
            raise IdentityTaken()

    @route(
        "DELETE",
        "/user/<guid:user>/identities/<guid:identity>",
        allow=SELF,
        raises=(UserNotFound, LastIdentity),
    )
    async def unlink(self, call: Call, user: str, identity: str) -> None:
        """Take the link to an account of another service away. If there is no such link, this is
        not an error."""
        async with self._db.transaction() as tx:
            # Two deletions at once must not take the last two, nor a password that is just coming
            # be overlooked.
            if not await users.lock(tx, user):
                raise UserNotFound()
            ways = await identities.ways(tx, user, identity)
            if ways is not None and ways.this and not (ways.password or ways.others):
                raise LastIdentity()
            await identities.unlink(tx, user, identity)


async def subject_of(guard: Guard, call: Call, token: str, token_type: str) -> Subject:
    """The account elsewhere that a token proves. Raises InvalidSubjectToken (the problem),
    TooManyAttempts, IdentityUnavailable."""
    try:
        return await guard.subject(call, token, token_type)
    except identity.InvalidSubjectToken as error:
        raise InvalidSubjectToken(str(error)) from None
