"""The devices that log in, by their header User-Agent (accounts#sessions)."""

import re
from typing import Final

_LOOKED_AT: Final = 1024
"""Characters of the header. Browsers send some 150."""
_LONGEST: Final = 64
_BROWSERS: Final = (
    # Most name those before them, too: Edge says that it is Chrome and Safari.
    (re.compile(r"\b(?:Edg|Edge|EdgA|EdgiOS)/"), "Edge"),
    (re.compile(r"\b(?:OPR|OPT|Opera)/"), "Opera"),
    (re.compile(r"\bVivaldi/"), "Vivaldi"),
    (re.compile(r"\bSamsungBrowser/"), "Samsung Internet"),
    (re.compile(r"\b(?:Firefox|FxiOS)/"), "Firefox"),
    (re.compile(r"\b(?:Chrome|CriOS|Chromium|HeadlessChrome)/"), "Chrome"),
    (re.compile(r"\bSafari/"), "Safari"),
)
_SYSTEMS: Final = (
    # Android says that it is Linux, and iOS that it is like Mac OS X.
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iOS"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)
_WORD: Final = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_PRODUCT: Final = re.compile(rf"({_WORD}(?:/{_WORD})?)(?![^ \t(,;])")
"""A product, and maybe its version (RFC 9110 §10.1.5)."""


def device_of(user_agent: str | None) -> str | None:
    """What to call a device with this User-Agent: the browser and its system, as in `Firefox,
    Windows`, or else the first product, as in `MyGame/1.2`. None if there is neither."""
    if user_agent is None:
        return None
    text = user_agent[:_LOOKED_AT].strip(" \t")
    if text.startswith("Mozilla/"):
        browser = next((name for known, name in _BROWSERS if known.search(text)), None)
        if browser is not None:
            system = next((name for mark, name in _SYSTEMS if mark in text), None)
            return browser if system is None else f"{browser}, {system}"
    product = _PRODUCT.match(text)
    return None if product is None else product[1][:_LONGEST]
