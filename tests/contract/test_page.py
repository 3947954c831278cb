"""/docs in a real browser: it works, and it loads nothing from elsewhere."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Locator, Page, Route
from twisted.internet.defer import Deferred

from tests.contract.browser import BrowserCase, Visit
from tests.spec.data import User

PREFIX = "/games/first"


def operation(page: Page, method: str, path: str) -> Locator:
    """An operation's block."""
    named = page.locator(f'[data-path="{path}"]')
    return page.locator(f".opblock-{method.lower()}", has=named)


def opened(visit: Visit, path: str = "/docs") -> Page:
    """The page, with its operations."""
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


class PageTests(BrowserCase):
    async def test_operations(self) -> Deferred[None]:
        """The page opens with every operation of the document in sight."""
        document = (await self.get("/openapi.json", expect=200)).json()
        expected = {
            (method.upper(), path)
            for path, operations in document["paths"].items()
            for method in operations
        }

        def steps(visit: Visit) -> set[tuple[str, str]]:
            blocks = opened(visit).locator(".opblock")
            return {
                (
                    block.locator(".opblock-summary-method").inner_text(),
                    block.locator(".opblock-summary-path").get_attribute("data-path") or "",
                )
                for block in blocks.all()
                if block.is_visible()
            }

        self.assertEqual(await self.visit(steps), expected)

    async def test_schemas(self) -> None:
        """An operation opens with an example; its schema, and what is within, can be opened."""
        document = (await self.get("/openapi.json", expect=200)).json()
        members = document["components"]["schemas"]["ChallengeCreate"]["properties"]

        def steps(visit: Visit) -> tuple[str, int]:
            block = operation(opened(visit), "POST", "/api/v1/design-challenges")
            block.locator("button.opblock-summary-control").click()
            body = block.locator(".opblock-section-request-body")
            example = body.locator(".body-param__example").inner_text()
            body.get_by_role("tab", name="Schema").click()
            parts = body.locator(".json-schema-2020-12-property")
            parts.first.wait_for()
            before = parts.count()
            parts.locator(".json-schema-2020-12-accordion", has_text="participate").click()
            parts.nth(before).wait_for()
            return example, before

        example, parts = await self.visit(steps)
        self.assertEqual(parts, len(members))
        self.assertLessEqual(json.loads(example).keys(), members.keys())

    async def test_get(self) -> None:
        """With a token given to Authorize, an operation is tried out and its answer shown."""
        ann = await self.user()

        def steps(visit: Visit) -> list[str]:
            page = opened(visit)
            authorize(page, ann)
            block = operation(page, "GET", "/api/v1/user/{userId}")
            return tried(block, given={"userId": ann.id})

        status, shown = await self.visit(steps)
        self.assertEqual(status, "200")
        self.assertEqual(json.loads(shown)["email"], ann.email)

    async def test_log_in(self) -> None:
        """Authorize takes a username and password too, also below a path; then content that only
        its author sees is shown."""
        ann = await self.user()
        hidden = await self.content(ann)
        await self.moderate(hidden, "suspended")

        def steps(visit: Visit) -> list[str]:
            visit.page.route("**/*", stripped)
            page = opened(visit, f"{PREFIX}/docs")
            page.locator(".auth-wrapper button.authorize").click()
            page.locator("#oauth_username").fill(ann.username)
            page.locator("#oauth_password").fill(ann.password)
            page.get_by_label("Apply given OAuth2 credentials").click()
            page.get_by_label("Remove authorization").wait_for()
            page.locator(".modal-ux button.close-modal").click()
            block = operation(page, "GET", "/api/v1/content/{contentId}")
            return tried(block, given={"contentId": hidden.id})

        status, shown = await self.visit(steps)
        self.assertEqual((status, json.loads(shown)["status"]), ("200", "suspended"))

    async def test_post(self) -> None:
        """An operation with a body has its effect."""
        ann, ben = await self.user(), await self.user()

        def steps(visit: Visit) -> list[str]:
            page = opened(visit)
            authorize(page, ben)
            block = operation(page, "POST", "/api/v1/debug/notify")
            return tried(block, body={"recipient": ann.id, "text": "from the page"})

        self.assertEqual(await self.visit(steps), ["204"])
        (found,) = await self.notifications(ann)
        self.assertEqual(found["text"], "from the page")

    async def test_example(self) -> None:
        """A body need not be edited first: the page starts with one that is accepted."""
        ann = await self.user()
        made = await self.content(ann)

        def steps(visit: Visit) -> list[str]:
            page = opened(visit)
            authorize(page, ann)
            block = operation(page, "PUT", "/api/v1/user/{userId}/rating/{contentId}")
            return tried(block, given={"userId": ann.id, "contentId": made.id})

        self.assertEqual(await self.visit(steps), ["204"])

    async def test_error(self) -> None:
        """Without a token, the page shows the problem."""
        ann = await self.user()

        def steps(visit: Visit) -> list[str]:
            block = operation(opened(visit), "GET", "/api/v1/user/{userId}")
            shown = tried(block, given={"userId": ann.id})
            # The browser's own line for a status of 4xx.
            visit.said.remove(
                "error: Failed to load resource: "
                "the server responded with a status of 401 (Unauthorized)"
            )
            return shown

        status, shown = await self.visit(steps)
        self.assertEqual(status, "401")
        self.assertEqual(json.loads(shown)["code"], "unauthorized")

    async def test_below_a_path(self) -> None:
        """Where a proxy serves all of it below a path, the page works there too."""
        ann = await self.user()

        def steps(visit: Visit) -> list[str]:
            visit.page.route("**/*", stripped)
            page = opened(visit, f"{PREFIX}/docs")
            block = operation(page, "GET", "/api/v1/user/{userId}/info")
            shown = tried(block, given={"userId": ann.id})
            outside = [url for url in visit.asked if not url.startswith(visit.base + PREFIX)]
            return [*shown, *outside]

        status, shown, *outside = await self.visit(steps)
        self.assertEqual((status, outside), ("200", []))
        self.assertEqual(json.loads(shown)["username"], ann.username)
