"""Content (spec §4.2, §4.3): created once whoever tries, seen by whom it may be."""

from typing import Any

from msgspec import json, to_builtins

from contentsvc.db.errors import Refused
from contentsvc.store.content import items, revisions
from contentsvc.store.content.items import AuthorsPart, ContentState
from contentsvc.wire.content import ContentInfo
from tests.support.databases import StoreCase, guid, together

TYPES = ["game", "asset"]
BOTH = ["active", "suspended"]


def infos_of(part: AuthorsPart) -> list[ContentInfo]:
    """The contents of a part of a list."""
    infos = json.decode(f"[{part.json}]", type=list[ContentInfo])
    if len(infos) != part.found:
        raise AssertionError(f"{len(infos)} contents, not {part.found}")
    return infos


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
        self.assertIsNone(await items.standing(self.db, game, None, False))
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

    async def test_listing(self) -> None:
        """Each has a listing id of its own, later ones higher ones."""
        games = [await self.content(self.author) for _ in range(3)]
        part = await items.by_author(self.db, self.author, TYPES, BOTH, [], None, True, None, 100)
        infos = infos_of(part)
        self.assertEqual([info.id for info in infos], games[::-1])
        numbers = [info.listing_id for info in infos]
        self.assertEqual(numbers, sorted(set(numbers), reverse=True))

    async def test_awkward_text(self) -> None:
        """Lists keep braces, quotes, backslashes, commas and NULL in what they hold."""
        game = await self.content(self.author)
        awkward = ['{"a",b}', "back\\slash", 'quo"te', "NULL", "", "ä\n\t😀", "%s :user $1"]
        await items.update(self.db, game, "%s :user $1", awkward, awkward[:2], None, self.author, 0)
        row = await items.detail(self.db, game, None, False)
        self.assertEqual((row.screenshots, row.tags), (awkward, awkward[:2]))
        self.assertEqual(row.description, "%s :user $1")


class ChangeTests(ContentCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.game = await self.content(self.author)

    async def test_tags_left(self) -> None:
        """An update without tags leaves them, one with none takes them away."""
        for tags, expected in ((None, ["co-op"]), ([], [])):
            await items.update(self.db, self.game, "new", ["b.png"], tags, None, self.author, 0)
            row = await items.detail(self.db, self.game, None, False)
            self.assertEqual(
                (row.description, row.screenshots, row.tags), ("new", ["b.png"], expected)
            )

    async def test_status(self) -> None:
        """It is known whether the status changed, or was that already."""
        for status, changed in (
            ("active", False),
            ("suspended", True),
            ("suspended", False),
            ("active", True),
        ):
            act = await items.set_status(self.db, None, self.game, status)
            self.assertEqual(act, (self.author, status, changed))
        self.assertIsNone(await items.set_status(self.db, None, guid(), "suspended"))

    async def test_status_at_once(self) -> None:
        """Of several suspensions at once one has changed it."""
        acts = [items.set_status(self.db, None, self.game, "suspended") for _ in range(8)]
        self.assertEqual(sorted(act.changed for act in await together(*acts)), [False] * 7 + [True])

    async def test_featured(self) -> None:
        """Featuring is seen in the lists; what is not there cannot be featured."""
        self.assertIs(await items.set_featured(self.db, self.game, True), True)
        part = await items.by_author(self.db, self.author, TYPES, BOTH, [], None, True, None, 100)
        (info,) = infos_of(part)
        self.assertTrue(info.featured)
        self.assertIsNone(await items.set_featured(self.db, guid(), True))


class ReadTests(ContentCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.revision = guid()
        self.game = await self.content(self.author, revision=self.revision)

    async def test_standing(self) -> None:
        """Its author, status and first revision are known, whatever the status."""
        await items.set_status(self.db, None, self.game, "suspended")
        expected = ContentState(
            self.author, "suspended", self.revision, self.revision, visible=False, editor=False
        )
        self.assertEqual(await items.standing(self.db, self.game, None, False), expected)
        self.assertIsNone(await items.standing(self.db, guid(), None, False))

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

    async def test_visible(self) -> None:
        """Suspended content is there for its author and admins, for nobody else."""
        other = await self.user()
        viewers = ((None, False), (other, False), (self.author, False), (other, True))
        for status, expected in (("active", [True] * 4), ("suspended", [False, False, True, True])):
            await items.set_status(self.db, None, self.game, status)
            details = [await items.detail(self.db, self.game, *viewer) for viewer in viewers]
            self.assertEqual([row is not None for row in details], expected)
            shown = [
                await revisions.get(self.db, self.game, self.revision, *viewer)
                for viewer in viewers
            ]
            self.assertEqual([row is not None for row in shown], expected)

    async def test_rating(self) -> None:
        """The rating is the share of votes up, and 0 without votes."""
        for up, down, expected in ((0, 0, 0), (1, 3, 0.25), (2, 0, 1), (0, 5, 0)):
            self.sql("update contents set up = %s, down = %s where id = %s", up, down, self.game)
            info = (await items.detail(self.db, self.game, None, False)).info
            shown = info.rating, info.votes.up, info.votes.down
            self.assertEqual(shown, (expected, up, down))

    async def listed(self, types: list[str], statuses: list[str], **window: Any) -> list[str]:
        """The ids of the author's content."""
        window = {"caller": None, "moderate": True, "before": None, "limit": 100} | window
        part = await items.by_author(self.db, self.author, types, statuses, [], **window)
        return [info.id for info in infos_of(part)]

    async def test_filters(self) -> None:
        """A list holds the types and statuses that are asked for."""
        suspended = await self.content(self.author)
        await items.set_status(self.db, None, suspended, "suspended")
        await self.content(await self.user())
        self.assertEqual(await self.listed(TYPES, ["active"]), [self.game])
        self.assertEqual(await self.listed(TYPES, ["suspended"]), [suspended])
        self.assertEqual(await self.listed(TYPES, BOTH), [suspended, self.game])
        self.assertEqual(await self.listed(["asset"], BOTH), [])

    async def test_list_visible(self) -> None:
        """Suspended content is in the list for its author and admins, for nobody else."""
        await items.set_status(self.db, None, self.game, "suspended")
        other = await self.user()
        for caller, moderate, seen in (
            (None, False, []),
            (other, False, []),
            (self.author, False, [self.game]),
            (other, True, [self.game]),
        ):
            self.assertEqual(await self.listed(TYPES, BOTH, caller=caller, moderate=moderate), seen)

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
        part = await items.by_author(self.db, self.author, TYPES, BOTH, [], None, True, None, 100)
        shown = json.decode(f"[{part.json}]")
        details = [await items.detail(self.db, game, None, False) for game in (plain, self.game)]
        self.assertEqual(shown, [to_builtins(detail.info) for detail in details])

    async def test_pages(self) -> None:
        """Parts of a list, each before the last number, hold every content once."""
        for _ in range(4):
            await self.content(self.author)
        asked = (self.author, TYPES, BOTH, [], None, True)
        everything = await items.by_author(self.db, *asked, None, 100)
        found, before = [], None
        for _ in range(3):
            part = await items.by_author(self.db, *asked, before, 2)
            found += infos_of(part)
            before = part.last
        self.assertEqual(found, infos_of(everything))
