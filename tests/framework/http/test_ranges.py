"""Ranges of bytes."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.http.headers import Unsatisfiable, wanted


class RangeTests(SynchronousTestCase):
    def test_parts(self) -> None:
        """A single range is a part: from here to there, from here on, or the last ones."""
        for value, part in (
            (b"bytes=0-0", range(1)),
            (b"bytes=2-4", range(2, 5)),
            (b"bytes=9-9", range(9, 10)),
            (b"bytes=5-", range(5, 10)),
            (b"bytes=5-99", range(5, 10)),
            (b"bytes=-3", range(7, 10)),
            (b"bytes=-99", range(10)),
            (b"BYTES= 2-4 ", range(2, 5)),
            (b"bytes=,2-4,", range(2, 5)),
            (b"bytes=0-" + b"9" * 5000, range(10)),
            (b"bytes=-" + b"9" * 5000, range(10)),
            (b"bytes=" + b"0" * 5000 + b"2-4", range(2, 5)),
        ):
            self.assertEqual(wanted([value], 10), part, value)

    def test_whole(self) -> None:
        """Whatever is no range, or is several, is answered with the whole."""
        for values in (
            None,
            [],
            [b"bytes="],
            [b"bytes=-"],
            [b"bytes=4-2"],
            [b"bytes=a-b"],
            [b"bytes=0-1,3-4"],
            [b"bytes=0-1", b"bytes=3-4"],
            [b"bytes=+1-2"],
            [b"bytes=1 - 2"],
            [b"items=0-1"],
            [b"bytes 0-1"],
            [b"bytes=\xff-"],
        ):
            self.assertIsNone(wanted(values, 10), values)

    def test_unsatisfiable(self) -> None:
        """A range behind the end, or of no bytes, cannot be answered."""
        for value in (b"bytes=10-", b"bytes=10-11", b"bytes=-0", b"bytes=" + b"9" * 5000 + b"-"):
            self.assertRaises(Unsatisfiable, wanted, [value], 10)
