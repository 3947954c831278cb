"""A pool over one small table, for the tests of the pool itself."""

from collections.abc import Callable
from typing import Any

from twisted.internet import reactor
from twisted.internet.task import deferLater

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db, Statements
from contentsvc.framework.db.statement import Statement
from tests.support.databases import StoreCase
from tests.support.deferreds import together

SCHEMA = """
    create table if not exists things (
        id integer constraint things_key primary key,
        parent integer constraint things_parent references things,
        size integer not null check (size > 0),
        late integer constraint things_late unique deferrable initially deferred
    );
    truncate things;
"""


def bare(sql: str) -> Statement:
    """A statement that is run as it stands, without PREPARE."""
    statement = Statement("bare", "", [], [])
    statement.prepare, statement.execute = "", sql
    return statement


class PoolCase(StoreCase):
    """Statements over one small table, and nothing prepared beside them."""

    own = True
    options = ""

    async def setUp(self) -> None:
        # Made anew with each test: what they prepare differs.
        self.declared = Statements()
        self.declare()
        self.addCleanup(self.nobody_left)  # first, so that it comes after the pools' end
        await super().setUp()

    async def pool(self, **options: Any) -> Database:
        self.sql(SCHEMA)
        return await super().pool(**options)

    def declare(self) -> None:
        @self.declared.none("insert into things values (:id, :parent, :size, :late)")
        async def insert(
            db: Db, id: int, parent: int | None, size: int, late: int | None
        ) -> None: ...

        @self.declared.many("select id from things order by id")
        async def ids(db: Db) -> list[int]: ...

        sleeping = "select 1 + (select count(*) from pg_sleep(:seconds::float8))"

        @self.declared.one(sleeping)
        async def sleep(db: Db, seconds: float) -> int: ...

        @self.declared.one(sleeping, lane="naps")
        async def nap(db: Db, seconds: float) -> int: ...

        @self.declared.one("select pg_backend_pid()")
        async def backend(db: Db) -> int: ...

        @self.declared.one("select :text::uuid")
        async def uuid(db: Db, text: str) -> str: ...

        @self.declared.one("select id from things where id = :id for update")
        async def lock(db: Db, id: int) -> int: ...

        async def put(db: Db, id: int, **more: Any) -> None:
            fields = {"parent": None, "size": 1, "late": None} | more
            await insert(db, id, **fields)

        self.put, self.ids, self.sleep, self.backend = put, ids, sleep, backend
        self.nap = nap
        self.uuid, self.lock = uuid, lock

    async def stored(self) -> list[int]:
        """The ids in the table, read beside the pool."""
        return [row[0] for row in self.sql("select id from things order by id")]

    async def readers(self) -> set[object]:
        """What the reactor reads from: at the end of a turn, for in the callback of an answer its
        connection is not among them."""
        await deferLater(reactor, 0)
        return set(reactor.getReaders())

    async def fails(self, error: type[Exception], act: Any) -> Exception:
        """The error that `act` raises, which must be of this kind."""
        try:
            await act
        except error as raised:
            return raised
        self.fail(f"{error.__name__} was not raised")

    async def fill(self, pool: Database, each: int = 4) -> None:
        """Ask for every connection of a pool, for which one lane alone has too small a share."""
        acts = [act(pool, 0) for act in (self.sleep, self.nap) for _ in range(each)]
        await together(*acts)

    def backends(self) -> list[int]:
        """The server's processes for the pools of this test's database."""
        rows = self.sql(
            "select pid from pg_stat_activity where application_name = 'contentsvc'"
            " and datname = current_database()"
        )
        return [row[0] for row in rows]

    def terminate(self) -> None:
        """Kill them."""
        for backend in self.backends():
            self.sql("select pg_terminate_backend(%s)", backend)

    async def nobody_left(self) -> None:
        """Have the server end what it runs for pools that have gone: the next test counts.

        A process of the server goes some time after its connection, one that sleeps much later.
        """
        self.terminate()
        await self.until(lambda: not self.backends())

    async def until(self, condition: Callable[[], bool]) -> None:
        """Turn the reactor for as long as the condition does not hold."""
        while not condition():
            await deferLater(reactor, 0.005)
