"""Descriptions and change notes with a shape, as visitors see them and authors write them
(docs/portal.md), and a name that is mended."""

from __future__ import annotations

from playwright.sync_api import Locator, Route, expect

from tests.contract.browser import step
from tests.portal.test_content import WIDE, ContentCase
from tests.portal.test_face import PHONE, SHIFTS, STILL
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import Content, User, name, word
from tests.spec.files.support import blob
from tests.support import daemon
from tests.support.pictures import png

PARSER = "**/vendor/markdown.js"
TEXT = """# How to play

Climb **it** with *friends*.
Or alone.

## Rules

- one `block`
- another

1. up
2. down

> Who falls, falls.

---

![Before it fell](screenshot:2) ![no picture](screenshot:9) ![elsewhere](https://a.example/b.png)

[Music](https://music.example/song) by <https://towers.example/>, [here](/browse), <b>bold</b>.
"""
HOSTILE = (
    """<script>alert(1)</script> <img src=x onerror=alert(1)> <a href="https://b.example">b</a>

[one](javascript:alert(1)) [two](data:text/html,x) [three](//evil.example) <javascript:alert(1)>

[bank](https://bank.example@evil.example/) <https://bank.example@evil.example/>
[\u202eelpmaxe.knab//:sptth](https://evil.example/) [https://bank.example/](https://evil.example/)
[pay](https://\u0430pple.com/) [port](http://evil.example:8080/)

"""
    + "> " * 100
    + "deep"
)
HOSTS = [
    *(("bank", "evil.example"), ("https://bank.example@evil.example/", "evil.example")),
    *(("\u202eelpmaxe.knab//:sptth", "evil.example"), ("https://bank.example/", "evil.example")),
    *(("pay", "xn--pple-43d.com"), ("port", "evil.example:8080")),
]
"""The links of this, and the host that stands after each."""


def text_of(who: Person) -> Locator:
    """The description."""
    return who.main.locator(".description")


class ShapedTests(ContentCase):
    """What visitors see."""

    async def shaped(self, description: str, **changes: str) -> Content:
        """Content with this description."""
        author = await self.user()
        files = [("tower.bin", blob(64))]
        return await self.made(author, files, description=description, **changes)

    async def test_shapes(self) -> None:
        """A description has the shape that its author has given it, below the name, and its links
        say where they lead; change notes have theirs below their heading."""
        made = await self.shaped(TEXT, revisionDescription="# Now\n\n- *faster*")

        def journey(ada: Person) -> None:
            ada.go(f"/content/{made.id}")
            self.parts(ada)
            self.links(ada)
            self.pictures(ada)
            self.notes(ada)

        await self.walk(journey)

    @step
    def parts(self, ada: Person) -> None:
        """Headings are one level below the name, and all else is what it is."""
        text = text_of(ada)
        expect(text.get_by_role("heading", name="How to play", level=2)).to_be_visible()
        expect(text.get_by_role("heading", name="Rules", level=3)).to_be_visible()
        expect(text.get_by_role("strong")).to_have_text("it")
        expect(text.get_by_role("emphasis")).to_have_text("friends")
        expect(text.get_by_role("code")).to_have_text("block")
        expect(text.get_by_role("listitem")).to_have_text(["one block", "another", "up", "down"])
        expect(text.get_by_role("blockquote")).to_have_text("Who falls, falls.")
        expect(text.get_by_role("separator")).to_have_count(1)
        lines = text.get_by_text("Climb").inner_text().splitlines()
        self.assertEqual(["Climb it with friends.", "Or alone."], lines)

    @step
    def links(self, ada: Person) -> None:
        """Links lead to http and https alone, in a new tab, with their host in brackets unless they
        are the address."""
        text = text_of(ada)
        links = text.get_by_role("link")
        expect(links).to_have_text(["Music", "https://towers.example/"])
        for link in links.all():
            self.assertEqual("nofollow noopener ugc", link.get_attribute("rel"))
            self.assertEqual("_blank", link.get_attribute("target"))
        expect(links.first).to_have_attribute("href", "https://music.example/song")
        expect(text).to_contain_text(
            "Music (music.example) by https://towers.example/, [here](/browse), <b>bold</b>."
        )

    @step
    def pictures(self, ada: Person) -> None:
        """A screenshot is shown; any other picture is what it is called."""
        text = text_of(ada)
        expect(text.get_by_role("img")).to_have_count(1)
        expect(text.get_by_role("img", name="Before it fell")).to_be_visible()
        expect(text).to_contain_text("no picture elsewhere")

    @step
    def notes(self, ada: Person) -> None:
        """Change notes are below the heading of the revisions."""
        notes = ada.main.get_by_role("list", name="Revisions")
        expect(notes.get_by_role("heading", name="Now", level=3)).to_be_visible()
        expect(notes.get_by_role("emphasis")).to_have_text("faster")

    async def test_hostile(self) -> None:
        """Nothing of a hostile text is run or asked for, and no link hides where it leads."""
        made = await self.shaped(HOSTILE)

        def journey(ada: Person) -> None:
            asked: list[str] = []
            ada.page.on("request", lambda request: asked.append(request.url))
            with ada.read():
                ada.go(f"/content/{made.id}")
                text_of(ada).wait_for()
            text = text_of(ada)
            for one in ("<script>alert(1)</script>", "<img src=x onerror=alert(1)>"):
                expect(text).to_contain_text(one)
            for one in ("[one](javascript:alert(1))", "<javascript:alert(1)>", "> > deep"):
                expect(text).to_contain_text(one)
            found = text.get_by_role("link").all()
            self.assertEqual([link for link, _ in HOSTS], [link.inner_text() for link in found])
            for link, (_, host) in zip(found, HOSTS, strict=True):
                beside = link.locator("xpath=following-sibling::*[1]")
                expect(beside).to_have_text(f"({host})")
            self.assertEqual(16, text.locator("blockquote").count())
            self.assertEqual([], [url for url in asked if not url.startswith(ada.base)])

        await self.walk(journey)

    async def test_lines(self) -> None:
        """Lines that end with a carriage return alone are no way around how many elements there
        may be."""
        made = await self.shaped("a\r" * 6_000)

        def journey(ada: Person) -> None:
            ada.go(f"/content/{made.id}")
            expect(text_of(ada).locator("br").first).to_be_attached()
            self.assertLessEqual(text_of(ada).locator("br").count(), 5_000)

        await self.walk(journey)

    async def test_still(self) -> None:
        """Nothing moves when the parser comes late, at any width."""
        made = await self.shaped(TEXT)

        def late(route: Route) -> None:
            ada_page = route.request.frame.page
            ada_page.wait_for_timeout(700)
            route.continue_()

        def journey(ada: Person) -> None:
            ada.page.add_init_script(SHIFTS)
            for size in (WIDE, {"width": 768, "height": 1024}, PHONE):
                with self.step(f"{size['width']}"):
                    ada.page.set_viewport_size(size)  # type: ignore[arg-type]
                    ada.page.route(PARSER, late)
                    with ada.read():
                        ada.go(f"/content/{made.id}")
                        text_of(ada).get_by_role("heading").first.wait_for()
                    self.assertLessEqual(ada.page.evaluate("shifts"), STILL)
                    ada.page.unroute_all()

        await self.walk(journey)

    async def test_unneeded(self) -> None:
        """A text without marks needs no parser, and neither does the first page; without the parser
        a text is shown as it is written."""
        plain, shaped = await self.shaped("Climb it.\nNow.\n\nBye."), await self.shaped(TEXT)

        def journey(ada: Person) -> None:
            asked: list[str] = []
            ada.page.on("request", lambda request: asked.append(request.url))
            for path in ("/", f"/content/{plain.id}"):
                with ada.read():
                    ada.go(path)
            expect(text_of(ada).locator("p")).to_have_text(["Climb it.Now.", "Bye."])
            self.assertEqual([], [url for url in asked if url.endswith("vendor/markdown.js")])
            ada.page.route(PARSER, lambda route: route.abort())
            ada.go(f"/content/{shaped.id}")
            expect(text_of(ada)).to_contain_text("Climb **it** with *friends*.")
            ada.spare("ERR_FAILED", "ERR_FAILED")

        await self.walk(journey)


class WritingTests(WalkCase):
    """What authors see."""

    async def test_writing(self) -> None:
        """Publishing and editing show a text beside the field, and Edit mends the name."""
        author = await self.user()

        def journey(ada: Person) -> None:
            ada.log_in(author, "/publish")
            self.publishing(ada)
            self.editing(ada)
            self.too_often(ada)

        await self.walk(journey)

    @step
    def publishing(self, ada: Person) -> None:
        """What is typed is shown in its shape, with a picture that is only chosen."""
        for field in ("Description", "Change notes"):
            preview = ada.main.get_by_role("region", name=f"Preview: {field}", exact=True)
            ada.main.get_by_label(field, exact=True).fill("# Tall\n\n**it** ![tip](screenshot:1)")
            expect(preview.get_by_role("heading", name="Tall", level=3)).to_be_visible()
            expect(preview.get_by_role("strong")).to_have_text("it")
            expect(preview.get_by_role("img")).to_have_count(0)
        ada.main.get_by_label("Screenshots", exact=True).set_input_files(
            {"name": "shot.png", "mimeType": "image/png", "buffer": png(64, 36)}
        )
        expect(preview.get_by_role("img", name="tip")).to_be_visible()
        ada.publish_here(name("Tower"))

    @step
    def editing(self, ada: Person) -> None:
        """Name and description are changed in one form, and shown at once."""
        ada.open("Manage")
        ada.press("Edit")
        title = name("Keep")
        ada.fill(Name=title, Description="## Now\n*leaning*")
        preview = ada.main.get_by_role("region", name="Preview: Description", exact=True)
        expect(preview.get_by_role("emphasis")).to_have_text("leaning")
        ada.press("Save")
        expect(ada.main.get_by_role("heading", name=title, level=1)).to_be_visible()
        expect(text_of(ada).get_by_role("heading", name="Now", level=3)).to_be_visible()
        ada.page.reload()
        expect(ada.main.get_by_role("heading", name=title, level=1)).to_be_visible()

    @step
    def too_often(self, ada: Person) -> None:
        """A name that was changed too often is refused beside its field, and an empty one is too;
        what else was changed is saved."""
        for _ in range(2):
            self.rename(ada, word())
            expect(button(ada.main, "Save")).to_have_count(0)
        self.rename(ada, " ")
        field = ada.main.get_by_label("Name", exact=True)
        expect(field).to_be_focused()
        ada.fill(Description="Leaning more.")
        with ada.answered("PUT */content/*/name"):
            self.rename(ada, word())
        expect(field).to_have_accessible_description(
            "This was renamed quite often lately. Try again in 24 h."
        )
        ada.spare("429")
        ada.page.reload()
        expect(text_of(ada)).to_have_text("Leaning more.")

    def rename(self, ada: Person, title: str) -> None:
        """Send another name."""
        ada.open("Manage")
        if not ada.main.get_by_label("Name", exact=True).count():
            ada.press("Edit")
        ada.fill(Name=title)
        ada.press("Save")


class PlainTests(WalkCase):
    """Where the option `markup` is `none`."""

    async def connect(self) -> None:
        self.own_daemon()
        environ = {"FILES": "local", "MARKUP": "none"}
        self.use(await daemon.shared("portal-plain", lambda: daemon.Daemon(environ=environ)))

    async def test_plain(self) -> None:
        """Texts are shown as they are, and there is no preview."""
        author: User = await self.user()

        def journey(ada: Person) -> None:
            ada.log_in(author, "/publish")
            expect(ada.main.get_by_role("region", name="Preview")).to_have_count(0)
            ada.publish_here(name("Tower"))
            ada.open("Manage")
            ada.press("Edit")
            ada.fill(Description="**a**\n# b")
            ada.press("Save")
            expect(text_of(ada)).to_have_text("**a**\n# b")
            expect(text_of(ada).get_by_role("heading")).to_have_count(0)

        await self.walk(journey)
