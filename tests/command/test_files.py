"""`contentsvc files`: what files take, and how the commands refuse."""

from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.command import files
from contentsvc.command.files import Usage
from contentsvc.store.files.inventory import LARGEST, Sum, User, UserTotals
from tests.command.test_cli import CommandCase
from tests.support.databases import guid

GIB = 1024**3


class TextTests(SynchronousTestCase):
    def test_lines(self) -> None:
        """Each number has its line, and the users with most follow."""
        usage = Usage(
            content=Sum(1200, 5 * GIB),
            media=Sum(30, 7_000_000),
            unclaimed=Sum(4, 2048),
            missing=3,
            collecting=1,
            blocked=2,
            clearing=1,
            counted=UserTotals(20, 6 * GIB, 5),
            largest=[User(guid(), "ada", 2 * GIB, 1100, 0), User(guid(), "bob", GIB, 8, 5)],
        )
        self.assertEqual(
            files.lines(usage),
            [
                "Content bucket:      1,200 files, 5.0 GiB",
                "Media bucket:        30 files, 6.7 MiB",
                "Not published:       4 files, 2.0 KiB",
                "Without bytes:       3 files",
                "Being deleted:       1 file",
                "Blocked:             2 digests, still being deleted: 1",
                "Users with files:    20, 6.0 GiB count for them",
                "Not sent yet:        5 files",
                "  ada: 2.0 GiB, 1,100 files",
                "  bob: 1.0 GiB, 8 files, pending: 5",
            ],
        )


class UsageTests(CommandCase):
    def usage(self) -> Usage:
        """What `usage --json` says."""
        return msgspec.json.decode(self.good("files", "usage", "--json"), type=Usage)

    def test_empty(self) -> None:
        """Where there are no files, all is 0."""
        nothing = Sum(0, 0)
        expected = Usage(nothing, nothing, nothing, 0, 0, 0, 0, UserTotals(0, 0, 0), [])
        self.assertEqual(self.usage(), expected)
        self.assertIn("Content bucket:      0 files, 0 B\n", self.good("files", "usage"))

    def test_all(self) -> None:
        """It counts files by bucket and by state, and what counts for users."""
        for name in ("ann", "bob"):
            self.add(name)
        self.sql(
            "insert into files (path, size, stored, collecting) values"
            " ('c1', 100, true, false), ('c2', 50, true, false), ('m1.png', 7, true, false),"
            " ('c3', null, false, false), ('c4', 20, true, true)"
        )
        self.sql(
            "insert into user_files (user_id, path, size, sent) select id, path, 100, path = 'c1'"
            " from users, files where path in ('c1', 'c3') and (username, path) <> ('bob', 'c3')"
        )
        self.sql(f"insert into claims (holder, kind, path) values ('{guid()}', 'user', 'm1.png')")
        self.sql(
            "insert into blocked_files (sha256, reason) values ('a', 'r'), ('b', 'r');"
            "insert into tasks (queue, kind, task, topic)"
            " values ('DeleteBlockedFile', 'DeleteBlockedFile', '{}', 'b')"
        )
        found = self.usage()
        self.assertEqual((found.content, found.media), (Sum(2, 150), Sum(1, 7)))
        self.assertEqual(found.unclaimed, Sum(2, 150))
        self.assertEqual((found.missing, found.collecting), (1, 1))
        self.assertEqual((found.blocked, found.clearing), (2, 1))
        self.assertEqual(found.counted, UserTotals(2, 300, 1))
        users: list[tuple[Any, ...]] = [
            (user.username, user.bytes, user.files, user.pending) for user in found.largest
        ]
        self.assertEqual(users, [("ann", 200, 2, 1), ("bob", 100, 1, 0)])

    def test_most(self) -> None:
        """It names only the users with most."""
        self.sql(
            "insert into users (id, username, email, password_hash) select gen_random_uuid(),"
            " 'user' || n, 'user' || n || '@example.com', '-' from generate_series(1, 12) n"
        )
        self.sql("insert into storage (user_id, used) select id, 5 from users")
        self.assertEqual(len(self.usage().largest), LARGEST)


class RefusalTests(CommandCase):
    def test_same(self) -> None:
        """Nothing is copied from a place to itself."""
        self.refused("the same place", "files", "import", "--from", "s3", "--to", "s3")

    def test_external(self) -> None:
        """Where files are the studio's own, there is nothing to compare."""
        self.refused("files is external", "files", "check")
        self.refused("files is external", "files", "check", "--files", "external")

    def test_unknown_place(self) -> None:
        """Files can be in two places only."""
        self.refused("--to", "files", "import", "--from", "local", "--to", "moon")
        self.refused("files", "files", "check", "--files", "moon")
