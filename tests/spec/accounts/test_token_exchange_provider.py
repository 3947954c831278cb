"""Log-in with the accounts of a real OpenID provider, npm's oidc-provider
(accounts#other-services)."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

from treq.client import HTTPClient
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.protocol import ProcessProtocol
from twisted.internet.utils import getProcessOutputAndValue
from twisted.trial.unittest import SkipTest
from twisted.web.client import Agent, HTTPConnectionPool

from tests.spec.data import guid
from tests.spec.harness import SpecCase
from tests.support.daemon import Daemon
from tests.support.issuers import GRANT, ID_TOKEN, JWT

FILES = Path(__file__).with_name("provider")
ALGORITHMS = ("RS256", "ES256", "EdDSA")
RESOURCE = "urn:example:game"
BACK = "http://127.0.0.1/back"


class Process(ProcessProtocol):
    """A provider under way. `issuer` fires with its URL."""

    def __init__(self) -> None:
        self.said = ""
        self.issuer: Deferred[str] = Deferred()
        self.ended: Deferred[None] = Deferred()

    def outReceived(self, data: bytes) -> None:
        self.said += data.decode()
        if "\n" in self.said and not self.issuer.called:
            self.issuer.callback(self.said.split("\n")[0])

    def errReceived(self, data: bytes) -> None:
        """Node warns that this is not for production."""

    def processEnded(self, reason: Any) -> None:
        if not self.issuer.called:
            self.issuer.errback(reason)
        self.ended.callback(None)

    async def stop(self) -> None:
        """End it, if it runs."""
        if not self.ended.called:
            self.transport.signalProcess("KILL")
            await self.ended


class Player:
    """A browser in which somebody logs in."""

    def __init__(self, issuer: str) -> None:
        self._issuer = issuer
        agent = Agent(reactor, pool=HTTPConnectionPool(reactor, persistent=False))
        self._client = HTTPClient(agent)

    async def _follow(self, method: str, url: str, **sent: Any) -> str:
        """The URL to which the provider leads from here."""
        while True:
            response = await self._client.request(
                method, url, allow_redirects=False, reactor=reactor, **sent
            )
            await response.content()
            where = response.headers.getRawHeaders("Location")
            if not where:
                return url
            method, url, sent = "GET", urljoin(url, where[0]), {}
            if url.startswith(BACK):
                return url

    async def id_token(self, subject: str, client: str) -> str:
        """An ID token, by the code flow with PKCE."""
        verifier = secrets.token_urlsafe(32)
        digest = hashlib.sha256(verifier.encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        parameters = {
            "client_id": client,
            "response_type": "code",
            "scope": "openid profile",
            "redirect_uri": BACK,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        at = await self._follow("GET", f"{self._issuer}/auth", params=parameters)
        form = {"prompt": "login", "login": subject, "password": "x"}
        at = await self._follow("POST", at, data=form)
        at = await self._follow("POST", at, data={"prompt": "consent"})
        code = parse_qs(urlsplit(at).query)["code"][0]
        answer = await self.token(
            grant_type="authorization_code",
            code=code,
            redirect_uri=BACK,
            client_id=client,
            code_verifier=verifier,
        )
        return str(answer["id_token"])

    async def token(self, **form: str) -> dict[str, Any]:
        """The answer of the provider's own token endpoint."""
        response = await self._client.post(f"{self._issuer}/token", data=form, reactor=reactor)
        return dict(json.loads(await response.content()))


class ProviderTests(SpecCase):
    """One test for all, since it takes an installation."""

    timeout = 300.0

    async def connect(self) -> None:
        self.own_daemon()
        required = os.environ.get("CONTENTSVC_REQUIRE_NPM") == "1"
        npm, node = shutil.which("npm"), shutil.which("node")
        if npm is None or node is None:
            if required:
                self.fail("npm is not installed")
            raise SkipTest("npm is not installed")
        self.node = node
        folder = tempfile.TemporaryDirectory(prefix="contentsvc-provider-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        shutil.copytree(FILES, self.folder, dirs_exist_ok=True)
        out, err, status = await getProcessOutputAndValue(
            npm,
            ["ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            env=os.environ,
            path=self.folder,
        )
        if status != 0:
            if required:
                self.fail((out + err).decode())
            raise SkipTest(f"npm ci: {(out + err).decode()}")
        self.provider = await self.provide()
        self.issuer = await self.provider.issuer
        service = Daemon("--issuers", self.file())
        await service.start()
        self.addCleanup(service.stop)
        self.use(service)

    def file(self) -> str:
        """The path of a file of issuers with the provider."""
        file = Path(self.folder, "issuers.toml")
        audiences = [*(f"game-{algorithm}" for algorithm in ALGORITHMS), RESOURCE]
        file.write_text(f'[[issuer]]\nissuer = "{self.issuer}"\naudience = {audiences}\n')
        return str(file)

    async def provide(self, *port: str) -> Process:
        """A provider that runs, with new keys."""
        process = Process()
        arguments = [self.node, "provider.mjs", *port]
        reactor.spawnProcess(process, self.node, arguments, env=os.environ, path=self.folder)
        self.addCleanup(process.stop)
        return process

    async def exchanged(self, token: str, token_type: str = ID_TOKEN) -> dict[str, Any]:
        """The answer to the exchange of this token."""
        form = {"grant_type": GRANT, "subject_token": token, "subject_token_type": token_type}
        response = await self.post("/oauth/token", data=form, expect=200)
        return dict(response.json())

    async def test_provider(self):
        """ID tokens of all three algorithms and access tokens that are JWTs log in; the keys serve
        on while the provider is away, and new ones are found when it is back."""
        subject = guid()
        users = set()
        for algorithm in ALGORITHMS:
            token = await Player(self.issuer).id_token(subject, f"game-{algorithm}")
            answer = await self.exchanged(token)
            users.add(answer["userId"])
        self.assertEqual(1, len(users))
        found = await self.get(f"user/{answer['userId']}", by=answer["access_token"], expect=200)
        self.assertEqual(f"n-{subject[:16]}", found.json()["username"])
        jwt = await Player(self.issuer).token(
            grant_type="client_credentials",
            client_id="server",
            client_secret="a secret",
            resource=RESOURCE,
            scope="play",
        )
        other = await self.exchanged(jwt["access_token"], JWT)
        self.assertNotIn(other["userId"], users)

        await self.provider.stop()
        self.assertEqual(answer["userId"], (await self.exchanged(token))["userId"])
        again = await self.provide(str(urlsplit(self.issuer).port))
        self.assertEqual(self.issuer, await again.issuer)
        token = await Player(self.issuer).id_token(subject, "game-RS256")
        self.assertEqual(answer["userId"], (await self.exchanged(token))["userId"])
