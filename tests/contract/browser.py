"""A real browser: Debian's Chromium, without a window."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from typing import Any
from unittest import SkipTest
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Page, sync_playwright
from twisted.internet.threads import deferToThread

from tests.spec.harness import SpecCase

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
VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
    console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
"""


def chromium() -> str:
    """Where it is. Raises SkipTest, or AssertionError where it is required."""
    found = shutil.which("chromium")
    if found is None:
        if os.environ.get("CONTENTSVC_REQUIRE_CHROMIUM") == "1":
            raise AssertionError("chromium is not installed")
        raise SkipTest("chromium is not installed")
    return found


class Visit:
    """A page of the daemon in a browser of its own, and what the page does unseen."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        self.said: list[str] = []
        """What the console has: errors, warnings, violations of the policy."""
        self.asked: list[str] = []
        """The URL of each request."""
        page.set_default_timeout(PATIENCE)
        page.add_init_script(VIOLATIONS)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.said.append(f"uncaught: {error}"))
        page.context.on("request", lambda request: self.asked.append(request.url))

    def _hear(self, message: ConsoleMessage) -> None:
        # Chromium's hints to authors are verbose: that Swagger UI has a password in no form.
        if message.type != "verbose":
            self.said.append(f"{message.type}: {message.text}")


class BrowserCase(SpecCase):
    """A test of pages."""

    async def visit(self, steps: Callable[[Visit], Any], *origins: str) -> Any:
        """The result of `steps`, called with a new visit in a thread. Fails if the console has
        anything afterwards, or another origin has been asked than the daemon and `origins`."""
        program, base = chromium(), f"http://{HOST}:{urlsplit(self.url).port}"

        def look() -> tuple[Any, Visit]:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
                try:
                    visit = Visit(browser.new_context().new_page(), base)
                    return steps(visit), visit
                finally:
                    browser.close()

        found, visit = await deferToThread(look)
        self.assertEqual([], visit.said)
        expected = (f"{base}/", "data:", *(f"{origin}/" for origin in origins))
        foreign = [url for url in visit.asked if not url.startswith(expected)]
        self.assertEqual([], foreign)
        return found
