"""Admins keep webhooks in the console."""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import Locator, expect

from contentsvc.client import verify_webhook
from tests.portal.walk import Person, WalkCase
from tests.spec.data import User, guid, name
from tests.support.daemon import Daemon, shared
from tests.support.receiver import Receiver


def entry(who: Person, url: str) -> Locator:
    """The webhook's entry in the list."""
    rows = who.main.get_by_role("list", name="Webhooks", exact=True)
    return rows.locator("> li").filter(has_text=url)


class HookCase(WalkCase):
    world = "portal-console"

    async def hook(self, url: str, **changes: Any) -> str:
        """The path of a new webhook."""
        path = f"webhooks/{guid()}"
        body = {"url": url, "kinds": None, "enabled": True} | changes
        await self.put(path, body, by=await self.admin(), expect=201)
        return path

    async def one(self, admin: User, url: str) -> Any:
        """The one webhook with this URL."""
        response = await self.get("webhooks", query={"limit": 200}, by=admin, expect=200)
        (found,) = [each for each in response.json() if each["url"] == url]
        return found


class RefusedTests(HookCase):
    async def test_urls(self) -> None:
        """What is no URL, and where nothing may be sent, is said beside the field; then it is
        made, of chosen kinds."""
        admin, url = await self.admin(), f"https://{name('hook')}.invalid/"

        def steps(ada: Person) -> None:
            ada.log_in(admin.username, admin.password)
            ada.go("/console/webhooks")
            ada.press("New webhook")
            dialog = ada.page.get_by_role("dialog")
            field = dialog.get_by_label("URL", exact=True)
            for wrong in ("", "hook", "http://hook.invalid/", "https://10.0.0.1/"):
                text = "use https" if wrong else "Fill this in."
                field.fill(wrong)
                ada.press("Save", dialog)
                expect(dialog.locator(".problem")).to_contain_text(text)
                expect(field).to_be_focused()
            field.fill(url)
            dialog.get_by_text("All kinds", exact=True).click()
            dialog.get_by_label("Content published", exact=True).check()
            ada.press("Save", dialog)
            expect(dialog.get_by_role("button", name="Make a secret")).to_be_visible()
            ada.page.keyboard.press("Escape")
            expect(entry(ada, url).get_by_text("Content published", exact=True)).to_be_visible()
            ada.press("Send a test", entry(ada, url))
            alert = entry(ada, url).get_by_role("alert")
            expect(alert).to_contain_text("It has no secret yet.")
            ada.press("Turn off", entry(ada, url))
            expect(entry(ada, url).get_by_text("off", exact=True)).to_be_visible()
            # The refusals are a 422 and a 409, which the console has.
            ada.said = [line for line in ada.said if "422" not in line and "409" not in line]

        await self.walk(steps)
        found = await self.one(admin, url)
        self.assertEqual((["ContentPublished"], False), (found["kinds"], found["enabled"]))

    async def test_fails(self) -> None:
        """A hook that gets nothing says since when and why, without a reload; so does a test."""
        admin, url = await self.admin(), f"https://{name('hook')}.invalid/"
        path = await self.hook(url, kinds=["RoleChanged"])
        await self.post(f"{path}/secret", by=admin, expect=200)

        def steps(ada: Person) -> None:
            ada.log_in(admin.username, admin.password)
            ada.go("/console/webhooks")
            expect(entry(ada, url).get_by_text("on", exact=True)).to_be_visible()
            ada.press("Send a test", entry(ada, url))
            status = entry(ada, url).get_by_role("status")
            expect(status).to_contain_text(re.compile(r"The test failed: .+, [\d,]+ ms\."))
            self.wait(self.member("curator"))
            expect(entry(ada, url).get_by_text("failing", exact=True)).to_be_visible()
            expect(entry(ada, url).get_by_text("Failing since", exact=False)).to_be_visible()

        await self.walk(steps)

    async def test_delete(self) -> None:
        """A webhook goes after a second press."""
        admin, url = await self.admin(), f"https://{name('hook')}.invalid/"
        path = await self.hook(url, enabled=False)

        def steps(ada: Person) -> None:
            ada.log_in(admin.username, admin.password)
            ada.go("/console/webhooks")
            ada.press("Delete", entry(ada, url))
            ada.press("Delete", ada.page.get_by_role("dialog"))
            expect(entry(ada, url)).to_have_count(0)

        await self.walk(steps)
        await self.get(path, by=admin, expect=404)


class DeliveredTests(HookCase):
    async def connect(self) -> None:
        self.own_daemon()
        options = ("--webhook-networks", "127.0.0.0/8", "--webhook-insecure", "on")
        environ = {"FILES": "local"}
        self.use(await shared("portal-webhooks", lambda: Daemon(*options, environ=environ)))
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)

    async def test_test(self) -> None:
        """A new webhook gets a secret, which is shown once and signs what a test sends; the test
        says its status and how long it took."""
        admin, url = await self.admin(), self.receiver.url
        secrets: list[str] = []

        def steps(ada: Person) -> None:
            # A browser trusts this machine as if there was TLS: the page has a clipboard.
            ada.base = self.url
            ada.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
            ada.log_in(admin.username, admin.password)
            ada.go("/console/webhooks")
            ada.press("New webhook")
            dialog = ada.page.get_by_role("dialog")
            ada.fill(dialog, URL=url)
            ada.press("Save", dialog)
            ada.press("Make a secret", dialog)
            secrets.append(dialog.get_by_label("Secret", exact=True).input_value())
            ada.press("Copy: Secret", dialog)
            expect(dialog.get_by_role("status")).to_have_text("Copied")
            copied = ada.page.evaluate("navigator.clipboard.readText()")
            self.assertEqual(secrets[0], copied)
            ada.press("I have kept it", dialog)
            expect(entry(ada, url).get_by_text("All kinds", exact=True)).to_be_visible()
            self.assertNotIn(secrets[0], ada.page.content())
            ada.press("Send a test", entry(ada, url))
            status = entry(ada, url).get_by_role("status")
            expect(status).to_contain_text(re.compile(r"arrived: status 204, [\d,]+ ms\."))

        await self.walk(steps)
        got = next(one for one in self.receiver.got if one.kinds == ["Test"])
        verify_webhook(secrets, got.headers, got.body)
        self.assertIsNone(json.loads(got.body)["events"][0]["number"])
        self.assertIsNone((await self.one(admin, url))["kinds"])


class OffTests(HookCase):
    async def connect(self) -> None:
        self.own_daemon()
        environ = {"FILES": "local"}
        self.use(
            await shared("portal-no-events", lambda: Daemon("--events", "off", environ=environ))
        )

    async def test_off(self) -> None:
        """Where events are off, the place says so."""
        admin = await self.admin()

        def steps(ada: Person) -> None:
            ada.log_in(admin.username, admin.password)
            for path in ("/console/webhooks", "/console/events"):
                ada.go(path)
                said = ada.main.get_by_text("This service writes no events.", exact=True)
                expect(said).to_be_visible()
                expect(ada.main.get_by_role("button")).to_have_count(0)
            # The answers are a 404, which the console has.
            ada.said = [line for line in ada.said if "404" not in line]

        await self.walk(steps)
