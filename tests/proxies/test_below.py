"""The service below a path of a host, which a proxy takes away."""

from __future__ import annotations

import contextlib
import re
from functools import cache
from http.cookies import SimpleCookie
from typing import ClassVar
from urllib.parse import urlsplit
from urllib.request import urlopen

from twisted.internet import reactor

from contentsvc.client import Client
from contentsvc.wire.progress import ProgressBody, ProgressKeyDelete
from tests.contract.browser import HOST, in_browser, step
from tests.contract.swagger import operation, shorten, tried
from tests.portal.walk import Person, WalkCase
from tests.proxies.proxy import Haproxy, Nginx, Proxy
from tests.spec.data import guid
from tests.spec.files.support import FilesCase, blob, made_of
from tests.support.daemon import ROOT, Daemon, free_port, shared, until

BELOW = "/games"
GUIDE = (ROOT / "docs/guides/proxies.md").read_text()


def line(beginning: str) -> str:
    """The line of the guide that begins so."""
    (found,) = re.findall(rf"(?m)^{beginning}.*$", GUIDE)
    # As a replacement that is formatted.
    return str(found).replace("\\", "\\\\").replace("{", "{{").replace("}", "}}")


class BelowNginx(Nginx):
    """As the guide has it."""

    changes = (
        *Nginx.changes,
        (r"(?m)^(?=server \{)", line("map ") + "\n"),
        (r"(?m)^( *location )(?=/)", rf"\g<1>{BELOW}"),
        ("proxy_pass http://contentsvc;", "proxy_pass http://contentsvc$contentsvc_path;"),
    )


class DecodingNginx(Nginx):
    """With a path at proxy_pass: it decodes and normalises what it passes on."""

    changes = (
        *Nginx.changes,
        (r"(?m)^( *location )(?=/)", rf"\g<1>{BELOW}"),
        (rf"({BELOW}(/\S*) \{{{{\s+proxy_pass http://contentsvc);".replace("{{", "{"), r"\1\2;"),
    )


class BelowHaproxy(Haproxy):
    """As the guide has it."""

    changes = (
        *Haproxy.changes,
        (r"(?m)^(?=    http-request return status 404)", f"    {line('http-request ')}\n"),
    )


@cache
def port(name: str) -> int:
    """The port of all proxies of this name: the daemon behind them must know it."""
    return free_port()


class Cases:
    """A proxy, and a daemon that knows its URL."""

    proxy: ClassVar[type[Proxy]]
    host = "127.0.0.1"

    async def connect(self) -> None:
        self.own_daemon()
        name = self.proxy.__name__ + self.host
        public = f"http://{self.host}:{port(name)}{BELOW}"
        options = ("--trusted-proxies", "127.0.0.1", "--files", "local", "--public-url", public)
        self.use(await shared(name, lambda: Daemon(*options, admin=True)))
        assert self.daemon is not None
        self.proxy(self, (self.daemon, self.daemon), port(name)).start()
        self.url = f"http://127.0.0.1:{port(name)}{BELOW}"
        await until(self.answers, 20, "the proxy's answer")

    def answers(self) -> bool:
        """Whether the proxy has found the daemon."""
        with (
            contextlib.suppress(OSError),
            urlopen(f"{self.url}/openapi.json", timeout=5) as answered,
        ):
            return answered.status == 200
        return False


class BelowCases(Cases):
    """Each address that an answer has is one where the service is found."""

    def at(self, path: str | None) -> str:
        """The URL of a path of the host's."""
        self.assertTrue((path or "").startswith(f"{BELOW}/"), path)
        return f"http://{urlsplit(self.url).netloc}{path}"

    async def test_location(self) -> None:
        """What was created is at its Location."""
        name = f"user-{guid()[:8]}"
        body = {"username": name, "email": f"{name}@example.com", "password": "open sesame"}
        made = await self.post("user", body, expect=201)
        location = self.at(made.header("Location"))
        found = await self.bare("GET", f"{location}/info", headers={})
        self.assertEqual(name, found.json()["username"])

    async def test_link(self) -> None:
        """The next part of a list is at its Link."""
        author = await self.user()
        for _ in range(3):
            await self.content(author)
        found = await self.get(f"content?author={author.id}&limit=2", expect=200)
        link = (found.header("Link") or "").partition(">")[0].removeprefix("<")
        rest = (await self.bare("GET", self.at(link), headers={})).json()
        self.assertEqual(1, len(rest), rest)

    async def test_contract(self) -> None:
        """The servers of /openapi.json, and the URL of its log-in, are there."""
        document = (await self.get("/openapi.json", expect=200)).json()
        (server,) = document["servers"]
        await self.bare("GET", f"{self.at(server['url'] + '/api/v1/content')}", headers={})
        for scheme in ("password", "service"):
            for flow in document["components"]["securitySchemes"][scheme]["flows"].values():
                answer = await self.bare("POST", self.at(flow["tokenUrl"]), headers={})
                self.assertEqual(400, answer.status, answer)
                self.assertEqual(flow["tokenUrl"], flow.get("refreshUrl", flow["tokenUrl"]))

    async def test_cookie(self) -> None:
        """The cookie of the portal's log-in comes back to where it was set, and nowhere else."""
        user = await self.user()
        form = {"grant_type": "password", "username": user.username, "password": user.password}
        headers = {"Origin": f"http://{urlsplit(self.url).netloc}"}
        found = await self.request("POST", "/portal/session", data=form, headers=headers)
        self.assertEqual(200, found.status, found)
        ((_, morsel),) = SimpleCookie(found.header("Set-Cookie") or "").items()
        self.assertEqual(f"{BELOW}/portal/session", morsel["path"])

    async def test_socket(self) -> None:
        """socketUrl is where sockets are."""
        user = await self.user()
        found = await self.session(user)
        self.assertEqual("ws" + self.url.removeprefix("http") + "/socket", found["socketUrl"])
        await self.socket(user)

    async def test_files(self) -> None:
        """Files go there and come from there."""
        user, file = await self.user(), blob()
        await self.upload(user, file)
        content = await self.content(user, entity=made_of(file))
        ((url,),) = ([one["url"]] for one in (await self.get(f"{content.path}/files")).json())
        self.assertTrue(url.startswith(f"{self.url}/files/"), url)
        self.assertEqual(file.data, (await self.bare("GET", url, headers={})).body)

    async def test_slashes(self) -> None:
        """A key with an encoded slash comes through as it is."""
        user = await self.user()
        path = f"user/{user.id}/progress"
        await self.put(f"{path}/a%2Fb", {"value": {}}, by=user, expect=204)
        self.assertEqual(["a/b"], [one["key"] for one in (await self.get(path, by=user)).json()])

    async def test_client(self) -> None:
        """A client needs no more than the URL."""
        user = await self.user()
        client = Client(reactor, self.url)
        self.addCleanup(client.close)
        await client.log_in(user.username, user.password)
        await client.progress.put("level", ProgressBody(value={"floor": 1}))
        self.assertEqual(["level"], [one.key for one in await client.progress.list()])


class DecodingTests(Cases, FilesCase):
    """Behind a proxy that decodes and normalises paths."""

    proxy = DecodingNginx

    async def test_slashes(self) -> None:
        """A key with slashes goes through in the query, and not in the path."""
        user = await self.user()
        path = f"user/{user.id}/progress"
        await self.put(f"{path}/a%2Fb", {"value": {}}, by=user, expect=404)
        await self.put(path, {"value": {}}, by=user, query={"key": "a/b"}, expect=204)
        (found,) = (await self.get(path, by=user, query={"key": "a/b"}, expect=200)).json()
        self.assertEqual("a/b", found["key"])
        await self.delete(path, by=user, query={"key": "a/b"}, expect=204)
        self.assertEqual([], (await self.get(path, by=user)).json())

    async def test_parent(self) -> None:
        """No client of ours sends a key that would end the user's other log-ins."""
        user = await self.user()
        client = Client(reactor, self.url)
        self.addCleanup(client.close)
        await client.log_in(user.username, user.password)
        with self.assertRaises(ValueError):
            await client.progress.delete("../sessions")
        await client.progress.delete_by_key(ProgressKeyDelete(key="../sessions"))
        self.assertEqual(2, len(await client.sessions.list()))


class NginxTests(BelowCases, FilesCase):
    proxy = BelowNginx


class HaproxyTests(BelowCases, FilesCase):
    proxy = BelowHaproxy


class BrowserTests(Cases, WalkCase):
    """The portal in a browser."""

    proxy = BelowNginx
    host = HOST

    async def test_portal(self) -> None:
        """A player registers, and is still logged in after a reload, and on /docs."""
        base = f"http://{HOST}:{urlsplit(self.url).port}{BELOW}"

        def look(browser: object) -> None:
            ada = Person(browser, base)  # type: ignore[arg-type]
            self.listeners = (ada,)
            shorten(ada.page, "GET /api/v1/me")
            ada.register()
            self.reloaded(ada)
            self.published(ada)
            self.docs(ada)
            ada.go("/")
            ada.log_out()
            self.logged_out(ada)

        await in_browser(look)
        self.assertEqual([], self.lines)

    @step
    def reloaded(self, ada: Person) -> None:
        """A reload stays logged in."""
        for _ in range(2):
            ada.page.reload()
            ada.arrive()

    @step
    def published(self, ada: Person) -> None:
        """What is published is shown with its picture."""
        path = ada.publish("Tower")
        ada.page.reload()
        ada.arrive(path)

    @step
    def docs(self, ada: Person) -> None:
        """/docs knows who is logged in."""
        ada.go("/docs")
        ada.page.locator(".auth-wrapper button.authorize.locked").wait_for()
        status, shown = tried(operation(ada.page, "GET", "/api/v1/me"))
        self.assertEqual("200", status)
        self.assertIn(ada.username, shown)

    @step
    def logged_out(self, ada: Person) -> None:
        """After a log-out, a reload finds nobody."""
        ada.page.reload()
        ada.left()
