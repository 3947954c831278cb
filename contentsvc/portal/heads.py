"""The head of a page: its title, and what search engines and those who show a shared link read.
With it comes what those see that run no script: the same in short, and where to go on."""

from collections.abc import Mapping
from html import escape
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from msgspec import json

from contentsvc.config.brand import Brand
from contentsvc.framework.config.toml_files import Label
from contentsvc.portal import face
from contentsvc.portal.previews import Preview

LEAD: Final = Label(
    "Games, worlds and parts that players make. Play them, build on them, share your own.",
    "Spiele, Welten und Bausteine aus der Community. Spiel sie, bau auf ihnen auf, teil deine "
    "eigenen.",
)
"""What the site is, where neither its brand nor the page itself says so."""
TITLES: Final[Mapping[str, Label]] = {
    "/": Label("Discover", "Entdecken"),
    "/browse": Label("Browse", "Stöbern"),
    "/search": Label("Search", "Suche"),
    "/challenges": Label("Challenges", "Wettbewerbe"),
    "/legal": Label("Contacts and terms", "Kontakte und Nutzungsbedingungen"),
    "/notice": Label("Report illegal content", "Rechtswidrige Inhalte melden"),
}
"""The places that anybody may find, beside those of one thing."""
_ONWARD: Final = ("/browse", "/challenges")
"""Where those go on that run no script."""
_UNLISTED: Final = frozenset({"/search"})
"""Those of them that are nothing without what somebody looks for."""
_ABOUT: Final[Mapping[str, Label]] = {
    "/challenges": Label(
        "Build for a theme, enter what you have made, and win rewards.",
        "Bau etwas zu einem Thema, nimm damit teil und gewinne Preise.",
    ),
    "/legal": Label(
        "Who to write to, and the terms of use.", "Wer zuständig ist, und die Nutzungsbedingungen."
    ),
    "/notice": Label(
        "Report here what is against the law. You need no account.",
        "Melde hier, was rechtswidrig ist. Du brauchst kein Konto.",
    ),
}
_WITH_SCREENSHOTS: Final = ("/content/", "/collections/")
_LOCALES: Final = {"en": "en_GB", "de": "de_DE"}
_KINDS: Final = {"content": "article", "user": "profile"}
"""What Open Graph calls the things of these places; the others are websites to it."""
SCRIPT_NEEDED: Final = Label("This page needs JavaScript.", "Diese Seite braucht JavaScript.")
UNLISTED: Final = '<meta name="robots" content="noindex">\n'
"""No search engine lists a page with this."""
_IN_SCRIPT: Final = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
"""What JSON in a page has instead of the signs that could end it, or a line of it."""


class Head(NamedTuple):
    """The title of a page, and what else its head says. `body` is for those that run no script."""

    title: str
    members: str
    body: str = ""


class Heads:
    """Makes the heads of the pages.

    `public_url` is the URL of the service, `media_url` that of the pictures, and `files` that of
    the portal's files; "" where they are not known: the host of a request is not to be believed.
    `base` is the path of the portal.
    """

    def __init__(
        self, brand: Brand | None, public_url: str, media_url: str, files: str, base: str = ""
    ) -> None:
        self._site = face.site_name(brand)
        self._tagline = "" if brand is None else brand.tagline
        self._public_url = public_url
        self._media_url = media_url
        picture = face.shared(brand)
        self._picture = f"{files}/{picture}" if files and picture else ""
        self._wide = brand is not None and "share" in brand.pictures
        self._base = base

    def of_place(self, path: str, language: str) -> Head:
        """That of this place."""
        if path not in TITLES:
            return self.nowhere()
        title = _in(TITLES[path], language)
        about = _in(_ABOUT[path], language) if path in _ABOUT else self._about(language)
        links = [(self._base + other, _in(TITLES[other], language)) for other in _ONWARD]
        # A link to the first page is one to the whole site.
        name = self._site if path == "/" else title
        return Head(
            self._titled(title),
            (UNLISTED if path in _UNLISTED else "")
            + self._members(name, about, self._picture, path, language),
            _place_in_short(name, about, links),
        )

    def of_thing(self, shown: Preview, path: str, language: str) -> Head:
        """That of the page of this content, user, challenge or collection."""
        about = shown.text or self._about(language)
        own = f"{self._media_url}/{quote(shown.image)}" if self._media_url and shown.image else ""
        members = self._members(shown.title, about, own or self._picture, path, language)
        if not shown.listed:
            members = UNLISTED + members
        elif path.startswith("/content/"):
            members += self._work(shown, own, path)
        return Head(self._titled(shown.title), members, _thing_in_short(shown, self._base, own))

    def nowhere(self) -> Head:
        """That of what is nowhere, and of a place that is of no use to strangers."""
        return Head(self._site, UNLISTED)

    def unknown(self) -> Head:
        """That of a path while nobody can tell what is there."""
        return Head(self._site, "")

    def _about(self, language: str) -> str:
        return self._tagline or _in(LEAD, language)

    def _titled(self, title: str) -> str:
        return f"{title} \N{EN DASH} {self._site}"

    def _members(self, title: str, about: str, picture: str, path: str, language: str) -> str:
        ours = picture and picture == self._picture
        kind = _KINDS.get(path[1:].partition("/")[0], "website")
        values = {"site_name": self._site, "type": kind, "title": title}
        values |= {"description": about, "locale": _LOCALES[language]}
        if self._public_url:
            values["url"] = self._public_url + path
        if picture:
            values |= {"image": picture, "image:alt": self._site if ours else title}
        lines = _open_graph(values)
        # A screenshot is wide, an avatar, an emblem or an icon is not.
        wide = self._wide if ours else path.startswith(_WITH_SCREENSHOTS)
        card = "summary_large_image" if wide else "summary"
        lines += f'<meta name="twitter:card" content="{card}">\n'
        lines += f'<meta name="description" content="{escape(about)}">\n'
        if self._public_url:
            lines += f'<link rel="canonical" href="{escape(values["url"])}">\n'
        return lines

    def _work(self, shown: Preview, picture: str, path: str) -> str:
        """What a search engine knows of content (schema.org), as data that no browser runs."""
        said: dict[str, Any] = {
            "@context": "https://schema.org",
            "@type": "CreativeWork",
            "name": shown.title,
        }
        if shown.text:
            said["description"] = shown.text
        if picture:
            said["image"] = picture
        if self._public_url:
            said["url"] = self._public_url + path
        if shown.author is not None:
            said["author"] = {"@type": "Person", "name": shown.author.name}
        if shown.rating is not None and shown.rating.votes:
            said["aggregateRating"] = {
                "@type": "AggregateRating",
                "ratingValue": round(shown.rating.share, 3),
                "bestRating": 1,
                "worstRating": 0,
                "ratingCount": shown.rating.votes,
            }
        text = json.encode(said).decode().translate(_IN_SCRIPT)
        return f'<script type="application/ld+json">{text}</script>\n'


def _in(label: Label, language: str) -> str:
    text: str = label._asdict()[language]
    return text


def _open_graph(values: Mapping[str, str]) -> str:
    """Members of Open Graph (ogp.me). What people have written is escaped."""
    return "".join(
        f'<meta property="og:{name}" content="{escape(value)}">\n'
        for name, value in values.items()
        if value
    )


def _place_in_short(title: str, about: str, links: list[tuple[str, str]]) -> str:
    """What a place for all has for those that run no script. Its `links` are paths with what they
    are called."""
    items = "".join(f'<li><a href="{path}">{escape(name)}</a></li>' for path, name in links)
    return f"<h1>{escape(title)}</h1><p>{escape(about)}</p><ul>{items}</ul>"


def _thing_in_short(shown: Preview, base: str, picture: str) -> str:
    """What the page of one thing has for them. What people have written is escaped, and turns the
    direction of nothing around it. `picture` is a URL; "" without one."""
    text = f'<h1 dir="auto">{escape(shown.title)}</h1>'
    if shown.author is not None:
        id, name = shown.author
        text += f'<p><a href="{base}/user/{escape(id)}"><bdi>{escape(name)}</bdi></a></p>'
    if picture:
        text += f'<p><img src="{escape(picture)}" alt="{escape(shown.title)}"></p>'
    if shown.text:
        text += f'<p dir="auto">{escape(shown.text)}</p>'
    return text
