"""Swagger UI, the page at /docs, in a browser."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from playwright.sync_api import Locator, Page, Route

from tests.contract.browser import Visit
from tests.spec.data import User

PREFIX = "/games/first"
LOG_IN = "POST /oauth/token"


def operation(page: Page, method: str, path: str) -> Locator:
    """An operation's block."""
    named = page.locator(f'[data-path="{path}"]')
    return page.locator(f".opblock-{method.lower()}", has=named)


def shorten(page: Page, *operations: str) -> None:
    """Have the page show these operations alone, such as GET /api/v1/me. To draw all of them takes
    longer than what is done with one."""

    def answer(route: Route) -> None:
        # Only the browser knows where its host is.
        asked = urlsplit(route.request.url)
        with urlopen(f"http://127.0.0.1:{asked.port}{asked.path}") as answered:
            document = json.load(answered)
        document["paths"] = {
            path: {
                method: each
                for method, each in there.items()
                if f"{method.upper()} {path}" in operations
            }
            for path, there in document["paths"].items()
        }
        route.fulfill(json=document)

    page.route("**/openapi.json", answer)


def opened(visit: Visit, path: str = "/docs", *, only: tuple[str, ...] = ()) -> Page:
    """The page, with its operations, or with these alone."""
    if only:
        shorten(visit.page, *only)
    visit.page.goto(visit.base + path)
    visit.page.locator(".opblock").first.wait_for()
    return visit.page


def authorize(page: Page, user: User) -> None:
    """Give the page the user's token."""
    page.locator(".auth-wrapper button.authorize").click()
    field = page.get_by_label("auth-bearer-value")
    field.fill(user.token)
    page.locator("form", has=field).get_by_label("Apply credentials").click()
    page.locator(".modal-ux button.close-modal").click()


def tried(block: Locator, *, given: dict[str, str] | None = None, body: Any = None) -> list[str]:
    """Try an operation out: the status and the body that the page shows."""
    block.locator("button.opblock-summary-control").click()
    block.locator("button.try-out__btn").click()
    for name, value in (given or {}).items():
        block.locator(f'tr[data-param-name="{name}"] input').fill(value)
    if body is not None:
        block.locator("textarea.body-param__text").fill(json.dumps(body))
    block.locator("button.execute").click()
    answer = block.locator(".live-responses-table .response")
    status = answer.locator(".response-col_status").inner_text()
    shown = answer.locator(".response-col_description .highlight-code .microlight")
    return [status.split()[0], *shown.all_inner_texts()]


def stripped(route: Route) -> None:
    """Have a request go where a proxy sends it, that serves the API below PREFIX."""
    route.continue_(url=route.request.url.replace(PREFIX, "", 1))
