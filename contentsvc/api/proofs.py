"""Proofs that a caller is who the account belongs to: its password, or where it has none, a token
of another service (extensions §8)."""

from msgspec import UNSET as _UNSET
from msgspec import Raw, Struct, UnsetType

from contentsvc.api.errors import WrongPassword, account_deleted
from contentsvc.api.guard import Guard
from contentsvc.db.query import Db
from contentsvc.identity.subject import InvalidSubjectToken
from contentsvc.store import accounts, identities
from contentsvc.web.call import Call
from contentsvc.web.errors import Problem


class Given(Struct):
    """What tells the two kinds of proof apart."""

    subject_token: Raw | UnsetType = _UNSET

    @property
    def by_password(self) -> bool:
        """Whether it is to be the password."""
        return self.subject_token is _UNSET


async def unproved(db: Db, user: str) -> Problem:
    """Why the caller, who is this user, is refused: for the proof, or because the account has just
    been deleted."""
    gone = await accounts.credentials_of(db, user) is None
    return account_deleted() if gone else WrongPassword()


async def by_subject(
    db: Db, guard: Guard, call: Call, user: str, token: str, token_type: str
) -> accounts.Credentials | None:
    """The account of a user, which has no password, if this is a token of an account elsewhere that
    is linked to it. Raises TooManyAttempts, IdentityUnavailable."""
    try:
        subject = await guard.subject(call, token, token_type)
    except InvalidSubjectToken:
        return None
    if await identities.owner(db, subject.issuer, subject.subject) != user:
        return None
    found = await accounts.credentials_of(db, user)
    return found if found is not None and found.password_hash is None else None
