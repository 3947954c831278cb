"""etc/grafana.json: a real Prometheus, which scrapes real daemons, understands each expression."""

import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import treq
from twisted.internet import reactor
from twisted.internet.task import deferLater
from twisted.trial.unittest import SynchronousTestCase

from tests.monitoring.test_rules import METRICS, named
from tests.spec.moderation.support import ReportingCase
from tests.support import daemon
from tests.support.daemon import ROOT, free_port
from tests.support.prometheus import Watched, program

DASHBOARD: dict[str, Any] = json.loads((ROOT / "etc/grafana.json").read_text())
EXPRESSIONS = [
    (panel["title"], target["expr"])
    for panel in DASHBOARD["panels"]
    for target in panel.get("targets", ())
]
ONLY_WORKERS = "contentsvc_worker"
"""What a daemon without workers has not."""
PATIENCE = 60.0


class PanelTests(SynchronousTestCase):
    def test_metrics(self) -> None:
        """The panels show metrics that there are, and nearly all of them."""
        shown = named(json.dumps(EXPRESSIONS))
        self.assertLessEqual(shown, METRICS)
        self.assertGreater(len(shown), len(METRICS) * 0.75)

    def test_panels(self) -> None:
        """Each panel has a title, a place of its own, and something to show."""
        panels = DASHBOARD["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels}
        self.assertEqual(len(places), len(panels))
        for panel in panels:
            self.assertTrue(panel["title"])
            self.assertTrue(panel["type"] == "row" or panel["targets"], panel["title"])
            self.assertLessEqual(panel["gridPos"]["x"] + panel["gridPos"]["w"], 24)

    def test_variables(self) -> None:
        """The expressions use only the variables that the dashboard, and Grafana, have."""
        own = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
        used = set(re.findall(r"\$\{?(\w+)", json.dumps(EXPRESSIONS)))
        self.assertLessEqual(used, own | {"__rate_interval"})


class QueryCase(ReportingCase):
    """A Prometheus that scrapes a daemon each second."""

    options: tuple[str, ...] = ()
    _urls: ClassVar[dict[tuple[str, ...], str]] = {}

    async def connect(self) -> None:
        self.own_daemon()
        prometheus = program("prometheus")
        found = await daemon.shared(f"watched {self.options}", lambda: Watched(*self.options))
        assert isinstance(found, Watched)
        self.use(found)
        user = await self.user()
        await self.socket(user)
        await self.notify(user)
        await self.report(f"user/{user.id}", await self.user())
        await self.judge("user", user.id, "dismissed")
        self.prometheus = f"http://127.0.0.1:{self.serve(prometheus, found)}"

    def serve(self, prometheus: str, service: Watched) -> int:
        """Start one that ends with the test. Gives its port."""
        # It keeps its data here, and ends before the folder goes.
        folder = tempfile.TemporaryDirectory(prefix="prometheus-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        home, port = Path(folder.name), free_port()
        target = service.admin.removeprefix("http://")
        config = {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(ROOT / "etc/alerts.yml")],
            "scrape_configs": [
                {"job_name": "contentsvc", "static_configs": [{"targets": [target]}]}
            ],
        }
        (home / "prometheus.yml").write_text(json.dumps(config))
        log = (home / "log").open("wb")
        process = subprocess.Popen(
            [
                prometheus,
                f"--config.file={home / 'prometheus.yml'}",
                f"--storage.tsdb.path={home / 'data'}",
                f"--web.listen-address=127.0.0.1:{port}",
            ],
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        log.close()
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return port

    async def query(self, expression: str) -> dict[str, Any]:
        """Prometheus's answer."""
        response = await treq.get(
            f"{self.prometheus}/api/v1/query",
            params={"query": expression},
            persistent=False,
            timeout=10,
        )
        found: dict[str, Any] = await response.json()
        return found

    async def scraped(self) -> None:
        """Wait until it has scraped some times."""
        deadline = reactor.seconds() + PATIENCE
        while reactor.seconds() < deadline:
            try:
                found = await self.query("min(count_over_time(contentsvc_ready[1m]))")
                (row,) = found["data"]["result"]
                if int(row["value"][1]) >= 3:
                    return
            except Exception:  # it starts, or has no sample yet
                await deferLater(reactor, 0.2)
                continue
            await deferLater(reactor, 0.2)
        self.fail("Prometheus does not scrape")

    async def expressions(self, absent: str = "") -> None:
        """Assert that each expression can be read and gives a result, except what is `absent`."""
        await self.scraped()
        for title, expression in EXPRESSIONS:
            asked = expression.replace("$__rate_interval", "1m").replace("$instance", ".*")
            found = await self.query(asked)
            self.assertEqual(found["status"], "success", f"{title}: {found}")
            if not (absent and absent in asked):
                self.assertTrue(found["data"]["result"], f"{title}: {asked}")
        rules = await treq.get(f"{self.prometheus}/api/v1/rules", persistent=False, timeout=10)
        groups = (await rules.json())["data"]["groups"]
        wrong = [r["name"] for g in groups for r in g["rules"] if r.get("lastError")]
        self.assertEqual((len(groups), wrong), (1, []))


class OneTests(QueryCase):
    async def test_expressions(self):
        """Each expression gives a result for a lone process, and each alert can be evaluated."""
        await self.expressions(absent=ONLY_WORKERS)


class TwoTests(QueryCase):
    options = ("--workers", "2")

    async def test_expressions(self):
        """And for two workers."""
        await self.expressions()
