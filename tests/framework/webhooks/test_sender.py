"""A request to a webhook: where it goes, how long it takes, and what is said of it."""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.ssl import Certificate, PrivateCertificate, trustRootFromCertificates
from twisted.trial.unittest import TestCase
from twisted.web.client import BrowserLikePolicyForHTTPS

from contentsvc.client import verify_webhook
from contentsvc.framework.core.timers import WallClock
from contentsvc.framework.webhooks.addresses import Rules
from contentsvc.framework.webhooks.sender import Answer, Sender
from contentsvc.framework.webhooks.signature import secret_of
from tests.support.badstore import HANG as SILENT
from tests.support.badstore import BadStore, Say, answer
from tests.support.certificates import certificate
from tests.support.names import Names
from tests.support.receiver import HANG, Receiver

SECRET = secret_of(b"a" * 32)
HERE = Rules.of(True, ["127.0.0.1"])


class SenderCase(TestCase):
    timeout = 30.0

    def setUp(self) -> None:
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)

    def sender(self, on: Any = reactor, rules: Rules = HERE, **options: Any) -> Sender:
        """One with these rules."""
        return Sender(on, WallClock(), rules, **options)

    async def sent(self, url: str = "", sender: Sender | None = None) -> Answer:
        """What comes of a request."""
        sender = sender or self.sender()
        return await sender.send(url or self.receiver.url, "hook.7", b'{"a": 1}', [SECRET])


class AnswerTests(SenderCase):
    async def test_delivered(self) -> None:
        """Every 2xx is delivered; what was sent is whole and signed, and asks for no cookies."""
        for status in (200, 201, 202, 204, 299):
            self.receiver.status = status
            found = await self.sent()
            self.assertEqual((found.status, found.error), (status, None))
        got = self.receiver.got[0]
        self.assertEqual(json.loads(got.body), {"a": 1})
        self.assertEqual(verify_webhook(SECRET, got.headers, got.body), "hook.7")
        self.assertEqual(got.headers["content-type"], "application/json")
        self.assertNotIn("cookie", got.headers)

    async def test_refused(self) -> None:
        """Nothing of another answer is told but its status."""
        for status in (304, 400, 404, 410, 429, 500, 503):
            self.receiver.status = status
            found = await self.sent()
            self.assertEqual((found.status, found.error), (status, f"the answer is {status}"))

    async def test_retry_after(self) -> None:
        """What a receiver asks to wait is told, in seconds; without, it is 0."""
        self.receiver.status = 503
        for said, seconds in (("90", 90.0), ("later", 0.0), (None, 0.0)):
            self.receiver.retry_after = said
            self.assertEqual((await self.sent()).retry_after, seconds)

    async def test_redirect(self) -> None:
        """A redirect is an answer like others, wherever it leads."""
        other = Receiver()
        self.addCleanup(other.stop)
        self.receiver.location = other.url
        for status in (301, 302, 303, 307, 308):
            self.receiver.status = status
            self.assertEqual((await self.sent()).error, f"the answer is {status}")
        self.assertEqual(other.got, [])

    async def test_hangs(self) -> None:
        """One that says nothing has so long."""
        self.receiver.status = HANG
        found = await self.sent(sender=self.sender(whole=0.2))
        self.assertEqual((found.status, found.error), (None, "no answer in 0.2 s"))
        self.assertTrue(0.2 <= found.seconds < 5)

    async def test_away(self) -> None:
        """Where nobody listens there is no connection."""
        url = self.receiver.url
        await self.receiver.stop()
        self.assertIn("no connection", (await self.sent(url)).error or "")

    async def test_bad_answers(self) -> None:
        """What is no HTTP, or has no end, is said without its words; a status with an endless body
        is delivered."""
        for say, error in (
            (Say(b"secret words\r\n\r\n", "close"), "the answer is not HTTP"),
            (Say(b"HTTP/1.1 200", "close"), "the connection was closed before an answer"),
            (Say(SILENT, "close"), "the connection was closed before an answer"),
            (Say(b"HTTP/1.1 200 X\r\n\r\n", "endless"), None),
            (Say(answer(200, b"", Content_Length="9"), "stay"), None),
        ):
            store = BadStore([say])
            self.addCleanup(store.stop)
            self.assertEqual((await self.sent(store.url + "/x")).error, error, say.said)

    async def test_stop(self) -> None:
        """When the service stops, what is under way ends."""
        self.receiver.status = HANG
        sender = self.sender()
        sending = Deferred.fromCoroutine(self.sent(sender=sender))
        await self.receiver.requests(1)
        sender.stop()
        await self.assertFailure(sending, CancelledError)


class TlsTests(SenderCase):
    """A receiver with a certificate, which the sender knows or does not."""

    def setUp(self) -> None:
        folder = Path(self.enterContext(TemporaryDirectory()))
        shown, hidden = certificate(folder, "hooks.studio.example")
        pem = shown.read_bytes()
        known = Certificate.loadPEM(pem)
        self.policy = BrowserLikePolicyForHTTPS(trustRootFromCertificates([known]))
        self.receiver = Receiver(PrivateCertificate.loadPEM(hidden.read_bytes() + pem))
        self.addCleanup(self.receiver.stop)

    async def asked(self, host: str, **options: Any) -> str | None:
        """What comes of a request to this name."""
        sender = self.sender(Names(["127.0.0.1"]), Rules.of(False, ["127.0.0.1"]), **options)
        url = f"https://{host}:{self.receiver.port}/x"
        return (await self.sent(url, sender)).error

    async def test_name(self) -> None:
        """The certificate is that of the name, although an address is connected to."""
        self.assertIsNone(await self.asked("hooks.studio.example", policy=self.policy))
        host = self.receiver.got[0].headers["host"]
        self.assertEqual(host, f"hooks.studio.example:{self.receiver.port}")

    async def test_not_good(self) -> None:
        """One of another name, or that nobody trusts, is refused before anything is sent."""
        why = "the certificate or the TLS of the host is not good"
        self.assertEqual(await self.asked("other.studio.example", policy=self.policy), why)
        self.assertEqual(await self.asked("hooks.studio.example"), why)
        self.assertEqual(self.receiver.got, [])


class PlaceTests(SenderCase):
    def url(self) -> str:
        """The receiver by a name."""
        return f"http://hooks.studio.example:{self.receiver.port}/x"

    async def test_name(self) -> None:
        """A name is looked up once for each request, and its own address is connected to."""
        names = Names(["127.0.0.1"], ["127.0.0.1"])
        sender = self.sender(names)
        for count in (1, 2):
            self.assertIsNone((await self.sent(self.url(), sender)).error)
            self.assertEqual((len(names.asked), names.connected), (count, ["127.0.0.1"] * count))
        host = f"hooks.studio.example:{self.receiver.port}"
        self.assertEqual(self.receiver.got[0].headers["host"], host)

    async def test_odd_name(self) -> None:
        """A name that IDNA refuses is one like others; what can be none is not asked for."""
        for host in ("hooks_1.studio--x.example", "_hook.example"):
            names = Names(["127.0.0.1"])
            url = f"http://{host}:{self.receiver.port}/x"
            self.assertIsNone((await self.sent(url, self.sender(names))).error)
            self.assertEqual(names.asked, [host])
        names = Names([])
        found = await self.sent(f"http://{'a' * 64}/x", self.sender(names))
        self.assertIn("not allowed: ", found.error or "")
        self.assertEqual(names.asked, [])

    async def test_ignored_proxy(self) -> None:
        """Where a proxy is named, which is not used, errors say so; one that is silent, too."""
        self.patch(os, "environ", {"HTTP_PROXY": "http://proxy.example:3128"})
        note = "; HTTP_PROXY is set, and is not used for this"
        error = (await self.sent(self.url(), self.sender(Names([])))).error
        self.assertEqual(error, f"the host has no public address{note}")
        self.receiver.status = HANG
        sender = self.sender(Names(["127.0.0.1"]), whole=0.2)
        error = (await self.sent(self.url(), sender)).error
        self.assertEqual(error, f"no answer in 0.2 s{note}")

    async def test_another_lookup(self) -> None:
        """A name that leads to an inner network at the second look is refused then."""
        names = Names(["127.0.0.1"], ["127.0.0.2"], ["10.0.0.1", "169.254.169.254"])
        sender = self.sender(names)
        self.assertIsNone((await self.sent(self.url(), sender)).error)
        for _ in range(2):
            error = (await self.sent(self.url(), sender)).error
            self.assertEqual(error, "the host has no public address")
        self.assertEqual((len(self.receiver.got), names.connected), (1, ["127.0.0.1"]))

    async def test_some(self) -> None:
        """Of several addresses only those are connected to that are allowed."""
        names = Names(["10.0.0.1", "127.0.0.2", "127.0.0.1"])
        self.assertIsNone((await self.sent(self.url(), self.sender(names))).error)
        self.assertEqual(names.connected, ["127.0.0.1"])

    async def test_none(self) -> None:
        """A name without an address is said in the same words."""
        error = (await self.sent(self.url(), self.sender(Names([])))).error
        self.assertEqual(error, "the host has no public address")

    async def test_settings(self) -> None:
        """What the settings do not allow any more is not sent."""
        found = await self.sent(sender=self.sender(rules=Rules()))
        self.assertEqual(found.error, "not allowed: The URL must begin with https://.")
        found = await self.sent(sender=self.sender(rules=Rules(insecure=True)))
        self.assertEqual(found.error, "not allowed: The host of the URL is no public address.")
        self.assertEqual(self.receiver.got, [])
