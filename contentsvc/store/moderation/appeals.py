"""Appeals against decisions, and against the outcomes of reports (moderation#appeals).

Whoever appeals, and whoever answers, has locked what it is about: the decision, or the subject of
the reports. So an appeal either comes before what answers all, or is told that it is too late.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, found, many, maybe, none, one
from contentsvc.store.events.events import noting
from contentsvc.store.fragments import USER, within
from contentsvc.store.moderation.bans import IN_FORCE
from contentsvc.wire.accounts import UserInfo

APPEALABLE: Final = 184
"""Days for which a decision and an outcome can be appealed, and for which the facts of a decision
are kept."""
SHOWN: Final = 100
"""The most appeals that a decision shows: its newest."""
_LATE: Final = f"<= now() - interval '{APPEALABLE} days'"


class Decided(NamedTuple):
    """A decision that concerns a user, as far as it decides whether they can appeal. It is `late`
    where that is over. `text` is that of their appeal; None if there is none."""

    action: str
    kind: str
    subject: str
    content: str | None
    reversed: bool
    late: bool
    text: str | None


class Outcome(NamedTuple):
    """What was decided of a report; None while it is open. `number` is that of its subject and
    `upto` that of the outcome: None where its record is gone. Of a message, `user` has sent it.
    `late` and `text` are as those of a decision. `reversed` is the text of their newest appeal that
    had reports of the subject opened again; None if there is none."""

    kind: str
    subject: str
    content: str | None
    user: str | None
    number: int | None
    upto: int | None
    outcome: str | None
    late: bool
    text: str | None
    reversed: str | None


class Known(NamedTuple):
    """An appeal, as far as it decides what an answer does. `number` is that of the subject of the
    reports, and `decider` who has decided what it is against, if that is known."""

    id: str
    party: str
    decision: str | None
    number: int | None
    upto: int | None
    kind: str
    subject: str
    content: str | None
    user_id: str | None
    state: str
    reason: str | None
    decider: str | None


class Answered(NamedTuple):
    """An appeal that has just been answered, and who has appealed: a user, or who has sent the
    `notice`."""

    id: str
    user_id: str | None
    notice: str | None


class Stored(NamedTuple):
    """An appeal as it is listed. `reason` and the two after it are of its answer. Without a
    `profile` it is a notifier's, or who has appealed has left."""

    number: int
    appeal: str
    party: str
    decision: str | None
    kind: str
    subject: str
    content: str | None
    subject_user: str | None
    notice: str | None
    text: str
    created: int
    state: str
    moderator: str | None
    reason: str | None
    decided: int | None
    user: UserInfo | None


class Told(NamedTuple):
    """What the mail about an answer says."""

    state: str
    reason: str


_OPENED: Final = noting("AppealOpened", "null::uuid", "appeal", "id", rows="made")


@maybe(
    f"""
    select d.action, d.subject_kind as kind, d.subject, d.content_id as content,
           d.reversed is not null as reversed, d.created {_LATE} as late, a.text
    from decisions d
    join decision_users c on c.decision = d.number and c.user_id = :user
    join users u on u.id = c.user_id
    left join appeals a on a.decision = d.id and a.user_id = c.user_id
    where d.id = :decision
    """,
    first="select from decisions where id = :decision for no key update",
)
async def lock_decision(tx: Db, user: str, decision: str) -> Decided | None:
    """Lock a decision that concerns a user. None if there is none, or the user has left."""


@found(f"""
    select from decisions d join decision_users c on c.decision = d.number
    join users u on u.id = c.user_id
    where d.id = :decision and c.user_id = :user and not d.created {_LATE}
""")
async def is_young(db: Db, user: str, decision: str) -> bool:
    """Whether a decision concerns a user, and can still be appealed by its age."""


@none(f"""
    with made as (
        insert into appeals (
            party, decision, subject_kind, subject, content_id, subject_user, user_id, text
        ) values (
            'author', :decision, :kind, :subject, :content::uuid,
            case when :kind = 'message' then :user::uuid end, :user, :text
        )
        returning id
    )
    {_OPENED}
""")
async def open_author(
    tx: Db, decision: str, kind: str, subject: str, content: str | None, user: str, text: str
) -> None:
    """Appeal against a decision that is locked, for a user whom it concerns."""


def _outcome(report: str) -> str:
    """The outcome of a report `r` with this number, of the subject `s`."""
    return f"""
        left join lateral (
            select d.upto, d.outcome, d.created from report_decisions d
            where d.subject = s.number and d.upto >= {report} order by d.upto limit 1
        ) d on {report} <= s.decided
    """


def _reversed(appellant: str) -> str:
    """The newest appeal `b` of the `appellant` that was reversed, about the subject `s`."""
    return f"""
        left join lateral (
            select b.text from appeals b
            where b.report_subject = s.number and {appellant} and b.state = 'reversed'
            order by b.number desc limit 1
        ) b on true
    """


@maybe(
    f"""
    select s.kind, s.id as subject, s.content_id as content, null::uuid as user, s.number, d.upto,
           d.outcome, coalesce(d.created {_LATE}, false) as late, a.text, b.text as reversed
    from report_subjects s
    cross join lateral (
        select r.number from reports r
        where r.subject = s.number and r.reporter = :user and not r.replaced
        order by r.number desc limit 1
    ) r
    {_outcome("r.number")}
    left join appeals a
        on a.report_subject = s.number and a.upto = d.upto and a.user_id = :user
           and a.decision is null
    {_reversed("b.user_id = :user and b.decision is null")}
    where s.kind = :kind and s.id = :subject
    """,
    first="""
        select from report_subjects where kind = :kind and id = :subject for no key update
    """,
)
async def lock_report(tx: Db, user: str, kind: str, subject: str) -> Outcome | None:
    """Lock a subject, and give what was decided of a user's newest report of it. None if there is
    none."""


@many(
    f"""
    select n.kind, n.id as subject, n.content_id as content, n.user_id as user, s.number, d.upto,
           n.outcome, coalesce(n.decided {_LATE}, false) as late, a.text, b.text as reversed
    from notice_subjects n
    left join reports r on r.number = n.report
    left join report_subjects s on s.number = r.subject
    {_outcome("r.number")}
    left join appeals a
        on a.report_subject = s.number and a.upto = d.upto and a.notice = n.notice
    {_reversed("b.notice = n.notice")}
    where n.notice = :notice
    order by n.place
    """,
    first="""
        select from notice_subjects n
        join reports r on r.number = n.report
        join report_subjects s on s.number = r.subject
        where n.notice = :notice
        order by s.kind, s.id, s.user_id
        for no key update of s
    """,
)
async def lock_notice(tx: Db, notice: str) -> list[Outcome]:
    """Lock the subjects of a notice, and give what was decided of each."""


@none(f"""
    with made as (
        insert into appeals (
            party, report_subject, upto, subject_kind, subject, content_id, subject_user, user_id,
            notice, text
        ) values (
            :party, :number, :upto, :kind, :subject, :content::uuid, :sender::uuid, :user::uuid,
            :notice::uuid, :text
        )
        returning id
    )
    {_OPENED}
""")
async def open_against(
    tx: Db,
    party: str,
    number: int,
    upto: int,
    kind: str,
    subject: str,
    content: str | None,
    sender: str | None,
    user: str | None,
    notice: str | None,
    text: str,
) -> None:
    """Appeal against the outcome `upto` of the reports of the subject with this number, which is
    locked: for a user who has reported, or who has sent a notice."""


_KNOWN: Final = """
    a.id, a.party, a.decision, a.report_subject as number, a.upto, a.subject_kind as kind,
    a.subject, a.content_id as content, a.user_id, a.state, a.reason,
    case when a.decision is not null
         then (select d.moderator from decisions d where d.id = a.decision)
         else (
             select d.moderator from report_decisions d
             where d.subject = a.report_subject and d.upto = a.upto
         )
    end as decider
"""


@maybe(f"select {_KNOWN} from appeals a where a.id = :appeal")
async def known(db: Db, appeal: str) -> Known | None:
    """An appeal. What it is about is to be locked before its state counts."""


@none("select from report_subjects where number = :number for no key update")
async def lock_subject(tx: Db, number: int) -> None:
    """Lock the subject of reports with this number."""


@found(f"""
    select from users u
    where u.role_number is not null and u.role <> 'player' and u.role = any(:roles)
      and u.id <> all(:without::uuid[])
      and not exists (select from bans where user_id = u.id and {IN_FORCE})
    limit 1
""")
async def others(db: Db, roles: list[str], without: list[str]) -> bool:
    """Whether a user has one of these roles who is none of these, and not banned."""


@maybe("select role from users where id = :user")
async def role_of(db: Db, user: str) -> str | None:
    """A user's role. None if there is no such user."""


_ANSWER: Final = """
    set state = :state, moderator = :moderator, reason = :reason, decided = clock_timestamp()
"""


@many(f"""
    update appeals a {_ANSWER}
    from decisions d
    where d.number = :number and a.decision = d.id and a.state = 'open'
    returning a.id, a.user_id, a.notice
""")
async def answer_all(
    tx: Db, number: int, moderator: str, state: str, reason: str
) -> list[Answered]:
    """Answer all open appeals against a decision that is locked, by its number. Gives them."""


@many(f"""
    update appeals a {_ANSWER}
    where a.report_subject = :number and a.upto = :upto and a.state = 'open'
    returning a.id, a.user_id, a.notice
""")
async def answer_all_against(
    tx: Db, number: int, upto: int, moderator: str, state: str, reason: str
) -> list[Answered]:
    """The same of the appeals against an outcome of the reports of a subject that is locked."""


@many(f"""
    update appeals a {_ANSWER}
    where a.id = :appeal and a.state = 'open'
    returning a.id, a.user_id, a.notice
""")
async def answer(tx: Db, appeal: str, moderator: str, state: str, reason: str) -> list[Answered]:
    """Answer one appeal, of which what it is about is locked. Gives it, unless it was answered
    before."""


@one("select reopen_reports(:number, :upto) as opened")
async def reopen(tx: Db, number: int, upto: int) -> int:
    """Open the reports of a subject again that an outcome has closed. See
    schema/functions/reopen_reports.sql."""


# Those of each state and party are read from an index, and no others. The order by both columns
# keeps Postgres from reading all by number instead.
@many(
    within(
        f"""
        select a.number, a.id as appeal, a.party, a.decision, a.subject_kind as kind, a.subject,
               a.content_id as content, a.subject_user, a.notice, a.text,
               unix(a.created) as created, a.state, a.moderator, a.reason,
               unix(a.decided) as decided, {USER} as profile
        from (
            select a.* from unnest(:states::text[]) t (state)
            cross join unnest(:parties::text[]) p (party)
            cross join lateral (
                select * from appeals a
                where a.state = t.state and a.party <= p.party
                  and (a.party, a.number) > (p.party, :after::bigint)
                order by a.party, a.number limit :limit
            ) a
            order by a.number limit :limit
        ) a
        left join users u on u.id = a.user_id
        """,
        """
        number, appeal, party, decision, kind, subject, content, subject_user, notice, text,
        created, state, moderator, reason, decided, id, username, avatar, emblem, profile
        """,
        "number",
        "coalesce(octet_length(profile), 0) + octet_length(text)",
    )
)
async def listed(
    db: Db, states: Sequence[str], parties: Sequence[str], after: int, limit: int, bytes: int
) -> list[Stored]:
    """The appeals of these states and parties after a number, oldest first: no more once they have
    this many `bytes`."""


@maybe("select state, coalesce(reason, '') as reason from appeals where id = :appeal")
async def told(db: Db, appeal: str) -> Told | None:
    """What the mail about an appeal says."""
