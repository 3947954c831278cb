"""Settings: read once, from the command line, the environment and a TOML file.

Each setting is one line of SETTINGS: its name is a key of the file, `--its-name` an option
and CONTENTSVC_ITS_NAME an environment variable. An option overrides the environment, which
overrides the file, which overrides the default.

The keys of the S3 store are no options: everybody on the machine can read a command line. They have
the names that AWS gave them, AWS_ACCESS_KEY_ID and aws_access_key_id.
"""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from contentsvc.config.kinds import (
    Secret,
    bucket,
    dsn,
    endpoint,
    flag,
    number,
    origins,
    path,
    place,
    platforms,
    proxies,
    seconds,
    secret,
    store_url,
    url,
    word,
)

MORE_CONNECTIONS = 1000
"""Connections for requests besides those for sockets, where `connections` is not set."""
_PREFIX = "CONTENTSVC_"
_MIB = 1024**2


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
    messages_per_minute: int
    follows_per_day: int
    friend_requests_per_day: int
    publications_per_day: int
    reports_per_day: int
    """These are per user; 0 means no limit."""
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
    files: Literal["local", "s3", "external"]
    """Where files lie."""
    s3_endpoint: str | None
    s3_region: str
    s3_content_bucket: str | None
    s3_media_bucket: str | None
    media_url: str | None
    """None means that of the place where files lie."""
    aws_access_key_id: Secret | None
    aws_secret_access_key: Secret | None
    aws_session_token: Secret | None
    require_files: bool
    file_bytes: int
    image_bytes: int
    user_bytes: int
    pending_files: int
    """The last two are per user. 0 means no limit."""

    @property
    def most_connections(self) -> int:
        """The limit of connections, sockets included."""
        return self.connections or self.sockets + MORE_CONNECTIONS

    @property
    def keys_path(self) -> Path:
        """The file of the keys."""
        return self.secret_file or self.data_dir / "secret.keys"

    @property
    def files_folder(self) -> Path:
        """The folder of the files, with `files` local."""
        return self.data_dir / "files"


class Store(NamedTuple):
    """The settings of an S3 store."""

    s3_endpoint: str
    s3_region: str
    s3_content_bucket: str
    s3_media_bucket: str
    aws_access_key_id: Secret
    aws_secret_access_key: Secret
    aws_session_token: Secret | None

    @property
    def keys(self) -> tuple[str, str, str | None]:
        """The three keys, in plain text."""
        token = self.aws_session_token
        return (
            self.aws_access_key_id.value,
            self.aws_secret_access_key.value,
            None if token is None else token.value,
        )


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


SETTINGS = (
    Setting(
        "listen",
        "tcp:8080:interface=127.0.0.1",
        endpoint,
        "Twisted endpoint to listen on",
    ),
    Setting("database", None, dsn, "libpq URL or DSN; without it, an embedded Postgres runs"),
    Setting("data_dir", "var", path, "folder of the embedded Postgres and of generated keys"),
    Setting("public_url", None, url, "URL that clients use; socketUrl is built on it"),
    Setting("workers", 1, number(1, 64), "processes that share the port"),
    Setting(
        "secret_file", None, path, "file of the keys that sign tokens; required with --database"
    ),
    Setting("registration", True, flag, "on or off: may anyone register?"),
    Setting("debug_notify", True, flag, "on or off: does POST /api/v1/debug/notify exist?"),
    Setting(
        "require_party_invite",
        False,
        flag,
        "on or off: does the answer to a party invite need an invite?",
    ),
    Setting(
        "required_platforms",
        (),
        platforms,
        "platforms that every package must support, with commas",
    ),
    Setting(
        "cors_origins", ("*",), origins, "web origins that may use the API, with commas; * for all"
    ),
    Setting(
        "trusted_proxies",
        (),
        proxies,
        "proxies whose X-Forwarded headers are believed, with commas",
    ),
    Setting(
        "failed_log_ins_per_address",
        100,
        number(0, 1_000_000),
        "wrong passwords per client address in 15 minutes; 0: no limit",
    ),
    Setting(
        "comments_per_minute",
        20,
        number(0, 1_000_000),
        "comments per user and minute; 0: no limit",
    ),
    Setting(
        "messages_per_minute",
        60,
        number(0, 1_000_000),
        "messages per user and minute; 0: no limit",
    ),
    Setting(
        "follows_per_day",
        300,
        number(0, 1_000_000),
        "new follows per user in 24 hours; 0: no limit",
    ),
    Setting(
        "friend_requests_per_day",
        100,
        number(0, 1_000_000),
        "requests for friendship per user in 24 hours; 0: no limit",
    ),
    Setting(
        "publications_per_day",
        100,
        number(0, 1_000_000),
        "publications per user in 24 hours: new content, and new revisions; 0: no limit",
    ),
    Setting(
        "reports_per_day",
        50,
        number(0, 1_000_000),
        "reports per user in 24 hours; 0: no limit",
    ),
    Setting("pool_size", 8, number(1, 500), "database connections per process"),
    Setting("statement_timeout", 15.0, seconds(0.1, 600), "seconds per database statement"),
    Setting("body_timeout", 30.0, seconds(0.1, 600), "seconds for headers, and for the body"),
    Setting("drain_timeout", 10.0, seconds(0, 600), "seconds for open requests at stop"),
    Setting("body_memory", 64, number(4, 65_536), "MiB for arriving request data per process"),
    Setting("connections", None, number(1, 2_000_000), "connections per process, with sockets"),
    Setting("sockets", 20_000, number(0, 1_000_000), "sockets per process"),
    Setting("sockets_per_user", 8, number(1, 1000), "sockets per user and process"),
    Setting("progress_keys", 1000, number(0, 10**9), "progress keys per user; 0: no limit"),
    Setting(
        "progress_bytes",
        16 * _MIB,
        number(0, 2**53),
        "bytes of progress values per user; 0: no limit",
    ),
    Setting(
        "notification_retention",
        90,
        number(0, 36_500),
        "days that notifications are kept; 0: forever",
    ),
    Setting(
        "files",
        None,
        place,
        "where files lie: local (a folder in the data dir; the default with the embedded "
        "Postgres), s3, or external (the studio's own; the default with --database)",
    ),
    Setting("s3_endpoint", None, store_url, "URL of the S3 store, with --files s3"),
    Setting("s3_region", "us-east-1", word, "region of the S3 store"),
    Setting("s3_content_bucket", None, bucket, "bucket of entities and packages"),
    Setting("s3_media_bucket", None, bucket, "bucket of images, which everybody can read"),
    Setting("media_url", None, url, "URL under which players read images"),
    Setting(
        "require_files",
        False,
        flag,
        "on or off: must all paths be those of uploaded files?",
    ),
    Setting("file_bytes", 512 * _MIB, number(1, 5 * 1024**3), "bytes of a file"),
    Setting("image_bytes", 8 * _MIB, number(1, 5 * 1024**3), "bytes of an image"),
    Setting(
        "user_bytes", 2048 * _MIB, number(0, 2**53), "bytes of a user's files; 0: no limit"
    ),
    Setting(
        "pending_files",
        10_000,
        number(0, 10**9),
        "files that a user may announce without their bytes; 0: no limit",
    ),
)

STORE_KEYS = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")


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
    if values["files"] is None:
        values["files"] = "local" if values["database"] is None else "external"
    values |= _store_keys(table, str(file), environ)
    settings = Settings(**values)
    if settings.database is not None and settings.secret_file is None:
        raise ConfigError("secret_file is required when database is set")
    return settings


def _store_keys(
    table: Mapping[str, Any], file: str, environ: Mapping[str, str]
) -> dict[str, Secret | None]:
    """All from one place: a key of the environment does not go with one of the file."""
    given = {name: environ[name.upper()] for name in STORE_KEYS if environ.get(name.upper())}
    if "aws_access_key_id" not in given and "aws_secret_access_key" not in given:
        given = {name: table[name] for name in STORE_KEYS if name in table}
    found: dict[str, Secret | None] = dict.fromkeys(STORE_KEYS)
    for name, value in given.items():
        try:
            found[name] = secret(value)
        except ValueError as error:
            raise ConfigError(f"{file}: {name} {error}") from None
    return found


def store_of(settings: Settings) -> Store:
    """The S3 store that these settings name. Only its users ask for it: a command on the database
    alone needs no keys. Raises ConfigError if something is missing."""
    found: list[Any] = []
    for name in Store._fields:
        value = getattr(settings, name)
        named = f"{name.upper()} or {name}" if name in STORE_KEYS else name
        if value is None and name != "aws_session_token":
            raise ConfigError(f"{named} is required when files is s3")
        if isinstance(value, Secret) and not value.sendable:
            raise ConfigError(f"{named} must be of visible ASCII characters")
        found.append(value)
    store = Store(*found)
    if store.s3_content_bucket == store.s3_media_bucket:
        raise ConfigError("s3_media_bucket must not be s3_content_bucket")
    return store


def is_ours(variable: str) -> bool:
    """Whether `read` heeds this variable of the environment."""
    return variable.startswith(_PREFIX) or variable.lower() in STORE_KEYS


def variables(settings: Settings) -> dict[str, str]:
    """The environment variables from which `read` makes the same settings."""
    values = {setting.name: getattr(settings, setting.name) for setting in SETTINGS}
    keys = {name: getattr(settings, name) for name in STORE_KEYS}
    return {
        _PREFIX + name.upper(): _written(value)
        for name, value in values.items()
        if value is not None
    } | {name.upper(): key.value for name, key in keys.items() if key is not None}


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
    unknown = sorted(set(table) - {setting.name for setting in SETTINGS} - set(STORE_KEYS))
    if unknown:
        raise ConfigError(f"config {path}: {unknown[0]} is not a setting")
    return table
