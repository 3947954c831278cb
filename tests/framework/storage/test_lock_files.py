"""Names of files that say which process writes them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.storage.lock_files import LockFiles

BOOT = "6fb0414a-2a09-4111-a1cb-da315c93c10e"
OTHER_BOOT = "00000000-2a09-4111-a1cb-da315c93c10e"


class Machine:
    """A procfs as the processes of one pid namespace see it."""

    def __init__(
        self, root: Path, *, boot: str = BOOT, namespace: str = "pid:[4026531836]"
    ) -> None:
        self.root = root
        self.namespace = namespace
        self.hidden: set[int] = set()
        (root / "sys/kernel/random").mkdir(parents=True)
        (root / "sys/kernel/random/boot_id").write_text(f"{boot}\n")

    def run(self, pid: int, start: int, *, state: str = "S", name: str = "python") -> LockFiles:
        """Begin a process, or change one. What it sees."""
        folder = self.root / str(pid)
        if not folder.exists():
            (folder / "ns").mkdir(parents=True)
            (folder / "ns" / "pid").symlink_to(self.namespace)
        fields = [state, *"1" * 18, str(start), *"1" * 30]
        (folder / "stat").write_text(f"{pid} ({name}) {' '.join(fields)}\n")
        return self.seen_by(pid)

    def seen_by(self, pid: int) -> LockFiles:
        """What a process sees."""
        return LockFiles(self.root, pid=lambda: self.turn(pid), kill=self.kill)

    def turn(self, pid: int) -> int:
        """Let `self` be this process."""
        (self.root / "self").unlink(missing_ok=True)
        (self.root / "self").symlink_to(str(pid))
        return pid

    def end(self, pid: int) -> None:
        """No process has this number any more."""
        (self.root / str(pid) / "stat").unlink()

    def kill(self, pid: int, number: int) -> None:
        """That of os, for somebody who may signal nobody."""
        assert number == 0
        if pid in self.hidden:
            raise PermissionError
        if not (self.root / str(pid) / "stat").exists():
            raise ProcessLookupError


class OwnersTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.machine = self.another()
        self.here = self.machine.run(10, 500)

    def another(self, **how: str) -> Machine:
        """One more kernel or container."""
        root = Path(self.mktemp())
        return Machine(root, **how)

    def test_names(self) -> None:
        """Names differ, and are good names of files."""
        names = {self.here.name() for _ in range(10)}
        self.assertEqual(len(names), 10)
        for name in names:
            self.assertRegex(name, rf"^{BOOT}\.4026531836\.10\.500\.[0-9a-f]{{32}}$")

    def test_runs(self) -> None:
        """A process that runs is not gone, in whatever state, nor is the caller."""
        for state in "RSDTtI":
            name = self.machine.run(11, 501, state=state).name()
            self.assertFalse(self.here.gone(name), state)
        self.assertFalse(self.here.gone(self.here.name()))

    def test_ended(self) -> None:
        """One that has ended is gone."""
        name = self.machine.run(11, 501).name()
        self.machine.end(11)
        self.assertTrue(self.here.gone(name))

    def test_zombie(self) -> None:
        """One is gone whose parent has not yet asked how it ended."""
        name = self.machine.run(11, 501).name()
        for state in "ZX":
            self.machine.run(11, 501, state=state)
            self.assertTrue(self.here.gone(name), state)

    def test_used_again(self) -> None:
        """One is gone whose number another process has now, the caller too."""
        name = self.machine.run(11, 501).name()
        self.machine.run(11, 502)
        self.assertTrue(self.here.gone(name))
        earlier = self.here.name()
        self.machine.run(10, 503)
        self.assertTrue(self.here.gone(earlier))

    def test_fork(self) -> None:
        """A process that forks gives each side names of its own."""
        pids = [10]
        owners = LockFiles(
            self.machine.root,
            pid=lambda: self.machine.turn(pids[-1]),
            kill=self.machine.kill,
        )
        before = owners.name()
        self.machine.run(12, 600)
        pids.append(12)
        self.assertIn(".12.600.", owners.name())
        self.assertFalse(owners.gone(before))
        self.machine.end(10)
        self.assertTrue(owners.gone(before))

    def test_any_program(self) -> None:
        """The name of a program may look like the fields behind it."""
        name = self.machine.run(11, 501, name="a) Z 1 (b c\n) Z").name()
        self.assertIn(".11.501.", name)
        self.assertFalse(self.here.gone(name))

    def test_hidden(self) -> None:
        """One that procfs hides from the caller is not gone as long as it can be asked for."""
        name = self.machine.run(11, 501).name()
        self.machine.end(11)
        self.machine.hidden.add(11)
        self.assertFalse(self.here.gone(name))

    def test_elsewhere(self) -> None:
        """Nothing is known of processes of another boot, another machine or another container,
        whatever runs here."""
        for other in (self.another(boot=OTHER_BOOT), self.another(namespace="pid:[4026532000]")):
            for pid, start in (10, 500), (10, 501), (99, 500):
                name = other.run(pid, start).name()
                self.assertRegex(name, rf"\.{pid}\.{start}\.")
                self.assertFalse(self.here.gone(name), name)

    def test_unreadable(self) -> None:
        """Where a fact cannot be read, names have no owner, and nobody is gone."""
        dead = self.machine.run(11, 501).name()
        self.machine.end(11)
        self.assertTrue(self.here.gone(dead))
        for missing in ("sys/kernel/random/boot_id", "10/ns/pid"):
            (self.machine.root / missing).rename(self.machine.root / "away")
            self.assertRegex(self.here.name(), r"^[0-9a-f]{32}$")
            self.assertFalse(self.here.gone(dead))
            (self.machine.root / "away").rename(self.machine.root / missing)
        self.machine.end(10)
        self.assertRegex(self.here.name(), r"^[0-9a-f]{32}$")

    def test_no_procfs(self) -> None:
        """So it is where there is no procfs."""
        none = LockFiles(Path(self.mktemp()))
        self.assertRegex(none.name(), r"^[0-9a-f]{32}$")
        self.assertFalse(none.gone(self.here.name()))

    def test_procfs_of_others(self) -> None:
        """So it is where procfs shows another namespace, with other numbers."""
        dead = self.machine.run(11, 501).name()
        self.machine.end(11)
        self.machine.turn(10)
        inside = LockFiles(self.machine.root, pid=lambda: 1)
        self.assertRegex(inside.name(), r"^[0-9a-f]{32}$")
        self.assertFalse(inside.gone(dead))

    def test_strange_facts(self) -> None:
        """So it is where they are not as Linux writes them."""
        dead = self.machine.run(11, 501).name()
        for text in ("", "11 (python", "11 (python) S 1 1", f"11 (python) {'x ' * 30}"):
            (self.machine.root / "11" / "stat").write_text(text)
            self.assertFalse(self.here.gone(dead), text)
            self.assertRegex(self.machine.seen_by(11).name(), r"^[0-9a-f]{32}$")
        (self.machine.root / "10/ns/pid").unlink()
        (self.machine.root / "10/ns/pid").symlink_to("pid")
        self.assertRegex(self.here.name(), r"^[0-9a-f]{32}$")

    def test_other_names(self) -> None:
        """A name that was not made so has no owner that could be gone."""
        place = f"{BOOT}.4026531836"
        unique = "0" * 32
        for name in (
            "",
            "old",
            unique,
            f"{place}.0.500.{unique}",
            f"{place}.-1.500.{unique}",
            f"{place}.{'9' * 30}.500.{unique}",
            f"{place}.11.x.{unique}",
            f"{place}.11.501.{unique}.png",
            f"{place}.11.501.",
            f"x{place}.11.501.{unique}",
            f"{place}.\u0661\u0661.501.{unique}",
        ):
            self.assertFalse(self.here.gone(name), name)


class RealTests(SynchronousTestCase):
    """Processes of this machine."""

    def begun(self) -> tuple["subprocess.Popen[str]", str, str]:
        """A process that has forked and waits, its name, and that of its child."""
        code = (
            "import os, sys\n"
            "from contentsvc.framework.storage.lock_files import LockFiles\n"
            "owners = LockFiles()\n"
            "print(owners.name(), flush=True)\n"
            "child = os.fork()\n"
            "if not child:\n"
            "    print(owners.name(), flush=True)\n"
            "    os._exit(0)\n"
            "os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)\n"
            "print('ended', flush=True)\n"
            "sys.stdin.read()\n"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdin is not None
        assert process.stdout is not None
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stdout.close)
        first, second, ended = [process.stdout.readline().strip() for _ in range(3)]
        self.assertEqual(ended, "ended")
        return process, first, second

    def test_killed(self) -> None:
        """A process counts as gone once it is killed, a zombie at once, and not before."""
        process, parent, child = self.begun()
        owners = LockFiles()
        self.assertFalse(owners.gone(parent))
        self.assertTrue(owners.gone(child), "a zombie")
        process.send_signal(signal.SIGKILL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        self.assertTrue(owners.gone(parent), "a zombie too")
        process.wait()
        self.assertTrue(owners.gone(parent))

    def test_here(self) -> None:
        """The caller itself runs."""
        owners = LockFiles()
        self.assertFalse(owners.gone(owners.name()))
