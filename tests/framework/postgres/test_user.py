"""The user of an embedded Postgres that root starts, and the folders that are opened for it."""

import os
import pwd
import socket
from collections.abc import Callable
from pathlib import Path

from twisted.trial.unittest import SkipTest

from contentsvc.framework.postgres.embedded import EmbeddedPostgres
from contentsvc.framework.postgres.errors import EmbeddedError
from contentsvc.framework.postgres.user import PostgresUser
from tests.framework.postgres.servers import Case, mode, postmaster, run_sql


class RootTests(Case):
    """Started by root, which Postgres refuses to run as."""

    def setUp(self) -> None:
        if os.geteuid() != 0:
            raise SkipTest("needs root")

    def test_opened(self) -> None:
        """Closed folders above the data become passable, not readable, and are named."""
        parent = self.folder()
        closed = parent / "closed"
        closed.mkdir(0o700)
        server = self.server(self.data(closed / "data", made=False))
        server.start()
        self.assertEqual(server.opened, (parent, closed))
        self.assertEqual((mode(parent), mode(closed)), (0o701, 0o701))

    def test_strict_programs(self) -> None:
        """Programs that were installed under a strict umask become readable for the user."""
        tree = self.folder() / "programs"
        (tree / "bin").mkdir(0o700, parents=True)
        for name, bits in ("bin/postgres", 0o700), ("readme", 0o600):
            (tree / name).touch()
            (tree / name).chmod(bits)
        user = PostgresUser([], self.folder() / "record")
        user.let_read(tree)
        found = [mode(path) for path in (tree / "bin", tree / "bin/postgres", tree / "readme")]
        self.assertEqual(found, [0o705, 0o705, 0o604])
        self.assertEqual(list(user.opened), [tree.parent, tree])

    def test_squatter(self) -> None:
        """A temporary folder that somebody else made first is not used for the socket."""
        server = self.server(self.hollow(self.folder() / "/".join(["deep" * 10] * 4)))
        sockets = server.socket_folder()
        sockets.mkdir(0o777)
        self.addCleanup(sockets.rmdir)
        os.chown(sockets, pwd.getpwnam("nobody").pw_uid, 0)
        self.assertIn(f"{sockets} belongs to", str(self.assertRaises(EmbeddedError, server.start)))

    def test_owner_of_the_folder(self) -> None:
        """Root's tool in a daemon's data folder runs Postgres as the daemon's user."""
        data = self._of_nobody()
        server = self.server(data, own=False)
        server.start()
        self.assertEqual(postmaster(data).username(), "nobody")
        self.assertEqual(server.opened, (data.parent,))
        server.stop()
        self.assertEqual({path.owner() for path in data.iterdir()}, {"nobody"})
        self.assertEqual(mode(data), 0o700)

    def test_not_root(self) -> None:
        """A user without privileges starts, adopts and stops the same server that root did."""
        data = self._of_nobody()
        data.parent.chmod(0o711)
        server = self.server(data, own=False)
        server.start()
        server.stop()

        def start() -> str:
            mine, too = (EmbeddedPostgres(data, own=True) for _ in range(2))
            row = run_sql(mine.start(), "select current_user")
            too.start()
            mine.stop()
            too.stop()
            return f"{row} {mine.started_here} {too.started_here} {mine.opened}"

        self.assertEqual(self._as_nobody(start), "[('postgres',)] True False ()")
        self.assertIsNone(postmaster(data))

    def test_not_root_from_the_first(self) -> None:
        """A user without privileges makes the server in a folder that nobody else can enter."""
        data = self._of_nobody() / "own"
        data.parent.parent.chmod(0o711)
        self.addCleanup(self._end, data)

        def start() -> str:
            server = EmbeddedPostgres(data, own=True)
            server.start()
            server.stop()
            return oct(mode(data))

        self.assertEqual(self._as_nobody(start), "0o700")

    def test_not_root_not_owner(self) -> None:
        """Another user's data is refused with one line that names it."""
        data = self.hollow()

        def start() -> str:
            return str(self.assertRaises(EmbeddedError, EmbeddedPostgres(data, own=True).start))

        os.chmod(data.parent, 0o711)
        self.assertIn(str(data), self._as_nobody(start))

    def _of_nobody(self) -> Path:
        data = self.data(self.folder() / "data", made=False)
        data.mkdir(0o700)
        user = pwd.getpwnam("nobody")
        os.chown(data, user.pw_uid, user.pw_gid)
        return data

    def _as_nobody(self, call: Callable[[], str]) -> str:
        """The result of `call` in a child of the user nobody, who may not see this Python."""
        user = pwd.getpwnam("nobody")
        ours, theirs = socket.socketpair()
        child = os.fork()
        if child == 0:
            try:
                os.setgroups([])
                os.setgid(user.pw_gid)
                os.setuid(user.pw_uid)
                answer = call()
            except BaseException as error:
                answer = repr(error)
            theirs.sendall(answer.encode())
            os._exit(0)
        theirs.close()
        with ours:
            os.waitpid(child, 0)
            return ours.recv(65536).decode()
