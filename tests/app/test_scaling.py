"""Several processes behave as docs/guides/scaling.md and the files in etc/ say."""

import configparser
import re

from twisted.python import usage
from twisted.trial.unittest import SynchronousTestCase

from contentsvc import config, tap
from contentsvc.app import workers
from contentsvc.framework.sockets.heartbeat import INTERVAL, SILENCE
from tests.support.daemon import ROOT

SCALING = (ROOT / "docs/guides/scaling.md").read_text()
PROXIES = (ROOT / "docs/guides/proxies.md").read_text()
MIB = 1024 * 1024
SETTINGS = {setting.name: setting for setting in config.SETTINGS}


def unit(name: str) -> dict[str, dict[str, str]]:
    """The sections of a systemd unit."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read(ROOT / "etc" / name)
    return {section: dict(parser[section]) for section in parser.sections()}


class UnitTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.plain = unit("contentsvc.service")["Service"]
        self.template = unit("contentsvc@.service")["Service"]

    def test_template(self) -> None:
        """The template is the plain unit but for its command, and that cannot be reloaded."""
        different = {key for key in self.plain if self.plain[key] != self.template.get(key)}
        self.assertEqual(different, {"ExecStart", "ExecReload"})
        self.assertEqual(self.template.keys() - self.plain.keys(), set())

    def test_command_line(self) -> None:
        """The instance is the port, on the loopback interface."""
        plain, _, _ = self.plain["ExecStart"].partition(" contentsvc ")
        same, _, ours = self.template["ExecStart"].partition(" contentsvc ")
        self.assertEqual(plain, same)
        options = tap.Options()
        usage.Options.parseOptions(options, ours.replace("%i", "8081").split())
        self.assertEqual(options["listen"], "tcp:8081:interface=127.0.0.1")
        self.assertEqual(options["workers"], "1")

    def test_reload(self) -> None:
        """Reloading is SIGHUP to the parent alone."""
        self.assertEqual(self.plain["ExecReload"], "/bin/kill -HUP $MAINPID")

    def test_stop(self) -> None:
        """systemd waits for the drain, for workers that must be killed, and for Postgres."""
        drain = SETTINGS["drain_timeout"].default
        self.assertGreater(int(self.plain["TimeoutStopSec"]), drain + workers.LATE + 50)


class SampleTests(SynchronousTestCase):
    def seconds(self, file: str, *names: str) -> None:
        """Assert that a proxy waits longer than the service may be silent."""
        text = (ROOT / "etc" / file).read_text()
        for name in names:
            (value,) = re.findall(rf"^ *{name} +(\d+)s;?$", text, re.M)
            self.assertGreater(int(value), max(SILENCE, SETTINGS["statement_timeout"].default))

    def test_timeouts(self) -> None:
        """Neither proxy ends a socket between two pings, or a request that the service allows."""
        self.seconds("nginx.conf.sample", "proxy_read_timeout", "proxy_send_timeout")
        self.seconds("haproxy.cfg.sample", "timeout tunnel", "timeout server", "timeout client")

    def test_limits(self) -> None:
        """Both let through more than the service takes, so that its own answer is seen."""
        text = (ROOT / "etc/nginx.conf.sample").read_text()
        self.assertIn("client_max_body_size 2m;", text)
        text = (ROOT / "etc/haproxy.cfg.sample").read_text()
        self.assertIn(f"req.hdr_val(content-length) gt {2 * MIB} }}", text)

    def test_probes(self) -> None:
        """HAProxy asks the admin listener that the unit gives to the daemon of each port."""
        proxy = (ROOT / "etc/haproxy.cfg.sample").read_text()
        self.assertIn("http-check send meth GET uri /ready\n", proxy)
        servers = re.findall(r"^ *server \w+ 127\.0\.0\.1:(\d+) check port (\d+) ", proxy, re.M)
        self.assertEqual(servers, [("8081", "18081"), ("8082", "18082")])
        unit = (ROOT / "etc/contentsvc@.service").read_text()
        self.assertIn(" --admin tcp:1%i:interface=127.0.0.1 ", unit)

    def test_one(self) -> None:
        """There is one sample for nginx: the pages point to it."""
        for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
            self.assertNotRegex(page.read_text(), r"(?m)^\s*proxy_pass ", str(page))


class PageTests(SynchronousTestCase):
    def test_numbers(self) -> None:
        """Their arithmetic and their times are those of the program."""
        pool = SETTINGS["pool_size"].default
        text = " ".join((SCALING + PROXIES).split())
        processes = 1, 2 + 1, 2 * (4 + 1), 4 * (4 + 1)
        connections = " | ".join(str(each * (pool + 2) + 3) for each in processes)
        for said in (
            f"| connections | {connections} |",
            f"has not ended {workers.LATE:.0f} s after `drain_timeout`",
            f"does not serve within {workers.START:.0f} s",
            f"doubling to {workers.LAST_PAUSE:.0f} s",
            f"pings each socket every {INTERVAL} s",
        ):
            self.assertIn(said, text)
