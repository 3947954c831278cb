"""People who walk through the portal in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from fnmatch import fnmatch
from time import monotonic
from typing import Any
from urllib.parse import quote, urlsplit

from playwright.sync_api import Browser, Locator, Request, Route, WebSocket, expect

from tests.contract.browser import HOST, PATIENCE, JourneyCase, Listener, in_browser
from tests.spec.data import User, guid, name
from tests.support import daemon
from tests.support.pictures import png

PASSWORD = "open sesame"
SITE = "\N{EN DASH} contentsvc"
"""What the title of each place ends with."""
LATE = 10_500
"""Milliseconds after which nothing can be put back, and what was decided is sent."""
MOVE = """
(path) => {
    if (new URL(path, location).pathname !== location.pathname)
        for (const one of document.querySelectorAll(".place > *")) one.dataset.left = "";
    const link = Object.assign(document.createElement("a"), { href: path });
    document.body.append(link);
    link.click();
    link.remove();
}
"""
DRAWN = """
() => new Promise((done) =>
    requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => setTimeout(done)))))
"""
"""Comes back when what the page knew is drawn, and it has asked for what it then needs."""


def button(within: Locator, text: str) -> Locator:
    """The one button with this name."""
    return within.get_by_role("button", name=text, exact=True)


class Person(Listener):
    """Somebody with a browser of their own. They find what they use by role and name."""

    def __init__(self, browser: Browser, base: str, **context: Any) -> None:
        size = {"width": 1280, "height": 900}
        super().__init__(browser.new_context(viewport=size, **context).new_page())
        expect.set_options(timeout=PATIENCE)
        self.base = base
        self.username = name("walker")

    def _hear(self, message: Any) -> None:
        # The pictures of content that a test makes over the API were never uploaded. The console
        # asks for the names of collections that events are about, and that may be gone.
        url = message.location["url"]
        is_console = "/console/" in self.page.url and "/collections/" in url
        missing = "404" in message.text and ("/files/media/" in url or is_console)
        # Who logs in as somebody else may do so while the first socket connects.
        closed = "WebSocket is closed before the connection is established" in message.text
        if message.type not in {"verbose", "info"} and not (missing or closed):
            self.said.append(f"{message.type}: {message.text} {url}")

    @property
    def id(self) -> str:
        """Theirs, while they are logged in."""
        return str(self.page.evaluate("() => localStorage.getItem('contentsvc.user')"))

    @property
    def header(self) -> Locator:
        """The header of the page."""
        return self.page.get_by_role("banner")

    @property
    def main(self) -> Locator:
        """The place."""
        return self.page.get_by_role("main")

    @property
    def dialog(self) -> Locator:
        """The dialog that is open."""
        return self.page.get_by_role("dialog")

    def go(self, path: str) -> None:
        """Open a place by its address."""
        self.page.goto(self.base + path)

    def move(self, path: str) -> None:
        """Go to another place as a link of the page does, without a load."""
        self.page.evaluate(MOVE, self.base + path)
        expect(self.page.locator("[data-left]")).to_have_count(0)

    def press(self, name: str, within: Locator | None = None) -> None:
        """Press the one button with this name."""
        button(within or self.main, name).click()

    def fill(self, within: Locator | None = None, /, **fields: str) -> None:
        """Fill fields, whose labels have blanks for underscores."""
        for label, value in fields.items():
            (within or self.main).get_by_label(label.replace("_", " "), exact=True).fill(value)

    def open(self, name: str) -> None:
        """Have what a button shows, such as `Manage`, unless it is shown already."""
        turn = button(self.main, name)
        turn.wait_for()
        if turn.get_attribute("aria-expanded") != "true":
            turn.click()

    def escape(self) -> None:
        """Close the dialog by its key. When it is gone, the focus is where it was before."""
        self.page.keyboard.press("Escape")
        expect(self.page.locator("dialog")).to_have_count(0)

    @contextmanager
    def held(self, pattern: str) -> Iterator[list[Route]]:
        """Requests to these addresses wait from now on: those that do, of which the block makes the
        first."""
        waiting: list[Route] = []

        def keep(route: Route) -> None:
            waiting.append(route)

        self.page.route(pattern, keep)
        with self.page.expect_request(pattern):
            yield waiting

    def refuse(self, waiting: list[Route], **problem: Any) -> None:
        """Answer the one request that waits with this problem. Others are not kept any more."""
        (route,) = waiting
        media_type = "application/problem+json"
        route.fulfill(status=problem["status"], json=problem, content_type=media_type)
        self.page.unroute_all()

    def answered(self, request: str) -> AbstractContextManager[Any]:
        """Wait until a request is answered that the block makes: `PUT */subscription/*`."""
        return self.page.expect_response(
            lambda one: fnmatch(f"{one.request.method} {urlsplit(one.url).path}", request)
        )

    def until(self, condition: Callable[[], bool], otherwise: str) -> None:
        """Wait for what the page does unseen, from drawing to drawing, with one at least."""
        deadline = monotonic() + PATIENCE / 1_000
        self.page.evaluate(DRAWN)
        while not condition():
            self.page.evaluate(DRAWN)
            assert monotonic() < deadline, otherwise

    @contextmanager
    def read(self) -> Iterator[None]:
        """Wait until what the block has the page ask for is answered, and drawn."""
        under_way: set[Request] = set()

        def begun(request: Request) -> None:
            under_way.add(request)

        def ended(request: Request) -> None:
            under_way.discard(request)

        heed = (("request", begun), ("requestfinished", ended), ("requestfailed", ended))
        for event, note in heed:
            self.page.on(event, note)  # type: ignore[call-overload]
        yield
        for _ in range(2):
            self.until(lambda: not under_way, "the page still asks")
        for event, note in heed:
            self.page.remove_listener(event, note)

    @contextmanager
    def settled(self) -> Iterator[None]:
        """The same, of a page that is loaded by who is logged in: it has its socket then."""
        greeted: list[WebSocket] = []

        def greet(socket: WebSocket) -> None:
            socket.on("framereceived", lambda _: greeted.append(socket))

        self.page.on("websocket", greet)
        with self.read():
            yield
            self.until(lambda: bool(greeted), "no socket has said anything")
        self.page.remove_listener("websocket", greet)

    def wait_until_sent(self) -> None:
        """Let the time pass in which something can be taken back. The clock of the page was
        installed."""
        self.page.mouse.move(0, 0)
        self.page.clock.run_for(LATE)
        expect(self.page.locator("#undo")).to_have_count(0)

    def register(self, then: str = "/") -> None:
        """Make an account, and arrive there, logged in."""
        self.go(f"/register?then={quote(then, safe='')}")
        self.fill(Username=self.username, Password=PASSWORD)
        self.main.get_by_label("E-mail", exact=True).fill(f"{self.username}@example.com")
        self.press("Register")
        self.arrive(then)

    def log_in(self, user: User, then: str = "/") -> None:
        """Log in as a user who has an account, and arrive there."""
        self.username = user.username
        self.go(f"/log-in?then={quote(then, safe='')}")
        self.fill(Username=user.username, Password=user.password)
        self.press("Log in")
        self.arrive(then)

    def arrive(self, path: str = "/") -> None:
        """Wait until they are there, logged in."""
        self.page.wait_for_url(self.base + path)
        button(self.header, "Log out").wait_for()

    def log_out(self) -> None:
        """Log out, from a page that has read all that it asks for: the rest would be refused."""
        with self.settled():
            self.page.reload()
        self.press("Log out", self.header)
        self.left()

    def left(self) -> None:
        """Wait until nobody is logged in."""
        self.header.get_by_role("link", name="Log in", exact=True).wait_for()

    def publish(self, title: str) -> str:
        """Publish a level with a file and a screenshot: the path of its page."""
        self.header.get_by_role("link", name="Publish", exact=True).click()
        return self.publish_here(title)

    def publish_here(self, title: str, tags: str = "tower, tall") -> str:
        """The same, where the form is shown already."""
        self.fill(Name=title, Description="Climb it.", Tags=tags)
        self.main.get_by_label("File", exact=True).set_input_files(
            {"name": "level.bin", "mimeType": "application/octet-stream", "buffer": guid().encode()}
        )
        self.main.get_by_label("Screenshots", exact=True).set_input_files(
            {"name": "shot.png", "mimeType": "image/png", "buffer": png(64, 36)}
        )
        self.press("Publish")
        self.page.wait_for_url("**/content/*")
        self.main.get_by_role("heading", name=title, level=1).wait_for()
        return self.page.url.removeprefix(self.base)


class WalkCase(JourneyCase):
    """Journeys of people through the portal of one daemon."""

    timeout = 480.0
    person: type[Person] = Person
    apart = False
    """Whether the browser must end with the test, which has a server in this process."""

    world = "portal-walk"
    """The daemon, by a name. What is published there has all its files: a picture that is missing
    is an error in the console."""

    async def connect(self) -> None:
        self.own_daemon()
        environ = {"FILES": "local"}
        self.use(await daemon.shared(self.world, lambda: daemon.Daemon(environ=environ)))

    @property
    def origin(self) -> str:
        """Where a browser finds the portal."""
        return f"http://{HOST}:{urlsplit(self.url).port}"

    async def walk(self, steps: Callable[..., Any], count: int = 1) -> None:
        """Call `steps` with so many people, in a thread. Fails if a console has anything."""
        base = self.origin

        def look(browser: Browser) -> None:
            people = [self.person(browser, base) for _ in range(count)]
            self.listeners = tuple(people)
            steps(*people)

        await in_browser(look, apart=self.apart)
        self.assertEqual([], self.lines)
