"""The processes of a run."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.runner.run import PART, Parts, Run, Worker, parts

PASSES = "tests.framework.core.test_clocks"
MISSING = "tests.framework.core.no_such_module"


class PartTests(SynchronousTestCase):
    """How modules are handed out."""

    def test_all(self) -> None:
        """Each module is in one part, and none has more than a few."""
        modules = [f"tests.store.test_{n}" for n in range(20)] + ["tests.framework.http.test_a"]
        found = parts(modules)
        self.assertEqual(sorted(m for part in found for m in part), sorted(modules))
        self.assertLessEqual(max(map(len, found)), PART)

    def test_first(self) -> None:
        """What takes long comes first."""
        self.assertEqual(
            parts(["tests.framework.http.test_a", "tests.faults.test_b"])[0][0][:12], "tests.faults"
        )

    def test_goes_on(self) -> None:
        """A process goes on with its folder; another begins one that none is at, while there is
        one."""
        left = Parts([["tests.a.m"], ["tests.a.n"], ["tests.b.m"], ["tests.b.n"], ["tests.b.o"]])
        asked = [left.next(process) for process in (0, 1, 0, 1, 0, 1)]
        self.assertEqual(
            [part and part[0] for part in asked],
            ["tests.a.m", "tests.b.m", "tests.a.n", "tests.b.n", "tests.b.o", None],
        )


class WorkerTests(SynchronousTestCase):
    """One process."""

    def worker(self) -> Worker:
        """One, which ends with the test."""
        made = Worker(Path(self.mktemp()).absolute())
        self.addCleanup(made.end)
        return made

    def test_several(self) -> None:
        """It runs part after part, and gives each test's outcome."""
        worker = self.worker()
        for _ in range(2):
            found = list(worker.run([PASSES]))
            self.assertGreater(len(found), 2)
            self.assertEqual({outcome.fault for outcome in found}, {""})
            self.assertTrue(all(outcome.test.startswith(PASSES) for outcome in found))

    def test_ended(self) -> None:
        """It ends by itself, as the reactor does, which threads wait for."""
        worker = self.worker()
        (found,) = worker.run(["tests.runner.waiting_thread"])
        self.assertEqual(found.fault, "")
        worker.end()
        self.assertEqual(worker._process.wait(), 0)

    def test_cut(self) -> None:
        """What a test leaves behind does not fail the next one."""
        cut, after = self.worker().run(["tests.runner.cut_work"])
        self.assertIn("DirtyReactor", cut.fault)
        self.assertEqual(after.fault, "")

    def test_missing(self) -> None:
        """A module that cannot be imported is a fault that names it, and the process goes on."""
        worker = self.worker()
        (found,) = worker.run([MISSING])
        self.assertIn("no_such_module", found.fault)
        self.assertTrue(worker.alive)

    def test_killed(self) -> None:
        """A process that ends in a part has failed it, and is not alive."""
        worker = self.worker()
        worker._process.kill()
        worker._process.wait()
        (found,) = worker.run([PASSES])
        self.assertIn(PASSES, found.fault)
        self.assertFalse(worker.alive)


class ScriptTests(SynchronousTestCase):
    """Scripts after the modules."""

    def test_status(self) -> None:
        """One passes by its status, and what it said is the fault of one that fails."""
        good, bad = (Path(self.mktemp()).absolute() for _ in range(2))
        for path, status in (good, 0), (bad, 3):
            path.write_text(f"#!/bin/sh\necho said\nexit {status}\n")
            path.chmod(0o755)
        run = Run([], (str(good), str(bad)))
        run.temp = Path(self.mktemp()).absolute()
        passed, failed = run.outcomes()
        self.assertEqual(passed.fault, "")
        self.assertEqual(failed.fault, "status 3\nsaid\n")
        self.assertEqual([o.fault[:8] for o in run.again([str(good), str(bad)])], ["", "status 3"])


class AgainTests(SynchronousTestCase):
    """Tests that are run again."""

    def test_again(self) -> None:
        """Each passes or fails anew, and no other of its module runs."""
        run = Run([])
        run.temp = Path(self.mktemp()).absolute()
        run.temp.mkdir()
        one = f"{PASSES}.MonotonicTests.test_set_back"
        good, bad = run.again([one, MISSING])
        self.assertEqual(good, (one, good.seconds, "", None))
        self.assertIn("no_such_module", bad.fault)
