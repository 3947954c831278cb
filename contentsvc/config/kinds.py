"""The kinds of values that only settings of this service have, as those of
contentsvc.framework.config.kinds."""

import re
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from contentsvc.framework.config.kinds import one_of, text, words
from contentsvc.framework.core.host_names import BadHost, ascii_host, is_address

PLATFORMS: Final = ("win64", "osx64", "linux64")
MOST_PLATFORMS: Final = 32
TYPES: Final = ("game", "asset", "avatar_box", "gameplay_box", "scene_box")
"""The types of content that a service has unless `specified_types` is off."""
MOST_TYPES: Final = 16
MOST_FRAMES: Final = 16
PLACES = ("local", "s3", "external")
STYLES = ("path", "virtual")
FORMS = ("text", "json")
INVITERS = ("anyone", "friends")
MARKUPS = ("markdown", "none")
METADATA = ("keep", "refuse")

GUESTS_MAY: Final = ("rate", "comment", "follow", "message", "publish")
"""What an operator may let guests do."""

place = one_of(PLACES)
style = one_of(STYLES)
form = one_of(FORMS)
markup = one_of(MARKUPS)
inviters = one_of(INVITERS)
metadata = one_of(METADATA)


def platforms(value: Any) -> tuple[str, ...]:
    """List of platforms: 1 to 32, each with 1 to 32 of `a-z`, `0-9` and `_`. `id` and `name` are
    members of a package, and none of them."""
    given = words(value)
    for word in given:
        if not re.fullmatch("[a-z0-9_]{1,32}", word):
            raise ValueError(f"has {word!r}, which is no platform: 1 to 32 of a-z, 0-9 and _")
        if word in {"id", "name"}:
            raise ValueError(f"has {word!r}, which is another member of a package")
        if given.count(word) > 1:
            raise ValueError(f"has {word!r} twice")
    if not 1 <= len(given) <= MOST_PLATFORMS:
        raise ValueError(f"has {len(given)} platforms, and must have 1 to {MOST_PLATFORMS}")
    return given


def usernames(value: Any) -> tuple[str, ...]:
    """List of usernames: 3 to 32 letters, digits, `_`, `.` and `-` each."""
    given = words(value)
    for word in given:
        if not re.fullmatch("[A-Za-z0-9_.-]{3,32}", word):
            raise ValueError(f"has {word!r}, which is no username: 3 to 32 of A-Z, a-z, 0-9, _ . -")
    return given


def guests_may(value: Any) -> tuple[str, ...]:
    """List of `rate`, `comment`, `follow`, `message` and `publish`. These are GUESTS_MAY."""
    given = words(value)
    unknown = [word for word in given if word not in GUESTS_MAY]
    if unknown:
        raise ValueError(f"has the unknown word {unknown[0]!r}: use {', '.join(GUESTS_MAY)}")
    return tuple(dict.fromkeys(given))


def topics(value: Any) -> tuple[str, ...]:
    """List of topics: 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-` each."""
    given = words(value)
    for word in given:
        if not re.fullmatch("[a-z0-9._-]{1,64}", word):
            raise ValueError(f"has {word!r}, which is no topic: 1 to 64 of a-z, 0-9, ., _ and -")
    return given


def frame_origins(value: Any) -> tuple[str, ...]:
    """List of up to 16 web origins: `https://HOST[:PORT]`, or http of this machine."""
    found = dict.fromkeys(_frame_origin(word) for word in words(value))
    if len(found) > MOST_FRAMES:
        raise ValueError(f"has {len(found)} origins, and may have {MOST_FRAMES}")
    return tuple(found)


def _frame_origin(word: str) -> str:
    wrong = ValueError(
        f"has {word!r}, which is not like https://game.example, nor http of this machine"
    )
    try:
        parts = urlsplit(word)
        host, port = ascii_host(parts.hostname or ""), parts.port
    except (ValueError, BadHost):
        raise wrong from None
    written = f"[{host}]" if ":" in host else host
    origin = f"{parts.scheme}://{written}" + ("" if port is None else f":{port}")
    loopback = host == "localhost" or (is_address(host) and ip_address(host).is_loopback)
    if (
        parts.scheme not in ({"http", "https"} if loopback else {"https"})
        or port == 0
        or word.lower() != f"{parts.scheme}://{parts.netloc}".lower()
        or "@" in parts.netloc
        or parts.netloc.endswith(":")
    ):
        raise wrong
    return origin


def content_types(value: Any) -> tuple[str, ...]:
    """List of types: up to 16, each with 1 to 32 of `a-z`, `0-9` and `_`. `all` means all of them,
    and is none."""
    given = words(value)
    for word in given:
        if not re.fullmatch("[a-z0-9_]{1,32}", word):
            raise ValueError(f"has {word!r}, which is no type: 1 to 32 of a-z, 0-9 and _")
        if word == "all" or given.count(word) > 1:
            raise ValueError(f"has {word!r}, which is a type already, or means all of them")
    if len(given) > MOST_TYPES:
        raise ValueError(f"has {len(given)} types, and may have {MOST_TYPES}")
    return given


def clause(value: Any) -> str:
    """A reference to a clause, which decisions have (moderation#decisions)."""
    return _at_most(500, value)


def redress(value: Any) -> str:
    """A text for those whom a decision concerns."""
    return _at_most(4096, value)


def _at_most(longest: int, value: Any) -> str:
    found = text(value)
    if len(found) > longest or not found.strip():
        raise ValueError(f"must have 1 to {longest} characters, and not be blank")
    return found
