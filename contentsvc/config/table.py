"""Settings: each is declared here, once. `--help`, the sample file and docs/reference/settings.md
come from this table; `scripts/reference` writes the last two."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final, Literal

from psycopg2.extensions import parse_dsn

from contentsvc.config.kinds import (
    PLATFORMS,
    TYPES,
    clause,
    content_types,
    form,
    frame_origins,
    guests_may,
    inviters,
    markup,
    metadata,
    place,
    platforms,
    redress,
    style,
    topics,
    usernames,
)
from contentsvc.framework.config import kinds
from contentsvc.framework.config.kinds import Secret
from contentsvc.framework.config.setting import Section, Setting, StoreKey, store_key

MORE_CONNECTIONS = 1000
"""Connections for requests besides those for sockets, where `connections` is not set."""
_MIB: Final = 1024**2
_GIB: Final = 1024**3

NETWORK: Final = Section("Network and processes")
DATABASE: Final = Section("Database")
ACCOUNTS: Final = Section("Accounts")
MAIL: Final = Section("Mail")
GAME: Final = Section("Rules of the game")
RATES: Final = Section("Rate limits")
LOAD: Final = Section("Connections and memory")
QUOTAS: Final = Section("Quotas")
FILES: Final = Section("Files")
MODERATION: Final = Section("Moderation")

_OFTEN = kinds.number(0, 1_000_000)
_BYTES = kinds.number(0, kinds.MOST_BYTES)
_ONE_FILE = kinds.number(1, 5 * _GIB)
_MANY = kinds.number(0, 10**9)
_HOURS = kinds.number(1, 8760)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings of a daemon or of the command line tool."""

    listen: str = NETWORK.setting(
        kinds.endpoint,
        "tcp:8080:interface=127.0.0.1",
        "where the daemon listens",
        "`tcp:8080` is every interface, `unix:/run/contentsvc/http` a Unix socket. "
        "`:backlog=4096` is added if the endpoint has no backlog. Behind a proxy, keep the "
        "loopback interface.",
    )
    admin: str | None = NETWORK.setting(
        kinds.endpoint,
        None,
        "where to ask for /metrics, /live and /ready",
        "Without it, there is no such listener. Never let the internet reach it.",
        "tcp:9101:interface=127.0.0.1",
    )
    public_url: str | None = NETWORK.setting(
        kinds.url,
        None,
        "where clients reach the service; socketUrl is built on it",
        "It may have a path, which a proxy takes away. Without it, the service uses the client's "
        "Host header.",
        "https://content.example",
    )
    portal: bool = NETWORK.setting(
        kinds.flag,
        True,
        "is the web portal on?",
        "Its pages are at `/`, and log in at /portal/session. Off, `/` leads to /docs.",
    )
    brand: Path | None = NETWORK.setting(
        kinds.path,
        None,
        "file of the name, the pictures and the colours that the portal and mails have",
        "Without it, the portal is called contentsvc. etc/brand.sample has an example of it.",
        "/etc/contentsvc/brand.toml",
    )
    legal: Path | None = NETWORK.setting(
        kinds.path,
        None,
        "file of whom to write to in matters of law, and of the terms of the service",
        "GET /api/v1/legal shows it. etc/legal.toml.sample is an example of it.",
        "/etc/contentsvc/legal.toml",
    )
    embed_origins: tuple[str, ...] = NETWORK.setting(
        frame_origins,
        (),
        "web origins whose pages may have those of the portal in a frame",
        "None by default. /console, /settings, /account and /register are never in one. In a frame "
        "on another site, browsers keep no log-in.",
    )
    trusted_proxies: tuple[str, ...] = NETWORK.setting(
        kinds.proxies,
        (),
        "proxies whose X-Forwarded-For and X-Forwarded-Proto are believed",
        "`unix` means every peer on a Unix socket. The sample proxies need `127.0.0.1` and `::1`.",
    )
    cors_origins: tuple[str, ...] = NETWORK.setting(
        kinds.origins,
        ("*",),
        "web origins that may use the API and open portal sockets",
        "`*` means all.",
    )
    workers: int = NETWORK.setting(
        kinds.number(1, 64),
        1,
        "processes that share the port",
        '1 is one process without a parent. Settings "per process" apply to each of them.',
    )
    log_format: Literal["text", "json"] = NETWORK.setting(
        form, "text", "form of the log; json has one object a line"
    )
    slow_request: float = NETWORK.setting(
        kinds.seconds(0, 600),
        1.0,
        "after which time a request is slow, and makes a line in the log; 0: none does",
    )
    body_timeout: float = NETWORK.setting(
        kinds.seconds(0.1, 600),
        30.0,
        "time for a request's headers to arrive, and again for its body",
        "Then the answer is 408. For uploads of files, the longest time in which nothing arrives.",
    )
    drain_timeout: float = NETWORK.setting(
        kinds.seconds(0, 600), 10.0, "time that open requests have to finish when the daemon stops"
    )

    database: str | None = DATABASE.setting(
        kinds.dsn,
        None,
        "your Postgres; without it, an embedded one runs",
        "With it, `secret_file` is required.",
        "postgresql://contentsvc@db.example/contentsvc",
    )
    database_read: str | None = DATABASE.setting(
        kinds.dsn,
        None,
        "a streaming replica, for searches and long lists",
        "It needs `database`. Without it, all reads go to the database.",
        "postgresql://contentsvc@replica.example/contentsvc",
    )
    replica_max_lag: float = DATABASE.setting(
        kinds.seconds(0.1, 600),
        1.0,
        "how far the replica may be behind; then the database is read",
        "So long may searches and long lists not show what was just written.",
    )
    data_dir: Path = DATABASE.setting(
        kinds.path,
        "var",
        "folder of the embedded Postgres, of generated keys and of local files",
        "A relative path is below the folder in which the command starts: use an absolute one "
        "in a file.",
    )
    pool_size: int = DATABASE.setting(
        kinds.number(1, 500),
        8,
        "database connections per process",
        "Each process has two more: one hears the other processes, one watches the schema.",
    )
    statement_timeout: float = DATABASE.setting(
        kinds.seconds(0.1, 600), 15.0, "time that one statement may take"
    )

    guests: bool = ACCOUNTS.setting(
        kinds.flag,
        False,
        "may players begin as guests, without an address or a password?",
        "Off, nobody logs in as a guest any more, and log-ins that have begun go on.",
    )
    guests_per_address: int = ACCOUNTS.setting(
        _OFTEN,
        100,
        "new guests per client address in 24 hours; 0: no limit",
        "Raise it if many players share one address.",
    )
    guests_may: tuple[str, ...] = ACCOUNTS.setting(
        guests_may,
        (),
        "what guests may do of what others read",
        "`rate` is to vote, `comment` to write comments, `follow` to follow somebody, `message` to "
        "ask for friendship, to write messages and to invite to parties, `publish` to make "
        "content, public collections and a profile, and to send files.",
    )
    guest_retention: int = ACCOUNTS.setting(
        kinds.number(0, 36_500),
        90,
        "days after which guests who do not log in are deleted; 0: never",
        "Who has content that is not withdrawn stays.",
    )
    require_terms: bool = ACCOUNTS.setting(
        kinds.flag,
        False,
        "must players accept the terms of `legal` before others read of them?",
        "Until they have accepted the present version, they neither publish, comment, write "
        "messages, rate nor report, nor send files. Without terms the daemon does not start.",
    )
    secret_file: Path | None = ACCOUNTS.setting(
        kinds.path,
        None,
        "file of the keys that sign tokens; required with database",
        "Without it and without `database`, the daemon generates `secret.keys` in `data_dir`.",
        "/etc/contentsvc/keys",
    )
    issuers: Path | None = ACCOUNTS.setting(
        kinds.path,
        None,
        "file of the services whose tokens users may log in with: the studio's own, Steam",
        "Without it, there are none. etc/issuers.toml.sample is an example of it.",
        "/etc/contentsvc/issuers.toml",
    )
    registration: bool = ACCOUNTS.setting(
        kinds.flag, True, "may anyone register?", "`contentsvc user add` works anyway."
    )
    reserved_names: tuple[str, ...] = ACCOUNTS.setting(
        usernames,
        ("admin", "administrator", "contentsvc", "curator", "moderator", "staff", "support"),
        "usernames that only `contentsvc user add` gives",
        "Players would take who has one for staff. Case, `_`, `.` and `-` make no difference. A "
        "list of your own replaces this one: add the names of your studio and your game.",
    )
    username_days: int = ACCOUNTS.setting(
        kinds.number(0, 3650),
        30,
        "days in which users may change their names once; 0: no limit",
        "Moderators are not bound by it. Whatever it is, nobody else gets an old name for 30 days.",
    )
    sessions_per_user: int = ACCOUNTS.setting(
        _OFTEN,
        100,
        "log-ins per user that have not ended; 0: no limit",
        "Beyond it, the one that was used longest ago ends.",
    )
    failed_log_ins_per_address: int = ACCOUNTS.setting(
        _OFTEN,
        100,
        "wrong passwords and tokens per client address in 15 minutes; 0: no limit",
        "It counts over all accounts, and counts refused tokens of other services too. Raise "
        "it if many players share one address.",
    )

    smtp: Secret | None = MAIL.setting(
        kinds.smtp,
        None,
        "the mail server; without it no mail is sent",
        "Users confirm their addresses and reset their passwords by mail. User and password "
        "are percent-encoded. smtps:// begins with TLS; smtp:// asks for it, and goes on "
        "without only to this machine. Everybody on the machine can read a command line: do "
        "not give the password there.",
        "smtp://user:password@mail.example:587",
    )
    mail_from: str | None = MAIL.setting(
        kinds.mailbox,
        None,
        "address from which mail is sent; required with smtp",
        example="Studio <no-reply@studio.example>",
    )
    reset_url: str | None = MAIL.setting(
        kinds.reset_url,
        None,
        "page that the links in mails lead to",
        "`?token=…` is added. By default it is the portal's page `/account`, below `public_url`. "
        "Without one of these, it is required with smtp.",
        "https://portal.example/account",
    )
    mail_templates: Path | None = MAIL.setting(
        kinds.path,
        None,
        "folder of texts of mails that replace those of the service",
        "For a file that it lacks, the service uses its own.",
        "/etc/contentsvc/mails",
    )
    mails_per_address: int = MAIL.setting(
        _OFTEN,
        300,
        "requests for mails, and registrations, per client address in 15 minutes; 0: no limit",
    )
    mails_per_recipient: int = MAIL.setting(
        _OFTEN, 5, "mails per mailbox and hour that confirm addresses; 0: no limit"
    )

    debug_notify: bool = GAME.setting(
        kinds.flag_or_auto,
        kinds.AUTO,
        "does POST /api/v1/debug/notify exist?",
        "Every user can then send every other user any notification. `auto` is on only with "
        "the embedded Postgres, on a loopback address, without `public_url` and "
        "`trusted_proxies`.",
    )
    require_party_invite: bool = GAME.setting(
        kinds.flag, False, "can users answer only party invites that were made through the service?"
    )
    party_invites: Literal["anyone", "friends"] = GAME.setting(
        inviters, "anyone", "who may invite a user to a party"
    )
    platforms: tuple[str, ...] = GAME.setting(
        platforms,
        PLATFORMS,
        "platforms that packages may have files for",
        "A list of your own replaces this one. What packages have for a platform that is taken "
        "out of it stays, and is shown and downloaded as before.",
    )
    required_platforms: tuple[str, ...] = GAME.setting(
        kinds.words, (), "platforms that every package must support", "They are among `platforms`."
    )
    markup: Literal["markdown", "none"] = GAME.setting(
        markup,
        "markdown",
        "how the descriptions and change notes of content are written",
        "With `markdown` the portal shows their paragraphs, emphasis, headings, lists, quotes, "
        "code, rules, links and screenshots. The API answers texts as they were sent.",
    )
    terms_reference: str = MODERATION.setting(
        clause,
        "Terms of service",
        "clause of the terms to which decisions without one of their own refer",
        "At most 500 characters. It is shown to whom a decision concerns.",
        "Terms of service, 4: Conduct",
    )
    require_reasons: bool = MODERATION.setting(
        kinds.flag,
        False,
        "must moderators give a reason for whatever they take away?",
        "On, a suspension, a lock, a removal or a change without one is 400.",
    )
    redress: str = MODERATION.setting(
        redress,
        "You can appeal against this decision for 184 days. You can also go to a court.",
        "what users are told that they can do about a decision",
        "At most 4,096 characters: say who settles disputes out of court, if somebody does.",
        "You can appeal here for 184 days, or go to https://disputes.example or to a court.",
    )
    notification_retention: int = GAME.setting(
        kinds.number(0, 36_500), 90, "days that notifications are kept, read or unread; 0: forever"
    )
    unsend_minutes: int = GAME.setting(
        kinds.number(0, 5_256_000),
        60,
        "minutes for which who has sent a message can take it away; 0: without limit",
    )
    events: bool = GAME.setting(
        kinds.flag,
        True,
        "are events noted for the studio's back end?",
        "Off, there are no events and no webhooks: their paths are 404.",
    )
    event_retention: int = GAME.setting(
        kinds.number(0, 36_500), 30, "days that events are kept; 0: forever"
    )
    webhook_insecure: bool = GAME.setting(
        kinds.flag,
        False,
        "may webhooks have URLs of http too?",
        "For development: what is sent can be read and changed on its way.",
    )
    webhook_networks: tuple[str, ...] = GAME.setting(
        kinds.networks,
        (),
        "networks that webhooks may lead to although they are not public",
        "Whoever may make a webhook then reaches all that listens there.",
    )
    fan_out_seen_within: int = GAME.setting(
        kinds.number(0, 36_500),
        0,
        "days within which followers must have been seen to be notified of publications; 0: all",
        "A follower who comes back later never gets what was published meanwhile. Who is connected "
        "is seen, and who has renewed a log-in.",
    )

    specified_types: bool = GAME.setting(
        kinds.flag,
        True,
        "are game, asset, avatar_box, gameplay_box and scene_box types of content?",
        "Off, `content_types` must name the types, one at least.",
    )
    content_types: tuple[str, ...] = GAME.setting(
        content_types,
        (),
        "types of content beside those of `specified_types`",
        "Content of a type that is taken out of this list stays, and is listed as before.",
    )
    tags: Path | None = GAME.setting(
        kinds.path,
        None,
        "file of the tags that players choose from, in groups",
        "Without it, tags are whatever players write. etc/tags.sample is an example of it.",
        "/etc/contentsvc/tags.toml",
    )
    studio_unmutable: tuple[str, ...] = GAME.setting(
        topics,
        (),
        "topics of the studio's notifications that are told to those too who have muted them",
    )
    studio_per_user_day: int = GAME.setting(
        _OFTEN,
        20,
        "notifications that service accounts may send a user in a UTC day; 0: no limit",
        "What is beyond counts as failed. Those of admins do not count.",
    )

    service_requests_per_minute: int = RATES.setting(
        _OFTEN,
        6_000,
        "requests per service account and minute, in each process; 0: no limit",
    )
    comments_per_minute: int = RATES.setting(
        _OFTEN, 20, "new comments per user and minute; 0: no limit"
    )
    plays_per_minute: int = RATES.setting(
        _OFTEN, 120, "plays that are reported per user and minute; 0: no limit"
    )
    messages_per_minute: int = RATES.setting(
        _OFTEN, 60, "new messages per user and minute; 0: no limit"
    )
    follows_per_day: int = RATES.setting(
        _OFTEN, 300, "new follows per user in 24 hours; 0: no limit"
    )
    friend_requests_per_day: int = RATES.setting(
        _OFTEN, 100, "requests for friendship per user in 24 hours; 0: no limit"
    )
    publications_per_day: int = RATES.setting(
        _OFTEN, 100, "new content and new revisions per user in 24 hours; 0: no limit"
    )
    invitations_per_day: int = RATES.setting(
        _OFTEN, 100, "invitations of testers and members per user in 24 hours; 0: no limit"
    )
    reports_per_day: int = RATES.setting(_OFTEN, 50, "reports per user in 24 hours; 0: no limit")
    prechecks_per_minute: int = RATES.setting(
        _OFTEN,
        200,
        "pre-checks per user and minute; 0: no limit",
        "A pre-check counts as one more for each 100 of its dependencies and packages.",
    )
    rollbacks_per_hour: int = RATES.setting(
        _OFTEN,
        600,
        "revisions that a user makes the current one, per hour; 0: no limit",
        "A revision counts as one more for each 100 of its entities and packages.",
    )
    uploads_per_minute: int = RATES.setting(
        _OFTEN,
        300,
        "calls of POST /uploads per user and minute; 0: no limit",
        "A call counts as one more for each 100 of its files.",
    )
    user_updates_per_minute: int = RATES.setting(
        _OFTEN,
        60,
        "changes of a user's own avatar, emblem and profiles, per minute; 0: no limit",
    )
    exports_per_day: int = RATES.setting(
        _OFTEN, 5, "exports of all that there is of a user, per user in 24 hours; 0: no limit"
    )
    changes_per_hour: int = RATES.setting(
        _OFTEN,
        60,
        "updates and restorations of content, and what shows it to more, per user and hour; "
        "0: no limit",
    )
    renames_per_day: int = RATES.setting(
        _OFTEN,
        3,
        "changes of the name of each content in 24 hours; 0: no limit",
        "Those of admins do not count.",
    )
    invites_per_hour: int = RATES.setting(
        _OFTEN, 60, "party invites, and answers to them, per user and hour; 0: no limit"
    )

    connections: int | None = LOAD.setting(
        kinds.number(1, 2_000_000),
        None,
        "connections per process, including sockets",
        f"Without it: `sockets` plus {MORE_CONNECTIONS:,}. Above the limit, the next one is "
        "closed without an answer, or takes the place of one that has had no request for 5 s.",
        21_000,
    )
    sockets: int = LOAD.setting(
        _OFTEN, 20_000, "sockets per process", "Above the limit, new sockets are closed with 1013."
    )
    sockets_per_user: int = LOAD.setting(
        kinds.number(1, 1000),
        8,
        "sockets per user and process",
        "Above the limit, the user's oldest socket is closed with 4410.",
    )
    body_memory: int = LOAD.setting(
        kinds.number(4, 65_536),
        64,
        "MiB per process for request data that is still arriving",
        "It counts bodies, incomplete headers, pipelined requests and unread input. A quarter "
        "is for bodies of up to 16 KiB. Above the limit, the slowest requests get 503 or lose "
        "their connection.",
    )

    progress_keys: int = QUOTAS.setting(_MANY, 1000, "keys of progress data per user; 0: no limit")
    progress_bytes: int = QUOTAS.setting(
        _BYTES, 16 * _MIB, "bytes of progress values per user; 0: no limit"
    )
    subscriptions: int = QUOTAS.setting(
        _MANY, 2_000, "content that a user may keep, in any state; 0: no limit"
    )
    collections: int = QUOTAS.setting(
        _MANY, 200, "collections per user, beside the favourites; 0: no limit"
    )
    user_bytes: int = QUOTAS.setting(_BYTES, 2 * _GIB, "bytes of all files of a user; 0: no limit")
    new_user_bytes: int = QUOTAS.setting(
        _BYTES,
        256 * _MIB,
        "bytes of the files of a guest, or with smtp an unconfirmed address; 0: as user_bytes",
    )
    pending_files: int = QUOTAS.setting(
        _MANY, 10_000, "files that a user may announce without sending their bytes; 0: no limit"
    )

    files: Literal["local", "s3", "external"] = FILES.setting(
        place,
        None,
        "where files lie",
        "`local` is the folder `files` in `data_dir`, which all daemons must share. `external` "
        "is the studio's own place, of which the service knows nothing. Without the setting it "
        "is `local` with the embedded Postgres. With `database` it is `external`, so that "
        "nobody can upload anything: say what you want.",
        "local",
    )
    s3_endpoint: str | None = FILES.setting(
        kinds.store_url,
        None,
        "the S3 store; required with files = s3",
        example="https://s3.example",
    )
    s3_region: str = FILES.setting(kinds.word, "us-east-1", "region of the S3 store")
    s3_style: Literal["path", "virtual"] = FILES.setting(
        style,
        "path",
        "where a bucket stands in a URL of the S3 store",
        "`path` is `https://s3.example/content`; `virtual` is `https://content.s3.example`, for "
        "stores that have only that: the name and the certificate of each bucket must be there.",
        "virtual",
    )
    s3_content_bucket: str | None = FILES.setting(
        kinds.bucket,
        None,
        "bucket of entities and packages; required with files = s3",
        example="content",
    )
    s3_media_bucket: str | None = FILES.setting(
        kinds.bucket,
        None,
        "bucket of images; required with files = s3",
        "Everybody must be able to read it.",
        "media",
    )
    aws_access_key_id: Secret | None = store_key(
        "Name of the key of the S3 store. If this variable or the next one is in the "
        "environment, all three keys are read from the environment only. With keys in a file, "
        "let only the service's user read it.",
        "id",
    )
    aws_secret_access_key: Secret | None = store_key("The key itself.", "secret")
    aws_session_token: Secret | None = store_key("For keys that are good for a time only.", "token")
    media_url: str | None = FILES.setting(
        kinds.url,
        None,
        "where players read images, such as a CDN",
        "Without it, the place where they lie.",
        "https://media.example",
    )
    require_files: bool = FILES.setting(
        kinds.flag,
        False,
        "must all paths of content, avatars and emblems be those of uploaded files?",
    )
    scale_images: bool = FILES.setting(
        kinds.flag,
        True,
        "make smaller images of each image?",
        "A process of its own does that, when nobody else needs the processor.",
    )
    image_metadata: Literal["keep", "refuse"] = FILES.setting(
        metadata,
        "keep",
        "what becomes of images with metadata, such as where they were taken",
        "Both clients and the portal leave it out before they send an image. With `refuse`, an "
        "image that another client sends with it is 422 `image_has_metadata`.",
    )
    file_bytes: int = FILES.setting(_ONE_FILE, 512 * _MIB, "bytes of a file")
    image_bytes: int = FILES.setting(_ONE_FILE, 8 * _MIB, "bytes of an image")
    disk_reserve: int | None = FILES.setting(
        _BYTES,
        None,
        "with files = local, bytes of the disk that uploads leave free",
        "Without it: a tenth of a disk that the embedded Postgres is on too, at least 64 MiB "
        "and at most 2 GiB; 64 MiB of any other disk.",
        1024**3,
    )
    due_hours: int = MODERATION.setting(
        _HOURS, 72, "hours within which a report is to be answered", "The queue says what is due."
    )
    due_hours_notices: int = MODERATION.setting(
        _HOURS, 24, "hours within which a notice is to be answered"
    )
    due_hours_child: int = MODERATION.setting(
        _HOURS, 1, "hours within which a notice of the abuse of children is to be answered"
    )
    notices_per_address: int = MODERATION.setting(
        _OFTEN, 20, "notices per client address in 24 hours; 0: no limit"
    )
    notice_retention: int = MODERATION.setting(
        kinds.number(0, 36_500),
        730,
        "days after which name, address and signature of a notice are erased; 0: never",
    )
    report_retention: int = MODERATION.setting(
        kinds.number(0, 36_500),
        730,
        "days after which closed reports are deleted with their evidence; 0: never",
    )
    files_off: bool
    """Whether files are `external` only because nobody has said where they lie."""

    @property
    def most_connections(self) -> int:
        """The limit of connections, sockets included."""
        return self.connections or self.sockets + MORE_CONNECTIONS

    @property
    def types(self) -> tuple[str, ...]:
        """The types of content."""
        return (*(TYPES if self.specified_types else ()), *self.content_types)

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


SETTINGS = tuple(
    Setting(each.name, *each.metadata[Setting])
    for each in fields(Settings)
    if Setting in each.metadata
)
STORE_KEYS = {
    each.name: each.metadata[StoreKey] for each in fields(Settings) if StoreKey in each.metadata
}
"""The keys of the S3 store, which are no options."""
