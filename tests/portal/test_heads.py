"""The heads of the pages."""

from __future__ import annotations

import json
import re
from html import escape, unescape

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.config.brand import Brand, Picture
from contentsvc.portal.heads import UNLISTED, Heads
from contentsvc.portal.previews import Author, Preview, Rating

SITE, MEDIA, FILES = "https://play.example", "https://media.example", "https://play.example/p"
SVG, PNG = Picture("svg", "image/svg+xml", b""), Picture("png", "image/png", b"")
PATH = "/content/12345678-9abc-def0-1234-56789abcdef0"
HOSTILE = "</script></noscript><!--<script>]]>\"'&\u2028\u0001\u202e{title}"
AUTHOR = Author("12345678-9abc-def0-1234-56789abcdef1", HOSTILE)


def heads(**pictures: Picture) -> Heads:
    """Those of a brand with these pictures."""
    return Heads(Brand("Kitea", pictures=pictures), SITE, MEDIA, FILES)


def values(head: str) -> dict[str, str]:
    """What the members of a head say, by their names."""
    found = re.findall(r'<meta (?:property|name)="([\w:]+)" content="([^"]*)">', head)
    return {name: unescape(value) for name, value in found}


class PictureTests(SynchronousTestCase):
    def test_brand(self) -> None:
        """A place shows the brand's picture for links, large; else its icon or logo, small, but no
        SVG."""
        for pictures, shown, card in (
            ({"share": PNG, "icon": PNG}, "share.png", "summary_large_image"),
            ({"icon": PNG, "logo": PNG}, "icon.png", "summary"),
            ({"icon": SVG, "logo": PNG}, "logo.png", "summary"),
        ):
            found = values(heads(**pictures).of_place("/browse", "en")[1])
            self.assertEqual(found["og:image"], f"{FILES}/brand/{shown}")
            self.assertEqual(found["twitter:card"], card)
        self.assertNotIn("og:image", values(heads(icon=SVG).of_place("/", "en")[1]))

    def test_own(self) -> None:
        """A page with a picture of its own shows that one: a screenshot large, an avatar small."""
        for path, card in ((PATH, "summary_large_image"), ("/user/7", "summary")):
            head = heads(share=PNG).of_thing(Preview("Ada", "", "a b.png"), path, "en")[1]
            self.assertEqual(values(head)["og:image"], f"{MEDIA}/a%20b.png")
            self.assertEqual(values(head)["twitter:card"], card)


class MemberTests(SynchronousTestCase):
    def test_kinds(self) -> None:
        """Content is an article, a user a profile, and all else a website."""
        shown = Preview("Ada", "", "")
        for path, kind in (
            *((PATH, "article"), ("/user/7", "profile")),
            *(("/challenges/7", "website"), ("/collections/7", "website")),
        ):
            found = values(heads().of_thing(shown, path, "en")[1])
            self.assertEqual(found["og:type"], kind, path)
        self.assertEqual(values(heads().of_place("/", "en")[1])["og:type"], "website")

    def test_locales(self) -> None:
        """A head names its language."""
        for language, locale in (("en", "en_GB"), ("de", "de_DE")):
            found = values(heads().of_place("/browse", language)[1])
            self.assertEqual(found["og:locale"], locale)

    def test_described(self) -> None:
        """A picture has a text: the name of what it shows."""
        for image, text in (("a.png", "Tower"), ("", "Kitea")):
            head = heads(share=PNG).of_thing(Preview("Tower", "", image), PATH, "en")[1]
            self.assertEqual(values(head)["og:image:alt"], text)
        self.assertNotIn("og:image:alt", values(heads().of_place("/", "en")[1]))

    def test_first(self) -> None:
        """The first page is titled as the portal titles it, and shared as the site."""
        title, members, _ = heads().of_place("/", "de")
        self.assertEqual(title, "Entdecken \N{EN DASH} Kitea")
        self.assertEqual(values(members)["og:title"], "Kitea")

    def test_searches(self) -> None:
        """No search engine lists a search."""
        self.assertIn(UNLISTED, heads().of_place("/search", "en")[1])
        self.assertNotIn(UNLISTED, heads().of_place("/browse", "en")[1])


class WorkTests(SynchronousTestCase):
    def data(self, shown: Preview, path: str = PATH) -> str:
        """The data of a page for search engines, "" without any."""
        head = heads(share=PNG).of_thing(shown, path, "en")[1]
        start, _, data = head.partition('<script type="application/ld+json">')
        self.assertNotIn("<script", start)
        text, end, rest = data.partition("</script>")
        self.assertNotIn("script", rest)
        self.assertEqual(bool(data), bool(end))
        return text

    def test_content(self) -> None:
        """Content says its author, its picture and how it is rated."""
        found = json.loads(
            self.data(Preview("Tower", "Tall.", "a.png", True, Author("7", "ada"), Rating(0.75, 4)))
        )
        self.assertEqual(found.pop("@context"), "https://schema.org")
        rating = found.pop("aggregateRating")
        self.assertEqual((rating["ratingValue"], rating["ratingCount"]), (0.75, 4))
        self.assertEqual((rating["worstRating"], rating["bestRating"]), (0, 1))
        wanted = {
            "@type": "CreativeWork",
            "name": "Tower",
            "description": "Tall.",
            "image": f"{MEDIA}/a.png",
            "url": f"{SITE}{PATH}",
            "author": {"@type": "Person", "name": "ada"},
        }
        self.assertEqual(found, wanted)

    def test_unrated(self) -> None:
        """What nobody has rated says no rating."""
        found = json.loads(self.data(Preview("Tower", "", "", True, None, Rating(0, 0))))
        self.assertEqual(set(found), {"@context", "@type", "name", "url"})

    def test_others(self) -> None:
        """What is unlisted, and what is no content, has no such data."""
        self.assertEqual(self.data(Preview("Tower", "", "", listed=False)), "")
        self.assertEqual(self.data(Preview("Tower", "", ""), "/user/7"), "")

    def test_hostile(self) -> None:
        """What people have written ends neither the data nor a line of it."""
        text = self.data(Preview(HOSTILE, HOSTILE, "", True, AUTHOR))
        for sign in "<>&\u2028\u0001\n":
            self.assertNotIn(sign, text)
        found = json.loads(text)
        self.assertEqual([found["name"], found["author"]["name"]], [HOSTILE, HOSTILE])


class BodyTests(SynchronousTestCase):
    def test_place(self) -> None:
        """Who runs no script reads what the site is, and where to go on, below its path."""
        page = Heads(Brand("Ki<tea"), SITE, MEDIA, FILES, "/games").of_place("/", "de").body
        self.assertIn("<h1>Ki&lt;tea</h1>", page)
        self.assertIn('<a href="/games/browse">Stöbern</a>', page)
        self.assertIn('<a href="/games/challenges">Wettbewerbe</a>', page)

    def test_thing(self) -> None:
        """Who runs no script reads the name, the author and the text of a thing, and sees its
        picture."""
        shown = Preview("Tower", "Tall.", "a b.png", True, Author("7", "ada"))
        self.assertEqual(
            heads(share=PNG).of_thing(shown, PATH, "en").body,
            '<h1 dir="auto">Tower</h1><p><a href="/user/7"><bdi>ada</bdi></a></p>'
            f'<p><img src="{MEDIA}/a%20b.png" alt="Tower"></p><p dir="auto">Tall.</p>',
        )

    def test_bare(self) -> None:
        """What has neither text, author nor picture has its name alone."""
        body = heads(share=PNG).of_thing(Preview("Tower", "", ""), "/user/7", "en").body
        self.assertEqual(body, '<h1 dir="auto">Tower</h1>')

    def test_hostile(self) -> None:
        """What people have written is no markup."""
        shown = Preview(HOSTILE, HOSTILE, 'a.png"><script>', True, AUTHOR)
        body = heads().of_thing(shown, PATH, "en").body
        self.assertEqual(body.count(escape(HOSTILE)), 4)
        self.assertEqual(re.findall(r"<(\w+)", body), ["h1", "p", "a", "bdi", "p", "img", "p"])
