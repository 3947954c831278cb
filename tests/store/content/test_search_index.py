"""Documents and ranks (content#words): they are right, whoever writes content and votes."""

from math import log2, sqrt
from typing import Any

from contentsvc.store.content import items, ratings, search_index, withdrawal
from contentsvc.store.content.tokenizer import document
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together

WEEK = 7 * 86_400


class DocumentCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.author = await self.user()
        self.game = await self.content(self.author)

    def terms(self, content: str | None = None) -> set[str]:
        """The terms of a content's document, without shelf and weight."""
        ((shelf, terms),) = self.sql(
            "select shelf(number), tsvector_to_array(terms) from documents where content_id = %s",
            content or self.game,
        )
        for term in terms:
            self.assertTrue(term.startswith(shelf), term)
        return {term.removeprefix(shelf) for term in terms}

    def filters(self, content: str | None = None) -> set[str]:
        """The types, statuses and flags among the terms."""
        return {term[1:] for term in self.terms(content) if term[0] == "!"}

    def words(self, content: str | None = None) -> set[str]:
        """The words among the terms."""
        return {term[1:] for term in self.terms(content) if term[0] == "."}

    def stale(self) -> list[str]:
        """The contents without their present words."""
        return [row[0] for row in self.sql("select content_id from documents where stale")]

    def rank(self, content: str | None = None) -> Any:
        """A content's top, net and trending."""
        ((top, net, trending),) = self.sql(
            "select top, net, trending from content_ranks where content_id = %s",
            content or self.game,
        )
        return top, int(net), trending


class FilterTests(DocumentCase):
    async def test_new(self) -> None:
        """New content has a document and ranks at its commit."""
        self.assertEqual(self.filters(), {"active", "game"})
        self.assertIn(f"@{self.author}", self.terms())
        self.assertEqual(self.rank(), (0, 0, 0))

    async def test_flags(self) -> None:
        """The filters follow the flags, whoever sets them."""
        await items.set_featured(self.db, self.game, self.author, False, True)
        self.assertEqual(self.filters(), {"active", "game", "featured"})
        await items.set_status(self.db, None, self.game, "suspended")
        self.assertEqual(self.filters(), {"suspended", "game", "featured"})
        await withdrawal.set_deleted(self.db, self.game, self.author, False, True, 0)
        self.assertEqual(self.filters(), {"deleted", "game", "featured"})
        await items.set_status(self.db, None, self.game, "active")
        await withdrawal.set_deleted(self.db, self.game, self.author, False, False, 0)
        await items.set_featured(self.db, self.game, self.author, False, False)
        self.assertEqual(self.filters(), {"active", "game"})

    async def test_words_stay(self) -> None:
        """A change of a flag leaves the words, and they are still those of the text."""
        await search_index.renew(self.db, self.game)
        before = self.words()
        await items.set_featured(self.db, self.game, self.author, False, True)
        self.assertEqual(self.words(), before)
        self.assertNotIn(self.game, self.stale())

    async def test_listing(self) -> None:
        """With a content its ranks get another listing id."""
        before = self.listings()
        self.sql("update contents set listing_id = nextval('listing_ids') where id = %s", self.game)
        after = self.listings()
        self.assertEqual(before[0], before[1])
        self.assertEqual(after[0], after[1])
        self.assertGreater(after[0], before[0])

    async def test_deleted_user(self) -> None:
        """With content its document and ranks go."""
        self.sql("delete from contents where id = %s", self.game)
        for table in ("documents", "content_ranks"):
            left = self.sql(f"select 1 from {table} where content_id = %s", self.game)
            self.assertEqual(left, [])

    def listings(self) -> tuple[int, int]:
        """The listing id of the game, and the one that its ranks have."""
        ((own, kept),) = self.sql(
            "select c.listing_id, r.listing_id from contents c"
            " join content_ranks r on r.number = c.number where c.id = %s",
            self.game,
        )
        return own, kept


class WordTests(DocumentCase):
    alone = True

    async def test_stale(self) -> None:
        """Content whose words nobody has written is stale, until somebody does."""
        self.assertIn(self.game, self.stale())
        self.assertEqual(self.words(), set())
        await search_index.renew(self.db, self.game)
        self.assertNotIn(self.game, self.stale())
        self.assertEqual(self.words(), {"castle", "a", "to", "storm", "co", "op", "coop"})

    async def test_changed(self) -> None:
        """It is stale again when its text changes without its words, and not when nothing
        changes."""
        await search_index.renew(self.db, self.game)
        self.sql("update contents set description = description where id = %s", self.game)
        self.assertNotIn(self.game, self.stale())
        self.sql("update contents set description = 'other' where id = %s", self.game)
        self.assertIn(self.game, self.stale())
        self.sql("update contents set tags = '{x}' where id = %s", self.game)
        await search_index.renew(self.db, self.game)
        self.assertEqual(self.words(), {"castle", "other", "x"})

    async def test_same_transaction(self) -> None:
        """Words that are written in the transaction of the change are good at its commit."""
        async with self.db.transaction() as tx:
            new = await self.content(self.author, db=tx)
            await search_index.renew(tx, new)
            await items.update(tx, new, "brave", ["s.png"], None, None, self.author, 0)
            await search_index.renew(tx, new)
        self.assertNotIn(new, self.stale())
        self.assertLessEqual({"castle", "brave"}, self.words(new))
        self.assertEqual(self.filters(new), {"active", "game"})

    async def test_created(self) -> None:
        """Words that are written with new content are those that the job would write."""
        async with self.db.transaction() as tx:
            new = await self.content(self.author, db=tx)
            await search_index.insert(tx, new, "Castle", ["co-op"], "A castle to storm")
        self.assertNotIn(new, self.stale())
        written = self.sql("select * from documents where content_id = %s", new)
        await search_index.renew(self.db, new)
        self.assertEqual(self.sql("select * from documents where content_id = %s", new), written)

    async def test_batch(self) -> None:
        """A batch at a time is made, until nothing is left; fewer if descriptions are long."""
        self.sql("delete from contents")
        long = "y " * (search_index.CHARACTERS // 4)
        games = [await self.content(self.author) for _ in range(4)]
        for game in games[1:]:
            self.sql("update contents set description = %s where id = %s", long, game)
        batches = []
        while done := await search_index.renew_stale(self.db):
            batches.append(done)
        self.assertEqual(batches, [2, 2])
        self.assertEqual(self.stale(), [])
        self.assertIn("y", self.words(games[2]))

    async def test_gone(self) -> None:
        """To renew content that is not there does nothing."""
        await search_index.renew(self.db, guid())

    async def test_overtaken(self) -> None:
        """Words of a text that has changed meanwhile are not written."""
        (old,) = self.sql("select source_of(c) from contents c where id = %s", self.game)
        self.sql("update contents set description = 'newer' where id = %s", self.game)
        await search_index.write(self.db, [self.game], [old[0]], [document("older", [], "")])
        self.assertEqual(self.words(), set())
        self.assertIn(self.game, self.stale())

    async def test_one_at_a_time(self) -> None:
        """One process at a time has the lock of the job."""
        async with self.db.transaction() as first, self.db.transaction() as second:
            self.assertTrue(await search_index.ours(first))
            self.assertFalse(await search_index.ours(second))
        async with self.db.transaction() as third:
            self.assertTrue(await search_index.ours(third))


class RankTests(DocumentCase):
    alone = True

    async def put(self, user: str, up: bool) -> None:
        await ratings.put(self.db, user, self.game, False, up)

    async def test_top(self) -> None:
        """Top is Wilson's lower bound, and 0 without an up-vote."""
        for up, down in ((0, 0), (0, 5), (1, 0), (1, 1), (50, 3), (2_000_000, 1)):
            ((found,),) = self.sql("select wilson(%s, %s)", up, down)
            n, z = up + down, 1.96
            share = up / n if n else 0
            root = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) if n else 0
            wilson = (share + z * z / (2 * n) - root) / (1 + z * z / n) if up else 0
            self.assertAlmostEqual(found, wilson, 12)
        users = [await self.user() for _ in range(4)]
        await together(*(self.put(user, n > 0) for n, user in enumerate(users)))
        self.assertEqual((self.rank()[0],), self.sql("select wilson(3, 1)")[0])

    async def test_trending(self) -> None:
        """A vote of a week later weighs twice as much; the sum is there as its logarithm."""
        ((one,),) = self.sql("select trend(vote_weight(to_timestamp(2e9)))")
        for weeks, votes in ((1, 1), (0, 2), (-1, 4)):
            ((found,),) = self.sql(
                "select trend(%s * vote_weight(to_timestamp(2e9 + %s)))", votes, weeks * WEEK
            )
            self.assertAlmostEqual(found - one, log2(votes) + weeks, 9)

    async def test_nothing(self) -> None:
        """What comes to nothing, or less, is 0, and whatever does not is more."""
        for net in ("0", "-1", "-1e300"):
            self.assertEqual(self.sql("select trend(%s::numeric)", net), [(0,)])
        self.assertGreater(self.sql("select trend(1)")[0][0], 0)

    async def test_same_transaction(self) -> None:
        """Votes in the transaction that makes the content count."""
        async with self.db.transaction() as tx:
            new = await self.content(self.author, db=tx)
            await ratings.put(tx, self.author, new, False, True)
        await self.put(self.author, True)
        self.assertEqual(self.rank(new)[0], self.rank()[0])
        self.assertGreater(self.rank(new)[2], 0)

    async def test_order(self) -> None:
        """The logarithm keeps the order of sums, however long they are."""
        for digits in (0, 13, 14, 15, 16, 100, 2000):
            for first in range(1, 12):
                ((less, more),) = self.sql(
                    "select trend(%s::numeric), trend(%s::numeric)",
                    *(str(n) + "0" * digits for n in (first, first + 1)),
                )
                self.assertLess(less, more)

    async def test_clocks(self) -> None:
        """A clock that is centuries off fails no vote."""
        for moment in ("-infinity", "0001-01-01", "1969-01-01", "9999-12-31", "infinity"):
            self.sql("alter table ratings alter column voted set default %s", moment)
            user = await self.user()
            await self.put(user, True)
            self.assertGreater(self.rank()[2], 0)
            await self.put(user, False)
            self.sql("delete from ratings where user_id = %s", user)
            self.assertEqual(self.rank(), (0, 0, 0))
        self.sql("alter table ratings alter column voted set default now()")

    async def test_exact(self) -> None:
        """Votes that are changed and taken back in whatever order, by clocks that are years apart,
        leave exactly the weight of those that stay."""
        users = [await self.user() for _ in range(6)]
        self.sql("select setseed(0.5)")
        for n, user in enumerate(users * 2):
            await self.put(user, n % 3 > 0)
            self.sql(
                "update ratings set voted = now() + %s * interval '1 year' where user_id = %s",
                *(n, user),
            )
        ((expected,),) = self.sql(
            "select sum(case when up then 1 else -1 end * vote_weight(voted)) from ratings"
            " where content_id = %s",
            self.game,
        )
        self.assertEqual(self.rank()[1], int(expected))
        for user in users:
            await ratings.delete(self.db, user, self.game, False)
        self.assertEqual(self.rank(), (0, 0, 0))

    async def test_change(self) -> None:
        """A vote that changes counts as of its change; a repeat leaves it as it was."""
        user = await self.user()
        await self.put(user, True)
        long_ago = "update ratings set voted = '2026-01-01T00:00Z' where user_id = %s"
        self.sql(long_ago, user)
        before = self.rank()
        await self.put(user, True)
        self.assertEqual(self.rank(), before)
        await self.put(user, False)
        await self.put(user, True)
        self.assertGreater(self.rank()[2], before[2])

    async def test_at_once(self) -> None:
        """Votes on several contents at once, in opposite orders, leave exact sums."""
        games = [self.game, *[await self.content(self.author) for _ in range(3)]]
        users = [await self.user() for _ in range(6)]
        acts = []
        for n in range(96):
            user, game = users[n % 6], games[n // 6 % 4 if n % 2 else 3 - n // 6 % 4]
            if n % 5 == 0:
                acts.append(ratings.delete(self.db, user, game, False))
            else:
                acts.append(ratings.put(self.db, user, game, False, n % 3 > 0))
        await together(*acts)
        for game in games:
            ((up, down, net),) = self.sql(
                "select count(*) filter (where up), count(*) filter (where not up),"
                " coalesce(sum(case when up then 1 else -1 end * vote_weight(voted)), 0)"
                " from ratings where content_id = %s",
                game,
            )
            ((top,),) = self.sql("select wilson(%s, %s)", up, down)
            self.assertEqual(self.rank(game)[:2], (top, int(net)))
