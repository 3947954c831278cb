"""The answers to an upload, from their bytes."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.client.files.sending import is_final, parsed, without_informational
from contentsvc.client.http import Response

HEAD = b"HTTP/1.1 403 Forbidden\r\nX-A: 1\r\n"
SIZED = HEAD + b"Content-Length: 5\r\n\r\nError"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nError\r\n0\r\n\r\n"
UNSIZED = HEAD + b"Connection: close\r\n\r\nError"


class ParsedTests(SynchronousTestCase):
    def answer(self, data: bytes, *, whole: bool = True) -> Response:
        found = parsed(data, whole=whole)
        assert found is not None
        return found

    def test_whole(self) -> None:
        """An answer with a length, and one in chunks, are whole at their end and not before."""
        for data in (SIZED, CHUNKED):
            answer = self.answer(data)
            self.assertEqual((answer.status, answer.body), (403, b"Error"))
            self.assertEqual(answer.header("X-A"), "1")
            for end in range(data.index(b"Error") + 5):
                self.assertIsNone(parsed(data[:end], whole=True), end)

    def test_until_the_end(self) -> None:
        """One without a length is whole when the connection ends."""
        self.assertIsNone(parsed(UNSIZED, whole=True))
        self.assertEqual(self.answer(UNSIZED, whole=False).body, b"Error")

    def test_empty(self) -> None:
        """One that has no body needs no length."""
        self.assertEqual(self.answer(b"HTTP/1.1 204 No Content\r\n\r\n").status, 204)

    def test_cut(self) -> None:
        """Of one that is cut off, the status is known if its head has come."""
        for data in (SIZED[:-2], CHUNKED[:-7]):
            answer = self.answer(data, whole=False)
            self.assertEqual((answer.status, answer.body[:3]), (403, b"Err"))
        self.assertIsNone(parsed(HEAD, whole=False))

    def test_none(self) -> None:
        """Bytes that are no answer are none."""
        for data in (b"", b"\r\n\r\n", b"SSH-2.0\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n"):
            self.assertIsNone(parsed(data, whole=False), data)

    def test_informational(self) -> None:
        """100 Continue promises another answer; so do several."""
        promise = b"HTTP/1.1 100 Continue\r\n\r\n"
        self.assertEqual(without_informational(promise * 2 + SIZED), SIZED)
        self.assertEqual(without_informational(promise[:-1]), promise[:-1])
        for end in range(len(promise)):
            self.assertFalse(is_final(promise[:end]))
        self.assertTrue(is_final(SIZED[:10]))
