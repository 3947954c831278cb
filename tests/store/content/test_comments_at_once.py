"""Comments that come at once: they share a statement, and each has an outcome of its own."""

from contextlib import closing

import psycopg2

from contentsvc.framework.db.errors import Refused, Unavailable
from contentsvc.store.content import comments, items
from contentsvc.store.content.comments import Written
from contentsvc.store.notifications import notifications
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together

Outcome = Written | Refused | Unavailable | None


class AtOnceCase(StoreCase):
    """`owners` have a game each, in `games`; `ann` comments on them."""

    count = 7
    limit = 0

    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()
        self.owners = [await self.user() for _ in range(self.count)]
        self.games = [await self.content(owner) for owner in self.owners]

    async def outcome(self, game: str, parent: int | None = None, author: str = "") -> Outcome:
        """What comes of a comment."""
        given = game, author or self.ann, False, parent, "x"
        try:
            return await comments.create(self.db, *given, self.limit)
        except (Refused, Unavailable) as error:
            return error

    def made(self, outcome: Outcome) -> int:
        """The id of a comment that is written."""
        assert isinstance(outcome, Written) and outcome.id is not None, outcome
        return outcome.id

    async def told(self, user: str) -> list[str]:
        """The ids of all notifications of a user."""
        return [row.id for row in await notifications.listed(self.db, user, 0, None, 99)]

    def on(self, game: str) -> list[int]:
        """The ids of the comments on a game, in their order, of which there are as many as the game
        counts."""
        rows = self.sql(
            "select m.id, ordinal, c.comments, c.live_comments from contents c"
            " join comments m on m.content_id = c.id where c.id = %s order by ordinal",
            game,
        )
        for n, row in enumerate(rows, 1):
            self.assertEqual(row[1:], (n, len(rows), len(rows)))
        return [row[0] for row in rows]


class AtOnceTests(AtOnceCase):
    async def test_transaction(self) -> None:
        """They share a transaction, which notifies the authors of the contents too."""
        await together(*(self.outcome(game) for game in self.games))
        rows = self.sql(
            "select m.xmin, n.xmin, n.user_id from comments m"
            " join contents c on c.id = m.content_id"
            " join notifications n on n.user_id = c.author_id where m.author_id = %s",
            self.ann,
        )
        self.assertEqual({user for *_, user in rows}, set(self.owners))
        self.assertEqual(len({xmin for *each, _ in rows for xmin in each}), 1)

    async def test_one_content(self) -> None:
        """Those on one content have the order in which they came, and its author is told in it."""
        game, owner = self.games[0], self.owners[0]
        found = await together(*(self.outcome(game) for _ in range(70)))
        self.assertEqual(self.on(game), [self.made(each) for each in found])
        pushed = [row.id for each in found for row in each.notified]
        self.assertEqual((await self.told(owner)), pushed)

    async def test_places(self) -> None:
        """Those that answer the same comment, and those that answer none, have places without
        holes."""
        game = self.games[0]
        parent = self.made(await self.outcome(game))
        await together(*(self.outcome(game, parent if n % 2 else None) for n in range(40)))
        places = self.sql(
            "select parent_id, place from comments where content_id = %s order by 1, 2", game
        )
        expected = [(parent, n) for n in range(1, 21)] + [(None, n) for n in range(1, 22)]
        self.assertEqual(expected, places)

    async def test_refused_among_others(self) -> None:
        """Those that are refused spoil no others, wherever they are; nothing runs twice."""
        unseen, game = self.games[1], self.games[0]
        await items.set_status(self.db, None, unseen, "suspended")
        await comments.lock(self.db, self.games[2], self.owners[2], False, True)
        nobody = guid()
        found = await together(
            *(self.outcome(game, 2**62), self.outcome(game), self.outcome(unseen)),
            *(self.outcome(game), self.outcome(self.games[2]), self.outcome(self.games[3])),
            *(self.outcome(game, 2**62), self.outcome(self.games[4], author=nobody)),
            *(self.outcome(game), self.outcome(self.games[5]), self.outcome(self.games[5], 2**62)),
        )
        for n, constraint in (
            *((0, "comments_parent"), (6, "comments_parent")),
            *((7, "comments_author"), (10, "comments_parent")),
        ):
            self.assertIsInstance(found[n], Refused)
            self.assertEqual(found[n].constraint, constraint)
        self.assertEqual((found[2], found[4]), (None, Written(None, False, 0, [])))
        self.assertEqual(self.on(game), [self.made(found[n]) for n in (1, 3, 8)])
        for n, place in ((3, 5), (5, 9)):
            self.assertEqual(self.on(self.games[n]), [self.made(found[place])])
        for n in (1, 2, 4, 6):
            self.assertEqual(self.on(self.games[n]), [])
        told = [len(await self.told(owner)) for owner in self.owners]
        self.assertEqual(told, [3, 0, 0, 1, 0, 1, 0])


class LimitedAtOnceTests(AtOnceTests):
    """The same, with a limit."""

    limit = 100


class LockedTests(AtOnceCase):
    """Another process has locked rows for longer than a statement waits."""

    options = "-c lock_timeout=200ms"

    async def check(self, lock: str) -> None:
        """Lock two by this SQL, whose value is the number of an owner. Only the comments that need
        them fail. The others are stored and told once, and what is told comes back to be pushed.
        Afterwards all are as before."""
        await together(*(self.outcome(game) for game in self.games))
        locked = 2, 5
        with closing(psycopg2.connect(self.url)) as connection, connection.cursor() as cursor:
            for n in locked:
                cursor.execute(lock, {"owner": self.owners[n]})
            found = await together(*(self.outcome(game) for game in (*self.games, *self.games)))
        for n, (game, owner) in enumerate(zip(self.games, self.owners, strict=True)):
            both = found[n], found[n + self.count]
            if n in locked:
                self.assertEqual([each.cause for each in both], ["lock", "lock"])
                self.assertEqual((len(self.on(game)), len(await self.told(owner))), (1, 1))
            else:
                self.assertEqual(self.on(game)[1:], [self.made(each) for each in both])
                pushed = [row.id for each in both for row in each.notified]
                self.assertEqual((await self.told(owner))[1:], pushed)
        for outcome in await together(*(self.outcome(game) for game in self.games)):
            self.made(outcome)

    async def test_contents(self) -> None:
        """Contents."""
        await self.check("select from contents where author_id = %(owner)s for update")

    async def test_counters(self) -> None:
        """Counters: nothing is left of a comment that could not be told."""
        await self.check("select from notification_counters where user_id = %(owner)s for update")
