"""Words of names and tags, and what a misspelt search is mended to (content#suggestions)."""

# ruff: noqa: RUF001 (letters that look alike are what this is about)

from contextlib import closing
from itertools import permutations
from typing import Any

import psycopg2
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.store import derived_counts
from contentsvc.store.content import items, search_index, suggestions, withdrawal
from contentsvc.store.content.suggestions import mended, near
from contentsvc.store.content.tokenizer import placed
from tests.support.databases import StoreCase
from tests.support.deferreds import together


class NearTests(SynchronousTestCase):
    def test_edits(self) -> None:
        """A letter more, less or other, or two neighbours that are swapped, are near; two such
        changes are not."""
        for other in (
            "tower",
            "towe",
            "ower",
            "toower",
            "towers",
            "atower",
            "tuwer",
            "otwer",
            "towre",
        ):
            self.assertTrue(near("tower", other), other)
            self.assertTrue(near(other, "tower"), other)
        for other in ("tow", "towerss", "tuwar", "otwre", "rowet", "wotre", "", "twoe"):
            self.assertFalse(near("tower", other), other)
            self.assertFalse(near(other, "tower"), other)

    def test_digests(self) -> None:
        """Words that are near each other have a digest in common."""
        words = {"".join(each) for size in (3, 4) for each in permutations("abca", size)}
        for one in words:
            for other in words:
                if near(one, other):
                    digests = set(suggestions.digests(one)), set(suggestions.digests(other))
                    self.assertTrue(digests[0] & digests[1], (one, other))


class PlacedTests(SynchronousTestCase):
    def test_places(self) -> None:
        """Words stand where they are in the text, folded, whatever is between them."""
        for text in (
            "  Big-Castle, of 3!",
            "Großes Schloß_am",
            "İstanbul ǅ Kaleℌ",
            "ｗｉｄｅ x\u0301y",
        ):
            settled, found = placed(text)
            parts = [settled[each.begin : each.end] for each in found]
            self.assertEqual([placed(part)[1][0].word for part in parts], [w.word for w in found])
        self.assertEqual(placed("Big-Castle")[0], "Big-Castle")
        self.assertEqual([w.word for w in placed("Big-Castle")[1]], ["big", "castle"])

    def test_long(self) -> None:
        """Of a word 64 characters count."""
        self.assertEqual([w.word for w in placed("x" * 70)[1]], ["x" * 64])


class WordsCase(StoreCase):
    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        self.sql("truncate contents, words, word_tallies, uncounted_words, departures cascade")
        self.author = await self.user()

    async def named(self, name: str, *tags: str, description: str = "", author: str = "") -> str:
        """A content with this name and these tags."""
        content = await self.content(author or self.author)
        self.sql(
            "update contents set name = %s, tags = %s, description = %s where id = %s",
            *(name, list(tags), description, content),
        )
        await search_index.renew(self.db, content)
        return content

    async def add_up(self) -> None:
        """Let the job do all that there is."""
        for _ in range(100):
            async with self.db.transaction() as tx:
                self.assertTrue(await suggestions.ours(tx))
                added = await suggestions.add_up(tx)
                if not await suggestions.count_old(tx) and not added:
                    return
        self.fail("there is still something left")

    def words(self) -> dict[str, tuple[int, int]]:
        """The words that have been added up, with their numbers."""
        rows = self.sql("select word, contents, forms from words")
        return {word: (contents, forms) for word, contents, forms in rows}

    async def check(self, **expected: str | None) -> None:
        """Each word is mended to this, before the job has run and after it."""
        for _ in range(2):
            for q, other in expected.items():
                self.assertEqual(await mended(self.db, q), other, q)
            await self.add_up()


class MendedTests(WordsCase):
    async def test_one_edit(self) -> None:
        """A word is mended by one edit of any kind, of the name or a tag, and not by two."""
        await self.named("Castle", "Physics")
        await self.check(
            castl="castle", castlee="castle", cattle="castle", csatle="castle", phisics="physics"
        )
        await self.check(castell=None, phisix=None, castle=None, physics=None)

    async def test_most_frequent(self) -> None:
        """The most frequent one is taken, by the number of contents."""
        for name in ("Tower Tower Tower", "Towel", "Towel Rack", "Towed"):
            await self.named(name, name)
        await self.check(towex="towel")
        for _ in range(2):
            await self.named("A tower", "tower")
        await self.check(towex="tower")

    async def test_description(self) -> None:
        """Words of descriptions do not count, neither as what is there nor as what is meant."""
        await self.named("Castle", description="cattle hidden")
        await self.check(cattle="castle", hiddn=None)

    async def test_text(self) -> None:
        """The rest of the text stays as it is, and each of the first eight words is mended."""
        await self.named("Castle Tower")
        self.assertEqual(await mended(self.db, "My castel, THE-towr!"), "My castle, THE-tower!")
        self.assertEqual(await mended(self.db, "a b c d e f g casle"), "a b c d e f g castle")
        self.assertIsNone(await mended(self.db, "a b c d e f g h casle"))

    async def test_short(self) -> None:
        """What has less than four letters stays, and a word may lose its fourth."""
        await self.named("Tow Cast Co2")
        await self.check(cas=None, cat=None, towe="tow", co2x=None, co21=None)

    async def test_accents(self) -> None:
        """Letters are compared without case and accents, and the word comes with them; what the
        search finds in another spelling is not mended."""
        await self.named("Château", "Łódź", "Türme")
        await self.check(
            **{"Chateu": "château", "chatteau": "château", "CHATEAU": None, "chàteau": None},
            **{"lodzz": "łódź", "lodz": None, "tuerme": None, "turm": "türme", "türm": "türme"},
        )

    async def test_scripts(self) -> None:
        """Words of any script are mended."""
        await self.named("Замок", "κάστρο", "قلعة")
        await self.check(**{"замко": "замок", "καστρα": "κάστρο", "قلعات": None, "قعلة": "قلعة"})

    async def test_forms(self) -> None:
        """A looser form, such as two words as one, is there, and is nothing that is meant."""
        await self.named("Night Watch", "TowerDefense2", "nightwitch")
        await self.check(nightwatch=None, defense=None, nightwatsh=None, towerd=None)

    async def test_new(self) -> None:
        """What one process has just published is there at once."""
        async with self.db.transaction() as tx:
            new = await self.content(self.author, db=tx)
            await search_index.renew(tx, new)
            self.assertEqual(await mended(self.db, "castel"), None)
        self.assertEqual(await mended(self.db, "castel"), "castle")

    async def test_many(self) -> None:
        """A word among very many that are near it is the most frequent one all the same."""
        self.sql(
            """insert into words select 'xyz' || chr(n + 19968), 1, 0, %s
               from generate_series(1, 3000) n""",
            suggestions.digests("xyza"),
        )
        self.sql("update words set contents = 7 where word = 'xyz' || chr(20000)")
        self.assertEqual(await mended(self.db, "xyza"), "xyz" + chr(20000))


class HiddenTests(WordsCase):
    """Only words of public content that is active are there, at each moment."""

    async def setUp(self) -> None:
        await super().setUp()
        self.game = await self.named("Secret Castle", "fortress")
        await self.named("Castle")
        await self.add_up()

    async def gone(self) -> None:
        """Assert that the words of the game are not there, before and after the job."""
        await self.check(secrte=None, fortres=None, casle="castle")
        self.assertEqual(self.words(), {"castle": (1, 0)})

    async def back(self) -> None:
        """Assert that they are."""
        await self.check(secrte="secret", fortres="fortress", casle="castle")
        self.assertEqual(self.words()["castle"], (2, 0))

    async def test_suspended(self) -> None:
        """Those of suspended content go at once, and come back with it."""
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
        """A name that a draft has had is never there, also not once it has another."""
        change = "update contents set visibility = %s, name = %s, tags = '{}' where id = %s"
        self.sql(change, "private", "Hidden", self.game)
        await search_index.renew(self.db, self.game)
        await self.check(hiddn=None, secrte=None)
        self.sql(change, "public", "Other", self.game)
        await search_index.renew(self.db, self.game)
        await self.check(hiddn=None, secrte=None, othr="other")
        self.assertEqual(self.words(), {"castle": (1, 0), "other": (1, 0)})

    async def test_renamed(self) -> None:
        """Words of an earlier name or of earlier tags go with them."""
        self.sql("update contents set name = 'Secret', tags = '{keep}' where id = %s", self.game)
        await search_index.renew(self.db, self.game)
        await self.check(fortres=None, keeq="keep", secrte="secret", casle="castle")
        self.assertEqual(set(self.words()), {"castle", "secret", "keep"})

    async def test_gone(self) -> None:
        """With a content its words go for good."""
        self.sql("delete from contents where id = %s", self.game)
        await self.gone()

    async def test_leaving(self) -> None:
        """Words of an author who is leaving are not there, though the content still is."""
        departure = "insert into departures (user_id, name, pending) values (%s, '', true)"
        other = await self.user()
        await self.named("Leaving Castle", author=other)
        await self.add_up()
        self.sql(departure, other)
        for q, expected in (("leavin", None), ("secrte", "secret"), ("casle", "castle")):
            self.assertEqual(await mended(self.db, q), expected)
        self.sql(departure, self.author)
        self.assertEqual(await mended(self.db, "secrte"), None)
        self.assertEqual(await mended(self.db, "casle"), None)

    async def test_many_leaving(self) -> None:
        """While authors are leaving who have more contents than one request reads, nothing is
        mended."""
        other = await self.user()
        for title in ("Leaving Castle", "Leaving Tower"):
            await self.named(title, author=other)
        await self.add_up()
        self.sql("insert into departures (user_id, name, pending) values (%s, '', true)", other)
        self.assertEqual(await mended(self.db, "secrte", leaving=2), "secret")
        self.assertEqual(await mended(self.db, "secrte", leaving=1), None)


class CountTests(WordsCase):
    def counted(self) -> dict[str, tuple[int, int]]:
        """What all documents add up to."""
        rows = self.sql(
            """select w.word, sum(w.contents)::int, sum(w.forms)::int
               from documents d cross join lateral words_of(d.terms, d.number) w group by w.word"""
        )
        return {word: (contents, forms) for word, contents, forms in rows}

    async def test_numbers(self) -> None:
        """A content counts once for each word, and a word that is also a form as both."""
        await self.named("Castle castle", "castle")
        await self.named("Café cafe")
        await self.named("Café 2024 4x4 ab")
        await self.add_up()
        self.assertEqual(self.words()["castle"], (1, 0))
        self.assertEqual(self.words()["cafe"], (1, 1))
        self.assertEqual(self.words()["café"], (2, 0))
        self.assertEqual({"2024", "ab", "co"} & set(self.words()), set())
        self.assertIn("4x4", self.words())

    async def test_as_documents(self) -> None:
        """Whatever happens, in any order, the numbers are what the documents add up to."""
        names = "Castle Ruin", "Castle", "Old Ruin", "Café Ruin", "Cafe"
        games = [await self.named(name, name[::-1]) for name in names]
        for n, game in enumerate(games):
            await items.set_status(self.db, None, game, "suspended")
            if n % 2:
                await self.add_up()
            self.sql("update contents set name = %s where id = %s", names[-n], game)
            await search_index.renew(self.db, game)
            if n % 3:
                await items.set_status(self.db, None, game, "active")
        await self.add_up()
        self.assertEqual(self.words(), self.counted())
        self.assertEqual(self.sql("select 1 from word_tallies"), [])

    async def test_unchanged(self) -> None:
        """What changes no word leaves no tally."""
        game = await self.named("Castle")
        await self.add_up()
        await items.set_featured(self.db, game, self.author, False, True)
        self.sql("update contents set description = 'other' where id = %s", game)
        await search_index.renew(self.db, game)
        await search_index.renew(self.db, game)
        self.assertEqual(self.sql("select 1 from word_tallies"), [])

    async def test_one_process(self) -> None:
        """Two processes do not count at once."""
        async with self.db.transaction() as tx, self.db.transaction() as other:
            self.assertTrue(await suggestions.ours(tx))
            self.assertFalse(await suggestions.ours(other))

    async def test_at_once(self) -> None:
        """Contents of the same words are written at the same time, while the job adds up."""
        await together(
            *(self.named("Castle Ruin", "old") for _ in range(20)),
            *(self._count() for _ in range(5)),
        )
        await self.add_up()
        self.assertEqual(self.words(), self.counted())
        self.assertEqual(self.words()["castle"], (20, 0))

    async def _count(self) -> None:
        async with self.db.transaction() as tx:
            if await suggestions.ours(tx):
                await suggestions.add_up(tx)

    async def test_mended(self) -> None:
        """Numbers that are wrong are counted again from the documents."""
        await self.named("Castle Ruin")
        await self.named("Castle")
        await self.add_up()
        self.sql("delete from words where word = 'ruin'")
        self.sql("update words set contents = 9 where word = 'castle'")
        self.sql("insert into words values ('gone', 1, 0, '{}')")
        self.assertEqual(dict(self.mend())[MENDED], 3)
        await self.add_up()
        self.assertEqual(self.words(), self.counted())
        self.assertEqual(self.mend(), [])

    def mend(self) -> Any:
        """Count again what is counted beside its rows."""
        with closing(psycopg2.connect(self.url)) as connection, connection:
            with connection.cursor() as cursor:
                return derived_counts.mend(cursor)


MENDED = "words with another number of contents"


class OldTests(WordsCase):
    """Documents that an upgrade has found."""

    async def setUp(self) -> None:
        await super().setUp()
        self.games = [await self.named(f"Castle Ruin{n}a", "old") for n in range(5)]
        self.sql("truncate word_tallies")
        self.sql("insert into uncounted_words values (0)")

    async def batch(self) -> None:
        """Count one batch."""
        async with self.db.transaction() as tx:
            self.assertGreater(await suggestions.count_old(tx, 2), 0)

    async def test_all(self) -> None:
        """All are counted, once."""
        await self.add_up()
        self.assertEqual(self.words()["castle"], (5, 0))
        self.assertEqual(self.sql("select 1 from uncounted_words"), [])
        await self.add_up()
        self.assertEqual(self.words()["castle"], (5, 0))

    async def test_meanwhile(self) -> None:
        """What is written, hidden, renamed or deleted meanwhile, before its turn or after it, is
        counted right, and so is what is new."""
        for n, game in enumerate(self.games):
            if n % 2 == 0:
                self.sql("delete from contents where id = %s", game)
            else:
                self.sql("update contents set name = 'Other' where id = %s", game)
                await search_index.renew(self.db, game)
            await self.named("Castle")
            if n < 2:
                await self.batch()
        self.assertEqual(len(self.sql("select 1 from uncounted_words")), 1)
        await self.add_up()
        self.assertEqual(self.words()["castle"], (5, 0))
        self.assertEqual(self.words()["other"], (2, 0))
        self.assertNotIn("ruin0a", self.words())

    async def test_under_way(self) -> None:
        """The count waits for who is writing a document that it has not come to."""
        with closing(psycopg2.connect(self.url)) as connection, connection.cursor() as cursor:
            cursor.execute("update contents set deleted = true where id = %s", (self.games[0],))
            cursor.execute("set constraints all immediate")
            counting = Deferred.fromCoroutine(self.add_up())
            while not self.sql("select 1 from pg_locks where not granted"):
                await deferLater(reactor, 0.01, lambda: None)
            connection.commit()
        await counting
        self.assertEqual(self.words()["castle"], (4, 0))
