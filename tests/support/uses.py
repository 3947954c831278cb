"""Content that uses what other content has brought."""

from collections.abc import Sequence
from typing import Any

from contentsvc.store.content import revisions
from contentsvc.wire.content import EntityReference
from tests.support.databases import StoreCase, guid

Part = tuple[str, str]
"""An entity revision: its id and its revision's."""


class UsesCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.author = await self.user()

    def part(self) -> Part:
        """A new one."""
        return guid(), guid()

    async def made(
        self,
        *,
        brings: Sequence[Part] = (),
        uses: Sequence[Part] = (),
        packages: Sequence[str] = (),
        uses_packages: Sequence[str] = (),
        core: Part | None = None,
        author: str | None = None,
    ) -> str:
        """A new content that brings and uses these, beside its core."""
        revision, core = guid(), core or self.part()
        async with self.db.transaction() as tx:
            game = await self.content(
                author or self.author,
                revision=revision,
                entities=[(*part, "path") for part in (core, *brings)],
                packages=packages,
                db=tx,
            )
            await self.depend(tx, revision, brings, uses, [*packages, *uses_packages])
        return game

    async def depend(
        self,
        tx: Any,
        revision: str,
        brings: Sequence[Part],
        uses: Sequence[Part],
        packages: Sequence[str],
    ) -> None:
        """Register the dependencies of a revision."""
        originating, using = (
            [EntityReference(entity_id=entity, revision_id=revision) for entity, revision in parts]
            for parts in (brings, uses)
        )
        await revisions.depend(
            tx,
            revision=revision,
            originating=originating,
            using=using,
            packages=list(packages),
            publisher=self.author,
            most=0,
        )

    def revised(self, game: str, *uses: Part) -> str:
        """Another revision of a content, which uses these, as its current one; its id."""
        revision, core = guid(), self.part()
        ((ordinal,),) = self.sql(
            "select max(ordinal) + 1 from revisions where content_id = %s", game
        )
        self.sql(
            """insert into revisions (id, content_id, version, description, entity_id,
                                      entity_revision, ordinal)
               values (%s, %s, '2', '', %s, %s, %s)""",
            *(revision, game, *core, ordinal),
        )
        self.sql("insert into entities values (%s, %s, 'path', %s)", *core, game)
        for place, part in enumerate(uses):
            self.sql(
                "insert into revision_entities values (%s, false, %s, %s, %s)",
                *(revision, place, *part),
            )
        self.current(game, revision)
        return revision

    async def built_on(self, *used: str, author: str | None = None) -> str:
        """A new content that uses these."""
        game = await self.content(author or self.author)
        for each in used:
            self.use(game, each)
        return game

    def use(self, game: str, used: str) -> None:
        """Have a content use another."""
        self.sql(
            "insert into content_uses select %s, number, id from contents where id = %s", used, game
        )

    def current(self, game: str, revision: str) -> None:
        """Make a revision the current one."""
        self.sql("update contents set revision_id = %s where id = %s", revision, game)
