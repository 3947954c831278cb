"""All that the service holds of a user, for the user (accounts#export).

The account is one object. The rest comes in sections. Each is a list whose items come in pages, in
the order of a key, as the text of JSON: to take them apart and put them together again would cost
more than to read them. A page is a statement of its own, so a user who writes meanwhile may see one
section before it and the next one after it.

What others have written is in it where it was meant for the user: messages, and notifications. Not
in it is what others say about the user to the service: reports of the user, and who blocks them.
Nor is what moderators note for each other, such as the decisions about these reports.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, NamedTuple

from contentsvc.framework.db.connection_bulkhead import WHOLE
from contentsvc.framework.db.query import Db, many, maybe
from contentsvc.store.fragments import NIL, shown_status
from contentsvc.store.rate_limits import FOLLOWS, FRIEND_REQUESTS, LOG_INS, Limit, span
from contentsvc.wire.moderation import Act


class Item(NamedTuple):
    """An item of a section: its place, and its JSON."""

    key: str
    item: str


Read = Callable[[Db, str, str, int, int], Awaitable[list[Item]]]
"""Reads a user's items after a key: at most so many, and no more once they have so many bytes."""


SCHEMA: Final = 1
"""Grows when a member of the export changes its meaning, or goes."""
PAGE: Final = (100, 256 * 1024)
"""Items of a page of the export, and bytes; it may have one item more than fits."""


class Account(NamedTuple):
    """The user's id and name, the moment of reading, in Unix seconds, and the record as JSON."""

    id: str
    username: str
    created: int
    record: str


class Section(NamedTuple):
    """A member of the export, the reader of its items, and the key before the first one."""

    name: str
    read: Read
    start: str


@maybe(
    """
    select u.id, u.username, unix(clock_timestamp()) as created, json_build_object(
        'id', u.id, 'username', u.username, 'email', coalesce(u.email, ''),
        'emailVerified', u.email_confirmed, 'admin', u.role = 'admin', 'role', u.role,
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
        *("user_cleared", "user_renamed", "email_changed"),
    }
)
"""What admins do to a user of which the user is notified, or which the user sees, with its reason.
All else, such as decisions about reports of the user, is for the moderators alone."""
SECTIONS: Final[list[Section]] = []
"""The sections, in their order."""
_NUMBER, _GUID, _TEXT = ("bigint", "0"), ("uuid", NIL), ("text", "")
"""The types of keys, and what comes before all of a type."""


def _section(
    name: str,
    members: str,
    key: str,
    rows: str,
    *,
    of: tuple[str, str] = _NUMBER,
    order: str = "1",
    after: str = "{key} > :after::{type}",
    item: str = "",
) -> None:
    """Declare a section. `members` are columns, whose names are those of an item's members; `item`
    is its JSON in their place. `rows` begins with the tables, and ends in a condition."""
    type, start = of
    key = f'{key} collate "C"' if type == "text" else key
    item = item or f"(select row_to_json(i) from (select {members}) i)"

    @many(
        f"""
        select key, item from (
            select n, key::text as key, item, coalesce(sum(octet_length(item)) over (
                order by n rows between unbounded preceding and 1 preceding
            ), 0) as before
            from (
                select row_number() over () as n, key, item::text as item
                from (
                    select {key} as key, {item} as item
                    from {rows} and {after.format(key=key, type=type)}
                    order by {order} limit :limit
                ) items
            ) items
        ) page
        where before < :bytes
        order by n
        """,
        lane=WHOLE,
        name=f"section_{name.lower()}",
    )
    async def read(db: Db, user: str, after: str, limit: int, bytes: int) -> list[Item]:
        """A page of the section."""

    SECTIONS.append(Section(name, read, start))


# Two numbers in one: that of what holds the rows, and that of the row in it.
_FIRST, _SECOND = "div(:after::numeric, 1e19)::bigint", "mod(:after::numeric, 1e19)::bigint"


def _in_order(rows: str, holder: str, number: str) -> str:
    """The rows that belong to a holder and come after the place."""
    return f"""
        cross join lateral (
            select * from {rows}
              and {number} > case when {holder} = {_FIRST} then {_SECOND} else 0 end
            order by {number} limit :limit
        )"""


def _both(holder: str, number: str) -> str:
    return f"{holder}::numeric * 1e19 + {number}"


_HOLDERS: dict[str, Any] = {"of": ("numeric", "0"), "after": "true"}
_MOMENT = "(date_part('epoch', {}.moment) * 1000000)::bigint"


def _counted(limit: Limit) -> str:
    """What counts for a limit of the user, with its moment, and that of the `next`."""
    return f"""(
        select moment, lead(moment) over (order by moment) as next from (
            select expires - {span(limit)} as moment from rate_limits
            where subject = :user and name = '{limit.name}' and expires > now()
        ) counted
    )"""


_FRIEND = "pair_sides p join users u on u.id = p.other_id where p.user_id = :user"
_OTHER = 'u.id as "user", u.username'
_REVISION = """
    r.id, r.version, r.description, unix(r.created) as created, r.gone,
    r.requires::json as requires,
    (
        select json_build_object(
            'entityId', entity_id, 'revisionId', revision_id, 'path', path, 'name', name
        )
        from entities where entity_id = r.entity_id and revision_id = r.entity_revision
    ) as entity,
    (
        select coalesce(json_agg(json_build_object(
            'entityId', d.entity_id, 'revisionId', d.entity_revision, 'path', e.path,
            'originating', d.originating,
            'name', case when e.content_id = r.content_id then e.name end
        ) order by d.originating desc, d.place), '[]')
        from revision_entities d
        join entities e on e.entity_id = d.entity_id and e.revision_id = d.entity_revision
        where d.revision_id = r.id
    ) as entities,
    (
        select coalesce(json_agg(jsonb_build_object(
            'id', p.id, 'win64', p.win64, 'osx64', p.osx64, 'linux64', p.linux64,
            'name', case when p.content_id = r.content_id then p.name end
        ) || coalesce(p.others, '{}') order by d.place), '[]')
        from revision_packages d join packages p on p.id = d.package_id
        where d.revision_id = r.id
    ) as packages
"""

_section(
    "formerNames",
    "f.username, unix(f.changed) as changed",
    "f.number",
    "former_names f where f.user_id = :user",
)
_section(
    "identities",
    "i.id, i.issuer, i.subject, unix(i.linked) as linked",
    "i.number",
    "identities i where i.user_id = :user",
)
_section(
    "sessions",
    """s.id, unix(s.created) as created, unix(s.used) as used, unix(s.revoked) as ended,
       s.device""",
    "s.id",
    "sessions s where s.user_id = :user",
    of=_GUID,
)
_section(
    "failedLogIns",
    f"f.failures, unix(f.first - {span(LOG_INS)}) as since",
    "f.subject",
    """(select subject, count(*) as failures, min(expires) as first
         from rate_limits where account = :user and expires > now() group by subject) f
        where true""",
    of=_GUID,
)
_section(
    "mails",
    """m.purpose, m.email, unix(m.created) as created, unix(m.expires) as expires, m.ended,
       m.issuers""",
    "m.id",
    "mails m where m.user_id = :user",
    of=_GUID,
)
_section(
    "content",
    f"""c.id, c.type, {shown_status("c.status")} as status, c.visibility, c.attributes,
       c.name, c.description, c.screenshots as "screenshotUris", c.tags,
       c.featured, json_build_object('up', c.up, 'down', c.down) as votes,
       c.live_comments as "commentCount", c.comments_locked as "commentsLocked",
       c.revision_id as revision, unix(c.created) as created, unix(c.updated) as updated""",
    "c.number",
    "contents c where c.author_id = :user",
)
_section(
    "guests",
    """c.id as content, g.user_id as "user", g.role, g.accepted, unix(g.since) as since""",
    "g.number",
    """contents c join content_guests g on g.content_id = c.id where c.author_id = :user""",
)
_section(
    "memberships",
    "g.content_id as content, g.role, g.accepted, unix(g.since) as since",
    "g.number",
    "content_guests g where g.user_id = :user",
)
_section(
    "invitations",
    "t.content_id as content, t.role",
    "(t.content_id::text || t.role)",
    "guests_told t where t.user_id = :user",
    of=_TEXT,
)
_section(
    "revisions",
    f"c.id as content, {_REVISION}",
    _both("c.number", "r.ordinal"),
    f"""(select id, number from contents where author_id = :user and number >= {_FIRST}
         order by number) c
        {_in_order("revisions v where v.content_id = c.id", "c.number", "v.ordinal")} r
        where true""",
    order="c.number, r.ordinal",
    **_HOLDERS,
)
_section(
    "publications",
    f"r.content_id as content, {_REVISION}",
    "r.id",
    """revisions r join contents c on c.id = r.content_id
       where r.publisher_id = :user and c.author_id <> :user""",
    of=_GUID,
)
_section(
    "files",
    "f.path, f.size, f.sent",
    "f.path",
    "user_files f where f.user_id = :user",
    of=_TEXT,
)
_section(
    "comments",
    """m.id, m.content_id as content, m.parent_id as "parentId", m.body,
       unix(m.created) as created, unix(m.updated) as updated, m.deleted,
       m.write_id as "writeId" """,
    "m.id",
    "comments m where m.author_id = :user",
)
_section(
    "ratings",
    """r.content_id as content, case when r.up then '1' else '0' end as value,
       unix(r.voted) as voted""",
    "r.content_id",
    "ratings r where r.user_id = :user",
    of=_GUID,
)
_section(
    "subscriptions",
    "s.content_id as content, s.pin, unix(s.since) as since",
    "s.number",
    "subscriptions s where s.user_id = :user",
)
_section(
    "collections",
    """c.id, case when c.id = c.owner_id then 'favourites' else 'collection' end as kind, c.name,
       c.description, c.public, c.items, unix(c.updated) as updated""",
    "c.number",
    "collections c where c.owner_id = :user",
)
_section(
    "collectionItems",
    "c.id as collection, i.content_id as content",
    # No place is further from 0 than this.
    _both("c.number", "(i.place + (1::bigint << 62))"),
    f"""(select id, number from collections where owner_id = :user and number >= {_FIRST}
         order by number) c
        {
        _in_order(
            "collection_items v where v.collection_id = c.id",
            "c.number",
            "(v.place + (1::bigint << 62))",
        )
    } i
        where true""",
    order="c.number, i.place",
    **_HOLDERS,
)
_section(
    "played",
    "p.content_id as content, unix(p.since) as since",
    "p.content_id",
    "content_players p where p.user_id = :user",
    of=_GUID,
)
_section(
    "plays",
    """t.play as id, t.content_id as content, t.seconds, t.completions > 0 as completed,
       unix(t.created) as created""",
    "t.play",
    "content_tallies t where t.user_id = :user and t.play is not null",
    of=_GUID,
)
_section(
    "downloads",
    "t.content_id as content, t.day",
    "(t.content_id::text || t.day)",
    "content_tallies t where t.user_id = :user and t.downloads > 0",
    of=_TEXT,
)
_section("friends", f"{_OTHER}, unix(p.friends_since) as since", "p.friends", _FRIEND)
_section(
    "friendRequests",
    f"""{_OTHER}, unix(p.requested_since) as created,
        case when p.requester = :user then 'outgoing' else 'incoming' end as direction""",
    "p.requested",
    _FRIEND,
)
_section(
    "friendAsks",
    "unix(a.moment) as created",
    _MOMENT.format("a"),
    f"{_counted(FRIEND_REQUESTS)} a where true",
)
_section("blocked", f"{_OTHER}, unix(p.blocks_since) as since", "p.blocks", _FRIEND)
_section(
    "following",
    f"{_OTHER}, unix(f.created) as since",
    "f.number",
    "follows f join users u on u.id = f.followed where f.follower = :user",
)
_section(
    "unfollows",
    "unix(c.moment) as followed",
    _MOMENT.format("c"),
    # A follow is made where it has been counted, before the next one is counted.
    f"""{_counted(FOLLOWS)} c where not exists (
            select from follows f where f.follower = :user
              and f.created >= c.moment and (f.created < c.next or c.next is null)
        )""",
)
_section(
    "followers",
    f"{_OTHER}, unix(f.created) as since",
    "f.number",
    "follows f join users u on u.id = f.follower where f.followed = :user",
)
_section(
    "messages",
    "c.other, m.sender, m.id, m.text, unix(m.created) as created",
    _both("c.pair", "m.number"),
    f"""(
            select * from (
                select pair, greater as other from conversations where lesser = :user
                union all select pair, lesser from conversations where greater = :user
            ) sides where pair >= {_FIRST} order by pair
        ) c
        {_in_order("messages v where v.pair = c.pair", "c.pair", "v.number")} m
        where true""",
    order="c.pair, m.number",
    **_HOLDERS,
)
_section(
    "partyInvites",
    "i.sender, i.recipient, i.party, i.answer, unix(i.changed) as changed",
    "(i.sender::text || i.recipient || i.party)",
    """(
            select * from party_invites where sender = :user
            union select * from party_invites where recipient = :user
        ) i where true""",
    of=_TEXT,
)
_section(
    "progress",
    """p.key, p.value, p.version, unix(p.written) as timestamp, p.write_id as "writeId" """,
    "p.key",
    "progress p where p.user_id = :user",
    of=_TEXT,
)
_section(
    "deletedProgress",
    "p.key, p.version, unix(p.deleted) as deleted",
    "p.key",
    "progress_deleted p where p.user_id = :user",
    of=_TEXT,
)
_section(
    "notifications",
    "",
    "n.seq",
    "notifications n where n.user_id = :user and n.kind <> 'Deleted'",
    item="""
        '{"id":"' || n.id || '","number":' || n.seq || ',"created":' || unix(n.created)
        || ',"read":' || n.read || ',' || substr(n.data, 2)
    """,
)
_section(
    "entries",
    "e.challenge_id as challenge, e.content_id as content",
    "e.number",
    # One content after the other: the planner would rather read all entries.
    """contents c cross join lateral (
           select * from challenge_entries e where e.content_id = c.id offset 0
       ) e where c.author_id = :user""",
)
_section(
    "rewards",
    """r.challenge_id as challenge, r.won, r.content_id as content, unix(r.earned) as earned,
       r.taken""",
    "r.number",
    "challenge_rewards r where r.user_id = :user",
)
_section(
    "reports",
    """r.id, json_build_object('kind', s.kind, 'id', s.id) as subject, r.reason, r.text,
       r.messages::json as messages, unix(r.created) as created""",
    "r.number",
    "reports r join report_subjects s on s.number = r.subject where r.reporter = :user",
)
_section(
    "moderation",
    "a.action, a.reason, unix(a.created) as created",
    "a.number",
    f"""moderation_actions a where a.subject = :user::text and a.subject_kind = 'user'
        and a.action in ({", ".join(f"'{act}'" for act in sorted(NOTIFIED_ACTS))})""",
)
_section(
    "actions",
    """a.id, a.action, json_build_object('kind', a.subject_kind, 'id', a.subject) as subject,
       a.reason, unix(a.created) as created""",
    "a.number",
    "moderation_actions a where a.admin = :user",
)


async def whole(db: Db, account: Account, rows: int, bytes: int) -> AsyncIterator[str]:
    """The members of the export in pieces, which commas must separate. Two pages are in memory at a
    time: the next one shows whether a page is the last."""
    yield f'"schema":{SCHEMA},"created":{account.created},"account":{account.record}'
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
