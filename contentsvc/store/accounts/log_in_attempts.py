"""Failed log-ins, counted per account and address, and per address over all accounts.

An account is a user's id, or a GUID that stands for a name that nobody has. A GUID also stands for
an address. A window of some seconds begins with its first failure. When the window is over, its
failures are forgotten.
"""

from contentsvc.db.query import Db, none, one
from contentsvc.store.fragments import NIL

_ALL = f"'{NIL}'::uuid"
"""Stands for all accounts."""

# clock_timestamp(), because now() may be earlier than a time that another transaction wrote while
# this one waited. A time in the future was written before the server's clock was set back.
_COUNTS = """(
    f.since > clock_timestamp() - make_interval(secs => :window)
    and f.since < clock_timestamp() + interval '1 minute'
)"""
_ONE_MORE = f"""
    on conflict (account, address) do update set (failures, since) = (
        select f.failures + 1, f.since where {_COUNTS}
        union all select 1, clock_timestamp()
        limit 1
    )
    returning failures, since
"""
_WAIT = """
    coalesce(max(ceil(extract(epoch from since - clock_timestamp()) + :window)), 0)::integer as wait
"""


@one(f"""
    select {_WAIT} from failed_log_ins f
    where account in (:account, {_ALL}) and address = :address and {_COUNTS}
      and failures >= case account when {_ALL} then :most_of_address::integer else :most end
""")
async def wait(
    db: Db, account: str, address: str, most: int, most_of_address: int, window: int
) -> int:
    """Seconds until the account may be tried from the address; 0 if it may be tried now."""


@one(f"""
    with pair as (
        insert into failed_log_ins as f (account, address, failures, since)
        values (:account, :address, 1, clock_timestamp())
        {_ONE_MORE}
    ), whole as (
        -- Attempts above the limit learn nothing about the password, so they do not count.
        insert into failed_log_ins as f (account, address, failures, since)
        select {_ALL}, :address, 1, clock_timestamp() from pair where failures <= :most
        {_ONE_MORE}
    )
    select {_WAIT} from (
        select since from pair where failures > :most
        union all select since from whole where failures > :most_of_address
    ) above
""")
async def failed(
    db: Db, account: str, address: str, most: int, most_of_address: int, window: int
) -> int:
    """Count a failed log-in. Gives the seconds to wait instead, if others have used up the limit at
    the same time."""


@one(f"""
    with pair as (
        -- Wait for a transaction that counts one more, and see its count.
        select since, failures from failed_log_ins
        where account = :account and address = :address
        for update
    ), above as (
        select since from pair f where failures >= :most and {_COUNTS}
        union all
        select since from failed_log_ins f
        where account = {_ALL} and address = :address
          and failures >= :most_of_address and {_COUNTS}
    ), gone as (
        delete from failed_log_ins
        where account = :account and address = :address and not exists (select from above)
    )
    select {_WAIT} from above
""")
async def succeeded(
    db: Db, account: str, address: str, most: int, most_of_address: int, window: int
) -> int:
    """Forget the failures of the account from the address. Gives the seconds to wait instead, if
    others have used up the limit at the same time."""


@one(f"""
    with counted as (
        insert into failed_log_ins as f (account, address, failures, since)
        values (:what, :address, 1, clock_timestamp())
        {_ONE_MORE}
    )
    select {_WAIT} from counted where failures > :most
""")
async def requested(db: Db, what: str, address: str, most: int, window: int) -> int:
    """Count a request of a kind from an address, where `what` stands for the kind. Gives the
    seconds to wait, if there were more than `most`."""


@none("""
    delete from failed_log_ins where (account, address) in (
        select account, address from failed_log_ins
        where since < now() - make_interval(secs => :window)
        order by since limit 10
        for update skip locked
    )
""")
async def expire(db: Db, window: int) -> None:
    """Remove some failures whose window is over: more at a time than can be added."""


@none("delete from failed_log_ins where account = :user")
async def forget(db: Db, user: str) -> None:
    """Let a user log in again at once, from everywhere."""
