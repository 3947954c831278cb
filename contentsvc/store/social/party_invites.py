"""Invites to parties, and the answers to them: social#party-invites."""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, many, maybe, one
from contentsvc.store.fragments import USER, within
from contentsvc.store.rate_limits import INVITES, taken
from contentsvc.wire.social import PendingInvite


class Invited(NamedTuple):
    """Whether an invite or an answer has `changed` anything. If `wait` is above 0, it is the
    seconds until the user may send one more: then the transaction must be rolled back."""

    changed: bool
    wait: int


class Invite(NamedTuple):
    """An invite to a party: the moment (Unix seconds) and `tie`, its place in the list."""

    moment: float
    tie: int
    invite: PendingInvite


def _counted(changed: str, who: str) -> str:
    """Whether there is a row of `changed`. If there is, it counts for the limit of `who`."""
    return f"""
        exists (select from {changed}) as changed,
        case when exists (select from {changed}) then {taken(INVITES, who)} else 0 end as wait
    """


@one(f"""
    with made as (
        insert into party_invites as i (sender, recipient, party, changed)
        values (:sender, :recipient, :party, clock_timestamp())
        on conflict (sender, recipient, party) do update
        set answer = null, changed = clock_timestamp()
        where i.answer is not null or i.changed < clock_timestamp() - make_interval(secs => :again)
        returning true
    )
    select {_counted("made", ":sender::uuid")}
""")
async def invite(tx: Db, sender: str, recipient: str, party: str, again: int, most: int) -> Invited:
    """Register an invite, if it does not repeat one that is less than `again` seconds old. It
    counts for the sender's limit of `most` INVITES, 0 for any number.

    Raises Refused `party_invites_recipient` if there is no such user.
    """


@one(f"""
    with answered as (
        insert into party_invites as i (sender, recipient, party, answer, changed)
        values (:sender, :recipient, :party, :answer, clock_timestamp())
        on conflict (sender, recipient, party) do update
        set answer = excluded.answer, changed = clock_timestamp()
        where i.answer is distinct from excluded.answer
           or i.changed < clock_timestamp() - make_interval(secs => :again)
        returning true
    )
    select {_counted("answered", ":recipient::uuid")}
""")
async def answer_any(
    tx: Db, sender: str, recipient: str, party: str, answer: str, again: int, most: int
) -> Invited:
    """Register an answer, even without an invite, if it does not repeat one that is less than
    `again` seconds old. It counts for the recipient's limit of `most` INVITES, 0 for any number.

    Raises Refused `party_invites_sender`.
    """


@maybe(f"""
    with answered as (
        update party_invites i set answer = :answer, changed = clock_timestamp()
        where sender = :sender and recipient = :recipient and party = :party
          and (i.answer is distinct from :answer
               or i.changed < clock_timestamp() - make_interval(secs => :again))
        returning true
    )
    select {_counted("answered", ":recipient::uuid")} from party_invites
    where sender = :sender and recipient = :recipient and party = :party
""")
async def answer_invite(
    tx: Db, sender: str, recipient: str, party: str, answer: str, again: int, most: int
) -> Invited | None:
    """The same of an answer to an invite. None if there is no such invite."""


# Rows of one moment come in the order of a hash: the list has no number of its own.
@many(
    within(
        f"""
        select date_part('epoch', i.changed) as moment, tie, unix(i.changed) as created, i.party,
               {USER} as profile
        from party_invites i
        cross join lateral (
            select hashtextextended(i.sender::text || i.party, 0) as tie
        ) place
        join users u on u.id = i.sender
        where i.recipient = :user and i.answer is null
          and i.changed > now() - make_interval(secs => :age)
          and i.changed < now() + interval '1 minute'
          and (i.changed, tie) < (to_timestamp(:moment), :tie::bigint)
        order by i.changed desc, tie desc limit :limit
        """,
        "moment, tie, id, username, avatar, emblem, profile, party, created",
        "moment desc, tie desc",
    )
)
async def invites(
    db: Db, user: str, age: int, moment: float, tie: float, limit: int, bytes: int
) -> list[Invite]:
    """The invites to the user of the last `age` seconds that have no answer, newest first, after
    that of `moment` and `tie`. Those from before the clock was set back are left out."""
