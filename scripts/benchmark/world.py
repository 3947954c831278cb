"""How large the data set is, and the ids in it.

Ids are made from numbers, in SQL (dataset.py) and here alike, so that the load generators need
not read them from the database: they are as scattered as random ones.
"""

from hashlib import md5
from typing import NamedTuple
from uuid import UUID

SUSPENDED_EVERY = 50
"""Of so many contents, the last is suspended."""
LISTED = 20
"""Contents of an author; a suspended one may be among them."""
RATED = 200
"""Ratings of a regular."""
NOTIFIED = 100
"""Notifications of a regular."""
POPULAR_EVERY = 100
POPULAR_COMMENTS = 500
"""So many comments more than the others, for one content of so many."""
COMMENTED = 20
"""Comments of every content, at least."""


class Sizes(NamedTuple):
    """How many there are of each."""

    users: int
    contents: int
    regulars: int
    """The first users: exactly RATED ratings and NOTIFIED notifications each."""

    @classmethod
    def at(cls, scale: float) -> "Sizes":
        """1 is the size that docs/performance.md gives; some numbers have a least value."""
        users = max(1000, round(500_000 * scale))
        # RATED contents must not be suspended.
        authors = max(13, round(1000 * scale))
        return cls(users, authors * LISTED, max(4, users // 250))

    @property
    def authors(self) -> int:
        """Users with LISTED contents each; they come after the regulars."""
        return self.contents // LISTED

    @property
    def active(self) -> int:
        """Contents that are not suspended."""
        return self.contents - self.contents // SUSPENDED_EVERY

    @property
    def popular(self) -> int:
        """Contents with POPULAR_COMMENTS more comments."""
        return -(-self.contents // POPULAR_EVERY)

    @property
    def comments(self) -> int:
        """All of them."""
        return self.contents * COMMENTED + self.popular * POPULAR_COMMENTS

    @property
    def ratings(self) -> int:
        """All of them."""
        return 2 * self.users

    @property
    def notifications(self) -> int:
        """All of them."""
        return 2 * self.users


def user(number: int) -> str:
    """The id of a user, from 0 on; regulars come first, then authors."""
    return _id(f"user {number}")


def content(number: int) -> str:
    """The id of a content, from 0 on."""
    return _id(f"content {number}")


def active_content(number: int) -> str:
    """The id of one of those that are not suspended, from 0 on."""
    return content(number + number // (SUSPENDED_EVERY - 1))


def core(number: int) -> tuple[str, str]:
    """A content's core entity, and its revision."""
    return _id(f"core {number}"), _id(f"core revision {number}")


def session(number: int) -> str:
    """The id of a user's session. Not in the database: a token is refused by a set in memory
    of those that were ended, not by a look-up."""
    return _id(f"session {number}")


def pages(number: int) -> int:
    """How many full pages of COMMENTED comments a content has."""
    more = POPULAR_COMMENTS if number % POPULAR_EVERY == 0 else 0
    return (COMMENTED + more) // COMMENTED


def _id(name: str) -> str:
    return str(UUID(md5(name.encode(), usedforsecurity=False).hexdigest()))
