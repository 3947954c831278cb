"""The secret file: what is in it, and who may read it."""

import base64
import multiprocessing
import os
import struct
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from contentsvc.tokens import Key, Keys, KeysError

OLD, NEW = Key("old", b"o" * 32), Key("new", b"n" * 32)


def encoded(key: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(key).decode().rstrip("=")


def _generate(path: Path, gate: Any) -> list[Key]:
    gate.wait()
    return list(Keys.load_or_generate(path))


def _worker(path: Path, gate: Any, results: Any) -> None:
    results.put(_generate(path, gate))


class KeysTests(SynchronousTestCase):
    """The secret file."""

    def setUp(self) -> None:
        self.path = Path(self.mktemp())

    def load(self, text: str) -> Keys:
        """The keys of a file with this text."""
        self.path.write_text(text, "utf-8")
        self.path.chmod(0o600)
        return Keys.load(self.path)

    def refused(self, text: str, why: str) -> None:
        """Assert that it is refused in one line with the file and the reason, and no secret."""
        reason = str(self.assertRaises(KeysError, self.load, text))
        self.assertIn(str(self.path), reason)
        self.assertIn(why, reason)
        self.assertEqual(len(reason.splitlines()), 1)
        self.assertNotIn("secret", reason)

    def test_order(self) -> None:
        """The keys are in the order of the lines; comments and empty lines do not count."""
        text = f"# rotated in May\n\n new {encoded(NEW.secret)}\n\told\t{encoded(OLD.secret)}  \n"
        self.assertEqual(self.load(text), (NEW, OLD))

    def test_padding(self) -> None:
        """A key may be written with padding."""
        self.assertEqual(self.load(f"old {encoded(OLD.secret)}="), (OLD,))

    def test_generated(self) -> None:
        """A missing file is made with one random key, and only its owner may read it."""
        before = os.umask(0)
        try:
            keys = Keys.load_or_generate(self.path)
        finally:
            os.umask(before)
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o600)
        self.assertEqual((len(keys), len(keys[0].secret)), (1, 32))
        self.assertEqual(Keys.load_or_generate(self.path), keys)
        self.assertEqual([entry.name for entry in self.path.parent.iterdir()], [self.path.name])

    def test_others(self) -> None:
        """A file that its group or others may read or write is refused, found or generated."""
        self.load(f"old {encoded(OLD.secret)}")
        for mode in (0o640, 0o620, 0o604, 0o602, 0o644, 0o666, 0o777):
            self.path.chmod(mode)
            for load in (Keys.load, Keys.load_or_generate):
                reason = str(self.assertRaises(KeysError, load, self.path))
                self.assertIn(f"{self.path}: users other than its owner", reason)
                self.assertIn(f"{mode:04o}", reason)
                self.assertEqual(len(reason.splitlines()), 1)
        for mode in (0o600, 0o400, 0o700, 0o711):
            self.path.chmod(mode)
            Keys.load(self.path)

    def acl(self, *entries: tuple[int, ...]) -> None:
        """Give the file an access control list of tag, rights and perhaps an id."""
        packed = b"".join(struct.pack("<HHI", *(*entry, 0xFFFFFFFF)[:3]) for entry in entries)
        try:
            os.setxattr(self.path, "system.posix_acl_access", struct.pack("<I", 2) + packed)
        except OSError as error:
            raise SkipTest(f"no access control lists: {error}") from None

    def test_granted_to_one(self) -> None:
        """A right for one user, as systemd's LoadCredential gives it, shows in the mode's bits of
        the group, which has none."""
        self.load(f"old {encoded(OLD.secret)}")
        user, one, group, another, mask, other = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
        self.acl((user, 4), (one, 4, os.getuid() + 1), (group, 0), (mask, 4), (other, 0))
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o440)
        self.assertEqual(Keys.load(self.path), (OLD,))
        for entries in (
            ((group, 4), (mask, 4), (other, 0)),
            ((group, 0), (mask, 4), (other, 2)),
            ((group, 0), (another, 4, 7), (mask, 6), (other, 0)),
        ):
            self.acl((user, 4), (one, 4, os.getuid() + 1), *entries)
            self.assertRaises(KeysError, Keys.load, self.path)

    def test_random(self) -> None:
        """No two generated keys are the same."""
        other = self.path.with_name("other")
        self.addCleanup(other.unlink)
        first, second = Keys.load_or_generate(self.path)[0], Keys.load_or_generate(other)[0]
        self.assertNotEqual(first.secret, second.secret)
        self.assertNotEqual(first.kid, second.kid)

    def test_two_at_once(self) -> None:
        """Of processes that generate at once, all have the same key."""
        fork = multiprocessing.get_context("fork")
        gate, results = fork.Barrier(4), fork.Queue()
        workers = [fork.Process(target=_worker, args=(self.path, gate, results)) for _ in range(4)]
        for worker in workers:
            worker.start()
        found = [results.get(timeout=30) for _ in workers]
        for worker in workers:
            worker.join()
        self.assertEqual(found, [found[0]] * 4)
        self.assertEqual([entry.name for entry in self.path.parent.iterdir()], [self.path.name])

    def test_missing(self) -> None:
        """A file that is not there is named."""
        self.assertIn(str(self.path), str(self.assertRaises(KeysError, Keys.load, self.path)))

    def test_short(self) -> None:
        """A key under 32 bytes is refused."""
        self.refused(f"weak {encoded(b'x' * 31)}", "shorter than 32 bytes")

    def test_malformed(self) -> None:
        """A line that is not an id and a key is refused."""
        good = f"old {encoded(OLD.secret)}\n"
        for line in ("secret", f"a b {encoded(NEW.secret)}", "new secret=!"):
            self.refused(good + line, "")

    def test_not_ascii(self) -> None:
        """So is one of other bytes than ASCII."""
        self.refused("sch\u00fcssel secret", "ascii")

    def test_twice(self) -> None:
        """Two keys of one id are refused: either would shadow the other."""
        key = encoded(OLD.secret)
        self.refused(f"old {key}\nold {encoded(NEW.secret)}", "twice")

    def test_empty(self) -> None:
        """A file without a key is refused."""
        self.refused("# nothing\n", "no key")
