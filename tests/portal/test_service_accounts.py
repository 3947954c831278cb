"""Admins keep the studio's programs in the console."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, expect

from tests.portal.walk import Person, WalkCase
from tests.spec.data import Service, guid, name


def entry(who: Person, account: str) -> Locator:
    """The account's entry in the list."""
    rows = who.main.get_by_role("list", name="Service accounts", exact=True)
    return rows.locator("> li").filter(has_text=account)


def pasted(who: Person, within: Locator) -> str:
    """What the clipboard has, as the keys paste it."""
    field = within.get_by_label("Name", exact=True)
    field.fill("")
    field.press("Control+V")
    return field.input_value()


class ServiceAccountsTests(WalkCase):
    world = "portal-console"

    async def test_make(self) -> None:
        """A new account gets a secret, which is shown once and copied with one press; its program
        logs in with it."""
        await self.made(plain=False)

    async def test_plain(self) -> None:
        """A page without TLS, which has no clipboard, copies it too."""
        await self.made(plain=True)

    async def made(self, *, plain: bool) -> None:
        """Make an account, and copy its id and its secret."""
        admin, title = await self.admin(), name("server")
        found: dict[str, str] = {}

        def steps(ada: Person) -> None:
            if not plain:
                # A browser trusts this machine as if there was TLS.
                ada.base = self.url
                ada.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
            ada.log_in(admin.username, admin.password)
            ada.go("/console/service-accounts")
            self.assertEqual(plain, ada.page.evaluate("navigator.clipboard === undefined"))
            ada.press("New service account")
            dialog = ada.page.get_by_role("dialog")
            ada.press("Save", dialog)
            expect(dialog.get_by_label("Name", exact=True)).to_be_focused()
            expect(dialog.get_by_text("Choose at least one.", exact=True)).to_be_visible()
            ada.fill(dialog, Name=title)
            dialog.get_by_label("progress").check()
            ada.press("Save", dialog)
            ada.press("Make a secret", dialog)
            for what in ("Id", "Secret"):
                found[what] = dialog.get_by_label(what, exact=True).input_value()
                dialog.get_by_role("button", name=f"Copy: {what}", exact=True).press("Enter")
                expect(dialog.get_by_role("status").filter(has_text="Copied")).not_to_have_count(0)
            ada.press("I have kept it", dialog)
            expect(entry(ada, title).get_by_text("progress", exact=True)).to_be_visible()
            expect(entry(ada, title).get_by_text("Never used")).to_be_visible()
            self.assertNotIn(found["Secret"], ada.page.content())
            ada.press("New service account")
            self.assertEqual(found["Secret"], pasted(ada, dialog))
            # What is typed stays in the browser until it is sent: the secret does not.
            dialog.get_by_label("Name", exact=True).fill("")
            kept = ada.page.evaluate("JSON.stringify(localStorage)")
            self.assertNotIn(found["Secret"], kept)

        await self.walk(steps)
        self.assertRegex(found["Secret"], r"^csvc_")
        await self.token(Service(found["Id"], title, "", found["Secret"]))

    async def test_change(self) -> None:
        """Scopes and the end are changed; what the service refuses is said beside its field, and
        what was typed outlives a reload."""
        admin, other = await self.admin(), await self.account("events")
        account = await self.account("events")

        def steps(ada: Person) -> None:
            ada.log_in(admin.username, admin.password)
            ada.go("/console/service-accounts")
            dialog = ada.page.get_by_role("dialog")
            ada.press("Edit", entry(ada, account.name))
            field = dialog.get_by_label("Name", exact=True)
            field.fill(other.name)
            dialog.get_by_label("notify").check()
            dialog.get_by_label("Expires", exact=True).fill("2031-05-06T07:08")
            ada.press("Save", dialog)
            expect(dialog.get_by_text("Another one has this name.", exact=True)).to_be_visible()
            expect(field).to_be_focused()
            ada.page.reload()
            ada.press("Edit", entry(ada, account.name))
            expect(field).to_have_value(other.name)
            expect(dialog.get_by_label("notify")).to_be_checked()
            field.fill(account.name)
            ada.press("Save", dialog)
            expect(dialog).to_have_count(0)
            expect(entry(ada, account.name).get_by_text("notify", exact=True)).to_be_visible()
            # The refusal is a 409, which the console has.
            ada.said = [line for line in ada.said if "409" not in line]

        await self.walk(steps)
        found = await self.shown(account, admin)
        self.assertEqual(["events", "notify"], found["scopes"])
        self.assertGreater(found["expires"], 1_900_000_000)

    async def test_end_stays(self) -> None:
        """An end with seconds stays as it is when only the name changes: the program is not logged
        out."""
        admin, account = await self.admin(), await self.account("events", expires=1_950_000_007)
        token, title = await self.token(account), name("server")

        def steps(ada: Person) -> None:
            ada.log_in(admin.username, admin.password)
            ada.go("/console/service-accounts")
            dialog = ada.page.get_by_role("dialog")
            ada.press("Edit", entry(ada, account.name))
            ada.fill(dialog, Name=title)
            ada.press("Save", dialog)
            expect(entry(ada, title)).to_be_visible()

        await self.walk(steps)
        self.assertEqual(1_950_000_007, (await self.shown(account, admin))["expires"])
        await self.get("me", by=token, expect=200)

    async def test_delete(self) -> None:
        """A secret and an account go after a second press."""
        admin, account = await self.admin(), await self.account("events")
        token = await self.token(account)

        def steps(ada: Person) -> None:
            ada.log_in(admin.username, admin.password)
            ada.go("/console/service-accounts")
            dialog = ada.page.get_by_role("dialog")
            ada.press(f"Delete: {account.secret_id[:8]}", entry(ada, account.name))
            ada.press("Delete", dialog)
            expect(dialog).to_have_count(0)
            expect(entry(ada, account.name).get_by_text("no secret", exact=True)).to_be_visible()
            ada.press("Delete", entry(ada, account.name))
            expect(dialog).to_be_visible()
            ada.page.keyboard.press("Escape")
            expect(dialog).to_have_count(0)
            ada.press("Delete", entry(ada, account.name))
            ada.press("Delete", dialog)
            expect(entry(ada, account.name)).to_have_count(0)

        await self.walk(steps)
        self.problem(await self.get("me", by=token), 401, "invalid_token")
        await self.get(f"service-accounts/{account.id}", by=admin, expect=404)

    async def test_two_secrets(self) -> None:
        """An account with two secrets gets no third one."""
        admin, account = await self.admin(), await self.account("events")
        await self.post(f"service-accounts/{account.id}/secrets", by=admin, expect=200)

        def steps(ada: Person) -> None:
            ada.log_in(admin.username, admin.password)
            ada.go("/console/service-accounts")
            make = entry(ada, account.name).get_by_role("button", name="Make a secret")
            expect(make).to_be_disabled()

        await self.walk(steps)

    async def shown(self, account: Service, admin: Any) -> Any:
        """The account as it is now."""
        path = f"service-accounts/{account.id}"
        return (await self.get(path, by=admin, expect=200)).json()


class ActionsTests(WalkCase):
    world = "portal-console"

    async def test_programs(self) -> None:
        """What was done about programs and webhooks, and by programs, is listed with names."""
        admin, (service, token) = await self.admin(), await self.service("curate")
        body = {"title": name("news"), "text": "", "level": "info", "until": 1}
        await self.put(f"announcements/{guid()}", body, by=token, expect=201)
        hook = {"url": "https://hook.invalid/", "kinds": None, "enabled": False}
        await self.put(f"webhooks/{guid()}", hook, by=admin, expect=201)

        def steps(ada: Person) -> None:
            ada.log_in(admin.username, admin.password)
            ada.go("/console/actions")
            rows = ada.main.get_by_role("list", name="What was done").get_by_role("listitem")
            expect(rows.filter(has_text="Made a webhook:").first).to_be_visible()
            link = rows.filter(has_text="Announced:").get_by_role("link", name=service.name)
            link.first.click()
            expect(entry(ada, service.name)).to_be_visible()

        await self.walk(steps)
