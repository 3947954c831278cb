"""How often one user may do something. A limited statement takes two last arguments: `most`, and
`span`, the seconds within which that many are allowed. If `most` is 0, there is no limit."""

from typing import Final

MINUTE: Final = 60
DAY: Final = 24 * 3600
"""Seconds."""
UNLIMITED: Final = (0, MINUTE)
"""No limit."""


def wait(function: str, who: str) -> str:
    """The seconds until a user may do one more, 0 if they may now. `function` is one of
    schema/functions/, `who` its first arguments."""
    return f"""case when :most::integer > 0
        then {function}({who}, :most, make_interval(secs => :span)) else 0 end"""
