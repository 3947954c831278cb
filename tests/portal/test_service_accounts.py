"""Admins keep the studio's programs in the console."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import Service, User, guid, name


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
        """An admin makes an account for a program, over TLS."""
        admin = await self.admin()

        def journey(ada: Person) -> None:
            # A browser trusts this machine as if there was TLS.
            ada.base = self.url
            ada.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
            ada.log_in(admin, "/console/service-accounts")
            self.assertEqual(False, ada.page.evaluate("navigator.clipboard === undefined"))
            self.make(ada)

        await self.walk(journey)

    async def test_keep(self) -> None:
        """An admin makes accounts for programs, changes and deletes them, on a page without TLS."""
        admin, end = await self.admin(), 1_950_000_007
        one, other, leaving, full = [await self.account("events") for _ in range(4)]
        ending = await self.account("events", expires=end)
        await self.post(f"service-accounts/{full.id}/secrets", by=admin, expect=200)

        def journey(ada: Person) -> None:
            ada.log_in(admin, "/console/service-accounts")
            with self.step("A page without TLS, which has no clipboard, copies all the same"):
                self.assertEqual(True, ada.page.evaluate("navigator.clipboard === undefined"))
                self.make(ada)
            self.change(ada, admin, one, other)
            self.end_stays(ada, admin, ending, end)
            self.leave(ada, admin, leaving)
            with self.step("An account with two secrets gets no third one"):
                third = entry(ada, full.name).get_by_role("button", name="Make a secret")
                expect(third).to_be_disabled()
            self.actions(ada, admin)

        await self.walk(journey)

    @step
    def make(self, ada: Person) -> None:
        """A new account gets a secret, which is shown once and copied with one press; its program
        logs in with it."""
        title, found = name("server"), dict[str, str]()
        ada.press("New service account")
        ada.press("Save", ada.dialog)
        expect(ada.dialog.get_by_label("Name", exact=True)).to_be_focused()
        expect(ada.dialog.get_by_text("Choose at least one.", exact=True)).to_be_visible()
        ada.fill(ada.dialog, Name=title)
        ada.dialog.get_by_label("progress").check()
        ada.press("Save", ada.dialog)
        ada.press("Make a secret", ada.dialog)
        for what in ("Id", "Secret"):
            found[what] = ada.dialog.get_by_label(what, exact=True).input_value()
            button(ada.dialog, f"Copy: {what}").press("Enter")
            expect(ada.dialog.get_by_role("status").filter(has_text="Copied")).not_to_have_count(0)
        ada.press("I have kept it", ada.dialog)
        expect(entry(ada, title).get_by_text("progress", exact=True)).to_be_visible()
        expect(entry(ada, title).get_by_text("Never used")).to_be_visible()
        self.assertNotIn(found["Secret"], ada.page.content())
        ada.press("New service account")
        self.assertEqual(found["Secret"], pasted(ada, ada.dialog))
        # What is typed stays in the browser until it is sent: the secret does not.
        ada.dialog.get_by_label("Name", exact=True).fill("")
        kept = ada.page.evaluate("JSON.stringify(localStorage)")
        self.assertNotIn(found["Secret"], kept)
        self.assertRegex(found["Secret"], r"^csvc_")
        self.wait(self.token(Service(found["Id"], title, "", found["Secret"])))

    @step
    def change(self, ada: Person, admin: User, account: Service, other: Service) -> None:
        """Scopes and the end are changed; what the service refuses is said beside its field, and
        what was typed outlives a reload."""
        ada.escape()
        ada.press(f"Edit: {account.name}", entry(ada, account.name))
        field = ada.dialog.get_by_label("Name", exact=True)
        field.fill(other.name)
        ada.dialog.get_by_label("notify").check()
        ada.dialog.get_by_label("Expires", exact=True).fill("2031-05-06T07:08")
        ada.press("Save", ada.dialog)
        expect(ada.dialog.get_by_text("This name is taken.", exact=True)).to_be_visible()
        expect(field).to_be_focused()
        # The refusal is a 409.
        ada.spare("409")
        ada.page.reload()
        ada.press(f"Edit: {account.name}", entry(ada, account.name))
        expect(field).to_have_value(other.name)
        expect(ada.dialog.get_by_label("notify")).to_be_checked()
        field.fill(account.name)
        ada.press("Save", ada.dialog)
        expect(ada.dialog).to_have_count(0)
        expect(entry(ada, account.name).get_by_text("notify", exact=True)).to_be_visible()
        found = self.wait(self.shown(account, admin))
        self.assertEqual(["events", "notify"], found["scopes"])
        self.assertGreater(found["expires"], 1_900_000_000)

    @step
    def end_stays(self, ada: Person, admin: User, account: Service, end: int) -> None:
        """An end with seconds stays as it is when only the name changes: the program is not logged
        out."""
        token, title = self.wait(self.token(account)), name("server")
        ada.press(f"Edit: {account.name}", entry(ada, account.name))
        ada.fill(ada.dialog, Name=title)
        ada.press("Save", ada.dialog)
        expect(entry(ada, title)).to_be_visible()
        self.assertEqual(end, self.wait(self.shown(account, admin))["expires"])
        self.wait(self.get("me", by=token, expect=200))

    @step
    def leave(self, ada: Person, admin: User, account: Service) -> None:
        """A secret and an account go after a second press."""
        token = self.wait(self.token(account))
        ada.press(f"Delete: {account.secret_id[:8]}", entry(ada, account.name))
        ada.press("Delete", ada.dialog)
        expect(ada.dialog).to_have_count(0)
        expect(entry(ada, account.name).get_by_text("no secret", exact=True)).to_be_visible()
        ada.press(f"Delete: {account.name}", entry(ada, account.name))
        expect(ada.dialog).to_be_visible()
        ada.escape()
        ada.press(f"Delete: {account.name}", entry(ada, account.name))
        ada.press("Delete", ada.dialog)
        expect(entry(ada, account.name)).to_have_count(0)
        self.problem(self.wait(self.get("me", by=token)), 401, "invalid_token")
        self.wait(self.get(f"service-accounts/{account.id}", by=admin, expect=404))

    @step
    def actions(self, ada: Person, admin: User) -> None:
        """What was done about programs and webhooks, and by programs, is listed with names."""
        service, token = self.wait(self.service("curate"))
        body = {"title": name("news"), "text": "", "level": "info", "until": 1}
        self.wait(self.put(f"announcements/{guid()}", body, by=token, expect=201))
        hook = {"url": "https://hook.invalid/", "kinds": None, "enabled": False}
        self.wait(self.put(f"webhooks/{guid()}", hook, by=admin, expect=201))
        ada.move("/console/actions")
        rows = ada.main.get_by_role("list", name="What was done").get_by_role("listitem")
        expect(rows.filter(has_text="Made a webhook:").first).to_be_visible()
        link = rows.filter(has_text="Announced:").get_by_role("link", name=service.name)
        link.first.click()
        expect(entry(ada, service.name)).to_be_visible()

    async def shown(self, account: Service, admin: User) -> Any:
        """The account as it is now."""
        path = f"service-accounts/{account.id}"
        return (await self.get(path, by=admin, expect=200)).json()
