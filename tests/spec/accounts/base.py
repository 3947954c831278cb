"""Cases about accounts: extensions §8.

They run against a daemon of two workers with a mail server and two issuers of ID tokens, and each
request comes on a connection of its own, which either worker may take. To run them against a base
URL, start that service with `--smtp smtp://127.0.0.1:$CONTENTSVC_MAIL_PORT`, and with the issuers
`http://127.0.0.1:$CONTENTSVC_ISSUER_PORT/studio` and `…/shop` for the audience `the-game`; it
should trust 127.0.0.1 as a proxy.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from twisted.internet import reactor
from twisted.trial.unittest import SkipTest

from tests.spec.accounts.issuer import Issuer, Issuers
from tests.spec.client import DEADLINE, NOTHING, Http, Response
from tests.spec.data import User, guid, name
from tests.spec.moderation.support import ReportingCase
from tests.spec.notifications.support import LogCase
from tests.spec.shapes import GUID, instant
from tests.support import daemon
from tests.support.daemon import Daemon
from tests.support.mailserver import Mail, MailServer

ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"
JWT = "urn:ietf:params:oauth:token-type:jwt"
IDENTITY = {"id": GUID, "issuer": str, "subject": str, "linked": instant}
SENDER = "accounts@studio.example"
LINK = "https://studio.example/account"


class Others(NamedTuple):
    """The servers beside the service."""

    mails: MailServer
    issuers: Issuers
    file: Path


_others: list[Others] = []


async def others() -> Others:
    """The servers, which live as long as the tests."""
    mail, issuer = (os.environ.get(f"CONTENTSVC_{one}_PORT") for one in ("MAIL", "ISSUER"))
    if "CONTENTSVC_BASE_URL" in os.environ and not (mail and issuer):
        raise SkipTest("needs CONTENTSVC_MAIL_PORT and CONTENTSVC_ISSUER_PORT")
    if not _others:
        mails, issuers = MailServer(int(mail or 0)), Issuers(int(issuer or 0))
        await mails.start()
        for one in ("studio", "shop"):
            issuers.issuer(one)
        file = Path(tempfile.mkdtemp(prefix="contentsvc-issuers-")) / "issuers.toml"
        file.write_text(issuers.file())
        _others.append(Others(mails, issuers, file))
    return _others[0]


async def served() -> Daemon:
    """A daemon that has all that accounts need."""
    beside = await others()
    options = (
        *("--workers", "2"),
        *("--smtp", f"smtp://127.0.0.1:{beside.mails.port}"),
        *("--mail-from", SENDER, "--reset-url", LINK),
        *("--issuers", str(beside.file)),
    )
    trusting = {"TRUSTED_PROXIES": "127.0.0.1"}
    return await daemon.shared("accounts", lambda: Daemon(*options, environ=trusting))


class AccountsCase(ReportingCase, LogCase):
    """Users with addresses and identities. `at` is the client's address, of each test another."""

    async def connect(self) -> None:
        self._http = Http(persistent=False)
        self.beside = await others()
        self.mails = self.beside.mails
        self.first: dict[str, str] = {}
        self.at = "10." + ".".join(str(secrets.randbelow(254) + 1) for _ in range(3))
        if base := os.environ.get("CONTENTSVC_BASE_URL"):
            self.url = base.rstrip("/")
        else:
            self.use(await served())

    async def request(
        self,
        method: str,
        path: str,
        body: Any = NOTHING,
        *,
        headers: dict[str, str] | None = None,
        **more: Any,
    ) -> Response:
        headers = {"X-Forwarded-For": self.at} | (headers or {})
        return await super().request(method, path, body, headers=headers, **more)

    # -- mails

    async def mail(self, address: str, count: int = 1) -> Mail:
        """The mail of this number that an address gets."""
        return await self.mails.arrived(address, count)

    async def known(self) -> User:
        """A fresh user who has got the first mail."""
        user = await self.user()
        await self.mail(user.email)
        return user

    async def confirmed(self) -> User:
        """A fresh user who has confirmed the address."""
        user = await self.user()
        await self.confirm((await self.mail(user.email)).token)
        return user

    async def confirm(self, token: Any, expect: int | None = 204) -> Response:
        """PUT verification."""
        return await self.put("user/email/verification", {"token": token}, expect=expect)

    async def ask_reset(self, email: Any, expect: int | None = 204) -> Response:
        """POST password-reset."""
        return await self.post("user/password-reset", {"email": email}, expect=expect)

    async def reset_token(self, user: User) -> str:
        """The token of a new mail about the user's password."""
        count = len(self.mails.mails(user.email)) + 1
        await self.ask_reset(user.email)
        return (await self.mail(user.email, count)).token

    async def reset(self, token: Any, new: Any = "a new password", **more: Any) -> Response:
        """PUT password-reset."""
        return await self.put("user/password-reset", {"token": token, "new": new}, **more)

    async def change(self, user: User, email: Any, password: Any = None, **more: Any) -> Response:
        """PUT email."""
        body = {"email": email, "password": user.password if password is None else password}
        return await self.put(f"user/{user.id}/email", body, by=user, **more)

    async def record(self, user: User) -> dict[str, Any]:
        """The full record."""
        return dict((await self.get(f"user/{user.id}", by=user, expect=200)).json())

    async def address_of(self, user: User) -> tuple[str, bool]:
        """The address in the full record, and whether it is verified."""
        found = await self.record(user)
        return found["email"], found["emailVerified"]

    def fresh(self) -> str:
        """An address that nobody has."""
        return f"{name()}@example.com"

    # -- log-ins

    async def try_log_in(self, username: str, password: str, **more: Any) -> Response:
        """POST /oauth/token with a password."""
        form = {"grant_type": "password", "username": username, "password": password}
        return await self.post("/oauth/token", data=form, **more)

    async def goes_on(self, user: User) -> None:
        """Assert that the user's session goes on."""
        await self.get(f"user/{user.id}", by=user, expect=200)

    async def is_over(self, user: User) -> None:
        """Assert that the user's session has ended, on each process."""
        await self.unauthorized(lambda: self.get(f"user/{user.id}", by=user))
        form = {"grant_type": "refresh_token", "refresh_token": user.refresh_token}
        self.refused(await self.post("/oauth/token", data=form), "invalid_grant")

    async def unauthorized(self, ask: Callable[[], Awaitable[Response]]) -> None:
        """Assert that what `ask` sends is 401 on each process soon: the others hear of the end of a
        session just after its answer."""
        deadline, refused = reactor.seconds() + DEADLINE, 0
        while refused < 4:
            response = await ask()
            if response.status == 401 or reactor.seconds() > deadline:
                self.problem(response, 401, "invalid_token")
                refused += 1
            else:
                refused = 0

    def refused(self, response: Response, error: str, status: int = 400) -> None:
        """Assert an error in the form of RFC 6749."""
        self.assertEqual(status, response.status, repr(response))
        self.assertEqual(error, response.json()["error"], repr(response))
        self.assertIsInstance(response.json()["error_description"], str)

    # -- other accounts

    def issuer(self, of: str = "studio") -> Issuer:
        """An issuer that the service knows: `studio` or `shop`."""
        return self.beside.issuers.issuer(of)

    async def exchange(self, token: Any, kind: str = ID_TOKEN, **more: Any) -> Response:
        """POST /oauth/token with a subject token."""
        form = {"grant_type": EXCHANGE, "subject_token": token, "subject_token_type": kind}
        return await self.post("/oauth/token", data=form, **more)

    async def arrive(self, subject: str | None = None, **claims: Any) -> User:
        """The user that a subject is at the issuer `studio`."""
        token = self.issuer().token(sub=subject or guid(), **claims)
        got = (await self.exchange(token, expect=200)).json()
        access, refresh = got["access_token"], got["refresh_token"]
        user = User(got["userId"], "", "", "", access, refresh)
        found = await self.record(user)
        self.first[user.id] = token
        return User(user.id, found["username"], found["email"], "", access, refresh)

    def proof(self, user: User) -> dict[str, Any]:
        """What proves who the user is: the password, or the account elsewhere they came by."""
        if user.id not in self.first:
            return {"password": user.password}
        return {"proof_token": self.first[user.id], "proof_token_type": ID_TOKEN}

    async def link(
        self,
        user: User,
        token: Any,
        kind: str = ID_TOKEN,
        *,
        proof: dict[str, Any] | None = None,
        **more: Any,
    ) -> Response:
        """POST identities, with a good proof if none is given."""
        body = {"subject_token": token, "subject_token_type": kind}
        body |= self.proof(user) if proof is None else proof
        return await self.post(f"user/{user.id}/identities", body, by=user, **more)

    async def identities(self, user: User) -> list[dict[str, Any]]:
        """The user's identities."""
        found = await self.read(f"user/{user.id}/identities", [IDENTITY], by=user)
        return list(found)

    # -- leaving

    async def leave(self, user: User, expect: int | None = 204, **body: Any) -> Response:
        """DELETE of the user, with the password if no body is given."""
        sent = body or {"password": user.password}
        return await self.delete(f"user/{user.id}", body=sent, by=user, expect=expect)
