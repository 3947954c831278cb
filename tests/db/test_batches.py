"""Which writes go to the database as one, who waits for whom, and who gets what of the answer."""

from collections.abc import Sequence

from psycopg2 import DatabaseError, IntegrityError
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.db.batches import LATE, MOST, Batches
from contentsvc.db.errors import BadValue, Cause, Refused, Unavailable
from contentsvc.db.statement import Batch, Row, Statement

TELL = Statement("tell", "insert into told select :user, :text", ["user", "text"], [False, False])
SAVE = Statement("save", "insert into saved select :user, :text", ["user", "text"], [False, False])
BY_USER, ONCE = Batch(("user",)), Batch(("user",), repeats=False)


class Run:
    """Remembers what is to run, and answers when the test says so."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Row]] = []
        self.answers: list[Deferred[list[Row]]] = []

    def __call__(self, statement: Statement, args: Row) -> Deferred[list[Row]]:
        self.asked.append((statement.name, args))
        self.answers.append(Deferred())
        return self.answers[-1]

    def answer(self, *rows: Row) -> None:
        """To the oldest statement without one."""
        self.answers.pop(0).callback(list(rows))

    def fail(self, error: Exception) -> None:
        """The same."""
        self.answers.pop(0).errback(error)


class BatchesCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.run_ = Run()
        self.batches = Batches(self.clock, self.run_)

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
    def test_next(self) -> None:
        """What comes while a statement is under way is the next, all of it, in order."""
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

    def test_look(self) -> None:
        """So it is by those who have come, when somebody looks."""
        self.tell(("ann", "2"), ("bob", "3"))
        self.assertEqual(self.turn(), [])
        self.clock.advance(LATE)
        self.batches.look(-1)
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


class ErrorTests(BatchesCase):
    def test_bad_call(self) -> None:
        """An error fails the call alone whose fault it is."""
        answers = self.tell(*((f"user{n}", str(n)) for n in range(8)))
        self.turn()
        runs = 0
        while self.run_.answers:
            runs += 1
            texts = self.sent().pop()
            if '"5"' in texts:
                self.run_.fail(BadValue("5"))
            else:
                self.run_.answer(*((n, text) for n, text in enumerate(texts, 1)))
        self.failureResultOf(answers.pop(5), BadValue)
        found = [self.successResultOf(answer) for answer in answers]
        self.assertEqual(found, [[(f'"{n}"',)] for n in range(8) if n != 5])
        # The halves, and theirs: not each alone.
        self.assertEqual(runs, 7)

    def test_all_bad(self) -> None:
        """So it is where all are at fault."""
        answers = self.tell(("ann", "1"), ("ann", "2"), ("bob", "3"))
        self.turn()
        while self.run_.answers:
            self.run_.fail(BadValue("no"))
        for answer in answers:
            self.failureResultOf(answer, BadValue)

    def test_unlike_calls(self) -> None:
        """A call with too few arguments fails at once, and goes with no others."""
        self.assertRaises(TypeError, self.batches.rows, TELL, BY_USER, ("ann",))
        self.assertEqual(self.turn(), [])

    def test_refused(self) -> None:
        """What a constraint refuses, or Postgres by another code, is such an error."""
        failing = IntegrityError()
        failing.__setstate__({"pgcode": "21000"})
        for error in (Refused("a_key"), failing):
            answers = self.tell(("ann", "1"), ("bob", "2"))
            self.turn()
            self.run_.fail(error)
            self.run_.fail(error)
            self.run_.answer((1,))
            self.failureResultOf(answers[0], type(error))
            self.assertEqual(self.successResultOf(answers[1]), [()])
            self.turn()

    def test_unknown_outcome(self) -> None:
        """After an error that says nothing of what was committed, nothing is sent again."""
        for error in (DatabaseError("no result"), RuntimeError()):
            answers = self.tell(("ann", "1"), ("bob", "2"))
            self.turn()
            self.run_.asked = []
            self.run_.fail(error)
            for answer in answers:
                self.failureResultOf(answer, type(error))
            self.assertEqual(self.run_.asked, [])

    def test_odd_rows(self) -> None:
        """Nor is it where the rows are of calls that there are not."""
        answers = self.tell(("ann", "1"), ("bob", "2"))
        self.turn()
        self.run_.answer((3,))
        for answer in answers:
            self.failureResultOf(answer, IndexError)
        self.assertEqual(self.turn(), [])

    def test_row_while_found_out(self) -> None:
        """Until it is found out whose fault it is, who wants the same rows waits."""
        answers = self.tell(("ann", "1"), ("bob", "2"))
        self.turn()
        self.run_.fail(BadValue("no"))
        self.tell(("bob", "3"))
        self.assertEqual(self.turn(), [])
        self.run_.answer()
        self.run_.fail(BadValue("no"))
        self.failureResultOf(answers[1], BadValue)
        self.assertEqual(self.turn(), [('"3"',)])

    def test_one_fate(self) -> None:
        """Where the database cannot serve, nobody of the batch asks it again."""
        answers = self.tell(("ann", "1"), ("bob", "2"))
        self.turn()
        self.run_.asked = []
        self.run_.fail(Unavailable("gone"))
        self.failed(answers, "outage")
        self.assertEqual(self.run_.asked, [])

    def test_outage(self) -> None:
        """Those who waited for the row try then."""
        first = self.tell(("ann", "1"))
        self.turn()
        (waiting,) = self.tell(("ann", "2"))
        self.turn()
        self.run_.fail(Unavailable("gone"))
        self.failed(first, "outage")
        self.assertEqual(self.turn(), [('"2"',)])
        self.run_.answer((1,))
        self.assertEqual(self.successResultOf(waiting), [()])

    def test_lock(self) -> None:
        """After a lock or a time-out those who waited for the row fail too: they would wait as
        long. Others go on."""
        causes: tuple[Cause, ...] = ("lock", "time-out")
        for cause in causes:
            answers = self.tell(("ann", "1"))
            self.turn()
            self.clock.advance(LATE)
            answers += self.tell(("ann", "2"), ("ann", "3"))
            others = self.tell(("bob", "4"))
            self.assertEqual(self.turn(), [('"4"',)])
            self.run_.fail(Unavailable("held", cause))
            self.failed(answers, cause)
            self.unanswered(others)
            self.run_.answer()
            self.tell(("ann", "5"))
            self.assertEqual(self.turn(), [('"5"',)])
            self.run_.answer()

    def test_expire(self) -> None:
        """Who has waited for a row for too long fails; what has been sent does not."""
        answers = self.tell(("ann", "1"), ("bob", "2"))
        self.turn()
        self.clock.advance(LATE)
        late = self.tell(("ann", "3"), ("bob", "4"))
        self.turn()
        self.clock.advance(2)
        in_time = self.tell(("ann", "5"))
        self.clock.advance(0)
        self.batches.look(1)
        self.failed(late, "lock")
        self.unanswered([*answers, *in_time])
        self.run_.answer((1,), (2,))
        self.assertEqual(self.turn(), [('"5"',)])
