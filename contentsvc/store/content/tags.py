"""Which tags content has, and how many contents have each (content#tags). The tables are
described in schema/tables/tags.sql.

A trigger of the contents writes what changes (schema/functions/tally_tags.sql). A job adds it up,
and counts what an upgrade has found: it knows which tags are equal.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from contentsvc.framework.core.folding import compared
from contentsvc.framework.db.query import Db, found, many, maybe, none
from contentsvc.store.content.uncounted import NEXT, Uncounted
from contentsvc.store.fragments import seen, shown_status, status_of
from contentsvc.wire.searches import TagCount

TALLIES: Final = 100
"""Tallies of one batch, each of which may have as many tags as a content. To compare them holds up
the process."""
CONTENTS: Final = 200
"""Contents from before an upgrade that one batch counts."""
WAITING: Final = "exists (select from tag_tallies) or exists (select from uncounted_tags)"
"""Whether there is anything to count."""
FEW: Final = 10_000
"""Tags that begin alike of which all are read. Of more, those are looked for that come first in
the list of all."""
_LOCK: Final = 0x74616773
"""The advisory lock's number: the letters "tags"."""


class Counted(NamedTuple):
    """A tag, as it is compared, and how many contents have it."""

    tag: str
    contents: int


@many("select tag, contents from tags where tag = any(:tags::text[]) and contents > 0")
async def counts(db: Db, tags: list[str]) -> list[Counted]:
    """How many contents have each of these, as far as any has."""


# A short beginning has many tags, and any of them may be the most frequent ones. So either the few
# that begin so are read and sorted, or those that come first are read until there are enough.
_RANGE: Final = "t.tag >= :q and t.tag < :q || chr(1114111)"
# What is blank is no tag that anybody can ask for.
_FREE: Final = """
    place < 0 and (place, spelling) > (-:count::integer, :tag)
    and t.tag <> '' and t.tag not in (select unnest(:without::text[]))
"""


@many(f"""
    with begun as materialized (
        select :q <> '' and (
            select count(*) from (select from tags t where {_RANGE} limit {FEW}) t
        ) < {FEW} as few
    ), listed (tag, "group", count) as (
        (
            select t.spelling, null::text, -t.place
            from (select * from tags t where {_RANGE} offset 0) t
            where (select few from begun) and {_FREE}
            order by t.place, t.spelling limit :most
        )
        union all
        (
            select t.spelling, null, -t.place from tags t
            where not (select few from begun) and {_FREE} and left(t.tag, length(:q)) = :q
            order by t.place, t.spelling limit :most
        )
    )
    select tag, "group", count from listed order by count desc, tag limit :most
""")
async def free(db: Db, without: str, q: str, count: int, tag: str, most: int) -> list[TagCount]:
    """The tags that content has and that begin with `q`, as most spell them, after this place: the
    most frequent first, then by tag. The text of an array names those that are left out."""


class Locked(NamedTuple):
    """A content that somebody gives tags. `status` is what it shows."""

    type: str
    tags: list[str]
    status: str


@maybe(f"""
    select c.type, c.tags, {shown_status(status_of("c"))} as status from contents c
    where c.id = :content and {seen()} for no key update
""")
async def lock_seen(tx: Db, content: str, caller: str | None, moderate: bool) -> Locked | None:
    """Lock a content until the transaction ends. None if the caller does not see it."""


@none("update contents set tags = :tags where id = :content")
async def put(tx: Db, content: str, tags: list[str]) -> None:
    """Give a content these tags."""


@found(f"select where pg_try_advisory_xact_lock({_LOCK})")
async def ours(tx: Db) -> bool:
    """Take the lock of the job, until the transaction ends. False if another process has it."""


class _Tallied(NamedTuple):
    tags: list[str]
    contents: int


@many(f"""
    with gone as (
        delete from tag_tallies
        where ctid = any(array(select ctid from tag_tallies limit {TALLIES}))
        returning tags, contents
    )
    select tags, sum(contents) as contents from gone group by tags having sum(contents) <> 0
""")
async def _take(tx: Db) -> list[_Tallied]:
    """Take a batch of tallies, as far as they do not balance."""


@found("select from tag_tallies limit 1")
async def _waits(tx: Db) -> bool:
    """Whether there are tallies."""


@none("""
    insert into tag_spellings as s (spelling, tag, contents)
    select * from unnest(:spellings::text[], :tags::text[], :contents::integer[])
    on conflict (spelling) do update set contents = s.contents + excluded.contents
""")
async def _add_spellings(
    tx: Db, spellings: list[str], tags: list[str], contents: list[int]
) -> None:
    """Add to the numbers of spellings."""


@none("delete from tag_spellings where spelling = any(:spellings::text[]) and contents = 0")
async def _forget_spellings(tx: Db, spellings: list[str]) -> None:
    """Delete those of these spellings that nothing has any more."""


@none("""
    insert into tags as t (tag, contents, spelling)
    select n.tag, n.contents, coalesce((
        select s.spelling from tag_spellings s where s.tag = n.tag
        order by s.contents desc, s.spelling limit 1
    ), n.tag)
    from unnest(:tags::text[], :contents::integer[]) n (tag, contents)
    on conflict (tag) do update
    set contents = t.contents + excluded.contents, spelling = excluded.spelling
""")
async def _add(tx: Db, tags: list[str], contents: list[int]) -> None:
    """Add to the numbers of tags, and spell them as most do."""


@none("delete from tags where tag = any(:tags::text[]) and contents = 0")
async def _forget(tx: Db, tags: list[str]) -> None:
    """Delete those of these tags that nothing has any more."""


async def _count(tx: Db, tallied: Iterable[_Tallied]) -> None:
    spelt: Counter[str] = Counter()
    tags: Counter[str] = Counter()
    known: dict[str, str] = {}
    for each in tallied:
        spellings = dict.fromkeys(each.tags)
        for spelling in spellings:
            if spelling not in known:
                known[spelling] = compared(spelling)
        for spelling in spellings:
            spelt[spelling] += each.contents
        for tag in {known[spelling] for spelling in spellings}:
            tags[tag] += each.contents
    if not spelt:
        return
    texts = list(spelt)
    await _add_spellings(tx, texts, [known[text] for text in texts], list(spelt.values()))
    await _forget_spellings(tx, texts)
    await _add(tx, list(tags), list(tags.values()))
    await _forget(tx, list(tags))


async def add_up(tx: Db) -> bool:
    """Add up a batch of tallies. False if there are none."""
    waits = await _waits(tx)
    if waits:
        await _count(tx, await _take(tx))
    return waits


@many(f"""
    select c.tags, count(*) as contents
    from ({NEXT}) next join contents c on c.id = next.content_id
    where c.status = 'active' and c.tags <> '{{}}'
    group by c.tags
""")
async def _old_tags(tx: Db, after: int, upto: int, most: int) -> list[_Tallied]:
    """The tags of a batch."""


async def _count_batch(tx: Db, after: int, upto: int, most: int) -> None:
    await _count(tx, await _old_tags(tx, after, upto, most))


_old = Uncounted("uncounted_tags", _count_batch)


async def count_old(tx: Db, most: int = CONTENTS) -> int:
    """Count the tags of a batch of contents that an upgrade has found, of at most so many. Gives
    their number; 0 if all are counted."""
    return await _old.count_next(tx, most)
