"""Two people edit one thing in two browsers: nothing is lost without a word
(conventions#preconditions)."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.test_webhooks import entry
from tests.portal.walk import Person, WalkCase, button
from tests.spec.challenges.test_challenges import challenge
from tests.spec.data import User, guid, name


class EditCase(WalkCase):
    """Forms that two people have open."""

    def both(self, who: Person, label: str, theirs: str, mine: str, within: Locator) -> None:
        """Assert that both texts of a field are shown."""
        sides = within.get_by_role("region", name="Changed here and elsewhere")
        for title, text in (("Theirs", theirs), ("Yours", mine)):
            expect(sides.get_by_role("region", name=f"{label}: {title}")).to_contain_text(text)

    def shown(self, path: str, by: User) -> Any:
        """What the service has."""
        return self.wait(self.get(path, by=by, expect=200)).json()


class EditsTests(EditCase):
    async def test_content(self) -> None:
        """Two edit one content."""
        self.author = await self.user()
        self.made = await self.content(self.author, name=name("tower"), tags=["one, two", "tall"])

        def journey(ada: Person, ben: Person) -> None:
            for who in (ada, ben):
                who.log_in(self.author, f"/content/{self.made.id}")
                who.open("Manage")
                who.press("Edit")
            self.apart(ada, ben)
            self.meet(ada, ben)
            self.draft(ada)
            self.numbers(ada)

        await self.walk(journey, 2)

    @step
    def apart(self, ada: Person, ben: Person) -> None:
        """Who changes another field keeps what was saved meanwhile; a tag with a comma is one."""
        ada.fill(Description="Climb it, says Ada.")
        self.saved(ben, Tags='"one, two", tall, new')
        self.saved(ada)
        found = self.shown(self.made.path, self.author)
        told = found["description"], found["tags"]
        self.assertEqual(("Climb it, says Ada.", ["one, two", "tall", "new"]), told)

    @step
    def meet(self, ada: Person, ben: Person) -> None:
        """Who changes the same field sees both texts, and chooses."""
        for who in (ada, ben):
            who.page.reload()
            who.open("Manage")
            who.press("Edit")
        ada.fill(Description="As Ada has it.")
        self.saved(ben, Description="As Ben has it.")
        ada.press("Save")
        self.both(ada, "Description", "As Ben has it.", "As Ada has it.", ada.main)
        self.assertEqual("As Ben has it.", self.shown(self.made.path, self.author)["description"])
        ada.press("Keep mine: Description")
        self.saved(ada)
        self.assertEqual("As Ada has it.", self.shown(self.made.path, self.author)["description"])
        for who in (ada, ben):
            who.page.reload()
            who.open("Manage")
            who.press("Edit")
        ada.fill(Description="Ada again.")
        self.saved(ben, Description="Ben again.")
        ada.press("Save")
        ada.press("Take theirs: Description")
        expect(ada.main.get_by_label("Description", exact=True)).to_have_value("Ben again.")
        ada.press("Save")
        expect(ada.main.get_by_label("Description", exact=True)).to_have_count(0)
        self.assertEqual("Ben again.", self.shown(self.made.path, self.author)["description"])

    @step
    def draft(self, ada: Person) -> None:
        """A draft of one letter puts nothing else back, days later."""
        ada.page.reload()
        ada.open("Manage")
        ada.press("Edit")
        ada.fill(Tags='"one, two", tall, new, x')
        body = {
            "description": "Later.",
            "screenshotUris": self.made.sent["screenshotUris"],
            "attributes": {"mode": "hard"},
        }
        self.wait(self.put(self.made.path, body, by=self.author, expect=204))
        ada.page.reload()
        ada.open("Manage")
        ada.press("Edit")
        self.saved(ada)
        found = self.shown(self.made.path, self.author)
        told = found["description"], found["tags"], found["attributes"]
        self.assertEqual(("Later.", ["one, two", "tall", "new", "x"], {"mode": "hard"}), told)

    @step
    def numbers(self, ada: Person) -> None:
        """A number that is not clear is refused, and one with a comma is read as it is meant."""
        ada.open("Manage")
        ada.press("Edit")
        ada.press("Add an attribute")
        ada.fill(Attribute_2="size")
        ada.main.get_by_label("Kind 2", exact=True).select_option("number")
        for wrong in ("1,500", "1,500.5", "12,5,0", "0x10", "9223372036854775808"):
            ada.fill(Value_2=wrong)
            ada.press("Save")
            field = ada.main.get_by_label("Value 2", exact=True)
            expect(field).to_be_focused()
            expect(field).to_have_accessible_description(re.compile("not clear"))
        self.saved(ada, Value_2="1,5")
        found = self.shown(self.made.path, self.author)
        self.assertEqual({"mode": "hard", "size": 1.5}, found["attributes"])

    def saved(self, who: Person, **fields: str) -> None:
        """Save the form, with these fields."""
        who.fill(**fields)
        with who.answered("PUT */content/*"):
            who.press("Save")
        expect(button(who.main, "Save")).to_have_count(0)

    async def test_profile(self) -> None:
        """Two edit one profile, and one of them has a new picture."""
        self.owner = await self.user()

        def journey(ada: Person, ben: Person) -> None:
            for who in (ada, ben):
                who.log_in(self.owner, "/settings")
                who.main.get_by_label("Profile", exact=True).wait_for()
            self.pictured(ada)
            self.described(ada, ben)

        await self.walk(journey, 2)

    @step
    def pictured(self, ada: Person) -> None:
        """A page that is older than a picture does not take it away."""
        body = {"avatar": "new.png", "emblem": guid(), "fullProfile": {}, "publicProfile": {}}
        self.wait(self.put(f"user/{self.owner.id}", body, by=self.owner, expect=204))
        ada.fill(Profile="I am Ada.")
        with ada.answered("PUT */user/*"):
            ada.press("Save")
        found = self.shown(f"user/{self.owner.id}", self.owner)
        self.assertEqual(("new.png", body["emblem"]), (found["avatar"], found["emblem"]))
        self.assertEqual({"profile": "I am Ada."}, found["publicProfile"])

    @step
    def described(self, ada: Person, ben: Person) -> None:
        """Who changes a text that is another by now sees both."""
        ben.fill(Profile="I am Ben.")
        ben.press("Save")
        self.both(ben, "Profile", "I am Ada.", "I am Ben.", ben.main)
        ben.press("Keep mine: Profile")
        with ben.answered("PUT */user/*"):
            ben.press("Save")
        found = self.shown(f"user/{self.owner.id}", self.owner)
        self.assertEqual({"profile": "I am Ben."}, found["publicProfile"])
        self.assertEqual("new.png", found["avatar"])

    async def test_collection(self) -> None:
        """Two edit one collection."""
        self.owner, id = await self.user(), guid()
        body = {"name": "Castles", "description": "High ones.", "public": False}
        await self.put(f"user/{self.owner.id}/collections/{id}", body, by=self.owner, expect=204)

        def journey(ada: Person, ben: Person) -> None:
            for who in (ada, ben):
                who.log_in(self.owner, f"/collections/{id}")
                who.press("Edit")
            self.gathered(ada, ben, f"collections/{id}")

        await self.walk(journey, 2)

    @step
    def gathered(self, ada: Person, ben: Person, path: str) -> None:
        """Name, description and who sees it are changed apart; the same one is asked about."""
        ada.fill(ada.dialog, Name="Towers")
        ben.dialog.get_by_role("checkbox").check()
        ben.fill(ben.dialog, Description="Low ones.")
        for who in (ben, ada):
            with who.answered("PUT */collections/*"):
                who.press("Save", who.dialog)
            expect(who.page.locator("dialog")).to_have_count(0)
        found = self.shown(path, self.owner)
        told = found["name"], found["description"], found["public"]
        self.assertEqual(("Towers", "Low ones.", True), told)
        for who in (ada, ben):
            who.page.reload()
            who.press("Edit")
            who.fill(who.dialog, Name=f"{who is ada}")
        with ben.answered("PUT */collections/*"):
            ben.press("Save", ben.dialog)
        ada.press("Save", ada.dialog)
        self.both(ada, "Name", "False", "True", ada.dialog)

    async def test_muted(self) -> None:
        """Who mutes a kind on an older page leaves the others as they are by now."""
        owner = await self.user()
        path = f"user/{owner.id}/notifications/settings"

        def journey(ada: Person) -> None:
            ada.log_in(owner, "/settings")
            with self.step("A kind that was muted elsewhere stays muted"):
                kinds = ada.main.get_by_role("region", name="Notifications")
                kinds.get_by_role("checkbox").nth(1).wait_for()
                given = {"muted": ["CommentReply"]}
                self.wait(self.put(path, given, by=owner, expect=204))
                with ada.answered("PUT */settings"):
                    kinds.get_by_role("checkbox").first.click()
                muted = self.shown(path, owner)["muted"]
                self.assertEqual(["CommentReply", "FriendRequest"], sorted(muted))

        await self.walk(journey)

    async def test_comment(self) -> None:
        """Who edits a comment that is another by now sees both texts, in German too."""
        author = await self.user()
        made = await self.content(author, name=name("tower"))
        response = await self.post(
            f"{made.path}/comments", {"body": "Nineteen floors."}, by=author, expect=201
        )
        path = str(response.header("Location"))

        def journey(ada: Person) -> None:
            ada.page.add_init_script("localStorage.setItem('contentsvc.language', 'de')")
            ada.page.goto(f"{ada.base}/log-in?then=/content/{made.id}")
            ada.main.locator("input[type=password]").fill(author.password)
            ada.main.locator("input").first.fill(author.username)
            ada.page.keyboard.press("Enter")
            with self.step("Both texts are shown, and the one that is chosen is kept"):
                one = ada.main.locator("article.comment")
                button(one, "Bearbeiten").click()
                one.get_by_role("textbox").fill("Twenty floors.")
                given = {"body": "Eighteen floors."}
                self.wait(self.request("PATCH", path, given, by=author, expect=204))
                button(one, "Speichern").click()
                expect(one).to_contain_text("Eighteen floors.")
                self.assertEqual("Eighteen floors.", self.shown(path, author)["body"])
                one.get_by_role("button", name="Meins behalten").click()
                with ada.answered("PATCH */comments/*"):
                    button(one, "Speichern").click()
                self.assertEqual("Twenty floors.", self.shown(path, author)["body"])

        await self.walk(journey)


class ConsoleEditsTests(EditCase):
    world = "portal-console"

    async def test_challenge(self) -> None:
        """Two edit one challenge."""
        admin = await self.admin()
        body = challenge(name=name("castles"), opens=1_000_000_007)
        response = await self.post("design-challenges", body, by=admin, expect=201)
        path = str(response.header("Location"))

        def row(who: Person) -> Locator:
            return who.main.get_by_role("listitem").filter(has_text=body["name"])

        def journey(ada: Person, ben: Person) -> None:
            for who in (ada, ben):
                who.log_in(admin, "/console/challenges")
                who.press(f"Edit: {body['name']}", row(who))
            with self.step("What two have changed apart is all there, to the second"):
                ada.fill(ada.dialog, Challenge_theme="far away")
                ben.fill(ben.dialog, Description="Build two castles")
                for who in (ben, ada):
                    self.saved(who)
                found = self.shown(path, admin)
                told = found["theme"], found["description"], found["opens"]
                self.assertEqual(("far away", "Build two castles", 1_000_000_007), told)
            with self.step("Of what both have changed they see both texts"):
                for who in (ada, ben):
                    who.page.reload()
                    who.press(f"Edit: {body['name']}", row(who))
                    who.fill(who.dialog, Challenge_theme=f"theme {who is ada}")
                self.saved(ben)
                ada.press("Save", ada.dialog)
                self.both(ada, "Challenge theme", "theme False", "theme True", ada.dialog)
                ada.press("Keep mine: Challenge theme", ada.dialog)
                self.saved(ada)
                self.assertEqual("theme True", self.shown(path, admin)["theme"])
            with self.step("A place in the list that is no whole number is refused"):
                ada.press(f"Edit: {body['name']}", row(ada))
                ada.fill(ada.dialog, Place_in_the_list="1,500")
                ada.press("Save", ada.dialog)
                expect(ada.dialog.locator(".problem")).to_contain_text("a whole number")

        await self.walk(journey, 2)

    def saved(self, who: Person) -> None:
        """Save the dialog's form."""
        with who.answered("PUT *"):
            who.press("Save", who.dialog)
        expect(who.page.locator("dialog")).to_have_count(0)

    async def test_webhook(self) -> None:
        """Two edit one webhook, while events come."""
        admin, id, url = await self.admin(), guid(), f"https://{name('hook')}.invalid/"
        body = {"url": url, "kinds": ["ContentPublished"], "enabled": False}
        await self.put(f"webhooks/{id}", body, by=admin, expect=201)

        def journey(ada: Person, ben: Person) -> None:
            for who in (ada, ben):
                who.log_in(admin, "/console/webhooks")
                who.press(f"Edit: {url}", entry(who, url))
            with self.step("What two have changed apart is all there"):
                ada.fill(ada.dialog, URL=f"{url}ada")
                ben.dialog.locator("summary").click()
                ben.dialog.get_by_label("Content published", exact=True).uncheck()
                ben.dialog.get_by_label("Role changed", exact=True).check()
                self.wait(self.user())
                for who in (ben, ada):
                    self.saved(who)
                found = self.shown(f"webhooks/{id}", admin)
                told = found["url"], found["kinds"], found["enabled"]
                self.assertEqual((f"{url}ada", ["RoleChanged"], False), told)
            with self.step("Who turns it on changes nothing else"):
                given = body | {"url": f"{url}later"}
                self.wait(self.put(f"webhooks/{id}", given, by=admin, expect=204))
                with ben.answered("PUT *"):
                    ben.press(f"Turn on: {url}", entry(ben, url))
                found = self.shown(f"webhooks/{id}", admin)
                self.assertEqual((f"{url}later", True), (found["url"], found["enabled"]))

        await self.walk(journey, 2)
