"""Legal holds: content, users and files as they were, whatever becomes of them (moderation#holds).

A hold has a record, the text of JSON in pieces, and files (contentsvc.store.files.held). Two tasks
make it: CopyHold copies the record in steps, and KeepHold keeps the bytes apart. When a hold ends,
its rows go at once, and ReleaseHold gives up its files. The tasks of a hold have one topic: so
nothing is given up while bytes are still on their way.
"""

from collections.abc import AsyncIterator
from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, found, many, maybe, none, one
from contentsvc.framework.tasks import task_queue
from contentsvc.store.fragments import BEFORE, LEAVING, Numbered
from contentsvc.store.tasks import ReleaseHold
from contentsvc.wire.moderation import Hold, HoldKind

PIECES: Final = 20
"""Pieces of a record that are read at once. Each may have a quarter of a megabyte."""
MOST_ESCALATIONS: Final = 100
"""Escalations of a hold: all of them are shown with it."""


class Placed(NamedTuple):
    """A hold, whose row is locked: what is written of it. `until` is in Unix seconds."""

    id: str
    reason: str
    until: int
    copied: bool
    whole: bool | None


class Copy(NamedTuple):
    """A hold whose copy is asked for: its id, whether its record is whole, and what is shown."""

    id: str
    copied: bool
    hold: Hold


class Begun(NamedTuple):
    """A hold whose record is to be copied, and whose row is locked."""

    kind: HoldKind
    subject: str
    copied: bool


class Piece(NamedTuple):
    """A part of a record: the next items of the list `member`, or, without one, members."""

    number: int
    member: str | None
    piece: str


# The account too: it cannot be deleted before the hold is there, and then not before the record is.
_SUBJECTS: Final = {
    "user": "select from users u where u.id = :subject::uuid for key share of u",
    "content": f"""
        select from contents c join users u on u.id = c.author_id
        where c.id = :subject::uuid and c.author_id <> all({LEAVING}) for key share of u, c
    """,
}


@found(_SUBJECTS["user"])
async def lock_user(tx: Db, subject: str) -> bool:
    """Have a user stay until the transaction ends. False if there is no such user."""


@found(_SUBJECTS["content"])
async def lock_content(tx: Db, subject: str) -> bool:
    """Have a content and its author stay until the transaction ends. False if there is none, or its
    author has left."""


_PLACED: Final = "h.id, h.reason, unix(h.until) as until, h.copied, h.whole"


@one(f"""
    insert into holds as h (id, kind, subject, reason, until, admin)
    values (:id, :kind, :subject, :reason, to_timestamp(:until::float8), :admin)
    -- Locks the row that is there.
    on conflict (kind, subject) do update set reason = h.reason
    returning {_PLACED}
""")
async def place(
    tx: Db, id: str, kind: str, subject: str, reason: str, until: int, admin: str
) -> Placed:
    """Make a hold, with this id; or lock the one that is there, which has another."""


@maybe(f"""
    select {_PLACED} from holds h where kind = :kind and subject = :subject for no key update
""")
async def lock(tx: Db, kind: str, subject: str) -> Placed | None:
    """Lock a hold. None if there is none."""


@none("""
    update holds set reason = :reason, until = to_timestamp(:until::float8) where id = :id
""")
async def change(tx: Db, id: str, reason: str, until: int) -> None:
    """Write another reason and end of a hold that is locked."""


@none("update holds set whole = null where id = :id")
async def begin_again(tx: Db, id: str) -> None:
    """Have a hold that is locked be copied once more, as far as it is not."""


@maybe("""
    select kind, subject, copied from holds where id = :id for no key update
""")
async def begun(tx: Db, id: str) -> Begun | None:
    """Lock a hold, of which a task copies the record. None if it has ended."""


@none("""
    insert into held_pieces (hold, member, piece) values (:hold, :member, :piece)
""")
async def write(tx: Db, hold: str, member: str | None, piece: str) -> None:
    """Add to the record of a hold that is locked."""


@none("update holds set copied = true where id = :id")
async def end_record(tx: Db, id: str) -> None:
    """Note that the record of a hold is whole."""


@found("""
    with busy as (
        select exists (select from held_files where hold = :id and state = 'copying') as busy
    )
    update holds set whole = exists (select from held_pieces where hold = :id)
        and not exists (select from held_files where hold = :id and state = 'missing')
    from busy where id = :id and copied and not busy
    returning true
""")
async def finish(tx: Db, id: str) -> bool:
    """Note that a hold is copied, and whether anything was lost. False if some bytes are still to
    be kept apart."""


@found("select from holds where id = :id")
async def exists(db: Db, id: str) -> bool:
    """Whether a hold has not ended."""


@maybe("delete from holds where kind = :kind and subject = :subject returning id")
async def _erase(tx: Db, kind: str, subject: str) -> str | None:
    """Delete it with its record. Gives its id."""


@maybe("""
    delete from holds where id = (
        select id from holds where until < now() order by until limit 1 for update skip locked
    )
    returning id
""")
async def _erase_expired(tx: Db) -> str | None:
    """Delete one that has come to its end, with its record. Gives its id."""


async def erase(tx: Db, kind: str, subject: str) -> bool:
    """End a hold. Its record is gone with the transaction, the bytes soon after. False if there is
    none."""
    return await _release(tx, await _erase(tx, kind, subject))


async def erase_expired(tx: Db) -> bool:
    """The same of one that has come to its end. False if none has."""
    return await _release(tx, await _erase_expired(tx))


async def _release(tx: Db, hold: str | None) -> bool:
    if hold is not None:
        await task_queue.put(tx, ReleaseHold(hold=hold))
    return hold is not None


_STATE: Final = """
    case when h.whole is null then 'copying' when h.whole then 'kept' else 'failed' end
"""
_HOLD: Final = f"""
    h.kind, h.subject as id, h.reason, unix(h.until) as until, h.admin as "by",
    unix(h.created) as created, {_STATE} as state, h.bytes,
    (
        select coalesce(json_agg(json_build_object(
            'id', e.id, 'to', e.recipient, 'reference', e.reference, 'at', unix(e.given),
            'note', e.note, 'by', e.admin, 'created', unix(e.created)
        ) order by e.created, e.id), '[]')::jsonb
        from escalations e where e.hold = h.id
    ) as escalations
"""


@many(f"""
    select h.number, {_HOLD} from holds h
    where (:kind::text is null or h.kind = :kind) and h.number < {BEFORE}
    order by h.number desc limit :limit
""")
async def all(
    db: Db, kind: str | None, before: int | None, limit: int | None
) -> list[Numbered[Hold]]:
    """What is held, newest first."""


@maybe(f"select {_HOLD} from holds h where h.kind = :kind and h.subject = :subject")
async def of_subject(db: Db, kind: str, subject: str) -> Hold | None:
    """A hold. None if there is none."""


@maybe(f"""
    select o.id, o.copied, shown.* from holds o cross join lateral (
        select {_HOLD} from holds h where h.number = o.number
    ) shown
    where o.kind = :kind and o.subject = :subject
""")
async def copy_of(db: Db, kind: str, subject: str) -> Copy | None:
    """The same with what its copy needs. None if there is none."""


@found("""
    insert into escalations as e (hold, id, recipient, reference, given, note, admin)
    values (:hold, :id, :to, :reference, to_timestamp(:at::float8), :note, :admin)
    on conflict (hold, id) do update
    set recipient = excluded.recipient, reference = excluded.reference, given = excluded.given,
        note = excluded.note
    where (e.recipient, e.reference, e.given, e.note)
          <> (excluded.recipient, excluded.reference, excluded.given, excluded.note)
    returning true
""")
async def escalate(
    tx: Db, hold: str, id: str, to: str, reference: str, at: int, note: str, admin: str
) -> bool:
    """Note to whom a hold, which is locked, was given, or replace that. False if it says so
    already."""


@found(f"""
    select from (
        select count(*) as others from escalations where hold = :hold and id <> :id::uuid
    ) counted
    where others < {MOST_ESCALATIONS}
""")
async def has_room(tx: Db, hold: str, id: str) -> bool:
    """Whether a hold, which is locked, may have this escalation beside its others."""


@many(f"""
    select number, member, piece from held_pieces where hold = :hold and number > :after
    order by number limit {PIECES}
""")
async def _pieces(db: Db, hold: str, after: int) -> list[Piece]:
    """The next pieces of a record."""


async def record(db: Db, hold: str) -> AsyncIterator[str]:
    """The members of a record in pieces, which commas must separate."""
    after, open, text = 0, None, ""
    while rows := await _pieces(db, hold, after):
        after = rows[-1].number
        for row in rows:
            if row.member is not None and row.member == open:
                # A list that goes on. Its first piece may have no items.
                if row.piece:
                    if not text.endswith("["):
                        yield text
                        text = ""
                    text += row.piece
                continue
            if open is not None:
                yield text + "]"
            elif text:
                yield text
            open = row.member
            text = row.piece if open is None else f'"{open}":[{row.piece}'
    if open is not None:
        yield text + "]"
    elif text:
        yield text
