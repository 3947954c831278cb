"""Argon2id off the reactor thread."""

import threading
from collections.abc import Callable
from types import SimpleNamespace
from unittest.mock import Mock

from argon2.exceptions import HashingError, VerificationError, VerifyMismatchError
from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.trial.unittest import TestCase

from contentsvc.framework.identity.passwords import HASHER, THREADS, WAITING, Busy, Passwords

WHO = "192.0.2.1"


class PasswordTests(TestCase):
    def setUp(self) -> None:
        self.passwords = self.started(Passwords(reactor))

    def started(self, passwords: Passwords) -> Passwords:
        """With its threads."""
        passwords.threads.start()
        self.addCleanup(passwords.threads.stop)
        return passwords

    def working(
        self, verify: Callable[..., bool], hash: Callable[..., str] = lambda *_: "-"
    ) -> Passwords:
        """Passwords whose hasher does this; nothing is hashed while it is made."""
        hasher = SimpleNamespace(hash=lambda _: "-")
        passwords = self.started(Passwords(reactor, hasher))
        hasher.verify, hasher.hash = verify, hash
        return passwords

    async def test_verify(self) -> None:
        """A password matches its own hash, and no other does."""
        encoded = await self.passwords.hash("correct horse ä", WHO)
        self.assertTrue(encoded.startswith("$argon2id$v=19$m=19456,t=2,p=1$"))
        self.assertTrue(await self.passwords.verify(encoded, "correct horse ä", WHO))
        self.assertFalse(await self.passwords.verify(encoded, "correct horse", WHO))

    async def test_forms(self) -> None:
        """A password is right in the other way to write its characters, whichever was first, and a
        hash of what came, from before, too."""
        composed, decomposed = "p\u00e4ssword", "pa\u0308ssword"
        hashes = [await self.passwords.hash(form, WHO) for form in (composed, decomposed)]
        for encoded in hashes:
            for form in (composed, decomposed):
                self.assertTrue(await self.passwords.verify(encoded, form, WHO))
        before = HASHER.hash(decomposed)
        self.assertTrue(await self.passwords.verify(before, decomposed, WHO))
        self.assertFalse(await self.passwords.verify(before, composed, WHO))

    async def test_tries(self) -> None:
        """It is tried twice only where the two forms differ, for nobody's account too."""
        tried: list[str] = []

        def wrong(encoded: str, password: str) -> bool:
            tried.append(password)
            raise VerifyMismatchError

        passwords = self.working(wrong)
        for encoded in ("-", None):
            for password, expected in (("plain", ["plain"]), ("e\u0301", ["\u00e9", "e\u0301"])):
                tried.clear()
                self.assertFalse(await passwords.verify(encoded, password, WHO))
                self.assertEqual(tried, expected)

    async def test_salt(self) -> None:
        """The same password twice has two hashes."""
        found = [await self.passwords.hash("correct horse", WHO) for _ in range(2)]
        self.assertNotEqual(*found)

    async def test_nobody(self) -> None:
        """Nothing matches where there is no account, not even what it is compared with."""
        self.assertFalse(await self.passwords.verify(None, "nobody", WHO))

    async def test_not_a_hash(self) -> None:
        """An account whose hash is none lets nobody in."""
        self.assertFalse(await self.passwords.verify("-", "-", WHO))

    async def test_thread(self) -> None:
        """The work is not done in the reactor's thread."""
        seen: list[threading.Thread] = []
        passwords = self.working(lambda *_: bool(seen.append(threading.current_thread())))
        await passwords.verify("-", "-", WHO)
        self.assertNotEqual(seen, [threading.current_thread()])

    async def test_no_memory(self) -> None:
        """Where the system has no memory or thread for it, that is no answer, right or wrong."""
        for error in (
            HashingError("Memory allocation error"),
            VerificationError("Memory allocation error"),
            MemoryError(),
            RuntimeError("can't start new thread"),
        ):
            fails = Mock(side_effect=error)
            passwords = self.working(fails, fails)
            for act in (passwords.hash("x", WHO), passwords.verify("-", "x", WHO)):
                busy = await self.assertFailure(Deferred.fromCoroutine(act), Busy)
                self.assertEqual(busy.cause, "memory")

    async def test_too_many(self) -> None:
        """Beyond those at work and a queue, one is told to come again, and the others are done."""
        gate = threading.Event()
        self.addCleanup(gate.set)
        passwords = self.working(lambda *_: gate.wait(60))
        places = THREADS + WAITING
        acts = [passwords.verify("-", "-", WHO) for _ in range(places)]
        begun = [Deferred.fromCoroutine(act) for act in acts]
        one_more = Deferred.fromCoroutine(passwords.verify("-", "-", WHO))
        busy = await self.assertFailure(one_more, Busy)
        self.assertEqual(busy.cause, "hashing")
        gate.set()
        self.assertEqual([await each for each in begun], [True] * places)

    async def test_shares(self) -> None:
        """One's many do not keep others waiting."""
        gate = threading.Event()
        self.addCleanup(gate.set)
        done: list[str] = []
        passwords = self.working(lambda *_: gate.wait(60))
        many = THREADS + WAITING
        asked = [WHO] * many + ["192.0.2.2"] * 2
        begun = [Deferred.fromCoroutine(passwords.verify("-", "-", who)) for who in asked]
        for who, each in zip(asked, begun, strict=True):
            each.addCallbacks(lambda _, who=who: done.append(who), lambda failure: None)
        gate.set()
        await gatherResults(begun)
        self.assertEqual(len(done), many)
        self.assertIn("192.0.2.2", done[: THREADS + 4])
        self.assertEqual(done.count("192.0.2.2"), 2)
