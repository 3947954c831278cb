"""How large the data set is, and the ids in it.

Ids are made from numbers, in SQL (dataset.py) and here alike, so that who makes requests need not
read them from the database: they are as scattered as random ones.
"""

from hashlib import md5, sha256
from typing import NamedTuple
from uuid import UUID

HIDDEN_EVERY = 50
"""Of so many contents, the last is suspended, deleted, or both."""
LISTED = 20
"""Contents of an author; a hidden one may be among them."""
RATED = 200
"""Ratings of a regular."""
NOTIFIED = 100
"""Notifications of a regular."""
FRIENDS = 200
"""Friends of a regular."""
POPULAR_COMMENTS = 500
"""So many comments more than the others, for the popular ones."""
PAGE = 20
"""Comments on a page."""
TENTH = ["tower", "castle", "bridge", "dragon", "garden", "harbour", "rocket", "circus"]
"""Each is a word of about every tenth content, whichever of the others it has."""
SEASON = "pumpkin night"
"""A tag of one season: of the content between 0.70 and 0.71 of the way to the newest."""
WRITERS = 1000
"""Users who write, and have uploaded files, at most: the first ones after the authors."""
PUBLISHED, PICTURES = 20, 2
"""Files of a publication, the last so many of them images."""
SETS = 3
"""So many times PUBLISHED files are those of each writer."""
COMMON_TAG = "physics"
"""A tag of all content."""


class Sizes(NamedTuple):
    """How many there are of each."""

    users: int
    contents: int
    regulars: int
    """The first users: exactly RATED ratings and NOTIFIED notifications each."""
    commented: int = 20
    """Comments of every content, at least."""
    popular_every: int = 100
    """One content of so many has POPULAR_COMMENTS more."""
    parts: int = 4
    """Entities of a content, beside its core, and packages for every fourth of them."""
    uses: int = 5
    """Other contents' cores that a content uses, beside that of the first of its thousand."""

    @classmethod
    def at(cls, scale: float, contents: int | None = None) -> "Sizes":
        """1 is the size that docs/performance.md gives; some numbers have a least value. With a
        number of `contents`, each has little beside its own row."""
        users = max(1000, round(500_000 * scale))
        if contents is not None:
            regulars = max(4, users // 250)
            # Each author is a user, and some users are none.
            users = max(users, contents // LISTED + 2 * (regulars + WRITERS))
            return cls(users, contents, regulars, 1, 10_000, 1, 0)
        # RATED contents must not be hidden.
        authors = max(13, round(1000 * scale))
        return cls(users, authors * LISTED, max(4, users // 250))

    @property
    def authors(self) -> int:
        """Users with LISTED contents each; they come after the regulars."""
        return self.contents // LISTED

    @property
    def first_writer(self) -> int:
        """Users from this one on neither publish nor only read."""
        return self.regulars + self.authors

    @property
    def star(self) -> int:
        """The author whom `followers` follow."""
        return self.regulars + self.authors - 1

    @property
    def followers(self) -> int:
        """The last so many users follow the star."""
        return self.users // 10

    @property
    def active(self) -> int:
        """Contents that are not hidden."""
        return self.contents - self.contents // HIDDEN_EVERY

    @property
    def popular(self) -> int:
        """Contents with POPULAR_COMMENTS more comments."""
        return -(-self.contents // self.popular_every)

    @property
    def comments(self) -> int:
        """All of them."""
        return self.contents * self.commented + self.popular * POPULAR_COMMENTS

    def friend(self, regular: int, number: int) -> int:
        """A regular's friend, from 0 on to FRIENDS. Regulars are no friends of each other."""
        return self.first_writer + (regular * 131 + number) % (self.users - self.first_writer)

    def pages(self, number: int) -> int:
        """How many pages of PAGE comments a content has."""
        more = POPULAR_COMMENTS if number % self.popular_every == 0 else 0
        return -(-(self.commented + more) // PAGE)


def user(number: int) -> str:
    """The id of a user, from 0 on; regulars come first, then authors."""
    return _id(f"user {number}")


def content(number: int) -> str:
    """The id of a content, from 0 on."""
    return _id(f"content {number}")


def active_content(number: int) -> str:
    """The id of one of those that are not hidden, from 0 on."""
    return content(number + number // (HIDDEN_EVERY - 1))


def core(number: int) -> tuple[str, str]:
    """A content's core entity, and its revision."""
    return _id(f"core {number}"), _id(f"core revision {number}")


def digest(number: int, file: int) -> str:
    """The digest of a user's file, from 0 on."""
    return sha256(f"file {number} {file}".encode()).hexdigest()


def session(number: int) -> str:
    """The id of a user's session. It is not in the database: a token is refused by a set in memory
    of those that were ended, not by a look-up."""
    return _id(f"session {number}")


def _id(name: str) -> str:
    return str(UUID(md5(name.encode(), usedforsecurity=False).hexdigest()))
