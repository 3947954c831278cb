"""Reports, their queue, and what admins decide about them (moderation#reports).

A trigger maintains the queue (schema/functions/queue_subject.sql).
"""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, found, many, maybe, one
from contentsvc.framework.db.statement import Batch
from contentsvc.store.content.found_parts import Cursor
from contentsvc.store.fragments import BEFORE, USER, within
from contentsvc.store.rate_limits import REPORTS, span
from contentsvc.wire.accounts import UserInfo
from contentsvc.wire.moderation import ReportedKind

EXCERPT: Final = 200
"""Characters of what a subject shows."""


class Subject(NamedTuple):
    """A subject whose row is locked: of a comment with its `content`, of a message with the `user`
    who has sent it. Its reports up to the number `decided` are not open."""

    number: int
    kind: ReportedKind
    id: str
    content: str | None
    user: str | None
    decided: int


class Queued(NamedTuple):
    """A subject in the queue. The first four are its places: the number of its open reports, and
    that of the newest; when it is due, in microseconds of Unix time, and its own number. `notices`
    is how many of the reports are notices. `user` is who has sent a message. `first` and `last` are
    in Unix seconds; `up_to` is the id of the newest. `excerpt` and `thumbnail` are of what it shows
    now: nothing if its `author` has left."""

    reports: int
    newest: int
    due_at: int
    number: int
    kind: str
    id: str
    content: str | None
    user: str | None
    notices: int
    reasons: dict[str, int]
    first: int
    last: int
    up_to: str
    excerpt: str | None
    thumbnail: str | None
    author: UserInfo | None

    @property
    def place(self) -> Cursor:
        """Its place in the queue by reports."""
        return (self.reports, self.newest)

    @property
    def due_place(self) -> Cursor:
        """Its place in the queue by what is due."""
        return (self.due_at, self.number)

    @property
    def due(self) -> int:
        """When it is due, in Unix seconds."""
        return self.due_at // 1_000_000


class Filed(NamedTuple):
    """A report, with its place in the list. `evidence` is a JSON object, `created` in Unix
    seconds. Of a `notice` there is no reporter."""

    number: int
    id: str
    reporter: str | None
    notice: str | None
    reason: str
    text: str
    evidence: str
    created: int
    state: str


class Reporter(NamedTuple):
    """Who has filed a report: a user, or whoever has sent the `notice`; with its number."""

    user_id: str | None
    number: int
    notice: str | None


@one(
    f"""
    select n, wait
    from unnest(file_reports(
        (select :kind::text[]), (select :subject::text[]), (select :content::uuid[]),
        (select :reporter::uuid[]), (select :reason::text[]), (select :text::text[]),
        (select :evidence::text[]), (select :messages::text[]), (select :most::integer[]),
        {span(REPORTS)}
    )) with ordinality as filed (wait, n)
    """,
    batch=Batch(("kind", "subject")),
)
async def file(
    db: Db,
    kind: str,
    subject: str,
    content: str | None,
    reporter: str,
    reason: str,
    text: str,
    evidence: str,
    messages: str | None,
    most: int,
) -> int:
    """File a report. A report of the same subject and reporter that is open is replaced. By the
    same again it is replaced 20 times until a decision closes it, and none of these counts. Nothing
    is filed within 30 days of the dismissal of an earlier one with the same evidence.

    It counts for the reporter's limit of `most` REPORTS, 0 for any number. Gives 0, or the seconds
    until the reporter may file one more. See schema/functions/file_reports.sql.
    """


_REPORTED: Final = "reports desc, newest desc"
_DUE: Final = "due, subject"
"""The orders of the queue."""


def _queued(after: str, order: str) -> str:
    """The subjects in this order, whose place in `report_queue q` comes `after` another."""
    return f"""
        select q.reports, q.newest, q.due, (extract(epoch from q.due) * 1000000)::bigint as due_at,
               q.subject, s.kind, s.id as about, s.content_id as content, s.user_id as sender,
               s.notices, s.reasons,
               unix(f.created) as first, unix(l.created) as last, l.id as up_to,
               case when u.id is not null then nullif(left(case s.kind
                   when 'content' then c.name when 'comment' then m.body
                   when 'collection' then k.name when 'message' then t.text
                   else u.public_profile
               end, {EXCERPT}), '') end as excerpt,
               case when u.id is not null then nullif(
                   case s.kind when 'content' then c.picture when 'user' then u.avatar end, ''
               ) end as thumbnail,
               {USER} as profile
        from (
            select p.* from unnest(:kinds::text[]) k (kind) cross join lateral (
                select q.reports, q.newest, q.due, q.subject from report_queue q
                where q.reason = :reason and q.kind = k.kind and {after}
                order by {_of("q", order)} limit :limit
            ) p
            order by {_of("p", order)} limit :limit
        ) q
        join report_subjects s on s.number = q.subject
        join reports f on f.number = s.oldest
        join reports l on l.number = s.newest
        -- With the offsets each is looked up by its id.
        left join lateral (
            select author_id, name, screenshots[1] as picture from contents
            where s.kind = 'content' and id = case s.kind when 'content' then s.id::uuid end
            offset 0
        ) c on true
        left join lateral (
            select author_id, case when not deleted then body end as body from comments
            where s.kind = 'comment' and id = case s.kind when 'comment' then s.id::bigint end
            offset 0
        ) m on true
        left join lateral (
            select owner_id, case when public then name end as name from collections
            where s.kind = 'collection' and id = case s.kind when 'collection' then s.id::uuid end
            offset 0
        ) k on true
        left join lateral (
            -- Of several with this id, the first that the newest report names.
            select (l.messages::jsonb -> 0 ->> 'recipientId')::uuid as id
            where s.kind = 'message' offset 0
        ) g on true
        left join lateral (
            select a.text from pairs p join messages a on a.pair = p.number
            where p.lesser = least(s.user_id, g.id) and p.greater = greatest(s.user_id, g.id)
              and a.sender = s.user_id
              and a.id = case s.kind when 'message' then s.id::uuid end
            offset 0
        ) t on true
        left join lateral (
            select * from users where id = case s.kind
                when 'content' then c.author_id when 'comment' then m.author_id
                when 'collection' then k.owner_id when 'user' then s.id::uuid
                when 'message' then s.user_id end
            offset 0
        ) u on true
    """


def _of(table: str, order: str) -> str:
    return ", ".join(f"{table}.{column}" for column in order.split(", "))


_COLUMNS: Final = """
    reports, newest, due_at, subject as number, kind, about as id, content, sender as "user",
    notices, reasons, first, last, up_to, excerpt, thumbnail, id, username, avatar, emblem, profile
"""


@many(
    within(_queued("(q.reports, q.newest) < (:reports, :before)", _REPORTED), _COLUMNS, _REPORTED)
)
async def queue(
    db: Db, kinds: list[str], reason: str, reports: int, before: int, limit: int, bytes: int
) -> list[Queued]:
    """The subjects of these kinds with open reports of this reason ("" for any), after a place.
    Those with most reports come first, then those with the newest one. There are no more once the
    profiles of their authors have this many `bytes`."""


_AFTER_DUE: Final = """
    (q.due, q.subject)
        > (timestamptz 'epoch' + :due::bigint * interval '1 microsecond', :after::bigint)
"""


@many(within(_queued(_AFTER_DUE, _DUE), _COLUMNS, _DUE))
async def queue_due(
    db: Db, kinds: list[str], reason: str, due: int, after: int, limit: int, bytes: int
) -> list[Queued]:
    """The same, those first that are due first. A place is when a subject is due, in microseconds
    of Unix time, and its number."""


@many(f"""
    select r.number, r.id, r.reporter, r.notice, r.reason, r.text, r.evidence,
           unix(r.created) as created,
           case when r.number > s.decided then 'open' else (
               select d.outcome from report_decisions d
               where d.subject = s.number and d.upto >= r.number
               order by d.upto limit 1
           ) end as state
    from report_subjects s
    cross join lateral (
        select *, coalesce(sum(octet_length(evidence)) over (
            order by number desc rows between unbounded preceding and 1 preceding
        ), 0) as bytes
        from (
            select r.number, r.id, r.reporter, r.notice, r.reason, r.text, r.created,
                   case when r.messages is null then e.evidence else (
                       e.evidence::jsonb
                       || jsonb_build_object('messages', r.messages::jsonb)
                   )::text end as evidence
            from reports r
            join report_evidence e on e.subject = r.subject and e.digest = r.digest
            where r.subject = s.number and not r.replaced and r.number < {BEFORE}
            order by r.number desc limit :limit
        ) page
    ) r
    where s.kind = :kind and s.id = :subject and s.user_id is not distinct from :user
      and r.bytes < :bytes
    order by r.number desc
""")
async def of_subject(
    db: Db,
    kind: str,
    subject: str,
    user: str | None,
    before: int | None,
    limit: int,
    bytes: int,
) -> list[Filed]:
    """The reports of a subject, newest first: at most `limit`, and no more once their evidence has
    this many `bytes`. Of a message `user` is who has sent it."""


@found("""
    select from report_subjects s
    where s.kind = :kind and s.id = :subject and s.user_id is not distinct from :user
      and exists (select from reports r where r.subject = s.number)
""")
async def known(db: Db, kind: str, subject: str, user: str | None) -> bool:
    """Whether there are reports of a subject."""


@found("""
    select from report_subjects s join reports r on r.subject = s.number
    where s.kind = :kind and s.id = :subject and r.reporter = :reporter and not r.replaced
      and r.number > s.decided and r.reason = :reason and r.text = :text
""")
async def is_open(db: Db, kind: str, subject: str, reporter: str, reason: str, text: str) -> bool:
    """Whether the reporter's report of a subject with this reason and text is open."""


@maybe("""
    select number, kind, id, content_id as content, user_id as "user", decided
    from report_subjects
    where kind = :kind and id = :subject and user_id is not distinct from :user
    for no key update
""")
async def lock(db: Db, kind: str, subject: str, user: str | None) -> Subject | None:
    """Lock a subject; of a message `user` is who has sent it. None if it was never reported."""


@found("""
    select from report_subjects s join reports r on r.subject = s.number
    where s.kind = :kind and s.id = :subject and s.user_id is not distinct from :user
      and r.id = :report
""")
async def has(db: Db, kind: str, subject: str, user: str | None, report: str) -> bool:
    """Whether a subject has this report, also one that was replaced."""


@maybe("select number from reports where subject = :subject and id = :report")
async def number_of(db: Db, subject: int, report: str) -> int | None:
    """The number of a report of this subject, also of one that was replaced."""


@found("""
    with closed as (
        select from reports
        where subject = :subject and number > :after and number <= :upto and not replaced
        limit 1
    ), noted as (
        insert into report_decisions (subject, upto, outcome, moderator)
        select :subject, :upto, :outcome, :moderator from closed
    ), still as materialized (
        select reason, count(*) as reports, count(notice) as notices, min(number) as oldest,
               min(coalesce(due, created + interval '72 hours')) as due
        from reports
        where subject = :subject and number > :upto and not replaced
        group by reason
    ), answered as (
        update notice_subjects n set outcome = :outcome, decided = clock_timestamp()
        from reports r, report_subjects s, closed
        where s.number = :subject and s.notices > 0 and r.subject = s.number
          and r.number > :after and r.number <= :upto and r.notice is not null
          and n.report = r.number
    )
    update report_subjects s
    set decided = :upto,
        reports = coalesce((select sum(reports) from still), 0),
        reasons = coalesce((select jsonb_object_agg(reason, reports) from still), '{}'),
        oldest = (select min(oldest) from still),
        notices = coalesce((select sum(notices) from still), 0),
        due = (select min(due) from still)
    from closed
    where s.number = :subject
    returning true
""")
async def decide(db: Db, subject: int, after: int, upto: int, outcome: str, moderator: str) -> bool:
    """Close the open reports of a locked subject: those after the number `after`, up to `upto`.
    False if there are none."""


@many("""
    select reporter as user_id, number, notice from reports
    where subject = :subject and number > :after and number <= :upto and not replaced
    order by number limit :limit
""")
async def reporters(db: Db, subject: int, after: int, upto: int, limit: int) -> list[Reporter]:
    """Who has filed the reports between these numbers, in their order. Each has filed one of the
    reports that a decision has closed."""
