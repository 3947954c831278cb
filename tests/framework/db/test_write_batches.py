"""Which writes go to the database as one, who waits for whom, and who gets what of the answer."""

from collections.abc import Sequence

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import BadValue, Cause, Unavailable
from contentsvc.framework.db.statement import Batch, Row, Statement
from contentsvc.framework.db.write_batches import (
    ALONE,
    CHARACTERS,
    LATE,
    MOST,
    PASSING,
    WriteBatches,
)

TELL = Statement("tell", "insert into told select :user, :text", ["user", "text"], [False, False])
SAVE = Statement("save", "insert into saved select :user, :text", ["user", "text"], [False, False])
BY_USER, ONCE = Batch(("user",)), Batch(("user",), once=("user",))


class Run:
    """Remembers what is to run, and answers when the test says so."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Row]] = []
        self.answers: list[Deferred[list[Row]]] = []
        self.since = -1.0

    def __call__(self, statement: Statement, args: Row, since: float) -> Deferred[list[Row]]:
        self.asked.append((statement.name, args))
        self.since = since
        self.answers.append(Deferred())
        return self.answers[-1]

    def answer(self, *rows: Row) -> None:
        """To the oldest statement without one."""
        self.answers.pop(0).callback(list(rows))

    def fail(self, error: Exception) -> None:
        """The same."""
        self.answers.pop(0).errback(error)


def quoted(digits: str) -> tuple[str, ...]:
    return tuple(f'"{digit}"' for digit in digits)


class BatchesCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.run_ = Run()
        self.batches = WriteBatches(self.clock, self.run_)

    def tell(self, *calls: tuple[str, str]) -> list[Deferred[list[Row]]]:
        """Calls of one turn: a user and a text each."""
        return [self.batches.rows(TELL, BY_USER, call) for call in calls]

    def save(self, *calls: tuple[str, str]) -> list[Deferred[list[Row]]]:
        """The same of a statement that takes no row twice."""
        return [self.batches.rows(SAVE, ONCE, call) for call in calls]

    def turn(self) -> list[tuple[str, ...]]:
        """The texts of each statement that is sent at the end of this turn."""
        self.run_.asked = []
        self.clock.advance(0)
        self.assertEqual(self.clock.getDelayedCalls(), [])
        return self.sent()

    def sent(self) -> list[tuple[str, ...]]:
        """The texts of each statement that was sent since the turn's beginning."""
        return [tuple(args[1].strip("{}").split(",")) for _, args in self.run_.asked]

    def answer_all_but(self, *bad: str) -> None:
        """Answer each statement, also those that follow, with its texts; refuse those that have one
        of these."""
        done = len(self.run_.asked) - len(self.run_.answers)
        while self.run_.answers:
            texts = self.sent()[done]
            done += 1
            if set(bad) & set(texts):
                self.run_.fail(BadValue("bad"))
            else:
                self.run_.answer(*enumerate(texts, 1))

    def unanswered(self, calls: Sequence[Deferred[list[Row]]]) -> None:
        for call in calls:
            self.assertNoResult(call)

    def failed(self, calls: Sequence[Deferred[list[Row]]], cause: Cause) -> None:
        for call in calls:
            self.assertEqual(self.failureResultOf(call, Unavailable).value.cause, cause)


class TurnTests(BatchesCase):
    def test_alone(self) -> None:
        """A call that is alone goes as arrays of one, at the end of its turn."""
        (answer,) = self.tell(("ann", "x"))
        self.turn()
        self.assertEqual(self.run_.asked, [("tell", ('{"ann"}', '{"x"}'))])
        self.run_.answer((1, "row"))
        self.assertEqual(self.successResultOf(answer), [("row",)])

    def test_several(self) -> None:
        """The calls of a turn go as one, in their order; each gets its own rows, or none."""
        answers = self.tell(("ann", "x"), ("bob", "y"), ("ann", "z"))
        self.turn()
        self.assertEqual(self.run_.asked, [("tell", ('{"ann","bob","ann"}', '{"x","y","z"}'))])
        self.run_.answer((3, "c"), (1, "a"))
        self.assertEqual([self.successResultOf(a) for a in answers], [[("a",)], [], [("c",)]])

    def test_statements(self) -> None:
        """Each statement goes by itself."""
        self.tell(("ann", "x"))
        self.save(("ann", "y"))
        self.turn()
        self.assertEqual([name for name, _ in self.run_.asked], ["tell", "save"])

    def test_most(self) -> None:
        """More than may go as one go in parts, side by side."""
        answers = self.tell(*((f"user{n}", str(n)) for n in range(MOST + 1)))
        self.assertEqual([len(texts) for texts in self.turn()], [MOST, 1])
        self.run_.answer(*((n + 1, n) for n in range(MOST)))
        self.run_.answer((1, MOST))
        found = [self.successResultOf(answer) for answer in answers]
        self.assertEqual(found, [[(n,)] for n in range(MOST + 1)])


class MeanwhileTests(BatchesCase):
    def test_long(self) -> None:
        """A statement is full when its texts are long; a call that is longer goes by itself."""
        half, whole = "h" * (CHARACTERS // 2), "w" * (2 * CHARACTERS)
        self.tell(("ann", half), ("ben", half), ("cat", whole), ("dan", "short"))
        lengths = [[len(text) for text in texts] for texts in self.turn()]
        self.assertEqual(lengths, [[len(half) + 2] * 2, [len(whole) + 2], [len("short") + 2]])

    def test_next(self) -> None:
        """The calls that come while a statement runs are the next statement, all of them, in
        order."""
        self.tell(("ann", "1"))
        self.assertEqual(self.turn(), [('"1"',)])
        later = self.tell(("ann", "2"))
        self.assertEqual(self.turn(), [])
        later += self.tell(("bob", "3"))
        self.assertEqual(self.turn(), [])
        self.unanswered(later)
        self.run_.answer((1,))
        later += self.tell(("ann", "4"))
        self.assertEqual(self.turn(), [('"2"', '"3"', '"4"')])
        self.run_.answer((1, "b"), (2, "c"), (3, "d"))
        found = [self.successResultOf(answer) for answer in later]
        self.assertEqual(found, [[("b",)], [("c",)], [("d",)]])

    def test_other_statement(self) -> None:
        """Other statements do not wait."""
        self.tell(("ann", "1"))
        self.turn()
        self.save(("ann", "2"))
        self.assertEqual(self.turn(), [('"2"',)])


class AloneTests(BatchesCase):
    def test_form(self) -> None:
        """A call that goes alone goes by the form for one, if there is one; several do not."""
        lone = Statement("mark_lone", "select mark(:user, :text)", ["user", "text"], [False] * 2)
        mark = Statement("mark", "update :user, :text", ["user", "text"], [False] * 2)
        mark.lone = lone
        answers = [self.batches.rows(mark, BY_USER, ("ann", "1"))]
        self.clock.advance(0)
        answers += [self.batches.rows(mark, BY_USER, (user, "2")) for user in ("bob", "cid")]
        self.run_.answer((1, "a"))
        self.clock.advance(0)
        several = ("mark", ('{"bob","cid"}', '{"2","2"}'))
        self.assertEqual(self.run_.asked, [("mark_lone", ("ann", "1")), several])
        self.run_.answer((2, "c"), (1, "b"))
        found = [self.successResultOf(answer) for answer in answers]
        self.assertEqual(found, [[("a",)], [("b",)], [("c",)]])

    def test_passes(self) -> None:
        """A call that comes some time after the one before does not wait for the statement that
        runs."""
        self.tell(("ann", "1"))
        self.turn()
        self.clock.advance(ALONE)
        self.tell(("bob", "2"))
        self.assertEqual(self.turn(), [('"2"',)])

    def test_sooner(self) -> None:
        """One that comes sooner waits, although the one before came alone."""
        for user in ("ann", "bob"):
            self.clock.advance(ALONE)
            self.tell((user, user))
            self.turn()
        self.clock.advance(ALONE / 2)
        self.tell(("cid", "3"))
        self.assertEqual(self.turn(), [])

    def test_others_wait(self) -> None:
        """It waits with those that wait already, unless they wait for a row."""
        self.tell(("ann", "1"))
        self.turn()
        for user in ("bob", "cid"):
            self.tell(("ann", user), (user, user))
            self.assertEqual(self.turn(), [])
            self.clock.advance(ALONE)
        self.run_.answer()
        self.assertEqual(self.turn(), [('"bob"', '"cid"', '"bob"', '"cid"')])

    def test_others_wait_for_a_row(self) -> None:
        """It does not wait with those that wait for a row."""
        self.tell(("ann", "1"))
        self.turn()
        self.tell(("ann", "2"))
        self.clock.advance(ALONE)
        self.tell(("bob", "3"))
        self.assertEqual(self.turn(), [('"3"',)])

    def test_same_row(self) -> None:
        """It waits for its own row."""
        self.tell(("ann", "1"))
        self.turn()
        self.clock.advance(ALONE)
        self.tell(("ann", "2"))
        self.assertEqual(self.turn(), [])

    def test_several_run(self) -> None:
        """If many statements run, it waits: together they cost a slow database less."""
        for number in range(PASSING):
            self.tell((f"user{number}", "x"))
            self.assertEqual(self.turn(), [('"x"',)])
            self.clock.advance(ALONE)
        self.tell(("ann", "1"))
        self.assertEqual(self.turn(), [])
        self.run_.answer()
        self.assertEqual(self.turn(), [('"1"',)])

    def test_clock_went_back(self) -> None:
        """A clock that goes back holds nobody up."""
        self.clock.advance(10)
        self.tell(("ann", "1"))
        self.turn()
        self.clock.rightNow = 0.0
        self.tell(("bob", "2"))
        self.assertEqual(self.turn(), [('"2"',)])


class LateTests(BatchesCase):
    def setUp(self) -> None:
        super().setUp()
        self.first = self.tell(("ann", "1"))
        self.turn()

    def test_come(self) -> None:
        """A statement that takes long is passed by those who want other rows, as they come."""
        self.tell(("ann", "2"), ("bob", "3"))
        self.assertEqual(self.turn(), [])
        self.clock.advance(LATE)
        self.assertEqual(self.sent(), [])
        self.tell(("cid", "4"))
        self.assertEqual(self.turn(), [('"3"', '"4"')])

    def test_check(self) -> None:
        """So it is by those who have come, when somebody looks."""
        self.tell(("ann", "2"), ("bob", "3"))
        self.assertEqual(self.turn(), [])
        self.clock.advance(LATE)
        self.batches.check(-1)
        self.assertEqual(self.turn(), [('"3"',)])

    def test_then(self) -> None:
        """Those who passed it are waited for in their turn; what waits for the first goes when that
        is answered, or with the next."""
        self.clock.advance(LATE)
        self.tell(("ann", "2"), ("bob", "3"))
        self.assertEqual(self.turn(), [('"3"',)])
        self.tell(("cid", "4"))
        self.assertEqual(self.turn(), [])
        self.run_.answer()
        self.assertEqual(self.turn(), [])
        self.run_.answer()
        self.assertEqual(self.turn(), [('"2"', '"4"')])

    def test_still_late(self) -> None:
        """It does not hold those up who come when the ones that passed it are done."""
        self.clock.advance(LATE)
        self.tell(("bob", "2"))
        self.turn()
        self.run_.answers[1].callback([])
        self.tell(("bob", "3"))
        self.assertEqual(self.turn(), [('"3"',)])

    def test_since(self) -> None:
        """A statement counts as old as its last call, however long that has waited for a row."""
        self.clock.advance(LATE)
        self.tell(("ann", "2"))
        self.turn()
        since = self.clock.seconds()
        self.clock.advance(1)
        self.run_.answer()
        self.turn()
        self.assertEqual(self.run_.since, since)


class RowTests(BatchesCase):
    def test_most_of_a_row(self) -> None:
        """Of more calls for one row than may go as one, the rest is the next, in order."""
        self.tell(*(("ann", str(n)) for n in range(2 * MOST + 1)))
        for expected in (MOST, MOST, 1):
            self.assertEqual([len(texts) for texts in self.turn()], [expected])
            self.run_.answer()
        sent = [arg for _, args in self.run_.asked for arg in args]
        self.assertEqual(sent, ['{"ann"}', f'{{"{2 * MOST}"}}'])
        self.assertEqual(self.turn(), [])

    def test_no_repeats(self) -> None:
        """Where a statement may have a row but once, who wants it again goes with the next."""
        answers = self.save(("ann", "1"), ("ann", "2"), ("bob", "3"), ("ann", "4"))
        self.assertEqual(self.turn(), [('"1"', '"3"')])
        self.run_.answer()
        self.assertEqual(self.turn(), [('"2"',)])
        self.run_.answer()
        self.assertEqual(self.turn(), [('"4"',)])
        self.run_.answer()
        self.assertEqual([self.successResultOf(answer) for answer in answers], [[]] * 4)
