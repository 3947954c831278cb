"""Decisions with their grounds, what players read of them, and appeals of all sides."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.test_moderator import enter, reach
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import Content, User, guid, name
from tests.spec.moderation.support import DecidingCase, content_of


def undo(who: Person) -> Locator:
    """The button that takes something back."""
    return who.page.get_by_role("status").get_by_role("button", name="Undo", exact=True)


class DecisionTests(WalkCase, DecidingCase):
    world = "portal-console"

    async def standing(self, subject: str) -> list[dict[str, Any]]:
        """The decisions about a subject that stand."""
        return await self.decisions(subject=subject, open="true")

    async def test_chain(self) -> None:
        """One chain of keys gives a ground, decides, upholds and goes on; it can be taken back for
        ten seconds, and the ground is there again by one key."""
        moderator, author = await self.member("moderator"), await self.user()
        towers = [await self.content(author, name=name("tower")) for _ in range(2)]
        reporters = [await self.user() for _ in towers]
        for tower, reporter in zip(towers, reporters, strict=True):
            await self.report(tower.path, reporter)

        def journey(ada: Person) -> None:
            ada.page.clock.install()
            ada.log_in(moderator, f"/console/reports/content/{towers[0].id}")
            self.by_hand(ada, towers[0])
            self.taken_back(ada, towers[0])
            self.onwards(ada, towers[0])
            self.again(ada, towers[1])

        await self.walk(journey)
        for tower, reporter in zip(towers, reporters, strict=True):
            (decision,) = await self.standing(tower.id)
            ground = decision["ground"]
            self.assertEqual("Copied.", ground["explanation"])
            self.assertEqual(("illegal", "UrhG § 97"), (ground["basis"], ground["reference"]))
            self.assertEqual(("report", "no"), (ground["source"], ground["automated"]))
            self.assertEqual(["upheld"], await self.resolved(reporter, 1))

    @step
    def by_hand(self, ada: Person, tower: Content) -> None:
        """What was reported stands beside what there is now. A law is named, and the reason is
        typed; Escape leaves the field, so that a key decides."""
        headings = ("What was reported", "What it looks like now")
        for heading in headings:
            ada.main.get_by_role("heading", name=heading, exact=True).wait_for()
        expect(ada.main.get_by_text("It has not changed since.")).to_be_visible()
        expect(ada.main.locator(".badge.due")).to_contain_text("Due in")
        ada.page.keyboard.press("?")
        ada.dialog.get_by_role("switch", name="Use keys", exact=True).check()
        ada.escape()
        ada.main.get_by_text("Against the terms: Terms of service").click()
        ada.main.get_by_role("radio", name="Against the law", exact=True).check()
        ada.fill(Law="UrhG § 97")
        ada.main.get_by_role("checkbox", name="Uphold the open reports with it").check()
        ada.main.get_by_role("checkbox").first.blur()
        ada.page.keyboard.press("g")
        expect(ada.main.get_by_label("Reason", exact=True)).to_be_focused()
        ada.page.keyboard.type("Copied.")
        ada.page.keyboard.press("Escape")
        ada.page.keyboard.press("s")
        button(ada.main, "Suspended").wait_for()
        self.assertEqual([], self.wait(self.standing(tower.id)))

    @step
    def taken_back(self, ada: Person, tower: Content) -> None:
        """`Undo` takes the decision back, and the service hears nothing of it."""
        expect(undo(ada)).to_be_visible()
        undo(ada).click()
        button(ada.main, "Suspend").wait_for()
        ada.page.clock.run_for(20_000)
        self.assertEqual([], self.wait(self.standing(tower.id)))

    @step
    def onwards(self, ada: Person, tower: Content) -> None:
        """Decided again, `n` goes on at once, and the decision can still be taken back there."""
        ada.page.keyboard.press("s")
        button(ada.main, "Suspended").wait_for()
        ada.page.keyboard.press("n")
        ada.page.wait_for_url(lambda url: not url.endswith(tower.id))
        expect(undo(ada)).to_be_visible()
        with ada.answered("POST */moderation/decisions"):
            ada.wait_until_sent()

    @step
    def again(self, ada: Person, tower: Content) -> None:
        """At another subject the ground is there by `1`; a closed page sends what was decided."""
        ada.move(f"/console/reports/content/{tower.id}")
        button(ada.main, "Suspend").wait_for()
        group = ada.main.get_by_role("group", name="Reasons used lately")
        expect(group.get_by_role("button")).to_have_count(1)
        ada.page.keyboard.press("1")
        expect(ada.main.get_by_text("Against the law: UrhG § 97")).to_be_visible()
        ada.page.keyboard.press("s")
        with ada.answered("POST */moderation/decisions"):
            ada.wait_until_sent()
        decided = ada.main.get_by_role("list", name="Decisions about it")
        expect(decided).to_contain_text("Copied.")

    async def test_source(self) -> None:
        """A decision about what was reported says so, without a reason too; one that an authority
        ordered says that, and needs a reason."""
        moderator, author = await self.member("moderator"), await self.user()
        towers = [await self.content(author, name=name("tower")) for _ in range(2)]
        for tower in towers:
            await self.report(tower.path, await self.user())

        def journey(ada: Person) -> None:
            ada.page.clock.install()
            ada.log_in(moderator, f"/console/reports/content/{towers[0].id}")
            self.by_report(ada)
            ada.move(f"/console/reports/content/{towers[1].id}")
            self.by_order(ada)

        await self.walk(journey)
        for tower, wanted in zip(
            towers, (("report", "Reported as: Spam."), ("order", "By a court.")), strict=True
        ):
            (decision,) = await self.standing(tower.id)
            ground = decision["ground"]
            self.assertEqual(wanted, (ground["source"], ground["explanation"]))

    @step
    def by_report(self, ada: Person) -> None:
        """The form says what the player reads without a reason."""
        expect(ada.main.get_by_text("Reported as: Spam.", exact=False)).to_be_visible()
        ada.press("Suspend")
        with ada.answered("POST */moderation/decisions"):
            ada.wait_until_sent()

    @step
    def by_order(self, ada: Person) -> None:
        """What is chosen is sent, once a reason is written."""
        ada.main.get_by_text("Against the terms: Terms of service").click()
        source = ada.main.get_by_label("How it was found", exact=True)
        source.select_option("An authority ordered it.")
        ada.press("Suspend")
        expect(ada.main.get_by_label("Reason", exact=True)).to_be_focused()
        ada.fill(Reason="By a court.")
        ada.press("Suspend")
        button(ada.main, "Suspended").wait_for()
        with ada.answered("POST */moderation/decisions"):
            ada.wait_until_sent()

    async def test_record(self) -> None:
        """Beside the author's record, a moderator shuts a player out, closes comments and reverses
        what was wrong; nothing needs more than a reason."""
        moderator, author = await self.member("moderator"), await self.user()
        tower = await self.content(author, name=name("tower"))
        await self.report(tower.path, await self.user())

        def journey(ada: Person) -> None:
            ada.page.clock.install()
            ada.log_in(moderator, f"/console/reports/content/{tower.id}")
            self.restrict(ada, author)
            self.lock(ada, tower)
            self.reverse_one(ada, author)

        await self.walk(journey)

    @step
    def restrict(self, ada: Person, author: User) -> None:
        """A restriction says of what and how long; without what it is refused beside the boxes."""
        ada.main.get_by_text("More", exact=True).click()
        ada.fill(Reason="Nagging.")
        ada.press("Restrict")
        boxes = ada.main.get_by_role("group", name="What the player cannot do then")
        expect(boxes.get_by_role("checkbox", name="publish")).to_be_focused()
        boxes.get_by_role("checkbox", name="comment").check()
        ada.main.get_by_role("radio", name="7 days", exact=True).check()
        ada.press("Restrict")
        button(ada.main, "Restricted").wait_for()
        with ada.answered("POST */moderation/decisions"):
            ada.wait_until_sent()
        (one,) = self.wait(self.decisions(user=author.id, open="true"))
        self.assertEqual(("restrict", ["comment"]), (one["action"], one["what"]))
        self.assertIsNotNone(one["until"])

    @step
    def lock(self, ada: Person, tower: Content) -> None:
        """Comments are locked, with the same reason. A dialog of the record stays open when that is
        read again."""
        ada.press("Lock comments")
        ada.main.get_by_role("button", name="Reverse: Account restricted").click()
        with ada.read(), ada.answered("POST */moderation/decisions"):
            ada.wait_until_sent()
        expect(ada.dialog.get_by_label("Reason", exact=True)).to_be_visible()
        ada.escape()
        button(ada.main, "Comments locked").wait_for()
        (one,) = self.wait(self.standing(tower.id))
        self.assertEqual("Nagging.", one["ground"]["explanation"])

    @step
    def reverse_one(self, ada: Person, author: User) -> None:
        """What stands in the record is reversed there, with a reason that the player reads."""
        record = ada.main.get_by_role("list", name="Decisions about the author")
        expect(record.get_by_role("article")).to_have_count(1)
        record.get_by_role("button", name="Reverse: Account restricted").click()
        ada.press("Reverse", ada.dialog)
        expect(ada.dialog.get_by_label("Reason", exact=True)).to_be_focused()
        ada.fill(ada.dialog, Reason="A mistake.")
        ada.press("Reverse", ada.dialog)
        expect(record.get_by_role("article")).to_have_count(0)
        (told,) = self.wait(self.told(author, "DecisionReversed"))
        self.assertEqual("A mistake.", told["reason"])

    async def test_due(self) -> None:
        """The queue says what is due when, in words too, and what is due first on demand; a notice
        is read as it was sent."""
        tower = await self.content(await self.user(), name=name("tower"))
        await self.report(tower.path, await self.user())
        bridge = await self.content(await self.user(), name=name("bridge"))
        await self.notice(bridge, "child")
        moderator = await self.member("moderator")

        def journey(ada: Person) -> None:
            ada.log_in(moderator, "/console/reports")
            self.ordered(ada, bridge)
            self.sent_by(ada, bridge)

        await self.walk(journey)

    async def notice(self, content: Content, reason: str = "illegal") -> dict[str, str]:
        """A notice of content: its id and its token."""
        body = {
            "subjects": [content_of(content)],
            "reason": reason,
            "explanation": "It is forbidden.",
            "law": "StGB § 86a",
            "name": "Ida Noether",
            "email": f"{name('ida')}@example.com",
            "goodFaith": True,
        }
        return dict((await self.post("notices", body, expect=201)).json())

    @step
    def ordered(self, ada: Person, bridge: Content) -> None:
        """What has an hour comes first by deadline, and stands out."""
        ada.main.get_by_label("What comes first", exact=True).select_option("due")
        ada.page.wait_for_url("**/console/reports?sort=due")
        first = ada.main.get_by_role("article").filter(has_text=bridge.sent["name"])
        expect(first.locator(".due.soon")).to_contain_text("Due in")
        expect(first).to_contain_text("1 notice")
        first.get_by_role("link").first.click()

    @step
    def sent_by(self, ada: Person, bridge: Content) -> None:
        """The subject has what its sender said."""
        ada.page.wait_for_url(f"**/console/reports/content/{bridge.id}")
        ada.main.get_by_text("What the notice says").click()
        for text in ("Ida Noether", "StGB § 86a"):
            expect(ada.main.get_by_text(text, exact=True)).to_be_visible()
        expect(ada.main.locator(".due.soon").first).to_be_visible()

    async def test_appeal(self) -> None:
        """By keyboard, from a notice to the appeal's answer: a moderator suspends what it names,
        its author reads why and appeals, another moderator answers, and the author hears."""
        moderator, other = await self.member("moderator"), await self.member("moderator")
        author = await self.user()
        tower = await self.content(author, name=name("tower"))
        await self.notice(tower)

        def journey(ada: Person, ben: Person, cleo: Person) -> None:
            ada.page.clock.install()
            cleo.page.clock.install()
            self.suspend(ada, moderator, tower)
            self.read_why(ben, author, tower)
            self.appeal(ben)
            self.answer(cleo, other, author)
            self.hear(ben, tower)

        await self.walk(journey, 3)

    @step
    def suspend(self, ada: Person, moderator: User, tower: Content) -> None:
        """The moderator suspends, and names the notice by itself."""
        ada.log_in(moderator, f"/console/reports/content/{tower.id}")
        reach(ada, ada.main.get_by_label("Reason", exact=True))
        ada.page.keyboard.type("Forbidden signs.")
        enter(ada, "Suspend")
        enter(ada, "Uphold")
        button(ada.main, "Upheld").wait_for()
        (decision,) = self.wait(self.standing(tower.id))
        self.assertIsNotNone(decision["ground"]["notice"])

    @step
    def read_why(self, ben: Person, author: User, tower: Content) -> None:
        """The notification leads the author to the decision, which has its ground."""
        ben.log_in(author, "/notifications")
        link = ben.main.get_by_role("link", name=f"{tower.sent['name']} was suspended.")
        reach(ben, link)
        ben.page.keyboard.press("Enter")
        ben.page.wait_for_url("**/decisions/*")
        ben.main.get_by_role("heading", name="Decision", level=1).wait_for()
        for text in ("Forbidden signs.", "Somebody reported it."):
            expect(ben.main.get_by_text(text)).to_be_visible()

    @step
    def appeal(self, ben: Person) -> None:
        """An appeal needs a text; sent, it is said to wait, also in the list of decisions."""
        enter(ben, "Appeal")
        field = ben.main.get_by_label("Why was this wrong?", exact=True)
        expect(field).to_be_focused()
        ben.page.keyboard.type("It is a museum.")
        enter(ben, "Appeal")
        expect(ben.main.get_by_text("We have your appeal.")).to_be_visible()
        ben.move("/decisions")
        row = ben.main.get_by_role("list", name="Decisions about you").get_by_role("listitem")
        expect(row).to_contain_text("Appeal: no answer yet")

    @step
    def answer(self, cleo: Person, other: User, author: User) -> None:
        """Another moderator finds the appeal beside the decision, and reverses it, which can be
        taken back for a while."""
        cleo.log_in(other, "/console/appeals")
        case = cleo.main.get_by_role("article").filter(has_text="It is a museum.")
        expect(case).to_contain_text("Forbidden signs.")
        enter(cleo, f"Answer: {author.username}", case)
        outcome = cleo.dialog.get_by_label("Outcome", exact=True)
        expect(outcome).to_be_focused()
        outcome.select_option("reversed")
        reach(cleo, cleo.dialog.get_by_label("Reason", exact=True))
        cleo.page.keyboard.type("So it is.")
        enter(cleo, "Answer the appeal", cleo.dialog)
        expect(case).to_have_count(0)
        expect(undo(cleo)).to_be_visible()
        undo(cleo).click()
        case.wait_for()
        enter(cleo, f"Answer: {author.username}", case)
        enter(cleo, "Answer the appeal", cleo.dialog)
        with cleo.answered("PUT */moderation/appeals/*"):
            cleo.wait_until_sent()

    @step
    def hear(self, ben: Person, tower: Content) -> None:
        """The author hears why, and that the content can be seen again."""
        ben.move("/notifications")
        expect(ben.main.get_by_text("So it is.")).to_be_visible()
        ben.main.get_by_role("link", name="Your appeal was answered.").click()
        ben.page.wait_for_url("**/decisions/*")
        expect(ben.main.get_by_text("You were right.").first).to_be_visible()
        found = self.wait(self.get(tower.path, expect=200)).json()
        self.assertEqual("active", found["status"])

    async def test_banned(self) -> None:
        """Who is banned reads why at the log-in, until when, and appeals there; the link of a mail
        leads to the same, and its token leaves the address."""
        banned = await self.user()
        subject = {"kind": "user", "id": banned.id}
        decision = await self.take("ban", subject, by=await self.member("moderator"))

        def journey(ada: Person) -> None:
            token = self.refused(ada, banned)
            self.by_mail(ada, token)

        await self.walk(journey)
        found = await self.decision(decision)
        self.assertEqual(["open"], [one["state"] for one in found["appeals"]])

    @step
    def refused(self, ada: Person, banned: User) -> str:
        """The log-in says why, with the form."""
        ada.go("/log-in")
        ada.fill(Username=banned.username, Password=banned.password)
        with ada.page.expect_response("**/portal/session") as asked:
            ada.press("Log in")
        ada.spare("/portal/session")
        region = ada.main.get_by_role("region", name="Account banned")
        expect(region.get_by_text("It insults people")).to_be_visible()
        expect(region.get_by_text("It has no end.")).to_be_visible()
        ada.fill(region, **{"Why was this wrong?": "It was not me."})
        ada.press("Appeal", region)
        expect(region.get_by_text("We have your appeal.")).to_be_visible()
        return str(asked.value.json()["appealToken"])

    @step
    def by_mail(self, ada: Person, token: str) -> None:
        """The mail's link shows the same, without a log-in."""
        ada.go(f"/account?token={token}")
        expect(ada.main.get_by_text("It insults people")).to_be_visible()
        expect(ada.main.get_by_text("as soon as it is answered").first).to_be_visible()
        self.assertNotIn("token", ada.page.url)

    async def test_others(self) -> None:
        """Who has reported in vain appeals from the notification, and who has sent a notice from
        the receipt's page; a moderator sees both, and who they are from."""
        reporter = await self.user()
        towers = [await self.content(await self.user(), name=name("tower")) for _ in range(2)]
        await self.report(towers[0].path, reporter)
        receipt = await self.notice(towers[1])
        for tower in towers:
            await self.judge("content", tower.id, "dismissed")
        moderator = await self.member("moderator")

        def journey(ada: Person, ben: Person, cleo: Person) -> None:
            self.reporter(ada, reporter)
            self.notifier(ben, receipt)
            self.both(cleo, moderator)

        await self.walk(journey, 3)

    @step
    def reporter(self, ada: Person, reporter: User) -> None:
        """The notification of a dismissal has the way."""
        ada.log_in(reporter, "/notifications")
        ada.main.get_by_role("link", name="Appeal against this", exact=True).click()
        ada.page.wait_for_url("**/appeal?*")
        ada.fill(**{"Why was this wrong?": f"Look again, {reporter.username}."})
        ada.press("Appeal")
        expect(ada.main.get_by_text("We have your appeal.")).to_be_visible()

    @step
    def notifier(self, ben: Person, receipt: dict[str, str]) -> None:
        """The receipt's page says that nothing was done, and has the form."""
        ben.go(f"/notice?notice={receipt['id']}&token={receipt['token']}")
        ben.main.get_by_role("heading", name="Nothing was done").wait_for()
        ben.fill(**{"Why was this wrong?": f"It is forbidden: {receipt['id']}"})
        ben.press("Appeal")
        expect(ben.main.get_by_text("We have your appeal.")).to_be_visible()

    @step
    def both(self, cleo: Person, moderator: User) -> None:
        """The filter of who appeals leaves one or the other."""
        cleo.log_in(moderator, "/console/appeals")
        cases = cleo.main.get_by_role("article")
        for side, text in (("reporter", "Look again, "), ("notifier", "It is forbidden: ")):
            cleo.main.get_by_label("From whom", exact=True).select_option(side)
            expect(cases.filter(has_text=text).first).to_be_visible()
        expect(cases.filter(has_text="Look again, ")).to_have_count(0)

    async def test_holds(self) -> None:
        """An admin holds content from its subject, saves the copy, notes to whom it was given, and
        erases it; a moderator has no such place."""
        admin, moderator = await self.admin(), await self.member("moderator")
        tower = await self.content(await self.user(), name=name("tower"))

        def journey(ada: Person, ben: Person) -> None:
            ada.log_in(admin, f"/console/reports/content/{tower.id}")
            self.hold(ada, tower)
            self.copy(ada, tower)
            self.give(ada)
            self.listed(ada, tower)
            self.erase(ada)
            ben.log_in(moderator, "/console/reports")
            expect(ben.main.get_by_role("link", name="Holds", exact=True)).to_have_count(0)

        await self.walk(journey, 2)

    @step
    def hold(self, ada: Person, tower: Content) -> None:
        """It needs a reason, and is kept within seconds."""
        ada.main.get_by_role("link", name="Hold", exact=True).click()
        ada.page.wait_for_url(f"**/console/holds/content/{tower.id}")
        ada.press("Hold it")
        # That there is no report, and that there is no hold.
        ada.spare("404", "404")
        expect(ada.main.get_by_label("Reason", exact=True)).to_be_focused()
        ada.fill(Reason="The police asks.")
        ada.press("Hold it")
        ada.main.get_by_role("heading", name="Change the hold").wait_for()
        expect(ada.main.get_by_text("Kept", exact=True)).to_be_visible()

    @step
    def copy(self, ada: Person, tower: Content) -> None:
        """The copy comes as a file."""
        with ada.page.expect_download() as saved:
            ada.press("Save the copy")
        self.assertEqual(f"hold-content-{tower.id}.json", saved.value.suggested_filename)

    @step
    def give(self, ada: Person) -> None:
        """It is noted to whom the copy was given."""
        ada.press("Note who got it")
        ada.fill(ada.dialog, To_whom="Police of the capital", Reference="26/1187")
        ada.press("Save", ada.dialog)
        given = ada.main.get_by_role("list", name="Who got it")
        expect(given).to_contain_text("Police of the capital")
        expect(given).to_contain_text("26/1187")

    @step
    def listed(self, ada: Person, tower: Content) -> None:
        """The list has it under its name, and finds it by an address."""
        ada.move("/console/holds")
        held = ada.main.get_by_role("list", name="Holds")
        expect(held.get_by_role("link", name=tower.sent["name"])).to_be_visible()
        ada.main.get_by_label("Id or address", exact=True).fill(guid()[:-1])
        ada.press("Look it up")
        expect(ada.main.get_by_text("This is no id of such a thing.")).to_be_visible()
        ada.main.get_by_label("Id or address", exact=True).fill(f"{ada.base}/content/{tower.id}")
        ada.press("Look it up")
        ada.page.wait_for_url(f"**/console/holds/content/{tower.id}")

    @step
    def erase(self, ada: Person) -> None:
        """To erase it asks first."""
        ada.press("Erase the hold")
        ada.press("Erase the hold", ada.dialog)
        button(ada.main, "Hold it").wait_for()
        # That there is no hold any more.
        ada.spare("404")
