"""The files of a revision's parts (files#downloads)."""

from typing import NamedTuple

from contentsvc.framework.db.connection_bulkhead import WHOLE
from contentsvc.framework.db.query import Db, many, maybe, one
from contentsvc.store.fragments import (
    AUTHOR,
    LEAVING,
    SEEN,
    STATUS,
    shown_status,
    state,
    unless_left,
)


class Shown(NamedTuple):
    """A content as its files are asked for: whether it is neither suspended nor deleted, its name,
    and the revision, None if it has no such one."""

    active: bool
    name: str
    revision_id: str | None


class Part(NamedTuple):
    """A file of a part, and the part's place. `path` is None if it is none of the service's;
    `readable` says whether it can be had; `platform` is None if it is no package's. `name` is None
    if it has none, if whoever brought it has left, and where another content did that is
    suspended."""

    place: int
    path: str | None
    size: int | None
    readable: bool | None
    platform: str | None
    name: str | None


_FILE = f"""
    f.path, f.size,
    f.stored and not b.suspended and f.claimed
        and not exists (
            select from blocked_files x where x.sha256 = substr(f.path, 4, 64) offset 0
        ) as readable,
    {{platform}} as platform,
    case when b.author_id = any({LEAVING}) then null
         when b.suspended
              and b.id <> (select content_id from revisions where id = :revision::uuid) then null
         else {{part}}.name end as name
"""


def _file(path: str) -> str:
    """The file `f` of a path. An author who has only named the path must not learn of others'
    bytes: there is a row if the revision claims the file, or if the author who brought it has sent
    it."""
    return f"""
        left join lateral (
            select f.path, f.size, f.stored, k.claimed
            from files f
            cross join lateral (
                select exists (
                    select from claims c
                    where c.holder = :revision::uuid and c.kind = 'revision' and c.path = f.path
                ) as claimed
                offset 0
            ) k
            where f.path = {path} and f.size is not null
              and (
                  k.claimed
                  or exists (
                      select from user_files u
                      where u.user_id = b.author_id and u.path = f.path and u.sent
                  )
              )
        ) f on true
    """


_ENTITY = f"""
    join entities e on e.entity_id = {{0}}.entity_id and e.revision_id = {{0}}.entity_revision
    join contents b on b.id = e.content_id
    {_file("e.path")}
"""
_NONE = _FILE.format(platform="null::text", part="e")
_CORE = f"select 1 as place, {_NONE} from revisions r {_ENTITY.format('r')} where r.id = :revision"
_ENTITIES = f"""
    select d.place, {_NONE} from revision_entities d {_ENTITY.format("d")}
    where d.revision_id = :revision::uuid and d.originating = :originating
"""
_PACKAGES = f"""
    select d.place, {_FILE.format(platform="w.platform", part="p")}
    from {{}} d
    join packages p on p.id = d.package_id
    join contents b on b.id = p.content_id
    cross join lateral (
        values (1, 'win64', p.win64), (2, 'osx64', p.osx64), (3, 'linux64', p.linux64)
        union all
        select 4, key, value from jsonb_each_text(p.others)
    ) as w (n, platform, path)
    {_file("w.path")}
    where coalesce(w.platform = :platform::text, true)
"""


@maybe(f"""
    select {shown_status(STATUS)} = 'active' as active, {unless_left("c.name", "''")} as name,
           r.id as revision_id
    from contents c {AUTHOR}
    left join revisions r on r.content_id = c.id and r.id = coalesce(:revision, c.revision_id)
    where c.id = :content and {SEEN}
""")
async def shown(
    db: Db, content: str, revision: str | None, caller: str | None, moderate: bool
) -> Shown | None:
    """A revision of a content, the current one if it is None. None if the caller cannot see the
    content."""


@many(_CORE)
async def core(db: Db, revision: str) -> list[Part]:
    """The file of the core entity."""


@many(f"{_ENTITIES} and d.place > :after order by d.place limit :limit")
async def entities(db: Db, revision: str, originating: bool, after: int, limit: int) -> list[Part]:
    """The files of the other entities: of those that the revision brought, or those that it
    uses."""


@many(f"""
    with d as materialized (
        select d.place, d.package_id from revision_packages d
        where d.revision_id = :revision::uuid and d.place > :after
        order by d.place limit :limit
    )
    {_PACKAGES.format("d")}
    order by d.place, w.n, w.platform
""")
async def packages(
    db: Db, revision: str, platform: str | None, after: int, limit: int
) -> list[Part]:
    """The files of at most `limit` packages, for all platforms or for one: at least a row for each
    package."""


@one(
    f"""
    select {state("files")} from (
        select 0 as section, c.* from ({_CORE}) c
        union all select 1, e.* from ({_ENTITIES.replace(":originating", "true")}) e
        union all select 2, e.* from ({_ENTITIES.replace(":originating", "false")}) e
        union all select 3, p.* from (
            {_PACKAGES.format("revision_packages")} and d.revision_id = :revision
        ) p
    ) files
    """,
    lane=WHOLE,
)
async def files_state(db: Db, revision: str, platform: str | None) -> str:
    """A value that changes whenever any of the files does."""
