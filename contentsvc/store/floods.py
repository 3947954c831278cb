"""How often one user may do something. A limited statement takes two last arguments: a number, and
the seconds within which that many are allowed."""

from typing import Final

MINUTE: Final = 60
DAY: Final = 24 * 3600
"""Seconds."""
UNLIMITED: Final = (0, MINUTE)
"""No limit."""
