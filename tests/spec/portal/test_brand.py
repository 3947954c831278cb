"""The portal with a brand, and what it has without one."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import ClassVar

from tests.spec.client import Response
from tests.spec.harness import SpecCase
from tests.spec.portal.test_pages import BROWSER, HOSTILE, members
from tests.support import daemon, postgres

EMBEDDER = "https://game.example"
BRAND = """
name = "Sky & <b>forge</b>"
tagline = "Islands that \\"players\\" build"
logo = "logo.svg"
logo_dark = "dark.webp"
icon = "icon.png"
share = "share.webp"
[colours]
accent = {light = "#0b5d51", dark = "#ffcc66"}
back = {light = "#fafafa"}
[[links]]
label = {en = "Imprint <", de = "Impressum"}
url = "https://studio.example/imprint?a=1&b=%22"
[[links]]
label = "Rules"
url = "/browse?tags=rules"
[labels.types]
game = {en = "Island", de = "Insel"}
[labels.platforms]
win64 = "PC"
"""
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
WEBP = b"RIFF\x0c\x00\x00\x00WEBPVP8 "
PNG = b"\x89PNG\r\n\x1a\n and no more"
SHARE = b"RIFF\x0d\x00\x00\x00WEBPVP8 x"


def brand(text: str = BRAND) -> Path:
    """A folder with the file of a brand, and its pictures."""
    folder = postgres.new_folder()
    for name, data in (
        *(("logo.svg", SVG), ("dark.webp", WEBP)),
        *(("icon.png", PNG), ("share.webp", SHARE)),
    ):
        (folder / name).write_bytes(data)
    (folder / "brand.toml").write_text(text)
    return folder


class PagesCase(SpecCase):
    """Pages as a browser asks for them."""

    async def page(self, path: str = "/", expect: int = 200) -> Response:
        """A page."""
        return await self.request("GET", path, headers=BROWSER, expect=expect)

    async def policy(self, path: str) -> dict[str, str]:
        """The parts of the policy of a page."""
        found = await self.request("GET", path, headers=BROWSER)
        policy = found.header("Content-Security-Policy") or ""
        return dict(part.partition(" ")[::2] for part in policy.split("; "))

    async def start(self) -> str:
        """The path of the portal's files."""
        found = re.search(r'src="(\S*/portal/\w+)/main\.js"', (await self.page()).body.decode())
        assert found is not None
        return found[1]


class BrandTests(PagesCase):
    async def connect(self) -> None:
        self.own_daemon()

        def make() -> daemon.Daemon:
            path = str(brand() / "brand.toml")
            return daemon.Daemon(environ={"BRAND": path, "EMBED_ORIGINS": EMBEDDER})

        self.use(await daemon.shared("brand", make))

    async def test_titles(self) -> None:
        """Titles and Open Graph have the name, the first page the tagline; neither is markup."""
        found = (await self.page()).body.decode()
        title = "Discover \N{EN DASH} Sky &amp; &lt;b&gt;forge&lt;/b&gt;"
        self.assertIn(f"<title>{title}</title>", found)
        shown = members(await self.page())
        self.assertEqual("Sky & <b>forge</b>", shown["site_name"])
        self.assertEqual("Sky & <b>forge</b>", shown["title"])
        self.assertEqual('Islands that "players" build', shown["description"])
        content = await self.content(await self.user(), name="Tower")
        page = await self.page(f"/content/{content.id}")
        self.assertIn("<title>Tower \N{EN DASH} Sky &amp; ", page.body.decode())
        self.assertEqual("Sky & <b>forge</b>", members(page)["site_name"])
        docs = (await self.page("/docs")).body.decode()
        self.assertIn("<title>Sky &amp; &lt;b&gt;forge&lt;/b&gt;: the API</title>", docs)

    async def test_unnamed(self) -> None:
        """No page has the name of the software."""
        for path in ("/", "/browse", "/log-in", "/nowhere", "/manifest.webmanifest", "/robots.txt"):
            found = await self.request("GET", path, headers=BROWSER)
            self.assertNotIn("contentsvc", found.body.decode().lower(), path)

    async def test_service(self) -> None:
        """GET /service has the name, the links, and the labels where there are some."""
        found = (await self.get("service", expect=200)).json()
        self.assertEqual("Sky & <b>forge</b>", found["name"])
        self.assertEqual(
            [
                {
                    "label": {"en": "Imprint <", "de": "Impressum"},
                    "url": "https://studio.example/imprint?a=1&b=%22",
                },
                {"label": {"en": "Rules", "de": "Rules"}, "url": "/browse?tags=rules"},
            ],
            found["links"],
        )
        labels = {one["name"]: one["label"] for one in found["types"] + found["platforms"]}
        self.assertEqual({"en": "Island", "de": "Insel"}, labels["game"])
        self.assertEqual({"en": "Asset", "de": "Baustein"}, labels["asset"])
        self.assertEqual({"en": "PC", "de": "PC"}, labels["win64"])

    async def test_links(self) -> None:
        """Each page ends with the links, and the one to the form for notices, in each language."""
        for path, status in (("/", 200), ("/log-in", 200), ("/console", 200), ("/nowhere", 404)):
            found = (await self.page(path, status)).body.decode()
            footer = found.partition("<footer")[2].partition("</footer>")[0]
            links = re.findall(r'<a href="([^"]*)">(.*?)</a>', footer)
            self.assertEqual(
                ["https://studio.example/imprint?a=1&b=%22", "/browse?tags=rules", "/notice"],
                [unescape(url) for url, _ in links],
                path,
            )
            words = '<span lang="en">Imprint &lt;</span><span lang="de">Impressum</span>'
            notice = (
                '<span lang="en">Report illegal content</span>'
                '<span lang="de">Rechtswidrige Inhalte melden</span>'
            )
            self.assertEqual([words, "Rules", notice], [text for _, text in links])

    async def test_pictures(self) -> None:
        """Pictures lie below the digest, as what they are; one that is a page runs nothing."""
        start = await self.start()
        for name, media, data in (
            ("logo.svg", "image/svg+xml", SVG),
            ("logo-dark.webp", "image/webp", WEBP),
            ("icon.png", "image/png", PNG),
            ("share.webp", "image/webp", SHARE),
        ):
            found = await self.request("GET", f"{start}/brand/{name}", expect=200)
            self.assertEqual((media, data), (found.header("Content-Type"), found.body))
            self.assertEqual("nosniff", found.header("X-Content-Type-Options"))
            policy = (found.header("Content-Security-Policy") or "").split("; ")
            self.assertIn("sandbox", policy)
            self.assertIn("default-src 'none'", policy)
            self.assertIn("immutable", found.header("Cache-Control") or "")
        for name in ("brand/brand.toml", "brand/", "brand/../style.css", "brand/logo.png"):
            await self.request("GET", f"{start}/{name}", expect=404)

    async def test_shell(self) -> None:
        """A page uses them in its header, and as its icon."""
        found, start = (await self.page()).body.decode(), await self.start()
        header = found.partition("<header")[2].partition("</header>")[0]
        self.assertIn(f'<img src="{start}/brand/logo.svg" alt="Sky &amp; &lt;b', header)
        self.assertIn(f'<source srcset="{start}/brand/logo-dark.webp" media="(prefers-', header)
        self.assertIn(f'<link rel="icon" href="{start}/brand/icon.png" type="image/png">', found)

    async def test_icon(self) -> None:
        """/favicon.ico is the icon, with what keeps it a picture."""
        found = await self.request("GET", "/favicon.ico", expect=200)
        self.assertEqual(("image/png", PNG), (found.header("Content-Type"), found.body))
        self.assertIn("sandbox", found.header("Content-Security-Policy") or "")

    async def test_manifest(self) -> None:
        """The manifest has the name, the icon and the colours."""
        found = await self.request("GET", "/manifest.webmanifest", expect=200)
        self.assertEqual("application/manifest+json", found.header("Content-Type"))
        said = found.json()
        self.assertEqual("Sky & <b>forge</b>", said["name"])
        self.assertEqual('Islands that "players" build', said["description"])
        self.assertEqual("#0b5d51", said["theme_color"])
        self.assertEqual("#fafafa", said["background_color"])
        start = await self.start()
        icon = {"src": f"{start}/brand/icon.png", "type": "image/png"}
        self.assertEqual([icon], said["icons"])

    async def test_colours(self) -> None:
        """The style sheet has the colours, the portal's own where none is given, and black or white
        on the accent."""
        start = await self.start()
        style = (await self.request("GET", f"{start}/style.css", expect=200)).body.decode()
        for rule in (
            "--accent:light-dark(#0b5d51,#ffcc66);",
            "--back:light-dark(#fafafa,#12141a);",
            "--on-accent:light-dark(#ffffff,#000000);",
        ):
            self.assertIn(rule, style)

    async def test_frames(self) -> None:
        """The origins of the setting may have pages in a frame, but none where one could be made to
        press what matters."""
        for path in ("/", "/browse", "/log-in", "/nowhere"):
            self.assertEqual(EMBEDDER, (await self.policy(path))["frame-ancestors"], path)
        for path in (
            *("/console", "/console/reports", "/settings", "/account", "/register"),
            *("/Settings", "/settings/", "/%73ettings", "/CONSOLE/users"),
        ):
            self.assertEqual("'none'", (await self.policy(path))["frame-ancestors"], path)
        docs = await self.request("GET", "/docs", expect=200)
        self.assertIn("frame-ancestors 'none'", docs.header("Content-Security-Policy") or "")


class UnbrandedTests(PagesCase):
    """Without a brand."""

    LINKED: ClassVar = ("/manifest.webmanifest", "/favicon.ico", "/robots.txt")

    async def test_members(self) -> None:
        """A page that is shared says which site it is of, and what it shows."""
        for path, title in (("/", "contentsvc"), ("/browse", "Browse")):
            shown = members(await self.page(path))
            self.assertEqual(["contentsvc", title], [shown["site_name"], shown["title"]])
            self.assertTrue(shown["description"].startswith("Games, worlds and parts"), path)
            self.assertNotIn("image", shown)
        content = await self.content(await self.user(), name=HOSTILE)
        shown = members(await self.page(f"/content/{content.id}"))
        self.assertEqual("contentsvc", shown["site_name"])

    async def test_manifest(self) -> None:
        """There is a manifest with an icon, which a page may read."""
        said = (await self.request("GET", "/manifest.webmanifest", expect=200)).json()
        self.assertEqual("contentsvc", said["name"])
        (icon,) = said["icons"]
        found = await self.request("GET", icon["src"], expect=200)
        self.assertEqual(icon["type"], found.header("Content-Type"))
        self.assertEqual("'self'", (await self.policy("/"))["manifest-src"])
        self.assertIn('rel="manifest" href="/manifest', (await self.page()).body.decode())

    async def test_robots(self) -> None:
        """Search engines read what strangers see, and no place of one's own."""
        found = (await self.request("GET", "/robots.txt", expect=200)).body.decode()
        self.assertIn("User-agent: *\n", found)
        out = set(re.findall(r"^Disallow: (.*)$", found, re.MULTILINE))
        self.assertLessEqual({"/console", "/settings", "/messages"}, out)
        for path in ("/", "/browse", "/content/x", "/api/v1/content", "/portal/x/main.js"):
            self.assertFalse([one for one in out if path.startswith(one)], path)

    async def test_icon(self) -> None:
        """There is a /favicon.ico."""
        found = await self.request("GET", "/favicon.ico", expect=200)
        self.assertEqual("image/svg+xml", found.header("Content-Type"))

    async def test_frames(self) -> None:
        """No page is in a frame, and none ends with links but the one to the form for notices."""
        self.assertEqual("'none'", (await self.policy("/"))["frame-ancestors"])
        footer = (await self.page()).body.decode().partition("<footer")[2].partition("</footer>")[0]
        self.assertEqual(["/notice"], re.findall('href="([^"]*)"', footer))

    async def test_methods(self) -> None:
        """What stands beside the pages is read alone."""
        for path in self.LINKED:
            await self.request("HEAD", path, expect=200)
            self.problem(await self.request("POST", path), 405, "method_not_allowed")


class PathTests(PagesCase):
    """With a public URL, which has a path."""

    async def connect(self) -> None:
        self.own_daemon()

        def make() -> daemon.Daemon:
            path = str(brand() / "brand.toml")
            return daemon.Daemon(
                environ={"PUBLIC_URL": "https://play.example/games", "BRAND": path}
            )

        self.use(await daemon.shared("brand-path", make))

    async def test_paths(self) -> None:
        """What the portal is made of is below that path."""
        page = (await self.page()).body.decode()
        self.assertIn('href="/games/manifest.webmanifest"', page)
        self.assertIn('<img src="/games/portal/', page)
        said = (await self.request("GET", "/manifest.webmanifest", expect=200)).json()
        self.assertEqual(["/games/", "/games/"], [said["start_url"], said["scope"]])
        self.assertTrue(said["icons"][0]["src"].startswith("/games/portal/"), json.dumps(said))
        found = (await self.request("GET", "/robots.txt", expect=200)).body.decode()
        self.assertIn("Disallow: /games/console\n", found)
        self.assertEqual("https://play.example/games/", members(await self.page())["url"])

    async def test_picture(self) -> None:
        """A link to a place without a picture of its own shows what the brand has for links."""
        start = await self.start()
        picture = f"https://play.example{start}/brand/share.webp"
        author = await self.user()
        for path in ("/", "/browse", "/challenges", f"/user/{author.id}"):
            page = await self.page(path)
            self.assertEqual(picture, members(page)["image"], path)
            self.assertIn('content="summary_large_image"', page.body.decode(), path)
        content = await self.content(author, screenshotUris=["tower.png"])
        shown = members(await self.page(f"/content/{content.id}"))
        self.assertEqual("https://play.example/games/files/media/tower.png", shown["image"])

    async def test_canonical(self) -> None:
        """A page that anybody may find says its one address, without a query."""
        for path in ("/", "/browse", "/search", "/challenges"):
            found = (await self.page(f"{path}?q=tower")).body.decode()
            self.assertIn(f'<link rel="canonical" href="https://play.example/games{path}">', found)
