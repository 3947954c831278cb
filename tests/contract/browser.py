"""A real browser: Debian's Chromium without a window, whose headless shell is the lightest."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import getdoc
from typing import Any, Concatenate, ParamSpec, TypeVar
from unittest import SkipTest
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, sync_playwright
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.threads import blockingCallFromThread, deferToThreadPool
from twisted.python.threadpool import ThreadPool
from twisted.web.resource import Resource
from twisted.web.server import Site
from twisted.web.static import Data

from tests.spec.harness import SpecCase

T = TypeVar("T")
J = TypeVar("J", bound="JourneyCase")
P = ParamSpec("P")
PROGRAMS = ("chromium-headless-shell", "chromium")
HOST = "contentsvc.example"
"""What the browser takes the daemon's address for. Some of what a page does for a public host it
does not do for this machine's own address."""
PATIENCE = 30_000.0
"""Milliseconds for one step."""
PORTAL = "portal.example"
"""What it takes this machine's address for too: the host of a page of another origin."""
FLAGS = (
    "--no-sandbox",  # Chromium's own does not work as root
    "--disable-background-networking",
    "--disable-component-update",
    f"--host-resolver-rules=MAP {HOST} 127.0.0.1,MAP {PORTAL} 127.0.0.1",
)
EMPTY = b"<!doctype html><meta charset=utf-8><link rel=icon href=data:,><title>Empty</title>"
VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
    console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
"""


def chromium() -> str:
    """Where it is. Raises SkipTest, or AssertionError where it is required."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        if os.environ.get("CONTENTSVC_REQUIRE_CHROMIUM") == "1":
            raise AssertionError(f"{PROGRAMS[0]} is not installed")
        raise SkipTest(f"{PROGRAMS[0]} is not installed")
    return found


class _Window:
    """A browser, and the thread that it belongs to. Both end with the reactor."""

    def __init__(self, program: str) -> None:
        self._program = program
        self._pool = ThreadPool(1, 1, "browser")
        self._pool.start()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self.busy = False
        reactor.addSystemEventTrigger("before", "shutdown", self._end)

    async def use(self, look: Callable[[Browser], T], apart: bool) -> T:
        """What `look` gives in the thread."""
        self.busy = True
        found: T = await deferToThreadPool(reactor, self._pool, self._use, look, apart)
        return found

    def _use(self, look: Callable[[Browser], T], apart: bool) -> T:
        try:
            browser = self._open()
            try:
                return look(browser)
            finally:
                for context in browser.contexts:
                    context.close()
                if apart:
                    browser.close()
        finally:
            self.busy = False

    def _open(self) -> Browser:
        if self._playwright is None:
            self._playwright = sync_playwright().start()
        if self._browser is None or not self._browser.is_connected():
            self._browser = self._playwright.chromium.launch(
                executable_path=self._program, args=FLAGS
            )
        return self._browser

    def _close(self) -> None:
        if self._browser is not None:
            self._browser.close()
        if self._playwright is not None:
            self._playwright.stop()

    def _end(self) -> Deferred[None]:
        closed: Deferred[None] = deferToThreadPool(reactor, self._pool, self._close)
        return closed.addBoth(lambda _: self._pool.stop())


_windows: list[_Window] = []


async def in_browser(look: Callable[[Browser], T], *, apart: bool = False) -> T:
    """What `look` gives, called in a thread with the browser of this process: to start one for each
    test takes as long as the test. Afterwards its contexts are closed, or the browser itself if the
    test is to be `apart`: some of its connections outlive a context. Raises as chromium does."""
    program = chromium()
    # After a test that was given up, its steps are still under way in the last one.
    if not _windows or _windows[-1].busy:
        _windows.append(_Window(program))
    return await _windows[-1].use(look, apart)


class Listener:
    """Hears what a page does unseen."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[str] = []
        """What the console has: errors, warnings, violations of the policy."""
        page.set_default_timeout(PATIENCE)
        page.add_init_script(VIOLATIONS)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.said.append(f"uncaught: {error}"))

    def _hear(self, message: ConsoleMessage) -> None:
        # Chromium's hints to authors are verbose: that Swagger UI has a password in no form.
        if message.type != "verbose":
            self.said.append(f"{message.type}: {message.text}")

    def spare(self, *texts: str) -> None:
        """Wait until the console has a line with each of these, and forget all lines with them: the
        browser's own for an answer that a step wants, such as a status of 4xx."""
        for text, count in Counter(texts).items():
            while sum(text in line for line in self.said) < count:
                self.page.wait_for_event("console")
        self.forget(*texts)

    def forget(self, *texts: str) -> None:
        """Forget the lines with these: what a browser may say, and need not."""
        self.said = [line for line in self.said if not any(text in line for text in texts)]


class Visit(Listener):
    """A page of the daemon in a browser of its own, and what the page does unseen."""

    def __init__(self, page: Page, base: str) -> None:
        super().__init__(page)
        self.base = base
        self.asked: list[str] = []
        """The URL of each request."""
        page.context.on("request", lambda request: self.asked.append(request.url))


class JourneyCase(SpecCase):
    """A test is a journey of one person, or a few, through one subject, step by step."""

    listeners: tuple[Listener, ...] = ()
    """Whose pages the journey leads through."""

    @contextmanager
    def step(self, fact: str) -> Iterator[None]:
        """Do a step of the journey. Fails if a console has anything afterwards, and each failure
        begins with this fact."""
        try:
            yield
            self.assertEqual([], self.lines)
        except Exception as error:
            # trial does not show the notes of exceptions.
            error.args = ("\n".join([fact, str(error), *self.lines]),)
            raise

    @property
    def lines(self) -> list[str]:
        """What the consoles have."""
        return [line for each in self.listeners for line in each.said]

    def wait(self, work: Awaitable[Any]) -> Any:
        """Do something over the API in the middle of a journey, and give what comes of it."""

        async def done() -> Any:
            return await work

        return blockingCallFromThread(reactor, lambda: Deferred.fromCoroutine(done()))


def step(act: Callable[Concatenate[J, P], T]) -> Callable[Concatenate[J, P], T]:
    """A method of a JourneyCase that is a step: its docstring is the fact."""
    fact = getdoc(act) or act.__name__

    @wraps(act)
    def done(self: J, *given: P.args, **more: P.kwargs) -> T:
        with self.step(fact):
            return act(self, *given, **more)

    return done


class BrowserCase(JourneyCase):
    """A test of pages. It is `apart` if it has a server in this process."""

    apart = False

    def beside(self, host: str = PORTAL) -> str:
        """The URL of an empty page of this host's, which is another origin than the daemon."""
        root = Resource()
        root.putChild(b"", Data(EMPTY, "text/html"))
        port = reactor.listenTCP(0, Site(root), interface="127.0.0.1")
        self.addCleanup(port.stopListening)
        return f"http://{host}:{port.getHost().port}"

    async def visit(self, steps: Callable[[Visit], Any], *origins: str) -> Any:
        """The result of `steps`, called with a new visit in a thread. Fails if the console has
        anything afterwards, or another origin has been asked than the daemon and `origins`."""
        base = f"http://{HOST}:{urlsplit(self.url).port}"

        def look(browser: Browser) -> tuple[Any, Visit]:
            visit = Visit(browser.new_context().new_page(), base)
            self.listeners = (visit,)
            return steps(visit), visit

        found, visit = await in_browser(look, apart=self.apart)
        self.assertEqual([], visit.said)
        expected = (f"{base}/", "data:", *(f"{origin}/" for origin in origins))
        foreign = [url for url in visit.asked if not url.startswith(expected)]
        self.assertEqual([], foreign)
        return found
