"""The texts of mails, ours and those of operators."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.jobs.mail_texts import MOST, TEXTS, TextsError, load

VALUES = {
    "username": "ann",
    "email": "ann@example.com",
    "link": "https://x?token=t",
    "issuer": "https://id.example",
    "linked": "steam",
}


class TextsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp())
        self.folder.mkdir()

    def write(self, name: str, text: str | bytes) -> None:
        """A file of the operator's."""
        data = text if isinstance(text, bytes) else text.encode()
        (self.folder / name).write_bytes(data)

    def refused(self, words: str) -> None:
        """Assert one line with these words."""
        with self.assertRaises(TextsError) as caught:
            load(self.folder)
        said = str(caught.exception)
        self.assertIn(words, said)
        self.assertNotIn("\n", said)

    def test_ours(self) -> None:
        """Ours have all that they need, and no line that a mail would break."""
        for name, text in load(None).items():
            subject, body = text.fill(VALUES)
            self.assertTrue(subject)
            self.assertEqual(name not in {"confirm", "change"}, "ann" in body, name)
            for word in ("link", "issuer", "linked"):
                self.assertEqual(word in TEXTS[name], VALUES[word] in body, (name, word))
            self.assertEqual("link" in TEXTS[name], VALUES["link"] in body.splitlines())
            self.assertTrue(body.isascii())

    def test_own(self) -> None:
        """An operator's file replaces ours; the others stay."""
        self.write("reset.txt", "\ufeffSubject: Für $username\r\n\r\nKosten: 5 $$\r\n$link\r\n")
        self.write("README", "nothing to see here")
        found = load(self.folder)
        self.assertEqual(
            found["reset"].fill(VALUES), ("Für ann", "Kosten: 5 $\nhttps://x?token=t\n")
        )
        self.assertEqual(found["confirm"].fill(VALUES), load(None)["confirm"].fill(VALUES))

    def test_wrong(self) -> None:
        """A file that cannot be used is named, with the reason."""
        for text, words in (
            ("Hello\n\n$link", "Subject"),
            ("", "Subject"),
            ("Subject:\n\n$link", "Subject"),
            ("Subject: a\x07\n\n$link", "Subject"),
            ("Subject: a\n\n$name $link", "$name"),
            ("Subject: $nobody\n\n$link", "$nobody"),
            ("Subject: a\n\n$5 $link", "$$"),
            ("Subject: a\n\nno way", "$link"),
            (b"Subject: a\n\n\xff$link", "UTF-8"),
            ("Subject: a\n\n$link" + "x" * MOST, "64 KiB"),
        ):
            self.write("reset.txt", text)
            self.refused(words)
            self.refused("reset.txt")

    def test_unknown(self) -> None:
        """A text that there is not is a slip of the pen."""
        self.write("rest.txt", "Subject: a\n\n$link")
        self.refused("no such text")

    def test_unreadable(self) -> None:
        """So is a folder that is none, and a file that cannot be read."""
        (self.folder / "reset.txt").mkdir()
        self.refused("reset.txt")
        self.folder = self.folder / "none"
        self.refused("none")
