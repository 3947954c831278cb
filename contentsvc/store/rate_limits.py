"""The list of the limits on how often something may happen. Their effects are rows of one table,
`rate_limits`, which one function reads and writes (schema/functions/rate_limit.sql).

A limit slides: within any of its spans the number of effects is limited, over all processes
together, however many come at once. Only committed effects count: no repeat and no refusal.
"""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, none, one

MINUTE: Final = 60
HOUR: Final = 3600
DAY: Final = 24 * HOUR
"""Seconds."""
_LOG_INS: Final = 15 * MINUTE
PARTS: Final = 100
"""So many parts of one effect count as another."""


class Limit(NamedTuple):
    """A limit: its name in the table, what it `counts`, of whom or what (`per`), and the seconds of
    its `span`. The setting `option` gives the maximum, 0 for any number; without one, it is
    `most`."""

    name: str
    counts: str
    per: str
    span: int
    option: str | None = None
    most: int = 0


ANNOUNCEMENTS: Final = Limit(
    "announcements",
    "content that becomes public; nobody is told of what is beyond",
    "author",
    DAY,
    most=10,
)
CHANGES: Final = Limit(
    "changes",
    "updates and restorations of content, and what shows it to more",
    "user",
    HOUR,
    "changes_per_hour",
)
COMMENTS: Final = Limit("comments", "new comments", "user", MINUTE, "comments_per_minute")
CONFIRMATIONS: Final = Limit(
    "confirmations", "mails that the user asks for, to confirm addresses", "user", HOUR, most=20
)
CONTENT_RENAMES: Final = Limit(
    "content_renames",
    "changes of a content's name, by who is no admin",
    "content",
    DAY,
    "renames_per_day",
)
EXPORTING: Final = Limit(
    "exporting", "exports at once; one that is read keeps its place", "user", MINUTE, most=1
)
EXPORTS: Final = Limit(
    "exports", "exports of all that there is of a user", "user", DAY, "exports_per_day"
)
FOLLOWS: Final = Limit("follows", "new follows", "user", DAY, "follows_per_day")
FRIEND_REQUESTS: Final = Limit(
    "friend_requests", "requests for friendship", "user", DAY, "friend_requests_per_day"
)
GUESTS: Final = Limit("guests", "new guests", "address", DAY, "guests_per_address")
INVITATIONS: Final = Limit(
    "invitations", "invitations of testers and members", "user", DAY, "invitations_per_day"
)
INVITES: Final = Limit(
    "invites", "party invites, and answers to them", "user", HOUR, "invites_per_hour"
)
LINKS: Final = Limit(
    "links",
    "links and unlinks of accounts elsewhere of which a mail tells the user",
    "user",
    HOUR,
    most=20,
)
LOG_INS: Final = Limit("log_ins", "wrong passwords", "account and address", _LOG_INS, most=10)
LOG_INS_OF_ADDRESS: Final = Limit(
    "log_ins_of_address",
    "wrong passwords, and wrong tokens of other services, over all accounts",
    "address",
    _LOG_INS,
    "failed_log_ins_per_address",
)
MAIL_REQUESTS: Final = Limit(
    "mail_requests",
    "requests for mails, and registrations",
    "address",
    _LOG_INS,
    "mails_per_address",
)
MAILS: Final = Limit(
    "mails", "mails that confirm addresses", "mailbox", HOUR, "mails_per_recipient"
)
MESSAGES: Final = Limit("messages", "new messages", "user", MINUTE, "messages_per_minute")
NOTICES: Final = Limit("notices", "notices", "address", DAY, "notices_per_address")
PLAYS: Final = Limit("plays", "plays", "user", MINUTE, "plays_per_minute")
PORTAL_CODES: Final = Limit(
    "portal_codes", "codes with which a game opens the portal", "user", MINUTE, most=10
)
PRECHECKS: Final = Limit(
    "prechecks",
    "pre-checks; one counts once more for each 100 parts",
    "user",
    MINUTE,
    "prechecks_per_minute",
)
PUBLICATIONS: Final = Limit(
    "publications", "new content and new revisions", "user", DAY, "publications_per_day"
)
RECEIPTS: Final = Limit(
    "receipts",
    "mails about notices, to whoever has sent them; nobody is told of those beyond",
    "mailbox",
    DAY,
    most=5,
)
RENAMES: Final = Limit(
    "renames",
    "changes of the own name, by who is no moderator; `username_days` says in how many days",
    "user",
    30 * DAY,
    most=1,
)
REPORTS: Final = Limit("reports", "reports", "user", DAY, "reports_per_day")
RESETS: Final = Limit(
    "resets",
    "mails with a link to set a password; nobody is told of those beyond",
    "user",
    HOUR,
    most=10,
)
ROLLBACKS: Final = Limit(
    "rollbacks",
    "revisions made the current one; one counts once more for each 100 parts",
    "user",
    HOUR,
    "rollbacks_per_hour",
)
UPLOADS: Final = Limit(
    "uploads",
    "announcements of files, the same again too; one counts once more for each 100 files",
    "user",
    MINUTE,
    "uploads_per_minute",
)
USER_UPDATES: Final = Limit(
    "user_updates",
    "changes of the own avatar, emblem and profiles",
    "user",
    MINUTE,
    "user_updates_per_minute",
)
LIMITS: Final = (
    *(ANNOUNCEMENTS, CHANGES, COMMENTS, CONFIRMATIONS, CONTENT_RENAMES, EXPORTING),
    *(EXPORTS, FOLLOWS, FRIEND_REQUESTS, GUESTS, INVITATIONS, INVITES, LINKS, LOG_INS),
    *(LOG_INS_OF_ADDRESS, MAIL_REQUESTS, MAILS, MESSAGES, NOTICES, PLAYS, PORTAL_CODES),
    *(PRECHECKS, PUBLICATIONS, RECEIPTS, RENAMES, REPORTS, RESETS, ROLLBACKS, UPLOADS),
    USER_UPDATES,
)
"""All limits, in the order in which whoever needs several asks."""


def span(limit: Limit) -> str:
    """The span of a limit, in SQL."""
    return f"interval '{limit.span} seconds'"


def taken(limit: Limit, subject: str, most: str = ":most", account: str = "null") -> str:
    """A part of a statement that does what `take` does. `subject`, `most` and `account` are SQL.
    `account` is the user with whom the effect is forgotten, if the subject is another."""
    return _call(limit, subject, most, f"{span(limit)}, {account}")


def looked(limit: Limit, subject: str, most: str = ":most") -> str:
    """The same of what counts nothing: the seconds until there may be one more, 0 if now."""
    return _call(limit, subject, most, f"{span(limit)}, counts => false")


def _call(limit: Limit, subject: str, most: str, rest: str) -> str:
    return f"""case when {most}::integer > 0
        then rate_limit('{limit.name}', {subject}, {most}, {rest}) else 0 end"""


@one("""
    select rate_limit(
        :name, :subject, :most, make_interval(secs => :span), counts => :counts
    ) as wait
""")
async def _ask(db: Db, name: str, subject: str, most: int, span: int, counts: bool) -> int:
    """`take`, or what `counts` nothing."""


@one("""
    select rate_limit_parts(
        :name, :subject, :most, make_interval(secs => :span), :parts, :counts
    ) as wait
""")
async def _ask_parts(
    db: Db, name: str, subject: str, most: int, span: int, parts: int, counts: bool
) -> int:
    """`take_parts`, or what `counts` nothing."""


async def take_parts(tx: Db, limit: Limit, subject: str, most: int, parts: int) -> int:
    """`take` of an effect that costs as much as it has `parts`: it counts as one more for each
    PARTS of them."""
    several = 1 + parts // PARTS
    return await _ask_parts(tx, limit.name, subject, most, limit.span, several, True) if most else 0


async def look_parts(db: Db, limit: Limit, subject: str, most: int, parts: int) -> int:
    """The seconds until there may be one more with this number of parts, 0 if now."""
    several = 1 + parts // PARTS
    given = limit.name, subject, most, limit.span, several, False
    return await _ask_parts(db, *given) if most else 0


async def take(tx: Db, limit: Limit, subject: str, most: int) -> int:
    """Count one more effect of `tx`, if the limit allows `most` of a subject. `subject` is a GUID:
    a user's id, or the digest of something else.

    It is asked where it is certain that there will be an effect, after rows of pairs, contents and
    files are locked, and before counters are. A transaction that needs several limits asks in the
    order of LIMITS, and then of their subjects.

    Gives 0 if it counts. Otherwise the seconds until there may be one more, and nothing is counted:
    then there must be no effect.
    """
    return await _ask(tx, limit.name, subject, most, limit.span, True) if most else 0


async def look(db: Db, limit: Limit, subject: str, most: int) -> int:
    """The seconds until there may be one more, 0 if now."""
    return await _ask(db, limit.name, subject, most, limit.span, False) if most else 0


@none("""
    update rate_limits set expires = clock_timestamp() + make_interval(secs => :span)
    where name = :name and subject = :subject
""")
async def _renew(db: Db, name: str, subject: str, span: int) -> None:
    """`renew`."""


@none("delete from rate_limits where name = :name and subject = :subject")
async def _give_back(db: Db, name: str, subject: str) -> None:
    """`give_back`."""


async def renew(db: Db, limit: Limit, subject: str) -> None:
    """Have the effects of a subject count from now on: what is under way for longer than the span
    of its limit."""
    await _renew(db, limit.name, subject, limit.span)


async def give_back(db: Db, limit: Limit, subject: str) -> None:
    """Have the effects of a subject count no more: what is under way only counts until it ends."""
    await _give_back(db, limit.name, subject)
