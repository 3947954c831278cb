"""Root gives back the modes that it opened for the system user, and touches nothing else."""

import os
import pwd
from pathlib import Path

import msgspec
from twisted.trial.unittest import SkipTest

from contentsvc.framework.postgres.errors import EmbeddedError
from contentsvc.framework.postgres.opened import Opened, Wish
from tests.framework.postgres.servers import Case, crash, mode, run_sql


class RootCase(Case):
    def setUp(self) -> None:
        if os.geteuid() != 0:
            raise SkipTest("needs root")


class ServerTests(RootCase):
    """Servers in a closed folder."""

    def setUp(self) -> None:
        super().setUp()
        self.closed = self.folder() / "closed"
        self.closed.mkdir(0o700)
        self.path = self.closed / "data"

    def test_stop(self) -> None:
        """At the stop each folder has its mode again, and no trace is left."""
        server = self.server(self.data(self.path))
        server.start()
        self.assertEqual((mode(self.closed.parent), mode(self.closed)), (0o701, 0o701))
        server.stop()
        self.assertEqual((mode(self.closed.parent), mode(self.closed)), (0o700, 0o700))
        self.assertEqual(server.closed, (self.closed.parent, self.closed))
        self.assertFalse((self.path / "postgres.opened").exists())

    def test_used(self) -> None:
        """Not while another process uses the server; its stop does it then."""
        server = self.server(self.data(self.path))
        server.start()
        other = self.user(self.path, "daemon")
        other.ready()
        server.stop()
        self.assertEqual(mode(self.closed), 0o701)
        other.leave()
        self.assertEqual(mode(self.closed), 0o700)

    def test_crash(self) -> None:
        """After a crash the stop that follows the next start does it."""
        self.data(self.path)
        for everything in (False, True):
            killed = self.user(self.path, "daemon")
            killed.ready()
            killed.kill()
            if everything:
                crash(self.path)
            self.assertEqual(mode(self.closed), 0o701)
            server = self.server(self.path)
            server.start()
            server.stop()
            self.assertEqual(mode(self.closed), 0o700)

    def test_failed_start(self) -> None:
        """A start that fails leaves nothing open."""
        path = self.hollow(self.path)
        self.assertRaises(EmbeddedError, self.server(path).start)
        self.assertEqual(mode(self.closed), 0o700)

    def test_another_server(self) -> None:
        """Nor is a folder closed that a server of another data folder needs."""
        one = self.server(self.data(self.path))
        one.start()
        two = self.server(self.data(self.closed / "other"))
        url = two.start()
        one.stop()
        self.assertEqual(mode(self.closed), 0o701)
        self.assertEqual(run_sql(url, "select 1"), [(1,)])
        two.stop()
        one.start()
        one.stop()
        self.assertEqual(mode(self.closed), 0o700)


class ChangeTests(RootCase):
    """Changes on their own."""

    def setUp(self) -> None:
        super().setUp()
        self.home = self.folder()
        self.record = self.home / "record"
        self.target = self.home / "target"
        self.target.mkdir(0o700)

    def opened(self) -> Opened:
        """One that goes by the record."""
        made = Opened(self.record)
        self.addCleanup(made.release)
        return made

    def widen(self, path: Path | None = None, bits: int = 0o001) -> Opened:
        """The target, opened."""
        made = self.opened()
        made.widen([Wish(path or self.target, bits, path or self.target)])
        return made

    def forged(self, was: int, owner: int = 0, bits: int = 0o600) -> None:
        """A record that says that the target was another."""
        state = self.target.stat()
        row = [str(self.target), str(self.target), state.st_dev, state.st_ino, was, 0o700]
        self.record.write_bytes(msgspec.json.encode([row]))
        self.record.chmod(bits)
        os.chown(self.record, owner, owner)

    def test_record_first(self) -> None:
        """It is written down before it is done, for root only."""
        seen: list[int] = []
        fchmod = os.fchmod
        self.patch(os, "fchmod", lambda *change: (seen.append(mode(self.record)), fchmod(*change)))
        self.widen()
        self.assertEqual((seen, mode(self.target)), ([0o600], 0o701))

    def test_record_is_not_possible(self) -> None:
        """Where it cannot be written, the stop gives it back all the same."""
        self.record.mkdir()
        made = self.widen()
        self.assertEqual(mode(self.target), 0o701)
        made.give_back(note=True)
        self.assertEqual(mode(self.target), 0o700)

    def test_again_after_a_crash(self) -> None:
        """A mode that an earlier life opened is not taken for the old mode."""
        self.widen().release()
        again = self.widen()
        self.assertEqual(again.give_back(note=True), [self.target])
        self.assertEqual(mode(self.target), 0o700)

    def test_changed_meanwhile(self) -> None:
        """A mode that somebody has changed is left alone, and forgotten."""
        made = self.widen()
        self.target.chmod(0o755)
        self.assertEqual(made.give_back(note=True), [])
        self.assertEqual(mode(self.target), 0o755)
        self.assertFalse(self.record.exists())

    def test_closed_meanwhile(self) -> None:
        """One that somebody has closed is opened again, and has that mode in the end."""
        self.widen().release()
        self.target.chmod(0o500)
        self.widen().give_back(note=True)
        self.assertEqual(mode(self.target), 0o500)

    def test_replaced(self) -> None:
        """Another folder at its place is left alone."""
        made = self.widen()
        self.target.rename(self.home / "old")
        self.target.mkdir()
        self.target.chmod(0o701)
        made.give_back(note=True)
        self.assertEqual(mode(self.target), 0o701)

    def test_link(self) -> None:
        """So is what a link at its place leads to, though it be the same."""
        made = self.widen()
        self.target.rename(self.home / "old")
        self.target.symlink_to(self.home / "old")
        made.give_back(note=True)
        self.assertEqual(mode(self.home / "old"), 0o701)

    def test_gone(self) -> None:
        """One that is gone is forgotten."""
        made = self.widen()
        self.target.rmdir()
        self.assertEqual(made.give_back(note=True), [])
        self.assertFalse(self.record.exists())

    def test_file_behind_a_link(self) -> None:
        """A program that is a link has the program itself opened, and given back."""
        program = self.home / "program"
        program.touch()
        program.chmod(0o600)
        (self.target / "link").symlink_to(program)
        made = self.opened()
        made.widen([Wish(self.target / "link", 0o004, self.target)])
        self.assertEqual(mode(program), 0o604)
        made.give_back(note=True)
        self.assertEqual(mode(program), 0o600)

    def test_held(self) -> None:
        """One that somebody else needs stays open, and written down."""
        made, other = self.widen(), self.widen()
        self.assertEqual(made.give_back(note=True), [])
        self.assertEqual(mode(self.target), 0o701)
        other.release()
        self.assertEqual(self.opened().give_back(note=True), [self.target])
        self.assertEqual(mode(self.target), 0o700)

    def test_forged(self) -> None:
        """A record never adds a bit, whatever it says."""
        self.forged(was=0o4777)
        self.opened().give_back(note=True)
        self.assertEqual(mode(self.target), 0o700)

    def test_not_of_root(self) -> None:
        """One that another user has written, or may write, is not read."""
        nobody = pwd.getpwnam("nobody").pw_uid
        for owner, bits in ((nobody, 0o600), (0, 0o666)):
            self.forged(was=0o100, owner=owner, bits=bits)
            self.opened().give_back(note=False)
            self.assertEqual(mode(self.target), 0o700)

    def test_nonsense(self) -> None:
        """Nor is one that holds something else."""
        for text in ("", "{}", '[["a"]]', "[[1,2,3,4,5,6]]", "\x00"):
            self.record.write_text(text)
            self.record.chmod(0o600)
            self.assertEqual(self.opened().give_back(note=False), [])
