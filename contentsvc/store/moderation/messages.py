"""Messages as moderators see them, and take them away: none but those that a report or a notice
names (moderation#messages).

A message is named by who has sent it and its id. If an id went to several, a report names that of
its reporter, and a notice those that there were when it came.
"""

from typing import Final, NamedTuple

from msgspec import json

from contentsvc.framework.db.query import Db, many, maybe, none
from contentsvc.store.social import removal
from contentsvc.store.social.removal import PROOF


class Named(NamedTuple):
    """A message that is named. `text` is what is proof: "" if it is gone. `created` is in Unix
    seconds. `removed`: a moderator has taken it away; `unsent`: its sender has."""

    pair: int
    recipient: str
    text: str
    created: int
    removed: bool
    unsent: bool


class MessageEvidence(NamedTuple):
    """What a notice stores of a message: a JSON object, and a JSON array of what was sent."""

    text: str
    messages: str


class _Held(NamedTuple):
    """The pair of a message, whose row is locked, and who has got the message."""

    pair: int
    recipient: str


_RECIPIENTS: Final = """
    select r.reporter as recipient
    from report_subjects s join reports r on r.subject = s.number and not r.replaced
    where s.kind = 'user' and s.id = :sender::uuid::text and r.messages is not null
      and r.messages::jsonb @> jsonb_build_array(jsonb_build_object('id', :id::uuid::text))
    union
    select (m.item ->> 'recipientId')::uuid
    from report_subjects s join reports r on r.subject = s.number
    cross join lateral jsonb_array_elements(r.messages::jsonb) m (item)
    where s.kind = 'message' and s.id = :id::uuid::text and s.user_id = :sender
"""
_PAIR: Final = """
    p.lesser = least(:sender, n.recipient) and p.greater = greatest(:sender, n.recipient)
"""
_ITEM: Final = """jsonb_build_object(
        'id', m.id, 'recipientId', c.recipient, 'text', coalesce(k.text, m.text),
        'created', unix(m.created)
    )"""


@many(f"""
    select m.pair, n.recipient, coalesce(k.text, m.text) as text, unix(m.created) as created,
           m.withheld as removed, m.unsent
    from ({_RECIPIENTS}) n
    cross join lateral (select number from pairs p where {_PAIR} offset 0) p
    join messages m on m.pair = p.number and m.sender = :sender and m.id = :id
    left join removed_messages k
        on (k.pair, k.sender, k.id) = (m.pair, m.sender, m.id) and {PROOF}
    order by m.created, m.pair
""")
async def named(db: Db, sender: str, id: str) -> list[Named]:
    """The messages of this sender with this id that reports and notices name, the oldest first."""


@maybe(f"""
    select jsonb_build_object('authorId', :sender::uuid)::text as text,
           jsonb_agg({_ITEM} order by m.created, m.pair)::text as messages
    from (
        select pair, greater as recipient from conversations where lesser = :sender
        union all
        select pair, lesser from conversations where greater = :sender
    ) c
    cross join lateral (
        select * from messages m
        where m.pair = c.pair and m.sender = :sender and m.id = :id offset 0
    ) m
    left join removed_messages k
        on (k.pair, k.sender, k.id) = (m.pair, m.sender, m.id) and {PROOF}
    having count(*) > 0
""")
async def evidence(db: Db, sender: str, id: str) -> MessageEvidence | None:
    """What there is of this sender with this id, to whomever it went, whether or not it is named.
    None if there is none."""


@none("select pg_advisory_xact_lock(hashtext('message ' || :sender::text), hashtext(:id::text))")
async def hold(tx: Db, sender: str, id: str) -> None:
    """Let nobody else decide about these messages until the transaction ends."""


@many(f"""
    select p.number as pair, n.recipient
    from (
        select * from ({_RECIPIENTS}) n
        order by least(:sender, n.recipient), greatest(:sender, n.recipient)
    ) n
    cross join lateral (select number from pairs p where {_PAIR} for no key update) p
""")
async def _hold_named(tx: Db, sender: str, id: str) -> list[_Held]:
    """Lock the pairs of those that are named."""


@many(f"""
    select p.number as pair, n.recipient from removed_messages n join pairs p on {_PAIR}
    where n.sender = :sender and n.id = :id and n.pair = p.number
    order by p.lesser, p.greater for no key update of p
""")
async def _hold_removed(tx: Db, sender: str, id: str) -> list[_Held]:
    """Lock the pairs of those that were taken away."""


async def lock(tx: Db, sender: str, id: str) -> list[Named]:
    """Lock the messages that are named, and give them, the oldest first. None of them: nobody has
    named any, or they are gone."""
    await hold(tx, sender, id)
    await _hold_named(tx, sender, id)
    return await named(tx, sender, id)


async def lock_removed(tx: Db, sender: str, id: str) -> list[str]:
    """Lock the messages that were taken away, and give who has got them. Nobody else decides about
    these messages (see `hold`)."""
    return [held.recipient for held in await _hold_removed(tx, sender, id)]


def facts(sender: str, id: str, found: list[Named]) -> str:
    """What a decision about these messages keeps of them: the JSON of an object, as a notice has
    it."""
    messages = [
        {"id": id, "recipientId": one.recipient, "text": one.text, "created": one.created}
        for one in found
    ]
    return json.encode({"authorId": sender, "messages": messages}).decode()


def standing(found: list[Named]) -> list[Named]:
    """Those that nobody has taken away."""
    return [one for one in found if not one.removed and not one.unsent]


async def remove(tx: Db, sender: str, id: str, found: list[Named]) -> list[str]:
    """Take these messages away from both sides, for a moderator, which are locked. Gives the
    recipients, whose sockets are to hear of it. Their counters are locked in their order."""
    return [
        one.recipient
        for one in sorted(standing(found), key=_recipient)
        if await removal.remove(tx, one.pair, sender, one.recipient, id, own=False)
    ]


async def give_back(tx: Db, sender: str, id: str) -> list[str]:
    """Take that back. What its sender has taken away stays so. Gives the recipients. Nobody else
    decides about these messages (see `hold`)."""
    return [
        held.recipient
        for held in sorted(await _hold_removed(tx, sender, id), key=_recipient)
        if await removal.give_back(tx, held.pair, sender, held.recipient, id)
    ]


def _recipient(held: Named | _Held) -> str:
    return held.recipient
