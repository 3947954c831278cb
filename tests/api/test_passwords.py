"""Argon2id off the reactor thread."""

import threading
from types import SimpleNamespace
from unittest.mock import Mock

from argon2.exceptions import HashingError, VerificationError
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.trial.unittest import TestCase

from contentsvc.api import passwords as module
from contentsvc.api.passwords import Passwords
from contentsvc.web.errors import Unavailable


class PasswordTests(TestCase):
    def setUp(self) -> None:
        self.passwords = Passwords(reactor)
        self.passwords.threads.start()
        self.addCleanup(self.passwords.threads.stop)

    async def test_verify(self) -> None:
        """A password matches its own hash, and no other does."""
        encoded = await self.passwords.hash("correct horse ä")
        self.assertTrue(encoded.startswith("$argon2id$"))
        self.assertTrue(await self.passwords.verify(encoded, "correct horse ä"))
        self.assertFalse(await self.passwords.verify(encoded, "correct horse"))

    async def test_salt(self) -> None:
        """The same password twice has two hashes."""
        found = [await self.passwords.hash("correct horse") for _ in range(2)]
        self.assertNotEqual(*found)

    async def test_nobody(self) -> None:
        """Nothing matches where there is no account, not even what it is compared with."""
        self.assertFalse(await self.passwords.verify(None, "nobody"))

    async def test_not_a_hash(self) -> None:
        """An account whose hash is none lets nobody in."""
        self.assertFalse(await self.passwords.verify("-", "-"))

    async def test_thread(self) -> None:
        """The work is not done in the reactor's thread."""
        seen: list[threading.Thread] = []
        self.patch(module, "_verify", lambda *_: seen.append(threading.current_thread()))
        await self.passwords.verify("-", "-")
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
            self.patch(module, "HASHER", SimpleNamespace(hash=fails, verify=fails))
            for act in (self.passwords.hash("x"), self.passwords.verify("-", "x")):
                problem = await self.assertFailure(Deferred.fromCoroutine(act), Unavailable)
                self.assertEqual(problem.cause, "memory")

    async def test_too_many(self) -> None:
        """Beyond those at work and a queue, one is told to come again, and the others are done."""
        gate = threading.Event()
        self.addCleanup(gate.set)
        self.patch(module, "_verify", lambda *_: gate.wait(60))
        places = module._THREADS + module._WAITING
        begun = [Deferred.fromCoroutine(self.passwords.verify("-", "-")) for _ in range(places)]
        try:
            await self.passwords.verify("-", "-")
        except Unavailable as problem:
            self.assertEqual(problem.headers, {"Retry-After": "1"})
            self.assertEqual(problem.cause, "hashing")
        else:
            self.fail("there was room")
        gate.set()
        self.assertEqual([await each for each in begun], [True] * places)
