"""What a procedure answers, and which of its calls run again."""

from msgspec import json
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import BadValue, Refused, Unavailable
from contentsvc.framework.db.procedure import alone, outcomes, unpacked
from contentsvc.framework.db.statement import Batch, Row, Statement
from tests.framework.db.test_write_batches import BatchesCase

SEND = Statement("send", "call send(:user, :text, null)", ["user", "text"], [False, False])


def fault(n: int, code: str) -> Row:
    """The row of the error of the `n`th call, with this SQLSTATE."""
    answer = json.encode([{"n": n, "code": code, "name": "of_a_row", "reason": "no"}])
    (row,) = unpacked([(answer.decode(),)])
    return row


class AnswerTests(SynchronousTestCase):
    def test_rows(self) -> None:
        """Its rows come as JSON."""
        self.assertEqual(unpacked([('[[1,"a"],[2,null]]',)]), [(1, "a"), (2, None)])
        self.assertEqual(unpacked([("[]",)]), [])

    def test_error(self) -> None:
        """An error is the one that it would be of a statement."""
        for code in ("23503", "23505"):
            refused = fault(2, code)[1]
            self.assertIsInstance(refused, Refused)
            self.assertEqual(refused.constraint, "of_a_row")
        for code in ("55P03", "40P01"):
            locked = fault(2, code)[1]
            self.assertIsInstance(locked, Unavailable)
            self.assertEqual(locked.cause, "lock")
        self.assertIsInstance(fault(2, "22003")[1], BadValue)

    def test_tried(self) -> None:
        """The calls after the error have no outcome."""
        error = fault(3, "23503")
        self.assertEqual(outcomes([(2, "b"), (2, "c"), error], 5), [[], [("b",), ("c",)], error[1]])
        self.assertEqual(outcomes([(2, "b")], 3), [[], [("b",)], []])
        self.assertEqual(outcomes([], 1), [[]])

    def test_alone(self) -> None:
        """A lone call has its rows, or raises its error."""
        self.assertEqual(alone([(1, "a"), (1, "b")]), [("a",), ("b",)])
        self.assertRaises(Refused, alone, [fault(1, "23503")])


class RunTests(BatchesCase):
    """A procedure has committed the calls before the one that fails. They do not run again."""

    def send(self, *calls: tuple[str, str]) -> list[Deferred[list[Row]]]:
        """Calls of one turn: a user and a text each."""
        return [self.batches.rows(SEND, Batch(("user",)), call) for call in calls]

    def test_refused(self) -> None:
        """Those before the refused call are answered at once. Those after it run next, as one."""
        ann, bob, cid, dan = self.send(("ann", "1"), ("bob", "2"), ("cid", "3"), ("dan", "4"))
        self.turn()
        self.run_.asked = []
        self.run_.answer((1, "a"), fault(2, "23503"))
        self.assertEqual(self.successResultOf(ann), [("a",)])
        self.failureResultOf(bob, Refused)
        self.unanswered([cid, dan])
        self.assertEqual(self.sent(), [('"3"', '"4"')])
        self.run_.answer((2, "d"))
        self.assertEqual(self.successResultOf(cid), [])
        self.assertEqual(self.successResultOf(dan), [("d",)])

    def test_refused_first_and_last(self) -> None:
        """It is the same where the first call is refused, and the last one."""
        ann, bob = self.send(("ann", "1"), ("bob", "2"))
        self.turn()
        self.run_.answer(fault(1, "23503"))
        self.failureResultOf(ann, Refused)
        self.run_.answer(fault(1, "23505"))
        self.failureResultOf(bob, Refused)
        self.assertEqual(self.turn(), [])

    def test_one_row(self) -> None:
        """So it is if all want the same row. Who waits for it goes on after them."""
        one, two, three = self.send(("ann", "1"), ("ann", "2"), ("ann", "3"))
        self.turn()
        (waiting,) = self.send(("ann", "4"))
        self.turn()
        self.run_.asked = []
        self.run_.answer((1, "a"), fault(2, "23503"))
        self.assertEqual(self.successResultOf(one), [("a",)])
        self.failureResultOf(two, Refused)
        self.assertEqual(self.sent(), [('"3"',)])
        self.assertEqual(self.turn(), [])
        self.run_.answer((1, "c"))
        self.assertEqual(self.successResultOf(three), [("c",)])
        self.assertEqual(self.turn(), [('"4"',)])
        self.unanswered([waiting])

    def test_locked(self) -> None:
        """After a lock, who wants the same row fails too. The other rows are tried one by one, and
        the locked one goes apart."""
        calls = self.send(("ann", "1"), ("bob", "2"), ("cid", "3"), ("bob", "4"), ("dan", "5"))
        self.turn()
        waiting = self.send(("bob", "6"), ("cid", "7"))
        self.turn()
        self.run_.asked = []
        self.run_.answer((1, "a"), fault(2, "55P03"))
        self.assertEqual(self.successResultOf(calls[0]), [("a",)])
        self.failed([calls[1], calls[3], waiting[0]], "lock")
        self.assertEqual(self.sent(), [('"3"',), ('"5"',)])
        self.run_.answer((1, "c"))
        self.run_.answer((1, "d"))
        self.assertEqual(self.successResultOf(calls[2]), [("c",)])
        self.assertEqual(self.successResultOf(calls[4]), [("d",)])
        self.send(("bob", "8"), ("ann", "9"))
        self.assertEqual(self.turn(), [('"7"', '"9"'), ('"8"',)])

    def test_unknown_outcome(self) -> None:
        """After an error of the whole call nobody runs again, whatever the error: the first may
        have been committed."""
        internal = type("Internal", (Exception,), {"pgcode": "XX000"})()
        for error in (Unavailable("slow", "time-out"), Unavailable("gone"), internal, Refused("x")):
            calls = self.send(("ann", "1"), ("bob", "2"))
            self.turn()
            self.run_.asked = []
            self.run_.fail(error)
            for call in calls:
                self.failureResultOf(call, type(error))
            self.assertEqual(self.run_.asked, [])

    def test_bad_value(self) -> None:
        """A value that cannot be sent spoils no other call, of one row or several."""
        for users in (("ann", "bob", "cid"), ("ann", "ann", "ann")):
            calls = self.send(*zip(users, "123", strict=True))
            self.turn()
            self.answer_all_but('"2"')
            self.failureResultOf(calls[1], BadValue)
            self.assertEqual(self.successResultOf(calls[0]), [('"1"',)])
            self.assertEqual(self.successResultOf(calls[2]), [('"3"',)])
            self.batches.look(1e9)

    def test_bad_value_and_refused(self) -> None:
        """Of the calls for one row, those after a refused one run again, not those before."""
        calls = self.send(*(("ann", digit) for digit in "1234"))
        self.turn()
        self.run_.fail(BadValue("no"))
        self.run_.answer(fault(1, "23503"))
        self.failureResultOf(calls[0], Refused)
        self.assertEqual(self.sent()[-1], ('"2"', '"3"', '"4"'))
        self.run_.answer((1, "b"), (2, "c"), (3, "d"))
        for call, row in zip(calls[1:], "bcd", strict=True):
            self.assertEqual(self.successResultOf(call), [(row,)])
