"""The kinds of values that settings have. Each function here reads a value of its kind, whether it
comes as text or from TOML. It raises ValueError, whose text follows the name of the setting.

The first sentence of its docstring says what the values are: docs/reference/settings.md has it.
"""

import re
from collections.abc import Callable
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import psycopg2
from attrs import frozen
from psycopg2.extensions import parse_dsn

from contentsvc.framework.core.host_names import BadHost, ascii_host
from contentsvc.framework.process.listening import BACKLOG

MOST_BYTES: Final = 2**53
"""Beyond it, the numbers of JSON in JavaScript are not exact."""
AUTO: Final = "auto"
"""On or off, whichever fits the other settings."""
_ADDRESS = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9.-]{1,253}"
MAILBOX = re.compile(rf'(?:([^<>@",;:\\()\[\]\x00-\x1f\x7f]*?) *<({_ADDRESS})>|({_ADDRESS}))')
"""A name and the address after it, or an address alone."""
_PORT = re.compile(r"(?:^(?:tcp6?|ssl):|:port=)([0-9]+)")
_BACKLOG = re.compile(r":backlog=|^(?!(haproxy:)?(tcp6?|ssl|unix):)")
"""Matches an endpoint that has a backlog already, or that cannot have one."""


def text(value: Any) -> str:
    """A text that is not empty."""
    if not isinstance(value, str) or not value:
        raise ValueError("must be a string that is not empty")
    return value


@frozen(repr=False)
class Secret:
    """A text that shows itself nowhere but in `value`."""

    value: str

    @property
    def sendable(self) -> bool:
        """Whether a header can have it: visible ASCII characters, one at least."""
        return re.fullmatch("[!-~]+", self.value) is not None

    def __repr__(self) -> str:
        return "***"


def secret(value: Any) -> Secret:
    """A text that no error repeats."""
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return Secret(value)


def smtp(value: Any) -> Secret:
    """URL of smtp or smtps. It may have a user and a password, which are percent-encoded. No
    error repeats it."""
    url = secret(value)
    try:
        parts = urlsplit(url.value)
        good = (
            parts.scheme in {"smtp", "smtps"}
            and ascii_host(parts.hostname or "")
            and url.sendable
            and parts.port != 0
            and parts.path in {"", "/"}
            and not parts.query
            and not parts.fragment
            and bool(parts.username) == bool(parts.password)
        )
    except ValueError:
        good = False
    if not good:
        raise ValueError("must be a URL like smtp://user:password@mail.example:587, or smtps://")
    return url


def mailbox(value: Any) -> str:
    """E-mail address, or `Name <address>`."""
    if not MAILBOX.fullmatch(text(value)):
        raise ValueError("must be like no-reply@studio.example or Studio <no-reply@studio.example>")
    return str(value)


def reset_url(value: Any) -> str:
    """URL. It may have a query and a fragment."""
    parts = urlsplit(text(value))
    try:
        good = parts.hostname and re.fullmatch("[!-~]+", value) and parts.port != 0
    except ValueError:
        good = False
    if not good or parts.scheme not in {"http", "https"}:
        raise ValueError("must be a URL like https://portal.example/account")
    return str(value)


def word(value: Any) -> str:
    """Word of letters, digits and dashes. They are ASCII."""
    if not isinstance(value, str) or not re.fullmatch("[A-Za-z0-9-]+", value):
        raise ValueError("must be a word of letters, digits and dashes")
    return value


def bucket(value: Any) -> str:
    """Name of a bucket. It is as S3 allows it; old ones may have capitals and underscores."""
    if not isinstance(value, str) or not re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]{2,62}", value):
        raise ValueError("must be the name of a bucket: 3 to 63 letters, digits, dots and dashes")
    return value


def endpoint(value: Any) -> str:
    """Endpoint of Twisted. Only its port is checked here: Twisted checks the rest, but a port only
    when it listens."""
    for port in _PORT.findall(text(value)):
        if int(port) > 65535:
            raise ValueError(f"names port {port}, which is above 65535")
    return str(value) if _BACKLOG.search(value) else f"{value}:backlog={BACKLOG}"


def path(value: Any) -> Path:
    """Path. It is made absolute."""
    return Path(text(value)).expanduser().absolute()


def flag(value: Any) -> bool:
    """On or off."""
    known = {True: True, False: False, "on": True, "off": False, "true": True, "false": False}
    known |= {"yes": True, "no": False}
    if isinstance(value, int) and not isinstance(value, bool):
        raise ValueError("must be on or off")
    try:
        return known[value]
    except (KeyError, TypeError):
        raise ValueError("must be on or off") from None


def flag_or_auto(value: Any) -> bool | Literal["auto"]:
    """On, off or auto."""
    if value == AUTO:
        return AUTO
    try:
        return flag(value)
    except ValueError:
        raise ValueError("must be on, off or auto") from None


def is_loopback(endpoint: str) -> bool:
    """Whether only this machine reaches what listens on a Twisted endpoint: it names a loopback
    address, and no proxy's protocol. What is not certain is not: a Unix socket is there for a proxy
    in front, and what systemd hands over may be anything."""
    parts = re.findall(r"(?:[^:\\]|\\.)+", endpoint)
    if not parts or parts[0] not in {"tcp", "tcp6", "ssl"}:
        return False
    given = (re.sub(r"\\(.)", r"\1", part) for part in parts[1:])
    named = dict(part.split("=", 1) for part in given if "=" in part).get("interface", "")
    if named.lower() == "localhost":
        return True
    try:
        address = ip_address(named)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def words(value: Any) -> tuple[str, ...]:
    """List of words. In text they have commas between them."""
    if isinstance(value, str):
        value = [word.strip() for word in value.split(",") if word.strip()]
    if not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value):
        raise ValueError("must be a list of strings")
    return tuple(value)


def origins(value: Any) -> tuple[str, ...]:
    """List of web origins, or `*`."""
    given = words(value)
    for word in given:
        parts = urlsplit(word)
        if word != "*" and (not parts.scheme or not parts.netloc or parts.path):
            raise ValueError(f"has {word!r}, which is neither * nor like https://portal.example")
    return given


def proxies(value: Any) -> tuple[str, ...]:
    """List of addresses, networks and `unix`."""
    given = words(value)
    for word in given:
        try:
            if word != "unix":
                ip_network(word, strict=False)
        except ValueError:
            raise ValueError(
                f"has {word!r}, which is not an IP address, a network or unix"
            ) from None
    return given


def networks(value: Any) -> tuple[str, ...]:
    """List of addresses and networks."""
    given = words(value)
    for word in given:
        try:
            ip_network(word, strict=False)
        except ValueError:
            raise ValueError(f"has {word!r}, which is not an IP address or a network") from None
    return given


def one_of(allowed: tuple[str, ...]) -> Callable[[Any], str]:
    """The kind of these words."""

    def parse(value: Any) -> str:
        if value not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}")
        return str(value)

    parse.__doc__ = f"{', '.join(f'`{word}`' for word in allowed[:-1])} or `{allowed[-1]}`."
    return parse


def url(value: Any) -> str:
    """URL. It has no query, and loses a slash at its end."""
    parts = urlsplit(text(value))
    if (
        parts.scheme not in {"http", "https"}
        or not (parts.hostname and re.fullmatch("[!-~]+", value) and parts.port != 0)
        or parts.query
        or parts.fragment
    ):
        raise ValueError("must be a URL like https://content.example")
    try:
        ascii_host(parts.hostname)
    except BadHost as error:
        raise ValueError(f"must be a URL like https://content.example: {error}") from None
    return str(value).rstrip("/")


def store_url(value: Any) -> str:
    """URL. It has no user and no password."""
    if "@" in url(value):
        raise ValueError("must be a URL without user and password: the keys are settings")
    return url(value)


def dsn(value: Any) -> str:
    """libpq URL or DSN."""
    try:
        parse_dsn(text(value))
    except psycopg2.Error as error:
        raise ValueError(f"is not a libpq URL or DSN: {' '.join(str(error).split())}") from None
    return str(value)


def number(low: int, high: int) -> Callable[[Any], int]:
    """Whole numbers from `low` to `high`."""

    def parse(value: Any) -> int:
        try:
            number = int(value) if isinstance(value, int | str) else None
        except ValueError:
            number = None
        if number is None or isinstance(value, bool) or not low <= number <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return number

    parse.__doc__ = f"{low:,} to {f'{high:,}' if high < MOST_BYTES else '2^53'}."
    return parse


def seconds(low: float, high: float) -> Callable[[Any], float]:
    """Seconds from `low` to `high`."""

    def parse(value: Any) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = -1.0
        if isinstance(value, bool) or not low <= number <= high:
            raise ValueError(f"must be a number of seconds from {low:g} to {high:g}")
        return number

    parse.__doc__ = f"{low:g} to {high:g} seconds."
    return parse
