"""The form of mails, and the addresses that they can be sent to."""

from email import message_from_bytes, policy

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.mail.message import compose, link, mailable, mailbox


class AddressTests(SynchronousTestCase):
    def test_plain(self) -> None:
        """Plain addresses are as they are; the domain is made ASCII."""
        for address in ("ann@example.com", "a.b+c_d-e!#$%&'*/=?^`{|}~@x.example", "a@localhost"):
            self.assertEqual(mailable(address), address)
        self.assertEqual(mailable("ann@bücher.example"), "ann@xn--bcher-kva.example")

    def test_odd(self) -> None:
        """What a server could read as something else gets no mail."""
        for address in (
            *("änn@example.com", "ann@ex>ample.com", "<ann@example.com", "a,b@example.com"),
            *("a@b,c", "a>@b", '"a"@b', "a\x01@b", "a@b\x7f", "a:b@c", "a;b@c", "a(b)@c", "a\\@c"),
            *(".a@b", "a.@b", "a..b@c", "a@.b", "a@b.", "a@b..c", "a@-b", "a@[127.0.0.1]"),
            *("a" * 65 + "@b", "a@" + "b" * 64, "a@" + ".".join(["b" * 60] * 5), "a@b\u3002", "@b"),
        ):
            if mailable(address) is not None:
                self.assertRegex(mailable(address) or "", r"\A[!-~]+@[a-z0-9.-]+\Z", address)
                self.assertEqual(address, "a@b\u3002")

    def test_international(self) -> None:
        """With SMTPUTF8 there may be other letters before the @, as mail servers compare them; what
        cannot be seen, and dots without something between them, still not."""
        for address, sent in (
            ("j\xfcrgen@b\xfccher.example", "j\xfcrgen@xn--bcher-kva.example"),
            ("ju\u0308rgen@example.com", "j\xfcrgen@example.com"),
            ("\u7528\u6237@\u4f8b\u3048.jp", "\u7528\u6237@xn--r8jz45g.jp"),
            ("ann@example.com", "ann@example.com"),
        ):
            self.assertEqual(mailable(address, utf8=True), sent)
        for local in (
            *(
                "\xe4.",
                ".\xe4",
                "\xe4..b",
                '"\xe4"',
                "\xe4 b",
                "\xe4\u200bb",
                "\xe4\u202eb",
                "\xe4\xa0b",
            ),
            *("\xe4" * 33, "\ud83d", "=?utf-8?q?\xe4?=", "a.", "<\xe4"),
        ):
            self.assertIsNone(mailable(f"{local}@example.com", utf8=True), ascii(local))

    def test_other_reader(self) -> None:
        """What others read as another address gets no mail: encoded words, and letters that became
        their own in the domains of IDNA 2008."""
        for address in (
            *("=?utf-8?q?ann?=@example.com", "a=?utf-8?b?YW5u?=@example.com"),
            *("ann@stra\xdfe.example", "ann@STRA\u1e9eE.example", "ann@\u03b1\u03c2.example"),
            *("ann@ex\u200cample.com", "ann@ex\u200dample.com"),
        ):
            self.assertIsNone(mailable(address), ascii(address))


class MailboxTests(SynchronousTestCase):
    def test_same(self) -> None:
        """Addresses that may lead to one mailbox have it in common."""
        for address in (
            *("ann.lee@bücher.example", "ANN.Lee@BÜCHER.example", "annlee@xn--bcher-kva.example"),
            *("a.n.n.l.e.e@bücher.example", "annlee+x@bücher.example", "annlee+a+b@Bücher.example"),
            *("annlee@\uff42ücher.example", "annlee@bücher\u3002example"),
        ):
            self.assertEqual(mailbox(address), "annlee@xn--bcher-kva.example", address)

    def test_others(self) -> None:
        """Other addresses do not, even if nothing is left before the tag, or no mail goes there."""
        addresses = {"a@x", "b@x", "a@y", "a@x.y", "+a@x", "+b@x", "ä@x", "ö@x", "a@-b", "@x"}
        self.assertEqual(len(set(map(mailbox, addresses))), len(addresses))


class LinkTests(SynchronousTestCase):
    def test_link(self) -> None:
        """The token comes last in the query."""
        for url, made in (
            ("https://x/y", "https://x/y?token=t"),
            ("https://x", "https://x?token=t"),
            ("https://x/y?a=b", "https://x/y?a=b&token=t"),
            ("https://x/?a=b#c", "https://x/?a=b&token=t#c"),
            ("https://x/#/c", "https://x/?token=t#/c"),
        ):
            self.assertEqual(link(url, "t"), made)


class ComposeTests(SynchronousTestCase):
    def compose(self, subject: str = "Hello", body: str = "Hi\n") -> bytes:
        """A mail."""
        return compose(
            sender="no-reply@studio.example",
            sender_name="Das Studió, Ltd",
            recipient="ann@example.com",
            subject=subject,
            body=body,
            id="17",
            date=1_000_000_000,
        )

    def test_headers(self) -> None:
        """All headers that a mail needs, once, and nothing that is not ASCII."""
        raw = self.compose(subject="Grüße an alle")
        self.assertTrue(raw.isascii())
        message = message_from_bytes(raw, policy=policy.default)
        shown = {name: str(value) for name, value in message.items()}
        self.assertEqual(len(message.items()), len(shown))
        self.assertEqual(shown["From"], '"Das Studió, Ltd" <no-reply@studio.example>')
        self.assertEqual(shown["To"], "ann@example.com")
        self.assertEqual(shown["Subject"], "Grüße an alle")
        self.assertEqual(shown["Date"], "Sun, 09 Sep 2001 01:46:40 +0000")
        self.assertEqual(shown["Message-ID"], "<17@studio.example>")
        self.assertEqual(shown["Auto-Submitted"], "auto-generated")

    def test_body(self) -> None:
        """A body in ASCII goes as it is, links in one piece; another one is encoded."""
        url = f"https://portal.example/?token={'x' * 300}"
        self.assertIn(url.encode(), self.compose(body=f"{url}\n"))
        for body in ("Grüße\n", "x" * 5000 + "\n", "From here\n.\n..\n"):
            raw = self.compose(body=body)
            self.assertTrue(raw.isascii())
            self.assertTrue(raw.endswith(b"\r\n"))
            self.assertLess(max(map(len, raw.splitlines())), 998)
            self.assertNotRegex(raw, rb"(?<!\r)\n")
            message = message_from_bytes(raw, policy=policy.default)
            content = message.get_content()  # type: ignore[attr-defined]
            self.assertEqual(content.replace("\r\n", "\n"), body)
