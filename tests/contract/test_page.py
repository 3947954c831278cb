"""/docs in a real browser: it works, and it loads nothing from elsewhere."""

from __future__ import annotations

import json
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

from playwright.sync_api import Locator, Page, Route
from twisted.internet.defer import Deferred

from tests.contract.browser import BrowserCase, Visit
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
        port = urlsplit(route.request.url).port
        with urlopen(f"http://127.0.0.1:{port}/openapi.json") as answered:
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


class PageTests(BrowserCase):
    async def test_operations(self) -> Deferred[None]:
        """The page opens with every operation in sight."""
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
            page = opened(visit, only=("GET /api/v1/user/{userId}",))
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
            form = page.locator(".auth-container", has=page.locator("#oauth_username"))
            form.get_by_label("Apply given OAuth2 credentials").click()
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
            page = opened(visit, only=("POST /api/v1/debug/notify",))
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
            path = "/api/v1/user/{userId}/rating/{contentId}"
            page = opened(visit, only=(f"PUT {path}",))
            authorize(page, ann)
            block = operation(page, "PUT", path)
            return tried(block, given={"userId": ann.id, "contentId": made.id})

        self.assertEqual(await self.visit(steps), ["204"])

    async def test_form(self) -> None:
        """The form for a log-in shows a log-in, the same each time, and sends nothing else."""

        def steps(visit: Visit) -> list[dict[str, str]]:
            found = []
            for _ in range(2):
                block = operation(opened(visit, only=(LOG_IN,)), "POST", "/oauth/token")
                block.locator("button.opblock-summary-control").click()
                block.locator("button.try-out__btn").click()
                rows = block.locator("tr[data-property-name]")
                rows.first.locator("input, select").wait_for()
                values = {}
                for row in rows.all():
                    field = row.locator("input[type=text], select").first
                    name = row.get_attribute("data-property-name") or ""
                    values[name] = field.input_value()
                found.append(values)
            return found

        one, other = await self.visit(steps)
        self.assertEqual(one, other)
        filled = {name: value for name, value in one.items() if value}
        log_in = {"grant_type": "password", "username": "ada", "password": "open sesame"}
        self.assertEqual(filled, log_in)

    async def test_form_sent(self) -> None:
        """What is empty in the form for a log-in is not sent."""
        ann = await self.user()

        def steps(visit: Visit) -> tuple[str, list[str]]:
            page, sent = opened(visit, only=(LOG_IN,)), []
            block = operation(page, "POST", "/oauth/token")
            visit.page.on("request", lambda request: sent.append(request.post_data or ""))
            block.locator("button.opblock-summary-control").click()
            block.locator("button.try-out__btn").click()
            for name in ("username", "password"):
                row = block.locator(f'tr[data-property-name="{name}"]')
                row.locator("input").fill(getattr(ann, name))
            block.locator("button.execute").click()
            answer = block.locator(".live-responses-table .response .response-col_status")
            return answer.inner_text().split()[0], sent

        status, sent = await self.visit(steps)
        self.assertEqual(status, "200")
        (form,) = (parse_qs(each, keep_blank_values=True) for each in sent)
        self.assertEqual(
            form,
            {
                "grant_type": ["password"],
                "username": [ann.username],
                "password": [ann.password],
            },
        )

    async def test_narrow(self) -> None:
        """On a phone, nothing of an open operation is wider than the screen."""

        def steps(visit: Visit) -> list[int]:
            visit.page.set_viewport_size({"width": 360, "height": 800})
            operations = (
                *(LOG_IN, "GET /api/v1/content"),
                "POST /api/v1/content/{contentId}/revisions",
            )
            page, found = opened(visit, only=operations), []
            for each in operations:
                block = operation(page, *each.split(" "))
                block.locator("button.opblock-summary-control").click()
                block.locator("button.try-out__btn").first.click()
                block.locator("button.execute").wait_for()
                found.append(page.evaluate("document.documentElement.scrollWidth"))
            return found

        self.assertEqual(await self.visit(steps), [360] * 3)

    async def test_dark(self) -> None:
        """The page is dark where the reader's system is, from the moment when it becomes so."""

        def steps(visit: Visit) -> list[str]:
            schemes: list[Literal["light", "dark"]] = ["light", "dark"]
            page, found = opened(visit, only=(LOG_IN,)), []
            for scheme in schemes:
                page.emulate_media(color_scheme=scheme)
                look = ".dark-mode" if scheme == "dark" else ":not(.dark-mode)"
                page.locator(f"html{look}").wait_for()
                style = "element => getComputedStyle(element)"
                found.append(page.locator("html").evaluate(f"{style}.backgroundColor"))
                found.append(page.locator(".info .title").evaluate(f"{style}.color"))
            return found

        light, ink, dark, chalk = await self.visit(steps)
        self.assertNotEqual(light, dark)
        self.assertNotEqual(ink, chalk)

    async def test_filter(self) -> None:
        """The filter shows the operations that have all its words in path, method, summary, id or
        group, and no others."""

        def steps(visit: Visit) -> list[list[str]]:
            page, found = opened(visit), []
            for phrase in ("post challengeId close", "LOG in", "no such operation"):
                page.locator(".operation-filter-input").fill(phrase)
                close = operation(page, "POST", "/api/v1/design-challenges/{challengeId}/close")
                log_in = operation(page, "POST", "/oauth/token")
                close.wait_for(state="visible" if "close" in phrase else "detached")
                log_in.wait_for(state="visible" if "LOG" in phrase else "detached")
                paths = page.locator(".opblock-summary-path").all()
                found.append([path.get_attribute("data-path") or "" for path in paths])
            return found

        closing, logging_in, nothing = await self.visit(steps)
        self.assertEqual(closing, ["/api/v1/design-challenges/{challengeId}/close"])
        self.assertIn("/oauth/token", logging_in)
        self.assertEqual(nothing, [])

    async def test_password_first(self) -> None:
        """Authorize asks for a name and a password above the token, with its title in sight."""

        def steps(visit: Visit) -> tuple[float, float, float]:
            page = opened(visit, only=(LOG_IN,))
            page.locator(".auth-wrapper button.authorize").click()
            heads = [
                page.locator(".auth-container", has=field).locator("h4")
                for field in (page.locator("#oauth_username"), page.locator("#auth-bearer-value"))
            ]
            title = page.locator(".modal-ux-header")
            head, first, second = (each.bounding_box() for each in (title, *heads))
            assert head and first and second
            return head["y"] + head["height"], first["y"], second["y"]

        shown = await self.visit(steps)
        self.assertEqual(shown, tuple(sorted(shown)))

    async def test_error(self) -> None:
        """Without a token, the page shows the problem."""
        ann = await self.user()

        def steps(visit: Visit) -> list[str]:
            page = opened(visit, only=("GET /api/v1/user/{userId}",))
            block = operation(page, "GET", "/api/v1/user/{userId}")
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
