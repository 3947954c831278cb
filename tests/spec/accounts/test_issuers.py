"""The issuers with which pages log in: accounts#other-services."""

from typing import Any

from tests.spec.harness import SpecCase
from tests.support.daemon import Daemon
from tests.support.issuers import Issuer, PageIssuer, page_file

ISSUER = {
    "name": str,
    "issuer": str,
    "clientId": str,
    "authorizationEndpoint": (str, None),
    "tokenEndpoint": (str, None),
    "sendsIss": bool,
}


class IssuersTests(SpecCase):
    """GET /api/v1/issuers."""

    async def test_none(self) -> None:
        """Without a file of issuers there are none."""
        self.assertEqual([], await self.read("issuers", [ISSUER]))


class FileTests(SpecCase):
    """Of a file with an issuer for pages, and one without a name."""

    async def connect(self) -> None:
        self.own_daemon()
        self.issuer, unnamed = PageIssuer(), Issuer()
        self.addCleanup(unnamed.stop)
        path = page_file(self.issuer)
        path.write_text(path.read_text() + unnamed.file().read_text())
        await self.issuer.stop()
        self.addCleanup(self.issuer.stop)
        service = Daemon(environ={"ISSUERS": str(path)})
        self.addCleanup(service.stop)
        await service.start()
        self.use(service)

    async def test_file(self) -> None:
        """Those with a name and a client id are listed. The endpoints are null until the issuer has
        answered; a log-in with its token makes a user."""
        common = {"name": "Studio", "issuer": self.issuer.url, "clientId": "studio-pages"}
        nothing = {"authorizationEndpoint": None, "tokenEndpoint": None, "sendsIss": False}
        self.assertEqual([common | nothing], await self.read("issuers", [ISSUER]))
        self.issuer.back()
        found: dict[str, Any] = nothing
        while found["tokenEndpoint"] is None:
            (found,) = await self.read("issuers", [ISSUER])
        self.assertEqual(f"{self.issuer.url}/authorize?at=first", found["authorizationEndpoint"])
        self.assertEqual(
            (f"{self.issuer.url}/token", True), (found["tokenEndpoint"], found["sendsIss"])
        )
