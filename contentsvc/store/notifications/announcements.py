"""Announcements of the studio, which everybody can read (studio#announcements).

The database's clock decides which are current.
"""

from typing import Final

from contentsvc.framework.db.query import Db, found, many, maybe, one
from contentsvc.store.fragments import BEFORE, LAST, Numbered, state
from contentsvc.wire.notifications import Announcement

_NOW: Final = f"""
    (a.begins is null or a.begins <= extract(epoch from clock_timestamp()))
    and coalesce(a.until, {LAST}) > unix(clock_timestamp())
"""


def _list(which: str = "true") -> str:
    return f"""
        select a.number, a.id, a.title, a.text, a.level, a.begins, a.until
        from announcements a where ({which}) and a.number < {BEFORE}
        order by a.number desc limit :limit
    """


@many(_list(_NOW))
async def current(db: Db, before: int | None, limit: int) -> list[Numbered[Announcement]]:
    """Those of now, the newest first."""


@many(_list())
async def all(db: Db, before: int | None, limit: int) -> list[Numbered[Announcement]]:
    """All, the newest first."""


@maybe(f"""
    select a.id, a.title, a.text, a.level, a.begins, a.until
    from announcements a where a.id = :id and (:any or {_NOW})
""")
async def get(db: Db, id: str, any: bool) -> Announcement | None:
    """An announcement of now, or `any`."""


@maybe("select unix(changed) from announcements where id = :id for update")
async def lock(tx: Db, id: str) -> int | None:
    """Lock an announcement until the transaction ends. Gives when it was last changed, in Unix
    seconds. None if there is none."""


@maybe("""
    insert into announcements as a (id, title, text, level, begins, until)
    values (:id, :title, :text, :level, :begins, :until)
    on conflict (id) do update
    set title = excluded.title, text = excluded.text, level = excluded.level,
        begins = excluded.begins, until = excluded.until, changed = clock_timestamp()
    where (a.title, a.text, a.level, a.begins, a.until) is distinct from
          (excluded.title, excluded.text, excluded.level, excluded.begins, excluded.until)
    returning xmax = 0
""")
async def put(
    tx: Db, id: str, title: str, text: str, level: str, begins: int | None, until: int | None
) -> bool | None:
    """Write an announcement. True if it is a new one, False if it has replaced what was there, None
    if the same was there."""


@found("delete from announcements where id = :id returning true")
async def delete(tx: Db, id: str) -> bool:
    """Delete an announcement. False if there is none."""


STATE: Final = f"""
    select shown.state || ' ' || coalesce((select max(changed) from announcements)::text, '')
    from (select {state("row(a.id, a.changed)")} from announcements a where {_NOW}) shown
"""
"""The query of `state_of_all`."""
WAITING: Final = f"({STATE}) is distinct from {{known}}"
"""Whether announcements are not those of the state that is known."""


@one(STATE)
async def state_of_all(db: Db) -> str:
    """A value that changes with each change of an announcement, and when one begins or is over."""
