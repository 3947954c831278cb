"""Makes the data set, inside Postgres.

Triggers and foreign keys are off (bulk.py). What they would have kept is filled in, and a check
then looks for what does not agree.
"""

from datetime import UTC, datetime
from typing import Any

from contentsvc.framework.identity.passwords import HASHER
from contentsvc.store.content.tokenizer import document
from contentsvc.store.fragments import ATTRIBUTES

from . import bulk, catalogue, people, world
from .world import Sizes

VERSION = 17
"""Raise it with each change of what is made: a data set of another version is made anew."""

_MOMENT = datetime(2026, 11, 1, tzinfo=UTC)
"""When the world was made."""

_STEPS = (
    ("users", people.SYLLABLES + ";" + people.USERS),
    ("ratings", catalogue.RATINGS),
    ("comments", catalogue.COMMENTS),
    ("contents", catalogue.CONTENTS),
    ("revisions", catalogue.REVISIONS),
    ("ranks", catalogue.RANKS),
    ("documents", catalogue.DOCUMENTS),
    ("challenges", catalogue.ENTRIES),
    ("notifications", people.NOTIFICATIONS),
    ("files", people.FILES),
    ("friends", people.FRIENDS),
    ("reports", people.REPORTS),
    ("the rest", people.REST),
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
    "uses": """
        with uses as (
            select used, c.number, c.id
            from contents c, lateral uses_of_revision(c.id, c.revision_id) as used
            where c.number %% %(sampled)s = 0
        ), kept as (
            select used, number, content_id from content_uses where number %% %(sampled)s = 0
        )
        select count(*) from
            ((table uses except table kept) union all (table kept except table uses)) as wrong
    """,
    "ranks": """
        select count(*) from contents c left join content_ranks r on r.number = c.number
        where (r.content_id, r.type, r.listing_id, r.top)
              is distinct from (c.id, c.type, c.listing_id, wilson(c.up, c.down))
    """,
    "documents": """
        select count(*) from contents c left join documents d on d.content_id = c.id
        where d.stale is distinct from false or d.source is distinct from source_of(c)
    """,
    "entries": """
        select count(*) from challenges h left join challenge_tallies t on t.challenge_id = h.id
        where (coalesce(t.entries, 0), coalesce(t.hidden, 0)) <>
                  (select count(*), count(*) filter (where hidden)
                   from challenge_entries e where e.challenge_id = h.id)
    """,
    "friends": """
        select count(*) from (
            select count(*) as friends
            from generate_series(0, %(regulars)s - 1) as u
            join pair_sides s on s.user_id = md5('user ' || u)::uuid and s.friends is not null
            group by u) as f
        where f.friends <> %(friends)s
    """,
    "reports": """
        select count(*) from report_subjects s full join (
            select subject, count(*) as reports, min(number) as oldest, max(number) as newest,
                   count(distinct reporter) as reporters
            from reports group by 1) as r on r.subject = s.number
        where (s.reports, s.reports, s.oldest, s.newest)
              is distinct from (r.reports, r.reporters, r.oldest, r.newest)
    """,
    "storage": """
        select count(*) from storage s full join (
            select user_id, sum(size) as used, count(*) filter (where not sent) as pending
            from user_files group by 1) as f using (user_id)
        where (s.used, s.pending) is distinct from (f.used, f.pending)
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


def fill(url: str, sizes: Sizes, say: bulk.Say) -> None:
    """Fill the empty tables of a database, and check. `say` gets a line for each step.

    Raises Inconsistent.
    """
    with bulk.connection(url) as cursor:
        with bulk.loading(cursor, say):
            for name, sql in _STEPS:
                with bulk.said(say, name):
                    cursor.execute("select setseed(0.5)")
                    cursor.execute(sql, _values(sizes))
        with bulk.said(say, "check"):
            _check(cursor, sizes)
        cursor.execute("checkpoint")


def _values(sizes: Sizes) -> dict[str, object]:
    return {
        **sizes._asdict(),
        "others": sizes.users - sizes.regulars,
        "authors": sizes.authors,
        "active": sizes.active,
        "active_run": world.HIDDEN_EVERY - 1,
        "star": sizes.star,
        "followers": sizes.followers,
        "popular": sizes.popular,
        "comments": sizes.comments,
        "ratings": sizes.ratings,
        "notifications": sizes.notifications,
        "rated": world.RATED,
        "friends": world.FRIENDS,
        "reports": sizes.reports,
        "notified": world.NOTIFIED,
        "listed": world.LISTED,
        "hidden": world.HIDDEN_EVERY,
        "popular_comments": world.POPULAR_COMMENTS,
        "tenth": list(world.TENTH),
        "season": world.SEASON,
        "first_writer": sizes.regulars + sizes.authors,
        "writers": world.WRITERS,
        "password_hash": HASHER.hash(world.PASSWORD),
        "files": world.PUBLISHED * world.SETS,
        "published": world.PUBLISHED,
        "pictures": world.PICTURES,
        "old_type": world.OLD_TYPE,
        "common_tag": world.COMMON_TAG,
        "moment": _MOMENT,
        # Of more contents than this, every so many is looked at.
        "sampled": 1 + sizes.contents // 20_000,
    }


def _check(cursor: Any, sizes: Sizes) -> None:
    checks = {name: (sql, _values(sizes)) for name, sql in _CHECKS.items()}
    cursor.execute(_FOREIGN_KEYS)
    checks |= {name: (sql, None) for name, sql in cursor.fetchall()}
    for name, (sql, values) in checks.items():
        cursor.execute(sql, values)
        (wrong,) = cursor.fetchone()
        if wrong:
            raise Inconsistent(f"{name}: {wrong} rows do not agree")
    _check_words(cursor)


def _check_words(cursor: Any) -> None:
    """Whether documents have the words that the service would find; it looks at some."""
    columns = f"id, name, tags, description, {ATTRIBUTES}"
    cursor.execute(f"select {columns} from contents c order by id limit 200")  # noqa: S608
    texts = cursor.fetchall()
    cursor.execute(
        """
        select count(*)
        from unnest(%s::uuid[], %s) as made (id, words)
        join contents c on c.id = made.id join documents d on d.content_id = c.id
        where d.terms <> shelved(made.words, c.number)::tsvector || filters_of(c)
        """,
        ([text[0] for text in texts], [document(*text[1:]) for text in texts]),
    )
    (wrong,) = cursor.fetchone()
    if wrong:
        raise Inconsistent(f"words: {wrong} of {len(texts)} documents do not agree")
