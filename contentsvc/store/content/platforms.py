"""The platforms that packages have (content#platforms)."""

from contentsvc.framework.db.query import Db, many


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
async def others(db: Db, taken: list[str]) -> list[str]:
    """The platforms that packages have, without those that are taken."""
