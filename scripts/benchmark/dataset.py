"""Makes the data set, inside Postgres.

As a superuser it switches the triggers and foreign keys off and fills in what they would have
kept; `check` then looks for what does not agree.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg2

from . import world
from .world import Sizes

VERSION = 3
"""Raise it with each change of what is made: a data set of another version is made anew."""

_TABLES = (
    "users",
    "contents",
    "revisions",
    "entities",
    "packages",
    "revision_entities",
    "revision_packages",
    "ratings",
    "comments",
    "notification_counters",
    "notifications",
    "follows",
    "party_invites",
    "progress",
    "sessions",
    "refresh_tokens",
    "bans",
    "challenges",
)

_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
"""When the world was made."""

# Some beginnings are far more frequent than others, as among real names; a number is appended
# where a name is taken.
_USERS = """
    with syllables as (
        select array_agg(onset || vowel || coda order by md5(onset || vowel || coda)) as of
        from unnest(string_to_array('b,d,f,g,h,j,k,l,m,n,p,r,s,t,v,w,z,ch,st,tr', ',')) as onset,
             unnest(string_to_array('a,e,i,o,u,y', ',')) as vowel,
             unnest(string_to_array(',n,r,s', ',')) as coda
    ), names as materialized (
        select i,
               syllables.of[1 + floor(480 * power(random(), 1.5))::integer]
               || syllables.of[1 + floor(480 * random())::integer]
               || case when random() < 0.7
                       then syllables.of[1 + floor(480 * random())::integer] else '' end
               || case when random() < 0.15
                       then syllables.of[1 + floor(480 * random())::integer] else '' end
               || case when random() < 0.3 then floor(random() * 100)::text else '' end as name
        from syllables, generate_series(0, %(users)s - 1) as i
    ), numbered as (
        select i, name, row_number() over (partition by name order by i) as nth from names
    )
    insert into users (id, username, email, password_hash, avatar, emblem, full_profile,
                       public_profile, created)
    select md5('user ' || i)::uuid,
           case when i %% 3 = 0 then initcap(name) else name end
           || case when nth > 1 then '_' || nth else '' end,
           'user' || i || '@example.com', '-',
           case when i %% 2 = 0 then 'avatars/' || md5(i::text) || '.png' end,
           case when i %% 3 = 0 then md5('emblem ' || i %% 500)::uuid end,
           case when i %% 2 = 0 then 'Builds towers, races marbles, and lives near ' || name end,
           case when i %% 4 = 0 then 'Builds towers and races marbles' end,
           %(moment)s - make_interval(secs => random() * 1e8)
    from numbered order by i
"""
_RATINGS = """
    insert into ratings (user_id, content_id, up)
    select md5('user ' || u)::uuid, md5('content ' || a + a / %(active_run)s)::uuid,
           random() < 0.8
    from generate_series(0, %(rated)s - 1) as k, generate_series(0, %(regulars)s - 1) as u,
         lateral (select (u * 131 + k) %% %(active)s as a) as active;
    insert into ratings (user_id, content_id, up)
    select md5('user ' || u)::uuid,
           md5('content ' || (u::bigint * 7919 + pass * 977) %% %(contents)s)::uuid,
           random() < 0.8
    from generate_series(0, %(ratings)s - %(regulars)s * %(rated)s - 1) as m,
         lateral (select %(regulars)s + m %% %(others)s as u, m / %(others)s as pass) as split
"""
_CONTENTS = """
    insert into contents (id, listing_id, revision_id, author_id, type, status, name, description,
                          screenshots, tags, featured, up, down, comments, live_comments, created,
                          updated)
    select c.id, k + 1, md5('revision ' || k)::uuid,
           md5('user ' || %(regulars)s + k / %(listed)s)::uuid,
           (array['game', 'asset', 'avatar_box', 'gameplay_box', 'scene_box'])[1 + k %% 5],
           case when k %% %(suspended)s = %(suspended)s - 1 then 'suspended' else 'active' end,
           'Content ' || k,
           'Stack it as high as it goes. ' || repeat('It will go higher. ', k %% 12),
           array['shots/' || k || '/1.png', 'shots/' || k || '/2.png', 'shots/' || k || '/3.png'],
           array['tag ' || k %% 17, 'tag ' || 20 + k %% 23, 'physics'],
           k %% 40 = 0, coalesce(votes.up, 0), coalesce(votes.down, 0),
           coalesce(remarks.number, 0), coalesce(remarks.live, 0),
           %(moment)s - make_interval(secs => (%(contents)s - k) * 3000), %(moment)s
    from generate_series(0, %(contents)s - 1) as k
    cross join lateral (select md5('content ' || k)::uuid as id) as c
    left join (select content_id, count(*) filter (where ratings.up) as up,
                      count(*) filter (where not ratings.up) as down
               from ratings group by 1) as votes on votes.content_id = c.id
    left join (select content_id, count(*) as number, count(*) filter (where not deleted) as live
               from comments group by 1) as remarks on remarks.content_id = c.id
    -- One author's are not neighbours.
    order by c.id;
    select setval('listing_ids', %(contents)s);
    insert into revisions (id, content_id, version, description, entity_id, entity_revision)
    select md5('revision ' || k)::uuid, md5('content ' || k)::uuid, '1.0', 'The first one',
           md5('core ' || k)::uuid, md5('core revision ' || k)::uuid
    from generate_series(0, %(contents)s - 1) as k;
    insert into entities (entity_id, revision_id, path, content_id)
    select md5('core ' || k)::uuid, md5('core revision ' || k)::uuid,
           'entities/' || k || '/core.bin', md5('content ' || k)::uuid
    from generate_series(0, %(contents)s - 1) as k
    union all
    select md5('part ' || k || ' ' || p)::uuid, md5('part revision ' || k || ' ' || p)::uuid,
           'entities/' || k || '/' || p || '.bin', md5('content ' || k)::uuid
    from generate_series(0, %(contents)s - 1) as k, generate_series(1, 4) as p;
    insert into revision_entities (revision_id, originating, place, entity_id, entity_revision)
    select md5('revision ' || k)::uuid, true, p, md5('part ' || k || ' ' || p)::uuid,
           md5('part revision ' || k || ' ' || p)::uuid
    from generate_series(0, %(contents)s - 1) as k, generate_series(1, 4) as p
    union all
    select md5('revision ' || k)::uuid, false, 4 + p,
           md5('core ' || (k + p) %% %(contents)s)::uuid,
           md5('core revision ' || (k + p) %% %(contents)s)::uuid
    from generate_series(0, %(contents)s - 1) as k, generate_series(1, 5) as p;
    insert into packages (id, win64, osx64, linux64, content_id)
    select md5('package ' || k)::uuid, 'win64/' || k || '.pak', 'osx64/' || k || '.pak',
           'linux64/' || k || '.pak', md5('content ' || k)::uuid
    from generate_series(0, %(contents)s - 1) as k;
    insert into revision_packages (revision_id, place, package_id)
    select md5('revision ' || k)::uuid, 1, md5('package ' || k)::uuid
    from generate_series(0, %(contents)s - 1) as k
"""
# Numbered in the order of their creation: first one on each content, then the second on each, at
# the end the many on the popular ones.
_COMMENTS = """
    insert into comments (id, content_id, ordinal, parent_id, author_id, body, created, updated,
                          deleted)
    overriding system value
    select id, md5('content ' || k)::uuid, ordinal,
           case when ordinal > 1 and ordinal %% 4 = 0 then id - before end,
           md5('user ' || floor(random() * %(users)s))::uuid,
           case when id %% 97 = 0 then ''
                else 'Nineteen floors, then a gust. ' || repeat('More cranes! ', id %% 9) end,
           %(moment)s - make_interval(secs => (%(comments)s - id) * 100),
           %(moment)s - make_interval(secs => (%(comments)s - id) * 100), id %% 97 = 0
    from (
        select (ordinal - 1) * %(contents)s + k + 1 as id, k, ordinal, %(contents)s as before
        from generate_series(1, %(commented)s) as ordinal, generate_series(0, %(contents)s - 1) as k
        union all
        select %(commented)s * %(contents)s + p * %(popular_comments)s + n,
               p * %(popular_every)s, %(commented)s + n, 1
        from generate_series(0, %(popular)s - 1) as p, generate_series(1, %(popular_comments)s) as n
    ) as made;
    select setval(pg_get_serial_sequence('comments', 'id'), %(comments)s)
"""
_NOTIFICATIONS = """
    insert into notifications (user_id, seq, kind, data, created, read)
    select md5('user ' || u)::uuid, seq, kind,
           case kind
               when 'Debug' then '{"kind":"Debug","text":"Number ' || seq || '"}'
               when 'FriendMessage' then '{"kind":"FriendMessage","sender":"' || sender
                                         || '","text":"Nineteen floors, then a gust"}'
               else '{"kind":"FriendRequest","sender":"' || sender || '"}' end,
           %(moment)s - make_interval(secs => (1000 - seq) * 1000), seq %% 3 = 0
    from (
        select u, seq from generate_series(1, %(notified)s) as seq,
                           generate_series(0, %(regulars)s - 1) as u
        union all
        select %(regulars)s + m %% %(others)s, m / %(others)s + 1
        from generate_series(0, %(notifications)s - %(regulars)s * %(notified)s - 1) as m
    ) as made (u, seq),
    lateral (select (array['FriendRequest', 'FriendMessage', 'Debug'])[1 + (u + seq) %% 3] as kind,
                    md5('user ' || (u + seq * 7) %% %(users)s)::uuid as sender) as said;
    insert into notification_counters (user_id, seq, unread)
    select user_id, max(seq), count(*) filter (where not read) from notifications group by 1
"""
_REST = """
    insert into follows (follower, followed)
    select md5('user ' || u)::uuid, md5('user ' || (u * 31 + 7) %% %(users)s)::uuid
    from generate_series(0::bigint, %(users)s - 1) as u where u %% 2 = 0;
    insert into party_invites (sender, recipient, party, answer, changed)
    select md5('user ' || u)::uuid, md5('user ' || (u * 37 + 8) %% %(users)s)::uuid,
           md5('party ' || u)::uuid, (array['accept', 'decline', null])[1 + u %% 3], %(moment)s
    from generate_series(0::bigint, %(users)s - 1) as u where u %% 5 = 0;
    insert into progress (user_id, key, value, written)
    select md5('user ' || u)::uuid, 'save-' || n,
           json_build_object('level', n, 'coins', u %% 1000), %(moment)s
    from generate_series(0, %(users)s - 1) as u, generate_series(1, 3) as n where u %% 5 = 0;
    insert into sessions (id, user_id, created, used, revoked)
    select md5('log-in ' || u)::uuid, md5('user ' || u)::uuid, %(moment)s, %(moment)s,
           case when u %% 50 = 0 then %(moment)s end
    from generate_series(0, %(users)s - 1) as u where u %% 5 = 0;
    insert into refresh_tokens (hash, session_id, expires)
    select decode(md5('refresh ' || u), 'hex'), md5('log-in ' || u)::uuid, %(moment)s + '1 year'
    from generate_series(0, %(users)s - 1) as u where u %% 5 = 0;
    insert into bans (user_id, reason)
    select md5('user ' || u)::uuid, 'Asked players for their passwords.'
    from generate_series(%(regulars)s + %(authors)s, %(users)s - 1) as u where u %% 1000 = 999;
    insert into challenges (name, ordinal, description, theme, win, participate)
    select 'Challenge ' || n, n, 'Build it tall.', 'towers', '{}', '{}'
    from generate_series(1, 50) as n
"""
_STEPS = (
    ("users", _USERS),
    ("ratings", _RATINGS),
    ("comments", _COMMENTS),
    ("contents", _CONTENTS),
    ("notifications", _NOTIFICATIONS),
    ("the rest", _REST),
)

_CHECKS = {
    "votes": """
        select count(*) from contents c
        where not (up, down) =
                  (select count(*) filter (where r.up), count(*) filter (where not r.up)
                   from ratings r where r.content_id = c.id)
    """,
    "comments": """
        select count(*) from contents c
        where not (comments, comments, live_comments) =
                  (select count(*), coalesce(max(ordinal), 0), count(*) filter (where not deleted)
                   from comments m where m.content_id = c.id)
    """,
    "order of comments": """
        select count(*) from comments m join comments n
        on n.content_id = m.content_id and n.ordinal = m.ordinal + 1
        where n.id <= m.id or n.created < m.created
    """,
    "notification counters": """
        select count(*) from notification_counters c full join (
            select user_id, max(seq) as seq, count(*) as number,
                   count(*) filter (where not read) as unread
            from notifications group by 1) as n using (user_id)
        where (c.seq, c.seq, c.unread) is distinct from (n.number, n.seq, n.unread)
    """,
}
_FOREIGN_KEYS = """
    select k.conname, format(
        'select count(*) from %s a where (%s) is not null and not exists (
             select from %s b where (%s) = (%s))',
        k.conrelid::regclass, string_agg('a.' || quote_ident(a.attname), ', ' order by n),
        k.confrelid::regclass, string_agg('b.' || quote_ident(b.attname), ', ' order by n),
        string_agg('a.' || quote_ident(a.attname), ', ' order by n))
    from pg_constraint k, unnest(k.conkey, k.confkey) with ordinality as u (here, there, n),
         pg_attribute a, pg_attribute b
    where k.contype = 'f' and a.attrelid = k.conrelid and a.attnum = u.here
      and b.attrelid = k.confrelid and b.attnum = u.there
    group by k.oid, k.conname, k.conrelid, k.confrelid
"""


class Inconsistent(Exception):
    """The data set breaks a rule of the schema."""


def fill(url: str, sizes: Sizes, say: Callable[[str], None]) -> None:
    """Fill the empty tables of a database, and check. `say` gets a line for each step.

    Raises Inconsistent.
    """
    with _connection(url) as cursor:
        cursor.execute("set session_replication_role = replica")
        cursor.execute("set synchronous_commit = off")
        cursor.execute("set maintenance_work_mem = '256MB'")
        cursor.execute("set work_mem = '128MB'")
        indexes = _drop_indexes(cursor)
        for name, sql in _STEPS:
            with _said(say, name):
                cursor.execute("select setseed(0.5)")
                cursor.execute(sql, _values(sizes))
        with _said(say, "indexes"):
            for definition in indexes:
                cursor.execute(definition)
        with _said(say, "vacuum and analyze"):
            cursor.execute(f"vacuum (analyze) {', '.join(_TABLES)}")
        with _said(say, "check"):
            _check(cursor)
        cursor.execute("checkpoint")


def _values(sizes: Sizes) -> dict[str, object]:
    return {
        **sizes._asdict(),
        "others": sizes.users - sizes.regulars,
        "authors": sizes.authors,
        "active": sizes.active,
        "active_run": world.SUSPENDED_EVERY - 1,
        "popular": sizes.popular,
        "comments": sizes.comments,
        "ratings": sizes.ratings,
        "notifications": sizes.notifications,
        "rated": world.RATED,
        "notified": world.NOTIFIED,
        "listed": world.LISTED,
        "suspended": world.SUSPENDED_EVERY,
        "popular_every": world.POPULAR_EVERY,
        "popular_comments": world.POPULAR_COMMENTS,
        "commented": world.COMMENTED,
        "moment": _MOMENT,
    }


def _drop_indexes(cursor: Any) -> list[str]:
    """Drop those that are no constraint's, which are built faster afterwards."""
    cursor.execute(
        """
        select i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) from pg_index i
        where i.indrelid = any(%s::text[]::regclass[])
          and not exists (select from pg_constraint where conindid = i.indexrelid)
        """,
        (list(_TABLES),),
    )
    found = cursor.fetchall()
    for name, _ in found:
        cursor.execute(f"drop index {name}")
    return [definition for _, definition in found]


def _check(cursor: Any) -> None:
    cursor.execute(_FOREIGN_KEYS)
    for name, sql in [*_CHECKS.items(), *cursor.fetchall()]:
        cursor.execute(sql)
        (wrong,) = cursor.fetchone()
        if wrong:
            raise Inconsistent(f"{name}: {wrong} rows do not agree")


@contextmanager
def _connection(url: str) -> Iterator[Any]:
    with closing(psycopg2.connect(url)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            yield cursor


@contextmanager
def _said(say: Callable[[str], None], name: str) -> Iterator[None]:
    begun = time.monotonic()
    yield
    say(f"data set: {name} ({time.monotonic() - begun:.1f} s)")
