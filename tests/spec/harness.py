"""The base of every test of the suite: requests, users, content, sockets."""

from __future__ import annotations

import os
import re
import time
from typing import Any, ClassVar
from urllib.parse import urlencode, urlsplit

import jwt
from twisted.trial.unittest import SkipTest, TestCase

from tests.spec import client, shapes
from tests.spec.client import NOTHING, Response, Socket, Wire
from tests.spec.contract import Contract, contract_of
from tests.spec.data import GAME, Content, Service, User, claims, draft, guid, name
from tests.support import daemon

API = "/api/v1/"
SHARED_BY = 8
FRESH = 300
"""Seconds for which the token of a shared user must still be good: a slow run takes longer than a
token lives."""


class SpecCase(TestCase):
    """A test against the running service at `self.url`."""

    timeout = 300.0
    _contracts: ClassVar[dict[str, Contract]] = {}
    _admin: ClassVar[dict[str, User]] = {}
    _someone: ClassVar[dict[str, tuple[User, int]]] = {}

    async def setUp(self) -> None:
        self.daemon: daemon.Daemon | None = None
        self._http = client.Http()
        self.addCleanup(self._http.close)
        await self.connect()

    async def connect(self) -> None:
        """Find the service to test; a case with a daemon of its own overrides this."""
        if base := os.environ.get("CONTENTSVC_BASE_URL"):
            self.url = base.rstrip("/")
        else:
            self.use(await daemon.shared())

    def use(self, service: daemon.Daemon) -> None:
        """Send what follows to this daemon."""
        self.daemon = service
        self.url = service.url

    def own_daemon(self) -> None:
        """Skip where the suite runs against a given base URL."""
        if "CONTENTSVC_BASE_URL" in os.environ:
            raise SkipTest("needs a daemon of its own")

    async def be_alone(self) -> None:
        """Send what follows to a daemon on which nothing happens meanwhile; for what counts all
        that there is, or tells everybody. A given base URL is taken for one."""
        if self.daemon is not None:
            self.use(await daemon.shared("alone"))

    # -- requests

    def address(self, path: str) -> str:
        """The URL of `path`: below /api/v1/ unless it starts with a slash."""
        if not path.startswith("/"):
            return self.url + API + path
        # What an answer gives is a path of the host's. The service may be below one of them.
        return self.url + path.removeprefix(urlsplit(self.url).path)

    async def request(
        self,
        method: str,
        path: str,
        body: Any = NOTHING,
        *,
        by: User | str | None = None,
        expect: int | None = None,
        headers: dict[str, str] | None = None,
        **more: Any,
    ) -> Response:
        """One request `by` a user (or a bare token), with what holds for every response."""
        sent = dict(headers or {})
        if by is not None:
            sent["Authorization"] = f"Bearer {by if isinstance(by, str) else by.token}"
        response = await self._http.request(
            method, self.address(path), body=body, headers=sent, **more
        )
        self.assertTrue(response.header("X-Request-Id"), f"no request id: {response!r}")
        self.assertNotEqual(500, response.status, repr(response))
        wrong = (await self.contract()).wrong(method, self.address(path), response)
        self.assertIsNone(wrong, repr(response))
        if expect is not None:
            self.assertEqual(expect, response.status, repr(response))
        receipt = method == "POST" and path == "notices"
        if response.status in (204, 304) or (response.status == 201 and not receipt):
            self.assertEqual(b"", response.body, repr(response))
        return response

    async def contract(self) -> Contract:
        """The service's own document, with which every answer is compared."""
        if self.url not in self._contracts:
            response = await self._http.request("GET", self.url + "/openapi.json")
            self._contracts[self.url] = contract_of(response.body)
        return self._contracts[self.url]

    async def get(self, path: str, **more: Any) -> Response:
        """GET."""
        return await self.request("GET", path, **more)

    async def put(self, path: str, body: Any = NOTHING, **more: Any) -> Response:
        """PUT."""
        return await self.request("PUT", path, body, **more)

    async def post(self, path: str, body: Any = NOTHING, **more: Any) -> Response:
        """POST."""
        return await self.request("POST", path, body, **more)

    async def amend(self, path: str, body: Any = NOTHING, **more: Any) -> Response:
        """PATCH (the name `patch` is trial's)."""
        return await self.request("PATCH", path, body, **more)

    async def delete(self, path: str, **more: Any) -> Response:
        """DELETE."""
        return await self.request("DELETE", path, **more)

    async def read(self, path: str, shape: Any, **more: Any) -> Any:
        """The JSON of a GET that answers 200 in exactly this shape."""
        found = (await self.get(path, expect=200, **more)).json()
        self.shape(found, shape)
        return found

    async def pages(self, path: str, shape: Any, **more: Any) -> list[list[Any]]:
        """All pages of a list, following `Link: …; rel="next"`."""
        found = []
        at: str | None = path
        while at is not None:
            self.assertLess(len(found), 20, "the pages do not end")
            response = await self.get(at, expect=200, **more)
            self.shape(response.json(), shape)
            found.append(response.json())
            link = re.fullmatch(r'<([^>]+)>; rel="next"', response.header("Link") or "")
            at = link[1] if link else None
        return found

    async def wire(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        *,
        by: User | None = None,
        **headers: object,
    ) -> Wire:
        """A connection on which this request has been sent: `body` as it is, and no
        Content-Length but what `headers` say.
        """
        lines = [f"{method} {path if path.startswith('/') else API + path} HTTP/1.1", "Host: test"]
        lines += [f"{key.replace('_', '-')}: {value}" for key, value in headers.items()]
        if by is not None:
            lines.append(f"Authorization: Bearer {by.token}")
        opened = await Wire.open(self.url)
        opened.send("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        return opened

    # -- assertions

    def shape(self, value: Any, expected: Any) -> None:
        """Assert that `value` has exactly this shape (see shapes.py)."""
        problem = shapes.mismatch(value, expected)
        if problem:
            self.fail(problem)

    def problem(
        self, response: Response, status: int | tuple[int, ...], code: str | None = None
    ) -> dict[str, Any]:
        """Assert a problem+json of this status and code, and return it."""
        allowed = status if isinstance(status, tuple) else (status,)
        self.assertIn(response.status, allowed, repr(response))
        media = (response.header("Content-Type") or "").partition(";")[0]
        self.assertEqual("application/problem+json", media, repr(response))
        found: dict[str, Any] = response.json()
        for member in ("type", "title", "detail", "code", "requestId"):
            self.assertIsInstance(found.get(member), str, f"{member}: {found}")
        self.assertEqual(response.status, found["status"])
        self.assertEqual(response.header("X-Request-Id"), found["requestId"])
        if code is not None:
            self.assertEqual(code, found["code"], repr(response))
        return found

    def invalid(self, response: Response, pointer: str) -> None:
        """Assert that the body was refused because of the member at this JSON pointer."""
        found = self.problem(response, 400, "invalid_body")
        self.assertIn(pointer, [error["pointer"] for error in found["errors"]], found)
        for error in found["errors"]:
            self.shape(error, {"pointer": str, "detail": str})

    def invalid_query(self, response: Response, parameter: str) -> dict[str, Any]:
        """Assert that the query was refused because of this parameter."""
        found = self.problem(response, 400, "invalid_query")
        self.assertEqual([parameter], [error["parameter"] for error in found["errors"]], found)
        return found

    # -- people and things

    async def login(self, username: str, password: str) -> dict[str, Any]:
        """The answer of POST /oauth/token."""
        form = {"grant_type": "password", "username": username, "password": password}
        response = await self.post("/oauth/token", data=form, expect=200)
        return dict(response.json())

    async def logged_in(self, username: str, email: str, password: str) -> User:
        """An existing account, in a new session."""
        got = await self.login(username, password)
        token, refresh = got["access_token"], got["refresh_token"]
        return User(got["userId"], username, email, password, token, refresh)

    async def user(self, username: str | None = None) -> User:
        """A fresh user."""
        username = username or name()
        sent = {"username": username, "email": f"{username}@example.com", "password": guid()}
        await self.post("user", sent, expect=201)
        return await self.logged_in(**sent)

    async def someone(self) -> User:
        """A user shared by the tests that neither change nor count anything of theirs; by some
        of them, for what one user may write and publish has limits."""
        user, uses = self._someone.get(self.url, (None, 0))
        if user is None or uses >= SHARED_BY or not fresh(user):
            user, uses = await self.user(), 0
        self._someone[self.url] = user, uses + 1
        return user

    async def admin(self) -> User:
        """An administrator, shared."""
        admin = self._admin.get(self.url)
        if admin is None or (self.daemon is not None and not fresh(admin)):
            admin = self._admin[self.url] = await self._new_admin()
        return admin

    async def member(self, role: str) -> User:
        """A fresh user with this role."""
        user = await self.user()
        await self.give_role(user, role)
        return await self.logged_in(user.username, user.email, user.password)

    async def give_role(self, user: User, role: str) -> None:
        """Give a user a role, as an admin. It ends the user's sessions."""
        body = {"role": role}
        await self.put(f"user/{user.id}/role", body, by=await self.admin(), expect=204)

    async def _new_admin(self) -> User:
        if self.daemon is not None:
            username, password = name("admin"), guid()
            email = await self.daemon.add_user(username, password, admin=True)
            return await self.logged_in(username, email, password)
        token = os.environ.get("CONTENTSVC_ADMIN_TOKEN")
        if not token:
            raise SkipTest("needs CONTENTSVC_ADMIN_TOKEN")
        return User(claims(token)["sub"], "", "", "", token, "")

    async def account(self, *scopes: str, **more: Any) -> Service:
        """A new service account with these scopes, and a secret of it."""
        made, by = guid(), await self.admin()
        body = {"name": name("bot"), "scopes": [*scopes], **more}
        await self.put(f"service-accounts/{made}", body, by=by, expect=201)
        secret = await self.post(f"service-accounts/{made}/secrets", by=by, expect=200)
        return Service(made, body["name"], secret.json()["id"], secret.json()["value"])

    async def grant(self, service: Service, **more: str) -> Response:
        """The answer to a service that asks for a token."""
        form = {"grant_type": "client_credentials", "client_id": service.id}
        form |= {"client_secret": service.secret, **more}
        return await self.post("/oauth/token", data=form)

    async def token(self, service: Service, **more: str) -> str:
        """A new access token of a service."""
        answer = await self.grant(service, **more)
        self.assertEqual(200, answer.status, repr(answer))
        return str(answer.json()["access_token"])

    async def service(self, *scopes: str) -> tuple[Service, str]:
        """A new service account, and an access token of it."""
        made = await self.account(*scopes)
        return made, await self.token(made)

    async def content(self, author: User, **changes: Any) -> Content:
        """A content item published by `author`."""
        made = Content(guid(), author, draft(**changes))
        await self.put(made.path, made.sent, by=author, expect=204)
        return made

    async def comment(self, on: Content, by: User, body: str = "Well made", **more: Any) -> str:
        """A new comment's path."""
        response = await self.post(f"{on.path}/comments", {"body": body, **more}, by=by, expect=201)
        return response.header("Location") or self.fail("no Location")

    async def moderate(self, content: Content, status: str, reason: str = "rules") -> None:
        """Set the status of a content item, as an admin."""
        body = {"status": status, "reason": reason}
        await self.put(f"{content.path}/status", body, by=await self.admin(), expect=204)

    async def rate(self, user: User, content: Content, value: str) -> None:
        """Rate a content item."""
        path = f"user/{user.id}/rating/{content.id}"
        await self.put(path, {"value": value}, by=user, expect=204)

    async def notify(self, to: User, text: str = "hello") -> None:
        """Send `to` a Debug notification from somebody."""
        body = {"recipient": to.id, "text": text}
        await self.post("debug/notify", body, by=await self.someone(), expect=204)

    async def notifications(self, of: User, **query: Any) -> list[dict[str, Any]]:
        """All notifications of a user, as REST gives them."""
        path = f"user/{of.id}/notifications"
        found = await self.read(path, [shapes.NOTIFICATION], by=of, query=query)
        return list(found)

    def forge(
        self, user: User, *, signed: bytes | None = None, kid: str = "", **changes: Any
    ) -> str:
        """The user's access token with other claims (None removes one), signed with the real key.

        `signed` and `kid` replace the key and its id.
        """
        if self.daemon is None:
            raise SkipTest("needs the daemon's key")
        real_kid, key = self.daemon.key()
        made = claims(user.token) | changes
        kept = {claim: value for claim, value in made.items() if value is not None}
        headers = {"kid": kid or real_kid}
        return jwt.encode(kept, signed or key, algorithm="HS256", headers=headers)

    # -- sockets

    async def session(self, user: User, kind: str = GAME) -> dict[str, str]:
        """The answer of POST session/connect."""
        response = await self.post("session/connect", {"client": kind}, by=user, expect=200)
        return dict(response.json())

    async def socket(
        self,
        user: User | None = None,
        *,
        kind: str = GAME,
        resume: Any = None,
        resume_id: str | None = None,
        via: str = "header",
        token: str | None = None,
        origin: str | None = None,
        greeted: bool = True,
    ) -> Socket:
        """An open session socket, closed at the test's end.

        `via` "header" sends the token with the handshake, "auth" as the first message, "nothing"
        not at all; "portal" is client portal by "auth" from a web origin. `greeted` reads the
        `hello` into `socket.hello`.
        """
        if via == "portal":
            kind, via, origin = "portal", "auth", origin or "https://portal.example"
        if user is not None:
            token = token or (await self.session(user, kind))["accessToken"]
        url = "ws" + self.url.removeprefix("http") + "/socket"
        resuming = {} if resume is None else {"resume": resume}
        resuming |= {} if resume_id is None else {"resumeId": resume_id}
        headers = {}
        if via == "header":
            headers["Authorization"] = f"Bearer {token}"
            url += f"?{urlencode(resuming)}" if resuming else ""
        opened = await client.open_socket(url, headers, origin)
        self.addCleanup(opened.close)
        if via == "auth":
            opened.say(type="auth", token=token, **resuming)
        if greeted:
            opened.hello = await opened.next()
            self.shape(opened.hello, shapes.HELLO)
            self.assertIsNone((await self.contract()).wrong_message(opened.hello))
        return opened

    async def pushed(self, socket: Socket) -> dict[str, Any]:
        """The next message, which must be a notification."""
        message = await socket.next()
        self.shape(message, shapes.PUSHED)
        self.assertIsNone((await self.contract()).wrong_message(message))
        return message


def fresh(user: User) -> bool:
    return float(claims(user.token)["exp"]) > time.time() + FRESH
