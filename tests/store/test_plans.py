"""The plans of the statements: none on a hot path reads a table that grows from end to end."""

import re
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from typing import Any

import psycopg2
from twisted.trial.unittest import SynchronousTestCase

# Imported for all the statements that its parts declare.
import contentsvc.command.files
import contentsvc.tap
from contentsvc.framework.db.query import STATEMENTS
from contentsvc.framework.db.statement import Statement
from contentsvc.store.schema_definition import definition
from scripts.benchmark import dataset
from scripts.benchmark.ids import Sizes
from tests.support import lists, postgres
from tests.support.databases import fresh

__all__ = ["contentsvc"]

SMALL = {
    *("announcements", "bans", "challenge_tallies", "challenges", "maintenance", "processes"),
    *("schema_files", "schema_marks", "schema_upgrades", "file_folder", "event_numbers"),
    *("service_accounts", "service_secrets", "studio_notifications", "webhooks"),
    *("ended_conversations", "ended_grants", "new_events", "told_followers", "uncounted_comments"),
    *("uncounted_words", "word_tallies", "uncounted_tags", "tag_tallies"),
    *("package_platforms", "holds", "escalations"),
}
"""Tables that stay small: what admins make, what the service notes of itself, and what is soon done
with. Design challenges are listed whole; bans are few, and always asked for by their primary key.
All others grow: users make more of them, or who tries passwords."""
TABLES = {
    name
    for text in definition().texts.values()
    for name in re.findall(r"^create (?:unlogged )?table (\w+)", text, re.M)
}
GROWING = TABLES - SMALL
QUEUES = {
    "tasks_due",
    "documents_stale",
    "users_admins",
    "departures_pending",
    "files_unscaled",
    "events_pkey",
    "content_tallies_due",
    "content_tallies_old",
}
"""Indexes that are read from their start, to the first row that nobody else has."""
COUNTED = {
    "folders_any_stored scans files",
    "status_waiting scans tasks",
    "status_failures scans tasks",
    "status_due scans report_decisions_created",
    "status_applied scans schema_upgrades_pkey",
    "inventory_stored scans files",
    "inventory_totals scans files",
    "inventory_totals scans claims",
    "inventory_totals scans blocked_files",
    "inventory_user_totals scans storage",
    "inventory_largest scans storage",
    "types_and_platforms_platforms scans packages",
    "decisions_restricted scans standing_decisions_restricted",
}
"""What metrics, `contentsvc status` and `contentsvc files` ask for, once in a while. There is
a task for each cause, not for each recipient, and releases bring few upgrades. The folder of the
files is chosen once in the life of a database, and the scan ends at the first file that is
stored. A process asks once a minute at most which platforms packages have, and ends at the first
package with each."""
HARMLESS = {
    "unnest",
    "generate_series",
    "json_each_text",
    "json_to_record",
    "json_to_recordset",
    "json_populate_record",
    "jsonb_object_keys",
    "jsonb_each_text",
    "json_array_elements",
    "jsonb_array_elements",
    "trigrams",
}
"""Functions that read no table."""
RUN = {"hold_pair", "notify_user", "number_events"}
"""Functions that are run, so that the plans of all their statements are used: see `held`. So is
file_reports. number_events reads its queue from the start."""
SIZES = Sizes(12_500, 5_000, 100, commented=5, popular_every=500, parts=2, uses=2)
"""With less, reading a small table whole is the better plan."""
HELP = """

Another statement or an index mends this. If the table has no rows in this test, `filled` of
tests/store/test_plans.py makes some. If it is meant, the file has a list for
- a table that stays small: SMALL
- an index that is read from its start to the first row: QUEUES
- what is asked for once in a while: COUNTED, with the line above in quotes
- a function whose plans are used by running it: RUN"""


def _hold(cursor: Any) -> None:
    """Fill what is held, and what is blocked."""
    cursor.execute(
        """insert into holds (kind, subject, reason, until, admin, copied, whole)
           select 'content', id::text, '', now() + interval '1 year', author_id, true, true
           from contents order by id limit 200"""
    )
    cursor.execute(
        """insert into held_files (hold, path, size, state)
           select h.id, f.path, f.size, case when h.number = 1 then 'copying' else 'kept' end
           from holds h join (
               select *, row_number() over (order by path) as n from files
           ) f on f.n % 200 = h.number % 200"""
    )
    cursor.execute(
        """insert into held_pieces (hold, member, piece)
           select id, 'comments', repeat('x', 1000) from holds, generate_series(1, 50)"""
    )
    cursor.execute(
        """insert into blocked_files (sha256, reason)
           select substr(path, 4, 64), '' from files where size <= 10000"""
    )


def _decide(cursor: Any) -> None:
    """Fill what was decided: some of it stands, and of the rest some is long ago."""
    cursor.execute(
        """insert into decisions (
               id, action, subject_kind, subject, user_id, basis, reference, explanation, source,
               automated, moderator, service, created, facts
           )
           select gen_random_uuid(), (array['suspend', 'remove', 'warn', 'ban'])[n % 4 + 1], 'user',
                  id::text, id, 'terms', '', '', 'own', 'no', id, false,
                  now() - make_interval(days => (n % 400)::integer),
                  case when n % 400 < 184 then '{}' end
           from (select id, row_number() over (order by id) as n from users) u where n <= 20000;
           insert into standing_decisions (subject, subject_kind, action, part, decision)
           select subject, subject_kind, action, '', number from decisions where number % 2 = 0;
           insert into decision_users (user_id, decision)
           select user_id, number from decisions;
           analyze decisions, standing_decisions, decision_users"""
    )


def _appeal(cursor: Any) -> None:
    """Fill appeals: of each kind some that are open, and some that were answered long ago."""
    cursor.execute(
        """insert into appeals (
               party, decision, subject_kind, subject, user_id, text, state, moderator, decided
           )
           select 'author', id, 'user', subject, user_id, 'x', 'open', null, null::timestamptz
           from decisions where number % 2 = 0
           union all
           select 'author', id, 'user', subject, user_id, 'x', 'confirmed', user_id, created
           from decisions where number % 2 = 1;
           insert into appeals (
               party, report_subject, upto, subject_kind, subject, user_id, text, state, decided
           )
           select 'reporter', r.subject, r.number, 'user', '', r.reporter, 'x',
                  case when r.number % 2 = 0 then 'open' else 'reversed' end,
                  case when r.number % 2 = 1 then now() - make_interval(hours => r.number::integer)
                  end
           from reports r where r.number <= 20000;
           insert into appeals (
               party, report_subject, upto, subject_kind, subject, notice, text
           )
           select 'notifier', report, report, kind, id, notice, 'x' from notice_subjects;
           analyze reports, report_subjects, report_evidence, report_decisions, report_queue,
                   notices, notice_subjects, appeals"""
    )


def _moderate(cursor: Any) -> None:
    _hold(cursor)
    _decide(cursor)


@cache
def filled(server: str) -> str:
    """URL of a database with the benchmark's data set, small."""
    url = fresh(server)
    dataset.fill(url, SIZES, lambda line: None)
    with closing(psycopg2.connect(url)) as connection, connection, connection.cursor() as cursor:
        # Neither foreign keys nor triggers: what those would have kept is written here.
        cursor.execute("set session_replication_role = replica")
        cursor.execute(
            """insert into departures (user_id, name)
               select gen_random_uuid(), sha256(n::text::bytea) from generate_series(1, 10000) n"""
        )
        cursor.execute(
            """insert into former_names (user_id, name, username)
               select id, sha256(username_key::bytea), 'x' from users;
               insert into guest_secrets (hash, user_id, seen)
               select sha256(id::text::bytea), id, now() - random() * interval '90 days'
               from users limit 5000"""
        )
        cursor.execute(
            """insert into tasks (queue, kind, task) select queue, 'ContentPublished', '{}'
               from unnest('{steps,SendMail}'::text[]) queue, generate_series(1, 10000)"""
        )
        cursor.execute(
            """insert into portal_codes (hash, session_id, expires, begun)
               select sha256(id::text::bytea), id,
                      now() - make_interval(secs => row_number() over ()), gen_random_uuid()
               from sessions limit 50000;
               insert into mails (purpose, user_id, email, expires)
               select 'confirm', id, email, now() from users limit 10000"""
        )
        cursor.execute(
            """insert into mails (purpose, email, expires)
               select 'reset', n || '@example.com', now() from generate_series(1, 10000) n"""
        )
        cursor.execute(
            """insert into dependency_tellings
               select gen_random_uuid(), gen_random_uuid(), now() - make_interval(secs => n)
               from generate_series(1, 50000) n"""
        )
        cursor.execute(
            """insert into rate_limits (subject, expires, name, account)
               select id, now() + make_interval(mins => 60 - n), 'changes',
                      case n when 1 then id end
               from (select id from users order by id limit 10000) u, generate_series(1, 5) n"""
        )
        # Of the kinds that follow, the data set has too few.
        cursor.execute(
            """truncate pairs, report_subjects, report_evidence, reports, report_decisions,
                        report_queue restart identity"""
        )
        cursor.execute(
            """insert into pairs (lesser, greater, friends, friends_since, requested,
                                  requested_since, requester, lesser_blocks, lesser_blocks_since)
               select least(u.id, o.id), greatest(u.id, o.id),
                      case when d = 1 then nextval('pair_numbers') end, now(),
                      case when d = 2 then nextval('pair_numbers') end, now(), u.id,
                      case when d = 3 then nextval('pair_numbers') end, now()
               from (select id, row_number() over (order by id) as n from users) u
               cross join generate_series(1, 3) d
               join (select id, row_number() over (order by id) as n from users) o
               on o.n = u.n + d"""
        )
        cursor.execute(
            """insert into party_invites
               select least(lesser, greater), greatest(lesser, greater), gen_random_uuid(), null,
                      now() - make_interval(secs => random() * 86400)
               from pairs"""
        )
        cursor.execute(
            """insert into files (path, size, stored)
               select substr(digest, 1, 2) || '/' || digest, n, true
               from (select n, encode(sha256(n::text::bytea), 'hex') as digest
                     from generate_series(1, 50000) n) named"""
        )
        cursor.execute(
            """insert into user_files (user_id, path, size)
               select u.id, f.path, f.size
               from (select id, row_number() over (order by id) as n from users) u
               join (select path, size from files where size <= 50000) f on u.n = 1 + f.size / 4"""
        )
        cursor.execute(
            """insert into storage
               select user_id, sum(size), 0 from user_files group by 1
               on conflict (user_id) do update set used = excluded.used"""
        )
        cursor.execute(
            """insert into claims (holder, kind, path, content_id, owner_id)
               select c.revision_id, 'revision', f.path, c.id, c.author_id
               from (select *, row_number() over (order by id) as n from contents) c
               join files f on c.n = 1 + f.size / 10 and f.size <= 50000"""
        )
        _moderate(cursor)
        cursor.execute(
            """insert into moderation_actions
                   (admin, action, subject_kind, subject, reason, service)
               select md5((n % 100)::text)::uuid, 'action ' || n % 7, 'kind ' || n % 3,
                      md5((n % 5000)::text), '', n % 2 = 0
               from generate_series(1, 50000) n"""
        )
        cursor.execute(
            """insert into identities (user_id, issuer, subject)
               select id, 'https://id.studio.example', id::text from users"""
        )
        cursor.execute("analyze moderation_actions, identities")
        cursor.execute("analyze files, user_files, storage, claims, blocked_files")
        cursor.execute(
            """insert into messages (pair, sender, id, text)
               select number, lesser, gen_random_uuid(), 'hi' from pairs, generate_series(1, 2);
               insert into removed_messages (pair, sender, id, recipient, text, unsent)
               select number, lesser, gen_random_uuid(), greater, 'hi',
                      now() - make_interval(mins => number::integer % 50000)
               from pairs where number % 2 = 0"""
        )
        cursor.execute(
            """insert into conversations (pair, lesser, greater, newest)
               select p.number, p.lesser, p.greater, max(m.number)
               from pairs p join messages m on m.pair = p.number group by 1, 2, 3"""
        )
        cursor.execute("analyze pairs, rate_limits, party_invites, messages, conversations")
        cursor.execute("analyze pairs, messages, removed_messages, conversations")
        # Decided are the first two of each five reports of a subject.
        cursor.execute(
            """insert into report_subjects (kind, id)
               select (array['content', 'comment', 'user'])[n % 3 + 1], n
               from generate_series(1, 10000) n"""
        )
        cursor.execute(
            """insert into report_evidence
               select number, sha256(id::bytea), '{}' from report_subjects;
               insert into notices (due, reason, explanation, created)
               select now(), 'illegal', 'x', now() - make_interval(hours => n)
               from generate_series(1, 20000) n;
               insert into notice_subjects (notice, place, kind, id, report)
               select id, 1, 'user', id, row_number() over () from notices"""
        )
        cursor.execute(
            """insert into reports (subject, reporter, reason, text, digest, messages)
               select s.number, u.id, (array['spam', 'abuse'])[n % 2 + 1], '', sha256(s.id::bytea),
                      case when n = 5 then '[]' end
               from generate_series(1, 5) n cross join report_subjects s
               join (select id, row_number() over (order by id) as place from users) u
               on u.place = (s.number + n) % 5000 + 1
               order by n, s.number"""
        )
        cursor.execute(
            """insert into report_decisions (subject, upto, outcome)
               select subject, number, 'upheld' from reports where number <= 20000"""
        )
        cursor.execute("set session_replication_role = origin")  # it fills their queue
        cursor.execute(
            """update report_subjects s
               set decided = number + 10000, reports = 3, reasons = '{"spam": 1, "abuse": 2}',
                   oldest = number + 20000, newest = number + 40000"""
        )
        cursor.execute("set session_replication_role = replica")
        _appeal(cursor)
        cursor.execute(
            """insert into events (number, kind, subject_kind, subject, data, created)
               select n, 'kind ' || n % 10, 'user', n, '{}', now()
               from generate_series(1, 50000) n"""
        )
        cursor.execute(
            "insert into tallies select current_date - n % 1000, 'comments', 1"
            " from generate_series(1, 20000) n"
        )
        cursor.execute(
            """insert into collections (id, owner_id, name, description, public)
               select case when n = 1 then id else gen_random_uuid() end, id, '', '', n > 1
               from users, generate_series(1, 3) n"""
        )
        cursor.execute(
            """insert into collection_items
               select k.id, c.id, row_number() over (partition by k.id)
               from (select *, row_number() over () % 2500 as n from collections) k
               join (select id, row_number() over () / 2 as n from contents) c on c.n = k.n"""
        )
        cursor.execute(
            """insert into content_tallies (content_id, user_id, play, plays, added)
               select c.id, u.id, gen_random_uuid(), 1, g.n > 1
               from (select id, row_number() over () as n from contents) c
               join (select id, row_number() over () as n from users) u on u.n = c.n,
               generate_series(1, 10) g (n)"""
        )
        cursor.execute(
            """insert into content_players (user_id, content_id)
               select distinct user_id, content_id from content_tallies
               where user_id is not null"""
        )
        cursor.execute(
            """insert into subscriptions (user_id, content_id)
               select u.id, c.id
               from (select id, row_number() over () as n from users) u
               join (select id, row_number() over () as n from contents) c
               on c.n % 1000 = u.n % 1000
               where u.n <= 5000"""
        )
        cursor.execute(
            """insert into subscription_tellings
               select content_id, user_id, now() - make_interval(secs => number)
               from subscriptions"""
        )
        cursor.execute(
            """insert into content_guests (content_id, user_id, role, accepted)
               select content_id, user_id, case when number % 2 = 0 then 'tester' else 'editor' end,
                      true from subscriptions"""
        )
        cursor.execute(
            """insert into content_names (content_id, name, since, user_id)
               select content_id, 'name ' || number, now(), user_id from subscriptions;
               insert into guests_told select content_id, user_id, role from content_guests;
               analyze subscriptions, subscription_tellings, content_guests, guests_told,
                       content_names"""
        )
        cursor.execute(
            """insert into content_days
               select id, current_date - n, 1, 1, 1, 1, 1, 1, 1
               from contents, generate_series(1, 20) n"""
        )
        cursor.execute(
            "analyze collections, collection_items, content_tallies, content_players, content_days"
        )
        cursor.execute(
            """with more as (
                   insert into tags (tag, contents, spelling)
                   select 'tag ' || n, 1 + n % 100, 'Tag ' || n
                   from generate_series(1001, 20000) n
                   returning spelling, tag, contents
               )
               insert into tag_spellings select * from more"""
        )
        cursor.execute(
            """analyze tags, tag_spellings, departures, former_names, tasks, dependency_tellings,
                       events, tallies, mails"""
        )
    return url


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A node of a plan and all below it."""
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


def planned(cursor: Any, statement: Statement) -> dict[str, Any]:
    """The root of a statement's plan."""
    nulls = f"({', '.join(['null'] * len(statement.parameters))})" if statement.parameters else ""
    cursor.execute(f"prepare {statement.name} as {statement.sql}")
    cursor.execute(f"explain (format json) execute {statement.name}{nulls}")
    ((((plan,),),)) = cursor.fetchall()
    return dict(plan["Plan"])


def scanned(cursor: Any, statement: Statement) -> list[str]:
    """The faults of a statement's plan."""
    wrong: list[str] = []
    for node in nodes(planned(cursor, statement)):
        kind, table = node["Node Type"], node.get("Relation Name")
        if table in GROWING and kind == "Seq Scan":
            wrong.append(f"{statement.name} scans {table}")
        whole = kind.startswith(("Index", "Bitmap Index")) and "Index Cond" not in node
        if whole and node["Index Name"] not in QUEUES:
            wrong.append(f"{statement.name} scans {node['Index Name']}")
        if any("visible(" in str(value) for name, value in node.items() if name != "Plans"):
            wrong.append(f"{statement.name} calls visible() for each row")
        # One without a name is several lists, unnested side by side.
        if kind == "Function Scan" and node.get("Function Name", "unnest") not in HARMLESS | RUN:
            wrong += inside(cursor, statement.name, node["Function Name"])
    return wrong


def inside(cursor: Any, caller: str, function: str) -> list[str]:
    """The faults of the plan of a function that was not put in line, and has settings."""
    cursor.execute(
        "select prosrc, proargnames, proconfig from pg_proc where proname = %s", (function,)
    )
    ((source, names, settings),) = cursor.fetchall()
    body = Statement(f"{caller}_{function}", re.sub(r"\bq\b", ":q", source), ["q"], [False])
    if names[0] != "q" or not settings:
        return [f"{caller} calls {function}"]
    for setting in settings:
        name, _, value = setting.partition("=")
        cursor.execute("select set_config(%s, %s, false)", (name, value))
    wrong = scanned(cursor, body)
    # A plan may have it twice.
    cursor.execute(f"deallocate {body.name}")
    for setting in settings:
        cursor.execute(f"reset {setting.partition('=')[0]}")
    return wrong


def run(cursor: Any, sql: str, given: Any) -> list[str]:
    """The tables that a statement scans when it is run."""
    scans = "select relname, seq_scan from pg_stat_xact_user_tables"
    cursor.execute(scans)
    before = dict(cursor.fetchall())
    cursor.execute(sql, given)
    with cursor.connection.cursor() as other:
        other.execute(scans)
        after = dict(other.fetchall())
    return [f"{sql} scans {name}" for name in after if after[name] != before[name]]


def counted(cursor: Any) -> list[str]:
    """The tables that are scanned to count an effect for a limit."""
    cursor.execute("select subject from rate_limits limit 1")
    sql = "select rate_limit('changes', %s, 60, interval '1 hour')"
    return run(cursor, sql, cursor.fetchone())


def commented(cursor: Any) -> list[str]:
    """The tables that are scanned for a reply that tells two users, with a limit."""
    cursor.execute(
        """select m.content_id, u.id, false, m.id, 'x', gen_random_uuid(), 20, m.author_id, true
           from comments m join contents c on c.id = m.content_id, users u
           where not m.deleted and c.status = 'active' and not c.comments_locked
             and m.author_id <> c.author_id and u.id not in (m.author_id, c.author_id) limit 1"""
    )
    given = cursor.fetchone()
    statement = STATEMENTS["comments__write"]
    wrong = run(cursor, statement.execute, statement.several([given]))
    return wrong if cursor.rowcount == 2 else [*wrong, "a reply tells two"]


def filed(cursor: Any) -> list[str]:
    """The tables that are scanned for reports: one that replaces another, the same again, and the
    first one of a subject."""
    cursor.execute(
        "select s.kind, s.id, r.reporter from reports r join report_subjects s"
        " on s.number = r.subject where not r.replaced and r.number > s.decided limit 1"
    )
    kind, subject, reporter = cursor.fetchone()
    given = (
        *([kind] * 3, [subject, subject, "0"], [None] * 3, [reporter] * 3, ["other"] * 3),
        *(["x"] * 3, ["{}"] * 3, [None] * 3, [50] * 3),
    )
    types = ["text", "text", "uuid", "uuid", "text", "text", "text", "text", "integer"]
    arrays = ", ".join(f"%s::{each}[]" for each in types)
    return run(cursor, f"select file_reports({arrays}, interval '1 day')", given)


def held(cursor: Any) -> list[str]:
    """The tables that are scanned for the lock of a pair that has a row."""
    cursor.execute("select lesser, greater from pairs limit 1")
    return run(cursor, "select from hold_pair(%s, %s)", cursor.fetchone())


def played(cursor: Any) -> list[str]:
    """The tables that are scanned for a play, with a limit."""
    cursor.execute(
        """select u.id, c.id, false, null, gen_random_uuid(), 1, true, 120
           from users u, contents c
           where c.status = 'active' and c.author_id <> u.id limit 1"""
    )
    statement = STATEMENTS["content_counts_add"]
    return run(cursor, statement.execute, statement.several([cursor.fetchone()]))


ORDERS = {
    "comments_newest": ("comments_ordinal", "ordinal > "),
    "comments_answering": ("comments_placed", "place > "),
    "audit_log_of_kinds": ("moderation_actions_kind", "number) < "),
    "audit_log_of_kinds_by_admin": ("moderation_actions_admin_kind", "number) < "),
    "audit_log_of_kinds_of_subject": ("moderation_actions_subject", "number < "),
    "reports_queue": ("report_queue_order", "newest) < "),
    "appeals_listed": ("appeals_listed", "number) > "),
    "reports_queue_due": ("report_queue_due", "subject) > "),
    "sitemap_content": ("contents_newest", "number >= "),
}
"""Lists, the index that has their order, and what is looked up in it: the place of a part."""


class PlanTests(SynchronousTestCase):
    timeout = 120

    def check(self, server: str) -> None:
        """Look at the plan that serves whatever the parameters are: it is the one that a
        prepared statement ends up with."""
        with closing(psycopg2.connect(filled(server))) as connection:
            with connection.cursor() as cursor:
                cursor.execute("set plan_cache_mode = force_generic_plan")
                cursor.execute("set jit = off")
                wrong = [fault for s in STATEMENTS.values() for fault in scanned(cursor, s)]
                wrong = [fault for fault in wrong if fault not in COUNTED] + counted(cursor)
                wrong += commented(cursor) + held(cursor)
                wrong += filed(cursor) + played(cursor)
        if wrong:
            self.fail("\n".join(wrong) + HELP)

    def test_small(self) -> None:
        """What is said to stay small is there."""
        lists.same(self, "tests/store/test_plans.py, SMALL", SMALL, SMALL & TABLES)

    def test_orders(self) -> None:
        """A part of a list is looked up in the index that has its order."""
        found = {}
        with closing(psycopg2.connect(filled(postgres.embedded()))) as connection:
            with connection.cursor() as cursor:
                cursor.execute("set plan_cache_mode = force_generic_plan")
                for name, (index, place) in ORDERS.items():
                    read = [
                        (node["Index Name"], node.get("Index Cond", ""))
                        for node in nodes(planned(cursor, STATEMENTS[name]))
                        if "Index Name" in node
                    ]
                    there = any(each == index and place in cond for each, cond in read)
                    found[name] = (index, place) if there else read
        self.assertEqual(found, ORDERS)

    def test_embedded(self) -> None:
        """On the Postgres that comes with the service, no statement scans a growing table, or calls
        a function where its text could stand."""
        self.check(postgres.embedded())

    def test_debian(self) -> None:
        """On Debian's Postgres, with pg_trgm, it is the same."""
        self.check(postgres.require_debian(self))
