"""The promise of ten seconds, and the price of the reconciler, in a model of 4 to 512 processes."""

from itertools import product

from twisted.logger import capturedLogs
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.push.reconcile import EVERY, FULL_EVERY
from contentsvc.store.processes import DEAD
from tests.push.model import CHECKED, Model
from tests.support.sizes import rounds

LATEST = 10.0
"""Seconds from a commit to the sockets."""
BEATS = 3.0


def before(users: int) -> tuple[float, float]:
    """Statements and rows each second of a process that looks at all of its users every time, and
    tests its connection and reports itself every 5 s."""
    return (1 + -(-users // CHECKED)) / EVERY + 2 / 5, users / EVERY


class ModelTests(SynchronousTestCase):
    def healthy(self, processes: int, users: int) -> None:
        """The price where nothing happens."""
        model = Model(processes, users, 1)
        model.clock.run(15)
        model.statements = model.rows = 0
        model.clock.run(60)
        statements, rows = before(users)
        now = model.statements / 60 / processes + 1 / BEATS, model.rows / 60 / processes
        print(
            f"\n{processes} processes of {users} users, each second and process: "
            f"{statements:.2f} statements before, {now[0]:.2f} now; "
            f"{rows:.1f} rows before, {now[1]:.1f} now",
            end="",
        )
        self.assertLess(now[1], rows / 14)
        self.assertLess(now[0], statements * 1.01)
        self.assertEqual(sum(each.reconciler.full_checks for each in model.processes), processes)

    def test_healthy(self) -> None:
        """Where nothing happens, a fifteenth of the rows is read, in no more statements, and nobody
        looks at all users again."""
        for processes in 4, 32, rounds(64, 64, 512):
            self.healthy(processes, 60)
        self.healthy(4, 5000)

    def faulty(self, processes: int, seed: int, every: float) -> float:
        """The longest delay of a minute or more in which something happens so often."""
        model = Model(processes, 8, seed)
        model.clock.run(10)
        for _ in range(4 + int(60 / every)):
            model.clock.run(model.random.expovariate(1 / every))
            model.happen()
        model.clock.run(25)
        what = f"{processes} processes, seed {seed}, every {every} s"
        self.assertEqual(model.missing(), [], what)
        self.assertLess(max(model.delays), LATEST, what)
        return max(model.delays)

    def test_faults(self) -> None:
        """Whatever happens to whichever process, what was committed reaches every socket in ten
        seconds, while one fault follows the other and where there are few."""
        with capturedLogs():
            for processes, seeds in (
                (4, rounds(10, 10, 30)),
                (16, rounds(3, 3, 10)),
                (64, rounds(1, 1, 2)),
                (512, rounds(0, 0, 1)),
            ):
                for seed, every in product(range(seeds), (2.0, 20.0)):
                    latest = self.faulty(processes, seed, every)
                    print(f"\n{processes} processes: latest after {latest:.2f} s", end="")

    def test_death(self) -> None:
        """After one process has died, the others look at all users at most every nine seconds, and
        no more once it is forgotten."""
        model = Model(64, 8, 1)
        model.clock.run(20)
        looks = [each.reconciler.full_checks for each in model.processes]
        model.die_silently(model.processes[0], 3)
        model.clock.run(200)
        more = [
            each.reconciler.full_checks - n for each, n in zip(model.processes, looks, strict=True)
        ][1:]
        self.assertLessEqual(max(more), 1 + DEAD // FULL_EVERY)
        self.assertGreater(min(more), 0)
