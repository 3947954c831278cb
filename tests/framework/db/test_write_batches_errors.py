"""Whose fault an error of a batch is, who else feels it, and what is sent again."""

from psycopg2 import DatabaseError, IntegrityError

from contentsvc.framework.db.errors import BadValue, Cause, Refused, Unavailable
from contentsvc.framework.db.write_batches import LATE
from tests.framework.db.test_write_batches import BY_USER, TELL, BatchesCase, quoted


class ErrorTests(BatchesCase):
    def test_bad_call(self) -> None:
        """An error fails the call alone whose fault it is."""
        answers = self.tell(*((f"user{n}", str(n)) for n in range(8)))
        self.turn()
        self.answer_all_but('"5"')
        # The halves, and theirs: not each alone.
        self.assertEqual(len(self.run_.asked), 7)
        self.failureResultOf(answers.pop(5), BadValue)
        found = [self.successResultOf(answer) for answer in answers]
        self.assertEqual(found, [[(f'"{n}"',)] for n in range(8) if n != 5])

    def test_bad_call_of_a_row(self) -> None:
        """So it is among calls for one row, which keep their order."""
        answers = self.tell(*(("ann", str(n)) for n in range(4)))
        self.turn()
        self.answer_all_but('"1"')
        self.assertEqual(
            self.sent(), [quoted("0123"), quoted("01"), quoted("0"), quoted("1"), quoted("23")]
        )
        self.failureResultOf(answers.pop(1), BadValue)
        found = [self.successResultOf(answer) for answer in answers]
        self.assertEqual(found, [[('"0"',)], [('"2"',)], [('"3"',)]])

    def test_bad_row_goes_apart(self) -> None:
        """The row of a call that was refused shares no statement with others for a while, so that
        it spoils none."""
        self.tell(("ann", "1"), ("bob", "2"))[0].addErrback(lambda failure: None)
        self.turn()
        self.answer_all_but('"1"')
        self.tell(("ann", "3"), ("bob", "4"), ("ann", "5"), ("cid", "6"))
        self.assertEqual(self.turn(), [('"3"', '"5"'), ('"4"', '"6"')])
        self.answer_all_but()
        self.tell(("bob", "7"), ("ann", "8"), ("cid", "9"))
        self.assertEqual(self.turn(), [('"7"', '"9"'), ('"8"',)])
        self.answer_all_but()
        self.clock.advance(1)
        self.batches.check(0.5)
        self.tell(("bob", "10"), ("ann", "11"))
        self.assertEqual(self.turn(), [('"10"', '"11"')])

    def test_apart_delays_nobody(self) -> None:
        """While a row that is sent separately is written, others are sent at once."""
        self.tell(("ann", "1"))[0].addErrback(lambda failure: None)
        self.turn()
        self.answer_all_but('"1"')
        self.tell(("ann", "2"))
        self.turn()
        self.tell(("ann", "3"), ("bob", "4"))
        self.assertEqual(self.turn(), [('"4"',)])

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
        """A refusal by a constraint is such an error, and so is one by another code of Postgres."""
        failing = IntegrityError()
        failing.__setstate__({"pgcode": "21000"})
        for error in (Refused("a_key"), failing):
            bad, good = self.tell((f"ann{error}", "1"), (f"bob{error}", "2"))
            self.turn()
            self.run_.fail(error)
            self.run_.fail(error)
            self.failureResultOf(bad, type(error))
            self.run_.answer((1,))
            self.assertEqual(self.successResultOf(good), [()])
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

    def test_lock_among_rows(self) -> None:
        """If a batch with several rows cannot have a lock, each row is tried by itself. Only the
        row that fails again fails its calls, and is sent separately from then on."""
        self.tell_locked()
        self.assertEqual(self.sent(), [('"1"', '"2"', '"3"'), ('"1"', '"3"'), ('"2"',)])
        self.run_.fail(Unavailable("held", "lock"))
        self.failed(self.of_ann, "lock")
        self.run_.answer((1, "b"))
        self.assertEqual(self.successResultOf(self.of_bob), [("b",)])
        self.tell(("ann", "5"), ("bob", "6"), ("cid", "7"))
        self.assertEqual(self.turn(), [('"5"',), ('"6"', '"7"')])

    def test_lock_released(self) -> None:
        """A row that was written meanwhile lets those go on that wait for it, and stays with the
        others."""
        self.tell_locked()
        self.run_.answer((1, "a"), (2, "c"))
        found = [self.successResultOf(answer) for answer in self.of_ann[:2]]
        self.assertEqual(found, [[("a",)], [("c",)]])
        self.run_.answer((1, "b"))
        self.tell(("bob", "5"))
        self.assertEqual(self.turn(), [('"4"', '"5"')])

    def tell_locked(self) -> None:
        """Calls of which those for ann want what somebody else has locked; one of them waits."""
        ann, self.of_bob, more = self.tell(("ann", "1"), ("bob", "2"), ("ann", "3"))
        self.turn()
        self.of_ann = [ann, more, *self.tell(("ann", "4"))]
        self.run_.fail(Unavailable("held", "lock"))

    def test_expire(self) -> None:
        """A call that has waited too long for a row fails. A call that has been sent does not."""
        answers = self.tell(("ann", "1"), ("bob", "2"))
        self.turn()
        self.clock.advance(LATE)
        late = self.tell(("ann", "3"), ("bob", "4"))
        self.turn()
        self.clock.advance(2)
        in_time = self.tell(("ann", "5"))
        self.clock.advance(0)
        self.batches.check(1)
        self.failed(late, "lock")
        self.unanswered([*answers, *in_time])
        self.run_.answer((1,), (2,))
        self.assertEqual(self.turn(), [('"5"',)])
