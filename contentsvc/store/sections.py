"""Lists of all that there is of something, as the text of JSON: for an export (accounts#export),
and for what a hold keeps (moderation#holds).

Each is a section, whose items come in pages, in the order of a key. To take them apart and put them
together again would cost more than to read them.
"""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from contentsvc.framework.db.connection_bulkhead import WHOLE
from contentsvc.framework.db.query import Db, many
from contentsvc.store.fragments import NIL, shown_status


class Item(NamedTuple):
    """An item of a section: its place, and its JSON."""

    key: str
    item: str


Read = Callable[[Db, str, str, int, int], Awaitable[list[Item]]]
"""Reads the items of a subject after a key: at most so many, and no more once they have so many
bytes."""


class Section(NamedTuple):
    """A member of what is read, the reader of its items, and the key before the first one."""

    name: str
    read: Read
    start: str


PAGE: Final = (100, 256 * 1024)
"""Items of a page, and bytes; it may have one item more than fits."""
NUMBER, GUID, TEXT = ("bigint", "0"), ("uuid", NIL), ("text", "")
"""The types of keys, and what comes before all of a type."""


def section(
    sections: list[Section],
    name: str,
    members: str,
    key: str,
    rows: str,
    *,
    of: tuple[str, str] = NUMBER,
    order: str = "1",
    after: str = "{key} > :after::{type}",
    item: str = "",
    prefix: str = "section",
) -> None:
    """Add a section to these. `members` are columns, whose names are those of an item's members;
    `item` is its JSON in their place. `rows` begins with the tables, and ends in a condition on
    `:subject`. The name of the statement begins with `prefix`."""
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
        name=f"{prefix}_{name.lower()}",
    )
    async def read(db: Db, subject: str, after: str, limit: int, bytes: int) -> list[Item]:
        """A page of the section."""

    sections.append(Section(name, read, start))


# Two numbers in one: that of what holds the rows, and that of the row in it.
FIRST, SECOND = "div(:after::numeric, 1e19)::bigint", "mod(:after::numeric, 1e19)::bigint"


def in_order(rows: str, holder: str, number: str) -> str:
    """The rows that belong to a holder and come after the place."""
    return f"""
        cross join lateral (
            select * from {rows}
              and {number} > case when {holder} = {FIRST} then {SECOND} else 0 end
            order by {number} limit :limit
        )"""


def both(holder: str, number: str) -> str:
    return f"{holder}::numeric * 1e19 + {number}"


CONTENT: Final = f"""
    c.id, c.type, {shown_status("c.status")} as status, c.visibility, c.attributes, c.name,
    c.description, c.screenshots as "screenshotUris", c.tags, c.featured,
    json_build_object('up', c.up, 'down', c.down) as votes, c.live_comments as "commentCount",
    c.comments_locked as "commentsLocked", c.revision_id as revision, unix(c.created) as created,
    unix(c.updated) as updated
"""
"""The columns of a content, of `contents c`."""
REVISION: Final = """
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
"""The columns of `revisions r`."""
