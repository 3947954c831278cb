"""Progress data: spec §4.12."""

from typing import NamedTuple

from contentsvc.store.query import Db, many, maybe, none


class Datum(NamedTuple):
    """One key's data, `value` as JSON text."""

    key: str
    value: str
    timestamp: int


@many("""
    select key, value::text as value, unix(written) as timestamp
    from progress where user_id = :user order by key
""")
async def of_user(db: Db, user: str) -> list[Datum]:
    """All of a user's data, by key."""


@maybe(
    """
    select key, value::text as value, unix(written) as timestamp
    from progress where user_id = :user::uuid and key = :key::text
    """,
    together=True,
)
async def get(db: Db, user: str, key: str) -> Datum | None:
    """The data at one key."""


@none(
    """
    insert into progress (user_id, key, value, written)
    values (:user, :key, :value, clock_timestamp())
    on conflict (user_id, key) do update set value = excluded.value, written = excluded.written
    """,
    together="""
    insert into progress (user_id, key, value, written)
    select user_id, key, value, clock_timestamp()
    from unnest(:user::uuid[], :key::text[], :value::json[]) as call (user_id, key, value)
    -- All take their locks in one order. A key that is there twice fails, and then goes alone.
    order by user_id, key
    on conflict (user_id, key) do update set value = excluded.value, written = excluded.written
    """,
)
async def put(db: Db, user: str, key: str, value: str) -> None:
    """Store JSON text at a key."""


@none("delete from progress where user_id = :user and key = :key")
async def delete(db: Db, user: str, key: str) -> None:
    """Forget a key."""
