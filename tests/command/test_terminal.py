"""What commands print of what others have written."""

import io
import json
import subprocess
from contextlib import redirect_stdout

from twisted.internet import reactor
from twisted.internet.threads import deferToThread
from twisted.trial.unittest import SynchronousTestCase, TestCase
from twisted.web.resource import Resource
from twisted.web.server import Request, Site

from contentsvc.command import terminal
from tests.support.daemon import script

HARMFUL = (
    *map(chr, (*range(0x20), *range(0x7F, 0xA0), 0xAD, 0x61C, 0x180E, 0xFEFF, 0xE0041)),
    *map(chr, (*range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070))),
    *("\udc9b", "\ud800"),
)
"""Characters that a terminal obeys or does not show, and those that stand for raw bytes."""
PLAIN = 'Grüße, 日本語, עברית, 🎈 \\ "quoted" ~'
ID = "00000000-0000-4000-8000-00000000000a"


class SafeTests(SynchronousTestCase):
    def test_plain(self) -> None:
        """Text of any language is printed as it is."""
        self.assertEqual(terminal.safe(PLAIN), PLAIN)
        self.assertEqual(terminal.safe_json(json.dumps(PLAIN)), json.dumps(PLAIN))

    def test_harmful(self) -> None:
        """What a terminal obeys, or does not show, is printed as an escape, and text can be encoded
        whatever it has."""
        for character in HARMFUL:
            shown = terminal.safe(f"a{character}b")
            self.assertTrue(shown.isprintable() and shown.isascii(), ascii(character))
            self.assertEqual(json.loads(f'"{shown}"'), f"a{character}b")
        self.assertEqual(terminal.safe("\x1b[2J"), "\\u001b[2J")

    def test_json(self) -> None:
        """JSON stays the same value, in one line."""
        value = {"a\x9b": [PLAIN, "".join(HARMFUL[:-2])], "b": {}}
        for indent in (None, 1, "\t"):
            text = terminal.safe_json(json.dumps(value, ensure_ascii=False, indent=indent))
            self.assertTrue(text.isprintable())
            self.assertEqual(json.loads(text), value)

    def test_lines(self) -> None:
        """A line break of others does not begin a line."""
        out = io.StringIO()
        with redirect_stdout(out):
            terminal.say("one\ncontentsvc: two\r\u2028three", "four")
        self.assertEqual(out.getvalue(), "one\\u000acontentsvc: two\\u000d\\u2028three\nfour\n")


class Hostile(Resource):
    """A service whose texts are meant for the terminal."""

    isLeaf = True

    def render(self, request: Request) -> bytes:
        detail = "no\x1b]0;owned\x07\x9b2J\u202egnp.exe\ncontentsvc: all is well\u200b"
        request.setResponseCode(403)
        request.setHeader("Content-Type", "application/problem+json")
        return json.dumps({"code": "forbidden\x1b[31m", "detail": detail}).encode()


class HostileTests(TestCase):
    async def test_errors(self) -> None:
        """An error of a service reaches the terminal of `fetch` and `watch` as one harmless
        line."""
        port = reactor.listenTCP(0, Site(Hostile()), interface="127.0.0.1")
        self.addCleanup(port.stopListening)
        url = f"http://127.0.0.1:{port.getHost().port}"
        folder = self.mktemp()
        for words, given in (
            (["fetch", ID, folder, "--url", url], b""),
            (["watch", url, "--token-stdin"], b"token\n"),
            (["watch", url, "--user", "ann", "--password-stdin"], b"12345678\n"),
        ):
            done = await deferToThread(
                subprocess.run,
                [script("contentsvc"), *words],
                input=given,
                capture_output=True,
                check=False,
                timeout=60,
            )
            self.assertEqual((done.returncode, done.stdout), (1, b""), done.stderr)
            said = done.stderr.decode().removesuffix("\n")
            self.assertTrue(said.isprintable(), ascii(said))
            self.assertIn("owned\\u0007\\u009b2J\\u202egnp.exe contentsvc: all is well", said)
