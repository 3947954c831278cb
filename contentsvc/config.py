"""Settings: read once, from the command line, the environment and a TOML file.

Each setting is one line of SETTINGS: its name is a key of the file, `--its-name` an option
and CONTENTSVC_ITS_NAME an environment variable. An option overrides the environment, which
overrides the file, which overrides the default.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import psycopg2
from msgspec import Struct
from psycopg2.extensions import parse_dsn

MORE_CONNECTIONS = 1000
"""Connections for requests besides those for sockets, where `connections` is not set."""
PLATFORMS = ("win64", "osx64", "linux64")
_PREFIX = "CONTENTSVC_"
BACKLOG = 4096
"""Connections that may wait to be accepted: the most that Linux allows by default. Twisted's own
default is 50. A client beyond the limit tries again after 1, 3, 7, 15, 31 and 63 s."""
_PORT = re.compile(r"(?:^(?:tcp6?|ssl):|:port=)([0-9]+)")
_BACKLOG = re.compile(r":backlog=|^(?!(haproxy:)?(tcp6?|ssl|unix):)")
"""Matches an endpoint that has a backlog already, or that cannot have one."""


class ConfigError(Exception):
    """A setting is wrong: `str()` is one line with its key and the reason."""


class Settings(Struct, frozen=True, kw_only=True):
    """All settings of a daemon or of the command line tool."""

    listen: str
    database: str | None
    """A libpq URL or DSN; None means the embedded Postgres."""
    data_dir: Path
    public_url: str | None
    workers: int
    """Processes that share the port. 1 means one process without a parent."""
    secret_file: Path | None
    """None means one in the data dir, made at first start."""
    registration: bool
    debug_notify: bool
    require_party_invite: bool
    required_platforms: tuple[str, ...]
    cors_origins: tuple[str, ...]
    trusted_proxies: tuple[str, ...]
    failed_log_ins_per_address: int
    comments_per_minute: int
    follows_per_day: int
    publications_per_day: int
    """These three are per user; 0 means no limit."""
    pool_size: int
    statement_timeout: float
    body_timeout: float
    drain_timeout: float
    """These three in seconds."""
    body_memory: int
    """In MiB."""
    connections: int | None
    """None means `sockets` plus MORE_CONNECTIONS."""
    sockets: int
    sockets_per_user: int
    progress_keys: int
    progress_bytes: int
    """These two are per user; 0 means no limit."""
    notification_retention: int
    """In days; 0 means forever."""

    @property
    def most_connections(self) -> int:
        """The limit of connections, sockets included."""
        return self.connections or self.sockets + MORE_CONNECTIONS

    @property
    def keys_path(self) -> Path:
        """The file of the keys."""
        return self.secret_file or self.data_dir / "secret.keys"


class Setting(NamedTuple):
    """How one setting is written and read."""

    name: str
    default: Any
    parse: Callable[[Any], Any]
    help: str

    @property
    def option(self) -> str:
        """The command line option, without its leading dashes."""
        return self.name.replace("_", "-")


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("must be a string that is not empty")
    return value


def _endpoint(value: Any) -> str:
    """Check the port. Twisted checks the rest, but a port only when it listens."""
    for port in _PORT.findall(_text(value)):
        if int(port) > 65535:
            raise ValueError(f"names port {port}, which is above 65535")
    return str(value) if _BACKLOG.search(value) else f"{value}:backlog={BACKLOG}"


def _path(value: Any) -> Path:
    return Path(_text(value)).expanduser().absolute()


def _flag(value: Any) -> bool:
    known = {True: True, False: False, "on": True, "off": False, "true": True, "false": False}
    if isinstance(value, int) and not isinstance(value, bool):
        raise ValueError("must be on or off")
    try:
        return known[value]
    except (KeyError, TypeError):
        raise ValueError("must be on or off") from None


def _words(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [word.strip() for word in value.split(",") if word.strip()]
    if not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value):
        raise ValueError("must be a list of strings")
    return tuple(value)


def _platforms(value: Any) -> tuple[str, ...]:
    words = _words(value)
    unknown = [word for word in words if word not in PLATFORMS]
    if unknown:
        raise ValueError(f"has the unknown platform {unknown[0]!r}: use {', '.join(PLATFORMS)}")
    return words


def _origins(value: Any) -> tuple[str, ...]:
    words = _words(value)
    for word in words:
        parts = urlsplit(word)
        if word != "*" and (not parts.scheme or not parts.netloc or parts.path):
            raise ValueError(f"has {word!r}, which is neither * nor like https://portal.example")
    return words


def _proxies(value: Any) -> tuple[str, ...]:
    words = _words(value)
    for word in words:
        try:
            if word != "unix":
                ip_network(word, strict=False)
        except ValueError:
            raise ValueError(
                f"has {word!r}, which is not an IP address, a network or unix"
            ) from None
    return words


def _url(value: Any) -> str:
    parts = urlsplit(_text(value))
    if (
        parts.scheme not in {"http", "https"}
        or not (parts.hostname and re.fullmatch("[!-~]+", value) and parts.port != 0)
        or parts.query
        or parts.fragment
    ):
        raise ValueError("must be a URL like https://content.example")
    return str(value).rstrip("/")


def _dsn(value: Any) -> str:
    try:
        parse_dsn(_text(value))
    except psycopg2.Error as error:
        raise ValueError(f"is not a libpq URL or DSN: {' '.join(str(error).split())}") from None
    return str(value)


def _number(low: int, high: int) -> Callable[[Any], int]:
    def parse(value: Any) -> int:
        try:
            number = int(value) if isinstance(value, int | str) else None
        except ValueError:
            number = None
        if number is None or isinstance(value, bool) or not low <= number <= high:
            raise ValueError(f"must be a whole number from {low} to {high}")
        return number

    return parse


def _seconds(low: float, high: float) -> Callable[[Any], float]:
    def parse(value: Any) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = -1.0
        if isinstance(value, bool) or not low <= number <= high:
            raise ValueError(f"must be a number of seconds from {low:g} to {high:g}")
        return number

    return parse


SETTINGS = (
    Setting(
        "listen",
        "tcp:8080:interface=127.0.0.1",
        _endpoint,
        "Twisted endpoint to listen on",
    ),
    Setting("database", None, _dsn, "libpq URL or DSN; without it, an embedded Postgres runs"),
    Setting("data_dir", "var", _path, "folder of the embedded Postgres and of generated keys"),
    Setting("public_url", None, _url, "URL that clients use; socketUrl is built on it"),
    Setting("workers", 1, _number(1, 64), "processes that share the port"),
    Setting(
        "secret_file", None, _path, "file of the keys that sign tokens; required with --database"
    ),
    Setting("registration", True, _flag, "on or off: may anyone register?"),
    Setting("debug_notify", True, _flag, "on or off: does POST /api/v1/debug/notify exist?"),
    Setting(
        "require_party_invite",
        False,
        _flag,
        "on or off: does the answer to a party invite need an invite?",
    ),
    Setting(
        "required_platforms",
        (),
        _platforms,
        "platforms that every package must support, with commas",
    ),
    Setting(
        "cors_origins", ("*",), _origins, "web origins that may use the API, with commas; * for all"
    ),
    Setting(
        "trusted_proxies",
        (),
        _proxies,
        "proxies whose X-Forwarded headers are believed, with commas",
    ),
    Setting(
        "failed_log_ins_per_address",
        100,
        _number(0, 1_000_000),
        "wrong passwords per client address in 15 minutes; 0: no limit",
    ),
    Setting(
        "comments_per_minute",
        20,
        _number(0, 1_000_000),
        "comments per user and minute; 0: no limit",
    ),
    Setting(
        "follows_per_day",
        300,
        _number(0, 1_000_000),
        "new follows per user in 24 hours; 0: no limit",
    ),
    Setting(
        "publications_per_day",
        100,
        _number(0, 1_000_000),
        "publications per user in 24 hours: new content, and new revisions; 0: no limit",
    ),
    Setting("pool_size", 8, _number(1, 500), "database connections per process"),
    Setting("statement_timeout", 15.0, _seconds(0.1, 600), "seconds per database statement"),
    Setting("body_timeout", 30.0, _seconds(0.1, 600), "seconds for headers, and for the body"),
    Setting("drain_timeout", 10.0, _seconds(0, 600), "seconds for open requests at stop"),
    Setting("body_memory", 64, _number(4, 65_536), "MiB for arriving request data per process"),
    Setting("connections", None, _number(1, 2_000_000), "connections per process, with sockets"),
    Setting("sockets", 20_000, _number(0, 1_000_000), "sockets per process"),
    Setting("sockets_per_user", 8, _number(1, 1000), "sockets per user and process"),
    Setting("progress_keys", 1000, _number(0, 10**9), "progress keys per user; 0: no limit"),
    Setting(
        "progress_bytes",
        16 * 1024**2,
        _number(0, 2**53),
        "bytes of progress values per user; 0: no limit",
    ),
    Setting(
        "notification_retention",
        90,
        _number(0, 36_500),
        "days that notifications are kept; 0: forever",
    ),
)


def read(options: Mapping[str, Any], environ: Mapping[str, str]) -> Settings:
    """Read the settings. `options` has an entry for each given option; its `config` is the file.

    Raises ConfigError.
    """
    file = options.get("config") or environ.get(_PREFIX + "CONFIG")
    table = _table(Path(file)) if file else {}
    values: dict[str, Any] = {}
    for setting in SETTINGS:
        variable = _PREFIX + setting.name.upper()
        if options.get(setting.option) is not None:
            source, value = f"--{setting.option}", options[setting.option]
        elif variable in environ:
            source, value = variable, environ[variable]
        elif setting.name in table:
            source, value = f"{file}: {setting.name}", table[setting.name]
        elif setting.default is None:
            values[setting.name] = None
            continue
        else:
            source, value = setting.name, setting.default
        try:
            values[setting.name] = setting.parse(value)
        except ValueError as error:
            raise ConfigError(f"{source} {error}") from None
    settings = Settings(**values)
    if settings.database is not None and settings.secret_file is None:
        raise ConfigError("secret_file is required when database is set")
    return settings


def variables(settings: Settings) -> dict[str, str]:
    """The environment variables from which `read` makes the same settings."""
    values = {setting.name: getattr(settings, setting.name) for setting in SETTINGS}
    return {
        _PREFIX + name.upper(): _written(value)
        for name, value in values.items()
        if value is not None
    }


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return ",".join(value) if isinstance(value, tuple) else str(value)


def _table(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            table = tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"config {path}: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"config {path}: {error}") from None
    unknown = sorted(set(table) - {setting.name for setting in SETTINGS})
    if unknown:
        raise ConfigError(f"config {path}: {unknown[0]} is not a setting")
    return table
