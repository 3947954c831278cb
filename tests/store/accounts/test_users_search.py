"""Search of usernames (accounts#search): both forms give what a third, plain implementation
gives."""

import random
import re
import secrets
import string
import struct
from contextlib import closing
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

import psycopg2
from psycopg2.extensions import make_dsn
from psycopg2.extras import execute_values
from twisted.internet import reactor
from twisted.trial.unittest import SynchronousTestCase, TestCase

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import BadValue
from contentsvc.store.accounts import users
from contentsvc.store.migrate import MigrationError, migrate
from contentsvc.wire.accounts import UserPage
from tests.support import postgres
from tests.support.databases import POOL, fresh

LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
WORDS = """
    dragon dragonfly dragoness drag0n dragan wagon knight night knights knightmare alice alicia
    malice bob bobby bobo castle cassel rook rookie fox foxtrot firefox max maxim maximus a1 b2
"""


class Found(NamedTuple):
    """One result of the search."""

    id: str
    rank: int
    similarity: float


def real(number: float) -> float:
    """The nearest number that Postgres's `real` holds."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


@cache
def names() -> dict[str, str]:
    """Some hundreds of usernames, the same at every run, by id."""
    dice = random.Random(4)
    found = {
        "abcdef",
        "___",
        "...",
        "-_-",
        "_._._",
        "X.X",
        "a-b",
        "A.Long_Name-With.Words-32-chars",
    }
    while len(found) < 400:
        parts = [dice.choice(WORDS.split()) for _ in range(dice.choice((1, 1, 2, 3)))]
        name = dice.choice(["", "_", ".", "-", "__"]).join(parts)
        if dice.random() < 0.4:
            place = dice.randrange(len(name))
            name = name[:place] + dice.choice(string.ascii_letters + "_.-0") + name[place + 1 :]
        name = "".join(dice.choice((letter, letter, letter.upper())) for letter in name)
        name += dice.choice(["", "", str(dice.randrange(100))])
        if 3 <= len(name) <= 32:
            found.add(name)
    # One of each that differ by case only: those would be the same username.
    unique = {name.translate(LOWER): name for name in sorted(found)}
    return {str(UUID(int=dice.getrandbits(128), version=4)): name for name in unique.values()}


def trigrams(text: str) -> set[str]:
    """Every word with two blanks before it and one after, cut into threes."""
    words = re.findall("[a-z0-9]+", text.translate(LOWER))
    return {f"  {word} "[n : n + 3] for word in words for n in range(len(word) + 1)}


@cache
def keys() -> list[tuple[str, str, set[str]]]:
    """Id, name in lower case and trigrams of each user."""
    lower = {user: name.translate(LOWER) for user, name in names().items()}
    return [(user, key, trigrams(key)) for user, key in lower.items()]


@cache
def expected(q: str) -> list[Found]:
    """The names that a search for `q` must find, in order."""
    asked, start, found = trigrams(q), q.translate(LOWER), []
    for user, key, own in keys():
        shared = len(own & asked)
        union = len(own) + len(asked) - shared
        prefix = key.startswith(start)
        if prefix or (union and real(shared / union) >= 0.3):
            rank = 0 if key == start else 1 if prefix else 2
            found.append(Found(user, rank, real(shared / union) if union else 0.0))
    return sorted(found, key=lambda one: (one.rank, -one.similarity, one.id))


SOME = list(names().values())[::4]


@cache
def filled(server: str) -> str:
    """URL of a database with all users in it."""
    url = fresh(server)
    rows = [(user, name, f"{name}@example.com", "-") for user, name in names().items()]
    with closing(psycopg2.connect(url)) as connection, connection, connection.cursor() as cursor:
        execute_values(
            cursor, "insert into users (id, username, email, password_hash) values %s", rows
        )
    return url


class EmbeddedTests(TestCase):
    """The portable form, on the server that has no pg_trgm."""

    has_extension = False

    def server(self) -> str:
        """URL of the server."""
        return postgres.embedded()

    async def setUp(self) -> None:
        self.url = filled(self.server())
        self.db = Database(reactor, self.url, **POOL)
        self.addCleanup(self.db.stop)
        connection = psycopg2.connect(self.url)
        self.addCleanup(connection.close)
        self.cursor = connection.cursor()
        # As the pool does it; planned anew each time, it would take several times as long.
        self.cursor.execute(
            "prepare find as select * from find_users($1) order by rank, similarity desc, id"
        )

    def rows(self, statement: str, *args: object) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        self.cursor.execute(statement, args or None)
        return list(self.cursor.fetchall())

    def find(self, q: str) -> list[Found]:
        """The names that the database finds, in order."""
        rows = self.rows("execute find(%s)", q)
        return [Found(str(user), rank, real(near)) for user, rank, near in rows]

    def check(self, *queries: str) -> None:
        """Assert that each finds exactly what it has to, and that some find something."""
        found = [self.find(q) for q in queries]
        for q, results in zip(queries, found, strict=True):
            self.assertEqual(results, expected(q), q)
        self.assertTrue(any(found), "these queries show nothing")

    async def test_form(self) -> None:
        """This server searches in the form that it is here for."""
        extensions = self.rows("select extname from pg_extension where extname = 'pg_trgm'")
        self.assertEqual(bool(extensions), self.has_extension)
        ((source,),) = self.rows("select prosrc from pg_proc where proname = 'find_users'")
        self.assertEqual("similarity(username_key, " in source, self.has_extension)
        ((index,),) = self.rows("select indexdef from pg_indexes where indexname='users_trigrams'")
        self.assertEqual("gin_trgm_ops" in index, self.has_extension)

    async def test_exact(self) -> None:
        """A whole username finds its user first."""
        self.check(*names().values())
        for user, name in list(names().items())[:20]:
            self.assertEqual(self.find(name)[0].id, user)

    async def test_case(self) -> None:
        """Case does not matter."""
        self.check(*(name.swapcase() for name in SOME))
        self.assertEqual(self.find("DRAGON"), self.find("dragon"))

    async def test_prefix(self) -> None:
        """The start of a username finds it, however long the rest."""
        self.check(*(name[:3] for name in SOME))
        self.check(*(name[: len(name) // 2 + 2] for name in SOME))

    async def test_misspelt(self) -> None:
        """A letter left out, doubled, changed or swapped is forgiven as much as trigrams do."""
        dice = random.Random(5)
        for name in SOME:
            n = dice.randrange(len(name) - 1)
            self.check(
                name,
                name[:n] + name[n + 1 :],
                name[: n + 1] + name[n:],
                name[:n] + dice.choice(string.ascii_lowercase) + name[n + 1 :],
                name[:n] + name[n + 1] + name[n] + name[n + 2 :],
            )

    async def test_middle(self) -> None:
        """A part of a username finds it if it is much of it."""
        self.check(*(name[2:] for name in SOME), *(name[1:-1] for name in SOME))

    async def test_words(self) -> None:
        """Words may be in any order, with anything between them."""
        self.check("fly dragon", "knight_dragon", "dragon!!knight", "bob, alice & fox", "a b c")

    async def test_punctuation(self) -> None:
        """Characters other than letters and digits count in a prefix and nowhere else."""
        self.check(
            "___", "...", "-_-", "_._", "---", "_ _", "a-b", "a_b", "a.b", "dragon-", "-dragon"
        )
        self.assertEqual(len(self.find("___")), 1)

    async def test_patterns(self) -> None:
        """Nothing in a query is a pattern, a quote or an escape."""
        self.check(
            "dra%",
            "%rag",
            "dr_gon",
            "dragon\\",
            "\\dragon",
            "'dragon'",
            "dragon''; drop",
            '"',
            "$1",
            "{dragon}",
            "dragon*",
            "^dragon",
            "[a-z]",
            ":*",
            "dragon:*",
            "%%%",
            "___%",
            ":q",
            "%s",
        )

    async def test_beyond_ascii(self) -> None:
        """Letters beyond ASCII are in no username, and match none, in whatever case."""
        self.check(
            "drágon", "DRÁGON", "dragon ß", "Ⓓragon", "дракон", "dra😀gon", "dragonİ", "\u017fix"
        )
        self.check("K", "\u212aing", "knight\u00a0", "\u3000dragon")
        self.assertEqual(self.find("ééé"), [])

    async def test_long(self) -> None:
        """A query may be much longer than any username."""
        self.check("dragon" * 40, "dragon " * 36, "x" * 256, "a1" * 128, "é" * 256, "dragon")

    async def test_threshold(self) -> None:
        """A similarity of just 0.3 is enough."""
        self.check("abcxy")
        user = next(user for user, name in names().items() if name == "abcdef")
        self.assertIn(Found(user, 2, real(0.3)), self.find("abcxy"))

    async def test_nothing(self) -> None:
        """A query that resembles no name finds nobody."""
        for q in ("zzzzzz", "qqq", "~~~"):
            self.assertEqual((self.find(q), expected(q)), ([], []))

    async def test_random(self) -> None:
        """Anything at all is found alike."""
        dice = random.Random(6)
        letters = "adgnorkihtlcebf019 _.-"
        self.check(*("".join(dice.choices(letters, k=dice.randrange(3, 20))) for _ in range(150)))

    async def test_analyzed(self) -> None:
        """The server's statistics of trigrams change no result."""
        dice = random.Random(7)
        self.cursor.execute("analyze users")
        queries = [name[dice.randrange(2) :] for name in SOME] + list(WORDS.split())
        self.check(*queries)

    def zulus(self, number: int) -> list[str]:
        """The result for "zulu" if so many names start with it and one is similar."""
        self.cursor.execute(
            "insert into users (id, username, email, password_hash)"
            " select gen_random_uuid(), name, name || '@zulu.example', '-' from ("
            " select 'Zulu' || to_char(n, 'FM0000') as name from generate_series(1, %s) as n"
            " union all select '_Zulu') as names",
            (number,),
        )
        found = self.rows(
            "select u.username from find_users('zulu') f join users u on u.id = f.id order by 1"
        )
        self.cursor.connection.rollback()
        return [name for (name,) in found]

    async def test_common_start(self) -> None:
        """Of the names that start with what is asked, the first 2,000 are found, and no other."""
        self.assertEqual(self.zulus(2100), [f"Zulu{n:04}" for n in range(1, 2001)])

    async def test_less_common_start(self) -> None:
        """With fewer than 2,000, the similar ones are found too."""
        self.assertEqual(self.zulus(1999), [*(f"Zulu{n:04}" for n in range(1, 2000)), "_Zulu"])

    async def page(self, q: str, size: int, page: int) -> UserPage:
        """A page of the operation."""
        return self.page_of(await users.search(self.db, q, size, page), size, page)

    def page_of(self, rows: list[users.FoundUser], size: int, page: int) -> UserPage:
        """What the operation shows of these rows."""
        infos = [row.info for row in rows if row.info is not None]
        return UserPage(infos, page, size, rows[0].total)

    async def test_page(self) -> None:
        """The pages of the operation hold each once, in order, and know the total."""
        want = [one.id for one in expected("dragon")]
        found: list[str] = []
        for number in range(len(want) // 10 + 1):
            page = await self.page("dragon", 10, number)
            self.assertEqual((page.page, page.total), (number, len(want)))
            found += [info.id for info in page.items]
        self.assertEqual(found, want)

    async def test_beyond(self) -> None:
        """A page beyond the last has the total alone, however far it is."""
        page = await self.page("dragon", 200, 2**31 - 1)
        self.assertEqual((page.items, page.total), ([], len(expected("dragon"))))
        page = await self.page("zzzzzz", 10, 0)
        self.assertEqual((page.items, page.total), ([], 0))

    async def test_beyond_sorted(self) -> None:
        """Of more names that begin alike than are sorted, all are on some page, each once: the
        exact one first, those that are sorted, and then the others in the alphabet."""
        names = ["kappa", *(f"Kappa{n:04}" for n in range(2050))]
        self.addCleanup(self.cursor.connection.commit)
        self.addCleanup(self.cursor.execute, "delete from users where username like '_appa%'")
        self.cursor.execute(
            "insert into users (id, username, email, password_hash)"
            " select gen_random_uuid(), name, name || '@kappa.example', '-' from unnest(%s) name",
            (names,),
        )
        self.cursor.connection.commit()
        for size in (200, 90):
            found: list[str] = []
            for number in range(len(names) // size + 2):
                page = await self.page("kappa", size, number)
                self.assertEqual((page.page, page.total), (number, len(names)))
                found += [info.username for info in page.items]
            self.assertEqual(found[0], "kappa")
            self.assertEqual(sorted(found), sorted(names))
            self.assertEqual(found[2000:], names[2000:])
        page = self.page_of(await users.search_beginning(self.db, "kappa", 200, 10), 200, 10)
        self.assertEqual([info.username for info in page.items], names[2000:])

    async def test_nul(self) -> None:
        """NUL is a bad value, and nothing worse."""
        with self.assertRaises(BadValue):
            await users.search(self.db, "a\0b", 10, 0)


class DebianTests(EmbeddedTests):
    """The form over pg_trgm, on the older server that has it."""

    has_extension = True

    def server(self) -> str:
        return postgres.require_debian(self)


class ManagedTests(SynchronousTestCase):
    """Servers that somebody else manages: extensions stand elsewhere, or are refused."""

    def setUp(self) -> None:
        self.url = postgres.database(postgres.require_debian(self))
        self.addCleanup(postgres.drop, self.url)

    def sql(self, *statements: str, url: str = "") -> list[tuple[Any, ...]]:
        """The rows of the last of these statements."""
        with (
            closing(psycopg2.connect(url or self.url)) as connection,
            connection.cursor() as cursor,
        ):
            connection.autocommit = True
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def check(self, index: str, url: str = "") -> None:
        """Assert that the schema is made, with such an index, and finds a name that is similar."""
        migrate(url or self.url)
        found = self.sql(
            "insert into users (id, username, email, password_hash)"
            " values (gen_random_uuid(), 'dragonfly', 'd@example.com', '-')",
            "select username, rank from find_users('dragonfyl') join users using (id)",
            url=url,
        )
        self.assertEqual(found, [("dragonfly", 2)])
        ((made,),) = self.sql("select indexdef from pg_indexes where indexname='users_trigrams'")
        self.assertIn(index, made)

    def test_elsewhere(self) -> None:
        """The extension is used where it lies, also where that is on nobody's search path."""
        self.sql('create schema "Our own"', 'create extension pg_trgm schema "Our own"')
        self.check("gin_trgm_ops")
        self.assertEqual(migrate(self.url), [])

    def test_path_taken_away(self) -> None:
        """It is found after its schema has left the search path of the role."""
        self.sql("create schema extensions", "create extension pg_trgm schema extensions")
        self.check("gin_trgm_ops", make_dsn(self.url, options="-c search_path=public,extensions"))
        self.assertEqual(self.sql("select count(*) from find_users('dragonfyl')"), [(1,)])

    def test_refused(self) -> None:
        """Whatever the server says against the extension, the form without it is made."""
        for state in ("0A000", "42501", "58P01", "XX000"):
            self.sql(
                f"""create function refuse() returns event_trigger language plpgsql as $$ begin
                    raise exception 'not here' using errcode = '{state}'; end $$""",
                """create event trigger refuse on ddl_command_start
                   when tag in ('CREATE EXTENSION') execute function refuse()""",
            )
            self.check("(trigrams)")
            self.assertEqual(migrate(self.url), [])
            postgres.drop(self.url)
            self.url = postgres.database(postgres.require_debian(self))

    def test_not_allowed(self) -> None:
        """So it is where the extension is there, and its schema is closed to the role."""
        role = f"r{secrets.token_hex(8)}"
        self.sql(
            "create schema closed",
            "create extension pg_trgm schema closed",
            f"create role {role}",
            f"grant create on schema public to {role}",
            f"grant create on database {urlsplit(self.url).path[1:]} to {role}",
        )
        self.addCleanup(self.sql, f"drop owned by {role}", f"drop role {role}")
        self.check("(trigrams)", make_dsn(self.url, options=f"-c role={role}"))

    def test_gone(self) -> None:
        """An upgrade of a database whose extension somebody has dropped says so."""
        self.sql("create extension pg_trgm")
        self.check("gin_trgm_ops")
        self.sql("drop extension pg_trgm cascade", "delete from schema_files")
        with self.assertRaisesRegex(MigrationError, "the extension pg_trgm is gone"):
            migrate(self.url)
