"""Which verifier gets a token."""

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.identity.subject import LONGEST, InvalidSubjectToken, Subject, Verifiers
from tests.framework.identity.fakes import ADA, GOOD, KIND, FakeVerifier


class VerifiersTests(SynchronousTestCase):
    def verify(self, verifiers: Verifiers, token: str, token_type: str = KIND) -> Subject:
        return self.successResultOf(Deferred.fromCoroutine(verifiers.verify(token, token_type)))

    def refusal(self, verifiers: Verifiers, token: str, token_type: str = KIND) -> str:
        verifying = Deferred.fromCoroutine(verifiers.verify(token, token_type))
        error = self.failureResultOf(verifying, InvalidSubjectToken).value
        self.assertFalse(error.counts)
        return str(error)

    def test_good(self) -> None:
        """The verifier of the token's type gets it."""
        self.assertEqual(self.verify(Verifiers([FakeVerifier()]), GOOD), ADA)

    def test_none(self) -> None:
        """Without verifiers everything is refused."""
        self.assertEqual(self.refusal(Verifiers(), GOOD), "This service takes no subject_token.")

    def test_other_type(self) -> None:
        """A type that no verifier takes is refused, and those that some take are named."""
        found = self.refusal(Verifiers([FakeVerifier()]), GOOD, "urn:example:other")
        self.assertEqual(found, f"subject_token_type must be {KIND}.")

    def test_long(self) -> None:
        """A token that is too long is refused unseen."""
        found = self.refusal(Verifiers([FakeVerifier()]), f"{GOOD}/{'x' * LONGEST}")
        self.assertEqual(found, "The subject_token is too long.")
