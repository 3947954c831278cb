"""Turns: whatever comes when, none is lost, none is left idle, and one's many wait for others."""

from collections import Counter
from random import Random

from twisted.internet.defer import Deferred, succeed
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.passwords import Full, Turns

AT_ONCE, MOST = 2, 8


class Work:
    """Jobs that last until they are told to end, and what became of them."""

    def __init__(self) -> None:
        self.turns = Turns(AT_ONCE, MOST)
        self.running: dict[str, Deferred[str]] = {}
        self.begun: list[str] = []
        self.ended: dict[str, object] = {}

    def ask(self, who: str, name: str) -> None:
        """One more job of somebody."""

        def act() -> Deferred[str]:
            self.begun.append(name)
            self.running[name] = Deferred()
            return self.running[name]

        def end(result: object) -> None:
            assert name not in self.ended, name
            self.ended[name] = result

        self.turns.run(who, act).addCallbacks(end, lambda failure: end(failure.type))

    def end(self, name: str, error: Exception | None = None) -> None:
        """Have a job end."""
        if error is None:
            self.running.pop(name).callback(name)
        else:
            self.running.pop(name).errback(error)

    def full(self) -> list[str]:
        """Those for whom there was no place."""
        return [name for name, result in self.ended.items() if result is Full]


class TurnsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.work = Work()

    def ask(self, *names: str) -> None:
        """Jobs of whom the first letter stands for."""
        for name in names:
            self.work.ask(name[0], name)

    def test_at_once(self) -> None:
        """So many are done at a time, the next when one ends, well or not."""
        self.ask("a1", "a2", "a3", "a4")
        self.assertEqual(self.work.begun, ["a1", "a2"])
        self.work.end("a2", ValueError())
        self.work.end("a1")
        self.assertEqual(self.work.begun, ["a1", "a2", "a3", "a4"])
        self.assertEqual(self.work.ended, {"a2": ValueError, "a1": "a1"})

    def test_turns(self) -> None:
        """A newcomer comes before the many of another, and each has a turn in a round."""
        self.ask("a1", "a2", "a3", "a4", "a5", "b1", "c1", "b2")
        for name in ("a1", "a2", "a3", "b1", "c1", "a4"):
            self.work.end(name)
        self.assertEqual(self.work.begun[2:], ["a3", "b1", "c1", "a4", "b2", "a5"])

    def test_full(self) -> None:
        """Where there is no place, the longest line loses its last to one who has fewer."""
        self.ask(*(f"a{n}" for n in range(AT_ONCE + MOST)))
        self.ask("a!")
        self.assertEqual(self.work.full(), ["a!"])
        self.ask("b1", "c1", "b2")
        self.assertEqual(self.work.full(), ["a!", "a9", "a8", "a7"])

    def test_full_of_equals(self) -> None:
        """None is sent away for one who has as many."""
        self.ask("x1", "x2", *"abcdefgh", "i", "a")
        self.assertEqual(self.work.full(), ["i", "a"])

    def test_shallow(self) -> None:
        """Thousands that are done at once are no deeper than one."""
        turns = Turns(1, 5000)
        first: Deferred[None] = Deferred()
        turns.run("a", lambda: first)
        many = [turns.run("a", lambda: succeed(None)) for _ in range(5000)]
        first.callback(None)
        for each in many:
            self.successResultOf(each)

    def test_raises(self) -> None:
        """One that cannot even begin gives its place on."""

        def act() -> Deferred[None]:
            raise ValueError

        for _ in range(AT_ONCE + 1):
            self.failureResultOf(self.work.turns.run("a", act), ValueError)
        self.ask("a1", "a2")
        self.assertEqual(self.work.begun, ["a1", "a2"])

    def test_any_order(self) -> None:
        """In any order of events: none is idle while some wait, as many wait as may, and no more;
        each has one end, only the longest line loses of it, and nobody's next waits for more than
        a round."""
        for seed in range(60):
            random = Random(seed)
            work = self.work = Work()
            asked: list[str] = []
            waiting: list[str] = []
            lost = 0
            for n in range(300):
                if random.random() < 0.6:
                    # One of them floods.
                    who = random.choice("aaaaaaaaaaaabcde")
                    asked.append(f"{who}{n}")
                    self.ask(asked[-1])
                elif work.running:
                    name = random.choice(sorted(work.running))
                    work.end(name, random.choice((None, None, ValueError())))
                for name in work.full()[lost:]:
                    self.assertEqual(len(waiting), MOST, name)
                    # It was one of the longest line, with itself in it.
                    lines = Counter(name[0] for name in [*waiting, asked[-1]])
                    self.assertEqual(lines[name[0]], max(lines.values()), (name, lines))
                lost = len(work.full())
                waiting = [name for name in asked if name not in {*work.begun, *work.ended}]
                self.assertLessEqual(len(waiting), MOST)
                self.assertEqual(len(work.running), min(AT_ONCE, len(work.running) + len(waiting)))
            while work.running:
                work.end(next(iter(work.running)))
            self.assertCountEqual(work.ended, asked)
            for who in "abcde":
                mine = [name for name in work.begun if name[0] == who]
                self.assertEqual(mine, sorted(mine, key=lambda name: int(name[1:])))
            self.assert_rounds(work, asked)
            self.assert_free(work)

    def assert_free(self, work: Work) -> None:
        """Assert that there are all places again, to work and to wait."""
        begun, full = len(work.begun), len(work.full())
        for n in range(AT_ONCE + MOST):
            work.ask("z", f"z{n}")
        self.assertEqual((len(work.begun) - begun, len(work.full())), (AT_ONCE, full))
        work.ask("z", "z-last")
        self.assertEqual(len(work.full()), full + 1)

    def assert_rounds(self, work: Work, asked: list[str]) -> None:
        """Assert that between one's asking, with none before it, and its turn, nobody had two."""
        order = {name: n for n, name in enumerate(asked)}
        for place, name in enumerate(work.begun):
            before = [each for each in work.begun[:place] if each[0] == name[0]]
            since = place - 1
            while since >= 0 and work.begun[since][0] != name[0]:
                since -= 1
            others = [e[0] for e in work.begun[since + 1 : place] if order[e] > order[name]]
            if before or others:
                self.assertLessEqual(max(map(others.count, others), default=0), 1, name)
