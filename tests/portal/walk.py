"""People who walk through the portal in a browser."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Locator, Page, Route, expect
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.threads import blockingCallFromThread

from tests.contract.browser import HOST, PATIENCE, VIOLATIONS, in_browser
from tests.spec.data import guid, name
from tests.spec.harness import SpecCase
from tests.support import daemon
from tests.support.pictures import png

PASSWORD = "open sesame"


class Person:
    """Somebody with a browser of their own. They find what they use by role and name."""

    def __init__(self, browser: Browser, base: str, **context: Any) -> None:
        self.base = base
        self.username = name("walker")
        self.page: Page = browser.new_context(
            viewport={"width": 1280, "height": 900}, **context
        ).new_page()
        self.page.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        self.page.add_init_script(VIOLATIONS)
        self.said: list[str] = []
        self.page.on("pageerror", lambda error: self.said.append(f"uncaught: {error}"))
        self.page.on("console", self._hear)

    def _hear(self, message: Any) -> None:
        # The pictures of content that a test makes over the API were never uploaded. The console
        # asks for the names of collections that events are about, and that may be gone.
        url = message.location["url"]
        is_console = "/console/" in self.page.url and "/collections/" in url
        missing = "404" in message.text and ("/files/media/" in url or is_console)
        if message.type not in {"verbose", "info"} and not missing:
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

    def go(self, path: str) -> None:
        """Open a place by its address."""
        self.page.goto(self.base + path)

    def press(self, button: str, within: Locator | None = None) -> None:
        """Press the one button with this name."""
        (within or self.main).get_by_role("button", name=button, exact=True).click()

    def fill(self, within: Locator | None = None, /, **fields: str) -> None:
        """Fill fields, whose labels have blanks for underscores."""
        for label, value in fields.items():
            (within or self.main).get_by_label(label.replace("_", " "), exact=True).fill(value)

    def hold(self, pattern: str) -> list[Route]:
        """Requests to these addresses wait from now on: those that do."""
        held: list[Route] = []

        def keep(route: Route) -> None:
            held.append(route)

        self.page.route(pattern, keep)
        return held

    def register(self) -> None:
        """Make an account, and arrive at Discover, logged in."""
        self.go("/register")
        self.fill(Username=self.username, Password=PASSWORD)
        self.main.get_by_label("E-mail", exact=True).fill(f"{self.username}@example.com")
        self.press("Register")
        self.header.get_by_role("button", name="Log out", exact=True).wait_for()

    def log_in(self, username: str, password: str) -> None:
        """Log in with an account that there is."""
        self.go("/log-in")
        self.fill(Username=username, Password=password)
        self.press("Log in")
        self.header.get_by_role("button", name="Log out", exact=True).wait_for()

    def publish(self, title: str) -> str:
        """Publish a level with a file and a screenshot: the path of its page."""
        self.header.get_by_role("link", name="Publish", exact=True).click()
        return self.publish_here(title)

    def publish_here(self, title: str) -> str:
        """The same, where the form is shown already."""
        self.fill(Name=title, Description="Climb it.", Tags="tower, tall")
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


class WalkCase(SpecCase):
    """Tests in which people use the portal of one daemon."""

    timeout = 240.0
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

    def wait(self, work: Awaitable[Any]) -> Any:
        """Do something over the API in the middle of a walk, and give what comes of it."""

        async def done() -> Any:
            return await work

        return blockingCallFromThread(reactor, lambda: Deferred.fromCoroutine(done()))

    async def walk(self, steps: Callable[..., Any], count: int = 1) -> None:
        """Call `steps` with so many people, in a thread. Fails if a console has anything."""
        base = self.origin

        def look(browser: Browser) -> list[str]:
            people = [self.person(browser, base) for _ in range(count)]
            steps(*people)
            return [line for person in people for line in person.said]

        self.assertEqual([], await in_browser(look, apart=self.apart))
