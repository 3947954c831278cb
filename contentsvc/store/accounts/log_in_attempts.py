"""Failed log-ins, which count for two limits: of the account from the address, and of the address
over all accounts (contentsvc.store.rate_limits).

An account is a user's id, or a GUID in place of a name that nobody has. An address is a GUID too.
`most_of_address` is 0 for any number.
"""

from contentsvc.framework.db.query import Db, none, one
from contentsvc.store.rate_limits import LOG_INS, LOG_INS_OF_ADDRESS, looked, taken

PAIR = "left(encode(sha256(convert_to(:account::text || :address::text, 'UTF8')), 'hex'), 32)::uuid"
"""Identifies an account and an address."""
_MOST = str(LOG_INS.most)
_WAIT = f"""greatest(
    {looked(LOG_INS, PAIR, _MOST)},
    {looked(LOG_INS_OF_ADDRESS, ":address::uuid", ":most_of_address")}
)"""


@one(f"select {_WAIT} as wait")
async def wait(db: Db, account: str, address: str, most_of_address: int) -> int:
    """Seconds until the account may be tried from the address; 0 if it may be tried now."""


@one(f"""
    with pair as materialized (
        select {taken(LOG_INS, PAIR, _MOST, ":account::uuid")} as wait
    )
    select case when wait > 0 then wait
                else {taken(LOG_INS_OF_ADDRESS, ":address::uuid", ":most_of_address")} end
    from pair
""")
async def failed(tx: Db, account: str, address: str, most_of_address: int) -> int:
    """Count a failed log-in. Gives the seconds to wait instead, if others have used up a limit at
    the same time: then the transaction must be rolled back."""


@one(f"""
    with pair as materialized (
        -- Wait for a transaction that counts one more, and see its count.
        select rate_limit_lock('{LOG_INS.name}', {PAIR})
    )
    select {_WAIT} as wait from pair
""")
async def _lock(tx: Db, account: str, address: str, most_of_address: int) -> int:
    """`wait`, and nothing is counted for the account from the address until `tx` ends."""


@none(f"delete from rate_limits where subject = {PAIR} and name = '{LOG_INS.name}'")
async def _forget_pair(tx: Db, account: str, address: str) -> None:
    """Forget the failures of the account from the address."""


async def succeeded(tx: Db, account: str, address: str, most_of_address: int) -> int:
    """Forget the failures of the account from the address. Gives the seconds to wait instead, if
    others have used up a limit at the same time."""
    wait = await _lock(tx, account, address, most_of_address)
    if not wait:
        await _forget_pair(tx, account, address)
    return wait


@none("delete from rate_limits where account = :user")
async def forget(db: Db, user: str) -> None:
    """Let a user log in again at once, from everywhere."""
