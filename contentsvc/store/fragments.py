"""SQL from which statements of several families are put together."""

from typing import Final

NIL: Final = "00000000-0000-0000-0000-000000000000"
"""The nil GUID. Nothing has it, and it comes before all others."""
USER: Final = "u.id, u.username, u.avatar, u.emblem, u.public_profile"
"""The public columns of `users u`. With `as profile` behind them they are those of a UserInfo."""


def state(record: str) -> str:
    """The column `state`: it changes when any of the records does, or their number."""
    return f"count(*) || ' ' || coalesce(sum(hashtextextended({record}::text, 0)), 0) as state"
