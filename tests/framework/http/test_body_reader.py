"""Long bodies, read piece by piece."""

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.http.body_reader import FIRST, LARGEST, BodyReader, Truncated

WHOLE = bytes(range(256)) * 64 * 1024


class ReadingTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.clock.advance(1000)
        self.whole = WHOLE

    async def read(self, offset: int, length: int) -> bytes:
        return self.whole[offset : offset + length]

    def pieces(self, reading: BodyReader, pause: float) -> list[bytes]:
        """All pieces, each after a pause."""
        found = []
        while piece := self.successResultOf(reading.more()):
            found.append(piece)
            self.clock.advance(pause)
        return found

    def test_quick(self) -> None:
        """A client that reads quickly gets large pieces, and all of them together are the whole."""
        pieces = self.pieces(BodyReader(self.clock, self.read, range(len(WHOLE))), 0.01)
        self.assertEqual(b"".join(pieces), WHOLE)
        self.assertEqual((len(pieces[0]), max(map(len, pieces))), (FIRST, LARGEST))

    def test_slow(self) -> None:
        """One that reads slowly gets small ones."""
        pieces = self.pieces(BodyReader(self.clock, self.read, range(len(WHOLE))), 2.0)
        self.assertEqual({len(piece) for piece in pieces}, {FIRST})

    def test_slower(self) -> None:
        """One that becomes slow gets smaller ones."""
        reading = BodyReader(self.clock, self.read, range(len(WHOLE)))
        for _ in range(5):
            self.successResultOf(reading.more())
        self.clock.advance(2)
        self.assertEqual(len(self.successResultOf(reading.more())), LARGEST // 4)

    def test_part(self) -> None:
        """A part begins and ends where it should, also if its beginning was read before."""
        for have in (b"", WHOLE[100:200]):
            reading = BodyReader(self.clock, self.read, range(100, 100_000))
            reading.have(have)
            self.assertEqual(b"".join(self.pieces(reading, 0.01)), WHOLE[100:100_000])

    def test_truncated(self) -> None:
        """A file that is shorter than it was is an error, never a shorter answer."""
        reading = BodyReader(self.clock, self.read, range(len(WHOLE)))
        self.whole = WHOLE[:10]
        self.failureResultOf(reading.more(), Truncated)
