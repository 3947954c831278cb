"""Decisions of moderators, and what of them stands (moderation#decisions).

Whoever decides about a subject, or takes that back, has locked the subject: the content, the
content of a comment, the user, or the block of a file. So of two at once one comes after the other,
and one decision of an action is left that stands.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import UNSET, UnsetType

from contentsvc.framework.db.query import Db, many, maybe, none, one
from contentsvc.store.events.events import note
from contentsvc.store.fragments import BEFORE, PART, Numbered, within
from contentsvc.store.moderation import appeals
from contentsvc.store.moderation.appeals import APPEALABLE, SHOWN, Answered
from contentsvc.store.retention import NOTES
from contentsvc.wire.base import Record
from contentsvc.wire.decisions import (
    DecidedKind,
    DecisionAction,
    DecisionAppeal,
    Ground,
    GroundBody,
)
from contentsvc.wire.events import EventData

_NOT_OVER: Final = "(s.until is null or s.until > now())"
_YOUNG: Final = f"d.created > now() - interval '{APPEALABLE} days'"
_OPEN: Final = """exists (
        select from appeals a where a.decision = d.id and a.state = 'open' offset 0
    )"""
"""Whether somebody waits for the answer to an appeal. With the offset it is looked up."""


class Subject(NamedTuple):
    """What is decided about: `content` is what a comment is on; `user` whom it concerns, None of a
    file. Of a message that is who has sent it."""

    kind: DecidedKind
    id: str
    content: str | None
    user: str | None

    @property
    def part(self) -> str:
        """The part of it that stands, where it is no restriction: another user may have sent a
        message with the same id."""
        return self.user or "" if self.kind == "message" else ""

    @property
    def sender(self) -> str | UnsetType:
        """Who has sent it, of a message."""
        return self.user if self.kind == "message" and self.user is not None else UNSET


class New(NamedTuple):
    """A decision to write. `what` is for restrictions. `until` is in Unix seconds. `facts` and
    `taken` are JSON objects: the subject as it was, and what can be given back."""

    id: str
    action: DecisionAction
    subject: Subject
    ground: GroundBody
    facts: str | None
    taken: str | None = None
    until: int | None = None
    what: Sequence[str] = ()


class Standing(NamedTuple):
    """A decision that stands, and whether it can still be appealed by its age."""

    number: int
    id: str
    user_id: str | None
    facts: str | None
    taken: str | None
    appealable: bool


class Known(NamedTuple):
    """A decision, as far as it decides what a repeat or a reversal does. `stands` is false where it
    has no effect any more, `reversed` whether that was said."""

    number: int
    id: str
    action: DecisionAction
    kind: DecidedKind
    subject: str
    content: str | None
    user_id: str | None
    taken: str | None
    stands: bool
    reversed: bool

    @property
    def about(self) -> Subject:
        """What it is about."""
        return Subject(self.kind, self.subject, self.content, self.user_id)


class Restriction(NamedTuple):
    """Of what a user is shut out, by which decision, and until when, in Unix seconds."""

    what: str
    decision: str
    until: int | None


class Stored(Record):
    """A decision as it is stored. `facts` are JSON text; times are in Unix seconds."""

    id: str
    action: str
    kind: str
    subject: str
    content: str | None
    user_id: str | None
    what: list[str]
    ground: Ground
    moderator: str
    created: int
    until: int | None
    facts: str | None
    replaced: str | None
    reverser: str | None
    reversal: str | None
    reversed: int | None
    appeals: list[DecisionAppeal]


async def take(tx: Db, moderator: str, service: bool, new: New) -> int:
    """Write a decision about a subject that is locked, in the transaction of the act. It replaces
    what of the same action has stood. Gives its number.

    Raises Refused `decisions_id`.
    """
    subject, ground = new.subject, new.ground
    number = await _insert(
        tx,
        id=new.id,
        action=new.action,
        kind=subject.kind,
        subject=subject.id,
        content=subject.content,
        user=subject.user,
        what=[*new.what],
        parts=[*new.what] or [subject.part],
        basis=ground.basis,
        reference=ground.reference,
        explanation=ground.explanation,
        category=ground.category,
        source=ground.source,
        notice=ground.notice,
        automated=ground.automated,
        moderator=moderator,
        service=service,
        until=new.until,
        facts=new.facts,
        taken=new.taken,
    )
    about = subject.kind, subject.id
    data = EventData(action=new.action, sender=subject.sender)
    await note(tx, "DecisionTaken", moderator, *about, data, content=subject.content)
    return number


@one("""
    with made as (
        insert into decisions (
            id, action, subject_kind, subject, content_id, user_id, what, basis, reference,
            explanation, category, source, notice, automated, moderator, service, until, facts,
            taken
        ) values (
            :id, :action, :kind, :subject, :content, :user, :what::text[], :basis, :reference,
            :explanation, :category, :source, :notice, :automated, :moderator, :service,
            to_timestamp(:until::bigint), :facts, :taken
        )
        returning number, id, user_id, until
    ), before as materialized (
        select s.part, s.decision, s.until from standing_decisions s
        where s.subject = :subject and s.subject_kind = :kind and s.action = :action
          and s.part = any(:parts::text[])
    ), stands as (
        insert into standing_decisions (subject, subject_kind, action, part, decision, until)
        select :subject, :kind, :action, p.part, m.number, m.until
        from made m cross join unnest(:parts::text[]) p (part)
        on conflict (subject, subject_kind, action, part)
        do update set decision = excluded.decision, until = excluded.until
    ), replaced as (
        -- What is over has come to its end before.
        update decisions d set replaced = m.id from made m
        where d.number in (select decision from before where until is null or until > now())
          and not exists (
              select from standing_decisions s
              where s.decision = d.number and s.part <> all(:parts::text[])
          )
    ), concerns as (
        insert into decision_users (user_id, decision)
        select user_id, number from made where user_id is not null
    )
    select number from made
""")
async def _insert(
    tx: Db,
    *,
    id: str,
    action: str,
    kind: str,
    subject: str,
    content: str | None,
    user: str | None,
    what: list[str],
    parts: list[str],
    basis: str,
    reference: str,
    explanation: str,
    category: str | None,
    source: str,
    notice: str | None,
    automated: str,
    moderator: str,
    service: bool,
    until: int | None,
    facts: str | None,
    taken: str | None,
) -> int:
    """Write the rows."""


@maybe(f"""
    select d.number, d.id, d.user_id, d.facts, d.taken, {_YOUNG} as appealable
    from standing_decisions s join decisions d on d.number = s.decision
    where s.subject = :subject and s.subject_kind = :kind and s.action = :action and s.part = :part
      and {_NOT_OVER}
""")
async def _standing(db: Db, kind: str, subject: str, action: str, part: str) -> Standing | None:
    """Read it."""


async def standing(db: Db, kind: str, subject: str, action: str, part: str = "") -> Standing | None:
    """The decision of an action that stands for a subject, of a message for its `part`. Of
    restrictions see `restrictions`."""
    return await _standing(db, kind, subject, action, part)


@none("""
    update decisions d set taken = null
    from standing_decisions s
    where s.subject = :subject and s.subject_kind = :kind and s.action = :action
      and d.number = s.decision
""")
async def forget_taken(tx: Db, kind: str, subject: str, action: str) -> None:
    """Have the reversal of the decision that stands for a subject, which is locked, give nothing
    back: who has made the subject has taken it away too."""


async def reverse(
    tx: Db, moderator: str, service: bool, number: int, about: Subject, reason: str
) -> list[Answered]:
    """Note that a decision is reversed, and end what of it stands. Its subject is locked, and it is
    not reversed yet. That answers its open appeals, which this gives."""
    await _reverse(tx, number, moderator, service, reason)
    given = about.kind, about.id, EventData(sender=about.sender)
    await note(tx, "DecisionReversed", moderator, *given, content=about.content)
    # By another statement: who appeals has locked the decision, and is waited for.
    return await appeals.answer_all(tx, number, moderator, "reversed", reason)


@none("""
    with ended as (delete from standing_decisions where decision = :number)
    update decisions
    set reverser = :moderator, reverser_service = :service, reversal = :reason,
        reversed = clock_timestamp()
    where number = :number
""")
async def _reverse(tx: Db, number: int, moderator: str, service: bool, reason: str) -> None:
    """Write it."""


@none("select from decisions where id = :decision for no key update")
async def lock(tx: Db, decision: str) -> None:
    """Lock a decision, whose subject is locked if it is still there."""


@maybe(f"""
    select d.number, d.id, d.action, d.subject_kind as kind, d.subject, d.content_id as content,
           d.user_id, d.taken,
           exists (
               select from standing_decisions s where s.decision = d.number and {_NOT_OVER}
           ) as stands,
           d.reversed is not null as reversed
    from decisions d where d.id = :decision
""")
async def known(db: Db, decision: str) -> Known | None:
    """The decision with this id."""


@many(f"""
    select s.part as what, d.id as decision, unix(s.until) as until
    from standing_decisions s join decisions d on d.number = s.decision
    where s.subject = :user and s.subject_kind = 'user' and s.action = 'restrict' and {_NOT_OVER}
    order by s.part
""")
async def restrictions(db: Db, user: str) -> list[Restriction]:
    """Of what a user is shut out now."""


@many(f"""
    select distinct s.subject from standing_decisions s
    where s.action = 'restrict' and s.subject_kind = 'user' and {_NOT_OVER}
""")
async def restricted(db: Db) -> list[str]:
    """The users who are shut out of anything now."""


def _columns(whose: str = "") -> str:
    """The columns of a decision. Its appeals are all, or those of `whose`."""
    return f"""
    d.id, d.action, d.subject_kind as kind, d.subject, d.content_id as content, d.user_id,
    d.what, d.basis, d.reference, d.explanation, d.category, d.source, d.notice, d.automated,
    d.moderator, unix(d.created) as created, unix(d.until) as until,
    case when {_YOUNG} or {_OPEN} then d.facts end as facts,
    d.replaced, d.reverser, d.reversal, unix(d.reversed) as reversed, (
        select coalesce(jsonb_agg(
            jsonb_build_object('id', a.id, 'state', a.state) order by a.number
        ), '[]')
        from (
            select * from appeals a where a.decision = d.id {whose}
            order by a.number desc limit {SHOWN}
        ) a
    ) as appeals
    """


_COLUMNS: Final = _columns()
_OF_USER: Final = _columns("and a.user_id = :user")
_FITS: Final = f"""
    (:action::text is null or d.action = :action)
    and (
        :open::boolean is null
        or :open = exists (
            select from standing_decisions s where s.decision = d.number and {_NOT_OVER} offset 0
        )
    )
"""
_NAMES: Final = """
    number, id, action, kind, subject, content, user_id, what, basis, reference, explanation,
    category, source, notice, automated, moderator, created, until, facts, replaced, reverser,
    reversal, reversed, appeals
"""


def _within(page: str) -> str:
    """The decisions of a page, and no more once their facts have PART bytes."""
    size = "coalesce(octet_length(facts), 0)"
    return within(page, _NAMES, "number desc", size, str(PART))


@maybe(f"select {_COLUMNS} from decisions d where d.id = :decision")
async def get(db: Db, decision: str) -> Stored | None:
    """One decision."""


@maybe(f"""
    select {_OF_USER} from decisions d join decision_users c on c.decision = d.number
    where d.id = :decision and c.user_id = :user
""")
async def get_of_user(db: Db, user: str, decision: str) -> Stored | None:
    """One decision that concerns a user, with the appeals of that user alone."""


@many(
    _within(f"""
        select d.number, {_COLUMNS} from decisions d where {_FITS} and d.number < {BEFORE}
        order by d.number desc limit :limit
    """)
)
async def all(
    db: Db, action: str | None, open: bool | None, before: int | None, limit: int
) -> list[Numbered[Stored]]:
    """The decisions, newest first: of one action, or those alone that stand, or do not."""


@many(
    _within(f"""
        select d.number, {_COLUMNS} from decisions d
        where d.subject = :subject and {_FITS} and d.number < {BEFORE}
          and (:user::uuid is null or exists (
              select from decision_users c where c.user_id = :user and c.decision = d.number
          ))
        order by d.number desc limit :limit
    """)
)
async def of_subject(
    db: Db,
    subject: str,
    user: str | None,
    action: str | None,
    open: bool | None,
    before: int | None,
    limit: int,
) -> list[Numbered[Stored]]:
    """The same of those about a subject, which concern a user if one is given."""


@many(
    _within(f"""
        select d.number, {_COLUMNS} from decision_users c join decisions d on d.number = c.decision
        where c.user_id = :user and {_FITS} and c.decision < {BEFORE}
        order by c.decision desc limit :limit
    """)
)
async def of_user(
    db: Db, user: str, action: str | None, open: bool | None, before: int | None, limit: int
) -> list[Numbered[Stored]]:
    """The same of those that concern a user."""


@many(
    _within(f"""
        select d.number, {_OF_USER} from decision_users c join decisions d on d.number = c.decision
        where c.user_id = :user and c.decision < {BEFORE}
        order by c.decision desc limit :limit
    """)
)
async def concerning(db: Db, user: str, before: int | None, limit: int) -> list[Numbered[Stored]]:
    """All that concern a user, newest first, with the appeals of that user alone."""


@many("""
    with holders as materialized (
        select distinct coalesce(o.author_id, case when c.kind = 'user' then c.holder end) as id
        from claims c left join contents o on o.id = c.content_id
        where c.path = any(:paths::text[])
    ), next as (
        select id from holders where id > :after::uuid order by id limit :limit
    ), told as (
        insert into decision_users (user_id, decision) select id, :number from next
        on conflict do nothing
    )
    select id from next order by id
""")
async def concern_users(tx: Db, number: int, paths: list[str], after: str, limit: int) -> list[str]:
    """Have a decision about a file concern the next users whose content or avatar has it, in the
    order of their ids. Gives them."""


@many("""
    select user_id from decision_users where decision = :number and user_id > :after::uuid
    order by user_id limit :limit
""")
async def concerned(db: Db, number: int, after: str, limit: int) -> list[str]:
    """The next users whom a decision concerns, in the order of their ids."""


@many("""
    select a.user_id from decisions d join appeals a on a.decision = d.id
    where d.number = :number and a.user_id = any(:users::uuid[]) and a.state = 'reversed'
""")
async def told_reversed(db: Db, number: int, users: list[str]) -> list[str]:
    """Those of these users to whom the reversal of a decision was the answer to an appeal."""


@one(f"""
    with old as materialized (
        select d.number, d.id, d.subject_kind, d.subject, d.user_id from decisions d
        where (d.facts is not null or d.taken is not null)
          and d.created < now() - interval '{APPEALABLE} days' and not {_OPEN}
        order by d.created limit {NOTES}
        for no key update skip locked
    ), released as (
        delete from claims where kind = 'decision' and holder = any(array(select id from old))
    ), texts as (
        -- Those of messages, unless a later decision may still be appealed.
        delete from removed_messages k
        using (
            select user_id as sender, subject::uuid as id from old o
            where subject_kind = 'message' and not exists (
                select from decisions d
                where d.subject = o.subject and d.subject_kind = 'message'
                  and d.user_id = o.user_id
                  and (d.created >= now() - interval '{APPEALABLE} days' or {_OPEN})
            )
            offset 0
        ) o
        where k.sender = o.sender and k.id = o.id and k.unsent is null
    ), forgotten as (
        update decisions set facts = null, taken = null
        where number = any(array(select number from old))
    )
    select count(*) from old
""")
async def forget_facts(db: Db) -> int:
    """Forget the facts of at most NOTES decisions that nobody can appeal any more, and of which no
    appeal is open, and give up the files that were kept for them, and the texts of messages. Gives
    how many."""
