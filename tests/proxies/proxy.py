"""nginx and HAProxy as subprocesses, with the sample configurations from etc/."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path
from unittest import SkipTest, TestCase

from tests.support import postgres
from tests.support.daemon import ROOT, Daemon, free_port

DAEMONS = ("127.0.0.1:8081", "127.0.0.1:8082")
"""As the samples have them."""
NGINX = """
daemon off;
master_process off;
pid nginx.pid;
error_log stderr;
events {}
http {
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include contentsvc.conf;
}
"""


class Proxy:
    """One proxy on this port of 127.0.0.1, or a free one, before these two daemons."""

    name: str
    sample: str
    changes: tuple[tuple[str, str], ...]
    """What the sample cannot have in a test: patterns that each match, and what takes their place.
    {port} is the proxy's own."""
    probed: tuple[str, ...] = ()
    """Where the sample probes the daemons."""

    def __init__(self, case: TestCase, daemons: tuple[Daemon, Daemon], port: int = 0) -> None:
        self._case = case
        program = shutil.which(self.name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
        if program is None:
            if os.environ.get("CONTENTSVC_REQUIRE_PROXIES") == "1":
                case.fail(f"{self.name} is not installed")
            raise SkipTest(f"{self.name} is not installed")
        self._program = program
        self.folder = postgres.new_folder()
        self.port = port or free_port()
        text = (ROOT / "etc" / self.sample).read_text()
        for pattern, change in self.changes:
            text, count = re.subn(pattern, change.format(port=self.port), text)
            case.assertTrue(count, pattern)
        for given, daemon in zip(DAEMONS, daemons, strict=True):
            case.assertEqual(text.count(given), 1)
            text = text.replace(given, f"127.0.0.1:{daemon.port}")
        for given, daemon in zip(self.probed, daemons, strict=False):
            case.assertEqual(text.count(given), 1)
            text = text.replace(given, f"check port {daemon.admin_port} ")
        self.configure(text)
        self._process: subprocess.Popen[bytes] | None = None

    def configure(self, text: str) -> None:
        """Write the adapted sample."""
        raise NotImplementedError

    def command(self) -> list[str | Path]:
        """The command that runs the proxy in the foreground."""
        raise NotImplementedError

    @property
    def url(self) -> str:
        """The base URL, without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Run it until the end of the test."""
        with (self.folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [self._program, *self.command()],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._case.addCleanup(self._stop)

    def _stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(20)


class Nginx(Proxy):
    name = "nginx"
    sample = "nginx.conf.sample"
    changes = (("listen 443 ssl;", "listen 127.0.0.1:{port};"), ("(?m)^ *ssl_.*\n", ""))

    def configure(self, text: str) -> None:
        (self.folder / "contentsvc.conf").write_text(text)
        (self.folder / "nginx.conf").write_text(NGINX)

    def command(self) -> list[str | Path]:
        return ["-p", self.folder, "-c", self.folder / "nginx.conf"]


class Haproxy(Proxy):
    name = "haproxy"
    sample = "haproxy.cfg.sample"
    # So many connections need more open files than a test may have.
    changes = (
        (r"bind :443 ssl crt \S+", "bind 127.0.0.1:{port}"),
        ("maxconn 50000", "maxconn 500"),
    )

    probed = ("check port 18081 ", "check port 18082 ")

    def configure(self, text: str) -> None:
        (self.folder / "haproxy.cfg").write_text(text)

    def command(self) -> list[str | Path]:
        return ["-db", "-f", self.folder / "haproxy.cfg"]
