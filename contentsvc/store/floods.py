"""How much of a kind one user may do: the last two arguments of each statement that is limited, a
number and the seconds within which so many are allowed."""

from typing import Final

MINUTE: Final = 60
DAY: Final = 24 * 3600
"""Seconds."""
UNLIMITED: Final = (0, MINUTE)
"""Any number."""
