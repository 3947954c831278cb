"""Databases with the schema in them, and what tests of the store put there."""

import secrets
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, ClassVar
from uuid import uuid4

import psycopg2
from psycopg2.extensions import make_dsn
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.trial.unittest import TestCase

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.store.accounts import credentials
from contentsvc.store.content import items
from contentsvc.store.content.dependencies import NewPackage
from contentsvc.wire.content import Entity
from tests.support import postgres
from tests.support.connections import keep, reopen


def fresh(server: str) -> str:
    """URL of a new database with the schema."""
    return postgres.database(server, postgres.template(server))


def guid() -> str:
    """A new one."""
    return str(uuid4())


def entity(id: str, revision: str, path: str) -> Entity:
    """An entity revision."""
    return Entity(entity_id=id, revision_id=revision, path=path)


POOL: dict[str, Any] = {"size": 8, "wait": 15.0, "statement_timeout": 15.0}
"""The limits of a pool, unless a test is about them."""


class StoreCase(TestCase):
    """A pool, `self.db`, on a database with the schema.

    All tests of a process share the database, and the connections, so a test asserts nothing of
    what it has not made. A class that is `alone` finds an empty one, and shares it with no others;
    where each test is to find nothing, it is emptied `anew`. A class that changes the schema has
    its `own`, which is dropped after it; with `anew`, after each test.
    """

    timeout = 60.0
    alone: ClassVar[bool] = False
    """Whether it needs a database of its own: what it looks at may belong to others' tests too."""
    anew: ClassVar[bool] = False
    """Whether each test needs one."""
    own: ClassVar[bool] = False
    """Whether it changes more than rows."""
    server: ClassVar[Callable[[], str]] = staticmethod(postgres.embedded)
    options = "-c lock_timeout=30s"
    """Of each connection: a test that is slow is not to lose what waits for a lock of its own."""
    _databases: ClassVar[dict[object, str]] = {}
    """By the classes that have their own; the others by their servers, and whether they are
    emptied."""
    _used_by: ClassVar[dict[str, tuple[type, str]]] = {}
    """The class that was last at a shared one, by its URL, and the schema that it found there."""

    async def setUp(self) -> None:
        empty = self.alone or self.anew
        whose: object = type(self) if self.own else (self.server(), empty)
        for left in [key for key in self._databases if isinstance(key, type)]:
            if left is not whose or self.anew:
                postgres.drop(self._databases.pop(left))
        if whose not in self._databases:
            self._databases[whose] = fresh(self.server())
        self.url = self._databases[whose]
        if not self.own:
            self._shared(empty)
        self.db = await self.pool()

    def _shared(self, empty: bool) -> None:
        """Take the database over from the class before, and see that it has left the schema."""
        before, schema = self._used_by.get(self.url, (None, ""))
        if before is not type(self):
            found = postgres.schema(self.url)
            self._used_by[self.url] = type(self), found
            assert schema in ("", found), f"{before} changes the schema, and is not its `own`"
        if self.anew or (empty and before is not type(self)):
            postgres.empty(self.url)

    async def pool(self, **options: Any) -> Database:
        """A pool that is stopped at the test's end."""
        dsn = make_dsn(self.url, options=self.options) if self.options else self.url
        pool = Database(reactor, dsn, **POOL | {"opener": reopen} | options)
        await pool.start()
        if "opener" in options:
            self.addCleanup(pool.stop)
        else:
            self.addCleanup(lambda: Deferred.fromCoroutine(keep(reactor, pool)))
        return pool

    def sql(self, statement: str, *args: object) -> list[tuple[Any, ...]]:
        """The rows of a statement on a connection beside the pool."""
        with closing(psycopg2.connect(self.url)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(statement, args or None)
                return cursor.fetchall() if cursor.description else []

    async def user(self, name: str | None = None, *, admin: bool = False) -> str:
        """The id of a new user."""
        name = name or f"u{secrets.token_hex(8)}"
        return await credentials.register(
            self.db, name, f"{name}@example.com", "-", "admin" if admin else "player"
        )

    async def content(
        self,
        author: str,
        *,
        content: str | None = None,
        revision: str | None = None,
        entities: Sequence[tuple[str, str, str]] | None = None,
        packages: Sequence[str] = (),
        db: Db | None = None,
    ) -> str:
        """The id of a new content; of `entities` (id, revision, path), the first is its core."""
        content, revision = content or guid(), revision or guid()
        brought = [entity(*each) for each in entities or [(guid(), guid(), "core")]]
        await items.create(
            db or self.db,
            content=content,
            author=author,
            type="game",
            name="Castle",
            description="A castle to storm",
            screenshots=["shot.png"],
            tags=["co-op"],
            visibility="public",
            attributes="{}",
            revision=revision,
            version="1.0",
            revision_description="first",
            core=brought[0].entity_id,
            core_revision=brought[0].revision_id,
            entities=brought,
            packages=[NewPackage(package, "w") for package in packages],
        )
        return content
