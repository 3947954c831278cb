"""The words between the parent and a worker."""

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.process.pipes import (
    ALIVE,
    ALL_METRICS,
    ASK,
    METRICS,
    MISSING,
    MOST,
    SERVES,
    Answering,
    Asking,
    Garbled,
    Reader,
    answered,
)


class ReaderTests(SynchronousTestCase):
    def test_cut(self) -> None:
        """Words are found however the pipe has cut them."""
        data = b"".join(
            [ALIVE, SERVES, answered(METRICS, b"one.\n,:"), ALIVE, answered(MISSING, b""), ALIVE]
        )
        expected = [ALIVE, SERVES, b"mone.\n,:", ALIVE, b"r", ALIVE]
        for size in range(1, len(data) + 1):
            reader = Reader()
            pieces = [data[at : at + size] for at in range(0, len(data), size)]
            self.assertEqual([word for each in pieces for word in reader.words(each)], expected)

    def test_garbled(self) -> None:
        """What no release writes is refused, and no endless length is waited for."""
        for data in (b"x", b"12345678901", b"1x:a,", b"2:ab.", b"0:,", b"%d:" % (MOST + 1), b":a,"):
            with self.assertRaises(Garbled):
                list(Reader().words(data))

    def test_words_before(self) -> None:
        """The words before it still count."""
        found = []
        with self.assertRaises(Garbled):
            for word in Reader().words(ALIVE + b"x"):
                found.append(word)
        self.assertEqual(found, [ALIVE])


class AnsweringTests(SynchronousTestCase):
    """A worker's side."""

    def setUp(self) -> None:
        self.written: list[bytes] = []
        self.asked: list[tuple[bytes, Deferred[bytes]]] = []
        self.answering = Answering(self.written.append)

    async def answer(self, question: bytes) -> bytes:
        answer: Deferred[bytes] = Deferred()
        self.asked.append((question, answer))
        return await answer

    def test_alive(self) -> None:
        """It gives a sign of life whenever it is asked, one for all that it finds."""
        self.answering.asked(ASK)
        self.assertEqual(self.written, [ALIVE])
        self.answering.asked(ASK * 10)
        self.assertEqual(self.written, [ALIVE] * 2)

    def test_unknown(self) -> None:
        """A question of another release gets a sign of life."""
        self.answering.asked(b"%")
        self.assertEqual(self.written, [ALIVE])

    def test_too_early(self) -> None:
        """Before the process has answers, nobody gets any."""
        self.answering.asked(METRICS)
        self.assertEqual(self.written, [])

    def test_answer(self) -> None:
        """A question is answered once at a time, and again when it is asked again."""
        self.answering.answer = self.answer
        self.answering.asked(METRICS + ASK + METRICS)
        self.answering.asked(METRICS)
        ((question, answer),) = self.asked
        self.assertEqual((question, self.written), (METRICS, [ALIVE]))
        answer.callback(b"some")
        self.assertEqual(self.written[1:], [b"5:msome,"])
        self.answering.asked(METRICS)
        self.assertEqual(len(self.asked), 2)

    def test_several(self) -> None:
        """Different questions do not wait for each other."""
        self.answering.answer = self.answer
        self.answering.asked(METRICS + MISSING + ALL_METRICS)
        self.assertEqual({question for question, _ in self.asked}, {b"m", b"r", b"a"})

    def test_failed(self) -> None:
        """An answer that fails is in the log, and the next question gets one again."""
        self.answering.answer = self.answer
        self.answering.asked(METRICS)
        self.asked[0][1].errback(RuntimeError("no"))
        self.assertEqual(len(self.flushLoggedErrors(RuntimeError)), 1)
        self.answering.asked(METRICS)
        self.asked[1][1].callback(b"some")
        self.assertEqual(self.written, [b"5:msome,"])


class AskingTests(SynchronousTestCase):
    """The parent's side."""

    def setUp(self) -> None:
        self.written: list[bytes] = []
        self.asking = Asking(self.written.append)

    def test_shared(self) -> None:
        """Who asks the same at the same time shares the question and the answer."""
        one, two = self.asking.ask(METRICS), self.asking.ask(METRICS)
        other = self.asking.ask(MISSING)
        self.assertEqual(self.written, [METRICS, MISSING])
        self.asking.heard(METRICS + b"some")
        self.assertEqual(self.successResultOf(one), b"some")
        self.assertEqual(self.successResultOf(two), b"some")
        self.assertNoResult(other)

    def test_late(self) -> None:
        """An answer that comes late goes to who asks by then; one to no question is dropped."""
        late = self.asking.ask(METRICS)
        late.cancel()
        self.failureResultOf(late)
        again = self.asking.ask(METRICS)
        self.assertEqual(self.written, [METRICS])
        self.asking.heard(METRICS + b"some")
        self.assertEqual(self.successResultOf(again), b"some")
        self.asking.heard(METRICS + b"more")
        self.asking.ask(METRICS)
        self.assertEqual(self.written, [METRICS] * 2)

    def test_ended(self) -> None:
        """Who waits for a worker that ends hears of that."""
        answer = self.asking.ask(METRICS)
        self.asking.ended()
        self.failureResultOf(answer, ConnectionError)
