"""What a download is called."""

from urllib.parse import unquote

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.storage.attachments import attachment


class AttachmentTests(SynchronousTestCase):
    def test_plain(self) -> None:
        """A name of plain ASCII stands there as it is."""
        self.assertEqual(
            attachment("My tower (2), v1.0%41.zip"),
            'attachment; filename="My tower (2), v1.0%41.zip"; '
            "filename*=UTF-8''My%20tower%20%282%29%2C%20v1.0%2541.zip",
        )

    def test_others(self) -> None:
        """In the first form each other character is `_`, and so is what would need an escape; the
        second has all."""
        for name, plain in (
            ("tür.zip", "t_r.zip"),
            ("塔\U0001f5fc.zip", "__.zip"),
            ('a"b.zip', "a_b.zip"),
            ("a\\b", "a_b"),
            ("a\r\nSet-Cookie: b=c", "a__Set-Cookie: b=c"),
            ("a\tb\x7f\x85", "a_b__"),
            ("'; filename=b", "'; filename=b"),
        ):
            value = attachment(name)
            self.assertRegex(value, r"\A[ -~]+\Z")
            first, _, second = value.partition("; filename*=UTF-8''")
            self.assertEqual(first, f'attachment; filename="{plain}"')
            self.assertEqual(unquote(second), name)
            self.assertRegex(second, r"\A[A-Za-z0-9._~%-]+\Z")

    def test_none(self) -> None:
        """Without a name it only says that the file is to be stored."""
        self.assertEqual(attachment(None), "attachment")
