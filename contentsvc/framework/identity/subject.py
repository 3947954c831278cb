"""The one way to learn from a token whose account elsewhere it proves (accounts#other-services)."""

from collections.abc import Collection, Iterable
from typing import NamedTuple, Protocol

LONGEST = 14 * 1024
"""Characters of a subject token: a form with more is refused anyway."""


class Subject(NamedTuple):
    """An account elsewhere: `subject` names it for good among those of `issuer`, and the case of
    both matters. `name` is its owner's name there, if that is known."""

    issuer: str
    subject: str
    name: str | None


class InvalidSubjectToken(Exception):
    """The token proves nothing. `str()` is a sentence for the client.

    `counts` says whether this is a failed log-in: not where the token was not checked, or where
    it may be good and the service has not got the key.
    """

    def __init__(self, sentence: str, *, counts: bool = True) -> None:
        super().__init__(sentence)
        self.counts = counts


class IdentityUnavailable(Exception):
    """Nobody can say now whether the token is good."""

    cause = "identity"
    """For the log of answers that are 503."""


class Verifier(Protocol):
    """Verifies the tokens of some types."""

    @property
    def types(self) -> Collection[str]:
        """The values of `subject_token_type` that it takes."""

    async def verify(self, token: str, token_type: str) -> Subject:
        """The account that a token of this type proves. Raises InvalidSubjectToken,
        IdentityUnavailable."""


class Verifiers:
    """All verifiers of a service. No two take the same type. Without any, all is refused."""

    def __init__(self, verifiers: Iterable[Verifier] = ()) -> None:
        self._of_type = {type: verifier for verifier in verifiers for type in verifier.types}

    async def verify(self, token: str, token_type: str) -> Subject:
        """The account that a token of this type (RFC 8693 §3) proves. Raises InvalidSubjectToken,
        IdentityUnavailable."""
        if not self._of_type:
            raise InvalidSubjectToken("This service takes no subject_token.", counts=False)
        verifier = self._of_type.get(token_type)
        if verifier is None:
            types = " or ".join(sorted(self._of_type))
            raise InvalidSubjectToken(f"subject_token_type must be {types}.", counts=False)
        if len(token) > LONGEST:
            raise InvalidSubjectToken("The subject_token is too long.", counts=False)
        return await verifier.verify(token, token_type)
