"""Which reads go to the database as one, and who gets what of the answer."""

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import BadValue, Unavailable
from contentsvc.framework.db.query import STATEMENTS
from contentsvc.framework.db.read_batches import MOST, ReadBatches
from contentsvc.framework.db.statement import Row, Statement
from contentsvc.store.accounts import users
from contentsvc.store.content import comments
from tests.support.databases import StoreCase
from tests.support.deferreds import together

INFO, LISTED = STATEMENTS["users_info"], STATEMENTS["comments_page"]


class Run:
    """Remembers what is to run, and answers when the test says so."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Row]] = []
        self.answers: list[Deferred[list[Row]]] = []

    def __call__(self, statement: Statement, args: Row) -> Deferred[list[Row]]:
        self.asked.append((statement.name, args))
        self.answers.append(Deferred())
        return self.answers[-1]


class TurnTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.run_ = Run()
        self.batches = ReadBatches(self.clock, self.run_)

    def ask(self, *args: object, statement: Statement = INFO) -> Deferred[list[Row]]:
        """One call."""
        several = STATEMENTS[f"{statement.name}_together"]
        return self.batches.rows(statement, several, args)

    def turn(self) -> list[tuple[str, Row]]:
        """The statements that run at the end of this turn."""
        self.run_.asked = []
        self.clock.advance(0)
        return self.run_.asked

    def test_alone(self) -> None:
        """A call that is alone in its turn runs as it is."""
        answer = self.ask("a")
        self.assertEqual(self.turn(), [("users_info", ("a",))])
        self.run_.answers[0].callback([("row",)])
        self.assertEqual(self.successResultOf(answer), [("row",)])

    def test_several(self) -> None:
        """Calls of one turn run as one; each gets its own rows, in their order, or none."""
        answers = [self.ask(name) for name in "abc"]
        self.assertEqual(self.turn(), [("users_info_together", ('{"a","b","c"}',))])
        self.run_.answers[0].callback([(3, "x", 1), (1, "y", 2), (3, "z", 3)])
        found = [self.successResultOf(answer) for answer in answers]
        self.assertEqual(found, [[("y", 2)], [], [("x", 1), ("z", 3)]])

    def test_turns(self) -> None:
        """Calls of the next turn do not wait for those of this one."""
        self.ask("a")
        self.turn()
        self.ask("b")
        self.assertEqual(self.turn(), [("users_info", ("b",))])

    def test_statements(self) -> None:
        """Each statement goes by itself."""
        self.ask("a")
        self.ask("c", None, False, 20, 0, statement=LISTED)
        self.assertEqual([name for name, _ in self.turn()], ["users_info", "comments_page"])

    def test_most(self) -> None:
        """More than may go together go in parts."""
        for number in range(MOST + 1):
            self.ask(str(number))
        names = [name for name, _ in self.turn()]
        self.assertEqual(names, ["users_info_together", "users_info"])

    def test_arguments(self) -> None:
        """Nothing is lost of an argument on its way into a list."""
        odd = ['a"b', "a\\b", "a,b", "NULL", "", "{}"]
        for number, text in enumerate(odd):
            self.ask(text, None, number % 2 == 0, number, 0, statement=LISTED)
        ((_, args),) = self.turn()
        self.assertEqual(
            args,
            (
                r'{"a\"b","a\\b","a,b","NULL","","{}"}',
                "{NULL,NULL,NULL,NULL,NULL,NULL}",
                '{"True","False","True","False","True","False"}',
                '{"0","1","2","3","4","5"}',
                '{"0","0","0","0","0","0"}',
            ),
        )

    def test_bad_value(self) -> None:
        """A value that Postgres refuses fails its own call only: then each goes alone."""
        answers = [self.ask(name) for name in "ab"]
        self.turn()
        self.run_.asked = []
        self.run_.answers[0].errback(BadValue("no uuid"))
        self.assertEqual(self.run_.asked, [("users_info", ("a",)), ("users_info", ("b",))])
        self.run_.answers[1].errback(BadValue("no uuid"))
        self.run_.answers[2].callback([("row",)])
        self.failureResultOf(answers[0], BadValue)
        self.assertEqual(self.successResultOf(answers[1]), [("row",)])

    def test_bad_call(self) -> None:
        """A call with too few arguments fails alone, too."""
        answers = [self.ask("a"), self.ask()]
        self.turn()
        self.run_.answers[0].callback([("row",)])
        self.run_.answers[1].errback(IndexError())
        self.assertEqual(self.successResultOf(answers[0]), [("row",)])
        self.failureResultOf(answers[1], IndexError)

    def test_unavailable(self) -> None:
        """When the database does not answer, nobody asks it again."""
        answers = [self.ask(name) for name in "ab"]
        self.turn()
        self.run_.asked = []
        self.run_.answers[0].errback(Unavailable("gone"))
        for answer in answers:
            self.failureResultOf(answer, Unavailable)
        self.assertEqual(self.run_.asked, [])


class DatabaseTests(StoreCase):
    async def test_same_answers(self) -> None:
        """Many calls at once are answered as each is alone."""
        author = await self.user()
        games = [await self.content(author) for _ in range(3)]
        for game in games:
            for number in range(5):
                text = f"{game} {number}"
                await comments.create(self.db, game, author, False, None, text, 0)
        calls: list[Any] = [
            (game, caller, admin, size, page)
            for game in [*games, author]
            for caller in (author, None)
            for admin in (True, False)
            for size, page in ((2, 0), (2, 2), (3, 1), (4, 9))
        ]
        alone = [await comments.page(self.db, *call) for call in calls]
        at_once = await together(*(comments.page(self.db, *call) for call in calls))
        self.assertEqual(at_once, alone)

    async def test_bad_one(self) -> None:
        """One that Postgres cannot take fails alone."""
        author = await self.user()
        asked = [Deferred.fromCoroutine(users.info(self.db, who)) for who in (author, "x", author)]
        with self.assertRaises(BadValue):
            await asked[1]
        for answer in (asked[0], asked[2]):
            info = await answer
            self.assertEqual(info and info.id, author)
