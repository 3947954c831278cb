"""Settings: read once, from the command line, the environment and a TOML file.

Each setting is a field of Settings, in `config.table`: its name is a key of the file, `--its-name`
an option and CONTENTSVC_ITS_NAME an environment variable. An option overrides the environment,
which overrides the file, which overrides the default.

The keys of the S3 store are no options: everybody on the machine can read a command line. They have
the names that AWS gave them, AWS_ACCESS_KEY_ID and aws_access_key_id.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from contentsvc.config.table import SETTINGS, STORE_KEYS, Settings
from contentsvc.framework.config import reading
from contentsvc.framework.config.kinds import AUTO, MAILBOX, Secret, is_loopback, secret
from contentsvc.framework.config.reading import ConfigError, Source, written
from contentsvc.framework.config.setting import Setting
from contentsvc.framework.core.host_names import is_address

__all__ = [
    "SETTINGS",
    "STORE_KEYS",
    "ConfigError",
    "Mail",
    "Setting",
    "Settings",
    "Store",
    "is_ours",
    "log_format",
    "mail_of",
    "read",
    "store_of",
    "variable",
    "variables",
    "written",
]

_PREFIX = "CONTENTSVC_"
_LABELS = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*")
"""What a bucket is named that stands before a host."""


class Store(NamedTuple):
    """The settings of an S3 store."""

    s3_endpoint: str
    s3_region: str
    s3_content_bucket: str
    s3_media_bucket: str
    aws_access_key_id: Secret
    aws_secret_access_key: Secret
    aws_session_token: Secret | None
    s3_style: str

    @property
    def virtual(self) -> bool:
        """Whether the store has its buckets as host names."""
        return self.s3_style == "virtual"

    @property
    def place(self) -> tuple[str, str, str, str]:
        """Endpoint, region, content bucket and media bucket."""
        return self[:4]

    @property
    def keys(self) -> tuple[str, str, str | None]:
        """The three keys, in plain text."""
        token = self.aws_session_token
        return (
            self.aws_access_key_id.value,
            self.aws_secret_access_key.value,
            None if token is None else token.value,
        )


class Mail(NamedTuple):
    """The settings of mail. With `implicit_tls`, the connection begins with TLS."""

    host: str
    port: int
    implicit_tls: bool
    user: str | None
    password: Secret | None
    sender: str
    sender_name: str
    reset_url: str
    templates: Path | None


def log_format(options: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    """The setting of this name even if others are wrong, since that is to be said in this form."""
    file = options.get("config") or environ.get(_PREFIX + "CONFIG")
    table: dict[str, Any] = {}
    with suppress(OSError, ValueError):
        table = reading.toml(Path(file)) if file else {}
    setting = next(setting for setting in SETTINGS if setting.name == "log_format")
    _, value = Source(_PREFIX, options, environ, str(file), table).given(setting)
    return "json" if value == "json" else "text"


def read(options: Mapping[str, Any], environ: Mapping[str, str]) -> Settings:
    """Read the settings. `options` has an entry for each given option; its `config` is the file.

    Raises ConfigError.
    """
    file = options.get("config") or environ.get(_PREFIX + "CONFIG")
    known = {*(setting.name for setting in SETTINGS), *STORE_KEYS}
    table = reading.table(Path(file), known) if file else {}
    values = Source(_PREFIX, options, environ, str(file), table).values(SETTINGS)
    values["files_off"] = values["files"] is None and values["database"] is not None
    if values["files"] is None:
        values["files"] = "local" if values["database"] is None else "external"
    if values["debug_notify"] == AUTO:
        values["debug_notify"] = (
            values["database"] is None
            and is_loopback(values["listen"])
            and values["public_url"] is None
            and not values["trusted_proxies"]
        )
    values |= _store_keys(table, str(file), environ)
    settings = Settings(**values)
    if settings.database is not None and settings.secret_file is None:
        raise ConfigError("secret_file is required when database is set")
    if settings.database_read is not None and settings.database is None:
        raise ConfigError("database is required when database_read is set")
    _check_game(settings)
    return settings


def _check_game(settings: Settings) -> None:
    """Raises ConfigError unless its platforms and types go together."""
    for name in settings.required_platforms:
        if name not in settings.platforms:
            allowed = ", ".join(settings.platforms)
            raise ConfigError(f"required_platforms has {name!r}, which is not among {allowed}")
    if not settings.types:
        raise ConfigError("content_types must name a type when specified_types is off")
    for name in settings.content_types:
        if settings.types.count(name) > 1:
            raise ConfigError(f"content_types has {name!r}, which is a type already")


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
    for name in ("s3_content_bucket", "s3_media_bucket"):
        if store.virtual and not _LABELS.fullmatch(getattr(store, name)):
            raise ConfigError(f"{name} must be of a-z, 0-9, . and - with s3_style = virtual")
    if store.virtual and is_address(urlsplit(store.s3_endpoint).hostname or ""):
        raise ConfigError("s3_endpoint must have a name, and no address, with s3_style = virtual")
    return store


def mail_of(settings: Settings) -> Mail | None:
    """What is needed to send mail; None if none is sent. Raises ConfigError if a part is
    missing."""
    if settings.smtp is None:
        return None
    if settings.mail_from is None:
        raise ConfigError("mail_from is required when smtp is set")
    reset_url = settings.reset_url
    if reset_url is None:
        if settings.public_url is None or not settings.portal:
            raise ConfigError("reset_url is required when smtp is set, unless public_url is")
        reset_url = f"{settings.public_url.rstrip('/')}/account"
    url = urlsplit(settings.smtp.value)
    named = MAILBOX.fullmatch(settings.mail_from)
    if named is None or url.hostname is None:
        raise ConfigError("mail_from must be an address")
    return Mail(
        host=url.hostname,
        port=url.port or (465 if url.scheme == "smtps" else 25),
        implicit_tls=url.scheme == "smtps",
        user=None if url.username is None else unquote(url.username),
        password=None if url.password is None else Secret(unquote(url.password)),
        sender=named[2] or named[3],
        sender_name=named[1] or "",
        reset_url=reset_url,
        templates=settings.mail_templates,
    )


def is_ours(variable: str) -> bool:
    """Whether `read` heeds this variable of the environment."""
    return variable.startswith(_PREFIX) or variable.lower() in STORE_KEYS


def variables(settings: Settings) -> dict[str, str]:
    """The environment variables from which `read` makes the same settings."""
    values = {setting.name: getattr(settings, setting.name) for setting in SETTINGS}
    if settings.files_off:
        values["files"] = None
    keys = {name: getattr(settings, name) for name in STORE_KEYS}
    return {
        variable(name): text
        for name, value in values.items()
        if (text := written(value)) is not None
    } | {name.upper(): key.value for name, key in keys.items() if key is not None}


def variable(name: str) -> str:
    """The variable of the environment with the setting of this name."""
    return _PREFIX + name.upper()
