"""A daemon that takes the tokens of an issuer, and the exchange of tokens (RFC 8693)."""

from __future__ import annotations

from typing import Any, ClassVar

from tests.spec.client import Response
from tests.spec.harness import SpecCase
from tests.spec.shapes import GUID, instant
from tests.support.daemon import Daemon, shared
from tests.support.issuers import GRANT, ID_TOKEN, Issuer

IDENTITY = {"id": GUID, "issuer": str, "subject": str, "linked": instant}


class ExchangeCase(SpecCase):
    """A daemon that takes the tokens of an issuer which the test moves."""

    issuer: ClassVar[Issuer | None] = None

    async def connect(self) -> None:
        self.own_daemon()
        if ExchangeCase.issuer is not None:
            ExchangeCase.issuer.back()
        self.use(await shared("exchange", self.make))
        assert ExchangeCase.issuer is not None
        self.at = ExchangeCase.issuer
        self.addCleanup(self.at.stop)

    @classmethod
    def make(cls) -> Daemon:
        """The daemon, and the issuer, which is there during the tests."""
        issuer = ExchangeCase.issuer = Issuer()
        environ = {"ISSUERS": str(issuer.file(issuer.steam)), "FAILED_LOG_INS_PER_ADDRESS": "0"}
        return Daemon(environ=environ)

    async def exchange(self, token: str, **changes: str | None) -> Response:
        """The answer to a token exchange. A change to None leaves a parameter out."""
        form = {
            "grant_type": GRANT,
            "subject_token": token,
            "subject_token_type": ID_TOKEN,
            **changes,
        }
        sent = {key: value for key, value in form.items() if value is not None}
        return await self.post("/oauth/token", data=sent)

    async def joined(self, token: str, **changes: str) -> dict[str, Any]:
        """The tokens of a successful exchange."""
        response = await self.exchange(token, **changes)
        self.assertEqual(200, response.status, repr(response))
        return dict(response.json())

    async def refused(self, token: str, error: str = "invalid_request", **changes: Any) -> str:
        """Assert that an exchange is refused; the description."""
        response = await self.exchange(token, **changes)
        self.assertEqual(400, response.status, repr(response))
        self.assertEqual(error, response.json()["error"], repr(response))
        return str(response.json()["error_description"])
