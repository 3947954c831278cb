"""How often something may happen: the list of the limits. Their effects are rows of one table,
`rate_limits`, which one function reads and writes (schema/functions/rate_limit.sql).

A limit slides: there are at most so many effects within any of its spans, over all processes
together, however many come at once. Only what is committed counts: no repeat and no refusal.
"""

from typing import Final, NamedTuple

from contentsvc.db.query import Db, one

MINUTE: Final = 60
HOUR: Final = 3600
DAY: Final = 24 * HOUR
"""Seconds."""
_LOG_INS: Final = 15 * MINUTE


class Limit(NamedTuple):
    """A limit: its name in the table, what it `counts`, of whom or what (`per`), and the seconds of
    its `span`. The setting `option` says how many, 0 for any number; without one, it is `most`."""

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
    "updates, withdrawals, restorations and visibility of content",
    "user",
    HOUR,
    "changes_per_hour",
)
COMMENTS: Final = Limit("comments", "new comments", "user", MINUTE, "comments_per_minute")
CONFIRMATIONS: Final = Limit(
    "confirmations", "mails that the user asks for, to confirm addresses", "user", HOUR, most=20
)
FOLLOWS: Final = Limit("follows", "new follows", "user", DAY, "follows_per_day")
FRIEND_REQUESTS: Final = Limit(
    "friend_requests", "requests for friendship", "user", DAY, "friend_requests_per_day"
)
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
PLAYS: Final = Limit("plays", "plays", "user", MINUTE, "plays_per_minute")
PUBLICATIONS: Final = Limit(
    "publications", "new content and new revisions", "user", DAY, "publications_per_day"
)
REPORTS: Final = Limit("reports", "reports", "user", DAY, "reports_per_day")
RESETS: Final = Limit(
    "resets",
    "mails with a link to set a password; nobody is told of those beyond",
    "user",
    HOUR,
    most=10,
)
LIMITS: Final = (
    *(ANNOUNCEMENTS, CHANGES, COMMENTS, CONFIRMATIONS, FOLLOWS, FRIEND_REQUESTS),
    *(INVITATIONS, INVITES, LINKS, LOG_INS, LOG_INS_OF_ADDRESS, MAIL_REQUESTS, MAILS),
    *(MESSAGES, PLAYS, PUBLICATIONS, REPORTS, RESETS),
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


async def take(tx: Db, limit: Limit, subject: str, most: int) -> int:
    """Count one more effect of `tx`, if the limit allows `most` of a subject. `subject` is a GUID:
    a user's id, or the digest of something else.

    It is asked where it is certain that there will be an effect, after rows of pairs, contents and
    files are locked, and before counters are. Who needs several limits asks in the order of LIMITS,
    and then of their subjects.

    Gives 0 if it counts. Otherwise the seconds until there may be one more, and nothing is counted:
    then there must be no effect.
    """
    return await _ask(tx, limit.name, subject, most, limit.span, True) if most else 0


async def look(db: Db, limit: Limit, subject: str, most: int) -> int:
    """The seconds until there may be one more, 0 if now."""
    return await _ask(db, limit.name, subject, most, limit.span, False) if most else 0
