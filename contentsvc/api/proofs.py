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
from contentsvc.wire.accounts import EmailChange, PasswordProof, SubjectProof


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


async def proved(
    db: Db,
    guard: Guard,
    call: Call,
    user: str,
    given: PasswordProof | EmailChange | SubjectProof,
) -> accounts.Credentials:
    """The account of the caller, who is this user, if that is proved. Raises WrongPassword,
    BadToken, TooManyAttempts, IdentityUnavailable."""
    if isinstance(given, SubjectProof):
        found = await _by_subject(db, guard, call, user, given)
    else:
        found = await guard.by_id(call, user, given.password)
    if found is None:
        raise await unproved(db, user)
    return found


async def _by_subject(
    db: Db, guard: Guard, call: Call, user: str, given: SubjectProof
) -> accounts.Credentials | None:
    """The account, which has no password, if the token is of an account elsewhere that is linked
    to it."""
    try:
        subject = await guard.subject(call, given.subject_token, given.subject_token_type)
    except InvalidSubjectToken:
        return None
    if await identities.owner(db, subject.issuer, subject.subject) != user:
        return None
    found = await accounts.credentials_of(db, user)
    return found if found is not None and found.password_hash is None else None
