"""The claims that say who needs which files (files#own-files).

A claim is written while the file's row is locked FOR KEY SHARE: either the claim comes first, and
the collector finds it, or the collector, and the file counts as missing. A recent announcement
needs no lock: the collector leaves its file alone. A transaction with this lock may have read an
older version of the row, unless the change had locked it FOR UPDATE. The collector does that. A
block does not: a publication that began before may claim the file. That does no harm, since a claim
on a blocked file gives no URL.

Locks come in one order: the content, the user or the challenge, then the storage row of the file's
owner, then files by path. A transaction locks files in this order once. One that claims some and
gives up others locks all of them first.
"""

from typing import Final, Literal, NamedTuple

from contentsvc.framework.db.query import Db, many, maybe, none, one
from contentsvc.store.files import files, storage
from contentsvc.store.fragments import status_of

KEPT: Final = 30
"""Days for which deleted content still claims its files."""
BATCH: Final = 1000
"""Claims that one step of a purge gives up."""

PROMPT: Final = """
    -- Of the paths, only those of images have an extension: they are longer than 67.
    held as materialized (
        -- By the user's own rows, which lie together in the index.
        select u.path from user_files u join files f on f.path = u.path
        where u.user_id = :publisher and u.path = any((select :paths::text[])::text[])
          -- It cannot lapse before this commits: so it counts already, and as long as it is there
          -- nobody deletes the file. So its row needs no lock, which would write all of them.
          and u.sent and u.due > now() + interval '1 hour'
          and f.stored and not f.invalid and not f.collecting
          and not exists (
              select from blocked_files b
              where b.sha256 = any(array(
                  select substr(path, 4, 64) from unnest(:paths::text[]) as path
              ))
          )
    ), whole as materialized (
        select count(*) = cardinality(:paths::text[]) as claimed from held
    ), added as (
        insert into claims (holder, kind, path, content_id, owner_id)
        select case when octet_length(path) > 67 then :content::uuid else :revision::uuid end,
               case when octet_length(path) > 67 then 'content' else 'revision' end,
               path, :content, :publisher
        from held where (select claimed from whole)
    )
"""
"""A part of a statement that publishes: it claims the `:paths`, which new content brings, if
`:publisher` has announced and sent all of them lately. Otherwise it claims nothing. `whole` says
so. This is what nearly every publication of files does, and costs much less than `claim`."""

ClaimKind = Literal["content", "user", "challenge"]
"""The owner of a claim to images: a content claims its screenshots, a user the avatar, a challenge
its emblems."""


class Fault(NamedTuple):
    """A file that the caller may not use: it is missing for them, or it is an `invalid` image, for
    its `metadata` if it has some."""

    path: str
    invalid: bool
    metadata: bool


@many(f"""
    with given as materialized (
        -- `counts`: the owner has announced it, and that cannot lapse before this commits.
        select g.path, g.own, g.brought, coalesce(u.sent, false) as sent,
               coalesce(u.sent and u.due > now() + interval '1 hour', false) as counts
        from unnest(
            (select :paths::text[]), (select :own::boolean[]), (select :brought::boolean[])
        ) as g (path, own, brought)
        left join user_files u on u.user_id = :owner::uuid and u.path = g.path
    ), storage as materialized (
        insert into storage as s (user_id)
        select :owner::uuid where exists (select from given where own and not counts)
        -- Locks the row that is there.
        on conflict (user_id) do update set used = s.used
        returning s.user_id
    ), held as materialized (
        select f.path, f.size, f.stored, f.invalid, f.metadata from files f
        where f.path = any((select :paths::text[])::text[]) and not f.collecting
          and (select count(*) from storage) >= 0
        order by f.path
        for key share
    ), judged as materialized (
        select g.path, g.own, g.brought, g.counts, h.path is not null as there, h.size, h.invalid,
               h.metadata,
               h.stored
               and not exists (
                   select from blocked_files b where b.sha256 = substr(g.path, 4, 64) offset 0
               ) as readable,
               -- An entity from before the service had files has nothing but a path: it gives no
               -- right to the bytes that somebody sends later.
               coalesce(
                   case when :caller::uuid = :owner::uuid then nullif(g.sent, false)
                        else (select true from user_files u
                              where u.user_id = :caller::uuid and u.path = g.path and u.sent) end,
                   (select true from claims c left join contents o on o.id = c.content_id
                    where c.path = g.path
                      and ({status_of("o")} = 'active' or c.content_id = :content
                           or c.holder = :holder and c.kind = :kind)
                    limit 1),
                   false
               ) as allowed
        from given g left join held h on h.path = g.path
    ), claimed as (
        insert into claims (holder, kind, path, content_id, owner_id)
        select case when octet_length(j.path) > 67 then :holder::uuid else :revision::uuid end,
               case when octet_length(j.path) > 67 then :kind else 'revision' end,
               j.path, :content::uuid, case when j.own then :owner::uuid end
        from judged j where j.there and j.allowed
          and not exists (
              select from claims c
              where c.holder = :holder::uuid and c.kind = :kind and c.path = j.path
          )
    ), counted as (
        insert into user_files (user_id, path, size, sent, apart, due)
        select :owner::uuid, j.path, j.size, j.readable, true, null
        from judged j
        where j.own and not j.counts and j.there and j.allowed and j.size is not null
        order by j.path
        -- What was only announced may have had another size.
        on conflict (user_id, path) do update set sent = true, size = excluded.size
        where not user_files.sent and excluded.sent
    )
    select j.path, coalesce(j.readable and j.allowed, false) as invalid,
           coalesce(j.metadata, false) as metadata
    from judged j
    where j.brought and ((j.readable and j.allowed) is not true or j.invalid)
""")
async def claim(
    tx: Db,
    *,
    caller: str,
    owner: str | None,
    content: str | None,
    revision: str | None,
    holder: str,
    kind: ClaimKind,
    paths: list[str],
    own: list[bool],
    brought: list[bool],
) -> list[Fault]:
    """Claim the service's own `paths`, each of which is there once: those in the content bucket for
    the `revision`, images for the `holder`. Gives those of the `brought` ones that the `caller` may
    not use; then the transaction must be rolled back.

    Those that are not brought are claimed if the caller may use the file, whether its bytes are
    there or not. The `own` ones count for the `owner`. A content that is named is that of the
    revision, or of the screenshots: what it claims already is good for it.
    """


@one("""
    select count(*) = cardinality(:paths::text[])
    from files f
    where f.path = any(:paths::text[]) and f.stored and not f.invalid and not f.collecting
      and not exists (
          select from blocked_files b where b.sha256 = substr(f.path, 4, 64) offset 0
      )
      and exists (
          select from claims c
          where c.holder = :content::uuid and c.kind = 'content' and c.path = f.path
      )
""")
async def holds(db: Db, content: str, paths: list[str]) -> bool:
    """Whether a content has claimed all of these screenshots, and their bytes are there."""


async def lock(tx: Db, owner: str | None, paths: list[str]) -> None:
    """Lock all files that a transaction claims or gives up, and first what the `owner`'s take."""
    if owner is not None:
        await storage.lock(tx, owner)
    await files.lock(tx, paths)


@none("""
    delete from claims where holder = :holder and kind = :kind and path = any(:paths::text[])
""")
async def release(tx: Db, holder: str, kind: ClaimKind, paths: list[str]) -> None:
    """Give up these images of a holder whose row is locked."""


@none("delete from claims where holder = :revision and kind = 'revision'")
async def release_revision(tx: Db, revision: str) -> None:
    """Give up all files of a revision, whose content is locked."""


@many("""
    select f.path from files f
    where f.path = any(:paths::text[]) and f.stored and not f.collecting
      and not exists (
          select from blocked_files b where b.sha256 = substr(f.path, 4, 64) offset 0
      )
      and (
          exists (select from claims c where c.path = f.path and c.content_id is not null)
          or exists (
              select from user_files u
              where u.user_id = any(:users::uuid[]) and u.path = f.path and u.sent
          )
      )
""")
async def stored(db: Db, users: list[str], paths: list[str]) -> list[str]:
    """Those of the paths whose bytes are there. What nobody has published is there only for those
    of the users who have sent it."""


@one(f"""
    with due as materialized (
        select c.id, c.purged from contents c
        where c.withdrawn < now() - interval '{KEPT} days'
        order by c.withdrawn limit 1
        for no key update skip locked
    ), few as materialized (
        select c.holder, c.kind, c.path
        from (
            select d.id, 'content' as kind from due d
            union all
            select r.id, 'revision' from due d join revisions r on r.content_id = d.id
        ) h
        cross join lateral (
            select c.holder, c.kind, c.path from claims c
            where c.holder = h.id and c.kind = h.kind
            limit {BATCH}
        ) c
        limit {BATCH}
    ), released as (
        delete from claims c using few s
        where c.holder = s.holder and c.kind = s.kind and c.path = s.path
    ), marked as (
        update contents c
        set purged = true,
            withdrawn = case when (select count(*) from few) = {BATCH} then c.withdrawn end
        from due d where c.id = d.id
    ), told as (
        -- Notify its subscribers, see LibraryChanged in contentsvc/store/tasks.py.
        insert into tasks (queue, kind, task, topic, due)
        select 'steps', 'LibraryChanged',
               json_build_object('kind', 'LibraryChanged', 'content', id)::text,
               'library ' || id, clock_timestamp()
        from due where not purged
    )
    select exists (select from due)
""")
async def purge(db: Db) -> bool:
    """Let one content that has been deleted for KEPT days give up files: at most BATCH claims, from
    then on for good. False if there is none."""


@none("""
    insert into claims (holder, kind, path)
    select :decision::uuid, 'decision', path from claims
    where holder = :user::uuid and kind = 'user' and path = :path
    on conflict do nothing
""")
async def keep(tx: Db, decision: str, user: str, path: str) -> None:
    """Have a decision claim the avatar that it takes away, before the user gives it up: whoever
    reverses the decision gives it back."""


@none("update claims set holder = :later where holder = :decision and kind = 'decision'")
async def keep_on(tx: Db, decision: str, later: str) -> None:
    """Have a decision claim what the one claims that it replaces."""


@maybe("""
    with kept as materialized (
        select c.path from claims c
        where c.holder = :decision::uuid and c.kind = 'decision' and c.path = :path
    ), good as materialized (
        select f.path from kept k join files f on f.path = k.path
        where f.stored and not f.invalid and not f.collecting
          and not exists (
              select from blocked_files b where b.sha256 = substr(f.path, 4, 64) offset 0
          )
        for key share of f
    ), claimed as (
        insert into claims (holder, kind, path) select :user::uuid, 'user', path from good
        on conflict do nothing
    )
    select exists (select from good) from kept
""")
async def give_back(tx: Db, decision: str, user: str, path: str) -> bool | None:
    """Have a user claim again what a decision has kept; it does not count for them. False if the
    bytes cannot be shown, None if the decision has kept no such file."""


@none("delete from claims where holder = :decision::uuid and kind = 'decision'")
async def release_kept(tx: Db, decision: str) -> None:
    """Give up what a decision has kept."""
