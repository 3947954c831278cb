"""Admins keep webhooks in the console."""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import Locator, expect

from contentsvc.client import verify_webhook
from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase
from tests.spec.data import User, guid, name
from tests.support.daemon import Daemon, shared
from tests.support.receiver import Receiver


def entry(who: Person, url: str) -> Locator:
    """The webhook's entry in the list."""
    rows = who.main.get_by_role("list", name="Webhooks", exact=True)
    return rows.locator("> li").filter(has_text=url)


class HookCase(WalkCase):
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


class WebhooksTests(HookCase):
    world = "portal-console"

    async def test_keep(self) -> None:
        """An admin makes a webhook, sees why another fails, and deletes a third."""
        admin = await self.admin()
        made, fails, gone = (f"https://{name('hook')}.invalid/" for _ in range(3))
        path = await self.hook(fails, kinds=["RoleChanged"])
        await self.post(f"{path}/secret", by=admin, expect=200)
        leaving = await self.hook(gone, enabled=False)

        def journey(ada: Person) -> None:
            ada.log_in(admin, "/console/webhooks")
            self.refused(ada)
            self.make(ada, admin, made)
            self.fails(ada, fails)
            self.leave(ada, admin, gone, leaving)

        await self.walk(journey)

    @step
    def refused(self, ada: Person) -> None:
        """What is no URL, and where nothing may be sent, is said beside the field."""
        ada.press("New webhook")
        field = ada.dialog.get_by_label("URL", exact=True)
        for wrong, text in (("", "Please fill this in."), ("hook", "use https")):
            with self.step(f"The page refuses {wrong!r}"):
                field.fill(wrong)
                ada.press("Save", ada.dialog)
                expect(ada.dialog.locator(".problem")).to_contain_text(text)
                expect(field).to_be_focused()
        for wrong in ("http://hook.invalid/", "https://10.0.0.1/"):
            with self.step(f"The service refuses {wrong}"):
                field.fill(wrong)
                with ada.answered("PUT */webhooks/*"):
                    ada.press("Save", ada.dialog)
                expect(ada.dialog.locator(".problem")).to_contain_text("use https")
                expect(field).to_be_focused()
                ada.spare("422")

    @step
    def make(self, ada: Person, admin: User, url: str) -> None:
        """A webhook is made, of chosen kinds; it sends no test without a secret, and is turned
        off."""
        ada.dialog.get_by_label("URL", exact=True).fill(url)
        ada.dialog.get_by_text("All kinds", exact=True).click()
        ada.dialog.get_by_label("Content published", exact=True).check()
        ada.press("Save", ada.dialog)
        expect(ada.dialog.get_by_role("button", name="Make a secret")).to_be_visible()
        ada.escape()
        expect(entry(ada, url).get_by_text("Content published", exact=True)).to_be_visible()
        ada.press(f"Send a test: {url}", entry(ada, url))
        alert = entry(ada, url).get_by_role("alert")
        expect(alert).to_contain_text("It has no secret yet.")
        ada.spare("409")
        ada.press(f"Turn off: {url}", entry(ada, url))
        expect(entry(ada, url).get_by_text("off", exact=True)).to_be_visible()
        found = self.wait(self.one(admin, url))
        self.assertEqual((["ContentPublished"], False), (found["kinds"], found["enabled"]))

    @step
    def fails(self, ada: Person, url: str) -> None:
        """A hook that gets nothing says since when and why, without a reload; so does a test."""
        expect(entry(ada, url).get_by_text("on", exact=True)).to_be_visible()
        ada.press(f"Send a test: {url}", entry(ada, url))
        status = entry(ada, url).get_by_role("status")
        expect(status).to_contain_text(re.compile(r"The test failed: .+, [\d,]+ ms\."))
        self.wait(self.member("curator"))
        expect(entry(ada, url).get_by_text("failing", exact=True)).to_be_visible()
        expect(entry(ada, url).get_by_text("Failing since", exact=False)).to_be_visible()

    @step
    def leave(self, ada: Person, admin: User, url: str, path: str) -> None:
        """A webhook goes after a second press."""
        ada.press(f"Delete: {url}", entry(ada, url))
        ada.press("Delete", ada.dialog)
        expect(entry(ada, url)).to_have_count(0)
        self.wait(self.get(path, by=admin, expect=404))


class DeliveredTests(HookCase):
    async def connect(self) -> None:
        self.own_daemon()
        options = ("--webhook-networks", "127.0.0.0/8", "--webhook-insecure", "on")
        environ = {"FILES": "local"}
        self.use(await shared("portal-webhooks", lambda: Daemon(*options, environ=environ)))
        self.receiver = Receiver()
        self.addCleanup(self.receiver.stop)

    async def test_delivered(self) -> None:
        """An admin makes a webhook, and tests it with a program that hears."""
        admin = await self.admin()

        def journey(ada: Person) -> None:
            # A browser trusts this machine as if there was TLS: the page has a clipboard.
            ada.base = self.url
            ada.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
            ada.log_in(admin, "/console/webhooks")
            secret = self.secret(ada)
            self.delivered(ada, secret)
            self.assertIsNone(self.wait(self.one(admin, self.receiver.url))["kinds"])

        await self.walk(journey)

    @step
    def secret(self, ada: Person) -> str:
        """A new webhook gets a secret, which is shown once and copied with one press."""
        ada.press("New webhook")
        ada.fill(ada.dialog, URL=self.receiver.url)
        ada.press("Save", ada.dialog)
        ada.press("Make a secret", ada.dialog)
        secret = ada.dialog.get_by_label("Secret", exact=True).input_value()
        ada.press("Copy: Secret", ada.dialog)
        expect(ada.dialog.get_by_role("status")).to_have_text("Copied")
        self.assertEqual(secret, ada.page.evaluate("navigator.clipboard.readText()"))
        ada.press("I have kept it", ada.dialog)
        shown = entry(ada, self.receiver.url)
        expect(shown.get_by_text("All kinds", exact=True)).to_be_visible()
        self.assertNotIn(secret, ada.page.content())
        return secret

    @step
    def delivered(self, ada: Person, secret: str) -> None:
        """A test says its status and how long it took; the secret signs what it sends."""
        shown = entry(ada, self.receiver.url)
        ada.press(f"Send a test: {self.receiver.url}", shown)
        status = shown.get_by_role("status")
        expect(status).to_contain_text(re.compile(r"arrived: status 204, [\d,]+ ms\."))
        got = next(one for one in self.receiver.got if one.kinds == ["Test"])
        verify_webhook([secret], got.headers, got.body)
        self.assertIsNone(json.loads(got.body)["events"][0]["number"])
