"""The types that content has (content#types)."""

from contentsvc.framework.db.query import Db, many


@many("""
    with recursive types (type) as (
        (select type from contents where type > '' order by type limit 1)
        union all
        -- From one to the next, by the index.
        select (select c.type from contents c where c.type > t.type order by c.type limit 1)
        from types t where t.type is not null
    )
    select type from types where type is not null
""")
async def used(db: Db) -> list[str]:
    """The types of all content."""
