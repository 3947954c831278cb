"""What requests are about, and who makes them."""

import time
from pathlib import Path
from random import Random

from contentsvc.framework.core.timers import WallClock
from contentsvc.tokens import Keys, Tokens

from . import BenchError, ids
from .dataset import connection
from .ids import Sizes

_SEED = 4
_PATIENCE = 600.0
"""Seconds for everybody to be notified of what was published."""


class Context:
    """The data set of a database, tokens of its users, and random numbers."""

    def __init__(self, sizes: Sizes, keys: Path, url: str) -> None:
        self.sizes = sizes
        self.random = Random(_SEED)  # noqa: S311
        self.url = url
        self._tokens = Tokens(Keys.load(keys), WallClock())
        # Every so many of them in the order of the ids, which are scattered.
        self.names = self.column(
            "select username from (select username, row_number() over (order by id) as n"
            " from users) as u where n %% (select 1 + count(*) / 1000 from users) = 0",
        )

    def column(self, query: str, *values: object) -> list[str]:
        """The only column of the rows that a query gives."""
        with connection(self.url) as cursor:
            cursor.execute(query, values)
            return [value for (value,) in cursor.fetchall()]

    def settle(self) -> None:
        """Wait until the daemon has no task left. Raises BenchError."""
        deadline = time.monotonic() + _PATIENCE
        with connection(self.url) as cursor:
            while time.monotonic() < deadline:
                cursor.execute("select from tasks limit 1")
                if not cursor.rowcount:
                    return
                time.sleep(0.02)
        raise BenchError(f"tasks are left after {_PATIENCE:.0f} s")

    def token(self, number: int) -> str:
        """An access token of a user, good for the next quarter of an hour."""
        return self._tokens.issue(ids.user(number), ids.session(number))

    def socket_token(self, number: int) -> str:
        """A token for a socket of a user."""
        return self._tokens.issue_socket(ids.user(number), ids.session(number), "game")

    def caller(self, number: int) -> dict[str, str]:
        """The header of a user."""
        return {"Authorization": f"Bearer {self.token(number)}"}

    @property
    def regulars(self) -> range:
        """Users with as many ratings and notifications as ids.py says, who only read."""
        return range(min(ids.WRITERS, self.sizes.regulars))

    @property
    def writers(self) -> range:
        """Users who write, none of them regulars or authors."""
        first = self.sizes.first_writer
        return range(first, min(first + ids.WRITERS, self.sizes.users))
