"""The upgrade of a database of commit 20bce2cc to version 1.0.0."""

import os
import signal
import time
from pathlib import Path
from typing import Any, ClassVar

from msgspec import json

from contentsvc.command.archive import reading
from contentsvc.command.database import connected
from contentsvc.command.restore import load
from contentsvc.framework.db.errors import Unavailable
from contentsvc.jobs.handlers import EFFECTS, KINDS
from contentsvc.store import schema_marks, tasks
from contentsvc.store.migrate import MigrationError, make, migrate
from contentsvc.store.schema_definition import Definition, names
from tests.store.test_migrate import MigrateCase
from tests.support import lists, postgres
from tests.support.sizes import rounds

OLD = Path(__file__).parent / "20bce2cc.backup"
"""What `contentsvc backup` of 20bce2cc wrote: the demo's world, once a daemon had run, and one task
of each kind."""
PLACE = (
    "contentsvc/store/schema/upgrades must bring a database to what tables/ has: mend your file, "
    f"or write {int(names()[-1][:4]) + 1:04}.NAME.sql"
)
CATALOG = """
    with own as (
        select c.* from pg_class c
        where c.relnamespace = 'public'::regnamespace and not exists (
            select from pg_depend d
            where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
        )
    )
    select concat_ws(' ', 'relation', o.relname, o.relkind, array_to_string(o.reloptions, ','),
                     case when o.relkind = 'v' then pg_get_viewdef(o.oid) end,
                     obj_description(o.oid, 'pg_class'))
    from own o where o.relkind <> 'i'
    union all
    select concat_ws(' ', 'column', o.relname, a.attname, format_type(a.atttypid, a.atttypmod),
                     a.attnotnull, a.attidentity, a.attgenerated, a.attcollation::regcollation,
                     pg_get_expr(d.adbin, d.adrelid), col_description(o.oid, a.attnum),
                     a.attstorage, a.attstattarget)
    from own o join pg_attribute a on a.attrelid = o.oid
    left join pg_attrdef d on d.adrelid = o.oid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped and o.relkind <> 'i'
    union all
    select concat_ws(' ', 'order', o.relname, string_agg(a.attname, ',' order by a.attnum))
    from own o join pg_attribute a on a.attrelid = o.oid
    -- This column is there only without pg_trgm, and stands where it was added.
    where a.attnum > 0 and not a.attisdropped and o.relkind in ('r', 'v', 'c')
      and a.attname <> 'trigrams'
    group by o.relname
    union all
    select concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid), i.indisvalid,
                     array_to_string(x.reloptions, ','))
    from own o join pg_index i on i.indrelid = o.oid join pg_class x on x.oid = i.indexrelid
    union all
    select concat_ws(' ', 'key', o.relname, k.conname, pg_get_constraintdef(k.oid), k.convalidated)
    from own o join pg_constraint k on k.conrelid = o.oid
    union all
    select concat_ws(' ', 'trigger', pg_get_triggerdef(g.oid), g.tgenabled)
    from own o join pg_trigger g on g.tgrelid = o.oid where not g.tgisinternal
    union all
    select concat_ws(' ', 'function', pg_get_functiondef(p.oid), obj_description(p.oid, 'pg_proc'))
    from pg_proc p where p.pronamespace = 'public'::regnamespace and not exists (
        select from pg_depend d
        where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
    )
    union all
    select concat_ws(' ', 'sequence', o.relname, s.seqtypid::regtype, s.seqstart, s.seqincrement,
                     s.seqmax, s.seqmin, s.seqcache, s.seqcycle)
    from own o join pg_sequence s on s.seqrelid = o.oid
"""


def make_old(url: str) -> None:
    """Make the database of 20bce2cc, with its rows."""
    with reading(OLD) as archive, connected(url, "test") as (_, cursor):
        had = archive.manifest
        upgrades = dict.fromkeys(had.upgrades, "")
        cursor.execute("begin")
        make(cursor, Definition(had.schema, upgrades, had.release))
        load(cursor, archive)
        schema_marks.renew(cursor, [])
        cursor.execute("commit")


class UpgradeCase(MigrateCase):
    """A database of 20bce2cc."""

    def setUp(self) -> None:
        super().setUp()
        make_old(self.url)

    def columns(self, table: str) -> set[str]:
        """The columns of a table."""
        rows = self.sql(
            f"""select attname from pg_attribute
                where attrelid = '{table}'::regclass and attnum > 0 and not attisdropped"""
        )
        return {row[0] for row in rows}

    def rows(self, table: str, columns: set[str]) -> Any:
        """The rows of a table as JSON, with these columns."""
        names = ", ".join(sorted(columns))
        return self.sql(f"select to_jsonb(t) from (select {names} from {table}) t order by 1")


class EqualTests(UpgradeCase):
    def catalog(self, url: str) -> set[str]:
        """All that a schema has."""
        self.url = url
        return {row[0] for row in self.sql(CATALOG)}

    def test_equal(self) -> None:
        """An upgraded schema is a new one, object by object."""
        old = self.url
        try:
            self.assertEqual(migrate(old), names())
        except Unavailable as error:
            self.fail(f"{error}\n\n{PLACE}")
        found = self.catalog(old)
        with self.session() as cursor:
            self.assertIsNone(schema_marks.fault(cursor))
        self.assertEqual(migrate(old), [])
        url = postgres.database(self.server())
        self.addCleanup(postgres.drop, url)
        migrate(url)
        new = self.catalog(url)
        self.assertGreater(len(new), 800)
        lists.same(self, PLACE, found, new)


class RowTests(UpgradeCase):
    CHANGED: ClassVar = {"users": {"admin"}}
    """The columns that upgrades fill or take away."""
    OTHERS: ClassVar = {"tasks", "schema_files", "schema_marks", "schema_upgrades"}
    """Tables that get other rows."""

    def test_rows(self) -> None:
        """All rows stay as they are, but for columns that are new, or CHANGED."""
        with reading(OLD) as archive:
            tables = {table.name for table in archive.manifest.tables} - self.OTHERS
        columns = {each: self.columns(each) - self.CHANGED.get(each, set()) for each in tables}
        before = {table: self.rows(table, columns[table]) for table in tables}
        self.assertGreater(sum(map(len, before.values())), 1000)
        migrate(self.url)
        for table in tables:
            gone = columns[table] - self.columns(table)
            place = "CHANGED of tests/store/test_upgrade.py, if nothing needs it any more"
            self.assertEqual(gone, set(), f"a column of {table}: add it to {place}")
            self.assertEqual(self.rows(table, columns[table]), before[table], table)

    def test_tasks(self) -> None:
        """Each task that 20bce2cc has left is one that this version does, and one renews the words
        of content."""
        before = self.sql("select queue, kind, task from tasks order by id")
        migrate(self.url)
        rows = self.sql("select queue, kind, task from tasks order by id")
        self.assertEqual(rows[:-1], before)
        self.assertEqual(len({kind for _, kind, _ in before}), 14)
        self.assertEqual(rows[-1][:2], ("steps", "RenewWords"))
        types = {name: kind.task for name, kind in KINDS.items()}
        types |= {name: getattr(tasks, name) for name in EFFECTS}
        for queue, kind, text in rows:
            json.decode(text, type=types[kind])
            self.assertEqual(queue, "steps" if kind in KINDS else kind)

    def test_not_rewritten(self) -> None:
        """The tables that get names of files are not written anew."""
        lying = "select pg_relation_filenode('entities'), pg_relation_filenode('packages')"
        before = self.sql(lying)
        migrate(self.url)
        self.assertEqual(self.sql("select name from entities where name is not null"), [])
        self.assertEqual(self.sql(lying), before)

    def test_foreign(self) -> None:
        """What somebody else has made stays theirs."""
        self.sql("create table mine (id integer); drop index sessions_user")
        migrate(self.url)
        self.assertEqual(self.sql("select 1 from schema_marks where object ~ 'mine'"), [])
        self.sql("drop table mine")
        self.assertEqual(migrate(self.url), [])

    def test_killed(self) -> None:
        """Killed at any moment, it leaves each upgrade done or not begun, and completes at the next
        start."""
        columns = self.columns("users") - self.CHANGED["users"]
        before = self.rows("users", columns)
        pauses = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
        for pause in pauses[:: rounds(3, 3, 1)]:
            (process,), gate, _ = self.processes(1)
            gate.wait()
            time.sleep(pause)
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            new = "former_names" in self.tables()
            self.assertEqual("admin" in self.columns("users"), not new)
            self.assertEqual(names()[0] in self.applied(), new)
        left = [name for name in names() if name not in self.applied()]
        self.assertEqual(migrate(self.url), left)
        self.assertEqual(self.rows("users", columns), before)
        with self.session() as cursor:
            self.assertIsNone(schema_marks.fault(cursor))


class RefusalTests(UpgradeCase):
    """Databases that are not upgraded, and stay as they are."""

    def refused(self, kind: type[Exception]) -> str:
        line = str(self.assertRaises(kind, migrate, self.url))
        self.assertNotIn("\n", line)
        self.assertNotIn("former_names", self.tables())
        return line

    def test_too_old(self) -> None:
        """One line says by which commit an older database must go."""
        self.sql("delete from schema_upgrades where name > '0107'")
        self.assertIn("upgrade it with 20bce2cc first", self.refused(MigrationError))

    def test_much_too_old(self) -> None:
        """The same of one whose commit noted its upgrades elsewhere."""
        self.sql("drop table schema_upgrades; create table _yoyo_migrations (migration_id text)")
        self.assertIn("upgrade it with 20bce2cc first", self.refused(MigrationError))

    def test_not_whole(self) -> None:
        """What a restore has not brought back yet is named."""
        self.sql("alter table ratings disable trigger ratings_new")
        line = self.refused(Unavailable)
        self.assertIn("trigger ratings.ratings_new", line)
        self.assertIn("restore --finish", line)
        self.sql("alter table ratings enable trigger ratings_new")
        self.assertEqual(migrate(self.url), names())

    def test_no_upgrades_yet(self) -> None:
        """Tables without upgrades are those of a restore that goes on."""
        self.sql("delete from schema_upgrades")
        self.assertIn("restore --finish", self.refused(Unavailable))


class DebianEqualTests(EqualTests):
    """The same on Debian's older server, with pg_trgm."""

    def setUp(self) -> None:
        url = postgres.require_debian(self)
        self.server = lambda: url  # type: ignore[method-assign]
        super().setUp()
