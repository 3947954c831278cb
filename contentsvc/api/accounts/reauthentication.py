"""Proofs that a caller is who the account belongs to: its password, or where it has none, a token
of another service (accounts#proofs)."""

from typing import Any, Final, NamedTuple, TypeVar

from msgspec import UNSET as _UNSET
from msgspec import Raw, Struct, UnsetType

from contentsvc.api.accounts.authentication import Authenticator
from contentsvc.api.call import Call
from contentsvc.api.errors import WrongPassword, account_deleted
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.decode import Either
from contentsvc.framework.http.errors import Problem, at_pointer
from contentsvc.framework.identity.subject import InvalidSubjectToken
from contentsvc.store.accounts import credentials, identities
from contentsvc.wire.accounts import EmailChange, PasswordProof, SubjectProof, TokenProof

P = TypeVar("P")
S = TypeVar("S")

_NO_PROOF: Final = "This token does not prove whose the account is."


class Given(Struct):
    """The difference between the two kinds of proof."""

    subject_token: Raw | UnsetType = _UNSET


class _Members(Struct):
    password: Raw | UnsetType = _UNSET
    proof_token: Raw | UnsetType = _UNSET
    proof_token_type: Raw | UnsetType = _UNSET


class Token(NamedTuple):
    """A token of another service, and its type."""

    token: str
    type: str


class Proved(NamedTuple):
    """What has proved who a user is: the password with this hash, or if that is None the account
    elsewhere with this id, or the log-in of a `guest`."""

    password_hash: str | None
    identity: str | None
    guest: bool = False

    async def holds(self, tx: Db, user: str, password_hash: str | None) -> bool:
        """Whether it still does. The user is locked, and has a password with this hash now."""
        if self.password_hash != password_hash:
            return False
        return self.identity is None or await identities.proves(tx, user, self.identity)


def form_of(body: Either[Any], by_password: type[P], by_token: type[S]) -> P | S:
    """A body that is one of the two forms. Raises what `decode` does."""
    given: P | S = body.decode(
        by_password if body.decode(Given).subject_token is _UNSET else by_token
    )
    return given


def proof_of(given: PasswordProof | EmailChange | SubjectProof) -> str | Token:
    """The proof in a body that is one of the two forms: the password, or a token."""
    return token_of(given) if isinstance(given, SubjectProof) else given.password


def token_of(given: SubjectProof) -> Token:
    """The token, where that is the proof."""
    return Token(given.subject_token, given.subject_token_type)


def proof_in(body: Either[Any]) -> str | Token | None:
    """The proof in a body that has one beside other members: the password, or `proof_token` and its
    type. None if it has none. Raises what `decode` does."""
    members = body.decode(_Members)
    by_token = members.proof_token is not _UNSET or members.proof_token_type is not _UNSET
    if members.password is not _UNSET:
        if by_token:
            raise at_pointer("/proof_token", "This must not be given together with a password.")
        return body.decode(PasswordProof).password
    if not by_token:
        return None
    given = body.decode(TokenProof)
    return Token(given.proof_token, given.proof_token_type)


def unproved_body() -> Problem:
    """The refusal of a body without a proof."""
    return at_pointer(
        "/password", "This is required, or proof_token where the account has no password."
    )


async def unproved(db: Db, user: str, given: str | Token = "") -> Problem:
    """Why the caller, who is this user, is refused: for the proof, or because the account has just
    been deleted."""
    if await credentials.by_id(db, user) is None:
        return account_deleted()
    return WrongPassword(_NO_PROOF) if isinstance(given, Token) else WrongPassword()


async def proved(db: Db, auth: Authenticator, call: Call, user: str, given: str | Token) -> Proved:
    """What proves that the caller is this user: the password, or a token. Raises WrongPassword,
    BadToken, TooManyAttempts, IdentityUnavailable."""
    if isinstance(given, Token):
        identity = await _by_token(db, auth, call, user, given)
        if identity is not None:
            return Proved(None, identity)
    else:
        found = await auth.by_id(call, user, given)
        if found is not None:
            return Proved(found.password_hash, None)
    raise await unproved(db, user, given)


async def _by_token(db: Db, auth: Authenticator, call: Call, user: str, given: Token) -> str | None:
    """The id of the account elsewhere that the token is of, if that proves who the user is."""
    try:
        subject = await auth.subject(call, *given)
    except InvalidSubjectToken:
        return None
    return await identities.proof(db, user, subject.issuer, subject.subject)
