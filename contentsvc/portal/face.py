"""What a brand makes of the portal: its style sheet, its pictures, the manifest, and what of it
stands in a page."""

from gzip import compress
from html import escape
from typing import Final

from msgspec import json

from contentsvc.config.brand import UNBRANDED, Brand
from contentsvc.config.colours import OWN, THEMES, derived, whole
from contentsvc.config.legal import Legal
from contentsvc.framework.config.toml_files import Label
from contentsvc.framework.http.assets import Asset

_PICTURE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""An SVG that somebody opens by itself is a page: this one runs nothing and loads nothing."""
_ICON: Final = "icon.svg"
"""The icon of the portal without one of a brand."""
_KEPT_OUT: Final = (
    *("/account", "/appeal", "/console", "/decisions", "/friends", "/library", "/messages"),
    *("/notifications", "/oauth/", "/publish", "/settings"),
)
"""What search engines have no use for."""


def style(brand: Brand | None) -> bytes:
    """What is added to the style sheet: the brand's colours, and what follows from them."""
    if brand is None or not any(brand.colours.values()):
        return b""
    themes = [whole(brand.colours, theme) for theme in THEMES]
    light, dark = ({**theme, **derived(theme)} for theme in themes)
    colours = "".join(f"--{name}:light-dark({light[name]},{dark[name]});" for name in light)
    return f"\n:root{{{colours}}}\n".encode()


def script(brand: Brand | None) -> dict[str, str] | None:
    """What the module `service.js` has of it, beside the name and the links."""
    if brand is None:
        return None
    return {
        "tagline": brand.tagline,
        "logo": _file(brand, "logo"),
        "logoDark": _file(brand, "logo_dark"),
    }


def _file(brand: Brand | None, key: str) -> str:
    """The name of a picture among the portal's files; "" without one."""
    picture = None if brand is None else brand.pictures.get(key)
    return "" if picture is None else f"brand/{key.replace('_', '-')}.{picture.ending}"


def pictures(brand: Brand | None) -> dict[str, Asset]:
    """The pictures by the names of their files."""
    if brand is None:
        return {}
    return {_file(brand, key): picture_asset(brand, key) for key in brand.pictures}


def picture_asset(brand: Brand, key: str) -> Asset:
    """A picture of the brand."""
    picture = brand.pictures[key]
    gzipped = picture.ending == "svg"
    data = compress(picture.data, mtime=0) if gzipped else picture.data
    return Asset(data, picture.media, gzipped=gzipped, policy=_PICTURE_POLICY)


def icon(brand: Brand | None) -> tuple[str, str]:
    """The icon among the portal's files, and its media type."""
    if brand is not None and "icon" in brand.pictures:
        return _file(brand, "icon"), brand.pictures["icon"].media
    return _ICON, "image/svg+xml"


def manifest(brand: Brand | None, base: str, start: str) -> Asset:
    """The web app manifest. `base` is the path of the portal, `start` that of its files."""
    colours = OWN["light"] if brand is None else whole(brand.colours, "light")
    name, (file, media) = site_name(brand), icon(brand)
    sizes = {"sizes": "any"} if media == "image/svg+xml" else {}
    said = {
        "name": name,
        "short_name": name,
        **({"description": brand.tagline} if brand is not None and brand.tagline else {}),
        "start_url": f"{base}/",
        "scope": f"{base}/",
        "display": "minimal-ui",
        "background_color": colours["back"],
        "theme_color": colours["accent"],
        "icons": [{"src": f"{start}/{file}", "type": media, **sizes}],
    }
    return Asset(json.encode(said), "application/manifest+json")


def robots(base: str, public_url: str) -> Asset:
    """Which pages search engines may read, those that strangers see, and where those are listed,
    unless `public_url` is ""."""
    lines = "".join(f"Disallow: {base}{path}\n" for path in _KEPT_OUT)
    if public_url:
        lines += f"Sitemap: {public_url}/sitemap.xml\n"
    return Asset(f"User-agent: *\n{lines}".encode(), "text/plain; charset=utf-8")


def site_name(brand: Brand | None) -> str:
    """What the site is called."""
    return UNBRANDED if brand is None else brand.name


def shared(brand: Brand | None) -> str:
    """The file of the picture that a shared link has where the page has none of its own; "" without
    one. What shows links draws no SVG."""
    for key in ("share", "icon", "logo"):
        if brand is not None and key in brand.pictures and brand.pictures[key].ending != "svg":
            return _file(brand, key)
    return ""


def header(brand: Brand | None, start: str) -> str:
    """What stands in the header until the script draws it: the logo, or the name."""
    name, logo, dark = escape(site_name(brand)), _file(brand, "logo"), _file(brand, "logo_dark")
    if not (logo or dark):
        return name
    source = (
        f'<source srcset="{start}/{dark}" media="(prefers-color-scheme: dark)">'
        if logo and dark
        else ""
    )
    return (
        f'<picture>{source}<img src="{start}/{logo or dark}" alt="{name}" width="144" height="36">'
        "</picture>"
    )


_TERMS: Final = Label("Terms", "Nutzungsbedingungen")
_CONTACTS: Final = Label("Legal contacts", "Rechtliche Kontakte")
_NOTICE: Final = Label("Report illegal content", "Rechtswidrige Inhalte melden")


def footer(brand: Brand | None, base: str, legal: Legal | None = None) -> str:
    """The links of every page, in each language: the style sheet shows those of the page. The last
    are what the operator says of the law, and the form for notices, which are there in a game
    too."""
    links = "".join(
        f'<li><a href="{escape(link.url)}">{_words(link.label)}</a></li>'
        for link in (() if brand is None else brand.links)
    )
    terms = None if legal is None else legal.terms
    if terms is not None:
        links += f'<li><a href="{escape(terms.url)}">{_words(_TERMS)}</a></li>'
    if legal is not None:
        links += f'<li class="always"><a href="{base}/legal">{_words(_CONTACTS)}</a></li>'
    notice = f'<li class="always to-notice"><a href="{base}/notice">{_words(_NOTICE)}</a></li>'
    return f'<footer class="foot"><ul>{links}{notice}</ul></footer>\n'


def _words(label: Label) -> str:
    if label.en == label.de:
        return escape(label.en)
    return "".join(
        f'<span lang="{language}">{escape(text)}</span>'
        for language, text in label._asdict().items()
    )
