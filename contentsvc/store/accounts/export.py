"""All that the service holds of a user, for the user (accounts#export).

The account is one object. The rest comes in sections (contentsvc.store.sections). A page of one is
a statement of its own, so a user who writes meanwhile may see one section before it and the next
one after it.

What others have written is in it where it was meant for the user: messages, and notifications. Not
in it is what others say about the user to the service: reports of the user, and who blocks them.
Nor is what moderators note for each other, such as the decisions about these reports.
"""

from collections.abc import AsyncIterator
from typing import Any, Final, NamedTuple

from contentsvc.framework.db.connection_bulkhead import WHOLE
from contentsvc.framework.db.query import Db, maybe
from contentsvc.store.rate_limits import FOLLOWS, FRIEND_REQUESTS, LOG_INS, Limit, span
from contentsvc.store.sections import (
    CONTENT,
    FIRST,
    GUID,
    REVISION,
    TEXT,
    Section,
    both,
    in_order,
    section,
)
from contentsvc.wire.accounts import CLIENT
from contentsvc.wire.moderation import Act

SCHEMA: Final = 1
"""Grows when a member of the export changes its meaning, or goes."""


class Account(NamedTuple):
    """The user's id and name, the moment of reading, in Unix seconds, and the record as JSON."""

    id: str
    username: str
    created: int
    record: str


@maybe(
    """
    select u.id, u.username, unix(clock_timestamp()) as created, json_build_object(
        'id', u.id, 'username', u.username, 'email', coalesce(u.email, ''),
        'emailVerified', u.email_confirmed, 'admin', u.role = 'admin', 'role', u.role,
        'guest', u.guest,
        'terms', case when u.terms is not null then json_build_object(
            'version', u.terms, 'accepted', unix(u.terms_accepted)
        ) end,
        'avatar', u.avatar, 'emblem', u.emblem, 'fullProfile', u.full_profile,
        'publicProfile', u.public_profile, 'created', unix(u.created),
        'emailSince', case when u.email is not null then unix(u.email_since) end,
        'hasPassword', u.password_hash is not null,
        'muted', coalesce(c.muted, '{}'), 'unread', coalesce(c.unread, 0),
        'storage', json_build_object(
            'used', coalesce(s.used, 0), 'pending', coalesce(s.pending, 0)
        ),
        'ban', (
            select json_build_object(
                'reason', b.reason, 'until', unix(b.until), 'created', unix(b.created)
            )
            from bans b where b.user_id = u.id
        )
    )::text as record
    from users u
    left join notification_counters c on c.user_id = u.id
    left join storage s on s.user_id = u.id
    where u.id = :user
    """,
    lane=WHOLE,
)
async def account(db: Db, user: str) -> Account | None:
    """The user's record. None if there is no such user."""


NOTIFIED_ACTS: Final[frozenset[Act]] = frozenset(
    {
        *("user_banned", "ban_lifted", "user_warned", "user_changed", "reward_removed"),
        *("user_restricted", "restriction_lifted", "profile_cleared", "profile_restored"),
        "warning_withdrawn",
        *("user_cleared", "user_renamed", "email_changed"),
    }
)
"""What admins do to a user of which the user is notified, or which the user sees, with its reason.
All else, such as decisions about reports of the user, is for the moderators alone."""
SECTIONS: Final[list[Section]] = []
"""The sections, in their order."""
_HOLDERS: dict[str, Any] = {"of": ("numeric", "0"), "after": "true"}
_MOMENT = "(date_part('epoch', {}.moment) * 1000000)::bigint"


def _counted(limit: Limit) -> str:
    """What counts for a limit of the user, with its moment, and that of the `next`."""
    return f"""(
        select moment, lead(moment) over (order by moment) as next from (
            select expires - {span(limit)} as moment from rate_limits
            where subject = :subject and name = '{limit.name}' and expires > now()
        ) counted
    )"""


_FRIEND = "pair_sides p join users u on u.id = p.other_id where p.user_id = :subject"
_OTHER = 'u.id as "user", u.username'
section(
    SECTIONS,
    "formerNames",
    "f.username, unix(f.changed) as changed",
    "f.number",
    "former_names f where f.user_id = :subject",
)
section(
    SECTIONS,
    "identities",
    "i.id, i.issuer, i.subject, unix(i.linked) as linked",
    "i.number",
    "identities i where i.user_id = :subject",
)
section(
    SECTIONS,
    "sessions",
    f"""s.id, unix(s.created) as created, unix(s.used) as used, unix(s.revoked) as ended,
       s.device, coalesce(s.kind, '{CLIENT}') as kind""",
    "s.id",
    "sessions s where s.user_id = :subject",
    of=GUID,
)
section(
    SECTIONS,
    "failedLogIns",
    f"f.failures, unix(f.first - {span(LOG_INS)}) as since",
    "f.subject",
    """(select subject, count(*) as failures, min(expires) as first
         from rate_limits where account = :subject and expires > now() group by subject) f
        where true""",
    of=GUID,
)
section(
    SECTIONS,
    "mails",
    """m.purpose, m.email, unix(m.created) as created, unix(m.expires) as expires, m.ended,
       m.issuers""",
    "m.id",
    "mails m where m.user_id = :subject",
    of=GUID,
)
section(
    SECTIONS,
    "content",
    CONTENT,
    "c.number",
    "contents c where c.author_id = :subject",
)
section(
    SECTIONS,
    "contentNames",
    """c.id as content, n.name, unix(n.since) as since, n.user_id as "user" """,
    both("c.number", "n.number"),
    f"""(select id, number from contents where author_id = :subject and number >= {FIRST}
         order by number) c
        {in_order("content_names v where v.content_id = c.id", "c.number", "v.number")} n
        where true""",
    order="c.number, n.number",
    **_HOLDERS,
)
section(
    SECTIONS,
    "namesGiven",
    "n.content_id as content, n.name, unix(n.since) as since",
    "n.number",
    """content_names n join contents c on c.id = n.content_id
       where n.user_id = :subject and c.author_id <> :subject""",
)
section(
    SECTIONS,
    "guests",
    """c.id as content, g.user_id as "user", g.role, g.accepted, unix(g.since) as since""",
    "g.number",
    """contents c join content_guests g on g.content_id = c.id where c.author_id = :subject""",
)
section(
    SECTIONS,
    "memberships",
    "g.content_id as content, g.role, g.accepted, unix(g.since) as since",
    "g.number",
    "content_guests g where g.user_id = :subject",
)
section(
    SECTIONS,
    "invitations",
    "t.content_id as content, t.role",
    "(t.content_id::text || t.role)",
    "guests_told t where t.user_id = :subject",
    of=TEXT,
)
section(
    SECTIONS,
    "revisions",
    f"c.id as content, {REVISION}",
    both("c.number", "r.ordinal"),
    f"""(select id, number from contents where author_id = :subject and number >= {FIRST}
         order by number) c
        {in_order("revisions v where v.content_id = c.id", "c.number", "v.ordinal")} r
        where true""",
    order="c.number, r.ordinal",
    **_HOLDERS,
)
section(
    SECTIONS,
    "publications",
    f"r.content_id as content, {REVISION}",
    "r.id",
    """revisions r join contents c on c.id = r.content_id
       where r.publisher_id = :subject and c.author_id <> :subject""",
    of=GUID,
)
section(
    SECTIONS,
    "files",
    "f.path, f.size, f.sent",
    "f.path",
    "user_files f where f.user_id = :subject",
    of=TEXT,
)
section(
    SECTIONS,
    "comments",
    """m.id, m.content_id as content, m.parent_id as "parentId", m.body,
       unix(m.created) as created, unix(m.updated) as updated, m.deleted,
       m.write_id as "writeId" """,
    "m.id",
    "comments m where m.author_id = :subject",
)
section(
    SECTIONS,
    "ratings",
    """r.content_id as content, case when r.up then '1' else '0' end as value,
       unix(r.voted) as voted""",
    "r.content_id",
    "ratings r where r.user_id = :subject",
    of=GUID,
)
section(
    SECTIONS,
    "subscriptions",
    "s.content_id as content, s.pin, unix(s.since) as since",
    "s.number",
    "subscriptions s where s.user_id = :subject",
)
section(
    SECTIONS,
    "collections",
    """c.id, case when c.id = c.owner_id then 'favourites' else 'collection' end as kind, c.name,
       c.description, c.public, c.items, unix(c.updated) as updated""",
    "c.number",
    "collections c where c.owner_id = :subject",
)
section(
    SECTIONS,
    "collectionItems",
    "c.id as collection, i.content_id as content",
    # No place is further from 0 than this.
    both("c.number", "(i.place + (1::bigint << 62))"),
    f"""(select id, number from collections where owner_id = :subject and number >= {FIRST}
         order by number) c
        {
        in_order(
            "collection_items v where v.collection_id = c.id",
            "c.number",
            "(v.place + (1::bigint << 62))",
        )
    } i
        where true""",
    order="c.number, i.place",
    **_HOLDERS,
)
section(
    SECTIONS,
    "played",
    "p.content_id as content, unix(p.since) as since",
    "p.content_id",
    "content_players p where p.user_id = :subject",
    of=GUID,
)
section(
    SECTIONS,
    "plays",
    """t.play as id, t.content_id as content, t.seconds, t.completions > 0 as completed,
       unix(t.created) as created""",
    "t.play",
    "content_tallies t where t.user_id = :subject and t.play is not null",
    of=GUID,
)
section(
    SECTIONS,
    "downloads",
    "t.content_id as content, t.day",
    "(t.content_id::text || t.day)",
    "content_tallies t where t.user_id = :subject and t.downloads > 0",
    of=TEXT,
)
section(SECTIONS, "friends", f"{_OTHER}, unix(p.friends_since) as since", "p.friends", _FRIEND)
section(
    SECTIONS,
    "friendRequests",
    f"""{_OTHER}, unix(p.requested_since) as created,
        case when p.requester = :subject then 'outgoing' else 'incoming' end as direction""",
    "p.requested",
    _FRIEND,
)
section(
    SECTIONS,
    "friendAsks",
    "unix(a.moment) as created",
    _MOMENT.format("a"),
    f"{_counted(FRIEND_REQUESTS)} a where true",
)
section(SECTIONS, "blocked", f"{_OTHER}, unix(p.blocks_since) as since", "p.blocks", _FRIEND)
section(
    SECTIONS,
    "following",
    f"{_OTHER}, unix(f.created) as since",
    "f.number",
    "follows f join users u on u.id = f.followed where f.follower = :subject",
)
section(
    SECTIONS,
    "unfollows",
    "unix(c.moment) as followed",
    _MOMENT.format("c"),
    # A follow is made where it has been counted, before the next one is counted.
    f"""{_counted(FOLLOWS)} c where not exists (
            select from follows f where f.follower = :subject
              and f.created >= c.moment and (f.created < c.next or c.next is null)
        )""",
)
section(
    SECTIONS,
    "followers",
    f"{_OTHER}, unix(f.created) as since",
    "f.number",
    "follows f join users u on u.id = f.follower where f.followed = :subject",
)
section(
    SECTIONS,
    "messages",
    """c.other, m.sender, m.id, m.text, unix(m.created) as created,
       m.unsent or m.withheld as removed""",
    both("c.pair", "m.number"),
    f"""(
            select * from (
                select pair, greater as other from conversations where lesser = :subject
                union all select pair, lesser from conversations where greater = :subject
            ) sides where pair >= {FIRST} order by pair
        ) c
        {in_order("messages v where v.pair = c.pair", "c.pair", "v.number")} m
        where true""",
    order="c.pair, m.number",
    **_HOLDERS,
)
section(
    SECTIONS,
    "partyInvites",
    "i.sender, i.recipient, i.party, i.answer, unix(i.changed) as changed",
    "(i.sender::text || i.recipient || i.party)",
    """(
            select * from party_invites where sender = :subject
            union select * from party_invites where recipient = :subject
        ) i where true""",
    of=TEXT,
)
section(
    SECTIONS,
    "progress",
    """p.key, p.value, p.version, unix(p.written) as timestamp, p.write_id as "writeId" """,
    "p.key",
    "progress p where p.user_id = :subject",
    of=TEXT,
)
section(
    SECTIONS,
    "deletedProgress",
    "p.key, p.version, unix(p.deleted) as deleted",
    "p.key",
    "progress_deleted p where p.user_id = :subject",
    of=TEXT,
)
section(
    SECTIONS,
    "notifications",
    "",
    "n.seq",
    "notifications n where n.user_id = :subject and n.kind <> 'Deleted'",
    item="""
        '{"id":"' || n.id || '","number":' || n.seq || ',"created":' || unix(n.created)
        || ',"read":' || n.read || ',' || substr(n.data, 2)
    """,
)
section(
    SECTIONS,
    "entries",
    "e.challenge_id as challenge, e.content_id as content",
    "e.number",
    # One content after the other: the planner would rather read all entries.
    """contents c cross join lateral (
           select * from challenge_entries e where e.content_id = c.id offset 0
       ) e where c.author_id = :subject""",
)
section(
    SECTIONS,
    "rewards",
    """r.challenge_id as challenge, r.won, r.content_id as content, unix(r.earned) as earned,
       r.taken""",
    "r.number",
    "challenge_rewards r where r.user_id = :subject",
)
section(
    SECTIONS,
    "reports",
    # The messages have the text that the user sees now; the one that is proof, moderators see.
    """r.id, json_build_object('kind', s.kind, 'id', s.id) as subject, r.reason, r.text, (
           select json_agg(json_build_object(
               'id', e.item -> 'id', 'text', coalesce(m.text, ''), 'created', e.item -> 'created'
           ) order by e.place)
           from json_array_elements(r.messages::json) with ordinality e (item, place)
           cross join lateral (
               select case when s.kind = 'user' then s.id::uuid end as id offset 0
           ) sender
           left join pairs p
               on p.lesser = least(sender.id, :subject)
                  and p.greater = greatest(sender.id, :subject)
           left join messages m on m.pair = p.number and m.sender = sender.id
                                   and m.id = (e.item ->> 'id')::uuid
       ) as messages, unix(r.created) as created""",
    "r.number",
    "reports r join report_subjects s on s.number = r.subject where r.reporter = :subject",
)
section(
    SECTIONS,
    "moderation",
    "a.action, a.reason, unix(a.created) as created",
    "a.number",
    f"""moderation_actions a where a.subject = :subject::text and a.subject_kind = 'user'
        and a.action in ({", ".join(f"'{act}'" for act in sorted(NOTIFIED_ACTS))})""",
)
section(
    SECTIONS,
    "decisions",
    """d.id, d.action, json_build_object(
           'kind', d.subject_kind, 'id', d.subject, 'content', d.content_id,
           'user', case d.subject_kind when 'message' then d.user_id end
       ) as subject,
       nullif(d.what, '{}') as what, json_build_object(
           'basis', d.basis, 'reference', d.reference, 'explanation', d.explanation,
           'category', d.category, 'source', d.source, 'notice', d.notice,
           'automated', d.automated
       ) as ground,
       unix(d.created) as created, unix(d.until) as until, d.facts::json as facts,
       case when d.reversed is not null then json_build_object(
           'reason', d.reversal, 'created', unix(d.reversed)
       ) end as reversed, d.replaced""",
    "d.number",
    """decision_users c cross join lateral (
           select * from decisions d where d.number = c.decision offset 0
       ) d where c.user_id = :subject""",
    after="c.decision > :after::bigint",
    order="c.decision",
)
section(
    SECTIONS,
    "appeals",
    """a.id, a.party as "from", a.decision, json_build_object(
           'kind', a.subject_kind, 'id', a.subject, 'content', a.content_id
       ) as subject,
       a.text, unix(a.created) as created, a.state,
       case when a.decided is not null then json_build_object(
           'reason', a.reason, 'created', unix(a.decided)
       ) end as answer""",
    "a.number",
    "appeals a where a.user_id = :subject",
)
section(
    SECTIONS,
    "actions",
    """a.id, a.action, json_build_object('kind', a.subject_kind, 'id', a.subject) as subject,
       a.reason, unix(a.created) as created""",
    "a.number",
    "moderation_actions a where a.admin = :subject",
)


def head(account: Account) -> str:
    """The first members of the export."""
    return f'"schema":{SCHEMA},"created":{account.created},"account":{account.record}'


async def whole(db: Db, account: Account, rows: int, bytes: int) -> AsyncIterator[str]:
    """The members of the export in pieces, which commas must separate. Two pages are in memory at a
    time: the next one shows whether a page is the last."""
    yield head(account)
    for name, read, start in SECTIONS:
        page = await read(db, account.id, start, rows, bytes)
        text = f'"{name}":['
        while page:
            text += ",".join(row.item for row in page)
            page = await read(db, account.id, page[-1].key, rows, bytes)
            if page:
                yield text
                text = ""
        yield text + "]"
