"""docs/reference/metrics.md has all metrics that there are, and no other."""

import re
from typing import Any

from tests.spec.moderation.support import ReportingCase
from tests.support import daemon, lists
from tests.support.daemon import ROOT
from tests.support.pages import rows
from tests.support.prometheus import Watched

PAGE = (ROOT / "docs/reference/metrics.md").read_text()
WORKERS = "--workers", "2"


class MetricsTests(ReportingCase):
    async def connect(self) -> None:
        self.own_daemon()

    async def told(self, *options: str) -> dict[str, tuple[str, set[str]]]:
        """The type and the labels of each metric of a daemon, besides `worker`."""
        found: Any = await daemon.shared(f"watched {options}", lambda: Watched(*options))
        self.use(found)
        user = await self.user()
        await self.socket(user)
        await self.report(f"user/{user.id}", await self.user())
        await self.judge("user", user.id, "dismissed")
        _, text = await found.page("/metrics")
        kinds = dict(re.findall(r"^# TYPE (\S+) (\w+)$", text.decode(), re.M))
        labels: dict[str, set[str]] = {name: set() for name in kinds}
        for name, inside in re.findall(r"^(\w+)\{(.*)\} ", text.decode(), re.M):
            base = name if name in kinds else re.sub("_(bucket|count|sum)$", "", name)
            labels[base] |= set(re.findall(r'(\w+)="', inside)) - {"le"}
        return {name: (kind, labels[name]) for name, kind in kinds.items()}

    async def test_table(self):
        """The table has each metric of a daemon with and without workers, with its type and its
        labels."""
        one, two = await self.told(), await self.told(*WORKERS)
        there = {
            name: (kind, labels - ({"worker"} if name in one else set()))
            for name, (kind, labels) in {**one, **two}.items()
            if not name.startswith("process_")
        }
        shown = {
            name: (kind.partition(",")[0], set(re.findall(r"\w+", labels)))
            for name, kind, labels, *_ in rows(PAGE, "| Metric | Type |")
        }
        # The page is made of contentsvc.app.metrics by scripts/reference.
        lists.same(
            self,
            "contentsvc/app/metrics.py, METRICS (then run scripts/reference)",
            ((name, kind, *sorted(labels)) for name, (kind, labels) in shown.items()),
            ((name, kind, *sorted(labels)) for name, (kind, labels) in there.items()),
        )
