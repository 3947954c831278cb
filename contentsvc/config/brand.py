"""The file of the option `brand`: what a studio calls its service, and how that looks. It is TOML,
and names pictures beside it."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

from msgspec import Meta, Struct, field

from contentsvc.config.colours import THEMES, Theme, unreadable
from contentsvc.framework.config.toml_files import (
    ONE_LINE,
    Files,
    Label,
    LabelText,
    Line,
    labels,
    leads,
    read_toml,
    refused,
)

UNBRANDED, UNNAMED = "contentsvc", "Portal"
"""What a service without a brand is called, and one whose brand has no name."""
MOST_PICTURE_BYTES: Final = 256 * 1024
_PICTURES: Final = ("logo", "logo_dark", "icon", "share")
_KINDS: Final = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "png", "image/png"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "webp", "image/webp"),
    (
        re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:svg[\s>]|\?xml\s|!--|!DOCTYPE\s+svg)"),
        "svg",
        "image/svg+xml",
    ),
)
"""What the first bytes of a picture are, with the ending of its name and its media type."""
_COLOUR: Final = re.compile("#[0-9A-Fa-f]{6}")
_NAME: Final = re.compile("[a-z0-9_]{1,32}")

_Tagline = Annotated[str, Meta(max_length=200, pattern=rf"^\Z|{ONE_LINE}")]
_Url = Annotated[str, Meta(min_length=1, max_length=2048)]


class _Themes(Struct, forbid_unknown_fields=True):
    light: str | None = None
    dark: str | None = None


class _Colours(Struct, forbid_unknown_fields=True):
    accent: _Themes | None = None
    back: _Themes | None = None
    surface: _Themes | None = None
    raised: _Themes | None = None
    line: _Themes | None = None
    text: _Themes | None = None
    faint: _Themes | None = None
    good: _Themes | None = None
    warn: _Themes | None = None
    bad: _Themes | None = None


class _Link(Struct, forbid_unknown_fields=True):
    label: LabelText
    url: _Url


class _Labels(Struct, forbid_unknown_fields=True):
    types: dict[str, Any] = {}
    platforms: dict[str, Any] = {}


class _File(Struct, forbid_unknown_fields=True):
    name: Line | None = None
    tagline: _Tagline = ""
    logo: str | None = None
    logo_dark: str | None = None
    icon: str | None = None
    share: str | None = None
    colours: _Colours = field(default_factory=_Colours)
    links: Annotated[list[_Link], Meta(max_length=8)] = []
    labels: _Labels = field(default_factory=_Labels)


class Picture(NamedTuple):
    """A picture: the `ending` of its kind, such as `svg`, its media type and its bytes."""

    ending: str
    media: str
    data: bytes


class Link(NamedTuple):
    """A link of every page: a URL, or a path of this host."""

    label: Label
    url: str


class Brand(NamedTuple):
    """What the file says. `pictures` are by their keys, `colours` by theme and name."""

    name: str
    tagline: str = ""
    pictures: Mapping[str, Picture] = {}
    colours: Mapping[str, Theme] = {}
    links: tuple[Link, ...] = ()
    types: Mapping[str, Label] = {}
    platforms: Mapping[str, Label] = {}


def read(files: Files, path: Path) -> Brand:
    """Read the file, and the pictures that it names. Raises FileError."""
    file = read_toml(files, path, _File)
    for at, link in enumerate(file.links):
        if not leads(link.url):
            raise refused(
                path,
                f"links[{at}].url",
                f"{link.url!r} must be an https URL, or a path with one / at its start",
            )
    colours = _colours(path, file.colours)
    if wrong := unreadable(colours):
        raise refused(path, f"colours.{wrong[0]}", wrong[1])
    return Brand(
        file.name or UNNAMED,
        file.tagline,
        {
            key: _picture(files, path, key, name)
            for key in _PICTURES
            if (name := getattr(file, key)) is not None
        },
        colours,
        tuple(Link(Label.of(link.label), link.url) for link in file.links),
        _names(path, "labels.types", file.labels.types),
        _names(path, "labels.platforms", file.labels.platforms),
    )


def _names(path: Path, key: str, table: Mapping[str, Any]) -> dict[str, Label]:
    for name in table:
        if not _NAME.fullmatch(name):
            raise refused(path, f"{key}.{name}", "is no name: 1 to 32 of a-z, 0-9 and _")
    return labels(path, key, table)


def _colours(path: Path, given: _Colours) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {theme: {} for theme in THEMES}
    for name in given.__struct_fields__:
        themes = getattr(given, name)
        for theme in THEMES:
            colour = themes and getattr(themes, theme)
            if colour is None:
                continue
            if not _COLOUR.fullmatch(colour):
                raise refused(path, f"colours.{name}.{theme}", "must be a colour like #4338ca")
            found[theme][name] = colour.lower()
    return found


def _picture(files: Files, path: Path, key: str, name: str) -> Picture:
    """A picture in the folder of the file. Nobody reads more of it than its first bytes."""
    if not name or name in {".", ".."} or re.search(r"[/\\\x00-\x1f\x7f]", name):
        raise refused(path, key, f"{name!r} must be the name of a file in the same folder")
    try:
        data = files.read(path.parent / name, MOST_PICTURE_BYTES, inside=path.parent)
    except OSError as error:
        raise refused(path, key, f"{name}: {error.strerror}") from None
    except ValueError as error:
        raise refused(path, key, f"{name} {error}") from None
    # What shows links draws no SVG.
    kinds = "a PNG or a WebP" if key == "share" else "an SVG, a PNG or a WebP"
    for begins, ending, media in _KINDS:
        if begins.match(data) and (ending != "svg" or key != "share"):
            return Picture(ending, media, data)
    raise refused(path, key, f"{name} must be {kinds} picture")
