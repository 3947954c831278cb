"""The types that content has, and the platforms that packages have."""

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
async def types(db: Db) -> list[str]:
    """The types of all content (content#types)."""


@many("""
    select name from (
        select 'win64' as name where exists (select from packages where win64 is not null)
        union all
        select 'osx64' where exists (select from packages where osx64 is not null)
        union all
        select 'linux64' where exists (select from packages where linux64 is not null)
        union all
        select name from package_platforms
    ) had
    where name <> all(:taken)
""")
async def platforms(db: Db, taken: list[str]) -> list[str]:
    """The platforms that packages have, without those that are taken (content#platforms)."""
