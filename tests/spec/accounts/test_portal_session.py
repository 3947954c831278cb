"""The portal's log-in: accounts#portal-session."""

from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.client import Response
from tests.spec.data import User
from tests.spec.harness import SpecCase
from tests.support import daemon

PATH = "/portal/session"
NAME = "contentsvc-session"


class PortalCase(SpecCase):
    name = NAME

    @property
    def origin(self) -> str:
        """The origin of the service's own pages."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    async def send(
        self, method: str, form: dict[str, str] | None = None, cookie: str = "", **headers: str
    ) -> Response:
        """A request of a page. The client has no cookies but this one."""
        sent = {"Origin": self.origin, "Cookie": cookie or "other=1", **headers}
        return await self.request(method, PATH, data=form, headers=sent)

    async def enter(self, user: User, **more: Any) -> Response:
        """Log in with the password."""
        form = {"grant_type": "password", "username": user.username, "password": user.password}
        return await self.send("POST", form, **more)

    async def renew(self, cookie: str = "", **headers: str) -> Response:
        """Renew with this cookie."""
        return await self.send("POST", {"grant_type": "refresh_token"}, cookie, **headers)

    def set_by(self, response: Response) -> str:
        """The cookie that an answer sets, as a browser sends it."""
        self.assertEqual(200, response.status, response)
        ((name, morsel),) = SimpleCookie(response.header("Set-Cookie") or "").items()
        self.assertEqual(self.name, name)
        return f"{name}={morsel.value}"

    async def entered(self, user: User | None = None) -> str:
        """The cookie of a log-in."""
        return self.set_by(await self.enter(user or await self.user()))


class SessionTests(PortalCase):
    """POST and DELETE /portal/session."""

    async def test_log_in(self):
        """The answer is that of /oauth/token without the refresh token."""
        user = await self.user()
        response = await self.enter(user)
        members = {"access_token", "token_type", "expires_in", "userId"}
        self.assertEqual(members, set(response.json()))
        self.assertEqual("no-store", response.header("Cache-Control"))
        await self.get(f"user/{user.id}", by=response.json()["access_token"], expect=200)

    async def test_cookie(self):
        """Scripts cannot read the cookie, no other site's page sends it, and it goes to this path
        alone."""
        response = await self.enter(await self.user())
        ((_, morsel),) = SimpleCookie(response.header("Set-Cookie")).items()
        self.assertTrue(morsel["httponly"])
        self.assertEqual((PATH, "Strict"), (morsel["path"], morsel["samesite"]))
        self.assertEqual(("", ""), (morsel["domain"], morsel["secure"]))
        self.assertEqual(30 * 24 * 3600, int(morsel["max-age"]))

    async def test_renew(self):
        """A renewal sets the next cookie."""
        user = await self.user()
        cookie = await self.entered(user)
        response = await self.renew(cookie)
        self.assertEqual(user.id, response.json()["userId"])
        self.assertNotIn("refresh_token", response.json())
        await self.renew(self.set_by(response))

    async def test_without_cookie(self):
        """A renewal without the cookie is 401, and says that the log-in has ended."""
        response = await self.renew()
        self.assertEqual((401, "invalid_grant"), (response.status, response.json()["error"]))

    async def test_token_in_form(self):
        """A refresh token in the form is 400: scripts have none."""
        token = (await self.entered()).partition("=")[2]
        form = {"grant_type": "refresh_token", "refresh_token": token}
        self.assertEqual(400, (await self.send("POST", form)).status)

    async def test_wrong_password(self):
        """Errors of the form are those of /oauth/token, and set no cookie."""
        user = await self.user()
        form = {"grant_type": "password", "username": user.username, "password": "wrong"}
        response = await self.send("POST", form)
        self.assertEqual((400, "invalid_grant"), (response.status, response.json()["error"]))
        self.assertIsNone(response.header("Set-Cookie"))

    async def test_log_out(self):
        """DELETE ends the log-in and takes the cookie away; again it is 204 too."""
        response = await self.enter(await self.user())
        cookie, token = self.set_by(response), response.json()["access_token"]
        for _ in range(2):
            gone = await self.send("DELETE", cookie=cookie)
            self.assertEqual(204, gone.status)
            ((_, morsel),) = SimpleCookie(gone.header("Set-Cookie")).items()
            self.assertEqual(("", "0", PATH), (morsel.value, morsel["max-age"], morsel["path"]))
        self.assertEqual(400, (await self.renew(cookie)).status)
        self.problem(await self.get("me", by=token), 401, "invalid_token")

    async def test_at_once(self):
        """Two renewals at once, as of two tabs, both succeed, and set the same cookie."""
        cookie = await self.entered()
        renewals = [Deferred.fromCoroutine(self.renew(cookie)) for _ in range(2)]
        first, second = await gatherResults(renewals)
        self.assertEqual(self.set_by(first), self.set_by(second))

    async def test_other_user(self):
        """The answer names the user of the cookie, whoever has logged in with it last."""
        ada, ben = await self.user(), await self.user()
        await self.entered(ada)
        answer = (await self.renew(await self.entered(ben))).json()
        self.assertEqual(ben.id, answer["userId"])


class AttackTests(PortalCase):
    """Whom the portal's log-in refuses."""

    async def test_origins(self):
        """Only the exact origin of the service may: another port, host or scheme, a subdomain,
        `null` and what only begins like it are 403."""
        cookie = await self.entered()
        port = urlsplit(self.url).port or 80
        host = urlsplit(self.url).hostname
        for origin in (
            f"http://{host}:{port + 1}",
            f"http://{host}",
            f"http://evil.{host}:{port}",
            f"https://{host}:{port}",
            f"http://localhost:{port}",
            f"{self.origin}/",
            f"{self.origin}.evil.example",
            f"{self.origin}, {self.origin}",
            "null",
            "",
        ):
            for response in (
                await self.renew(cookie, Origin=origin),
                await self.send("DELETE", cookie=cookie, Origin=origin),
            ):
                self.problem(response, 403, "forbidden")
                self.assertIsNone(response.header("Set-Cookie"))
        self.assertEqual(200, (await self.renew(cookie)).status)

    async def test_no_origin(self):
        """Without an Origin it is 403."""
        cookie = await self.entered()
        for method in ("POST", "DELETE"):
            response = await self.request(method, PATH, headers={"Cookie": cookie})
            self.problem(response, 403, "forbidden")

    async def test_refused_first(self):
        """Another origin is 403 whatever the body is."""
        headers = {"Origin": "http://evil.example", "Content-Type": "application/json"}
        response = await self.request("POST", PATH, data=b"{}", headers=headers)
        self.problem(response, 403, "forbidden")

    async def test_no_cors(self):
        """No answer lets another origin read it, and no preflight succeeds."""
        asked = {
            "Origin": "http://evil.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "traceparent",
        }
        answers = [
            await self.request("OPTIONS", PATH, headers=asked),
            await self.renew(Origin="http://evil.example"),
            await self.enter(await self.user()),
        ]
        for response in answers:
            self.assertIsNone(response.header("Access-Control-Allow-Origin"))
            self.assertIsNone(response.header("Access-Control-Allow-Methods"))
            self.assertIsNone(response.header("Access-Control-Allow-Headers"))

    async def test_two_cookies(self):
        """Of two cookies, one may be planted by another subdomain: neither logs in, in whichever
        order; log-out ends both."""
        mine, planted = await self.entered(), await self.entered()
        for both in (f"{mine}; {planted}", f"{planted}; {mine}"):
            self.assertEqual(401, (await self.renew(both)).status)
        self.assertEqual(200, (await self.renew(f"{mine}; {mine}")).status)
        self.assertEqual(204, (await self.send("DELETE", cookie=f"{planted}; {mine}")).status)
        for cookie in (mine, planted):
            self.assertEqual(400, (await self.renew(cookie)).status)

    async def test_odd_cookies(self):
        """Cookies that nobody gave out are no log-in, and harm nothing."""
        for value in ("", "x", '"x"', "\xe9", "a=b", "%0d%0aSet-Cookie: a=b", "x" * 4000):
            response = await self.renew(f"{NAME}={value}")
            self.assertIn(response.status, (400, 401), value)
            self.assertIsNone(response.header("Set-Cookie"))

    async def test_line_breaks(self):
        """Line breaks in a form make no header."""
        form = {"grant_type": "password", "username": "a\r\nSet-Cookie: b=c", "password": "x"}
        response = await self.send("POST", form)
        self.assertEqual(400, response.status)
        self.assertIsNone(response.header("Set-Cookie"))

    async def test_methods(self):
        """Nothing can be read there."""
        self.problem(await self.get(PATH), 405, "method_not_allowed")


class PublicTests(PortalCase):
    """With the `public_url` of a service behind TLS."""

    name = f"__Secure-{NAME}"

    async def connect(self) -> None:
        self.own_daemon()
        environ = {"PUBLIC_URL": "https://Game.example:443/games/"}
        self.use(await daemon.shared("session-public", lambda: daemon.Daemon(environ=environ)))

    @property
    def origin(self) -> str:
        """As a browser writes it."""
        return "https://game.example"

    async def test_secure(self):
        """The cookie is only for TLS, and for the path below which clients find the service."""
        response = await self.enter(await self.user())
        ((_, morsel),) = SimpleCookie(response.header("Set-Cookie")).items()
        self.assertTrue(morsel["secure"])
        self.assertEqual(f"/games{PATH}", morsel["path"])
        self.assertEqual(200, (await self.renew(self.set_by(response))).status)

    async def test_host(self):
        """The Host is not asked: its origin is 403."""
        self.problem(await self.renew(Origin=self.url.rstrip("/")), 403, "forbidden")


class OffTests(SpecCase):
    async def connect(self) -> None:
        self.own_daemon()
        environ = {"PORTAL": "no"}
        self.use(await daemon.shared("portal-off", lambda: daemon.Daemon(environ=environ)))

    async def test_off(self):
        """Without the portal it is 404, and / is there as before."""
        for method in ("POST", "DELETE"):
            headers = {"Origin": self.url.rstrip("/")}
            self.problem(await self.request(method, PATH, headers=headers), 404, "not_found")
        await self.get("/", expect=200)

    async def test_codes(self):
        """Nor are there portal codes."""
        user = await self.user()
        answer = await self.post(f"user/{user.id}/portal-codes", {}, by=user)
        self.problem(answer, 404, "not_found")
