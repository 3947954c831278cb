"""Whether the schema is whole: its marks, on both kinds of servers."""

from contextlib import closing
from typing import Any

import psycopg2
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import Unavailable
from contentsvc.store import schema_marks
from contentsvc.store.migrate import expected, migrate
from contentsvc.store.schema_definition import objects
from tests.support import postgres
from tests.support.databases import fresh


class MarksTests(SynchronousTestCase):
    """A database that has been migrated."""

    server = staticmethod(postgres.embedded)

    def setUp(self) -> None:
        self.url = fresh(self.server())
        self.addCleanup(postgres.drop, self.url)
        self.connection = psycopg2.connect(self.url)
        self.connection.autocommit = True
        self.addCleanup(self.connection.close)
        self.cursor = self.connection.cursor()

    def run_sql(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows of one statement."""
        self.cursor.execute(statement)
        return self.cursor.fetchall() if self.cursor.description else []

    def refused(self, *words: str) -> None:
        """The schema is not whole, and nobody migrates it."""
        reason = schema_marks.fault(self.cursor)
        error = self.assertRaises(Unavailable, migrate, self.url)
        self.assertEqual(error.cause, "restoring")
        for word in words:
            self.assertIn(word, reason or "")
            self.assertIn(word, str(error))

    def test_whole(self) -> None:
        """A new schema is whole, and has what a new one in the same database has."""
        self.assertIsNone(schema_marks.fault(self.cursor))
        there = schema_marks.listed(self.cursor, objects())
        self.assertEqual(there, expected(self.connection))
        self.assertEqual(
            self.run_sql("select count(*) from pg_namespace where nspname ~ '^cont'"), [(0,)]
        )

    def test_foreign(self) -> None:
        """What an operator adds, and an index that the operator drops, change nothing."""
        self.run_sql("create table own (id integer primary key)")
        self.run_sql("create index own_created on users (created)")
        self.run_sql("create view own_view as select count(*) from users")
        self.run_sql("drop index sessions_user")
        self.assertIsNone(schema_marks.fault(self.cursor))
        self.run_sql("drop table own")
        self.assertIsNone(schema_marks.fault(self.cursor))
        self.assertEqual(migrate(self.url), [])

    def test_trigger(self) -> None:
        """A trigger that is missing, or is off, is named."""
        self.run_sql("alter table ratings disable trigger ratings_new")
        self.refused("trigger ratings.ratings_new")
        self.run_sql("alter table ratings enable trigger ratings_new")
        self.assertIsNone(schema_marks.fault(self.cursor))
        self.run_sql("drop trigger ratings_new on ratings")
        self.refused("trigger ratings.ratings_new")

    def test_key(self) -> None:
        """So is a key."""
        self.run_sql("alter table revisions drop constraint revisions_content_id_fkey")
        self.refused("key revisions.revisions_content_id_fkey")

    def test_function(self) -> None:
        """So is a function with another body."""
        self.run_sql(
            "create or replace function wilson(up integer, down integer) returns float8"
            " language sql immutable parallel safe as 'select 1::float8'"
        )
        self.refused("function wilson")

    def test_table(self) -> None:
        """A table of the same form in the place of one is not that one."""
        self.run_sql("create table other (like blocked_files including all)")
        self.run_sql("drop table blocked_files; alter table other rename to blocked_files")
        self.refused("its tables are not those")

    def test_no_upgrades_yet(self) -> None:
        """Tables without upgrades are those of a restore that goes on."""
        self.run_sql("drop table schema_marks; delete from schema_upgrades")
        error = self.assertRaises(Unavailable, migrate, self.url)
        self.assertEqual(error.cause, "restoring")

    def test_newer(self) -> None:
        """A newer release's schema is whole for this one too."""
        self.run_sql(
            "begin; create table newer (id integer primary key);"
            "insert into schema_marks select * from schema_objects() o where not exists"
            " (select from schema_marks m where m.object = o.object);"
            "insert into schema_upgrades (name) values ('9999.newer'); commit"
        )
        self.assertEqual(migrate(self.url), [])
        self.assertIsNone(schema_marks.fault(self.cursor))

    def test_held(self) -> None:
        """Whoever replaces the marks is noticed, without waiting."""
        self.assertFalse(schema_marks.is_locked(self.cursor))
        with closing(psycopg2.connect(self.url)) as other, other.cursor() as cursor:
            cursor.execute("lock table schema_marks in access exclusive mode")
            self.assertTrue(schema_marks.is_locked(self.cursor))
            self.assertEqual(schema_marks.restoring(self.url), "somebody restores it")
            other.rollback()
        self.assertFalse(schema_marks.is_locked(self.cursor))


class DebianMarksTests(MarksTests):
    """The same on Debian's older server, with pg_trgm."""

    def setUp(self) -> None:
        url = postgres.require_debian(self)
        self.server = lambda: url  # type: ignore[method-assign]
        super().setUp()
