"""Messages that are taken away, for both sides: by who sent them, or by a moderator
(social#unsending).

Whoever calls this has locked the pair (contentsvc.store.social.pairs). The text moves to another
table, so that no list has to leave it out. The recipient's counter is locked last.
"""

from typing import Final, NamedTuple

from msgspec import json

from contentsvc.framework.db.query import Db, maybe, one
from contentsvc.store.notifications.flags import after_all
from contentsvc.store.social.pairs import THEIRS
from contentsvc.wire.notifications import FriendMessage

KEPT: Final = 30
"""Days for which reports have the text of what its sender has taken away."""
PROOF: Final = f"(k.unsent is null or k.unsent > clock_timestamp() - interval '{KEPT} days')"
"""Whether a report that names the message of `removed_messages k` has its text."""
REPORTING: Final = 60
"""Seconds after that, until reports lose it: more than a report takes that has just read it."""
BATCH: Final = 100
"""Messages in a batch whose text goes."""


class Message(NamedTuple):
    """A message between two users. `own`: the one who asks has sent it; then `unsent` says whether
    they have taken it away. `age` is in seconds."""

    pair: int
    own: bool
    unsent: bool
    age: float


class _GivenBack(NamedTuple):
    """A message's text, and the number of its notification: 0 if there is none, None if it is not
    known."""

    text: str
    notified: int | None


@maybe(f"""
    select m.pair, m.sender = :user as own, m.unsent,
           extract(epoch from clock_timestamp() - m.created)::float8 as age
    from messages m
    where m.pair = (select number from pairs where {THEIRS}) and m.sender in (:user, :other)
      and m.id = :id
    order by m.sender = :user desc limit 1
""")
async def find(tx: Db, user: str, other: str, id: str) -> Message | None:
    """A message between two users. If both have sent one with this id, it is the user's own."""


@maybe("""
    with message as materialized (
        select * from messages
        where pair = :pair and sender = :sender and id = :id
          and not case when :own then unsent else withheld end
    ), kept as (
        insert into removed_messages as k (pair, sender, id, recipient, text, unsent)
        select pair, sender, id, :recipient, text, case when :own then clock_timestamp() end
        from message where not unsent
        on conflict (pair, sender, id) do update set unsent = coalesce(k.unsent, excluded.unsent)
    )
    update messages m
    set text = '', unsent = m.unsent or :own, withheld = m.withheld or not :own
    from message o where m.pair = o.pair and m.number = o.number
    returning coalesce(m.notified, -1)
""")
async def _remove(tx: Db, pair: int, sender: str, recipient: str, id: str, own: bool) -> int | None:
    """Take the text of a message away. Gives the number of its notification: 0 if there is none, -1
    if it is not known. None if there is no such message, or it was taken away so already."""


@maybe("""
    with message as materialized (
        select m.number, m.notified, m.unsent, coalesce(k.text, '') as text
        from messages m left join removed_messages k using (pair, sender, id)
        where m.pair = :pair and m.sender = :sender and m.id = :id and m.withheld
    ), forgotten as (
        delete from removed_messages k using message o
        where k.pair = :pair and k.sender = :sender and k.id = :id and not o.unsent
    )
    update messages m
    set withheld = false, text = case when m.unsent then '' else o.text end
    from message o where m.pair = :pair and m.number = o.number
    returning m.text, m.notified
""")
async def _give_back(tx: Db, pair: int, sender: str, id: str) -> _GivenBack | None:
    """Undo what `_remove` has done for a moderator. None if there is nothing to be undone."""


@one(f"""
    with told as (
        -- Which rows are listed shows in their lengths (notifications.listed_state).
        update notifications n
        set data = case when octet_length(n.data) = octet_length(:data)
                        then left(:data, -1) || ' }}' else :data end
        where n.user_id = :recipient and n.kind = 'FriendMessage' and n.seq = any(array(
            select :notified::bigint where :notified > 0
            union all
            select o.seq from notifications o
            where :notified < 0 and o.user_id = :recipient and o.kind = 'FriendMessage'
              and o.data::json ->> 'message' = :id and o.data::json ->> 'sender' = :sender
        ))
        returning 1
    ), counter as (
        update notification_counters c set changes = c.changes + 1
        where c.user_id = :recipient and {after_all("told")}
    )
    select count(*) from told
""")
async def _tell(tx: Db, recipient: str, notified: int, sender: str, id: str, data: str) -> int:
    """Have the notification of a message say something else, and the recipient's sockets say that
    something has changed. Without a number it is looked up."""


async def remove(tx: Db, pair: int, sender: str, recipient: str, id: str, *, own: bool) -> bool:
    """Take a message away from both sides: `own` is on behalf of its sender, otherwise on that of a
    moderator. False if there is none, or if it was taken away on behalf of the same already."""
    notified = await _remove(tx, pair, sender, recipient, id, own)
    if notified is None:
        return False
    shown = FriendMessage(sender=sender, text="", message=id, removed=True)
    await _tell(tx, recipient, notified, sender, id, json.encode(shown).decode())
    return True


async def give_back(tx: Db, pair: int, sender: str, recipient: str, id: str) -> bool:
    """Take a moderator's removal back. What its sender has taken away stays so. False if no
    moderator has removed the message."""
    back = await _give_back(tx, pair, sender, id)
    if back is None:
        return False
    if back.text:
        shown = FriendMessage(sender=sender, text=back.text, message=id, removed=False)
        data = json.encode(shown).decode()
        notified = -1 if back.notified is None else back.notified
        await _tell(tx, recipient, notified, sender, id, data)
    return True


def _emptied(messages: str, recipient: str) -> str:
    """The JSON array of these `messages` of `n.sender`, without the texts that go. Where an item
    does not say to whom it went, that is the `recipient`."""
    return f"""(
        select jsonb_agg(
            case when exists (
                select from old o
                where o.sender = n.sender and o.id::text = m.item ->> 'id'
                  and o.recipient::text = coalesce(m.item ->> 'recipientId', {recipient})
            ) then m.item || '{{"text": ""}}' else m.item end
            order by m.place
        )
        from jsonb_array_elements({messages}) with ordinality m (item, place)
    )"""


@one(f"""
    with old as materialized (
        select ctid, sender, id, recipient from removed_messages
        where unsent < now() - interval '{KEPT} days {REPORTING} seconds'
        order by unsent limit {BATCH}
        for update skip locked
    ), named as materialized (
        -- By their ids: reports that are opened again get other numbers.
        select r.id, o.sender, r.reporter
        from old o
        join report_subjects s on s.kind = 'user' and s.id = o.sender::text
        join reports r on r.reporter = o.recipient and r.subject = s.number
                          and r.messages is not null
        union
        select r.id, o.sender, null
        from old o
        join report_subjects s on s.kind = 'message' and s.id = o.id::text and s.user_id = o.sender
        join reports r on r.subject = s.number and r.messages is not null
    ), emptied as (
        update reports r set messages = {_emptied("r.messages::jsonb", "n.reporter::text")}::text
        from named n where r.id = n.id
    ), decided as materialized (
        select distinct d.number, o.sender
        from old o
        join decisions d on d.subject = o.id::text and d.subject_kind = 'message'
                            and d.user_id = o.sender and d.facts is not null
    ), forgotten as (
        update decisions d
        set facts = jsonb_set(
            d.facts::jsonb, '{{messages}}', {_emptied("d.facts::jsonb -> 'messages'", "null")}
        )::text
        from decided n where d.number = n.number
    ), gone as (
        delete from removed_messages where ctid = any(array(select ctid from old))
        returning 1
    )
    select count(*) from gone
""")
async def forget(db: Db) -> int:
    """Delete the texts of at most BATCH messages that their senders have taken away so long ago, in
    the reports and decisions about them too. Gives their number."""
