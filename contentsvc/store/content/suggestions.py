"""What a misspelt search is mended to (content#suggestions): the words of names and tags, how many
contents have each, and which of them are near another. The tables are described in
schema/tables/words.sql.

A trigger of the documents writes what changes (schema/functions/tally_words.sql). A job adds it up,
and counts what an upgrade has found.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple
from zlib import crc32

from contentsvc.framework.db.connection_bulkhead import SEARCHES
from contentsvc.framework.db.query import Db, found, many, none
from contentsvc.store.content import spellings
from contentsvc.store.content.tokenizer import Placed, placed
from contentsvc.store.content.uncounted import NEXT, Uncounted
from contentsvc.store.fragments import LEAVING

TALLIES: Final = 2000
"""Tallies of one batch."""
DOCUMENTS: Final = 500
"""Documents of an older release that one batch counts."""
WAITING: Final = "exists (select from word_tallies) or exists (select from uncounted_words)"
"""Whether there is anything to count."""
_WORDS: Final = 8
"""Words of a search that are mended: the first ones."""
_LETTERS: Final = 4
"""Letters of a word that is mended, at least."""
_NEAR: Final = 1000
"""Words near another that are looked at: the most frequent."""
_NEW: Final = 500
"""Words that are looked at although the job has not added them up yet."""
LEFT: Final = 500
"""Contents of authors who are leaving whose words one request reads. What more there are, nobody
may be led to, until a job has deleted them."""
_LOCK: Final = 0x776F726473
"""The advisory lock's number: the letters "words"."""


class Counted(NamedTuple):
    """A word, with the numbers of the contents that have it, and have it as a looser form."""

    word: str
    contents: int
    forms: int


class Found(NamedTuple):
    """A word that content has, and for which word of the search it was found, by its place there;
    None if that is not known. It is `asked` for itself, or is near what is."""

    place: int | None
    word: str
    asked: bool
    contents: int


@many(
    f"""
    with named as materialized (
        select a.place, a.word, true as asked
        from unnest((select :places::integer[]), (select :words::text[])) as a (place, word)
        union all
        select a.place, w.word, false
        from unnest((select :nears::text[])) with ordinality as a (near, place)
        cross join lateral (
            select word from words where near && a.near::integer[]
            order by contents desc limit {_NEAR}
        ) w
        union all
        select distinct null::integer, t.word, false
        from (select word from word_tallies where contents > 0 limit {_NEW}) t
    ), gone as materialized (
        -- In the order of an index: else a plan with a limit reads contents from its start.
        select c.id from unnest({LEAVING}) author (id)
        cross join lateral (
            select id from contents where author_id = author.id order by number limit :most + 1
        ) c
        limit :most + 1
    ), leaving as materialized (
        select w.word, sum(w.contents) as contents, sum(w.forms) as forms
        from gone
        cross join lateral (select * from documents where content_id = gone.id offset 0) d
        cross join lateral words_of(d.terms, d.number) w
        where (select count(*) from gone) <= :most
        group by w.word
    )
    select place, word, asked, contents
    from (
        select n.place, n.word, n.asked,
               coalesce(w.contents, 0) + coalesce(t.contents, 0) - coalesce(l.contents, 0)
               as contents,
               coalesce(w.forms, 0) + coalesce(t.forms, 0) - coalesce(l.forms, 0) as forms
        from named n
        left join lateral (
            select contents, forms from words where word = n.word offset 0
        ) w on true
        left join lateral (
            select sum(contents) as contents, sum(forms) as forms from word_tallies
            where word = n.word
        ) t on true
        left join leaving l on l.word = n.word
    ) found
    where (contents > 0 or asked and forms > 0) and (select count(*) from gone) <= :most
    order by contents desc, word
    """,
    lane=SEARCHES,
    replica=True,
)
async def _found(
    db: Db, places: list[int], words: list[str], nears: list[str], most: int
) -> list[Found]:
    """Those of the `words` that content has, and the words near each, by digests. The most frequent
    come first. Content of authors who are leaving counts no more; while that are more than `most`,
    nothing is found."""


def digests(word: str) -> list[int]:
    """Digests of a word in its plain letters, and of what is left of it without each of them."""
    plain = spellings.plain(word)
    left = {plain, *(plain[:n] + plain[n + 1 :] for n in range(len(plain)))}
    # As the integers of Postgres, which have a sign.
    return sorted(crc32(each.encode()) - 2**31 for each in left)


def array(numbers: Sequence[int]) -> str:
    """An array of Postgres."""
    return f"{{{','.join(map(str, numbers))}}}"


def near(one: str, other: str) -> bool:
    """Whether two words differ by a letter more, less or other, or by two that are swapped, at
    most."""
    shorter, longer = sorted((one, other), key=len)
    if len(longer) - len(shorter) > 1:
        return False
    n = 0
    while n < len(shorter) and shorter[n] == longer[n]:
        n += 1
    if len(shorter) < len(longer):
        return shorter[n:] == longer[n + 1 :]
    swapped = shorter[n : n + 2] == longer[n : n + 2][::-1] and shorter[n + 2 :] == longer[n + 2 :]
    return swapped or shorter[n + 1 :] == longer[n + 1 :]


async def mended(db: Db, q: str, leaving: int = LEFT) -> str | None:
    """A text to search for, in which each of the first _WORDS words that nothing has is replaced by
    the most frequent one near it; None if that replaces nothing, or if authors are leaving who have
    more contents than `leaving`."""
    text, all_words = placed(q)
    asked = [each for each in all_words[:_WORDS] if _is_mended(each)]
    if not asked:
        return None
    spelt = [[each.word, *spellings.spelt(each.word)] for each in asked]
    rows = await _found(
        db,
        [place for place, words in enumerate(spelt, 1) for _ in words],
        [word for words in spelt for word in words],
        [array(digests(each.word)) for each in asked],
        leaving,
    )
    has = {row.place for row in rows if row.asked}
    end, pieces = 0, []
    for place, each in enumerate(asked, 1):
        other = None if place in has else _nearest(each.word, place, rows)
        if other is not None:
            pieces += [text[end : each.begin], other]
            end = each.end
    return "".join([*pieces, text[end:]]) if pieces else None


def _is_mended(asked: Placed) -> bool:
    return sum(map(str.isalpha, asked.word)) >= _LETTERS


def _nearest(word: str, place: int, rows: list[Found]) -> str | None:
    plain = spellings.plain(word)
    for row in rows:
        if row.place in (None, place) and near(plain, spellings.plain(row.word)):
            return row.word
    return None


@found(f"select where pg_try_advisory_xact_lock({_LOCK})")
async def ours(tx: Db) -> bool:
    """Take the lock of the job, until the transaction ends. False if another process has it."""


@many(f"""
    with gone as (
        delete from word_tallies
        where ctid = any(array(select ctid from word_tallies limit {TALLIES}))
        returning word, contents, forms
    )
    select word, sum(contents) as contents, sum(forms) as forms from gone group by word
""")
async def _take(tx: Db) -> list[Counted]:
    """Take a batch of tallies."""


@none("""
    insert into words as w (word, contents, forms, near)
    select t.word, t.contents, t.forms, t.near::integer[]
    from unnest((select :words::text[]), (select :contents::integer[]),
                (select :forms::integer[]), (select :nears::text[]))
         as t (word, contents, forms, near)
    order by t.word
    on conflict (word) do update
    set contents = w.contents + excluded.contents, forms = w.forms + excluded.forms,
        near = case when w.near = '{}' then excluded.near else w.near end
""")
async def _add(
    tx: Db, words: list[str], contents: list[int], forms: list[int], nears: list[str]
) -> None:
    """Add to the numbers of words."""


@none("delete from words where word = any(:words::text[]) and contents = 0 and forms = 0")
async def _forget(tx: Db, words: list[str]) -> None:
    """Delete those of these words that nothing has any more."""


async def _count(tx: Db, counted: list[Counted]) -> None:
    words = [each.word for each in counted]
    nears = [array(digests(each.word) if each.contents > 0 else ()) for each in counted]
    contents, forms = [each.contents for each in counted], [each.forms for each in counted]
    await _add(tx, words, contents, forms, nears)
    await _forget(tx, words)


async def add_up(tx: Db) -> bool:
    """Add up a batch of tallies. False if there are none."""
    counted = await _take(tx)
    if counted:
        await _count(tx, counted)
    return bool(counted)


@many(f"""
    select w.word, sum(w.contents) as contents, sum(w.forms) as forms
    from ({NEXT}) next
    cross join lateral (select * from documents where content_id = next.content_id offset 0) d
    cross join lateral words_of(d.terms, d.number) w
    group by w.word
""")
async def _words(tx: Db, after: int, upto: int, most: int) -> list[Counted]:
    """The words of a batch."""


async def _count_batch(tx: Db, after: int, upto: int, most: int) -> None:
    counted = await _words(tx, after, upto, most)
    if counted:
        await _count(tx, counted)


_old = Uncounted("uncounted_words", _count_batch)


async def count_old(tx: Db, most: int = DOCUMENTS) -> int:
    """Count the words of a batch of documents that an upgrade has found, of at most so many. Gives
    their number; 0 if all are counted."""
    return await _old.count_next(tx, most)
