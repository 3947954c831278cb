"""Requests to other services: hosts by any name, what errors say, and Retry-After."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from twisted.internet import reactor
from twisted.internet.endpoints import wrapClientTLS
from twisted.internet.error import DNSLookupError, TimeoutError
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.ssl import Certificate, PrivateCertificate, trustRootFromCertificates
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase, TestCase
from twisted.web.client import HTTPConnectionPool
from twisted.web.http_headers import Headers

from contentsvc.framework.core.connections import Trusting, endpoint, trusting
from contentsvc.framework.core.http_client import agent_of, reason, request, retry_after
from tests.support.badstore import BadStore, Say, answer
from tests.support.certificates import certificate
from tests.support.names import Names

ODD = ("media_store", "eu--1.example", "_hooks.studio.example", "-x-.example")
"""Names that IDNA refuses."""


class Later:
    """A resolver whose answer is the test's."""

    receiver: Any

    def resolveHostName(self, receiver: Any, *about: Any, **more: Any) -> None:
        """Keep who waits."""
        self.receiver = receiver


class RequestCase(TestCase):
    timeout = 30.0

    def store(self, *says: bytes | Say, certificate: Any = None) -> BadStore:
        """A server that says this."""
        store = BadStore(says, certificate)
        self.addCleanup(store.stop)
        return store

    async def status(self, url: str, names: Any = None, **options: Any) -> int:
        """The status of the answer to a GET."""
        on = names or Names()
        agent = agent_of(on, HTTPConnectionPool(reactor, False), **options)
        response = await request(agent, "GET", url, {})
        return int(response.code)

    async def fault(self, url: str, names: Any = None, **options: Any) -> str:
        """Why there is none."""
        try:
            await self.status(url, names, **options)
        except Exception as error:
            return reason(error)
        raise AssertionError("there is an answer")


class NameTests(RequestCase):
    async def test_plain(self) -> None:
        """A name in ASCII that IDNA refuses is looked up, and is the header Host, as it is."""
        store = self.store(answer())
        port = store.url.rpartition(":")[2]
        for host in ODD:
            names = Names()
            self.assertEqual(await self.status(f"http://{host}:{port}/", names), 200)
            self.assertEqual(names.asked, [host])
            self.assertIn(f"Host: {host}:{port}", store.asked[-1].decode().splitlines())

    async def test_tls(self) -> None:
        """So it is over TLS, with the certificate of that name and with no other."""
        folder = Path(self.enterContext(TemporaryDirectory()))
        for host in ODD:
            shown, hidden = certificate(folder, host)
            pem = shown.read_bytes()
            own = PrivateCertificate.loadPEM(hidden.read_bytes() + pem)
            trust = trustRootFromCertificates([Certificate.loadPEM(pem)])
            port = self.store(answer(), certificate=own).url.rpartition(":")[2]
            policy = Trusting(trust)
            self.assertEqual(await self.status(f"https://{host}:{port}/", policy=policy), 200)
            self.assertEqual(await self.status(f"https://{host}.:{port}/", policy=policy), 200)
            await self.fault(f"https://other_{host}:{port}/", policy=policy)
            to = wrapClientTLS(trusting(host, trust), endpoint(Names(), host, int(port)))
            protocol: Any = await to.connect(Factory.forProtocol(Protocol))
            protocol.transport.abortConnection()

    async def test_bad(self) -> None:
        """What can be no name is an error that says so; nothing is looked up."""
        for url in ("http://a..b/", f"http://{'a' * 64}/", "http://a%20b/"):
            names = Names()
            self.assertIn("is not the name of a host", await self.fault(url, names))
            self.assertEqual(names.asked, [])


class ReasonTests(RequestCase):
    async def test_not_resolved(self) -> None:
        """A name without addresses: that, and which."""
        self.assertEqual(
            await self.fault("http://media_store/", Names([])),
            "DNS lookup failed: no results for hostname lookup: media_store.",
        )

    def test_resolver_away(self) -> None:
        """Where the resolver does not answer, the name is not resolved, after a while; an answer
        that comes later does not matter."""
        clock, names = MemoryReactorClock(), Later()
        clock.nameResolver = names
        agent = agent_of(clock, HTTPConnectionPool(clock, False), lookup=4.0)
        asking = request(agent, "GET", "http://media_store/", {})
        clock.advance(3.9)
        self.assertNoResult(asking)
        clock.advance(0.1)
        self.assertEqual(
            reason(self.failureResultOf(asking).value),
            "DNS lookup failed: no answer in 4 s for hostname lookup: media_store.",
        )
        names.receiver.resolutionComplete()

    def test_cancelled_lookup(self) -> None:
        """One that is cancelled meanwhile has surely not been sent."""
        clock = MemoryReactorClock()
        clock.nameResolver = Later()
        agent = agent_of(clock, HTTPConnectionPool(clock, False))
        asking = request(agent, "GET", "http://media_store/", {})
        asking.cancel()
        self.failureResultOf(asking, DNSLookupError)
        self.assertEqual(clock.getDelayedCalls(), [])

    async def test_refused(self) -> None:
        """Where nobody listens the connection was refused."""
        store = BadStore([answer()])
        url = store.url
        await store.stop()
        self.assertIn("Connection was refused", await self.fault(url))

    def test_no_answer(self) -> None:
        """Where nothing comes back there is no answer."""
        clock = MemoryReactorClock()
        agent = agent_of(clock, HTTPConnectionPool(clock, False), 5.0)
        asking = request(agent, "GET", "http://127.0.0.1/", {})
        (_, _, factory, timeout, _) = clock.tcpClients[0]
        self.assertEqual(timeout, 5.0)
        factory.clientConnectionFailed(None, Failure(TimeoutError()))
        clock.advance(10)
        text = reason(self.failureResultOf(asking).value)
        self.assertEqual(text, "no answer: the connection was not made in time")

    async def test_no_http(self) -> None:
        """What speaks something else, and what hangs up, are told apart; a stranger's words are not
        repeated."""
        for said, why in (
            (b"SSH-2.0-secret\r\n\r\n", "the answer is not HTTP"),
            (b"HTTP/1.1 200", "the connection was closed before an answer"),
            (b"", "the connection was closed before an answer"),
        ):
            self.assertEqual(await self.fault(self.store(Say(said, "close")).url), why)

    async def test_ignored_proxy(self) -> None:
        """Where a proxy is named that is not used, the error says so."""
        self.patch(os, "environ", {"HTTPS_PROXY": "http://proxy.example:3128"})
        text = await self.fault("https://s3_store.example/", Names([]))
        self.assertIn("s3_store.example.; HTTPS_PROXY is set, and is not used for this", text)
        text = await self.fault("http://s3_store.example/", Names([]))
        self.assertNotIn("PROXY", text)


class RetryAfterTests(SynchronousTestCase):
    def found(self, value: str, **others: str) -> float | None:
        """What is found in this header, at the Unix second 784111777."""
        headers = {"Retry-After": [value]} | {name: [text] for name, text in others.items()}
        return retry_after(Headers(headers), 784_111_777.0)

    def test_seconds(self) -> None:
        """Seconds are seconds."""
        for value, seconds in (("0", 0), ("120", 120), (" 7 ", 7), ("1.5", 1.5)):
            self.assertEqual(self.found(value), seconds)

    def test_date(self) -> None:
        """A date counts from the answer's own Date, or else from now; one that is over is 0."""
        at = "Sun, 06 Nov 1994 08:50:37 GMT"
        self.assertEqual(self.found(at), 60)
        self.assertEqual(self.found(at, Date="Sun, 06 Nov 1994 08:50:07 GMT"), 30)
        self.assertEqual(self.found("Sun, 06 Nov 1994 08:00:00 GMT"), 0)

    def test_none(self) -> None:
        """All else says nothing."""
        for value in ("", "soon", "-1", "nan", "inf", "1e9", "9" * 13, "Sun, 99 Nov 1994"):
            self.assertIsNone(self.found(value), value)
        self.assertIsNone(retry_after(Headers(), Clock().seconds()))
        self.assertIsNone(retry_after(Headers({b"Retry-After": [b"\xff"]}), 0.0))
