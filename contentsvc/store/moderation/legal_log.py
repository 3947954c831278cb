"""What an operator owes the public of decisions, appeals and notices, by the time when each began
(notices#the-log). It has ids, and words of the service's own and of its moderators: nothing that a
player or a notifier has written."""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, many
from contentsvc.wire.base import Record

PART: Final = 1000
"""Entries that are read at once."""


class Place(NamedTuple):
    """Where an entry stands: when it began, in microseconds of Unix time, which of the kinds it is
    of, and its id."""

    at: int
    rank: int
    id: str


class Entry(Record):
    """An entry with its place. `line` is a JSON object."""

    at: int
    rank: int
    id: str
    line: str

    @property
    def place(self) -> Place:
        """Its place."""
        return Place(self.at, self.rank, self.id)


class Month(NamedTuple):
    """A month of UTC, as 2026-11, when it began, in Unix seconds, and how many users had a session
    in it."""

    month: str
    created: int
    users: int


def _first(day: str) -> str:
    return f"({day}::text::date::timestamp at time zone 'UTC')"


_AT: Final = "(timestamptz 'epoch' + :at::bigint * interval '1 microsecond')"


def _entries(rank: int, table: str, line: str) -> str:
    """The next entries of a table `e`, whose JSON has the members of this `line`."""
    return f"""(
        select e.created, {rank} as rank, e.id::text as id, {line} as line from {table} e
        where e.created >= {_AT} and e.created < {_first(":last")} + interval '1 day'
          and (e.created, {rank}, e.id::text collate "C") > ({_AT}, :rank::integer, :id::text)
        order by e.created, e.id::text collate "C" limit :limit
    )"""


def _subject(kind: str, id: str, content: str, user: str) -> str:
    return f"""json_strip_nulls(json_build_object(
        'kind', {kind}, 'id', {id}, 'content', {content}, 'user', {user}
    ))"""


_DECISION: Final = f"""json_build_object(
    'type', 'decision', 'id', e.id, 'created', unix(e.created), 'action', e.action,
    'subject', {
    _subject(
        "e.subject_kind",
        "e.subject",
        "e.content_id",
        "case e.subject_kind when 'message' then e.user_id end",
    )
},
    'user', e.user_id, 'what', nullif(e.what, '{{}}'), 'basis', e.basis,
    'reference', e.reference, 'category', e.category, 'source', e.source, 'notice', e.notice,
    'automated', e.automated, 'until', unix(e.until), 'reversed', unix(e.reversed),
    'replaced', e.replaced, 'territory', 'everywhere'
)"""
_APPEAL: Final = f"""json_build_object(
    'type', 'appeal', 'id', e.id, 'created', unix(e.created), 'from', e.party,
    'decision', e.decision, 'notice', e.notice,
    'subject', {_subject("e.subject_kind", "e.subject", "e.content_id", "e.subject_user")},
    'user', e.user_id, 'state', e.state, 'decided', unix(e.decided)
)"""
_NOTICE: Final = f"""(
    select json_build_object(
        'type', 'notice', 'id', e.id, 'created', unix(e.created), 'reason', e.reason,
        'due', unix(e.due),
        'state', case
            when not bool_and(s.outcome is not null) then 'open'
            when bool_or(s.outcome = 'upheld') then 'upheld' else 'dismissed'
        end,
        'decided', case when bool_and(s.outcome is not null) then unix(max(s.decided)) end,
        'subjects', json_agg((
            {_subject("s.kind", "s.id", "s.content_id", "s.user_id")}::jsonb
            || jsonb_build_object(
                'state', coalesce(s.outcome, 'open'), 'decided', unix(s.decided)
            )
        ) order by s.place)
    )
    from notice_subjects s where s.notice = e.id
)"""


@many(f"""
    select (extract(epoch from e.created) * 1000000)::bigint as at, e.rank, e.id,
           e.line::text as line
    from (
        {_entries(1, "decisions", _DECISION)}
        union all
        {_entries(2, "appeals", _APPEAL)}
        union all
        {_entries(3, "notices", _NOTICE)}
    ) e
    order by e.created, e.rank, e.id collate "C" limit :limit
""")
async def _page(db: Db, at: int, rank: int, id: str, last: str, limit: int) -> list[Entry]:
    """The next entries after a place, up to the end of the `last` day."""


async def page(db: Db, place: Place, last: str, limit: int = PART) -> list[Entry]:
    """At most so many entries after a place, in their order, of days of UTC up to the `last` one,
    written as 2026-11-22. Less: there are no more."""
    return await _page(db, *place, last, limit)


@many(f"""
    select to_char(m.month, 'YYYY-MM') as month, unix({_first("m.month")}) as created,
           coalesce(t.users, 0)::bigint as users
    from (
        select generate_series(
            date_trunc('month', :first::text::date::timestamp), :last::text::date::timestamp,
            interval '1 month'
        )::date as month
    ) m
    left join lateral (
        select sum(t.number) as users from tallies t
        where t.day >= m.month and t.day < m.month + interval '1 month' and t.what = 'month'
    ) t on true
    order by m.month
""")
async def months(db: Db, first: str, last: str) -> list[Month]:
    """The months of which these days are."""
