"""The XML of listings, from stores that are not trusted."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.storage.bucket import ListedFile, StorageUnavailable
from contentsvc.framework.storage.listing import parse

HEAD = b'<?xml version="1.0" encoding="UTF-8"?>'
FILE = "<Contents><Key>{}</Key><Size>{}</Size></Contents>"


def listing(*parts: str) -> bytes:
    """A listing of these parts."""
    space = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
    return HEAD + f"<ListBucketResult {space}>{''.join(parts)}</ListBucketResult>".encode()


class ParseTests(SynchronousTestCase):
    def bad(self, body: bytes) -> None:
        """Assert that this is no listing."""
        with self.assertRaises(StorageUnavailable):
            parse(body)

    def test_files(self) -> None:
        """Files have a key and a size, whatever else is said of them and of the bucket."""
        owner = "<Owner><ID>1</ID><Key>not this</Key></Owner>"
        contents = f"<Contents>{owner}<Key>a&amp;b</Key><ETag>x</ETag><Size>5</Size></Contents>"
        page = parse(listing("<Name>bucket</Name>", contents, FILE.format("c", 2**40)))
        self.assertEqual(page.files, [ListedFile("a&b", 5), ListedFile("c", 2**40)])
        self.assertIsNone(page.next)

    def test_empty(self) -> None:
        """A bucket can be empty."""
        self.assertEqual(parse(listing()).files, [])

    def test_prefix(self) -> None:
        """Elements may have a prefix."""
        body = b"<s:ListBucketResult xmlns:s='x'><s:Contents><s:Key>k</s:Key><s:Size>1</s:Size>"
        page = parse(body + b"</s:Contents></s:ListBucketResult>")
        self.assertEqual(page.files, [ListedFile("k", 1)])

    def test_encoded(self) -> None:
        """Keys are decoded if, and only if, the store says that they are encoded."""
        key = FILE.format("a%20b%2B+%C3%BC%01", 1)
        self.assertEqual(parse(listing(key)).files[0].path, "a%20b%2B+%C3%BC%01")
        encoded = parse(listing(key, "<EncodingType>url</EncodingType>"))
        self.assertEqual(encoded.files[0].path, "a b+ ü\x01")

    def test_next(self) -> None:
        """A page that is not the last names the next one."""
        more = "<IsTruncated>true</IsTruncated>"
        token = "<NextContinuationToken>t/+=</NextContinuationToken>"
        self.assertEqual(parse(listing(more, token)).next, "t/+=")
        self.assertIsNone(parse(listing("<IsTruncated>false</IsTruncated>", token)).next)
        self.bad(listing(more))

    def test_entities(self) -> None:
        """A document type is refused, and with it all entities, of this text and of others."""
        for declared in (
            "<!DOCTYPE x>",
            '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>',
            '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
            '<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">',
        ):
            self.bad(HEAD + declared.encode() + b"<ListBucketResult/>")
        self.bad(listing(FILE.format("&a;", 1)))

    def test_garbage(self) -> None:
        """What is something else, or ends early, is no listing."""
        for body in (
            b"",
            b"{}",
            b"<html></html>",
            b"<ListBucketResult>",
            b"\xff\xfe",
            listing()[:-1],
            listing() + b"<x/>",
            listing("<Contents><Size>1</Size></Contents>"),
            listing("<Contents><Key>a</Key></Contents>"),
            listing(FILE.format("a", "many")),
            listing(FILE.format("a", -1)),
            listing(FILE.format("a", "9" * 5000)),
            listing(FILE.format("\x00", 1)),
            listing("<a>" * 5000),
        ):
            self.bad(body)
