"""The header traceparent: W3C Trace Context §3.2."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.http.trace_context import Trace, noted, trace_of

TRACE, PARENT = b"4bf92f3577b34da6a3ce929d0e0e4736", b"00f067aa0ba902b7"
VALID = b"00-%s-%s-01" % (TRACE, PARENT)
MEANT = Trace(TRACE.decode(), PARENT.decode())


class TraceTests(SynchronousTestCase):
    def test_valid(self) -> None:
        """The ids of the trace and of the parent are read, whatever the flags."""
        self.assertEqual(trace_of([VALID]), MEANT)
        self.assertEqual(trace_of([VALID[:-2] + b"00"]), MEANT)

    def test_later_version(self) -> None:
        """A later version may say more, after a dash."""
        self.assertEqual(trace_of([b"cc" + VALID[2:]]), MEANT)
        self.assertEqual(trace_of([b"cc" + VALID[2:] + b"-what-the-future-brings"]), MEANT)
        self.assertEqual(trace_of([b"cc" + VALID[2:] + b".what"]), None)

    def test_invalid(self) -> None:
        """What is not valid is ignored."""
        for value in (
            b"",
            VALID + b"-more",
            VALID + b"\n",
            b" " + VALID,
            VALID.upper(),
            b"ff" + VALID[2:],
            b"0" + VALID,
            b"00-%s-%s-01" % (b"0" * 32, PARENT),
            b"00-%s-%s-01" % (TRACE, b"0" * 16),
            b"00-%s-%s-01" % (TRACE[1:], PARENT),
            b"00-%s-%s" % (TRACE, PARENT),
            VALID.replace(b"4bf9", b"4bg9"),
            b"\xff" * 55,
        ):
            self.assertEqual(trace_of([value]), None, value)

    def test_too_long(self) -> None:
        """A header of a later version has at most 256 bytes."""
        long = b"cc" + VALID[2:] + b"-"
        self.assertEqual(trace_of([long.ljust(256, b"x")]), MEANT)
        self.assertEqual(trace_of([long.ljust(257, b"x")]), None)

    def test_several(self) -> None:
        """Several headers are ignored: nobody knows which is meant."""
        self.assertEqual(trace_of([VALID, VALID]), None)

    def test_note(self) -> None:
        """The line of a request ends with its trace, if it has one, and its note."""
        shown = f" trace={MEANT.trace_id} parent={MEANT.parent_id} cut-off"
        self.assertEqual(noted([VALID], " cut-off"), shown)
        self.assertEqual(noted([b"none"], " cut-off"), " cut-off")
