"""Dependents (extensions §1): who uses, by its current revision, what a content has brought."""

from collections.abc import Sequence
from typing import Any

from contentsvc.db.query import Db, Statements
from contentsvc.store import content as contents
from contentsvc.store import dependents, withdrawal
from contentsvc.store.floods import UNLIMITED
from contentsvc.wire.dependencies import EntityReference
from tests.support.databases import StoreCase, guid, together

Part = tuple[str, str]
"""An entity revision: its id and its revision's."""


class DependentCase(StoreCase):
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
        most, span = UNLIMITED
        await contents.depend(
            tx,
            revision=revision,
            originating=originating,
            using=using,
            packages=list(packages),
            author=self.author,
            most=most,
            span=span,
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

    def current(self, game: str, revision: str) -> None:
        """Make a revision the current one."""
        self.sql("update contents set revision_id = %s where id = %s", revision, game)

    async def listed(self, game: str, **window: Any) -> list[str] | None:
        """The ids of the dependents, None if the content is not seen."""
        asked = {"caller": None, "admin": False, "before": None, "limit": 100} | window
        rows = await dependents.of_content(self.db, game, **asked)
        return [row.info.id for row in rows if row.info] if rows else None


class UseTests(DependentCase):
    """What counts as a use."""

    async def test_created(self) -> None:
        """Content uses another whose entity or package its first revision names; not itself."""
        part, package = self.part(), guid()
        base = await self.made(brings=[part], packages=[package])
        by_entity = await self.made(uses=[part])
        by_package = await self.made(uses_packages=[package])
        both = await self.made(uses=[part], uses_packages=[package])
        await self.made()
        self.assertEqual(await self.listed(base), [both, by_package, by_entity])
        self.assertEqual(await self.listed(by_entity), [])

    async def test_core(self) -> None:
        """The core of one content that another uses makes that one a dependent; so does another's
        entity that is one's core, as older content may have it."""
        core, part = self.part(), self.part()
        base = await self.made(core=core, brings=[part])
        user = await self.made(uses=[core])
        older = await self.made(core=part)
        self.assertEqual(await self.listed(base), [older, user])

    async def test_brought_again(self) -> None:
        """What another has brought before is used, although it is named as originating."""
        part = self.part()
        base = await self.made(brings=[part])
        again = await self.made(brings=[part])
        self.assertEqual(await self.listed(base), [again])
        self.assertEqual(await self.listed(again), [])

    async def test_revised(self) -> None:
        """Only the current revision counts, after a new one as after a rollback."""
        part, other = self.part(), self.part()
        base, second = await self.made(brings=[part]), await self.made(brings=[other])
        game = await self.made(uses=[part])
        ((first,),) = self.sql("select revision_id from contents where id = %s", game)
        later = await self.made(uses=[part, other])
        self.revised(game, other)
        self.assertEqual(await self.listed(base), [later])
        self.assertEqual(await self.listed(second), [later, game])
        self.current(game, first)
        self.assertEqual(await self.listed(base), [later, game])
        self.assertEqual(await self.listed(second), [later])

    async def test_dropped(self) -> None:
        """A revision that uses nothing leaves no dependents."""
        part = self.part()
        base = await self.made(brings=[part])
        game = await self.made(uses=[part])
        self.revised(game)
        self.assertEqual(await self.listed(base), [])

    async def test_rolled_back(self) -> None:
        """A create that fails at its end leaves no use."""
        part = self.part()
        base = await self.made(brings=[part])
        with self.assertRaises(KeyError):
            async with self.db.transaction() as tx:
                revision = guid()
                await self.content(self.author, revision=revision, db=tx)
                await self.depend(tx, revision, [], [part], [])
                raise KeyError
        self.assertEqual(await self.listed(base), [])

    async def test_many_changes(self) -> None:
        """Of several changes in one transaction the last counts."""
        part = self.part()
        base, game = await self.made(brings=[part]), await self.made()
        ((first,),) = self.sql("select revision_id from contents where id = %s", game)
        second = self.revised(game, part)
        self.current(game, first)
        self.sql(
            "begin; update contents set revision_id = %s where id = %s;"
            "update contents set revision_id = %s where id = %s; commit",
            *(first, game, second, game),
        )
        self.assertEqual(await self.listed(base), [game])

    async def test_changes_at_once(self) -> None:
        """Two changes at once leave the uses of the revision that is current afterwards."""
        parts = [self.part() for _ in range(2)]
        bases = [await self.made(brings=[part]) for part in parts]
        game = await self.made()
        revisions = [self.revised(game, part) for part in parts]

        @Statements().none("update contents set revision_id = :revision where id = :content")
        async def change(db: Db, content: str, revision: str) -> None: ...

        for _ in range(5):
            await together(*(change(self.db, game, revision) for revision in revisions * 2))
            ((now,),) = self.sql("select revision_id from contents where id = %s", game)
            expected = [[game] if revision == str(now) else [] for revision in revisions]
            self.assertEqual([await self.listed(base) for base in bases], expected)


class ListTests(DependentCase):
    async def test_active(self) -> None:
        """Only active dependents are listed, for whoever asks; hidden ones come back."""
        part = self.part()
        base = await self.made(brings=[part])
        games = [await self.made(uses=[part]) for _ in range(3)]
        await contents.set_status(self.db, games[0], "suspended")
        await withdrawal.set_deleted(self.db, games[1], self.author, False, True)
        for caller, admin in ((None, False), (self.author, False), (self.author, True)):
            self.assertEqual(await self.listed(base, caller=caller, admin=admin), games[2:])
        await contents.set_status(self.db, games[0], "active")
        await withdrawal.set_deleted(self.db, games[1], self.author, False, False)
        self.assertEqual(await self.listed(base), games[::-1])

    async def test_hidden(self) -> None:
        """The dependents of hidden content are listed for those who see it."""
        part = self.part()
        base = await self.made(brings=[part])
        game = await self.made(uses=[part])
        await withdrawal.set_deleted(self.db, base, self.author, False, True)
        other = await self.user()
        for caller, admin, expected in (
            (None, False, None),
            (other, False, None),
            (self.author, False, [game]),
            (other, True, [game]),
        ):
            self.assertEqual(await self.listed(base, caller=caller, admin=admin), expected)
        self.assertIsNone(await self.listed(guid()))

    async def test_pages(self) -> None:
        """Parts of the list, each before the last number, hold every dependent once, newest first;
        a new revision moves none."""
        part = self.part()
        base = await self.made(brings=[part])
        games = [await self.made(uses=[part]) for _ in range(5)]
        self.revised(games[0], part)
        found, before = [], None
        while rows := [
            row
            for row in await dependents.of_content(self.db, base, None, False, before, 2)
            if row.info
        ]:
            found += [row.info.id for row in rows]
            before = rows[-1].number
        self.assertEqual(found, games[::-1])
