"""The client's address, and the scheme that it used."""

import struct
from collections.abc import Sequence
from ipaddress import ip_address

from twisted.internet.address import IPv4Address, IPv6Address, UNIXAddress
from twisted.internet.interfaces import IAddress, ISSLTransport
from twisted.protocols.haproxy._wrapper import HAProxyWrappingFactory
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import directlyProvides

from contentsvc.framework.http.call import Call
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.proxies import Proxies, address_of, network
from contentsvc.framework.http.route import route
from tests.framework.http.support import Client, Service, WebCase

PROXY = IPv4Address("TCP", "10.0.0.1", 4000)
V2 = b"\r\n\r\n\x00\r\nQUIT\n"


class Mirror:
    """Says what it knows of its client."""

    @route("GET", "/me", allow=ANYONE)
    async def me(self, call: Call) -> list[str]:
        return [call.address, call.base_url]


class AddressTests(SynchronousTestCase):
    """A peer as text."""

    def test_kinds(self) -> None:
        """IPv4 and IPv6 are in their short form, without zone, mapped ones as IPv4."""
        for host, found in (
            ("192.0.2.7", "192.0.2.7"),
            ("2001:DB8:0:0::7", "2001:db8::7"),
            ("fe80::7%eth0", "fe80::7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
        ):
            self.assertEqual(address_of(IPv6Address("TCP", host, 1)), found)

    def test_unix(self) -> None:
        """All clients of a Unix socket are one."""
        self.assertEqual(address_of(UNIXAddress(None)), "unix")

    def test_none(self) -> None:
        """Text that is no address is ignored, so that nobody writes into the log."""
        for host in ("", "x user=root", "1.2.3.4\n", "1.2.3", "::1 "):
            self.assertEqual(address_of(IPv4Address("TCP", host, 1)), "-")


class NetworkTests(SynchronousTestCase):
    """The addresses by which limits count."""

    def test_networks(self) -> None:
        """An IPv6 address stands for its /64, any other for itself."""
        for address in ("2001:db8:1:2::7", "2001:db8:1:2:ffff:1:2:3"):
            self.assertEqual(network(address), "2001:db8:1:2::/64")
        self.assertEqual(network("2001:db8:1:3::7"), "2001:db8:1:3::/64")
        for address in ("192.0.2.7", "unix", "-"):
            self.assertEqual(network(address), address)


class ForwardedTests(SynchronousTestCase):
    """X-Forwarded-For, from the right."""

    def client(
        self, *forwarded: bytes, trusted: Sequence[str] = ("10.0.0.0/8", "2001:db8::/32")
    ) -> str:
        """The client that these values name."""
        return Proxies(trusted).client("10.0.0.1", forwarded)

    def test_one(self) -> None:
        """One proxy names its client."""
        self.assertEqual(self.client(b"192.0.2.7"), "192.0.2.7")

    def test_made_up(self) -> None:
        """Entries that the client sent itself are further left, and are not read."""
        self.assertEqual(self.client(b"198.51.100.1, 10.1.1.1, 192.0.2.7"), "192.0.2.7")

    def test_chain(self) -> None:
        """Trusted proxies in between are passed over."""
        self.assertEqual(self.client(b"192.0.2.7, 10.2.0.9,2001:db8::9"), "192.0.2.7")

    def test_several_headers(self) -> None:
        """Several headers are one list, in their order."""
        self.assertEqual(self.client(b"198.51.100.1", b"192.0.2.7", b"10.2.0.9"), "192.0.2.7")

    def test_all_trusted(self) -> None:
        """Where all are trusted, the first of them asked."""
        self.assertEqual(self.client(b"10.3.3.3, 10.2.2.2"), "10.3.3.3")

    def test_forms(self) -> None:
        """Ports, brackets and mapped addresses are understood; empty entries are none."""
        for entry, found in (
            (b"192.0.2.7:4711", "192.0.2.7"),
            (b"[2001:dead::7]:4711", "2001:dead::7"),
            (b"[2001:dead::7]", "2001:dead::7"),
            (b"2001:DEAD::7", "2001:dead::7"),
            (b"::ffff:192.0.2.7", "192.0.2.7"),
            (b"192.0.2.7, ,\t,", "192.0.2.7"),
        ):
            self.assertEqual(self.client(entry), found, entry)

    def test_garbage(self) -> None:
        """An entry that is no address ends the reading at the hop that sent it."""
        for entry in (b"unknown", b"_hidden", b"1.2.3", b"fe80::1%a b", b"\xff\xfe", b"[", b":"):
            self.assertEqual(self.client(b"192.0.2.7, " + entry), "10.0.0.1", entry)
            self.assertEqual(self.client(b"192.0.2.7," + entry + b",10.5.5.5"), "10.5.5.5", entry)
        self.assertEqual(self.client(), "10.0.0.1")
        self.assertEqual(self.client(b""), "10.0.0.1")

    def test_endless(self) -> None:
        """However long the list is, only its end is read."""
        proxies = Proxies(["10.0.0.0/8"])
        for hops, found in ((30, "192.0.2.7"), (40, "10.2.2.2"), (100_000, "10.2.2.2")):
            forwarded = b"192.0.2.7," + b"10.2.2.2," * hops + b"10.1.1.1"
            self.assertEqual(proxies.client("10.0.0.1", [forwarded]), found)
        self.assertEqual(proxies.client("10.0.0.1", [b"192.0.2.7" + b"," * 1_000_000]), "10.0.0.1")

    def test_mapped_network(self) -> None:
        """A network that was written as mapped addresses is one of IPv4."""
        self.assertEqual(
            self.client(b"192.0.2.7, 10.9.9.9", trusted=["::ffff:10.0.0.0/104"]), "192.0.2.7"
        )


class RequestTests(WebCase):
    """The client's address, through a site."""

    def asked(
        self, peer: IAddress, *, trusted: Sequence[str] = ("10.0.0.1",), **headers: str
    ) -> list[str]:
        """The address and base URL that the operation sees."""
        client = Service([Mirror()], trusted_proxies=trusted).connect(peer)
        client.ask("GET", "/me", **headers)
        found: list[str] = client.answer().json()
        return found

    def test_stranger(self) -> None:
        """The headers of a peer that is not trusted mean nothing."""
        peer = IPv4Address("TCP", "10.0.0.2", 4000)
        headers = {"X_Forwarded_For": "192.0.2.7", "X_Forwarded_Proto": "https"}
        self.assertEqual(self.asked(peer, **headers), ["10.0.0.2", "http://test"])
        self.assertEqual(self.asked(PROXY, trusted=(), **headers), ["10.0.0.1", "http://test"])

    def test_trusted(self) -> None:
        """Those of a trusted one do."""
        found = self.asked(PROXY, X_Forwarded_For="192.0.2.7", X_Forwarded_Proto="https")
        self.assertEqual(found, ["192.0.2.7", "https://test"])

    def test_unix(self) -> None:
        """A peer on a Unix socket is trusted as `unix`."""
        headers = {"X_Forwarded_For": "192.0.2.7", "X_Forwarded_Proto": "https"}
        found = self.asked(UNIXAddress(None), trusted=["unix"], **headers)
        self.assertEqual(found, ["192.0.2.7", "https://test"])
        self.assertEqual(self.asked(UNIXAddress(None), **headers), ["unix", "http://test"])

    def test_scheme(self) -> None:
        """The nearest proxy's word of the scheme counts, and only one of two."""
        for said, scheme in (
            ("http, https", "https"),
            ("HTTPS", "https"),
            ("https, http", "http"),
            ("http", "http"),
            ("javascript", "http"),
            ("", "http"),
        ):
            self.assertEqual(self.asked(PROXY, X_Forwarded_Proto=said)[1], f"{scheme}://test")

    def test_tls(self) -> None:
        """A request by TLS is https, also if a header says otherwise."""
        client = Service([Mirror()], trusted_proxies=["10.0.0.1"]).connect(PROXY)
        directlyProvides(client.transport, ISSLTransport)
        client.ask("GET", "/me", X_Forwarded_Proto="http")
        self.assertEqual(client.answer().json()[1], "https://test")

    def test_whole_url(self) -> None:
        """The host of a target that is a whole URL outweighs the Host header."""
        client = Service([Mirror()]).connect()
        client.send(b"GET http://other:81/me HTTP/1.1\r\nHost: t\r\n\r\n")
        self.assertEqual(client.answer().json()[1], "http://other:81")
        client = Service([Mirror()]).connect()
        client.send(b"GET http://user@other/me HTTP/1.1\r\nHost: t\r\n\r\n")
        self.problem(client.answer(), 400, "invalid_host")

    def test_each_request(self) -> None:
        """The requests of one connection have a client each."""
        client = Service([Mirror()], trusted_proxies=["10.0.0.1"]).connect(PROXY)
        for address in ("192.0.2.7", "192.0.2.8", "192.0.2.7"):
            client.ask("GET", "/me", X_Forwarded_For=address)
        client.ask("GET", "/me")
        found = [answer.json()[0] for answer in client.answers()]
        self.assertEqual(found, ["192.0.2.7", "192.0.2.8", "192.0.2.7", "10.0.0.1"])

    def test_log(self) -> None:
        """The line in the log has it."""
        events = self.logged()
        self.asked(PROXY, X_Forwarded_For="192.0.2.7")
        (line,) = self.lines(events)
        self.assertIn(" client=192.0.2.7 ", line)


class ProxyProtocolTests(WebCase):
    """`--listen haproxy:…`: the peer is the one that the PROXY header names."""

    def asked(self, *pieces: bytes, peer: IAddress = PROXY) -> str:
        """The address that the operation sees, after these bytes."""
        service = Service([Mirror()])
        client = Client(service.site, peer, HAProxyWrappingFactory(service.site))
        for piece in pieces:
            client.send(piece)
        client.ask("GET", "/me")
        client.ask("GET", "/me")
        first, second = (answer.json()[0] for answer in client.answers())
        self.assertEqual(first, second)
        return str(first)

    def v2(self, family: int, addresses: bytes) -> bytes:
        """A header of version 2."""
        return V2 + struct.pack("!BBH", 0x21, family, len(addresses)) + addresses

    def test_version_1(self) -> None:
        """Version 1, of IPv4 and IPv6, whole or in pieces."""
        self.assertEqual(self.asked(b"PROXY TCP4 192.0.2.7 10.0.0.9 5000 80\r\n"), "192.0.2.7")
        self.assertEqual(self.asked(b"PROXY TC", b"P6 2001:db8::7 ::1 5000 80\r\n"), "2001:db8::7")

    def test_version_2(self) -> None:
        """Version 2, of IPv4, IPv6 and Unix sockets."""
        four = ip_address("192.0.2.7").packed + ip_address("10.0.0.9").packed
        self.assertEqual(self.asked(self.v2(0x11, four + bytes(4))), "192.0.2.7")
        six = ip_address("2001:db8::7").packed + ip_address("::1").packed
        self.assertEqual(self.asked(self.v2(0x21, six + bytes(4))), "2001:db8::7")
        mapped = ip_address("::ffff:192.0.2.7").packed + ip_address("::1").packed
        self.assertEqual(self.asked(self.v2(0x21, mapped + bytes(4))), "192.0.2.7")
        self.assertEqual(self.asked(self.v2(0x31, bytes(216))), "unix")

    def test_own(self) -> None:
        """A connection of the proxy's own, or of an unknown kind, has the proxy as its client."""
        local = V2 + struct.pack("!BBH", 0x20, 0, 0)
        for header in (local, b"PROXY UNKNOWN ::1 ::1 1 2\r\n"):
            self.assertEqual(self.asked(header), "10.0.0.1")
            self.assertEqual(self.asked(header, peer=UNIXAddress(None)), "unix")

    def test_garbage(self) -> None:
        """An address that is none is none."""
        self.assertEqual(self.asked(b"PROXY TCP4 user=root x 1 2\r\n"), "-")
