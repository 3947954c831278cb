"""The tokens of links in mails."""

from base64 import urlsafe_b64decode
from uuid import UUID, uuid4

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.tokens import EMAIL, RESET, Key, Keys, MailTokens

OLD, NEW = Key("old", b"o" * 32), Key("new", b"n" * 32)


class MailTokensTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.tokens = MailTokens(Keys([OLD]))
        self.mail = str(uuid4())

    def test_read(self) -> None:
        """A token gives the id that it was made of, always the same, and can stand in a URL."""
        token = self.tokens.make(RESET, self.mail)
        self.assertEqual(self.tokens.read(RESET, token), self.mail)
        self.assertEqual(self.tokens.make(RESET, self.mail), token)
        self.assertRegex(token, r"\Areset-[A-Za-z0-9_-]{48}\Z")

    def test_rotation(self) -> None:
        """The first key makes tokens, all keys read them."""
        token, tokens = self.tokens.make(RESET, self.mail), MailTokens(Keys([NEW, OLD]))
        self.assertEqual(tokens.read(RESET, token), self.mail)
        self.assertNotEqual(tokens.make(RESET, self.mail), token)
        self.assertIsNone(MailTokens(Keys([NEW])).read(RESET, token))

    def test_words(self) -> None:
        """A token for one thing is none for another, also if its word is changed."""
        token = self.tokens.make(RESET, self.mail)
        self.assertIsNone(self.tokens.read(EMAIL, token))
        self.assertIsNone(self.tokens.read(EMAIL, token.replace(RESET, EMAIL)))

    def test_appeal(self) -> None:
        """An appeal token opens one decision of one user, by any of the keys, and has both ids."""
        user, other = str(uuid4()), str(uuid4())
        token = self.tokens.appeal(self.mail, user)
        self.assertRegex(token, r"\Aappeal-[A-Za-z0-9_-]{72}\Z")
        raw = urlsafe_b64decode(token.partition("-")[2])
        self.assertEqual(raw[:32], UUID(self.mail).bytes + UUID(user).bytes)
        self.assertTrue(MailTokens(Keys([NEW, OLD])).opens(token, self.mail, user))
        self.assertFalse(MailTokens(Keys([NEW])).opens(token, self.mail, user))
        for decision, about in ((self.mail, other), (other, user), (user, self.mail)):
            self.assertFalse(self.tokens.opens(token, decision, about))
        for text in ("", "appeal-", token[:-1], token + "=", token + "A", "appeal-\ud800"):
            self.assertFalse(self.tokens.opens(text, self.mail, user))

    def test_forged(self) -> None:
        """Whatever else is none."""
        token = self.tokens.make(RESET, self.mail)
        other = self.tokens.make(RESET, str(uuid4()))
        for text in (
            *("", "-", "reset", "reset-", "reset-\ud800", "reset-ä", token[:-1], token + "A"),
            *(token + "=", token.upper(), token.removeprefix("reset-"), token[:30] + other[30:]),
            *("reset-" + "A" * 48, "reset-" + "A" * 100_000, token[:20] + "\n" + token[20:]),
            *(token.replace("-", "+"), token[:-1] + "!", token[:-1] + " "),
        ):
            self.assertIsNone(self.tokens.read(RESET, text), text[:60])
