"""Proxies that refuse sockets, or cut them."""

from __future__ import annotations

from playwright.sync_api import WebSocketRoute, expect

from tests.contract.browser import step
from tests.portal.walk import PASSWORD, Person, WalkCase

BANNERS = """
window.banners = 0;
new MutationObserver(() => (window.banners += document.querySelectorAll(".connection").length))
    .observe(document, { childList: true, subtree: true });
"""
ASK = 30_000
"""Milliseconds between two questions of a page without a socket."""


class Proxy:
    """What this person's sockets go through. It refuses them while `refuses` is set."""

    def __init__(self, person: Person) -> None:
        self.refuses = False
        self._last: WebSocketRoute | None = None
        person.page.route_web_socket("**/*", self._connect)
        person.page.add_init_script(BANNERS)
        self._page = person.page

    def _connect(self, socket: WebSocketRoute) -> None:
        if self.refuses:
            socket.close(code=1011)
        else:
            socket.connect_to_server()
            self._last = socket

    def cut(self) -> None:
        """Break the socket that it let through last."""
        assert self._last is not None, "it let none through"
        self._last.close(code=1011)

    @property
    def banners(self) -> int:
        """How often the page has said that it connects again."""
        return int(self._page.evaluate("window.banners"))


def comment(person: Person, text: str) -> None:
    """Write a comment where they are, and see it."""
    person.fill(Comment=text)
    person.press("Comment")
    expect(person.main.get_by_role("article").filter(has_text=text)).to_be_visible()


class SocketTests(WalkCase):
    async def test_sockets(self) -> None:
        """A player is behind a proxy that cuts sockets, refuses them, and is away with all else."""

        def journey(ada: Person, ben: Person) -> None:
            proxy = Proxy(ada)
            ada.register("/publish")
            path = ada.publish_here("Tilting tower")
            ben.register(path)
            self.cut(ada, ben, proxy, path)
            self.kept_before(ada, proxy, path)
            self.refused(ada, ben, proxy, path)
            self.not_asked(ada, ben, proxy)
            self.away(ada, proxy)

        await self.walk(journey, 2)

    @step
    def cut(self, ada: Person, ben: Person, proxy: Proxy, path: str) -> None:
        """A socket that is cut is followed by another, and nobody notices."""
        with ada.answered("GET */notifications/state"):
            ada.go(path)  # it is asked for after the socket's first message
        with ada.page.expect_websocket():
            proxy.cut()
        comment(ben, "After the cut.")
        expect(ada.main.get_by_text("After the cut.")).to_be_visible()
        self.assertEqual(0, proxy.banners)

    @step
    def kept_before(self, ada: Person, proxy: Proxy, path: str) -> None:
        """What a player keeps elsewhere before the page has its socket is shown, too."""
        content = path.rpartition("/")[2]
        keeper = self.wait(self.logged_in(ada.username, "", PASSWORD))
        proxy.refuses = True
        ada.go("/library")
        expect(ada.main.get_by_text("You have not subscribed to anything yet")).to_be_visible()
        at = f"user/{keeper.id}/subscription/{content}"
        self.wait(self.put(at, {}, by=keeper, expect=204))
        proxy.refuses = False
        expect(ada.main.get_by_role("article", name="Tilting tower", exact=True)).to_be_visible()
        ada.forget("WebSocket")

    @step
    def refused(self, ada: Person, ben: Person, proxy: Proxy, path: str) -> None:
        """Where no socket can be, the page asks every 30 s, and says nothing of it."""
        proxy.refuses = True
        ada.page.clock.install()
        with ada.answered("GET */notifications/state"):
            ada.go(path)
        comment(ben, "By asking.")
        ada.page.clock.fast_forward(ASK)
        expect(ada.main.get_by_text("By asking.")).to_be_visible()
        bell = ada.header.get_by_role("link", name="Notifications (2)", exact=True)
        expect(bell).to_be_visible()
        self.assertEqual(0, proxy.banners)

    @step
    def not_asked(self, ada: Person, ben: Person, proxy: Proxy) -> None:
        """Once a socket can be, it asks no more."""
        proxy.refuses = False
        with ada.page.expect_websocket():
            ada.page.clock.fast_forward(2 * ASK)
        comment(ben, "By the socket.")
        expect(ada.main.get_by_text("By the socket.")).to_be_visible()
        asked: list[str] = []
        ada.page.on("request", lambda request: asked.append(request.url))
        ada.page.clock.fast_forward(2 * ASK)
        comment(ben, "By the socket again.")
        expect(ada.main.get_by_text("By the socket again.")).to_be_visible()
        self.assertEqual([], [url for url in asked if url.endswith("/notifications/state")])

    @step
    def away(self, ada: Person, proxy: Proxy) -> None:
        """While the service does not answer at all, the page says that it connects again."""
        proxy.refuses = True
        ada.page.route("**/api/v1/**", lambda route: route.abort())
        ada.go("/browse")
        banner = ada.header.get_by_role("status").filter(has_text="Connecting again")
        expect(banner).to_be_visible()
        ada.page.unroute_all()
        expect(banner).to_have_count(0)
        ada.spare("ERR_FAILED")
