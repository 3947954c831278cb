"""Connections that end as they open."""

from typing import Any

from psycopg2.extensions import STATUS_READY
from twisted.internet import reactor

from contentsvc.framework.db.connection import Connection, connect
from contentsvc.framework.db.errors import Unavailable
from tests.support.databases import StoreCase


class Closed:
    """The reactor, which finds that the descriptor of a connection that is open is closed."""

    def __getattr__(self, name: str) -> Any:
        return getattr(reactor, name)

    def addReader(self, reader: Connection) -> None:
        if reader.raw.status == STATUS_READY:
            raise ValueError("file descriptor cannot be a negative integer (-1)")
        reactor.addReader(reader)


class OpeningTests(StoreCase):
    async def test_closed(self) -> None:
        """A connection that has closed when the reactor is to watch it is an outage."""
        with self.assertRaisesRegex(Unavailable, "negative integer"):
            await connect(Closed(), self.url, timeout=5.0, statement_timeout=5.0)
