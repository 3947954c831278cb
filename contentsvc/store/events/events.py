"""Events for the studio's back end (studio#events).

A cause writes its event in its own transaction. It gets its number once that has committed: see
schema/functions/number_events.sql. Where the option `events` is off, the sessions of the database
know it, and nothing is written (schema/functions/note_event.sql).
"""

from typing import Final, NamedTuple

from msgspec import UNSET, Raw, json

from contentsvc.framework.db.query import Db, many, none, one
from contentsvc.wire.base import Record
from contentsvc.wire.events import Event, EventData, EventKind, EventSubject, EventSubjectKind

AT_ONCE: Final = 1000
"""Events that get their numbers in one statement."""
TRIMMED: Final = 1000
"""Events that one statement deletes."""
WAITING: Final = "exists (select from new_events)"
"""Whether some have no numbers yet."""
_NOTHING: Final = EventData()
_LOCK: Final = 0x6576656E7473
"""The advisory lock's number: the letters "events"."""


class Numbers(NamedTuple):
    """The number of the newest event, and how many have just got theirs."""

    newest: int
    given: int


class Stored(Record):
    """An event as it is stored. `data` is JSON text; `content` is that of a comment."""

    number: int
    kind: str
    created: int
    actor: str | None
    subject_kind: str
    subject: str
    content: str | None
    data: str


class PageRow(NamedTuple):
    """The number of the newest event of all kinds, that of the last one that was deleted, and an
    event of the page, None if the page is empty."""

    newest: int
    trimmed: int
    event: Stored | None


def shown(stored: Stored) -> Event:
    """An event as it is shown. What is in its data goes as it is stored."""
    content = UNSET if stored.content is None else stored.content
    return Event(
        stored.number,
        stored.kind,
        stored.created,
        stored.actor,
        EventSubject(stored.subject_kind, stored.subject, content),
        Raw(stored.data.encode()),  # type: ignore[arg-type]
    )


def noting(
    kind: EventKind,
    actor: str,
    subject: EventSubjectKind,
    id: str,
    *,
    rows: str,
    where: str = "true",
    data: str = "'{}'",
    content: str = "null",
) -> str:
    """SQL that writes an event for each of these rows, `where` it is so, to be a part of the
    statement of its cause. All else are SQL too: expressions of columns of the `rows`, and
    parameters."""
    return f"""
        insert into new_events (kind, actor, subject_kind, subject, content_id, data)
        select '{kind}', {actor}, '{subject}', ({id})::text, {content}, ({data})::text
        from {rows} where {where} and notes_events()
    """


async def note(
    tx: Db,
    kind: EventKind,
    actor: str | None,
    subject: EventSubjectKind,
    id: str,
    data: EventData = _NOTHING,
    *,
    content: str | None = None,
) -> None:
    """Write an event, in the transaction of its cause. `content` is that of a comment."""
    await _note(tx, kind, actor, subject, id, content, json.encode(data).decode())


@none("""
    insert into new_events (kind, actor, subject_kind, subject, content_id, data)
    select :kind, :actor, :subject_kind, :subject, :content, :data where notes_events()
""")
async def _note(
    tx: Db,
    kind: str,
    actor: str | None,
    subject_kind: str,
    subject: str,
    content: str | None,
    data: str,
) -> None:
    """Write the row."""


@one("select newest, given from number_events(:most)")
async def number(db: Db, most: int) -> Numbers:
    """Give numbers to events that are committed, at most `limit`. Any number of processes may."""


_COLUMNS: Final = """
    e.number, e.kind, unix(e.created) as created, e.actor, e.subject_kind, e.subject,
    e.content_id as content, e.data
"""


def _page(events: str) -> str:
    """Gives PageRows: these events, and how far the numbers are in the same snapshot."""
    return f"""
        select s.newest, s.trimmed, {_COLUMNS}
        from (
            select coalesce(max(newest), 0) as newest, coalesce(max(trimmed), 0) as trimmed
            from event_numbers
        ) s left join ({events}) e on true
        order by e.number
    """


@many(
    _page("""
        select * from events e where e.number > :after order by e.number limit :limit
    """)
)
async def page(db: Db, after: int, limit: int) -> list[PageRow]:
    """The events after a number. There is always a row."""


@many(
    _page("""
        select e.* from unnest(:kinds::text[]) k (kind) cross join lateral (
            select * from events e where e.kind = k.kind and e.number > :after
            order by e.number limit :limit
        ) e
        order by e.number limit :limit
    """)
)
async def page_of_kinds(db: Db, kinds: list[str], after: int, limit: int) -> list[PageRow]:
    """The same, those of these kinds."""


@many("""
    select k.kind from unnest(:kinds::text[]) k (kind)
    where exists (
        select from events e where e.kind = k.kind and e.number > :after and e.number <= :upto
    )
""")
async def present(db: Db, kinds: list[str], after: int, upto: int) -> list[str]:
    """Of which of these kinds there are events between two numbers."""


@one(f"""
    with first as materialized (
        select number, created from events
        where (select pg_try_advisory_xact_lock({_LOCK}))
        order by number limit {TRIMMED}
    ), edge as materialized (
        -- Those of one batch may have their times in another order: what is deleted has no holes.
        select min(number) filter (
            where created >= clock_timestamp() - make_interval(days => :days)
        ) as young from first
    ), gone as (
        delete from events where number = any(array(
            select number from first cross join edge where young is null or number < young
        ))
        returning number
    ), noted as (
        update event_numbers set trimmed = (select max(number) from gone)
        where exists (select from gone)
    ), dropped as (
        -- What a hook that is off did not get goes with the events.
        update webhooks set body = null, last = null
        where not enabled and last <= (
            select coalesce((select max(number) from gone), max(trimmed)) from event_numbers
        )
    )
    select count(*) from gone
""")
async def trim(db: Db, days: int) -> int:
    """Delete events that are older than so many days, the oldest first. Gives how many; if it is
    TRIMMED, there may be more."""
