"""Messages as moderators see them, and take them away: none but those that a report names
(moderation#reports).

A message is named by who has sent it and its id. If an id went to several, only those count whose
recipients have named it.
"""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, many
from contentsvc.store.social import removal
from contentsvc.store.social.removal import PROOF


class Named(NamedTuple):
    """A message that a report names. `text` is what is proof: "" if it is gone. `created` is in
    Unix seconds. `removed`: a moderator has taken it away."""

    pair: int
    recipient: str
    text: str
    created: int
    removed: bool


class _Held(NamedTuple):
    """The pair of a message, whose row is locked, and who has got the message."""

    pair: int
    recipient: str


_REPORTERS: Final = """
    select distinct r.reporter as recipient
    from report_subjects s join reports r on r.subject = s.number and not r.replaced
    where s.kind = 'user' and s.id = :sender::uuid::text and r.messages is not null
      and r.messages::jsonb @> jsonb_build_array(jsonb_build_object('id', :id::uuid::text))
"""
_PAIR: Final = """
    p.lesser = least(:sender, n.recipient) and p.greater = greatest(:sender, n.recipient)
"""


@many(f"""
    select m.pair, n.recipient, coalesce(k.text, m.text) as text, unix(m.created) as created,
           m.withheld as removed
    from ({_REPORTERS}) n
    join pairs p on {_PAIR}
    join messages m on m.pair = p.number and m.sender = :sender and m.id = :id
    left join removed_messages k
        on (k.pair, k.sender, k.id) = (m.pair, m.sender, m.id) and {PROOF}
    order by m.created
""")
async def named(db: Db, sender: str, id: str) -> list[Named]:
    """The messages of this sender with this id that reports name, the oldest first."""


@many(f"""
    select p.number as pair, n.recipient from ({_REPORTERS}) n join pairs p on {_PAIR}
    order by p.lesser, p.greater for no key update of p
""")
async def _hold_named(tx: Db, sender: str, id: str) -> list[_Held]:
    """Lock the pairs of those that reports name."""


@many(f"""
    select p.number as pair, n.recipient from removed_messages n join pairs p on {_PAIR}
    where n.sender = :sender and n.id = :id and n.pair = p.number
    order by p.lesser, p.greater for no key update of p
""")
async def _hold_removed(tx: Db, sender: str, id: str) -> list[_Held]:
    """Lock the pairs of those that were taken away."""


async def remove(tx: Db, sender: str, id: str) -> list[str]:
    """Take the messages away from both sides that reports name, for a moderator. Gives the
    recipients of those that were not yet taken away so, whose sockets are to hear of it."""
    return [
        held.recipient
        for held in sorted(await _hold_named(tx, sender, id), key=_recipient)
        if await removal.remove(tx, held.pair, sender, held.recipient, id, own=False)
    ]


async def give_back(tx: Db, sender: str, id: str) -> list[str]:
    """Take that back. What its sender has taken away stays so. Gives the recipients."""
    return [
        held.recipient
        for held in sorted(await _hold_removed(tx, sender, id), key=_recipient)
        if await removal.give_back(tx, held.pair, sender, held.recipient, id)
    ]


def _recipient(held: _Held) -> str:
    return held.recipient
