"""The head of a page: its title, and what search engines and those who show a shared link read."""

from collections.abc import Mapping
from html import escape
from typing import Final
from urllib.parse import quote

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
    "/browse": Label("Browse", "Stöbern"),
    "/search": Label("Search", "Suche"),
    "/challenges": Label("Challenges", "Wettbewerbe"),
    "/legal": Label("Contacts and terms", "Kontakte und Nutzungsbedingungen"),
    "/notice": Label("Report illegal content", "Rechtswidrige Inhalte melden"),
}
"""The places that anybody may find, beside `/` and those of one thing."""
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
UNLISTED: Final = '<meta name="robots" content="noindex">\n'
"""No search engine lists a page with this."""


class Heads:
    """Makes the heads of the pages.

    `public_url` is the URL of the service, `media_url` that of the pictures, and `files` that of
    the portal's files; "" where they are not known: the host of a request is not to be believed.
    """

    def __init__(self, brand: Brand | None, public_url: str, media_url: str, files: str) -> None:
        self._site = face.site_name(brand)
        self._tagline = "" if brand is None else brand.tagline
        self._public_url = public_url
        self._media_url = media_url
        picture = face.shared(brand)
        self._picture = f"{files}/{picture}" if files and picture else ""
        self._wide = brand is not None and "share" in brand.pictures

    def of_place(self, path: str, language: str) -> tuple[str, str]:
        """The title of this place, and what else its head says."""
        about = self._tagline or _in(LEAD, language)
        if path == "/":
            return self._site, self._members(self._site, about, self._picture, path)
        if path not in TITLES:
            return self.nowhere()
        title = _in(TITLES[path], language)
        about = _in(_ABOUT[path], language) if path in _ABOUT else about
        return self._titled(title), self._members(title, about, self._picture, path)

    def of_thing(self, shown: Preview, path: str, language: str) -> tuple[str, str]:
        """The title of the page of this content, user, challenge or collection, and what else its
        head says."""
        about = shown.text or self._tagline or _in(LEAD, language)
        picture = self._picture
        if self._media_url and shown.image:
            picture = f"{self._media_url}/{quote(shown.image)}"
        members = self._members(shown.title, about, picture, path)
        return self._titled(shown.title), members if shown.listed else UNLISTED + members

    def nowhere(self) -> tuple[str, str]:
        """The same of what is nowhere, and of a place that is of no use to strangers."""
        return self._site, UNLISTED

    def unknown(self) -> tuple[str, str]:
        """The same while nobody can tell what is at this path."""
        return self._site, ""

    def _titled(self, title: str) -> str:
        return f"{title} \N{EN DASH} {self._site}"

    def _members(self, title: str, about: str, picture: str, path: str) -> str:
        values = {"site_name": self._site, "type": "website", "title": title}
        values["description"] = about
        if self._public_url:
            values["url"] = self._public_url + path
        values["image"] = picture
        lines = _open_graph(values)
        # A screenshot is wide, an avatar, an emblem or an icon is not.
        ours = picture and picture == self._picture
        wide = self._wide if ours else path.startswith(_WITH_SCREENSHOTS)
        card = "summary_large_image" if wide else "summary"
        lines += f'<meta name="twitter:card" content="{card}">\n'
        lines += f'<meta name="description" content="{escape(about)}">\n'
        if self._public_url:
            lines += f'<link rel="canonical" href="{escape(values["url"])}">\n'
        return lines


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
