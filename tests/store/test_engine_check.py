"""The check of the database's engine."""

from collections.abc import Callable
from contextlib import closing
from typing import Any

import psycopg2
from psycopg2.extensions import make_dsn

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.session import BlockingSession
from contentsvc.store.engine_check import EngineError, check_engine
from tests.support import pgbouncer
from tests.support.databases import StoreCase

ENOUGH = 30.0
"""Seconds that a statement may take which is no part of what a test is about."""


def engine(rewritten: Callable[[str], str]) -> type[BlockingSession]:
    """Sessions of an engine that understands each statement as `rewritten` says."""

    class Rewritten(BlockingSession):
        def __init__(self, dsn: str, patience: float) -> None:
            super().__init__(dsn, ENOUGH)

        def begin(self, sql: str, *args: object) -> None:
            limit = sql.startswith("set ")
            sql = "select 1" if limit else rewritten(sql)
            super().begin(sql, *args if "%s" in sql else ())

    return Rewritten


class EngineTests(StoreCase):
    """Postgres passes; an engine without what the service relies on is refused by its name."""

    alone = True

    def refused(self, rewritten: Callable[[str], str], early: float = 0.01) -> str:
        """The reason."""
        session = engine(rewritten)
        with self.assertRaises(EngineError) as raised:
            check_engine(self.url, patience=0.1, early=early, session=session)
        return str(raised.exception)

    def without(self, part: str, instead: str = "select 1", early: float = 0.01) -> str:
        """The reason, where a statement with this part does something else."""
        return self.refused(lambda sql: instead if part in sql else sql, early)

    async def test_postgres(self) -> None:
        """Postgres passes, and no lock of the check stays."""
        check_engine(self.url)
        check_engine(self.url)
        (held,) = self.sql(
            "select count(*) from pg_locks l join pg_database d on d.oid = l.database"
            " where locktype = 'advisory' and datname = current_database()"
        )
        self.assertEqual(held, (0,))

    async def test_read_only(self) -> None:
        """It passes where transactions are read-only by default."""
        check_engine(make_dsn(self.url, options="-c default_transaction_read_only=on"))

    async def test_pooler(self) -> None:
        """It passes behind a pooler that has two sessions to give."""
        check_engine(pgbouncer.through(self, self.url, "session", size=2))

    async def test_advisory_lock(self) -> None:
        """An advisory lock that two can have."""
        self.assertEqual(
            self.without("pg_try_advisory_lock", "select true"),
            "an advisory lock does not exclude",
        )

    async def test_skip_locked(self) -> None:
        """`skip locked` that gives a locked row, or waits for it."""
        reason = "skip locked does not skip"
        plain = lambda sql: sql.removesuffix(" for update skip locked")  # noqa: E731
        self.assertEqual(self.refused(plain), reason)
        self.assertEqual(self.refused(lambda sql: sql.removesuffix(" skip locked")), reason)

    async def test_silence(self) -> None:
        """NOTIFY that never arrives."""
        self.assertEqual(
            self.without("notify contentsvc"), "NOTIFY does not arrive after its commit"
        )

    async def test_early(self) -> None:
        """NOTIFY that arrives before its commit."""
        both: list[BlockingSession] = []
        url = self.url

        class Early(BlockingSession):
            def __init__(self, dsn: str, patience: float) -> None:
                super().__init__(dsn, ENOUGH)
                both.append(self)

            def run(self, sql: str, *args: object) -> list[Any]:
                rows = super().run(sql, *args)
                if sql.startswith("notify"):
                    with closing(BlockingSession(url, ENOUGH)) as another:
                        another.run(sql)
                    both[1].heard(ENOUGH)
                return rows

        with self.assertRaisesRegex(EngineError, "NOTIFY arrives before its commit"):
            check_engine(self.url, session=Early)

    async def test_no_row_lock(self) -> None:
        """A row that is locked, and can be locked by another."""
        plain = lambda sql: (  # noqa: E731
            sql.removesuffix(" for update") if sql.startswith("select from") else sql
        )
        self.assertEqual(
            self.refused(plain, early=ENOUGH), "a statement does not wait for a locked row"
        )

    async def test_endless_wait(self) -> None:
        """A wait for a row that outlasts the commit."""
        endless = lambda sql: "select 1" if sql == "commit" else sql  # noqa: E731
        self.assertEqual(self.refused(endless), "a wait for a locked row does not end")

    async def test_positions(self) -> None:
        """LSNs that stand still, or that the engine does not know."""
        self.assertEqual(self.without("wal_insert", "select 7"), "LSNs do not rise")
        reason = self.without("wal_insert", "select no_lsn()")
        self.assertTrue(reason.startswith("LSNs do not rise: function no_lsn()"), reason)

    async def test_held(self) -> None:
        """A row that somebody else holds for too long, or a standby, is no fault of the engine."""
        with closing(psycopg2.connect(self.url)) as other, other.cursor() as cursor:
            cursor.execute("select from schema_upgrades for update")
            self.assertRaises(psycopg2.OperationalError, check_engine, self.url, patience=0.3)
        refuses = "do $$ begin raise feature_not_supported; end $$"
        standby = engine(lambda sql: refuses if sql.startswith("begin") else sql)
        self.assertRaises(Unavailable, check_engine, self.url, session=standby)
