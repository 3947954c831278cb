"""The layout for the web view of a game: by arrow keys, Enter and Escape alone."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.test_content import ContentCase
from tests.portal.test_face import SHIFTS, STILL
from tests.portal.walk import Person
from tests.spec.challenges.support import ChallengeCase
from tests.spec.data import Content, User, name
from tests.spec.files.support import blob

SIZES = ({"width": 1280, "height": 720}, {"width": 800, "height": 450})
NARROW = {"width": 360, "height": 740}
LAYOUT = "layout=game"
HARD = 4
"""Presses of a key after which nothing is where one looks for it."""

WALK = """
async () => {
    const all = () => [...document.querySelectorAll(
        "a[href], button, input, select, textarea, summary, [tabindex='0'], [role=tab]")]
        .filter((one) => (one.tabIndex >= 0 || one.matches("[role=tab]")) && !one.disabled
            && one.checkVisibility({ visibilityProperty: true }));
    const press = async (one, key) => {
        one.focus();
        one.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        if (one.matches("textarea")) await new Promise((done) => setTimeout(done, 5));
        return document.activeElement;
    };
    const first = all()[0];
    const led = new Map();
    for (const one of led.set(first, []).keys()) {
        const found = [];
        for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"])
            found.push(await press(one, key));
        led.set(one, found);
        for (const each of found)
            if (all().includes(each) && !led.has(each)) led.set(each, []);
    }
    const back = new Set([first]);
    for (const one of back)
        for (const [from, to] of led) if (to.includes(one)) back.add(from);
    const words = (one) => one.outerHTML.slice(0, 120);
    return {
        count: led.size,
        unreached: all().filter((one) => !led.has(one)).map(words),
        trapped: all().filter((one) => led.has(one) && !back.has(one)).map(words),
    };
}
"""
"""A search of what four keys lead to, from the first control on: what they do not reach, and from
where they do not lead back."""
HOSTILE = """
() => {
    let seed = 7;
    const next = (most) => (seed = (seed * 48271) % 2147483647) % most;
    const main = document.querySelector("main");
    main.style.position = "relative";
    for (let n = 0; n < 90; n += 1) {
        const one = document.createElement(["button", "input", "a", "textarea"][n % 4]);
        if (one.localName === "a") one.href = "/";
        one.style.cssText = `position: absolute; left: ${next(900)}px; top: ${next(2000)}px;
            width: ${20 + next(300)}px; height: ${20 + next(120)}px`;
        main.append(one);
    }
}
"""
"""Controls anywhere, over each other."""
SMALL = """
() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
    .filter((one) => one.tabIndex >= 0 && one.checkVisibility())
    .map((one) => one.matches("[type=checkbox], [type=radio]") ? one.closest("label") : one)
    .map((one) => one.matches(".unseen") ? one.parentElement : one)
    .filter((one) => {
        const { width, height } = one.getBoundingClientRect();
        return Math.min(width, height) < 43.9;
    })
    .map((one) => one.outerHTML.slice(0, 120))
"""
FOCUSED = """
(one) => new Promise((tell) => setTimeout(() => tell(one === document.activeElement)))
"""
"""Whether it has the focus, when what the last key began is done."""
SEEN = """
() => {
    const one = document.activeElement;
    const { top, bottom } = one.getBoundingClientRect();
    return one !== document.body && top >= 0 && bottom <= innerHeight
        && parseFloat(getComputedStyle(one).outlineWidth) >= 3;
}
"""


class Player(Person):
    """Somebody with a game pad."""

    @property
    def bar(self) -> Locator:
        """What is above each place."""
        return self.page.get_by_role("banner")

    @property
    def focused(self) -> Locator:
        """What has the focus."""
        return self.page.locator(":focus")

    def keys(self, *keys: str) -> None:
        """Press keys."""
        for key in keys:
            self.page.keyboard.press(key)

    def way(self, to: Locator, *keys: str) -> None:
        """Press keys until this has the focus, from where the place has put it."""
        to.first.wait_for()
        expect(self.page.locator(":focus:not(main)")).to_have_count(1)
        for key in keys:
            if to.evaluate(FOCUSED):
                return
            self.keys(key)
        expect(to).to_be_focused()

    def enter(self, user: User, then: str = "/") -> None:
        """Log in by keys, and arrive there."""
        then += f"{'&' if '?' in then else '?'}{LAYOUT}"
        self.username = user.username
        self.go(f"/log-in?then={quote(then, safe='')}")
        expect(self.main.get_by_label("Username", exact=True)).to_be_focused()
        self.page.keyboard.type(user.username)
        self.keys("ArrowDown")
        self.page.keyboard.type(user.password)
        self.keys("ArrowDown", "Enter")
        self.page.wait_for_url(self.base + then)


class InGameTests(ContentCase, ChallengeCase):
    person = Player

    async def setUp(self) -> None:
        await super().setUp()
        self.author, self.player = await self.user(), await self.user()
        self.title = name("tower")
        files = [("tower.bin", blob(90)), ("glass.bin", blob(91))]
        self.made: Content = await self.made_of(files)

    async def made_of(self, files: Any) -> Content:
        """Content with two pictures and links to other places of the web."""
        return await self.made(self.author, files, name=self.title, tags=["glass", "tall"])

    async def test_reach(self) -> None:
        """Arrow keys reach each control of each place, and lead back, on screens of two sizes."""
        for _ in range(3):
            await self.comment(self.made, self.author)
        made = await self.challenge()
        await self.enter(made, self.made)
        for one, other in ((self.author, self.player), (self.player, self.author)):
            await self.put(f"user/{one.id}/friend/{other.id}", by=one, expect=204)
        places = [
            "/",
            f"/browse?q={self.title}&tags=glass",
            "/search",
            f"/search?q={self.title}",
            f"/content/{self.made.id}",
            f"/content/{self.made.id}/statistics",
            f"/publish/{self.made.id}",
            f"/user/{self.player.id}",
            f"/user/{self.author.id}",
            f"/challenges/{made.id}",
            "/challenges",
            "/notifications",
            "/library",
            "/library/collections",
            "/library/memberships",
            f"/collections/{self.author.id}",
            "/friends",
            f"/messages/{self.player.id}",
            "/publish",
            "/settings",
            "/account",
        ]

        def journey(ada: Player) -> None:
            ada.enter(self.author)
            for size in SIZES:
                ada.page.set_viewport_size(size)
                for path in places:
                    with self.step(f"{path} {size['width']}"):
                        with ada.read():
                            ada.move(path)
                        self.reaches(ada)
                        self.assertEqual([], ada.page.evaluate(SMALL))
                    ada.forget("404")

        await self.walk(journey)

    def reaches(self, ada: Player) -> None:
        """Assert that arrow keys lead everywhere."""
        found = ada.page.evaluate(WALK)
        self.assertGreater(found["count"], 2)
        self.assertEqual(([], []), (found["unreached"], found["trapped"]))

    async def test_hostile(self) -> None:
        """Where controls lie anywhere, over each other, arrow keys reach each all the same."""

        def journey(ada: Player) -> None:
            with ada.read():
                ada.go(f"/nowhere?{LAYOUT}")
            ada.page.evaluate(HOSTILE)
            self.reaches(ada)
            ada.forget("404")

        await self.walk(journey)

    async def test_narrow(self) -> None:
        """On a narrow screen everything is as large as a thumb, and nothing moves."""

        def journey(ada: Player) -> None:
            ada.page.add_init_script(SHIFTS)
            ada.page.set_viewport_size(NARROW)
            for path in ("/", "/search", "/browse", f"/content/{self.made.id}", "/settings"):
                with self.step(path):
                    with ada.read():
                        ada.go(f"{path}?{LAYOUT}")
                    self.assertEqual([], ada.page.evaluate(SMALL))
                    self.assertLessEqual(ada.page.evaluate("shifts"), STILL)
                    wide = "document.documentElement.scrollWidth > innerWidth"
                    self.assertFalse(ada.page.evaluate(wide))

        await self.walk(journey)

    async def test_layout(self) -> None:
        """It has a bar instead of the header, and holds for the tab."""

        def journey(ada: Player) -> None:
            self.bars(ada)
            self.announced(ada)
            self.elsewhere(ada)
            self.holds(ada)
            self.ends(ada)

        await self.walk(journey)

    @step
    def bars(self, ada: Player) -> None:
        """The bar has three things; nothing leads to accounts elsewhere."""
        ada.page.route("**/api/v1/issuers", lambda route: route.fulfill(json=[issuer]))
        issuer = {"issuer": "https://id.example", "name": "Example", "clientId": "a"}
        with ada.read():
            ada.go(f"/log-in?then=%2Fbrowse%3F{LAYOUT}")
        expect(ada.bar.get_by_role("button")).to_have_text(["Back"])
        expect(ada.bar.get_by_role("link")).to_have_text(["Search", "Notifications"])
        expect(ada.main.get_by_role("button")).to_have_text(["Log in"])
        ada.page.unroute_all()

    @step
    def announced(self, ada: Player) -> None:
        """What lies over the page is reached, up from the bar too, and dismissed."""
        news = {"id": self.made.id, "title": "Soon", "text": "", "level": "info"}
        news |= {"begins": None, "ends": None}
        ada.page.route("**/api/v1/announcements?*", lambda route: route.fulfill(json=[news]))
        with ada.read():
            ada.go("/browse")
        self.reaches(ada)
        dismiss = ada.page.get_by_role("button", name="Dismiss: Soon", exact=True)
        ada.bar.get_by_role("link", name="Search", exact=True).focus()
        ada.way(dismiss, "ArrowUp")
        ada.keys("Enter")
        expect(dismiss).to_have_count(0)
        expect(ada.main.locator(":focus")).to_have_count(1)
        ada.page.unroute_all()

    @step
    def elsewhere(self, ada: Player) -> None:
        """A link to another origin is text, also one that comes or changes later."""
        path = "(link) => { document.querySelector('main').append(link); }"
        for href in (
            "https://example.com/",
            "http://contentsvc.example:1/",
            "mailto:a@example.com",
        ):
            script = f"({path})(Object.assign(document.createElement('a'), {{href: '{href}', "
            ada.page.evaluate(f"() => {script}textContent: 'Elsewhere'}}))")
        expect(ada.main.get_by_text("Elsewhere")).to_have_count(3)
        expect(ada.main.get_by_role("link", name="Elsewhere")).to_have_count(0)
        ada.page.evaluate(
            """() => document.querySelector("main a[href]").href = "https://a.example/" """
        )
        expect(ada.page.locator("a[href*='a.example']")).to_have_count(0)

    @step
    def holds(self, ada: Player) -> None:
        """It stays through a move, a reload, a log-in and a log-out."""
        ada.move("/challenges")
        ada.page.reload()
        expect(ada.bar.get_by_role("button", name="Back", exact=True)).to_be_visible()
        ada.enter(self.player, "/search")
        out = ada.main.get_by_role("button", name="Log out", exact=True)
        ada.way(out, *["ArrowDown"] * HARD, *["ArrowRight"] * HARD)
        with ada.answered("DELETE */portal/session"):
            ada.keys("Enter")
        ada.main.get_by_role("link", name="Log in", exact=True).wait_for()
        expect(ada.bar.get_by_role("link")).to_have_text(["Search", "Notifications"])

    @step
    def ends(self, ada: Player) -> None:
        """Another tab has none of it, and neither has this one where another layout is named."""
        ada.move("/browse?layout=page")
        ada.header.get_by_role("link", name="Browse", exact=True).wait_for()
        ada.page.reload()
        ada.header.get_by_role("link", name="Browse", exact=True).wait_for()

    async def test_staff(self) -> None:
        """Who moderates is a player there, and has no console."""
        moderator = await self.member("moderator")

        def journey(ada: Player) -> None:
            ada.enter(moderator, f"/user/{self.author.id}")
            ada.main.get_by_role("button", name="Follow", exact=True).wait_for()
            expect(ada.main.get_by_role("link", name="Moderate")).to_have_count(0)
            ada.move("/console/reports")
            expect(ada.main.get_by_role("heading", level=1)).to_have_text("Not found")
            ada.move("/?layout=page")
            ada.header.get_by_role("link", name="Console", exact=True).wait_for()

        await self.walk(journey)

    async def test_plays(self) -> None:
        """A player finds, looks, keeps, rates and comments without a pointer."""

        def journey(ada: Player) -> None:
            ada.page.set_viewport_size(SIZES[0])
            ada.enter(self.player)
            self.finds(ada)
            self.looks(ada)
            self.keeps(ada)
            self.comments(ada)
            self.returns(ada)

        await self.walk(journey)

    @step
    def finds(self, ada: Player) -> None:
        """The bar leads to a search, and that to the content, which can be kept at once."""
        ada.way(ada.bar.get_by_role("link", name="Search", exact=True), *["ArrowUp"] * HARD)
        ada.keys("Enter")
        expect(ada.main.get_by_role("searchbox", name="Search", exact=True)).to_be_focused()
        ada.page.keyboard.type(self.title)
        ada.keys("Enter")
        card = ada.main.get_by_role("article").get_by_role("link", name=self.title)
        ada.way(card.first, *["ArrowDown"] * HARD)
        self.assertTrue(ada.page.evaluate(SEEN))
        ada.keys("Enter")
        expect(ada.main.get_by_role("button", name="Subscribe")).to_be_focused()

    @step
    def looks(self, ada: Player) -> None:
        """A picture is opened large; keys turn the pictures, and Escape closes it alone."""
        at = ada.page.url
        picture = ada.main.get_by_role("button", name=f"Screenshot 1 of {self.title}")
        ada.way(picture, "ArrowLeft", *["ArrowDown"] * HARD)
        ada.keys("Enter")
        number = ada.dialog.get_by_role("status")
        expect(number).to_have_text("Screenshot 1 of 2")
        expect(ada.dialog.get_by_role("button", name="Close", exact=True)).to_be_focused()
        ada.keys("ArrowRight")
        expect(number).to_have_text("Screenshot 2 of 2")
        ada.escape()
        expect(ada.main.get_by_role("button", name=f"Screenshot 2 of {self.title}")).to_be_focused()
        self.assertEqual(at, ada.page.url)

    @step
    def keeps(self, ada: Player) -> None:
        """It is subscribed to and voted for; a menu has the keys while it is open."""
        at = ada.page.url
        subscribe = ada.main.get_by_role("button", name="Subscribe")
        ada.way(subscribe, "ArrowUp", "ArrowRight", *["ArrowUp"] * HARD)
        with ada.answered("PUT */subscription/*"):
            ada.keys("Enter")
        ada.way(ada.main.get_by_role("button", name="Vote up"), "ArrowDown")
        with ada.answered("PUT */rating/*"):
            ada.keys("Enter")
        more = ada.main.get_by_role("button", name="More", exact=True)
        ada.way(more, "ArrowDown", "ArrowRight", "ArrowRight")
        ada.keys("Enter", "ArrowDown")
        expect(ada.main.get_by_role("button", name="Report", exact=True)).to_be_focused()
        ada.keys("ArrowLeft", "ArrowDown")
        expect(ada.main.get_by_role("button", name="Report", exact=True)).to_be_focused()
        ada.keys("Escape")
        expect(more).to_be_focused()
        self.assertEqual(at, ada.page.url)

    @step
    def comments(self, ada: Player) -> None:
        """In a field of several lines keys move the caret, and leave it at its ends."""
        field = ada.main.get_by_label("Comment", exact=True)
        ada.way(field, *["ArrowDown"] * 4 * HARD)
        ada.page.keyboard.type("It")
        ada.keys("Enter")
        ada.page.keyboard.type("tilts")
        ada.keys("ArrowLeft", "ArrowLeft", "ArrowUp")
        expect(field).to_be_focused()
        ada.keys("Home", "ArrowUp")
        expect(field).not_to_be_focused()
        ada.keys("ArrowDown")
        expect(field).to_be_focused()
        send = ada.main.get_by_role("button", name="Comment", exact=True)
        ada.way(send, *["ArrowDown"] * HARD)
        with ada.answered("POST */comments"):
            ada.keys("Enter")
        expect(ada.main.get_by_role("article").filter(has_text="tilts")).to_be_visible()

    @step
    def returns(self, ada: Player) -> None:
        """Escape goes back, and the focus is where it was, also after a reload."""
        ada.keys("Escape")
        card = ada.main.get_by_role("article").get_by_role("link", name=self.title).first
        expect(card).to_be_focused()
        ada.page.reload()
        expect(card).to_be_focused()
        ada.keys("Escape")
        expect(ada.main.get_by_role("searchbox", name="Search", exact=True)).to_be_focused()

    async def test_fields(self) -> None:
        """Fields of all kinds are operated by arrow keys, Enter and Escape."""
        await self.comment(self.made, self.player)

        def journey(ada: Player) -> None:
            ada.page.set_viewport_size(SIZES[0])
            ada.enter(self.author, "/browse")
            self.led(ada)
            self.caret(ada)
            self.chooses(ada)
            self.checks(ada)
            self.tabs(ada)
            self.undoes(ada)

        await self.walk(journey)

    @step
    def led(self, ada: Player) -> None:
        """A notification of a comment leads to that comment, and the focus is in it."""
        ada.move("/notifications")
        link = ada.main.get_by_role("link", name=f"{self.player.username} commented on ")
        ada.way(link, *["ArrowDown"] * HARD)
        ada.keys("Enter")
        comment = ada.main.get_by_role("article").filter(has=ada.focused)
        expect(comment).to_contain_text(self.player.username)
        ada.move("/browse")

    @step
    def caret(self, ada: Player) -> None:
        """In a field of one line the keys to the sides move the caret, and the others leave it."""
        field = ada.main.get_by_role("searchbox", name="Search", exact=True)
        expect(field).to_be_focused()
        ada.page.keyboard.type("ab")
        ada.keys("ArrowLeft")
        self.assertEqual(1, field.evaluate("(field) => field.selectionStart"))
        ada.keys("ArrowRight", "ArrowRight")
        expect(field).to_be_focused()
        ada.keys("ArrowDown")
        expect(field).not_to_be_focused()
        ada.keys("ArrowUp")
        expect(field).to_be_focused()
        ada.keys("Backspace", "Backspace")

    @step
    def chooses(self, ada: Player) -> None:
        """A choice opens as a dialog with its values, which Escape closes; Enter takes one."""
        sort = ada.main.get_by_label("Sort by", exact=True)
        ada.way(sort, "ArrowDown")
        ada.keys("Enter")
        expect(ada.dialog.get_by_role("button", name="Newest", exact=True)).to_be_focused()
        ada.escape()
        expect(sort).to_be_focused()
        ada.keys("Enter")
        expect(ada.dialog.get_by_role("button", name="Newest", exact=True)).to_be_focused()
        ada.keys("ArrowDown", "ArrowDown", "Enter")
        ada.page.wait_for_url("**sort=top**")
        expect(sort).to_be_focused()
        expect(sort).to_have_value("top")

    @step
    def checks(self, ada: Player) -> None:
        """Enter ticks a box, once however long it is held."""
        box = ada.main.get_by_label("Featured", exact=True)
        ada.way(box, *["ArrowDown"] * HARD)
        ada.page.keyboard.down("Enter")
        ada.page.keyboard.down("Enter")
        ada.page.keyboard.up("Enter")
        ada.page.wait_for_url("**featured=true**")
        expect(box).to_be_checked()

    @step
    def tabs(self, ada: Player) -> None:
        """Keys to the sides turn tabs, and the others leave them."""
        ada.move(f"/user/{self.author.id}?tab=emblems")
        tab = ada.main.get_by_role("tab", name="Emblems", exact=True)
        ada.way(tab, *["ArrowDown"] * HARD)
        ada.keys("ArrowLeft")
        expect(ada.main.get_by_role("tab", name="Achievements", exact=True)).to_be_focused()
        ada.keys("ArrowLeft")
        ada.main.get_by_role("article").first.wait_for()
        ada.keys("ArrowDown")
        expect(ada.main.get_by_role("tab", name="Content", exact=True)).not_to_be_focused()

    @step
    def undoes(self, ada: Player) -> None:
        """What was taken away is put back: the next key to a side where nothing is leads there."""
        ada.move("/notifications")
        row = ada.main.get_by_role("listitem").filter(has_text=self.player.username)
        delete = row.get_by_role("button", name="Delete")
        # The page ends with a link too.
        ada.way(row.get_by_role("link").first, *["ArrowDown"] * HARD)
        ada.way(delete, *["ArrowRight"] * HARD)
        ada.keys("Enter")
        expect(row).to_have_count(0)
        undo = ada.page.get_by_role("button", name="Undo", exact=True)
        ada.way(undo, "ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown")
        ada.keys("Enter")
        expect(row).to_have_count(1)
        self.assertTrue(ada.focused.evaluate("(one) => !!one.closest('main')"))

    async def test_order(self) -> None:
        """A handle is taken by Enter, moved by arrow keys, and put down by Escape."""
        other = await self.content(self.author, name="Second")
        for one in (self.made, other):
            path = f"user/{self.player.id}/collections/{self.player.id}/items/{one.id}"
            await self.put(path, {}, by=self.player, expect=204)

        def journey(ada: Player) -> None:
            ada.enter(self.player, f"/collections/{self.player.id}")
            names = ada.main.get_by_role("article").get_by_role("heading")
            expect(names).to_have_count(2)
            before = names.all_inner_texts()
            handle = ada.main.get_by_role("button", name=f"Move {before[0]}", exact=True)
            ada.way(handle, *["ArrowDown"] * HARD)
            ada.keys("ArrowDown", "ArrowUp")
            expect(handle).to_be_focused()
            ada.keys("Enter")
            with ada.answered("PUT */items/*"):
                ada.keys("ArrowDown")
            expect(names).to_have_text(before[::-1])
            expect(handle).to_be_focused()
            ada.keys("Escape", "ArrowUp")
            expect(handle).not_to_be_focused()
            self.assertIn("/collections/", ada.page.url)

        await self.walk(journey)
