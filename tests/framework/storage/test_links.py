"""The signed URLs of the daemon's own files."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.storage.links import (
    DownloadGrant,
    Expired,
    Forged,
    Links,
    UploadGrant,
)
from tests.framework.storage.support import KEYS, NOON, TOKEN, clock_at, named

PATH, OTHER = named(b"one"), named(b"other")


class LinksCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = clock_at(NOON)
        self.links = Links(KEYS, self.clock)

    def query(self, url: str) -> str:
        """The query of a URL."""
        return url.partition("?")[2]

    def altered(self, query: str) -> dict[str, str]:
        """The query with each parameter changed, dropped, repeated or moved, and with one more; by
        what was done."""
        parts = query.split("&")
        found = {"added": f"{query}&x=1", "before": f"x=1&{query}"}
        found |= {"empty": "", "blank": f"{query}&"}
        for at, part in enumerate(parts):
            name, _, value = part.partition("=")
            others = [*parts[:at], *parts[at + 1 :]]
            last = "1" if value[-1] != "1" else "2"
            found[f"{name} changed"] = "&".join([*parts[:at], part[:-1] + last, *parts[at + 1 :]])
            found[f"{name} dropped"] = "&".join(others)
            found[f"{name} repeated"] = "&".join([*parts, part])
            found[f"{name} last"] = "&".join([*others, part]) if at + 1 < len(parts) else "x"
            found[f"{name} upper"] = "&".join([*parts[:at], part.upper(), *parts[at + 1 :]])
        return found


class UploadTests(LinksCase):
    def test_good(self) -> None:
        """The URL of an upload allows just this file, for an hour."""
        url, expires = self.links.upload(PATH, 3, TOKEN)
        self.assertEqual(expires, NOON + 3600)
        self.assertTrue(url.startswith(f"/files/content/{PATH}?"))
        self.clock.advance(3599)
        self.assertEqual(
            self.links.check_upload(PATH, self.query(url)), UploadGrant(PATH, 3, TOKEN, 3599)
        )
        self.clock.advance(1)
        self.assertRaises(Expired, self.links.check_upload, PATH, self.query(url))

    def test_every_parameter(self) -> None:
        """Every parameter is signed, and so are their order and number."""
        query = self.query(self.links.upload(PATH, 3, TOKEN)[0])
        for done, altered in self.altered(query).items():
            with self.subTest(done):
                self.assertRaises(Forged, self.links.check_upload, PATH, altered)

    def test_path_and_method(self) -> None:
        """It is good for no other path, and not for reading."""
        query = self.query(self.links.upload(PATH, 3, TOKEN)[0])
        self.assertRaises(Forged, self.links.check_upload, OTHER, query)
        self.assertRaises(Forged, self.links.check_download, PATH, query)

    def test_keys(self) -> None:
        """A URL that was signed with an older key is good as long as that key is there."""
        query = self.query(Links(KEYS[1:], self.clock).upload(PATH, 3, TOKEN)[0])
        self.assertEqual(self.links.check_upload(PATH, query).size, 3)
        alone = Links(KEYS[:1], self.clock)
        self.assertRaises(Forged, alone.check_upload, PATH, query)

    def test_strange_key_id(self) -> None:
        """The id of a key may be any word."""
        links = Links([("a&b=ü%/+", b"k" * 32)], self.clock)
        query = self.query(links.upload(PATH, 3, TOKEN)[0])
        self.assertEqual(links.check_upload(PATH, query).token, TOKEN)


class DownloadTests(LinksCase):
    def test_full_hour(self) -> None:
        """The URL of a file stays the same for an hour, and is good for one to two hours more."""
        url, expires = self.links.download(PATH)
        self.assertEqual(expires, NOON + 7200)
        self.clock.advance(3599)
        self.assertEqual(self.links.download(PATH), (url, expires))
        self.assertEqual(self.links.check_download(PATH, self.query(url)).left, 3601)
        self.clock.advance(1)
        self.assertEqual(self.links.download(PATH)[1], NOON + 10800)
        self.assertEqual(self.links.check_download(PATH, self.query(url)).left, 3600)
        self.clock.advance(3600)
        self.assertRaises(Expired, self.links.check_download, PATH, self.query(url))

    def test_every_parameter(self) -> None:
        """Every parameter is signed, and so are their order and number."""
        for name in (None, "tower"):
            query = self.query(self.links.download(PATH, name)[0])
            for done, altered in self.altered(query).items():
                with self.subTest(f"{name}: {done}"):
                    self.assertRaises(Forged, self.links.check_download, PATH, altered)

    def test_name(self) -> None:
        """Whatever the name is, the URL has it in printable ASCII, and gives it back."""
        for name in (
            "tower.zip",
            "a&kid=b&signature=c",
            'q"\\é\U0001f5fc',
            "%41%",
            "\r\nX: 1",
            "x" * 255,
        ):
            url = self.links.download(PATH, name)[0]
            self.assertRegex(url, r"\A[!-~]+\Z")
            found = self.links.check_download(PATH, self.query(url))
            self.assertEqual(found, DownloadGrant(7200, name))

    def test_respelled_name(self) -> None:
        """The same name in another spelling is refused."""
        query = self.query(self.links.download(PATH, "a b")[0])
        for other in ("a+b", "a b", "%61%20b"):
            altered = query.replace("name=a%20b", f"name={other}")
            self.assertNotEqual(altered, query)
            self.assertRaises(Forged, self.links.check_download, PATH, altered)

    def test_path_and_method(self) -> None:
        """It is good for no other path, and not for writing."""
        query = self.query(self.links.download(PATH)[0])
        self.assertRaises(Forged, self.links.check_download, OTHER, query)
        self.assertRaises(Forged, self.links.check_upload, PATH, query)

    def test_media(self) -> None:
        """An image has its public URL."""
        path = named(b"one", "image/png")
        self.assertEqual(self.links.download(path)[0], f"/files/media/{path}")
