"""The real daemon in surroundings that are not what it would like."""

import os
import resource
import signal
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from twisted.trial.unittest import SynchronousTestCase, TestCase

from tests.support.daemon import ROOT, Daemon, script

LIBPQ = {
    "PGHOST": "nowhere.invalid",
    "PGPORT": "1",
    "PGUSER": "nobody",
    "PGDATABASE": "nothing",
    "PGPASSFILE": "/nowhere",
    "PGSERVICE": "nowhere",
    "PGOPTIONS": "-c search_path=nowhere -c default_transaction_read_only=on",
    "PGSSLMODE": "require",
    "PGREQUIREAUTH": "scram-sha-256",
    "PGCHANNELBINDING": "require",
    "PGGSSENCMODE": "require",
    "PGTARGETSESSIONATTRS": "standby",
    "PGCLIENTENCODING": "LATIN1",
    "PGDATESTYLE": "German",
    "PGTZ": "Asia/Tokyo",
}
"""Each of these for itself stops a connection, or what is done on it, or has done so."""
C = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""A locale with ASCII only, in which Python must not help itself."""
FEW = 64
"""Open files."""


class VariableTests(TestCase):
    """What the environment says."""

    timeout = 240.0

    async def works(self, service: Daemon) -> None:
        """Start it with two workers, and let the command work beside it."""
        self.addCleanup(service.stop)
        await service.start()
        await service.add_user("ada", "correct horse battery")
        self.assertIn("Schema:              current", await service.command("status"))
        self.assertEqual(await service.stop(), -signal.SIGTERM)
        self.assertNotIn("Traceback", service.output())

    async def test_libpq(self) -> None:
        """libpq's variables are for another server, and do not reach the embedded one."""
        await self.works(Daemon("--workers", "2", variables=LIBPQ, first=True))

    async def test_ascii(self) -> None:
        """In a locale without UTF-8, folders may have any name."""
        await self.works(Daemon("--workers", "2", variables=C, folder="dätä", first=True))

    async def test_latin(self) -> None:
        """So they may where the standard output has another encoding."""
        await self.works(Daemon(variables={"PYTHONIOENCODING": "ascii"}, folder="dätä", first=True))


class LimitTests(TestCase):
    """What the system allows."""

    timeout = 240.0

    async def test_memory(self) -> None:
        """Without memory for another process or thread, a stop still ends Postgres, and has no
        traceback."""
        service = Daemon()
        self.addCleanup(service.stop)
        await service.start()
        psutil.Process(service.pid).rlimit(resource.RLIMIT_AS, (1 << 20, resource.RLIM_INFINITY))
        await service.stop()
        self.assertNotIn("Traceback", service.output())
        self.assertFalse((service.data_dir / "postgres" / "postmaster.pid").exists())


class FileTests(SynchronousTestCase):
    """Too few open files."""

    def test_refused(self) -> None:
        """It does not start, with one line that names what is there and what is needed at least,
        whether or not it has workers."""
        for workers in ("1", "2"):
            with TemporaryDirectory(prefix="contentsvc-") as home:
                words = ("-n", "--pidfile=", "contentsvc", "--workers", workers)
                done = subprocess.run(
                    [script("twistd"), *words, "--listen", "tcp:0", "--data-dir", f"{home}/var"],
                    cwd=ROOT,
                    env={k: v for k, v in os.environ.items() if not k.startswith("CONTENTSVC_")},
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    check=False,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FEW, FEW)),
                )
                lines = [line for line in done.stdout.splitlines() if "#critical]" in line]
                self.assertEqual((done.returncode, len(lines)), (1, 1), done.stdout)
                self.assertIn("only 64 open files, and it needs at least 308", lines[0])
                self.assertFalse(Path(home, "var").exists())
