"""The embedded Postgres of one process: start, refusals, and what a crash leaves behind."""

import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psutil
import psycopg2

from contentsvc.framework.postgres.embedded import EmbeddedPostgres
from contentsvc.framework.postgres.errors import EmbeddedError
from contentsvc.framework.postgres.programs import memory, settings_for
from tests.framework.postgres.servers import (
    Case,
    crash,
    mode,
    postmaster,
    run_sql,
    running,
    times_open,
)


class StartTests(Case):
    """One process, one folder."""

    def test_new(self) -> None:
        """A first start makes the server and an empty database contentsvc on it."""
        server = self.server(self.data(made=False))
        url = server.start()
        rows = run_sql(url, "select current_database(), current_setting('server_version_num')")
        self.assertEqual(rows[0][0], "contentsvc")
        self.assertTrue(rows[0][1].startswith("18"))
        self.assertTrue(server.started_here)

    def test_again(self) -> None:
        """Data written before a stop are there after the next start."""
        server = self.server(self.data())
        run_sql(server.start(), "create table kept_by_stop as select 1 as n")
        server.stop()
        self.assertEqual(run_sql(server.start(), "select n from kept_by_stop"), [(1,)])

    def test_start_twice(self) -> None:
        """A start of what this object has started already gives the same server."""
        data = self.data()
        server = self.server(data)
        url, process = server.start(), postmaster(data)
        self.assertEqual(server.start(), url)
        self.assertEqual(postmaster(data), process)
        server.stop()
        self.assertIsNone(postmaster(data))

    def test_stop_before_start(self) -> None:
        """A stop without a start does nothing."""
        self.server(self.hollow()).stop()

    def test_stop_during_start(self) -> None:
        """A stop that comes while the start is under way leaves no server behind."""
        data = self.data()
        server = self.server(data)
        with open(data / "postgres.lock") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            start = threading.Thread(target=server.start)
            start.start()
            # It waits for its turn when it has opened the file too.
            while times_open(data / "postgres.lock") < 2:
                pass
            stop = threading.Thread(target=server.stop)
            stop.start()
        start.join()
        stop.join()
        self.assertIsNone(postmaster(data))

    def test_socket_only(self) -> None:
        """The server listens on its Unix socket and on no address."""
        process = postmaster(running()[0])
        self.assertEqual(process.net_connections("inet"), [])
        self.assertNotEqual(process.net_connections("unix"), [])

    def test_no_address_by_settings(self) -> None:
        """Not even a setting makes it listen on an address."""
        data = self.data()
        self.server(data, settings={"listen_addresses": "*"}).start()
        self.assertEqual(postmaster(data).net_connections("inet"), [])

    def test_modes(self) -> None:
        """Nobody but the server's user gets at the data or the socket, nobody reads the folder."""
        data, _ = running()
        owner = postmaster(data).uids().real
        for name in "postgres", "postgres-socket":
            self.assertEqual(mode(data / name), 0o700)
            self.assertEqual((data / name).stat().st_uid, owner)
        self.assertNotEqual(owner, 0)
        self.assertEqual(mode(data) & 0o066, 0)
        for name in "postgres.lock", "postgres.users":
            self.assertEqual(mode(data / name), 0o600)

    def test_settings(self) -> None:
        """The server is sized for one service, and a commit is on disk when it is answered."""
        _, url = running()
        wanted = {
            "max_connections": "200",
            "jit": "off",
            "fsync": "on",
            "synchronous_commit": "on",
            "full_page_writes": "on",
        }
        for name, value in wanted.items():
            self.assertEqual(run_sql(url, f"show {name}"), [(value,)], name)
        sized = settings_for(memory())["shared_buffers"]
        statement = "select pg_size_bytes(%s) = pg_size_bytes(current_setting('shared_buffers'))"
        self.assertEqual(run_sql(url, statement % f"'{sized}'"), [(True,)])

    def test_log(self) -> None:
        """The log is a file in the data folder, and no value of a failed statement is in it."""
        data, url = running()
        run_sql(url, "create table users (email text unique)")
        run_sql(url, "insert into users values ('ann@example.org')")
        with self.assertRaises(psycopg2.IntegrityError):
            run_sql(url, "insert into users values ('ann@example.org')")
        text = "".join(log.read_text() for log in (data / "postgres/log").glob("*.log"))
        self.assertIn("ready to accept connections", text)
        self.assertNotIn("ann@", text)

    def test_environment(self) -> None:
        """Postgres variables of the daemon's environment do not decide what its server is."""
        self.patch(os, "environ", {**os.environ, "PGPORT": "1", "PGDATA": "/nowhere"})
        url = self.server(self.data()).start()
        self.assertEqual(run_sql(url, "show port"), [("5432",)])

    def test_deep_folder(self) -> None:
        """Below a path too long for a socket, that is in a private temporary folder meanwhile."""
        data = self.data(self.folder() / "/".join(["deep" * 10] * 4))
        server = self.server(data)
        url = server.start()
        sockets = Path(parse_qs(urlsplit(url).query)["host"][0])
        self.assertEqual(sockets.parent, Path(tempfile.gettempdir()).resolve())
        self.assertEqual(mode(sockets), 0o700)
        self.assertEqual(run_sql(url, "select 1"), [(1,)])
        server.stop()
        self.assertFalse(sockets.exists())

    def test_odd_folder(self) -> None:
        """The data folder may have any name."""
        data = self.data(self.folder() / "a, \"b\" $HOME 'c' %s {} é", made=False)
        server = self.server(data)
        self.assertEqual(run_sql(server.start(), "select 1"), [(1,)])
        server.stop()
        self.assertIsNone(postmaster(data))

    def test_interrupt(self) -> None:
        """Ctrl-C in the terminal ends the process there and not its Postgres."""
        data = self.data()
        daemon = self.user(data, "daemon")
        self.assertEqual(daemon.ready(), "started")
        daemon.kill(signal.SIGINT)
        self.assertIsNotNone(postmaster(data))


class RefusalTests(Case):
    """Files and processes that are not of this Postgres."""

    def refused(self, server: EmbeddedPostgres) -> str:
        reason = str(self.assertRaises(EmbeddedError, server.start))
        self.assertNotIn("\n", reason)
        return reason

    def test_other_version(self) -> None:
        """Data of another major version is left alone, and both versions are named."""
        reason = self.refused(self.server(self.hollow(version="16")))
        self.assertIn("by Postgres 16; this service needs 18", reason)

    def test_other_content(self) -> None:
        """A folder that holds anything else is not written into."""
        data = self.data(made=False)
        (data / "postgres").mkdir(parents=True)
        (data / "postgres/thesis.txt").write_text("mine")
        self.assertIn("not a Postgres database", self.refused(self.server(data)))
        self.assertEqual(os.listdir(data / "postgres"), ["thesis.txt"])

    def test_bad_setting(self) -> None:
        """A server that ends during its start is reported at once, with what it said."""
        server = self.server(self.data(), settings={"no_such_setting": "1"})
        self.assertIn("no_such_setting", self.refused(server))

    def test_broken_data(self) -> None:
        """The last lines of the server's own log are reported as well."""
        data = self.data(self.folder() / "data")
        (data / "postgres/global/pg_control").write_bytes(b"\0" * 8192)
        self.assertIn("incompatible with server", self.refused(self.server(data)))

    def test_data_dir_is_a_file(self) -> None:
        """A data folder that cannot be made is an error of one line that names it."""
        path = self.folder() / "data"
        path.touch()
        self.assertIn(str(path), self.refused(self.server(path)))

    def test_socket_folder_is_a_link(self) -> None:
        """A link in the place of the socket's temporary folder is not followed."""
        server = self.server(self.hollow(self.folder() / "/".join(["deep" * 10] * 4)))
        sockets = server.socket_folder()
        target = self.folder()
        os.chmod(target, 0o755)
        sockets.symlink_to(target)
        self.addCleanup(sockets.unlink)
        self.assertIn(str(sockets), self.refused(server))
        self.assertEqual(mode(target), 0o755)

    def test_server_without_pid_file(self) -> None:
        """A live server whose postmaster.pid does not name it here gets no second one beside it."""
        data = self.data()
        self.server(data).start()
        (data / "postgres/postmaster.pid").rename(data / "postmaster.pid")
        self.assertIn("another container", self.refused(self.server(data)))
        (data / "postmaster.pid").rename(data / "postgres/postmaster.pid")

    def test_children_of_a_dead_server(self) -> None:
        """No new server starts beside the children of a killed one; one does when they are gone."""
        data = self.data()
        url = self.server(data).start()
        with closing(psycopg2.connect(url)) as connection:
            child = psutil.Process(connection.get_backend_pid())
            child.suspend()
            crash(data)
            self.assertIn("shared memory", self.refused(self.server(data, wait=0.1)))
            child.kill()
        self.assertEqual(run_sql(self.server(data).start(), "select 1"), [(1,)])


class CrashTests(Case):
    """The remains of a server or a starter that was killed."""

    def test_recovery(self) -> None:
        """Commits from before the server was killed are there after the next start."""
        data = self.data()
        server = self.server(data)
        run_sql(server.start(), "create table kept_by_crash as select 1 as n")
        crash(data)
        self.assertEqual(run_sql(server.start(), "select n from kept_by_crash"), [(1,)])
        self.assertTrue(server.started_here)

    def test_slow_recovery(self) -> None:
        """A recovery longer than the limit is an error, goes on, and is waited for by the next."""
        data = self.data(self.folder() / "data")
        for name in "gate", "recovery.signal":
            path = data / "postgres" / name
            path.touch()
            shutil.copystat(data / "postgres", path)
            os.chown(path, *self._owner(data))
        wait = "while [ -e gate ]; do sleep 0.02; done; exit 1"
        settings = {"restore_command": wait}
        first = self.server(data, wait=0.5, settings=settings)
        reason = str(self.assertRaises(EmbeddedError, first.start))
        self.assertIn("has not answered", reason)
        first.stop()
        process = postmaster(data)
        (data / "postgres/gate").unlink()
        second = self.server(data)
        self.assertEqual(run_sql(second.start(), "select 1"), [(1,)])
        self.assertFalse(second.started_here)
        self.assertEqual(postmaster(data), process)

    def test_number_of_another_process(self) -> None:
        """A stale postmaster.pid whose number is a live process's by now is not our server."""
        data = self.data()
        self.server(data).start()
        crash(data)
        whom = {}
        if os.geteuid() == 0:
            uid, gid = self._owner(data)
            whom = {"user": uid, "group": gid, "extra_groups": []}
        # Of the same user: those are the ones for which Postgres itself refuses to start.
        other = subprocess.Popen(["sleep", "600"], **whom)
        self.addCleanup(other.communicate)
        self.addCleanup(other.kill)
        self._rename_owner(data, other.pid)
        server = self.server(data)
        self.assertEqual(run_sql(server.start(), "select 1"), [(1,)])
        self.assertTrue(server.started_here)
        server.stop()
        self.assertIsNone(other.poll())

    def test_number_of_another_server(self) -> None:
        """Not even a live Postgres is ours unless it is that of our folder."""
        data, other = self.data(), self.data(self.folder() / "other")
        self.server(data).start()
        self.server(other).start()
        crash(data)
        self._rename_owner(data, postmaster(other).pid)
        server = self.server(data)
        self.assertNotIn(str(other), server.start())
        self.assertTrue(server.started_here)
        server.stop()
        self.assertIsNotNone(postmaster(other))

    def test_stop_does_not_signal_strangers(self) -> None:
        """A stop after the server died signals no process that has its number by now."""
        data = self.data()
        server = self.server(data)
        server.start()
        crash(data)
        other = subprocess.Popen(["sleep", "600"])
        self.addCleanup(other.communicate)
        self.addCleanup(other.kill)
        self._rename_owner(data, other.pid)
        server.stop()
        self.assertIsNone(other.poll())

    def test_empty_pid_file(self) -> None:
        """An empty postmaster.pid, left by a full disk, does not block the start."""
        data = self.data()
        (data / "postgres/postmaster.pid").touch()
        self.assertEqual(run_sql(self.server(data).start(), "select 1"), [(1,)])

    def test_half_made(self) -> None:
        """A first start that was killed half way does not spoil the next."""
        data = self.data(made=False)
        (data / "postgres.new-killed").mkdir(parents=True)
        (data / "postgres.new-killed/PG_VERSION").write_text("18\n")
        self.assertEqual(run_sql(self.server(data).start(), "select 1"), [(1,)])
        self.assertEqual(list(data.glob("postgres.new-*")), [])

    def _owner(self, data: Path) -> tuple[int, int]:
        status = (data / "postgres").stat()
        return status.st_uid, status.st_gid

    def _rename_owner(self, data: Path, pid: int) -> None:
        """Make the files that a killed server left name another process."""
        for path in "postgres/postmaster.pid", "postgres-socket/.s.PGSQL.5432.lock":
            lines = (data / path).read_text().splitlines(keepends=True)
            (data / path).write_text("".join([f"{pid}\n", *lines[1:]]))
