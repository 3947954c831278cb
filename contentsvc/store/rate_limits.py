"""How often something may happen: the limits whose effects are rows of one table, `rate_limits`,
which one function reads and writes (schema/functions/rate_limit.sql).

A limit slides: there are at most so many effects within any of its spans, over all processes
together, however many come at once. Only what is committed counts: no repeat and no refusal.

The limits that count the rows of their own tables are in contentsvc.store.activity_limits.
"""

from typing import Final, NamedTuple

from contentsvc.db.query import Db, one

HOUR: Final = 3600
"""Seconds."""


class Limit(NamedTuple):
    """A limit: its name in the table, of whom or what it is (`per`), the seconds of its `span`, and
    the setting that says how many, 0 for any number."""

    name: str
    per: str
    span: int
    option: str


CHANGES: Final = Limit("changes", "user who acts", HOUR, "changes_per_hour")
"""Updates, withdrawals and restorations of content."""
INVITES: Final = Limit("invites", "user who acts", HOUR, "invites_per_hour")
"""Invites to parties, and answers to them."""
MAILS: Final = Limit("mails", "mailbox that they go to", HOUR, "mails_per_recipient")
"""Mails that confirm addresses. The subject stands for the mailbox."""
LIMITS: Final = (CHANGES, INVITES, MAILS)
"""All limits."""


def taken(limit: Limit, subject: str, most: str = ":most") -> str:
    """A part of a statement that does what `take` does; `subject` and `most` are SQL."""
    return f"""case when {most}::integer > 0 then rate_limit(
        '{limit.name}', {subject}, {most}, interval '{limit.span} seconds'
    ) else 0 end"""


@one("select rate_limit(:name, :subject, :most, make_interval(secs => :span)) as wait")
async def _take(tx: Db, name: str, subject: str, most: int, span: int) -> int:
    """`take`, with a limit."""


async def take(tx: Db, limit: Limit, subject: str, most: int) -> int:
    """Count one more effect of `tx`, if the limit allows `most` of a subject. `subject` is a GUID:
    a user's id, or the digest of something else.

    It is asked where it is certain that there will be an effect, after rows of pairs, contents and
    files are locked, and before counters are. Who needs several limits asks in the order of their
    names, and then of their subjects.

    Gives 0 if it counts. Otherwise the seconds until there may be one more, and nothing is counted:
    then there must be no effect.
    """
    return await _take(tx, limit.name, subject, most, limit.span) if most else 0
