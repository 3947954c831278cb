"""The file of issuers."""

import json
import re
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.identity.file import FileError, Sources, read
from contentsvc.framework.identity.issuer import IssuerSettings
from contentsvc.framework.identity.steam import URL, SteamSettings
from tests.support.daemon import ROOT

ISSUER = '[[issuer]]\nissuer = "https://id.example"\naudience = "game"\n'
STEAM = '[steam]\napp_id = 480\nidentity = "contentsvc"\nkey_file = "steam.key"\n'


class FileTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp())
        self.folder.mkdir()
        self.key("0123456789ABCDEF\n")

    def key(self, text: str) -> None:
        """Write the key's file."""
        key = self.folder / "steam.key"
        key.write_text(text)
        key.chmod(0o600)

    def read(self, text: str) -> Sources:
        """What a file with this text means."""
        path = self.folder / "issuers.toml"
        path.write_text(text)
        return read(path)

    def refused(self, text: str, reason: str) -> None:
        """Assert that the text is refused in one line with the path and the reason."""
        with self.assertRaises(FileError) as raised:
            self.read(text)
        said = str(raised.exception)
        self.assertTrue(said.startswith(f"{self.folder}/"), said)
        self.assertIn(reason, said)
        self.assertNotIn("\n", said)

    def test_byte_order_mark(self) -> None:
        """The file, and that of the key, may begin with a byte order mark."""
        self.key("\ufeff0123456789ABCDEF\n")
        found = self.read(f"\ufeff{ISSUER}{STEAM}")
        self.assertEqual([each.issuer for each in found.issuers], ["https://id.example"])
        self.assertEqual(found.steam and found.steam.key, "0123456789ABCDEF")

    def test_issuer(self) -> None:
        """An issuer has its audiences and its algorithms; by default, all."""
        more = '[[issuer]]\nissuer = "http://127.0.0.1:9/a/"\naudience = ["a", "b"]\n'
        found = self.read(ISSUER + more + 'algorithms = ["RS256"]\n')
        self.assertEqual(
            found.issuers,
            (
                IssuerSettings("https://id.example", ("game",), ("RS256", "ES256", "EdDSA")),
                IssuerSettings("http://127.0.0.1:9/a/", ("a", "b"), ("RS256",)),
            ),
        )
        self.assertIsNone(found.steam)

    def test_pages(self) -> None:
        """An issuer for pages has a name and a client id, for which tokens are taken too."""
        more = 'name = "Das Studio ⭐"\nclient_id = "pages"\n'
        (found,) = self.read(ISSUER + more).issuers
        self.assertEqual(found.audiences, ("game", "pages"))
        self.assertEqual((found.name, found.client_id), ("Das Studio ⭐", "pages"))
        self.assertTrue(found.for_pages)
        for line in more.splitlines():
            self.assertFalse(self.read(f"{ISSUER}{line}\n").issuers[0].for_pages)

    def test_wrong_pages(self) -> None:
        """A name that is empty, too long, of another issuer or not to be seen is refused, and so is
        a client id that is none."""
        for name in ("", "x" * 65, " ", " Studio", "Stu\u202edio", "Stu\ndio"):
            self.refused(f"{ISSUER}name = {json.dumps(name)}\n", "name")
        for client in ("", "x" * 513, "päges"):
            self.refused(f"{ISSUER}client_id = {json.dumps(client)}\n", "client_id")
        both = f'{ISSUER}name = "Studio"\nclient_id = "pages"\n'
        self.refused(both + both.replace("id.example", "other.example"), "same name")

    def test_steam(self) -> None:
        """The key is read from its file, and shown nowhere."""
        steam = self.read(STEAM).steam
        self.assertEqual(steam, SteamSettings(480, "contentsvc", "0123456789ABCDEF", URL))
        self.assertNotIn("ABCDEF", repr(steam) + str(steam))

    def test_sample(self) -> None:
        """The sample is right, with what it has commented out too."""
        text = (ROOT / "etc/issuers.toml.sample").read_text()
        self.assertEqual(self.read(text).issuers[0].audiences, ("castle-game",))
        whole = self.read(re.sub("^#(?! )", "", text, flags=re.M))
        self.assertEqual(whole.steam.app_id, 480)
        (block,) = [
            part.partition("```")[0]
            for part in (ROOT / "docs/guides/issuers.md").read_text().split("```toml\n")[1:]
            if part.startswith("[[issuer]]")
        ]
        self.assertEqual(self.read(block), whole)
        self.assertTrue(whole.issuers[0].for_pages)

    def test_unknown(self) -> None:
        """Keys that there are not are refused."""
        self.refused(ISSUER + 'audiences = ["x"]\n', "audiences")
        self.refused(ISSUER + "[google]\n", "google")
        self.refused(STEAM + "appid = 1\n", "appid")

    def test_wrong(self) -> None:
        """What is missing, of another type, or without sense is refused."""
        for text, reason in (
            ("", "neither"),
            ("x", "="),
            ("issuer = 1\n", "issuer"),
            ('[[issuer]]\nissuer = "https://id.example"\n', "audience"),
            ('[[issuer]]\naudience = "game"\n', "issuer"),
            (ISSUER.replace('"game"', '""'), "audience"),
            (ISSUER.replace('"game"', "[]"), "audience"),
            (ISSUER.replace('"game"', "7"), "audience"),
            (ISSUER + "algorithms = []\n", "algorithms"),
            (ISSUER + 'algorithms = ["HS256"]\n', "HS256"),
            (ISSUER + 'algorithms = ["none"]\n', "none"),
            (ISSUER + ISSUER, "same issuer"),
            (STEAM.replace("480", "0"), "app_id"),
            (STEAM.replace("steam.key", "other.key"), "No such file"),
            (STEAM + 'url = "http://steam.example"\n', "url"),
        ):
            self.refused(text, reason)

    def test_urls(self) -> None:
        """An issuer is an https URL, or an http URL of this machine."""
        for good in ("https://id.example:8443/realms/a", "http://localhost:1", "http://[::1]:2/"):
            self.read(ISSUER.replace("https://id.example", good))
        for bad in (
            "http://id.example",
            "http://127.0.0.1.example",
            "http://10.0.0.1",
            "http://localhost.example",
            "https://",
            "https://user@id.example",
            "https://id.example?x=1",
            "https://id.example#x",
            "https://id.example:x",
            "https://id.example/ä",
            "https://id.example;x",
            "https://id.example/ b",
            "ftp://id.example",
            "id.example",
            "https://id.example/" + "x" * 512,
            "https://id..example",
            "https://" + "x" * 64,
        ):
            self.refused(ISSUER.replace("https://id.example", bad), "issuer")

    def test_plain_names(self) -> None:
        """Names in ASCII that IDNA refuses are names."""
        for host in ("id_1.example", "eu--1.example"):
            found = self.read(ISSUER.replace("id.example", host)).issuers[0]
            self.assertEqual(found.issuer, f"https://{host}")

    def test_key(self) -> None:
        """A file without a key is refused, and no error shows one."""
        for text in ("", "two words", "ABC\nDEF"):
            self.key(text)
            self.refused(STEAM, "key")
            with self.assertRaises(FileError) as raised:
                self.read(STEAM)
            self.assertNotIn("DEF", str(raised.exception))

    def test_key_of_others(self) -> None:
        """A key that others may read is refused."""
        (self.folder / "steam.key").chmod(0o644)
        self.refused(STEAM, "users other than its owner may read or write it (mode 0644)")

    def test_missing(self) -> None:
        """A file that is not there is named."""
        with self.assertRaises(FileError) as raised:
            read(self.folder / "none.toml")
        self.assertIn("No such file", str(raised.exception))
