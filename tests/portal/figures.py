"""Print how fast the portal is, beside a daemon with the demo world."""

from __future__ import annotations

import statistics
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.contract.browser import chromium
from tests.portal.pictures import FLAGS, PLAYER, demo, visitor

REPEATS = 5
LOOK = 1_000
"""Milliseconds for which somebody looks at a place."""
PAINTED = """
() => new Promise((found) => new PerformanceObserver((list) => {
    for (const one of list.getEntries())
        if (one.name === "first-contentful-paint") found(one.startTime);
}).observe({ type: "paint", buffered: true }))
"""
MOVE = """
(href) => new Promise((found) => {
    const link = [...document.querySelectorAll("header.top a")].find((one) => one.href === href);
    const named = () => document.querySelector("main h1")?.textContent;
    const before = named(), begun = performance.now();
    const look = () => {
        if (named() && named() !== before) found(performance.now() - begun);
        else requestAnimationFrame(look);
    };
    link.click();
    look();
})
"""


class Wire:
    """What goes over the wire for a page, and what its cache spares."""

    def __init__(self, page: Page) -> None:
        self.sent: dict[str, dict[str, Any]] = {}
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.responseReceived", self._received)
        session.on("Network.loadingFinished", self._finished)

    def _received(self, event: dict[str, Any]) -> None:
        answer = event["response"]
        cached = bool(answer.get("fromDiskCache") or answer.get("fromPrefetchCache"))
        self.sent[event["requestId"]] = {
            "url": answer["url"],
            "type": event["type"],
            "cached": cached,
            "bytes": 0,
        }

    def _finished(self, event: dict[str, Any]) -> None:
        if event["requestId"] in self.sent:
            self.sent[event["requestId"]]["bytes"] = event["encodedDataLength"]

    def asked(self, *, pictures: bool = False) -> list[dict[str, Any]]:
        """What came over the wire, without what the cache had."""
        return [
            one
            for one in self.sent.values()
            if not one["cached"] and one["bytes"] and (pictures or one["type"] != "Image")
        ]


def cold(browser: Browser, url: str) -> tuple[float, int]:
    """Milliseconds to the first paint of `/` with an empty cache, and bytes over the wire."""
    page = browser.new_context().new_page()
    wire = Wire(page)
    page.goto(f"{url}/")
    painted = float(page.evaluate(PAINTED))
    page.wait_for_load_state("networkidle")
    total = sum(one["bytes"] for one in wire.asked())
    page.context.close()
    return painted, total


def again(browser: Browser, url: str) -> list[str]:
    """What a second visit of `/` asks for, pictures too."""
    context = browser.new_context()
    for _ in range(2):
        page = context.new_page()
        wire = Wire(page)
        page.goto(f"{url}/")
        page.wait_for_load_state("networkidle")
        page.close()
    context.close()
    return sorted({one["url"].removeprefix(url) for one in wire.asked(pictures=True)})


def moves(page: Page, url: str) -> dict[str, float]:
    """Milliseconds from the press of a link in the header to the place, by the place."""
    page.goto(f"{url}/")
    page.wait_for_load_state("networkidle")
    found = {}
    for path in ("/browse", "/challenges", "/publish", "/friends", "/settings", "/notifications"):
        href = page.locator(f'header.top a[href^="{url}{path}"]').first.get_attribute("href")
        # The pictures of a place are drawn when somebody leaves it.
        page.wait_for_timeout(LOOK)
        found[path] = float(page.evaluate(MOVE, href))
        page.wait_for_load_state("networkidle")
    return found


def main() -> None:
    """Print all of them."""
    with demo() as (url, password), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        paints = [cold(browser, url) for _ in range(REPEATS)]
        median = statistics.median(painted for painted, _ in paints)
        print(f"first contentful paint of /, cold: {median:.0f} ms")
        print(f"over the wire, without pictures: {max(size for _, size in paints) / 1000:.1f} KB")
        page = visitor(browser, url, 1280, False, (PLAYER, password))
        first = moves(page, url)
        later = moves(page, url)
        for path in first:
            print(f"to {path}: {first[path]:.0f} ms, again {later[path]:.0f} ms")
        print("a second visit of / asks for:")
        for path in again(browser, url):
            print(f"  {path}")
        browser.close()


if __name__ == "__main__":
    main()
