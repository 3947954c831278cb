"""The portal with a brand, as people see it: its logo, its words, its colours, and in a frame."""

from __future__ import annotations

from playwright.sync_api import Route, expect
from twisted.internet import reactor
from twisted.web.resource import Resource
from twisted.web.server import Site
from twisted.web.static import Data

from tests.contract.browser import EMPTY, step
from tests.portal.test_accessibility import AxeCase
from tests.portal.test_face import PHONE, SHIFTS, SMALL, STILL
from tests.portal.walk import Person, WalkCase
from tests.spec.challenges.support import ChallengeCase
from tests.support import daemon
from tests.support.daemon import ROOT

SAMPLE = ROOT / "etc/brand.sample"
LOGO = """
() => {
    const shown = document.querySelector(".brand img");
    return [shown.currentSrc.split("/").at(-1), shown.naturalWidth > 0, shown.offsetWidth];
}
"""
FRAME = """
(url) => {
    const frame = Object.assign(document.createElement("iframe"), { src: url });
    frame.style = "width: 1200px; height: 800px";
    document.body.replaceChildren(frame);
}
"""
COLOUR = "() => getComputedStyle(document.body).backgroundColor"

UNFRAMED = """
() => new Promise((done) => {
    const look = () => frames.length && !frames[0].length ? done() : setTimeout(look, 20);
    look();
})
"""
"""Comes back when a frame has none in it: the policy forbids the waiting of a browser."""


class SampleTests(AxeCase, ChallengeCase):
    """The sample of a brand."""

    file = SAMPLE / "brand.toml"

    async def connect(self) -> None:
        self.own_daemon()
        environ = {"FILES": "local", "BRAND": str(self.file)}
        name = f"portal-{self.file.stem}"
        self.use(await daemon.shared(name, lambda: daemon.Daemon(environ=environ)))

    async def test_brand(self) -> None:
        """A visitor finds the brand on each page, in the language and the theme of theirs."""
        author = await self.user()
        for _ in range(3):
            await self.content(author)

        def journey(ada: Person) -> None:
            self.says(ada)
            self.ends(ada)
            self.changes(ada)
            self.forced(ada)
            self.still(ada)

        await self.walk(journey)

    @step
    def says(self, ada: Person) -> None:
        """The header, the title and the first page have the name, the first page the tagline."""
        ada.go("/")
        home = ada.header.get_by_role("link", name="Kitea", exact=True)
        expect(home.get_by_role("img", name="Kitea", exact=True)).to_be_visible()
        ada.main.get_by_role("heading", name="Kitea", level=1, exact=True).wait_for()
        expect(ada.main.get_by_text("Islands in the wind")).to_be_visible()
        expect(ada.page).to_have_title("Discover \N{EN DASH} Kitea")
        ada.go("/browse")
        expect(ada.page).to_have_title("Browse \N{EN DASH} Kitea")
        ada.main.get_by_label("Type", exact=True).select_option(label="Island")
        self.assertIn("game", ada.page.url)

    @step
    def ends(self, ada: Person) -> None:
        """Each page ends with the studio's links, in the language that is read."""
        for path in ("/log-in", "/settings"):
            ada.go(path)
            footer = ada.page.get_by_role("contentinfo")
            names = ["Play Kitea", "Imprint", "Privacy", "Report illegal content"]
            expect(footer.get_by_role("link")).to_have_text(names, use_inner_text=True)
        imprint = footer.get_by_role("link", name="Imprint", exact=True)
        self.assertEqual("https://kitea.example/imprint", imprint.get_attribute("href"))
        ada.main.get_by_label("Language", exact=True).select_option("de")
        expect(footer.get_by_role("link", name="Impressum", exact=True)).to_be_visible()
        expect(footer.get_by_role("link", name="Imprint", exact=True)).to_have_count(0)
        ada.main.get_by_label("Sprache", exact=True).select_option("en")
        ada.main.get_by_role("heading", name="Settings", level=1).wait_for()

    @step
    def changes(self, ada: Person) -> None:
        """The theme that the visitor chooses changes the logo and the colours, whatever the system
        says, and after a reload."""
        ada.page.emulate_media(color_scheme="light")
        ada.go("/settings")
        choice = ada.main.get_by_label("Theme", exact=True)
        for theme, logo, colour in (
            ("dark", "logo-dark.svg", "rgb(26, 20, 46)"),
            ("light", "logo.svg", "rgb(253, 246, 233)"),
        ):
            choice.select_option(theme)
            for _ in range(2):
                with ada.read():
                    pass
                self.assertEqual([logo, True, 144], ada.page.evaluate(LOGO))
                self.assertEqual(colour, ada.page.evaluate(COLOUR))
                with ada.read():
                    ada.page.reload()
                choice.wait_for()
        choice.select_option("system")
        ada.page.emulate_media(color_scheme="dark")
        with ada.read():
            pass
        self.assertEqual("logo-dark.svg", ada.page.evaluate(LOGO)[0])
        ada.page.emulate_media(color_scheme="light")

    @step
    def forced(self, ada: Person) -> None:
        """With the system's colours, the header has the name: a logo may be drawn for others."""
        ada.page.emulate_media(forced_colors="active")
        home = ada.header.get_by_role("link", name="Kitea", exact=True)
        expect(home.get_by_text("Kitea", exact=True)).to_be_visible()
        expect(home.get_by_role("img")).to_have_count(0)
        ada.page.emulate_media(forced_colors="none")

    @step
    def still(self, ada: Person) -> None:
        """Nothing moves when the logo comes, and a thumb finds what it presses."""
        ada.page.add_init_script(SHIFTS)

        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        ada.page.route("**/brand/*", hold)
        for size in ({"width": 1440, "height": 900}, {"width": 1100, "height": 900}, PHONE):
            ada.page.set_viewport_size(size)
            ada.page.goto(ada.base + "/", wait_until="commit")
            ada.main.get_by_role("article").first.wait_for()
            while held:
                held.pop().continue_()
            ada.page.locator(".brand img").evaluate("(logo) => logo.decode()")
            self.assertLessEqual(ada.page.evaluate("shifts"), STILL)
        self.assertEqual([], ada.page.evaluate(SMALL))
        ada.page.unroute_all()

    async def test_places(self) -> None:
        """axe-core finds nothing on places with it, dark and light, wide and narrow."""
        await self.content(await self.user())

        def journey(ada: Person) -> None:
            ada.register("/publish")
            self.look(ada, ("/", "/browse", "/settings", "/publish", "/library", "/notifications"))

        await self.walk(journey)


class OtherTests(SampleTests):
    """The other sample."""

    file = SAMPLE / "night.toml"

    async def test_brand(self) -> None:
        """It has its own name, logo and colours."""

        def journey(ada: Person) -> None:
            ada.go("/")
            ada.main.get_by_role("heading", name="Nyx Vale", level=1).wait_for()
            expect(ada.header.get_by_role("img", name="Nyx Vale")).to_be_visible()
            ada.page.emulate_media(color_scheme="dark")
            self.assertEqual("rgb(8, 13, 11)", ada.page.evaluate(COLOUR))

        await self.walk(journey)


class FrameTests(WalkCase):
    """The portal in a frame of another page, whose origin the setting names."""

    apart = True

    async def connect(self) -> None:
        self.own_daemon()
        port = daemon.free_port()
        self.around = f"http://localhost:{port}/"
        root = Resource()
        root.putChild(b"", Data(EMPTY, "text/html"))
        self.addCleanup(reactor.listenTCP(port, Site(root), interface="127.0.0.1").stopListening)
        environ = {"FILES": "local", "EMBED_ORIGINS": self.around[:-1]}
        service = daemon.Daemon(environ=environ)
        self.addCleanup(service.stop)
        await service.start()
        self.use(service)

    async def test_frame(self) -> None:
        """Its places are shown there; what matters opens in a tab of its own, and so does what is
        elsewhere."""

        def journey(ada: Person) -> None:
            ada.page.goto(self.around)
            ada.page.evaluate(FRAME, f"{ada.base}/challenges")
            frame = ada.page.frame_locator("iframe")
            frame.get_by_role("heading", name="Challenges", level=1).wait_for()
            frame.get_by_role("link", name="Browse", exact=True).click()
            frame.get_by_role("heading", name="Browse", level=1).wait_for()
            for name, path in (("Settings", "/settings"), ("Register", "/register")):
                with self.step(name), ada.page.context.expect_page() as opened:
                    frame.get_by_role("banner").get_by_role("link", name=name).click()
                    expect(opened.value).to_have_url(f"{ada.base}{path}")
                    opened.value.get_by_role("heading", name=name, level=1).wait_for()
                    frame.get_by_role("heading", name="Browse", level=1).wait_for()
            with self.step("not in a frame"):
                ada.page.evaluate(FRAME, f"{ada.base}/settings")
                ada.page.evaluate(UNFRAMED)
                expect(frame.get_by_role("heading", name="Settings")).to_have_count(0)
                ada.spare("frame-ancestors")

        await self.walk(journey)
