"""Host names of outgoing connections: which there are, and how they are written."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.core.host_names import BadHost, ascii_host, ascii_url, port_of


class HostTests(SynchronousTestCase):
    def test_plain(self) -> None:
        """What is ASCII stays as it is, also what IDNA refuses."""
        for host in (
            "media_store",
            "_dmarc.studio.example",
            "eu--1.example",
            "r3---sn-apo3qvuoxuxbt-j5pe.example",
            "-begin.example",
            "end-.example",
            "xn--a",
            "Store.Example.",
            "a" * 63,
            "127.0.0.1",
            "::1",
            "fe80::1%eth0",
        ):
            self.assertEqual(ascii_host(host), host)

    def test_international(self) -> None:
        """Other names are those of IDNA."""
        self.assertEqual(ascii_host("bücher.example"), "xn--bcher-kva.example")
        self.assertEqual(ascii_host("Bücher.example"), "xn--bcher-kva.example")

    def test_bad(self) -> None:
        """What can be no name is refused with its reason."""
        long = f"{'a.' * 126}ab"
        for host in ("", ".", "a..b", ".a", "a" * 64, long, "a b", "a/b", "a%b", "ü_b"):
            with self.assertRaises(BadHost) as raised:
                ascii_host(host)
            self.assertIn(f"{host!r} is not the name of a host: ", str(raised.exception))

    def test_url(self) -> None:
        """A URL has its host in ASCII; what is encoded in it stays so."""
        for url, sent in (
            ("http://media_store:8080/a%2Fb?c=%20", "http://media_store:8080/a%2Fb?c=%20"),
            ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
            ("http://[::1]:8080/", "http://[::1]:8080/"),
        ):
            self.assertEqual(ascii_url(url), sent)
        for bad in ("store", "//store", "http://", "http://a..b/", "http://a:b@c/", "http://a:0/"):
            with self.assertRaises(ValueError):
                ascii_url(bad)

    def test_port(self) -> None:
        """A port is the scheme's own where the URL names none; other schemes are refused."""
        for url, port in (("http://a", 80), ("wss://a/", 443), ("https://a:8443/", 8443)):
            self.assertEqual(port_of(url), port)
        with self.assertRaises(ValueError):
            port_of("ftp://a:21/")
