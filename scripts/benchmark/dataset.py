"""Makes the data set, inside Postgres.

Triggers are off. What they would have kept is filled in, and a check then looks for what does not
agree; foreign keys are made again at the end.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg2

from contentsvc.framework.core.folding import compared
from contentsvc.store import derived_counts
from contentsvc.store.content.suggestions import array, digests
from contentsvc.store.content.tokenizer import document
from contentsvc.store.fragments import ATTRIBUTES
from contentsvc.store.migrate import migrate

from . import BenchError, content_sql, ids, users_sql
from .databases import Say
from .ids import Sizes

VERSION = 19
"""Raise it with each change of what is made: a data set of another version is made anew."""

_DOCUMENTS = 50_000
"""Documents that one statement makes."""
_MOMENT = datetime(2026, 11, 1, tzinfo=UTC)
"""When everything in it was made."""

_STEPS = (
    ("users", users_sql.SYLLABLES + ";" + users_sql.USERS),
    ("ratings", content_sql.RATINGS),
    ("comments", content_sql.COMMENTS),
    ("contents", content_sql.CONTENTS),
    ("revisions", content_sql.REVISIONS),
    ("ranks", content_sql.RANKS),
    ("documents", content_sql.DOCUMENTS),
    ("challenges", content_sql.ENTRIES),
    ("notifications", users_sql.NOTIFICATIONS),
    ("files", users_sql.FILES),
    ("friends", users_sql.FRIENDS),
    ("the rest", users_sql.REST),
)


def version(checkout: Path) -> str:
    """Changes with the data set, and with the schema of a checkout."""
    digest = sha256(str(VERSION).encode())
    for file in sorted(checkout.glob("contentsvc/**/schema/**/*.sql")):
        digest.update(b"\0" + file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def make(url: str, sizes: Sizes, say: Say) -> None:
    """Bring an empty database up to date, and fill it. Raises BenchError."""
    migrate(url)
    fill(url, sizes, say)


def fill(url: str, sizes: Sizes, say: Say) -> None:
    """Fill the empty tables of a database, and check. `say` gets a line for each step.

    Raises BenchError.
    """
    with connection(url) as cursor:
        with loading(cursor, say):
            for name, sql in _STEPS:
                say(f"data set: {name}")
                cursor.execute("select setseed(0.5)")
                # Postgres takes no statement of 1 GB.
                for words in _words(cursor) if sql is content_sql.DOCUMENTS else ({},):
                    cursor.execute(sql, {**_values(sizes), **words})
                if sql is content_sql.DOCUMENTS:
                    _count_words(cursor)
                    _count_tags(cursor)
        say("data set: check")
        cursor.execute("begin")
        wrong = derived_counts.mend(cursor)
        cursor.execute("rollback")
        if wrong:
            raise BenchError(f"derived counts: {wrong}")
        cursor.execute("checkpoint")


@contextmanager
def connection(url: str) -> Iterator[Any]:
    """A cursor whose statements commit by themselves."""
    with closing(psycopg2.connect(url)) as connected:
        connected.autocommit = True
        with connected.cursor() as cursor:
            yield cursor


@contextmanager
def loading(cursor: Any, say: Say) -> Iterator[None]:
    """As a superuser: while the block fills the tables, there are no triggers, no foreign keys,
    and only the indexes of constraints. At its end the others are made, and all is vacuumed."""
    cursor.execute("set session_replication_role = replica")
    cursor.execute("set synchronous_commit = off")
    cursor.execute("set maintenance_work_mem = '256MB'")
    cursor.execute("set work_mem = '128MB'")
    filled = list(tables(cursor))
    # In the order of the alphabet, foreign keys go before the indexes that they need.
    cursor.execute(
        """
        select format('alter table %%s drop constraint %%I', conrelid::regclass, conname) as away,
               format('alter table %%s add constraint %%I %%s', conrelid::regclass, conname,
                      pg_get_constraintdef(oid)) as back
        from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace
        union all
        select 'drop index ' || i.indexrelid::regclass, pg_get_indexdef(i.indexrelid)
        from pg_index i where i.indrelid = any(%s::text[]::regclass[])
                          and not exists (select from pg_constraint where conindid = i.indexrelid)
        order by away
        """,
        (filled,),
    )
    removed = cursor.fetchall()
    for away, _ in removed:
        cursor.execute(away)
    yield
    say("data set: indexes and foreign keys")
    for _, back in reversed(removed):
        cursor.execute(back)
    say("data set: vacuum and analyze")
    cursor.execute(f"vacuum (analyze) {', '.join(filled)}")


def tables(cursor: Any) -> dict[str, list[str]]:
    """The service's that a new database does not fill, with their columns but those that Postgres
    generates."""
    cursor.execute(
        """
        select relname, array_agg(attname::text)
        from pg_class c join pg_attribute a on a.attrelid = c.oid
        where relkind = 'r' and relnamespace = 'public'::regnamespace and relname !~ '^schema_'
          and attnum > 0 and not attisdropped and attgenerated = ''
        group by relname order by relname
        """
    )
    return dict(cursor.fetchall())


def _values(sizes: Sizes) -> dict[str, object]:
    return {
        **{name.lower(): value for name, value in vars(ids).items() if name.isupper()},
        **sizes._asdict(),
        "others": sizes.users - sizes.regulars,
        "authors": sizes.authors,
        "active": sizes.active,
        "active_run": ids.HIDDEN_EVERY - 1,
        "star": sizes.star,
        "followers": sizes.followers,
        "popular": sizes.popular,
        "comments": sizes.comments,
        # Less the few that fall on one that the user has rated already.
        "ratings": 2 * sizes.users,
        "notifications": 2 * sizes.users,
        "first_writer": sizes.first_writer,
        "files": ids.PUBLISHED * ids.SETS,
        "moment": _MOMENT,
    }


def _count_words(cursor: Any) -> None:
    """Count the words of the documents, as the service's job does."""
    cursor.execute(
        """select w.word, sum(w.contents), sum(w.forms)
           from documents d cross join lateral words_of(d.terms, d.number) w group by w.word"""
    )
    rows = cursor.fetchall()
    for start in range(0, len(rows), _DOCUMENTS):
        words, contents, forms = map(list, zip(*rows[start : start + _DOCUMENTS], strict=True))
        nears = [array(digests(word)) for word in words]
        cursor.execute(
            """insert into words (word, contents, forms, near)
               select word, contents, forms,
                      case when contents > 0 then near else '{}' end::integer[]
               from unnest(%s, %s, %s, %s) as w (word, contents, forms, near)""",
            (words, contents, forms, nears),
        )


def _count_tags(cursor: Any) -> None:
    """Count the tags of the contents, as the service's job does. No content spells one twice."""
    cursor.execute(
        """select tag, count(*) from contents c cross join lateral unnest(c.tags) tag
           where c.status = 'active' group by tag order by 2 desc, 1"""
    )
    spelt = [(spelling, compared(spelling), contents) for spelling, contents in cursor.fetchall()]
    if not spelt:
        return
    cursor.execute(
        "insert into tag_spellings select * from unnest(%s, %s, %s::integer[])",
        [*map(list, zip(*spelt, strict=True))],
    )
    cursor.execute(
        """insert into tags (tag, contents, spelling)
           select tag, sum(contents), (array_agg(spelling order by contents desc, spelling))[1]
           from tag_spellings group by tag"""
    )


def _words(cursor: Any) -> Iterator[dict[str, object]]:
    """The words of each content, as the service finds them, of some at a time."""
    columns = f"number, id, name, tags, description, {ATTRIBUTES}"
    last = 0
    while True:
        cursor.execute(
            f"select {columns} from contents c where number > %s order by number limit %s",  # noqa: S608
            (last, _DOCUMENTS),
        )
        texts = cursor.fetchall()
        if not texts:
            return
        last = texts[-1][0]
        words = [document(*text[2:]) for text in texts]
        yield {"ids": [text[1] for text in texts], "words": words}
