"""Cases about accounts: accounts#accounts.

They run against a daemon of two workers with a mail server, two issuers of tokens and a Steam. Each
request comes on a connection of its own, which either worker may take.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from twisted.internet import reactor

from tests.spec.client import DEADLINE, NOTHING, Http, Response
from tests.spec.data import User, guid, name
from tests.spec.harness import SpecCase
from tests.spec.moderation.support import ReportingCase
from tests.spec.notifications.support import LogCase
from tests.spec.shapes import IDENTITY
from tests.support import daemon
from tests.support.daemon import Daemon
from tests.support.issuers import AUDIENCE, GRANT, ID_TOKEN, Issuer, SigningKey
from tests.support.mailserver import Mail, MailServer

SENDER = "accounts@studio.example"
LINK = "https://studio.example/account?lang=en#top"
ALGORITHMS = ("RS256", "ES256", "EdDSA")


def link_with(token: str) -> str:
    """The link of a mail with this token."""
    return LINK.replace("#", f"&token={token}#")


class Beside(NamedTuple):
    """The servers beside the service, of which the test moves the issuers."""

    mails: MailServer
    studio: Issuer
    shop: Issuer
    file: Path


_beside: list[Beside] = []


async def beside() -> Beside:
    """The servers. The issuers are there until they are stopped."""
    if _beside:
        for issuer in (_beside[0].studio, _beside[0].shop):
            issuer.back()
        return _beside[0]
    mails = MailServer()
    await mails.start()
    studio, shop = [
        Issuer(*(SigningKey(f"{algorithm}-1", algorithm) for algorithm in ALGORITHMS))
        for _ in range(2)
    ]
    other = f'[[issuer]]\nissuer = "{shop.url}"\naudience = "{AUDIENCE}"\n'
    _beside.append(Beside(mails, studio, shop, studio.file(other + studio.steam)))
    return _beside[0]


class LogInCase(SpecCase):
    """Users and their log-ins. The requests of a test come on one connection, to one process."""

    def fresh(self) -> str:
        """An address that nobody has."""
        return f"{name()}@example.com"

    def registration(self, email: str, username: str | None = None) -> dict[str, str]:
        """The body of a registration with this address."""
        return {"username": username or name(), "email": email, "password": guid()}

    async def try_log_in(self, username: str, password: str, **more: Any) -> Response:
        """POST /oauth/token with a password."""
        form = {"grant_type": "password", "username": username, "password": password}
        return await self.post("/oauth/token", data=form, **more)

    async def twice(self) -> tuple[User, User]:
        """One user, logged in twice."""
        user = await self.user()
        return user, await self.logged_in(user.username, user.email, user.password)

    async def goes_on(self, user: User) -> None:
        """Assert that the user's session goes on."""
        await self.get(f"user/{user.id}", by=user, expect=200)

    async def is_over(self, user: User) -> None:
        """Assert that the user's session has ended, at once."""
        self.problem(await self.get(f"user/{user.id}", by=user), 401, "invalid_token")
        form = {"grant_type": "refresh_token", "refresh_token": user.refresh_token}
        self.refused(await self.post("/oauth/token", data=form), "invalid_grant")

    def refused(self, response: Response, error: str, status: int = 400) -> str:
        """Assert an error in the form of RFC 6749; its description."""
        self.assertEqual(status, response.status, repr(response))
        self.assertEqual(error, response.json()["error"], repr(response))
        self.assertIsInstance(response.json()["error_description"], str)
        return str(response.json()["error_description"])


class AccountsCase(LogInCase, ReportingCase, LogCase):
    """Users with addresses and identities. `at` is the client's address, of each test another."""

    options: tuple[str, ...] = ()
    """Further options of the daemon."""

    async def connect(self) -> None:
        self.own_daemon()
        self._http = Http(persistent=False)
        self.first: dict[str, str] = {}
        self.at = somewhere()
        await self.serve()

    async def serve(self) -> None:
        """Find the daemon, and what is beside it."""
        self.beside = await beside()
        self.mails = self.beside.mails
        for issuer in (self.beside.studio, self.beside.shop):
            self.addCleanup(issuer.stop)
        self.use(await daemon.shared(" ".join(("accounts", *self.options)), self.make))

    def make(self) -> Daemon:
        """A daemon that has all that accounts need."""
        options = (
            *("--workers", "2"),
            *("--smtp", f"smtp://127.0.0.1:{self.mails.port}"),
            *("--mail-from", f"The Studio <{SENDER}>", "--reset-url", LINK),
            *("--issuers", str(self.beside.file)),
            *self.options,
        )
        own = {"TRUSTED_PROXIES": "127.0.0.1"}
        return Daemon(*options, environ=own, common=not self.options)

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

    def one_process(self) -> None:
        """Send what follows on one connection, to one process."""
        self._http = Http()
        self.addCleanup(self._http.close)

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

    async def another(self, user: User) -> str:
        """The token of another mail that confirms the user's address."""
        count = len(self.mails.mails(user.email)) + 1
        await self.post(f"user/{user.id}/email/verification", by=user, expect=204)
        return (await self.mail(user.email, count)).token

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

    async def moved(self, user: User) -> str:
        """A new address of the user, who has confirmed it."""
        address = self.fresh()
        await self.change(user, address, expect=204)
        await self.confirm((await self.mail(address)).token)
        return address

    async def record(self, user: User) -> dict[str, Any]:
        """The full record."""
        return dict((await self.get(f"user/{user.id}", by=user, expect=200)).json())

    async def address_of(self, user: User) -> tuple[str, bool]:
        """The address in the full record, and whether it is verified."""
        found = await self.record(user)
        return found["email"], found["emailVerified"]

    # -- log-ins

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

    # -- other accounts

    def issuer(self, of: str = "studio") -> Issuer:
        """An issuer that the service knows: `studio` or `shop`."""
        return self.beside.shop if of == "shop" else self.beside.studio

    async def exchange(
        self, token: Any, kind: str | None = ID_TOKEN, *, expect: int | None = None, **form: Any
    ) -> Response:
        """POST /oauth/token with a subject token. What of the form is None is left out."""
        whole = {"grant_type": GRANT, "subject_token": token, "subject_token_type": kind, **form}
        sent = {key: value for key, value in whole.items() if value is not None}
        return await self.post("/oauth/token", data=sent, expect=expect)

    async def arrive(self, subject: str | None = None, **claims: Any) -> User:
        """The user that a subject is at the issuer `studio`."""
        token = self.issuer().token(subject or guid(), **claims)
        got = (await self.exchange(token, expect=200)).json()
        access, refresh = got["access_token"], got["refresh_token"]
        user = User(got["userId"], "", "", "", access, refresh)
        found = await self.record(user)
        self.first[user.id] = token
        return User(user.id, found["username"], found["email"], "", access, refresh)

    async def is_who(self, subject: str, issuer: str = "studio") -> str:
        """The id of the user that a subject is."""
        got = await self.exchange(self.issuer(issuer).token(subject), expect=200)
        return str(got.json()["userId"])

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


def somewhere() -> str:
    """An address of another client."""
    return "10." + ".".join(str(secrets.randbelow(254) + 1) for _ in range(3))
