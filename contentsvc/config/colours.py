"""The colours of a brand: whether people can read what is written in them (WCAG 2).

A theme is a colour for each name, each `#rrggbb`. The portal's own are those of its style sheet.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

Theme = Mapping[str, str]

THEMES: Final = ("light", "dark")
GROUNDS: Final = ("back", "surface", "raised")
INKS: Final = ("accent", "text", "faint", "good", "warn", "bad")
"""What is written on the grounds."""
OWN: Final[Mapping[str, Theme]] = {
    "light": {
        "accent": "#4338ca",
        "back": "#f6f5f2",
        "surface": "#ffffff",
        "raised": "#eeece6",
        "line": "#dcd8cd",
        "text": "#1f2330",
        "faint": "#565b6d",
        "good": "#166534",
        "warn": "#8a4b00",
        "bad": "#b01c2e",
    },
    "dark": {
        "accent": "#a5b0ff",
        "back": "#12141a",
        "surface": "#1b1e27",
        "raised": "#272b37",
        "line": "#343947",
        "text": "#eceef4",
        "faint": "#a9b0c2",
        "good": "#86efac",
        "warn": "#fcd34d",
        "bad": "#ff9aa5",
    },
}
READABLE: Final = 4.5
SEEN: Final = 3.0
"""The contrast that a text has at least with its ground, and the border of what can be pressed."""
EDGE: Final = 76
TINT: Final = 15
SOFT: Final = 6
"""Percent of `faint` in the border of what can be pressed, and of `accent` in the ground of what is
chosen, and of what is new. The rest is `surface`."""
_STEPS: Final = 1024


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (value / 255 for value in _parts(colour))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _parts(colour: str) -> bytes:
    return bytes.fromhex(colour[1:])


def mixed(one: str, other: str, share: float) -> str:
    """The colour with this share of `one`, the rest of `other`, as color-mix of CSS in srgb."""
    parts = zip(_parts(one), _parts(other), strict=True)
    return "#" + bytes(round(a * share + b * (1 - share)) for a, b in parts).hex()


def on(ground: str) -> str:
    """Black or white, whichever has more contrast with this ground."""
    return max(("#ffffff", "#000000"), key=lambda ink: contrast(ink, ground))


def unreadable(given: Mapping[str, Theme]) -> tuple[str, str] | None:
    """What cannot be read where these colours replace the portal's own: the key of one of them, and
    the reason, with the other and one that would do. None if all can be."""
    for theme in THEMES:
        own, colours = given.get(theme, {}), whole(given, theme)
        for ink in INKS:
            for ground in GROUNDS:
                found = contrast(colours[ink], colours[ground])
                if found < READABLE:
                    # The portal's own colours can be read: at least one of the two is the file's.
                    named, other = (ink, ground) if ink in own else (ground, ink)
                    return f"{named}.{theme}", (
                        f"{colours[named]} has a contrast of {int(found * 100) / 100:.2f} with "
                        f"{other} {colours[other]}, and needs {READABLE}"
                        f"{_advice(colours, named, other)}"
                    )
    return None


def whole(given: Mapping[str, Theme], theme: str) -> dict[str, str]:
    """All colours of a theme: the portal's own where none is given."""
    return {**OWN[theme], **given.get(theme, {})}


def _advice(colours: Theme, *names: str) -> str:
    """A colour that would do, of the first of these if there is one."""
    for name in names:
        others = GROUNDS if name in INKS else INKS
        found = _nearest(colours[name], [colours[other] for other in others])
        if found is not None:
            return f": {name} {found} would do"
    return ""


def _nearest(colour: str, others: Iterable[str]) -> str | None:
    """The colour of the same hue, lighter or darker, that can be read with all the others."""
    levels = [_luminance(other) for other in others]
    for found in _shades(colour):
        level = _luminance(found)
        if all(
            (max(level, each) + 0.05) / (min(level, each) + 0.05) >= READABLE for each in levels
        ):
            return found
    return None


def _shades(colour: str) -> Iterator[str]:
    """A colour with more and more black, or white."""
    for step in range(_STEPS + 1):
        for end in ("#000000", "#ffffff"):
            yield mixed(end, colour, step / _STEPS)


def derived(colours: Theme) -> dict[str, str]:
    """What follows from the colours of a theme: what stands on the accent, the border of what can
    be pressed, and two grounds with some of the accent, on which all can still be read."""
    grounds = [colours[name] for name in GROUNDS]
    inks = [colours[name] for name in INKS]

    def tinted(most: int) -> str:
        shares = (mixed(colours["accent"], colours["surface"], n / 100) for n in range(most, 0, -1))
        return next(
            (each for each in shares if all(contrast(each, ink) >= READABLE for ink in inks)),
            colours["surface"],
        )

    edges = (mixed(colours["faint"], colours["surface"], n / 100) for n in range(EDGE, 101))
    return {
        "on-accent": on(colours["accent"]),
        "edge": next(e for e in edges if all(contrast(e, ground) >= SEEN for ground in grounds)),
        "tint": tinted(TINT),
        "soft": tinted(SOFT),
    }
