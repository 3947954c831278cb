"""How many contents have each tag (content#tags)."""

# ruff: noqa: RUF001 (letters that look alike are what this is about)

from contextlib import closing
from random import Random
from typing import Any

import psycopg2
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.framework.core.folding import compared, folded
from contentsvc.store import derived_counts
from contentsvc.store.content import items, tags, withdrawal
from tests.support.databases import StoreCase
from tests.support.deferreds import together

START = 2**31 - 1, ""
"""Before the first tag."""
MENDED = "tags with another number of contents"


class TagsCase(StoreCase):
    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        self.sql(
            """truncate contents, tags, tag_spellings, tag_tallies, uncounted_tags, departures
               cascade"""
        )
        self.author = await self.user()

    async def tagged(self, *tags: str, author: str = "") -> str:
        """A content with these tags."""
        content = await self.content(author or self.author)
        self.sql("update contents set tags = %s where id = %s", list(tags), content)
        return content

    async def add_up(self) -> None:
        """Let the job do all that there is."""
        for _ in range(100):
            async with self.db.transaction() as tx:
                self.assertTrue(await tags.ours(tx))
                added = await tags.add_up(tx)
                if not await tags.count_old(tx) and not added:
                    return
        self.fail("there is still something left")

    async def all(self, q: str = "") -> list[tuple[str, str | None, int]]:
        """The list of all tags once all is added up."""
        await self.add_up()
        rows = await tags.free(self.db, "{}", folded(q).lstrip(), *START, 200)
        return [(row.tag, row.group, row.count) for row in rows]

    async def counts(self) -> dict[str, int]:
        """How many contents have each tag."""
        return {tag: count for tag, _, count in await self.all()}

    def counted(self) -> dict[str, int]:
        """What the contents add up to."""
        found: dict[str, int] = {}
        for (given,) in self.sql("select tags from contents where status = 'active'"):
            for tag in {compared(tag) for tag in given} - {""}:
                found[tag] = found.get(tag, 0) + 1
        return found


class ListedTests(TagsCase):
    async def test_order(self) -> None:
        """The most frequent come first, then they are in the order of their letters."""
        await self.tagged("b", "c")
        await self.tagged("c", "Z", "a")
        self.assertEqual(
            await self.all(), [("c", None, 2), ("Z", None, 1), ("a", None, 1), ("b", None, 1)]
        )

    async def test_spelling(self) -> None:
        """Tags are equal whatever the case, the width and the blanks at their ends, a content
        counts once, and a tag is spelt as most spell it."""
        await self.tagged("physics", "Physics", " PHYSICS ")
        self.assertEqual(await self.all(), [(" PHYSICS ", None, 1)])
        await self.tagged("Physics")
        self.assertEqual(await self.all(), [("Physics", None, 2)])
        for _ in range(2):
            await self.tagged("ｐhysics")
        self.assertEqual(await self.all(), [("Physics", None, 4)])
        await self.tagged("ｐhysics")
        self.assertEqual(await self.all(), [("ｐhysics", None, 5)])

    async def test_blank(self) -> None:
        """What is blank is no tag."""
        await self.tagged(" ", "\u00a0", "\u3000", "x")
        self.assertEqual(await self.all(), [("x", None, 1)])

    async def test_beginning(self) -> None:
        """Tags that begin so are listed, whatever the case, and nothing is a pattern."""
        await self.tagged("Castle", "castaway", "cat", "ﬁre", "100%", "10_0", "a,b", "Straße")
        for q, expected in {
            "CAST": ["Castle", "castaway"],
            " ca": ["Castle", "castaway", "cat"],
            "fi": ["ﬁre"],
            "100%": ["100%"],
            "10_": ["10_0"],
            "%": [],
            "strasse": ["Straße"],
            "x" * 64: [],
        }.items():
            self.assertEqual([tag for tag, _, _ in await self.all(q)], expected, q)

    async def test_many(self) -> None:
        """Of very many that begin alike, the most frequent come first."""
        self.sql(
            """insert into tags (tag, contents, spelling)
               select 'tag ' || n, 1 + (n * 7919) %% 100, 'Tag ' || n
               from generate_series(1, %s) n""",
            tags.FEW + 10,
        )
        expected = self.sql(
            'select spelling, null, contents from tags order by contents desc, spelling collate "C"'
        )
        for q in ("", "tag"):
            self.assertEqual(await self.all(q), expected[:200])
        few = [row for row in expected if row[0].startswith("Tag 11")]
        self.assertEqual(await self.all("tag 11"), few[:200])

    async def test_parts(self) -> None:
        """Parts follow each other without a gap, also among equal numbers, and leave out what they
        shall."""
        for n in range(30):
            await self.tagged("Co-op", f"b{n % 10}", f"t{n % 7}", f"x{n}")
        for q in ("", "t"):
            whole = [row for row in await self.all(q) if row[0] not in ("Co-op", "t5")]
            place, found = START, []
            while part := await tags.free(self.db, "{co-op,t5}", q, *place, 7):
                found += [(row.tag, row.group, row.count) for row in part]
                place = part[-1].count, part[-1].tag
            self.assertEqual(found, whole)

    async def test_named(self) -> None:
        """Of some tags it is asked how many contents have them."""
        await self.tagged("Puzzle", "PUZZLE", "race")
        await self.tagged("puzzle")
        await self.add_up()
        rows = await tags.counts(self.db, ["puzzle", "race", "quiz"])
        self.assertEqual({row.tag: row.contents for row in rows}, {"puzzle": 2, "race": 1})

    async def test_odd(self) -> None:
        """Tags of any characters are counted, however long they become when they are folded."""
        odd = ["ﷺ" * 64, "ﷺ㌖" * 32, "İ" * 64, "\U0010ffff", "a\u0301", '"\\{},', "ẞ" * 64]
        await self.tagged(*odd)
        self.assertEqual(await self.counts(), dict.fromkeys(odd, 1))


class CountTests(TagsCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.game = await self.tagged("secret", "castle")
        await self.tagged("castle")

    async def gone(self) -> None:
        """Assert that the tags of the game are not counted."""
        self.assertEqual(await self.counts(), {"castle": 1})
        self.assertEqual(self.sql("select 1 from tag_spellings where spelling = 'secret'"), [])

    async def back(self) -> None:
        """Assert that they are."""
        self.assertEqual(await self.counts(), {"castle": 2, "secret": 1})

    async def test_suspended(self) -> None:
        """Those of suspended content do not count, until it comes back."""
        await items.set_status(self.db, None, self.game, "suspended")
        await self.gone()
        await items.set_status(self.db, None, self.game, "active")
        await self.back()

    async def test_withdrawn(self) -> None:
        """So it is with withdrawn content."""
        await withdrawal.set_deleted(self.db, self.game, self.author, False, True, 0)
        await self.gone()
        await withdrawal.set_deleted(self.db, self.game, self.author, False, False, 0)
        await self.back()

    async def test_visibility(self) -> None:
        """So it is with what is less than public."""
        for visibility in ("unlisted", "friends", "private"):
            self.sql("update contents set visibility = %s where id = %s", visibility, self.game)
            await self.gone()
            self.sql("update contents set visibility = 'public' where id = %s", self.game)
            await self.back()

    async def test_draft(self) -> None:
        """Tags that a draft has had never count."""
        change = "update contents set visibility = %s, tags = %s where id = %s"
        self.sql(change, "private", ["hidden"], self.game)
        await self.gone()
        self.sql(change, "public", ["other"], self.game)
        self.assertEqual(await self.counts(), {"castle": 1, "other": 1})

    async def test_deleted(self) -> None:
        """With a content its tags go for good."""
        self.sql("delete from contents where id = %s", self.game)
        await self.gone()

    async def test_account(self) -> None:
        """With an account the tags of all its content go, and no spelling of theirs stays."""
        other = await self.user()
        await self.tagged("theirs", "castle", author=other)
        await self.tagged("draft", author=other)
        await self.back_with("theirs")
        self.sql("insert into departures (user_id, name, pending) values (%s, '', true)", other)
        self.sql("update contents set deleted = true where author_id = %s", other)
        self.sql("update contents set tags = '{}' where author_id = %s", other)
        await self.back()
        for table in ("tags", "tag_spellings"):
            self.assertEqual(self.sql(f"select 1 from {table} where tag = 'theirs'"), [])
        self.assertEqual(self.sql("select 1 from tag_tallies"), [])

    async def back_with(self, tag: str) -> None:
        """Assert that this tag counts."""
        self.assertEqual((await self.counts())[tag], 1)

    async def test_unchanged(self) -> None:
        """What changes neither tags nor who sees a content leaves no tally."""
        await self.add_up()
        await items.set_featured(self.db, self.game, self.author, False, True)
        self.sql(
            "update contents set description = 'x', up = 3, tags = tags, visibility = visibility"
        )
        self.assertEqual(self.sql("select 1 from tag_tallies"), [])

    async def test_at_random(self) -> None:
        """Whatever happens, in any order, the numbers are what the contents add up to."""
        random = Random(7)
        names = ["a", "A", "b", "ｂ", "c ", "c", " ", "d"]
        games = [await self.tagged(*random.sample(names, 3)) for _ in range(8)]
        for _ in range(60):
            game = random.choice(games)
            change, *given = random.choice(
                [
                    ("tags = %s", random.sample(names, random.randrange(4))),
                    ("suspended = not suspended",),
                    ("deleted = not deleted",),
                    ("visibility = %s", random.choice(["public", "private"])),
                ]
            )
            self.sql(f"update contents set {change} where id = %s", *given, game)
            if random.random() < 0.2:
                await self.add_up()
        await self.add_up()
        rows = self.sql("select tag, contents from tags where tag <> ''")
        self.assertEqual(dict(rows), self.counted())
        self.assertEqual(self.mend(), [])

    async def test_at_once(self) -> None:
        """Contents of the same tags are written at the same time, in any order of the tags, while
        the job adds up: none waits for another for good."""
        await together(
            *(self.written("old", "ruin") for _ in range(10)),
            *(self.written("ruin", "old") for _ in range(10)),
            *(self._count() for _ in range(5)),
        )
        await self.add_up()
        self.assertEqual(await self.counts(), self.counted())
        self.assertEqual((await self.counts())["ruin"], 20)

    async def written(self, *tags: str) -> None:
        """Another content, in a transaction of the pool."""
        async with self.db.transaction() as tx:
            content = await self.content(self.author, db=tx)
            await items.update(tx, content, "", ["shot.png"], list(tags), None, self.author, 0)

    async def _count(self) -> None:
        async with self.db.transaction() as tx:
            if await tags.ours(tx):
                await tags.add_up(tx)

    async def test_one_process(self) -> None:
        """Two processes do not count at once."""
        async with self.db.transaction() as tx, self.db.transaction() as other:
            self.assertTrue(await tags.ours(tx))
            self.assertFalse(await tags.ours(other))

    async def test_mended(self) -> None:
        """Numbers that are wrong are counted again from the contents."""
        await self.add_up()
        self.sql("delete from tag_spellings where tag = 'secret'")
        self.sql("update tags set contents = 9")
        self.assertEqual(dict(self.mend())[MENDED], 1)
        await self.back()
        self.assertEqual(self.mend(), [])

    def mend(self) -> Any:
        """Count again what is counted beside its rows."""
        with closing(psycopg2.connect(self.url)) as connection, connection:
            with connection.cursor() as cursor:
                return derived_counts.mend(cursor)


class OldTests(TagsCase):
    """Contents that an upgrade has found."""

    async def setUp(self) -> None:
        await super().setUp()
        self.games = [await self.tagged("old", f"t{n}") for n in range(5)]
        self.sql("truncate tag_tallies")
        self.sql("insert into uncounted_tags values (0)")

    async def batch(self) -> None:
        """Count one batch."""
        async with self.db.transaction() as tx:
            self.assertGreater(await tags.count_old(tx, 2), 0)

    async def test_all(self) -> None:
        """All are counted, once."""
        for _ in range(2):
            self.assertEqual((await self.counts())["old"], 5)
            self.assertEqual(self.sql("select 1 from uncounted_tags"), [])

    async def test_meanwhile(self) -> None:
        """What is written, hidden, tagged otherwise or deleted meanwhile, before its turn or after
        it, is counted right, and so is what is new."""
        for n, game in enumerate(self.games):
            if n % 2 == 0:
                self.sql("delete from contents where id = %s", game)
            else:
                self.sql("update contents set tags = '{other}' where id = %s", game)
            await self.tagged("old")
            if n < 2:
                await self.batch()
        self.assertEqual(len(self.sql("select 1 from uncounted_tags")), 1)
        self.assertEqual(await self.counts(), {"old": 5, "other": 2})

    async def test_under_way(self) -> None:
        """The count waits for who is writing a content that it has not come to."""
        with closing(psycopg2.connect(self.url)) as connection, connection.cursor() as cursor:
            cursor.execute("update contents set deleted = true where id = %s", (self.games[0],))
            counting = Deferred.fromCoroutine(self.add_up())
            while not self.sql("select 1 from pg_locks where not granted"):
                await deferLater(reactor, 0.01, lambda: None)
            connection.commit()
        await counting
        self.assertEqual((await self.counts())["old"], 4)
