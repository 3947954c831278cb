"""The shell of the portal's places, and its files."""

from __future__ import annotations

import gzip
import json
import re
from html import escape, unescape

from tests.spec.client import Response
from tests.spec.data import guid
from tests.spec.harness import SpecCase
from tests.support import daemon

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
PLACES = (
    *("/", "/browse", "/challenges", "/notifications", "/friends", "/publish", "/settings"),
    *("/log-in", "/register", "/account", "/console", "/console/reports"),
    *(
        "/console/actions",
        "/console/challenges",
        "/console/featured",
        "/console/tags",
        "/console/users",
        f"/console/users/{guid()}",
    ),
    *("/console/reports/comment/7", f"/messages/{guid()}", f"/publish/{guid()}"),
)
HEAD, ANSWERS = 315, 25_100
"""Bytes of the head of an answer, and of the API's answers with a full page of content."""
PUBLIC = "https://play.example/games"
HOSTILE = '"><script>alert(1)</script>\u202e&amp;'


def members(page: Response) -> dict[str, str]:
    """The Open Graph members of a page."""
    found = re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', page.body.decode())
    return {name: unescape(value) for name, value in found}


class PagesTests(SpecCase):
    async def page(self, path: str, expect: int = 200, **headers: str) -> Response:
        """A page as a browser asks for it."""
        return await self.request("GET", path, headers=BROWSER | headers, expect=expect)

    async def test_places(self) -> None:
        """Each place without an id is the shell, which nobody keeps without asking."""
        for path in PLACES:
            found = await self.page(path)
            self.assertEqual("text/html; charset=utf-8", found.header("Content-Type"), path)
            self.assertEqual("no-cache", found.header("Cache-Control"), path)
            tag = {"If-None-Match": found.header("ETag") or ""}
            await self.page(path, 304, **tag)

    async def test_elsewhere(self) -> None:
        """A browser gets the shell for any other path, with 404; a program gets a problem."""
        for path in ("/nowhere", "/content/no-id", "/messages", "/browse/more", "/console/users/7"):
            found = await self.page(path, 404)
            self.assertIn("/main.js", found.body.decode(), path)
            self.problem(await self.request("GET", path), 404, "not_found")
        for path in ("/api/v1/nowhere", "/oauth/nowhere", "/health/nowhere", "/docs/nowhere"):
            self.problem(await self.page(path, 404), 404, "not_found")

    async def test_unfurlers(self) -> None:
        """What shows a shared link elsewhere accepts anything, and gets the page of a place; a
        program that asks for `/` gets what it did."""
        content = await self.content(await self.user(), name="Tower")
        for headers in ({}, {"Accept": "*/*"}):
            found = await self.request("GET", f"/content/{content.id}", headers=headers, expect=200)
            self.assertEqual("Tower", members(found)["title"])
            found = await self.request("GET", "/", headers=headers, expect=200)
            self.assertEqual("application/json", found.header("Content-Type"))

    async def test_policy(self) -> None:
        """A page loads scripts and styles of its own alone, and cannot be framed."""
        policy = (await self.page("/")).header("Content-Security-Policy") or ""
        rules = dict(rule.partition(" ")[::2] for rule in policy.split("; "))
        for name in ("default-src", "base-uri", "form-action", "frame-ancestors", "trusted-types"):
            self.assertEqual("'none'", rules[name])
        self.assertEqual(("'self'", "'self'"), (rules["script-src"], rules["style-src"]))
        self.assertEqual("same-origin", (await self.page("/")).header("Referrer-Policy"))

    async def test_language(self) -> None:
        """The shell names the texts of the first language of the visitor that there is, and of no
        other."""
        for asked, wanted in (
            ("de-AT,en;q=0.8", "de"),
            ("fr, DE;q=0.5", "de"),
            ("en-GB,de;q=0.8", "en"),
            ("fr", "en"),
            ("", "en"),
        ):
            found = await self.page("/", **{"Accept-Language": asked})
            self.assertEqual(
                {wanted}, set(re.findall(r"/texts/(\w+)\.js", found.body.decode())), asked
            )
            self.assertIn("Accept-Language", found.header("Vary") or "")
            self.assertIn(f'<html lang="{wanted}">', found.body.decode())

    async def test_files(self) -> None:
        """What the shell names is there, gzipped, and kept for ever; another digest is 404."""
        shell = (await self.page("/")).body.decode()
        named = sorted(set(re.findall(r'(?:href|src)="(/portal/[^"]+)"', shell)))
        self.assertGreater(len(named), 5)
        for path in named:
            headers = {"Accept-Encoding": "gzip"}
            found = await self.request("GET", path, headers=headers, expect=200)
            self.assertIn("immutable", found.header("Cache-Control") or "", path)
            self.assertEqual("nosniff", found.header("X-Content-Type-Options"), path)
        digest = named[0].split("/")[2]
        for path in (
            named[0].replace(digest, "0" * len(digest)),
            "/portal/",
            f"/portal/{digest}/x",
        ):
            await self.request("GET", path, expect=404)

    async def test_weight(self) -> None:
        """What the first page needs is under 95 KB over the wire, in each language."""
        for language in ("en", "de"):
            found = await self.page("/", **{"Accept-Language": language})
            total = len(gzip.compress(found.body)) + ANSWERS
            for path in set(re.findall(r'(?:href|src)="(/portal/[^"]+)"', found.body.decode())):
                answer = await self.request("GET", path, expect=200)
                total += len(gzip.compress(answer.body)) + HEAD
            self.assertLess(total, 95_000, language)

    async def test_methods(self) -> None:
        """Pages are read only."""
        self.problem(await self.request("POST", "/browse", data={}), 404, "not_found")

    async def test_preview(self) -> None:
        """A link to content, a user or a challenge shows what a stranger sees of it; without a
        public URL it names no host."""
        author = await self.user()
        content = await self.content(author, name=HOSTILE, description=f"{HOSTILE}\n{'x' * 300}")
        found = await self.page(f"/content/{content.id}")
        shown = members(found)
        self.assertEqual(HOSTILE, shown["title"])
        self.assertNotIn(HOSTILE, found.body.decode())
        self.assertIn(escape(HOSTILE), found.body.decode())
        self.assertEqual(200, len(shown["description"]))
        self.assertNotIn("url", shown)
        person = members(await self.page(f"/user/{author.id.upper()}"))
        self.assertEqual(author.username, person["title"])

    async def test_preview_marks(self) -> None:
        """Of content, a link shows the description without its marks."""
        text = "# Tall\n\nClimb **it** with [friends](https://a.example), <b>now</b>."
        content = await self.content(await self.user(), description=text)
        shown = members(await self.page(f"/content/{content.id}"))
        self.assertEqual("Tall Climb it with friends, <b>now</b>.", shown["description"])

    async def test_collection(self) -> None:
        """A link to a public collection shows its name; a private one is 404."""
        owner, id = await self.user(), guid()
        body = {"name": HOSTILE, "description": "Tall things.", "public": True}
        path = f"user/{owner.id}/collections/{id}"
        await self.put(path, body, by=owner, expect=204)
        shown = members(await self.page(f"/collections/{id}"))
        self.assertEqual([HOSTILE, "Tall things."], [shown["title"], shown["description"]])
        await self.put(path, body | {"public": False}, by=owner, expect=204)
        self.assertEqual({}, members(await self.page(f"/collections/{id}", 404)))

    async def test_unlisted(self) -> None:
        """Search engines list what strangers find in lists, and no other page."""
        author = await self.user()
        public = await self.content(author)
        unlisted = await self.content(author, visibility="unlisted")
        gone = f"/content/{guid()}"
        for path, status, listed in (
            *((path, 200, True) for path in ("/", "/browse", "/challenges", "/notice")),
            *(
                (path, 200, False)
                for path in ("/search", "/log-in", "/register", "/settings", "/console")
            ),
            (f"/content/{public.id}", 200, True),
            (f"/content/{public.id}/statistics", 200, False),
            (f"/content/{unlisted.id}", 200, False),
            (f"/user/{author.id}", 200, True),
            (gone, 404, False),
            ("/nowhere", 404, False),
        ):
            found = (await self.page(path, status)).body.decode()
            self.assertEqual(not listed, '<meta name="robots" content="noindex">' in found, path)

    async def test_scriptless(self) -> None:
        """A page says what it shows to whoever runs no script: of content its name, its text, and
        its author; of the first page where to go on."""
        author = await self.user()
        content = await self.content(author, name=HOSTILE, description="Tall.")
        found = await self.scriptless(f"/content/{content.id}")
        self.assertIn(f'<h1 dir="auto">{escape(HOSTILE)}</h1>', found)
        self.assertIn(f'<a href="/user/{author.id}"><bdi>{author.username}</bdi></a>', found)
        self.assertIn('<p dir="auto">Tall.</p>', found)
        self.assertIn(author.username, await self.scriptless(f"/user/{author.id}"))
        for path in ("/", "/browse"):
            links = re.findall('href="([^"]*)"', await self.scriptless(path))
            self.assertEqual(["/browse", "/challenges"], links)

    async def scriptless(self, path: str) -> str:
        """What a page has for those that run no script."""
        (found,) = re.findall("<noscript>(.*?)</noscript>", (await self.page(path)).body.decode())
        return str(found)

    async def test_rated(self) -> None:
        """The data for search engines have the votes of content."""
        author = await self.user()
        content = await self.content(author, name=HOSTILE)
        await self.rate(await self.user(), content, "1")
        text = (await self.page(f"/content/{content.id}")).body.decode()
        (data,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', text)
        said = json.loads(data)
        self.assertEqual([HOSTILE, author.username], [said["name"], said["author"]["name"]])
        self.assertEqual(1, said["aggregateRating"]["ratingCount"])

    async def test_below(self) -> None:
        """A place below content has a page whoever asks, and shows nothing of it."""
        content = await self.content(await self.user(), name="Secret tower")
        found = await self.page(f"/content/{content.id}/statistics")
        self.assertEqual({}, members(found))

    async def test_hidden(self) -> None:
        """What a stranger does not see is 404 with the shell, without a word of it."""
        content = await self.content(await self.user(), name="Secret tower")
        await self.moderate(content, "suspended")
        for path in (f"/content/{content.id}", f"/user/{guid()}", f"/challenges/{guid()}"):
            found = await self.page(path, 404)
            self.assertEqual({}, members(found), path)
            self.assertIn("/main.js", found.body.decode())
            self.assertNotIn("Secret", found.body.decode())


class PublicTests(SpecCase):
    """With a public URL, which has a path."""

    async def connect(self) -> None:
        self.own_daemon()
        environ = {"PUBLIC_URL": PUBLIC, "FILES": "local"}
        self.use(await daemon.shared("portal-public", lambda: daemon.Daemon(environ=environ)))

    async def test_urls(self) -> None:
        """Links and files are below the public URL, whatever Host says."""
        content = await self.content(await self.user(), screenshotUris=["one two.png"])
        headers = BROWSER | {"Host": "evil.example"}
        found = await self.request("GET", f"/content/{content.id}", headers=headers, expect=200)
        shown = members(found)
        self.assertEqual(f"{PUBLIC}/content/{content.id}", shown["url"])
        self.assertEqual(f"{PUBLIC}/files/media/one%20two.png", shown["image"])
        self.assertIn('src="/games/portal/', found.body.decode())
        self.assertNotIn("evil.example", found.body.decode())

    async def test_collection(self) -> None:
        """A link to a collection shows the picture of the first of its content that is public."""
        owner, id = await self.user(), guid()
        path = f"user/{owner.id}/collections/{id}"
        await self.put(path, {"name": "Tall", "public": True}, by=owner, expect=204)
        for more in ({"visibility": "unlisted"}, {}):
            content = await self.content(owner, screenshotUris=[f"{len(more)}.png"], **more)
            await self.put(f"{path}/items/{content.id}", {}, by=owner, expect=204)
        found = await self.request("GET", f"/collections/{id}", headers=BROWSER, expect=200)
        self.assertEqual(f"{PUBLIC}/files/media/0.png", members(found)["image"])

    async def test_paths(self) -> None:
        """conventions#answers: paths of Location and Link begin with that of the public URL, and
        so do those of /openapi.json."""
        user = await self.user()
        made = [await self.content(user) for _ in range(2)]
        body = {"body": "Well made"}
        told = await self.post(f"{made[0].path}/comments", body, by=user, expect=201)
        location = told.header("Location") or ""
        self.assertTrue(location.startswith(f"/games/api/v1/{made[0].path}/comments/"), location)
        found = await self.get(f"content?author={user.id}&limit=1", expect=200)
        link = found.header("Link") or ""
        self.assertTrue(link.startswith("</games/api/v1/content?"), link)
        document = (await self.request("GET", "/openapi.json", expect=200)).json()
        self.assertEqual([{"url": "/games"}], document["servers"])
        flow = document["components"]["securitySchemes"]["password"]["flows"]["password"]
        self.assertEqual({"/games/oauth/token"}, {flow["tokenUrl"], flow["refreshUrl"]})


class OffTests(SpecCase):
    """Without the portal."""

    async def connect(self) -> None:
        self.own_daemon()
        environ = {"PORTAL": "no"}
        self.use(await daemon.shared("portal-off", lambda: daemon.Daemon(environ=environ)))

    async def test_off(self) -> None:
        """`/` leads a browser to the documentation, and there are no pages."""
        for method in ("GET", "HEAD"):
            found = await self.request(method, "/", headers=BROWSER, expect=303)
            self.assertEqual("/docs", found.header("Location"))
        for path in ("/browse", f"/content/{guid()}", "/portal/x/main.js"):
            found = await self.request("GET", path, headers=BROWSER, expect=404)
            self.problem(found, 404, "not_found")
