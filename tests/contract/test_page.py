"""/docs in a real browser: it works, and it loads nothing from elsewhere."""

from __future__ import annotations

import json
from typing import Any, Literal
from urllib.parse import parse_qs

from playwright.sync_api import Page, expect

from tests.contract.browser import BrowserCase, Visit, step
from tests.contract.swagger import LOG_IN, PREFIX, authorize, opened, operation, stripped, tried
from tests.spec.data import Content, User

READ_USER = "GET /api/v1/user/{userId}"
RATE = "PUT /api/v1/user/{userId}/rating/{contentId}"
NOTIFY = "POST /api/v1/debug/notify"
BROWSE, REVISE = "GET /api/v1/content", "POST /api/v1/content/{contentId}/revisions"
LISTS = (BROWSE, "GET /api/v1/announcements", "GET /api/v1/design-challenges")
IN_SIGHT = """
(blocks) => blocks.filter((one) => one.checkVisibility() && one.getBoundingClientRect().height > 0)
    .map((one) => [
        one.querySelector(".opblock-summary-method").innerText,
        one.querySelector(".opblock-summary-path").dataset.path,
    ])
"""
PATHS = "(paths) => paths.map((one) => one.dataset.path)"


class WholeTests(BrowserCase):
    async def test_look_up(self) -> None:
        """A developer looks through all operations, opens a schema, and filters."""
        document = (await self.get("/openapi.json", expect=200)).json()

        def journey(visit: Visit) -> None:
            page = opened(visit)
            self.operations(page, document)
            self.schemas(page, document)
            self.filter(page)

        await self.visit(journey)

    @step
    def operations(self, page: Page, document: dict[str, Any]) -> None:
        """The page opens with every operation in sight."""
        expected = {
            (method.upper(), path)
            for path, operations in document["paths"].items()
            for method in operations
        }
        found = page.locator(".opblock").evaluate_all(IN_SIGHT)
        self.assertEqual({(method, path) for method, path in found}, expected)

    @step
    def schemas(self, page: Page, document: dict[str, Any]) -> None:
        """An operation opens with an example; its schema, and what is within, can be opened."""
        members = document["components"]["schemas"]["ChallengeCreate"]["properties"]
        block = operation(page, "POST", "/api/v1/design-challenges")
        block.locator("button.opblock-summary-control").click()
        body = block.locator(".opblock-section-request-body")
        example = body.locator(".body-param__example").inner_text()
        body.get_by_role("tab", name="Schema").click()
        parts = body.locator(".json-schema-2020-12-property")
        parts.first.wait_for()
        before = parts.count()
        parts.locator(".json-schema-2020-12-accordion", has_text="participate").click()
        parts.nth(before).wait_for()
        self.assertEqual(before, len(members))
        self.assertLessEqual(json.loads(example).keys(), members.keys())

    @step
    def filter(self, page: Page) -> None:
        """The filter shows the operations that have all its words in path, method, summary, id or
        group, and no others."""
        found = []
        for phrase in ("post challengeId close", "LOG in", "no such operation"):
            page.locator(".operation-filter-input").fill(phrase)
            close = operation(page, "POST", "/api/v1/design-challenges/{challengeId}/close")
            log_in = operation(page, "POST", "/oauth/token")
            close.wait_for(state="visible" if "close" in phrase else "detached")
            log_in.wait_for(state="visible" if "LOG" in phrase else "detached")
            found.append(page.locator(".opblock-summary-path").evaluate_all(PATHS))
        closing, logging_in, nothing = found
        self.assertEqual(closing, ["/api/v1/design-challenges/{challengeId}/close"])
        self.assertIn("/oauth/token", logging_in)
        self.assertEqual(nothing, [])


class TryTests(BrowserCase):
    async def test_try_out(self) -> None:
        """A developer tries operations out, at first without a token."""
        ann, ben = await self.user(), await self.user()
        made = await self.content(ann)

        def journey(visit: Visit) -> None:
            page = opened(visit, only=(LOG_IN, BROWSE, REVISE))
            self.dark(page)
            self.narrow(page)
            self.form(visit)
            self.form_sent(visit, ann)
            self.optional(visit)
            opened(visit, only=(READ_USER, NOTIFY, RATE))
            self.refused(visit, ann)
            self.password_first(page)
            authorize(page, ann)
            self.answered(page, ann)
            self.effect(page, ben)
            self.example(page, ann, made)

        await self.visit(journey)

    @step
    def dark(self, page: Page) -> None:
        """The page is dark where the reader's system is, from the moment when it becomes so."""
        schemes: list[Literal["light", "dark"]] = ["light", "dark"]
        found = []
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)
            look = ".dark-mode" if scheme == "dark" else ":not(.dark-mode)"
            page.locator(f"html{look}").wait_for()
            style = "element => getComputedStyle(element)"
            found.append(page.locator("html").evaluate(f"{style}.backgroundColor"))
            found.append(page.locator(".info .title").evaluate(f"{style}.color"))
        light, ink, dark, chalk = found
        self.assertNotEqual(light, dark)
        self.assertNotEqual(ink, chalk)

    @step
    def narrow(self, page: Page) -> None:
        """On a phone, nothing of an open operation is wider than the screen."""
        page.set_viewport_size({"width": 360, "height": 800})
        for each in (LOG_IN, BROWSE, REVISE):
            with self.step(each):
                block = operation(page, *each.split(" "))
                block.locator("button.opblock-summary-control").click()
                block.locator("button.try-out__btn").first.click()
                block.locator("button.execute").wait_for()
                width = page.evaluate("document.documentElement.scrollWidth")
                self.assertEqual(360, width)
        page.set_viewport_size({"width": 1280, "height": 720})

    @step
    def form(self, visit: Visit) -> None:
        """The form for a log-in shows a log-in, the same each time, and nothing else."""
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
        one, other = found
        self.assertEqual(one, other)
        filled = {name: value for name, value in one.items() if value}
        log_in = {"grant_type": "password", "username": "ada", "password": "open sesame"}
        self.assertEqual(filled, log_in)

    @step
    def form_sent(self, visit: Visit, ann: User) -> None:
        """What is empty in the form for a log-in is not sent."""
        sent: list[str] = []
        block = operation(visit.page, "POST", "/oauth/token")
        visit.page.on("request", lambda request: sent.append(request.post_data or ""))
        for name in ("username", "password"):
            row = block.locator(f'tr[data-property-name="{name}"]')
            row.locator("input").fill(getattr(ann, name))
        block.locator("button.execute").click()
        answer = block.locator(".live-responses-table .response .response-col_status")
        self.assertEqual("200", answer.inner_text().split()[0])
        (form,) = (parse_qs(each, keep_blank_values=True) for each in sent)
        expected = {
            "grant_type": ["password"],
            "username": [ann.username],
            "password": [ann.password],
        }
        self.assertEqual(form, expected)

    @step
    def optional(self, visit: Visit) -> None:
        """What may be left out is empty: as it is filled in, a list is asked for without a query,
        and answered."""
        visit.page.set_viewport_size({"width": 1280, "height": 720})
        page = opened(visit, only=LISTS)
        for each in LISTS:
            with self.step(each):
                block = operation(page, *each.split(" "))
                block.locator("button.opblock-summary-control").click()
                block.locator("button.try-out__btn").click()
                # The fields of a map are drawn after the others.
                block.locator("button.execute").wait_for()
                fields = block.locator("tr[data-param-in=query]").locator("input, textarea, select")
                self.assertEqual({one.input_value() for one in fields.all()} - {""}, set())
                with page.expect_response(lambda one: "/api/v1/" in one.url) as answered:
                    block.locator("button.execute").click()
                self.assertEqual(200, answered.value.status)
                self.assertNotIn("?", answered.value.url)
        shown = operation(page, *BROWSE.split(" ")).locator("tr[data-param-name=limit]")
        expect(shown).to_contain_text("50 if it is left out")

    @step
    def refused(self, visit: Visit, ann: User) -> None:
        """Without a token, the page shows the problem."""
        block = operation(visit.page, *READ_USER.split(" "))
        status, shown = tried(block, given={"userId": ann.id})
        self.assertEqual(status, "401")
        self.assertEqual(json.loads(shown)["code"], "unauthorized")
        visit.spare("the server responded with a status of 401 (Unauthorized)")

    @step
    def password_first(self, page: Page) -> None:
        """Authorize asks for a name and a password above the token, with its title in sight."""
        page.locator(".auth-wrapper button.authorize").click()
        heads = [
            page.locator(".auth-container", has=field).locator("h4")
            for field in (page.locator("#oauth_username"), page.locator("#auth-bearer-value"))
        ]
        title = page.locator(".modal-ux-header")
        head, first, second = (each.bounding_box() for each in (title, *heads))
        assert head and first and second
        shown = [head["y"] + head["height"], first["y"], second["y"]]
        self.assertEqual(shown, sorted(shown))
        page.locator(".modal-ux button.close-modal").click()

    @step
    def answered(self, page: Page, ann: User) -> None:
        """With a token given to Authorize, an operation is tried out and its answer shown."""
        block = operation(page, *READ_USER.split(" "))
        block.locator("button.execute").click()
        answer = block.locator(".live-responses-table .response")
        expect(answer.locator(".response-col_status")).to_contain_text("200")
        shown = answer.locator(".response-col_description .highlight-code .microlight").first
        self.assertEqual(json.loads(shown.inner_text())["email"], ann.email)

    @step
    def effect(self, page: Page, ben: User) -> None:
        """An operation with a body has its effect."""
        block = operation(page, *NOTIFY.split(" "))
        found = tried(block, body={"recipient": ben.id, "text": "from the page"})
        self.assertEqual(found, ["204"])
        (heard,) = self.wait(self.notifications(ben))
        self.assertEqual(heard["text"], "from the page")

    @step
    def example(self, page: Page, ann: User, made: Content) -> None:
        """A body need not be edited first: the page starts with one that is accepted."""
        block = operation(page, *RATE.split(" "))
        self.assertEqual(tried(block, given={"userId": ann.id, "contentId": made.id}), ["204"])


class BelowTests(BrowserCase):
    async def test_below_a_path(self) -> None:
        """Where a proxy serves all of it below a path, the page works there too."""
        ann = await self.user()
        hidden = await self.content(ann)
        await self.moderate(hidden, "suspended")

        def journey(visit: Visit) -> None:
            visit.page.route("**/*", stripped)
            page = opened(visit, f"{PREFIX}/docs")
            self.stranger(page, ann)
            self.log_in(page, ann)
            self.own(page, hidden)
            with self.step("Nothing is asked for outside of the path"):
                outside = [url for url in visit.asked if not url.startswith(visit.base + PREFIX)]
                self.assertEqual([], outside)

        await self.visit(journey)

    @step
    def stranger(self, page: Page, ann: User) -> None:
        """What anybody may read is shown."""
        block = operation(page, "GET", "/api/v1/user/{userId}/info")
        status, shown = tried(block, given={"userId": ann.id})
        self.assertEqual("200", status)
        self.assertEqual(json.loads(shown)["username"], ann.username)

    @step
    def log_in(self, page: Page, ann: User) -> None:
        """Authorize takes a username and password too."""
        page.locator(".auth-wrapper button.authorize").click()
        page.locator("#oauth_username").fill(ann.username)
        page.locator("#oauth_password").fill(ann.password)
        form = page.locator(".auth-container", has=page.locator("#oauth_username"))
        form.get_by_label("Apply given OAuth2 credentials").click()
        page.get_by_label("Remove authorization").wait_for()
        page.locator(".modal-ux button.close-modal").click()

    @step
    def own(self, page: Page, hidden: Content) -> None:
        """Then content that only its author sees is shown."""
        block = operation(page, "GET", "/api/v1/content/{contentId}")
        status, shown = tried(block, given={"contentId": hidden.id})
        self.assertEqual((status, json.loads(shown)["status"]), ("200", "suspended"))
