"""Content (content#publishing, content#by-author): created once whoever tries, and what its rows
hold."""

from typing import Any

from msgspec import json, to_builtins

from contentsvc.framework.db.errors import Refused
from contentsvc.store.content import items
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together


class ContentCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.author = await self.user()

    async def attempt(self, **fields: Any) -> str:
        """The outcome of a create: "created" or the constraint that refused it."""
        try:
            await self.content(self.author, **fields)
        except Refused as refused:
            return refused.constraint
        return "created"

    def count(self, table: str, content: str) -> int:
        """The rows of a content in a table."""
        return int(self.sql(f"select count(*) from {table} where content_id = %s", content)[0][0])


class CreateTests(ContentCase):
    async def test_at_once(self) -> None:
        """Of several creates of one content at once one is done, the others are told why not."""
        game = guid()
        found = await together(*(self.attempt(content=game) for _ in range(8)))
        self.assertEqual(sorted(found), ["contents_id"] * 7 + ["created"])
        self.assertEqual(self.count("revisions", game), 1)
        self.assertEqual(self.count("entities", game), 1)

    async def test_repeat(self) -> None:
        """A create that repeats another in all it says is told that the content exists."""
        fields = {"content": guid(), "revision": guid(), "packages": [guid()]}
        entities = [(guid(), guid(), "core")]
        found = [await self.attempt(**fields, entities=entities) for _ in range(2)]
        self.assertEqual(found, ["created", "contents_id"])

    async def test_revision_taken(self) -> None:
        """A revision's id is taken once, whichever content has it."""
        revision = guid()
        game = guid()
        self.assertEqual(await self.attempt(revision=revision), "created")
        self.assertEqual(await self.attempt(content=game, revision=revision), "revisions_id")
        self.assertIsNone(await items.state_of(self.db, game, None, False))
        self.assertEqual(self.count("entities", game), 0)

    async def test_shared_entities(self) -> None:
        """Entities and packages that exist stay as they are, with the content that brought them."""
        entity, package = (guid(), guid(), "first"), guid()
        first = await self.content(self.author, entities=[entity], packages=[package])
        second = await self.content(
            self.author, entities=[(*entity[:2], "second")], packages=[package]
        )
        rows = self.sql("select path, content_id from entities where entity_id = %s", entity[0])
        self.assertEqual([(path, str(brought)) for path, brought in rows], [("first", first)])
        self.assertEqual((self.count("packages", first), self.count("packages", second)), (1, 0))

    async def test_opposite_orders(self) -> None:
        """Creates at once that bring the same entities in opposite orders do not block."""
        for _ in range(5):
            entities = [(guid(), guid(), f"path {n}") for n in range(30)]
            packages = [guid() for _ in range(30)]
            found = await together(
                *(
                    self.attempt(entities=some, packages=others)
                    for some, others in ((entities, packages), (entities[::-1], packages[::-1])) * 2
                )
            )
            self.assertEqual(found, ["created"] * 4)


class RowTests(ContentCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.game = await self.content(self.author)

    async def test_status_at_once(self) -> None:
        """Of several suspensions at once one has changed it."""
        acts = [items.set_status(self.db, None, self.game, "suspended") for _ in range(8)]
        self.assertEqual(sorted(act.changed for act in await together(*acts)), [False] * 7 + [True])

    async def test_lock_to_change(self) -> None:
        """Its author, and who may administer and sees it, lock it; for others nothing is locked."""
        other = await self.user()
        callers = ((self.author, False, False), (other, False, True), (other, True, False))
        for status, expected in (("active", [1, 1, 0]), ("suspended", [1, 0, 0])):
            await items.set_status(self.db, None, self.game, status)
            for caller, locks in zip(callers, expected, strict=True):
                async with self.db.transaction() as tx:
                    row = await items.lock_to_change(tx, self.game, *caller)
                    free = self.sql(
                        "select id from contents where id = %s for update skip locked", self.game
                    )
                self.assertEqual((row is not None, len(free)), (bool(locks), 1 - locks))

    async def test_json(self) -> None:
        """The JSON of a content in a list says what its columns say, whatever characters it has."""
        awkward = '{"a",b}\\ \x01\n\t\x7f\u2028 ä😀 %s :user $1'
        self.sql(
            """update contents set name = %s, screenshots = array[%s], featured = true, up = 1,
                down = 2, plays = 2^40, attributes = %s where id = %s""",
            awkward,
            awkward,
            json.encode({"a.b": awkward, "c": 1e-7, "d": 2**53, "e": False}).decode(),
            self.game,
        )
        self.sql(
            "update users set avatar = %s, emblem = %s where id = %s", awkward, guid(), self.author
        )
        plain = await self.content(self.author)
        asked = self.author, ["game"], ["active"], [], None, True, None, 100
        part = await items.by_author(self.db, *asked)
        shown = json.decode(f"[{part.json}]")
        details = [await items.detail(self.db, game, None, False) for game in (plain, self.game)]
        self.assertEqual(shown, [to_builtins(detail.info) for detail in details])

    async def test_awkward_text(self) -> None:
        """Lists keep braces, quotes, backslashes, commas and NULL in what they hold."""
        awkward = ['{"a",b}', "back\\slash", 'quo"te', "NULL", "", "ä\n\t😀", "%s :user $1"]
        await items.update(
            self.db, self.game, "%s :user $1", awkward, awkward[:2], None, self.author, 0
        )
        row = await items.detail(self.db, self.game, None, False)
        self.assertEqual((row.screenshots, row.tags), (awkward, awkward[:2]))
        self.assertEqual(row.description, "%s :user $1")
