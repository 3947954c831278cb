"""The terms by which content is found, and its ranks: a row for each content
(schema/tables/content.sql).

Triggers maintain the ranks and the filters (schema/functions/renew_document.sql,
schema/functions/tally_votes.sql). Words are written here, in the transaction that changes the
content. A content whose words nobody has written, such as one that an operator has changed by hand,
is stale.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, found, many, none
from contentsvc.store.content.tokenizer import document
from contentsvc.store.fragments import ATTRIBUTES, within

DOCUMENTS: Final = 100
"""Documents of one batch."""
CHARACTERS: Final = 64 * 1024
"""Characters of the descriptions of one batch, which may have one more. To find their words holds
up the process."""
WAITING: Final = "exists (select from documents where stale)"
"""Whether there is content whose words are not there yet."""


class Source(NamedTuple):
    """A content, and the text of its words. `source` identifies that text."""

    content: str
    source: int
    name: str
    tags: list[str]
    description: str
    attributes: list[str]
    number: int


@many(f"""
    select c.id as content, source_of(c) as source, c.name, c.tags, c.description,
           {ATTRIBUTES} as attributes, c.number
    from contents c where c.id = :content
""")
async def _texts(db: Db, content: str) -> list[Source]:
    """The texts of a content."""


@many(
    within(
        f"""
        select c.id as content, source_of(c) as source, c.name, c.tags, c.description,
               {ATTRIBUTES} as attributes, d.number
        from (
            select content_id, number from documents where stale
            order by number desc limit {DOCUMENTS}
        ) d join contents c on c.id = d.content_id
        """,
        "content, source, name, tags, description, attributes, number",
        "number desc",
        size="length(description)",
        most=str(CHARACTERS),
    )
)
async def _stale(db: Db) -> list[Source]:
    """The texts of the newest stale content."""


@many(
    within(
        f"""
        select c.id as content, source_of(c) as source, c.name, c.tags, c.description,
               {ATTRIBUTES} as attributes, r.number
        from (
            select * from (
                select content_id, number from content_ranks where number > :after
                order by number limit {DOCUMENTS}
            ) r limit :most
        ) r join contents c on c.id = r.content_id
        """,
        "content, source, name, tags, description, attributes, number",
        "number",
        size="length(description)",
        most=str(CHARACTERS),
    )
)
async def _next(db: Db, after: int, most: int) -> list[Source]:
    """The texts of the oldest content after a number, at most `limit`."""


@found("select from documents where stale limit 1")
async def is_stale(db: Db) -> bool:
    """Whether some content is stale."""


@none("""
    insert into documents (content_id, number, source, stale, terms)
    select (w.c).id, (w.c).number, w.source, false,
           shelved(w.words, (w.c).number)::tsvector || filters_of(w.c)
    from (
        select c, w.source, w.words
        from unnest((select :contents::uuid[]), (select :sources::bigint[]),
                    (select :words::text[])) as w (content, source, words)
        join contents c on c.id = w.content
        -- Not those that have changed since.
        where source_of(c) = w.source
        order by c.id for no key update of c
    ) w
    on conflict (content_id) do update
    set source = excluded.source, stale = false, terms = excluded.terms
""")
async def write(db: Db, contents: list[str], sources: list[int], words: list[str]) -> None:
    """Write the words of contents, made from these texts."""


@none("""
    insert into documents (content_id, number, source, stale, terms)
    select c.id, c.number, source_of(c), false,
           shelved(:words, c.number)::tsvector || filters_of(c)
    from contents c where c.id = :content
""")
async def _insert(db: Db, content: str, words: str) -> None:
    """Insert the words of a content."""


async def insert(
    db: Db,
    content: str,
    name: str,
    tags: Sequence[str],
    description: str,
    attributes: Sequence[str] = (),
) -> None:
    """Write the words of a content that this transaction has inserted with these texts."""
    await _insert(db, content, document(name, tags, description, attributes))


@none("""
    insert into documents as d (content_id, number, source, stale, terms)
    select c.id, c.number, source_of(c), false,
           shelved(:words, c.number)::tsvector || filters_of(c)
    from contents c where c.id = :content
    on conflict (content_id) do update
    set source = excluded.source, stale = false,
        -- Terms that stay are not written to the index again.
        terms = case when d.terms = excluded.terms then d.terms else excluded.terms end
""")
async def _replace(tx: Db, content: str, words: str) -> None:
    """Replace the words of a content."""


async def replace(
    tx: Db,
    content: str,
    name: str,
    tags: Sequence[str],
    description: str,
    attributes: Sequence[str] = (),
) -> None:
    """Write the words of a content to which this transaction has given these texts."""
    await _replace(tx, content, document(name, tags, description, attributes))


async def renew(db: Db, content: str) -> None:
    """Write the words of a content that this transaction has written."""
    await _renew(db, await _texts(db, content))


async def _renew(db: Db, texts: list[Source]) -> None:
    if texts:
        words = [
            document(text.name, text.tags, text.description, text.attributes) for text in texts
        ]
        await write(db, [text.content for text in texts], [text.source for text in texts], words)


_LOCK: Final = 0x646F63756D656E74
"""The advisory lock's number: the letters "document"."""


@found(f"select where pg_try_advisory_xact_lock({_LOCK})")
async def ours(db: Db) -> bool:
    """Take the lock of the job, until the transaction ends. False if another process has it."""


async def renew_stale(db: Db) -> int:
    """Write the words of a batch of stale contents. Gives their number, 0 at the end."""
    texts = await _stale(db)
    await _renew(db, texts)
    return len(texts)


async def renew_next(tx: Db, after: int, most: int) -> int | None:
    """Write the words of the oldest content after a number anew, of at most so many. Gives the
    number of the last one; None if there is none."""
    texts = await _next(tx, after, most)
    await _renew(tx, texts)
    return texts[-1].number if texts else None
