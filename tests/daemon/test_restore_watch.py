"""How a process gives the database up that is being restored, on a real Postgres."""

from contextlib import closing
from typing import Any

import psycopg2
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.daemon.restore_watch import END
from tests.support import postgres


class EndTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.url = postgres.database(postgres.embedded())
        self.addCleanup(postgres.drop, self.url)

    def connect(self) -> Any:
        connection = psycopg2.connect(self.url)
        self.addCleanup(connection.close)
        return connection

    def test_ended(self) -> None:
        """The transaction that has seen a connection sees, too, that it has ended."""
        pid = self.connect().get_backend_pid()
        with closing(self.connect()) as watch, watch.cursor() as cursor:
            cursor.execute(END, ([pid],))
            self.assertEqual(cursor.fetchone(), (1,))
            with closing(self.connect()) as other:
                # It returns when the process is gone.
                other.cursor().execute("select pg_terminate_backend(%s, 10000)", (pid,))
            cursor.execute(END, ([pid],))
            self.assertEqual(cursor.fetchone(), (0,))
