"""Proxies that refuse sockets, or cut them."""

from __future__ import annotations

from time import monotonic

from playwright.sync_api import WebSocketRoute, expect

from tests.contract.browser import PATIENCE
from tests.portal.walk import Person, WalkCase

BANNERS = """
window.banners = 0;
new MutationObserver(() => (window.banners += document.querySelectorAll(".connection").length))
    .observe(document, { childList: true, subtree: true });
"""
ASK = 30_000
"""Milliseconds between two questions of a page without a socket."""


class Proxy:
    """What this person's sockets go through."""

    def __init__(self, person: Person, *, refuses: bool) -> None:
        self.refuses = refuses
        self.sockets: list[WebSocketRoute] = []
        """Those that it let through."""
        person.page.route_web_socket("**/*", self._connect)
        person.page.add_init_script(BANNERS)
        self._page = person.page

    def _connect(self, socket: WebSocketRoute) -> None:
        if self.refuses:
            socket.close(code=1011)
        else:
            socket.connect_to_server()
            self.sockets.append(socket)

    def wait(self, count: int) -> None:
        """Wait until it has let so many through."""
        deadline = monotonic() + PATIENCE / 1000
        while len(self.sockets) < count:
            assert monotonic() < deadline, f"only {len(self.sockets)} sockets"
            self._page.wait_for_timeout(20)

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
    async def test_refused(self) -> None:
        """Where no socket can be, the page asks every 30 s, and says nothing of it. Once one can
        be, it asks no more."""

        def steps(ada: Person, ben: Person) -> None:
            proxy = Proxy(ada, refuses=True)
            ada.page.clock.install()
            ada.register()
            path = ada.publish("Tilting tower")
            ben.register()
            ben.go(path)
            with ada.page.expect_response("**/notifications/state"):
                ada.go(path)
            comment(ben, "By asking.")
            ada.page.clock.fast_forward(ASK)
            expect(ada.main.get_by_text("By asking.")).to_be_visible()
            bell = ada.header.get_by_role("link", name="Notifications (1)", exact=True)
            expect(bell).to_be_visible()
            self.assertEqual(0, proxy.banners)

            proxy.refuses = False
            ada.page.clock.fast_forward(2 * ASK)
            proxy.wait(1)
            comment(ben, "By the socket.")
            expect(ada.main.get_by_text("By the socket.")).to_be_visible()
            asked: list[str] = []
            ada.page.on("request", lambda request: asked.append(request.url))
            ada.page.clock.fast_forward(2 * ASK)
            comment(ben, "By the socket again.")
            expect(ada.main.get_by_text("By the socket again.")).to_be_visible()
            self.assertEqual([], [url for url in asked if url.endswith("/notifications/state")])

        await self.walk(steps, 2)

    async def test_cut(self) -> None:
        """A socket that is cut is followed by another, and nobody notices."""

        def steps(ada: Person, ben: Person) -> None:
            proxy = Proxy(ada, refuses=False)
            ada.register()
            path = ada.publish("Tilting tower")
            ben.register()
            ben.go(path)
            with ada.page.expect_response("**/notifications/state"):
                ada.go(path)  # it is asked for after the socket's first message
            count = len(proxy.sockets)
            proxy.sockets[-1].close(code=1011)
            proxy.wait(count + 1)
            comment(ben, "After the cut.")
            expect(ada.main.get_by_text("After the cut.")).to_be_visible()
            self.assertEqual(0, proxy.banners)

        await self.walk(steps, 2)

    async def test_away(self) -> None:
        """While the service does not answer at all, the page says that it connects again."""

        def steps(ada: Person) -> None:
            Proxy(ada, refuses=True)
            ada.register()
            ada.page.route("**/api/v1/**", lambda route: route.abort())
            ada.go("/browse")
            banner = ada.header.get_by_role("status").filter(has_text="Connecting again")
            expect(banner).to_be_visible()
            ada.page.unroute("**/api/v1/**")
            expect(banner).to_have_count(0)
            ada.said = [line for line in ada.said if "ERR_FAILED" not in line]

        await self.walk(steps)
