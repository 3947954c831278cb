"""Progress data: progress#list.

Triggers store the versions of deleted keys, and subtract what is deleted from the totals
(schema/functions/put_progress.sql). Locks are taken in the order of the tables: the data by user
and key, then the user's totals, by user.
"""

from typing import NamedTuple

from contentsvc.framework.db.connection_bulkhead import WHOLE
from contentsvc.framework.db.query import Db, many, maybe, none, one
from contentsvc.framework.db.statement import Batch
from contentsvc.store import fragments

KEYS, BYTES = "progress_keys", "progress_bytes"
"""The names of the quotas, as Refused has them."""
NO_LIMIT = 2**62


class Datum(NamedTuple):
    """The data of one key. `value` is JSON text."""

    key: str
    value: str
    timestamp: int
    version: int


class ProgressState(NamedTuple):
    """The data at a key, and the GUID of the write that put it there, if that had one."""

    version: int
    write_id: str | None


class Deleted(NamedTuple):
    """A deletion. `timestamp` is in Unix seconds. Version 0 without a timestamp means that there
    was none."""

    version: int
    timestamp: int | None


class Usage(NamedTuple):
    """All that a user has. `bytes` counts the values as JSON text. A new key's version is `dropped`
    plus 1, unless its deletion is remembered."""

    keys: int
    bytes: int
    dropped: int


@many(
    fragments.within(
        """
        select key, value, unix(written) as timestamp, version, size
        from progress
        where user_id = :user and key >= :first and (:end::text is null or key < :end)
        order by key limit :limit
        """,
        "key, value::text as value, timestamp, version",
        "key",
        size="size",
    )
)
async def page(
    db: Db, user: str, first: str, end: str | None, limit: int, bytes: int
) -> list[Datum]:
    """A user's data by key, from the key `first` up to before `end`: at most `limit`, and no more
    once the values have this many `bytes`."""


@one(
    f"""
    select {fragments.state("row(key, version, written)")}
    from progress
    where user_id = :user and key >= :first and (:end::text is null or key < :end)
    """,
    lane=WHOLE,
)
async def state(db: Db, user: str, first: str, end: str | None) -> str:
    """A value that changes whenever anything in that part does: a key's version changes with its
    value."""


@maybe(
    """
    select key, value::text as value, unix(written) as timestamp, version
    from progress where user_id = :user::uuid and key = :key::text
    """,
    together=True,
)
async def get(db: Db, user: str, key: str) -> Datum | None:
    """The data at one key."""


_MOST_KEYS, _MOST_BYTES = "(:most_keys::bigint[])[1]", "(:most_bytes::bigint[])[1]"
"""The quotas. They are the same for all calls of a batch."""


@none(
    f"""
    with call as (
        select *
        from unnest((select :user::uuid[]), (select :key::text[]), (select :value::json[]),
                    (select :write_id::uuid[])) as call (user_id, key, value, write_id)
    ), written as (
        insert into progress as p (user_id, key, value, written, write_id, size)
        select user_id, key, value, clock_timestamp(), write_id, octet_length(value::text)
        from call
        -- All take their locks in one order.
        order by user_id, key
        on conflict (user_id, key) do update
        set value = excluded.value, written = excluded.written, write_id = excluded.write_id,
            version = p.version + 1, size = excluded.size, grown = excluded.size - p.size
        returning user_id, size, grown
    ), more as (
        select user_id, sum((grown is null)::integer) as keys, sum(coalesce(grown, size)) as bytes
        from written group by user_id
    )
    -- Count it only if it changes how much the user has.
    insert into progress_usage as u (user_id, keys, bytes)
    select user_id,
           case when keys > {_MOST_KEYS} then progress_refused('progress_keys') else keys end,
           case when bytes > {_MOST_BYTES} then progress_refused('progress_bytes') else bytes end
    from more where keys > 0 or bytes <> 0 order by user_id
    on conflict (user_id) do update
    -- Refuse only growth.
    set keys = case when excluded.keys > 0 and u.keys + excluded.keys > {_MOST_KEYS}
                    then progress_refused('progress_keys') else u.keys + excluded.keys end,
        bytes = case when excluded.bytes > 0 and u.bytes + excluded.bytes > {_MOST_BYTES}
                     then progress_refused('progress_bytes') else u.bytes + excluded.bytes end
    """,
    # All of a user's writes contend for the totals.
    batch=Batch(("user",), once=("user", "key")),
)
async def put(
    db: Db,
    user: str,
    key: str,
    value: str,
    write_id: str | None,
    most_keys: int,
    most_bytes: int,
) -> None:
    """Store JSON text at a key, for a write that may have a GUID. Raises Refused `progress_keys` or
    `progress_bytes` if this write adds to an amount that then exceeds the quota."""


@maybe("""
    select version, write_id from progress where user_id = :user and key = :key for update
""")
async def lock(db: Db, user: str, key: str) -> ProgressState | None:
    """The data at a key, locked until the transaction ends. None if there are none."""


@maybe("""
    select version, unix(deleted) as timestamp
    from progress_deleted where user_id = :user and key = :key
""")
async def deleted(db: Db, user: str, key: str) -> Deleted | None:
    """The deletion of a key that has no data now. None if it is unknown."""


@maybe("select keys, bytes, dropped from progress_usage where user_id = :user")
async def usage(db: Db, user: str) -> Usage | None:
    """All that a user has. None if the user never had any."""


@none("delete from progress where user_id = :user and key = :key")
async def delete(db: Db, user: str, key: str) -> None:
    """Delete a key's data, but remember its version."""
