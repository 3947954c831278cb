"""The table of all settings, and the Settings that are read by it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msgspec import Struct
from psycopg2.extensions import parse_dsn

from contentsvc.config.kinds import (
    AUTO,
    Secret,
    bucket,
    dsn,
    endpoint,
    flag,
    flag_or_auto,
    form,
    inviters,
    mailbox,
    number,
    origins,
    path,
    place,
    platforms,
    proxies,
    reset_url,
    seconds,
    smtp,
    store_url,
    url,
    word,
)

MORE_CONNECTIONS = 1000
"""Connections for requests besides those for sockets, where `connections` is not set."""
_MIB = 1024**2


class Settings(Struct, frozen=True, kw_only=True):
    """All settings of a daemon or of the command line tool."""

    listen: str
    admin: str | None
    """The endpoint of the admin listener; None means that there is none."""
    log_format: Literal["text", "json"]
    database: str | None
    """A libpq URL or DSN; None means the embedded Postgres."""
    database_read: str | None
    """A libpq URL or DSN of a replica; None without one."""
    data_dir: Path
    public_url: str | None
    workers: int
    """Processes that share the port. 1 means one process without a parent."""
    secret_file: Path | None
    """None means one in the data dir, made at first start."""
    issuers: Path | None
    """None means that the service takes no tokens of others."""
    registration: bool
    smtp: Secret | None
    """The URL of the mail server; None means that no mail is sent."""
    mail_from: str | None
    reset_url: str | None
    mail_templates: Path | None
    """None means the texts that come with the service."""
    mails_per_address: int
    mails_per_recipient: int
    """0 means no limit."""
    debug_notify: bool
    """`auto` is decided by then: on where only this machine reaches the service, on trial."""
    require_party_invite: bool
    party_invites: Literal["anyone", "friends"]
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
    changes_per_hour: int
    invites_per_hour: int
    """These are per user; 0 means no limit."""
    pool_size: int
    statement_timeout: float
    body_timeout: float
    drain_timeout: float
    slow_request: float
    """These four in seconds."""
    body_memory: int
    """In MiB."""
    connections: int | None
    """None means `sockets` plus MORE_CONNECTIONS."""
    sockets: int
    sockets_per_user: int
    sessions_per_user: int
    progress_keys: int
    progress_bytes: int
    """These two are per user; 0 means no limit."""
    notification_retention: int
    """In days; 0 means forever."""
    files: Literal["local", "s3", "external"]
    """Where files lie."""
    files_off: bool
    """Whether they are `external` only because nobody has said where they lie."""
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
    new_user_bytes: int
    pending_files: int
    """The last three are per user. 0 means no limit; for `new_user_bytes`, that of `user_bytes`."""
    disk_reserve: int | None
    """In bytes; None means that it depends on the disk."""

    @property
    def most_connections(self) -> int:
        """The limit of connections, sockets included."""
        return self.connections or self.sockets + MORE_CONNECTIONS

    @property
    def keys_path(self) -> Path:
        """The file of the keys."""
        return self.secret_file or self.data_dir / "secret.keys"

    @property
    def database_folder(self) -> Path | None:
        """The folder of the embedded Postgres; None with one's own."""
        folder = self.data_dir / "postgres"
        if self.database is None:
            return folder
        # Workers get the URL of the embedded one from their parent.
        local = str(parse_dsn(self.database).get("host", "")).startswith("/")
        return folder if local and folder.is_dir() else None

    @property
    def files_folder(self) -> Path:
        """The folder of the files, with `files` local."""
        return self.data_dir / "files"


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
    Setting("admin", None, endpoint, "Twisted endpoint for /metrics, /live and /ready"),
    Setting("log_format", "text", form, "text or json: the form of the log"),
    Setting("database", None, dsn, "libpq URL or DSN; without it, an embedded Postgres runs"),
    Setting("database_read", None, dsn, "libpq URL or DSN of a streaming replica, for long reads"),
    Setting("data_dir", "var", path, "folder of the embedded Postgres and of generated keys"),
    Setting("public_url", None, url, "URL that clients use; socketUrl is built on it"),
    Setting("workers", 1, number(1, 64), "processes that share the port"),
    Setting(
        "secret_file", None, path, "file of the keys that sign tokens; required with --database"
    ),
    Setting(
        "issuers", None, path, "file of those whose tokens are taken for a log-in: the studio's own"
    ),
    Setting("registration", True, flag, "on or off: may anyone register?"),
    Setting("smtp", None, smtp, "URL of the mail server; without it no mail is sent"),
    Setting("mail_from", None, mailbox, "address from which mail is sent, with --smtp"),
    Setting(
        "reset_url",
        None,
        reset_url,
        "URL of the page that the links in mails lead to, with --smtp",
    ),
    Setting("mail_templates", None, path, "folder of texts of mails, instead of ours"),
    Setting(
        "mails_per_address",
        300,
        number(0, 1_000_000),
        "requests for mails, and registrations, per client address in 15 minutes; 0: no limit",
    ),
    Setting(
        "mails_per_recipient",
        5,
        number(0, 1_000_000),
        "mails per mailbox and hour that confirm addresses; 0: no limit",
    ),
    Setting(
        "debug_notify",
        AUTO,
        flag_or_auto,
        "on, off, or auto (on with the embedded Postgres, a loopback address to listen on, and "
        "neither public_url nor trusted_proxies): does POST /api/v1/debug/notify exist?",
    ),
    Setting(
        "require_party_invite",
        False,
        flag,
        "on or off: does the answer to a party invite need an invite?",
    ),
    Setting(
        "party_invites", "anyone", inviters, "anyone or friends: who may invite a user to a party"
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
        "wrong passwords and tokens per client address in 15 minutes; 0: no limit",
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
    Setting(
        "changes_per_hour",
        60,
        number(0, 1_000_000),
        "changes of content per user and hour: updates, withdrawals and restorations; 0: no limit",
    ),
    Setting(
        "invites_per_hour",
        60,
        number(0, 1_000_000),
        "invites to parties, and answers to them, per user and hour; 0: no limit",
    ),
    Setting("pool_size", 8, number(1, 500), "database connections per process"),
    Setting("statement_timeout", 15.0, seconds(0.1, 600), "seconds per database statement"),
    Setting("body_timeout", 30.0, seconds(0.1, 600), "seconds for headers, and for the body"),
    Setting("drain_timeout", 10.0, seconds(0, 600), "seconds for open requests at stop"),
    Setting(
        "slow_request",
        1.0,
        seconds(0, 600),
        "seconds after which a request is slow, and makes a line in the log; 0: none does",
    ),
    Setting("body_memory", 64, number(4, 65_536), "MiB for arriving request data per process"),
    Setting("connections", None, number(1, 2_000_000), "connections per process, with sockets"),
    Setting("sockets", 20_000, number(0, 1_000_000), "sockets per process"),
    Setting("sockets_per_user", 8, number(1, 1000), "sockets per user and process"),
    Setting(
        "sessions_per_user",
        100,
        number(0, 1_000_000),
        "log-ins per user that have not ended; 0: no limit",
    ),
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
        "new_user_bytes",
        256 * _MIB,
        number(0, 2**53),
        "with --smtp, bytes of the files of a user without a confirmed address; 0: as user_bytes",
    ),
    Setting(
        "pending_files",
        10_000,
        number(0, 10**9),
        "files that a user may announce without their bytes; 0: no limit",
    ),
    Setting(
        "disk_reserve",
        None,
        number(0, 2**53),
        "with --files local, bytes of the disk that uploads leave free",
    ),
)
