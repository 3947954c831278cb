"""Where webhooks may lead."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.webhooks.addresses import BadUrl, NotAllowed, Rules

PUBLIC = (
    *("1.1.1.1", "8.8.8.8", "93.184.215.14", "2606:4700::1111", "2a00:1450:4001::1"),
    *("::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"),
)
INNER = (
    *("0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.1.2.3", "169.254.169.254"),
    *("172.16.0.1", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1"),
    *("198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::7f00:1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1"),
    *("ff02::1", "100::1", "2001:db8::1", "2001:2::1", "3fff::1", "5f00::1", "4000::1"),
    *("64:ff9b:1::1", "2620:4f:8000::1"),
    # IPv4 in IPv6: mapped, NAT64, 6to4, Teredo.
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1"),
    *("2002:7f00:1::", "2002:a00:1::1", "2001:0:7f00:1::", "2001:0:808:808:0:0:80ff:fffe"),
    *("", "x", "127.1"),
)


class AddressTests(SynchronousTestCase):
    def test_public(self) -> None:
        """What everybody on the internet reaches is allowed."""
        self.assertEqual([each for each in PUBLIC if not Rules().allow(each)], [])

    def test_inner(self) -> None:
        """What only some networks have is not, in no form; nor is what many receive."""
        self.assertEqual([each for each in INNER if Rules().allow(each)], [])

    def test_networks(self) -> None:
        """A network that the settings name is allowed, and only that; IPv4 in IPv6 is IPv4."""
        rules = Rules.of(False, ["10.1.0.0/16", "fd00::/8", "127.0.0.1"])
        for address in ("10.1.2.3", "fd12::1", "127.0.0.1", "::ffff:10.1.2.3", "64:ff9b::a01:203"):
            self.assertTrue(rules.allow(address), address)
        for address in ("10.2.0.1", "127.0.0.2", "fe80::1", "::ffff:10.2.0.1", "::1"):
            self.assertFalse(rules.allow(address), address)


class UrlTests(SynchronousTestCase):
    def refused(self, rules: Rules, *urls: str) -> None:
        """None of these may be."""
        for url in urls:
            with self.assertRaises(NotAllowed, msg=url):
                rules.check(url)

    def test_good(self) -> None:
        """A name is allowed, whatever its addresses are; and so is a public address."""
        for url in (
            *("https://hooks.studio.example/x?y=1", "https://hooks.studio.example:8443"),
            *("HTTPS://Hooks.Studio.Example/", "https://8.8.8.8/", "https://[2606:4700::1111]/x"),
        ):
            Rules().check(url)

    def test_plain_names(self) -> None:
        """Names in ASCII that IDNA refuses are names."""
        for host in ("hook_1.example", "eu--1.hook.example", "_hook.example"):
            Rules().check(f"https://{host}/")

    def test_refused(self) -> None:
        """Another scheme, a user, a password, localhost and addresses of inner networks are not, in
        any form that a resolver takes."""
        self.refused(
            Rules(),
            *("http://hooks.studio.example/", "ftp://hooks.studio.example/"),
            *("https://user@hooks.studio.example/", "https://user:word@hooks.studio.example/"),
            *("https://:word@hooks.studio.example/", "https://@hooks.studio.example/"),
            *("https://localhost/", "https://LOCALHOST./", "https://a.localhost/"),
            *("https://127.0.0.1/", "https://127.1/", "https://2130706433/", "https://0x7f.1/"),
            *("https://017700000001/", "https://10.0.0.1:8443/", "https://169.254.169.254/"),
            *("https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://[fe80::1]/"),
        )

    def test_development(self) -> None:
        """With the settings for it, http and networks are."""
        rules = Rules.of(True, ["127.0.0.0/8"])
        for url in ("http://127.0.0.1:8000/", "https://127.0.0.1/", "http://localhost:8000/"):
            rules.check(url)
        self.refused(rules, "http://10.0.0.1/", "ftp://127.0.0.1/")
        self.refused(Rules.of(False, ["127.0.0.0/8"]), "http://127.0.0.1/")

    def test_no_url(self) -> None:
        """What is no absolute URL is another fault."""
        for url in (
            *("", "hook", "/hook", "//hook.example/", "https:", "https://", "https:///hook"),
            *("https://hook.example:0/", "https://hook.example:65536/", "https://hook.example:x/"),
            *("https://hook.example:/", "https://ho%6fk.example/", "https://[::1/"),
            *("https://hook.example\\x/", "https://./", "https://hook..example/"),
            *(f"https://{'h' * 64}.example/", "https://hök.example/"),
        ):
            with self.assertRaises(BadUrl, msg=url):
                Rules().check(url)
