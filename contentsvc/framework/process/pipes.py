"""The words on the pipes between the parent and a worker.

| From   | Word          |                                                                     |
|--------|---------------|---------------------------------------------------------------------|
| parent | ASK           | Do you live? Asked each second                                      |
| parent | MISSING       | Why can you not serve?                                              |
| parent | METRICS       | What are your metrics?                                              |
| parent | ALL_METRICS   | The same, and those that all processes share                        |
| worker | ALIVE         | answers ASK                                                         |
| worker | SERVES        | I serve the port from now on                                        |
| worker | a netstring   | answers any other question: the word of the question, and MessagePack |

A release that does not know a question answers it with ALIVE.
"""

from collections.abc import Awaitable, Callable, Iterator
from functools import partial

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.core.concurrency import SingleFlight

SERVES, ALIVE, ASK = b"\n", b".", b"?"
MISSING, METRICS, ALL_METRICS = b"r", b"m", b"a"
QUESTIONS = (MISSING, METRICS, ALL_METRICS)
MOST = 16 * 1024 * 1024
"""The most bytes of an answer."""
_DIGITS = b"0123456789"

log = Logger()

Answerer = Callable[[bytes], Awaitable[bytes]]
"""Gives the answer to one of QUESTIONS, as MessagePack."""


class Garbled(Exception):
    """The other side writes what no release writes."""


def answered(question: bytes, answer: bytes) -> bytes:
    """The netstring of an answer."""
    return b"%d:%b%b," % (len(question) + len(answer), question, answer)


class Reader:
    """Parses a worker's words, however they were cut on the way."""

    def __init__(self) -> None:
        self._rest = b""

    def words(self, data: bytes) -> Iterator[bytes]:
        """The whole words: SERVES, ALIVE, or the content of a netstring. Raises Garbled."""
        rest, at = self._rest + data, 0
        try:
            while at < len(rest):
                if rest[at : at + 1] in {SERVES, ALIVE}:
                    yield rest[at : at + 1]
                    at += 1
                    continue
                end = _end(rest, at)
                if end is None or end[1] >= len(rest):
                    break
                start, stop = end
                if rest[stop : stop + 1] != b",":
                    raise Garbled("a netstring without its end")
                yield rest[start:stop]
                at = stop + 1
        finally:
            self._rest = rest[at:]


def _end(data: bytes, at: int) -> tuple[int, int] | None:
    """Where the content of the netstring begins and ends; None if that has not come yet. Raises
    Garbled."""
    colon = data.find(b":", at, at + 10)
    digits = data[at : at + 10] if colon < 0 else data[at:colon]
    if not digits or digits.strip(_DIGITS) or (colon < 0 and len(digits) == 10):
        raise Garbled("no word that is known")
    if colon < 0:
        return None
    length = int(digits)
    if not 0 < length <= MOST:
        raise Garbled("a netstring that is too long")
    return colon + 1, colon + 1 + length


class Answering:
    """A worker's side: answers each question once at a time."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._replies = {
            question: SingleFlight(partial(self._reply, question), self._failed)
            for question in QUESTIONS
        }
        self.answer: Answerer | None = None
        """Set as soon as the process has answers. Before that, nobody gets any."""

    def asked(self, data: bytes) -> None:
        """The parent has asked; several questions may come at once."""
        asked = {data[at : at + 1] for at in range(len(data))}
        known = asked.intersection(QUESTIONS)
        if asked - known:
            self._write(ALIVE)
        for question in known:
            self._replies[question].begin()

    async def _reply(self, question: bytes) -> None:
        if self.answer is not None:
            self._write(answered(question, await self.answer(question)))

    def _failed(self, failure: Failure) -> None:
        log.failure("A question of the parent process has no answer", failure)


class Asking:
    """The parent's side: the questions to one worker, `write` puts them on its pipe.

    Callers that ask the same at the same time share the answer, so a worker that never answers has
    at most one question of each kind in its pipe.
    """

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._asking = {
            question: SingleFlight(partial(self._ask, question)) for question in QUESTIONS
        }
        self._answers: dict[bytes, Deferred[bytes]] = {}

    def ask(self, question: bytes) -> Deferred[bytes]:
        """The answer, if it comes. Fails with ConnectionError when the worker ends."""
        return self._asking[question].ask()

    async def _ask(self, question: bytes) -> bytes:
        answer: Deferred[bytes] = Deferred()
        self._answers[question] = answer
        self._write(question)
        return await answer

    def heard(self, word: bytes) -> None:
        """An answer has come; one to no question is dropped."""
        if answer := self._answers.pop(word[:1], None):
            answer.callback(word[1:])

    def ended(self) -> None:
        """The worker will answer nothing more."""
        answers, self._answers = self._answers, {}
        for answer in answers.values():
            answer.errback(ConnectionError("the worker has ended"))
