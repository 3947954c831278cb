"""The upgrade of a database of commit d3b8625, or of one after it, to version 1.0.0."""

import os
import re
import signal
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import psycopg2
from msgspec import json

from contentsvc.framework.db.errors import Unavailable
from contentsvc.store import schema_marks
from contentsvc.store.accounts.log_in_attempts import PAIR
from contentsvc.store.fragments import NIL
from contentsvc.store.migrate import VERSION_1, MigrationError, migrate
from contentsvc.store.quiesce import Wait
from contentsvc.store.schema_definition import definition, names
from contentsvc.store.tasks import DeleteBlockedFile, DeleteUnusedFiles, SendMail
from tests.store.test_migrate import MigrateCase
from tests.support import lists, postgres
from tests.support.sizes import rounds

HERE = Path(__file__).parent
OLD = "".join(path.read_text() for path in sorted((HERE / "d3b8625").iterdir()))
"""The schema of d3b8625."""
BETWEEN = re.split(r"(?m)^-- (?=\d{4}\.)", (HERE / "between.sql").read_text())[1:]
"""What later commits added, each beginning with its name."""
PLACE = (
    "contentsvc/store/schema/upgrades must bring a database to what tables/ has: mend your file, "
    f"or write {int(names()[-1][:4]) + 1:04}.NAME.sql"
)
NOW = Wait(patience=0)
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
ROWS = """
    insert into users (id, username, email, password_hash, admin, avatar)
    select md5('user ' || n)::uuid, 'user' || n, 'u' || n || '@example.com', 'x', n = 1, 'a.png'
    from generate_series(1, 5) n;
    insert into login_failures select id, 3, now() from users limit 2;
    insert into follows (follower, followed)
    select md5('user 1')::uuid, id from users where username <> 'user1';
    insert into contents (id, revision_id, author_id, type, name, description, screenshots, tags)
    select md5('content ' || n)::uuid, md5('revision ' || n)::uuid, md5('user 2')::uuid, 'game',
           'Castle ' || n, 'A castle', '{shot.png}', '{}' from generate_series(1, 3) n;
    insert into revisions (id, content_id, version, description, entity_id, entity_revision)
    select revision_id, id, '1', '', gen_random_uuid(), gen_random_uuid() from contents;
    insert into ratings (user_id, content_id, up, voted)
    select u.id, c.id, u.username <> 'user3', '2026-05-01' from users u, contents c
    where c.name <> 'Castle 3';
    insert into comments (content_id, ordinal, author_id, body, created, updated)
    select id, 1, author_id, 'hello', now(), now() from contents;
    insert into notification_counters (user_id, seq, unread) select id, 2, 1 from users;
    insert into notifications (user_id, seq, kind, data, created, read)
    select u.id, n, 'Debug', '{"kind":"Debug"}', now(), n = 1 from users u, generate_series(1, 2) n;
    insert into progress (user_id, key, value, written, size)
    select id, 'new', '{"a":"ü"}', now(), 10 from users;
    insert into progress_usage select id, 1, 10 from users;
    -- As a release before the sizes does; its trigger counts it.
    insert into progress (user_id, key, value, written)
    select id, 'old', '{"b":1}', now() from users;
    insert into outbox (kind, task) values
        ('ContentPublished', '{"kind":"ContentPublished","author":"ann"}'), ('Other', '{}');
    insert into mails (purpose, email) values ('reset', 'u1@example.com');
    insert into identities (user_id, issuer, subject)
    select id, 'https://login.example', 'sub' from users where username = 'user1';
"""

ADDRESS = "00000000-0000-0000-0000-00000000000a"
RECENT = f"""
    insert into unfollows select md5('user 1')::uuid, now() - n * interval '20 hours'
    from generate_series(1, 2) n;
    insert into friend_asks select md5('user 1')::uuid, now() - n * interval '20 hours'
    from generate_series(1, 2) n;
    update revisions set publisher_id = md5('user 2')::uuid, created = case version
        when '1' then now() - interval '20 hours' end
    where id = md5('revision 1')::uuid;
    insert into messages (pair, sender, id, text, created)
    select 1, md5('user 1')::uuid, gen_random_uuid(), 'hi', now() - n * interval '40 seconds'
    from generate_series(1, 2) n;
    insert into mails (purpose, user_id, email, created)
    select purpose, md5('user 1')::uuid, 'x', now() - n * interval '40 minutes'
    from generate_series(1, 2) n, unnest('{{change, changed, reset}}'::text[]) purpose;
    insert into report_subjects (kind, id) values ('user', 'x');
    insert into reports (subject, reporter, reason, text, digest, created, repeats)
    select s.number, md5('user 1')::uuid, 'spam', '', '', now() - n * interval '20 hours', n = 0
    from report_subjects s, generate_series(0, 2) n;
    insert into failed_log_ins
    select account, address::uuid, failures, now() - n * interval '10 minutes'
    from (values
        (md5('user 1')::uuid, '{ADDRESS}', 12, 1),
        (md5('user 2')::uuid, '{ADDRESS}', 3, 2),
        ('{NIL}', '{ADDRESS}', 30, 1)
    ) f (account, address, failures, n);
"""
"""What counts for a limit, and the same of earlier times."""


class UpgradeCase(MigrateCase):
    """A database of d3b8625."""

    def setUp(self) -> None:
        super().setUp()
        self.make_old(self.url)

    def make_old(self, url: str, later: int = 0) -> None:
        """Make the schema of d3b8625, and of so many of what came `later`."""
        with psycopg2.connect(url) as connection, connection.cursor() as cursor:
            cursor.execute(OLD)
            cursor.execute("reset check_function_bodies")
            for part in BETWEEN[:later]:
                name, _, text = part.partition("\n")
                cursor.execute(text)
                cursor.execute(
                    "insert into _yoyo_migrations (migration_hash, migration_id) values (%s, %s)",
                    (name, name),
                )
            if schema_marks.is_there(cursor):
                schema_marks.renew(cursor, [])
        connection.close()

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
    later: ClassVar[Sequence[int]] = range(0, len(BETWEEN) + 1, rounds(4, 4, 1))

    def new(self) -> set[str]:
        """What a new database has."""
        url = postgres.database(self.server())
        self.addCleanup(postgres.drop, url)
        migrate(url)
        return self.catalog(url)

    def catalog(self, url: str) -> set[str]:
        """All that a schema has."""
        self.url = url
        return {row[0] for row in self.sql(CATALOG)}

    def test_equal(self) -> None:
        """An upgraded schema is a new one, object by object, whichever commit it comes from."""
        new = self.new()
        self.assertGreater(len(new), 800)
        for later in self.later:
            url = postgres.database(self.server())
            self.addCleanup(postgres.drop, url)
            self.make_old(url, later)
            try:
                self.assertEqual(migrate(url), names())
            except Unavailable as error:
                self.fail(f"{error}\n\n{PLACE}")
            found = self.catalog(url)
            lists.same(self, f"{PLACE} (after {later} of between.sql)", found, new)
            with self.session() as cursor:
                self.assertIsNone(schema_marks.fault(cursor))
            self.assertEqual(migrate(url), [])


class RowTests(UpgradeCase):
    SAME: ClassVar = (
        *("users", "follows", "contents", "revisions", "ratings", "comments", "notifications"),
        *("notification_counters", "progress", "progress_usage", "mails", "identities"),
        *("documents", "content_uses"),
    )
    CHANGED: ClassVar = {"progress": {"size"}, "mails": {"due", "tries", "failure"}}
    """The columns that upgrades fill or take away."""

    def setUp(self) -> None:
        super().setUp()
        self.sql(ROWS)

    def test_rows(self) -> None:
        """All rows stay as they are, but for columns that are new, or CHANGED."""
        changed = self.CHANGED
        columns = {each: self.columns(each) - changed.get(each, set()) for each in self.SAME}
        before = {table: self.rows(table, columns[table]) for table in self.SAME}
        self.assertGreater(sum(map(len, before.values())), 60)
        migrate(self.url)
        for table in self.SAME:
            gone = columns[table] - self.columns(table)
            place = "CHANGED of tests/store/test_upgrade.py, if nothing needs it any more"
            self.assertEqual(gone, set(), f"a column of {table}: add it to {place}")
            self.assertEqual(self.rows(table, columns[table]), before[table], table)

    def test_sizes(self) -> None:
        """Progress data of before the sizes has them, and is counted as it was."""
        migrate(self.url)
        wrong = "select 1 from progress where size <> octet_length(value::text)"
        self.assertEqual(self.sql(wrong), [])
        self.assertEqual(self.sql("select distinct keys, bytes from progress_usage"), [(2, 17)])
        self.sql("delete from progress where key = 'old'")
        self.assertEqual(self.sql("select distinct keys, bytes from progress_usage"), [(1, 10)])

    def test_votes(self) -> None:
        """Votes that the job of before had still to count are counted."""
        ranks = "select number, top, net, trending from content_ranks order by number"
        before = self.sql(ranks)
        self.sql(
            "update content_ranks set net = 7, trending = 7, top = 0, counted = false"
            " where number = (select min(number) from content_ranks)"
        )
        migrate(self.url)
        self.assertEqual(self.sql(ranks), before)

    def test_tasks(self) -> None:
        """What the outbox had, and mails that wait, are tasks. Publications of one author are told
        in their order."""
        ((mail,),) = self.sql("select id from mails where due is not null")
        self.sql("insert into mails (purpose, email, due) values ('reset', '', null)")
        migrate(self.url)
        rows = self.sql("select queue, kind, topic, due <= now(), tries from tasks order by id")
        self.assertEqual(
            rows,
            [
                ("steps", "ContentPublished", "publications of ann", True, 0),
                ("steps", "Other", None, True, 0),
                ("SendMail", "SendMail", None, True, 0),
                ("steps", "RenewWords", None, True, 0),
            ],
        )
        ((task,),) = self.sql("select task from tasks where queue = 'SendMail'")
        self.assertEqual(json.decode(task, type=SendMail), SendMail(mail=str(mail)))

    def test_files(self) -> None:
        """Blocks that are due, and files that are being collected, are tasks, which keep the time
        of whoever is at it."""
        self.sql(
            """insert into blocked_files (sha256, reason, due)
               values ('done', 'r', null), ('waiting', 'r', now() - interval '1 s')"""
        )
        self.sql(
            """insert into files (path, collecting, due)
               select to_char(n, 'FM000'), n > 0, now() + interval '1 hour'
               from generate_series(0, 150) n"""
        )
        migrate(self.url)
        rows = self.sql(
            """select queue, topic, due > now(), task from tasks
               where queue = kind and kind like 'Delete%' order by id"""
        )
        tasks = [json.decode(task, type=DeleteBlockedFile | DeleteUnusedFiles) for *_, task in rows]
        self.assertEqual(
            [row[:3] for row in rows],
            [
                ("DeleteBlockedFile", "waiting", False),
                *[("DeleteUnusedFiles", None, True)] * 2,
            ],
        )
        paths = [f"{n:03}" for n in range(1, 151)]
        self.assertEqual(
            tasks,
            [
                DeleteBlockedFile(sha256="waiting"),
                DeleteUnusedFiles(paths=paths[:100]),
                DeleteUnusedFiles(paths=paths[100:]),
            ],
        )
        kept = self.sql("select path from files where due is not null")
        self.assertEqual(kept, [("000",)])

    def test_limits(self) -> None:
        """What counts for a limit goes on to count, and nothing else does."""
        self.sql(RECENT)
        migrate(self.url)
        rows = self.sql("select name, count(*) from rate_limits group by 1 order by 1")
        self.assertEqual(
            rows,
            [
                ("comments", 3),
                ("confirmations", 1),
                ("follows", 5),
                ("friend_requests", 1),
                ("log_ins", 10),
                ("log_ins_of_address", 30),
                ("messages", 1),
                ("publications", 1),
                ("reports", 1),
                ("resets", 1),
            ],
        )
        pair = PAIR.replace(":account", "account").replace(":address", f"'{ADDRESS}'")
        self.assertEqual(
            self.sql(f"select distinct subject = {pair} from rate_limits where name = 'log_ins'"),
            [(True,)],
        )

    def test_foreign(self) -> None:
        """What somebody else has made stays theirs."""
        self.sql("create table mine (id integer); drop index sessions_user")
        migrate(self.url)
        self.assertEqual(self.sql("select 1 from schema_marks where object ~ 'mine'"), [])
        self.sql("drop table mine")
        self.assertEqual(migrate(self.url), [])


class RefusalTests(UpgradeCase):
    """Databases that are not upgraded, and stay as they are."""

    def refused(self, kind: type[Exception], **options: Any) -> str:
        error = self.assertRaises(kind, migrate, self.url, **options)
        self.assertNotIn("schema_upgrades", self.every())
        self.assertIn("_yoyo_migrations", self.every())
        return str(error)

    def every(self) -> set[str]:
        """The names of all tables."""
        return {row[0] for row in self.sql("select relname from pg_class where relkind = 'r'")}

    def test_too_old(self) -> None:
        """One line says by which release an older database must go."""
        self.sql("delete from _yoyo_migrations where migration_id = '0051.authors'")
        line = self.refused(MigrationError)
        self.assertIn("d3b8625", line)
        self.assertNotIn("\n", line)

    def test_not_whole(self) -> None:
        """What a restore has not brought back yet is named."""
        for broken, mended, named in (
            (
                "alter table ratings disable trigger ratings_new",
                "alter table ratings enable trigger ratings_new",
                "trigger ratings_new",
            ),
            (
                "alter table revisions rename constraint revisions_content_id_fkey to other",
                "alter table revisions rename constraint other to revisions_content_id_fkey",
                "key revisions.revisions_content_id_fkey",
            ),
        ):
            self.sql(broken)
            line = self.refused(Unavailable)
            self.assertIn(named, line)
            self.assertIn("restore --finish", line)
            self.sql(mended)
        self.assertEqual(migrate(self.url), names())

    def test_no_migrations_yet(self) -> None:
        """Tables without migrations are those of a restore that goes on."""
        self.sql("delete from _yoyo_migrations")
        self.assertIn("restore --finish", self.refused(Unavailable))


class StopTests(UpgradeCase):
    """Daemons of before."""

    def beat(self, seen: str = "now()") -> None:
        """Let one report itself."""
        self.sql(
            "insert into processes (id, host, pid, version, seen, sockets, users, failing)"
            f" values ('{'0' * 32}', 'old.example', 77, '0.9', {seen}, 0, 0, '[]')"
            " on conflict (id) do update set seen = excluded.seen"
        )

    def test_running(self) -> None:
        """One that still beats is named, and nothing is done."""
        self.beat()
        error = self.assertRaises(MigrationError, migrate, self.url, quiet=NOW)
        self.assertIn("old.example (process 77)", str(error))
        self.assertIn("--force", str(error))
        self.assertEqual(self.sql("select to_regclass('schema_upgrades')"), [(None,)])

    def test_force(self) -> None:
        """With force it does not matter; it is named."""
        self.beat()
        told: list[str] = []
        self.assertEqual(migrate(self.url, quiet=Wait(force=True, report=told.append)), names())
        self.assertIn("old.example (process 77)", told[0])

    def test_dead(self) -> None:
        """One that was killed a minute ago is not waited for."""
        self.beat("now() - interval '61 seconds'")
        self.assertEqual(migrate(self.url, quiet=NOW), names())

    def test_stops(self) -> None:
        """The upgrade waits for one that stops, and says so once."""
        self.beat()
        told: list[str] = []

        def tell(line: str) -> None:
            told.append(line)
            later = threading.Timer(0.6, self.sql, ("delete from processes",))
            later.start()
            self.addCleanup(later.join)

        self.assertEqual(migrate(self.url, quiet=Wait(report=tell)), names())
        self.assertEqual(len(told), 1)
        self.assertIn("old.example (process 77)", told[0])

    def test_asked_to_stop(self) -> None:
        """A start that is told to stop waits no longer."""
        self.beat()
        quiet = Wait(goes_on=lambda: False)
        error = self.assertRaises(Unavailable, migrate, self.url, quiet=quiet)
        self.assertEqual(error.cause, "lock")

    def test_later(self) -> None:
        """Later upgrades wait for nobody."""
        migrate(self.url)
        self.beat()
        schema = definition()
        more = {"9999.more": "create table more (id integer)"}
        upgrades = {**schema.upgrades, **more}
        changed = migrate(self.url, schema=schema._replace(upgrades=upgrades), quiet=NOW)
        self.assertEqual(changed, ["9999.more"])

    def test_between(self) -> None:
        """A database that has only some of the upgrades to 1.0.0 gets the others once no daemon
        runs: all, or none. Then it gets those of later releases."""
        schema = definition()
        first, *more = VERSION_1
        with self.session() as cursor:
            cursor.execute("begin")
            cursor.execute(schema.upgrades[first])
            cursor.execute("insert into schema_upgrades values (%s)", (first,))
            cursor.execute(schema.texts["functions/schema_objects.sql"])
            schema_marks.renew(cursor, [])
            cursor.execute("commit")
        self.beat()
        error = self.assertRaises(MigrationError, migrate, self.url, quiet=NOW)
        self.assertIn("old.example (process 77)", str(error))
        self.sql("delete from processes")
        broken = {**schema.upgrades, more[-1]: "select 1 / 0"}
        self.assertRaises(
            MigrationError, migrate, self.url, schema=schema._replace(upgrades=broken)
        )
        self.assertEqual(self.applied(), [first])
        self.assertEqual(migrate(self.url), names()[1:])
        with self.session() as cursor:
            self.assertIsNone(schema_marks.fault(cursor))

    def test_connections(self) -> None:
        """Those that a daemon of before left open are ended. What it has committed is there, and
        what it has not is not."""
        self.sql(ROWS)
        old = psycopg2.connect(self.url, application_name="contentsvc")
        self.addCleanup(old.close)
        with old.cursor() as cursor:
            cursor.execute("update users set avatar = 'committed' where username = 'user1'")
            old.commit()
            cursor.execute("update users set avatar = 'lost' where username = 'user2'")
            self.assertEqual(migrate(self.url), names())
            self.assertRaises(psycopg2.OperationalError, cursor.execute, "select 1")
        avatars = self.sql("select avatar from users where username <= 'user2' order by username")
        self.assertEqual(avatars, [("committed",), ("a.png",)])

    def test_started_again(self) -> None:
        """A daemon of before that is started afterwards leaves empty tables of its own, and they do
        not matter."""
        migrate(self.url)
        self.sql("create table _yoyo_migrations (migration_id text)")
        self.assertEqual(migrate(self.url), [])

    def test_killed(self) -> None:
        """Killed at any moment, it leaves the old schema or the new one, and completes at the next
        start."""
        self.sql(ROWS)
        columns = self.columns("users")
        before = self.rows("users", columns)
        pauses = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
        for pause in pauses[:: rounds(3, 3, 1)]:
            (process,), gate, _ = self.processes(1)
            gate.wait()
            time.sleep(pause)
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            (row,) = self.sql(
                "select to_regclass('schema_upgrades'), to_regclass('login_failures')"
            )
            self.assertEqual(row.count(None), 1)
        self.assertIn(migrate(self.url), (names(), []))
        self.assertEqual(self.rows("users", columns), before)
        with self.session() as cursor:
            self.assertIsNone(schema_marks.fault(cursor))


class DebianEqualTests(EqualTests):
    """The same on Debian's older server, with pg_trgm."""

    later: ClassVar[Sequence[int]] = (0, len(BETWEEN))

    def setUp(self) -> None:
        url = postgres.require_debian(self)
        self.server = lambda: url  # type: ignore[method-assign]
        super().setUp()
