"""/client.js in a real browser, from a page of another origin."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page, Request
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.threads import blockingCallFromThread
from twisted.protocols.portforward import ProxyFactory, ProxyServer

from tests.contract.browser import HOST, BrowserCase, Visit, step
from tests.contract.swagger import LOG_IN, shorten
from tests.spec.data import Content, User

OPEN = """
async ({ base, as }) => {
    const { Client } = await import(`${base}/client.js`);
    const storage = {
        get: (key) => localStorage.getItem(key),
        set: (key, value) => localStorage.setItem(key, value),
        remove: (key) => localStorage.removeItem(key),
    };
    self.client = new Client(base, { storage });
    self.out = new Promise((resolve, reject) => {
        client.addEventListener("signedout", (event) => resolve(event.detail.reason));
        setTimeout(reject, 20_000, new Error("Nobody was signed out."));
    });
    out.catch(() => {}); // Not every page waits for it.
    if (as) await client.logIn(as);
    return (await client.getUser()).username;
}
"""
"""A tab's client, as `client`: it logs in, or goes on with the log-in of the storage."""


class PageCase(BrowserCase):
    """A page beside the daemon."""

    apart = True

    def opened(self, page: Page, place: str, base: str, by: User | None = None) -> Any:
        """Who is logged in on a page that has just been opened."""
        page.goto(f"{place}/")
        given = by and {"username": by.username, "password": by.password}
        return page.evaluate(OPEN, {"base": base, "as": given})


SEND = """
async (otherId) => {
    const made = [];
    for (const text of ["one", "two", "three"]) {
        const sent = { otherId, body: { text } };
        made.push((await client.sendMessage(sent)).location !== null);
    }
    const found = [];
    const messages = client.each("listMessages", { otherId, limit: 2 });
    for await (const { text } of messages) found.push(text);
    return [made, found];
}
"""
KEEP = """
async (contentId) => {
    await client.putSubscription({ contentId, body: {} });
    const look = async () => {
        const found = [];
        for await (const { kind, content } of client.library({ game: "1.0" })) {
            found.push(`${kind} ${content}`);
        }
        return found;
    };
    return [await look(), await look()];
}
"""


class PlainTests(PageCase):
    """On plain http a page has no locks, and half of Web Crypto."""

    async def test_another_origin(self) -> None:
        """A page of another origin logs a player in, sends messages, and has their library."""
        ann, ben, place = await self.user(), await self.user(), self.beside()
        for one, other in ((ann, ben), (ben, ann)):
            await self.put(f"user/{one.id}/friend/{other.id}", by=one, expect=204)
        contents = await self.content(ben), await self.content(ben)

        def journey(visit: Visit) -> None:
            self.kept(visit, place, ann)
            self.lists(visit, ben)
            self.library(visit, place, *contents)

        await self.visit(journey, place)

    @step
    def kept(self, visit: Visit, place: str, ann: User) -> None:
        """A log-in goes on after a reload."""
        page = visit.page
        names = [self.opened(page, place, visit.base, by) for by in (ann, None, None)]
        self.assertEqual([ann.username] * 3, names)
        found = page.evaluate("[isSecureContext, navigator.locks === undefined]")
        self.assertEqual([False, True], found)

    @step
    def lists(self, visit: Visit, ben: User) -> None:
        """Scripts of another origin can read where a list goes on, and where a thing was made."""
        found = visit.page.evaluate(SEND, ben.id)
        self.assertEqual([[True] * 3, ["three", "two", "one"]], found)

    @step
    def library(self, visit: Visit, place: str, one: Content, two: Content) -> None:
        """It has the user's library, and after a reload only what is new."""
        found = visit.page.evaluate(KEEP, one.id)
        self.assertEqual([[f"fetch {one.id}"], []], found)
        self.opened(visit.page, place, visit.base)
        found = visit.page.evaluate(KEEP, two.id)
        self.assertEqual([[f"fetch {two.id}"], []], found)


class TabTests(PageCase):
    """On https, and on this machine's own address, tabs share a lock."""

    async def test_tabs(self) -> None:
        """A player has two tabs of a page."""
        ann, ben, place = await self.user(), await self.user(), self.beside("127.0.0.1")

        def journey(visit: Visit) -> None:
            first, second = visit.page, visit.page.context.new_page()
            self.opened(first, place, visit.base, ann)
            self.opened(second, place, visit.base)
            self.renewal(first, second, ann)
            self.log_out(first, second)
            self.opened(first, place, visit.base, ann)
            self.opened(second, place, visit.base, ben)
            self.other_user(first, ben)

        await self.visit(journey, place)

    @step
    def renewal(self, first: Page, second: Page, ann: User) -> None:
        """Two tabs whose token is refused at once renew it once, and go on with the same."""
        renewals = []

        def heard(request: Request) -> None:
            if "grant_type=refresh_token" in (request.post_data or ""):
                renewals.append(request.url)

        first.context.on("request", heard)
        (old,) = {tab.evaluate("client.token()") for tab in (first, second)}
        for tab in (first, second):
            tab.evaluate("(fresh) => { self.token = client.token({ fresh }); }", old)
        tokens = [tab.evaluate("self.token") for tab in (first, second)]
        calls = [tab.evaluate("client.getUser()")["username"] for tab in (first, second)]
        self.assertEqual([1, [ann.username] * 2], [len(set(tokens)), calls])
        self.assertEqual(1, len(renewals))

    @step
    def log_out(self, first: Page, second: Page) -> None:
        """A log-out in one tab is one in all."""
        first.evaluate("client.logOut()")
        kept = second.evaluate("localStorage.length")
        found = [second.evaluate("out"), second.evaluate("client.user"), kept]
        self.assertEqual(["logout", None, 0], found)

    @step
    def other_user(self, first: Page, ben: User) -> None:
        """A log-in as another user in one tab signs the first one out in all."""
        out = first.evaluate("out")
        self.assertEqual("logout", out)
        self.assertEqual(ben.username, first.evaluate("client.getUser()")["username"])


class Way(ProxyFactory):
    """The way to the daemon, which can be cut."""

    def __init__(self, port: int) -> None:
        super().__init__("127.0.0.1", port)
        self._open: list[ProxyServer] = []

    def buildProtocol(self, addr: Any) -> Any:
        built = super().buildProtocol(addr)
        self._open.append(built)
        return built

    def cut(self) -> None:
        """Break all connections that are open."""
        broken, self._open = self._open, []
        for each in broken:
            each.transport.abortConnection()


LIVE = """
() => {
    self.heard = [];
    const live = client.live();
    for (const name of ["open", "notification", "waiting", "missed", "ended"]) {
        live.addEventListener(name, ({ detail }) => {
            const text = detail.notification?.text;
            heard.push(text === undefined ? name : `${detail.seq} ${text}`);
        });
    }
}
"""


class LiveTests(PageCase):
    async def test_resume(self) -> None:
        """A page of another origin hears of each notification once and in order, also of those that
        came while its connection was broken."""
        ann, place = await self.user(), self.beside()
        way = Way(urlsplit(self.url).port)
        port = reactor.listenTCP(0, way, interface="127.0.0.1")
        self.addCleanup(port.stopListening)
        self.addCleanup(way.cut)
        base = f"http://{HOST}:{port.getHost().port}"

        def cut_and_notify(text: str) -> Deferred[None]:
            way.cut()
            return Deferred.fromCoroutine(self.notify(ann, text))

        def steps(visit: Visit) -> Any:
            page = visit.page
            self.opened(page, place, base, ann)
            page.evaluate(LIVE)
            page.wait_for_function("heard.includes('open')")
            self.wait(self.notify(ann, "one"))
            page.wait_for_function("heard.includes('1 one')")
            blockingCallFromThread(reactor, cut_and_notify, "two")
            page.wait_for_function("heard.includes('2 two')")
            self.wait(self.notify(ann, "three"))
            page.wait_for_function("heard.includes('3 three')")
            # The browser's own line for a socket that broke.
            visit.forget("WebSocket")
            return page.evaluate("heard")

        heard = await self.visit(steps, place, base)
        self.assertEqual(["open", "1 one", "waiting", "open", "2 two", "3 three"], heard)


class SessionTests(PageCase):
    """On a page of the service's own origin."""

    async def test_cookie(self) -> None:
        """A log-in goes on after a reload, though no script has ever seen its refresh token."""
        ann = await self.user()
        given = {"username": ann.username, "password": ann.password}
        script = """
        async (by) => {
            const { Client } = await import("/client.js");
            const client = new Client(location.origin, { session: "/portal/session" });
            if (by) await client.logIn(by);
            return [(await client.getUser()).username, document.cookie];
        }
        """

        def steps(visit: Visit) -> Any:
            shorten(visit.page, LOG_IN)
            found = []
            for by in (given, None):
                visit.page.goto(f"{visit.base}/docs")
                found.append(visit.page.evaluate(script, by))
            return found

        self.assertEqual(await self.visit(steps), [[ann.username, ""]] * 2)
