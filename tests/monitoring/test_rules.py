"""etc/alerts.yml: promtool finds no fault, the alerts fire when they should, and the pages know
them."""

import re

from twisted.trial.unittest import SynchronousTestCase

from tests.support import lists
from tests.support.daemon import ROOT
from tests.support.pages import rows, sections
from tests.support.prometheus import promtool

ALERTS = (ROOT / "etc/alerts.yml").read_text()
TESTS = (ROOT / "tests/monitoring/alerts.yml").read_text()
NAMES = re.findall(r"^ +- alert: (\w+)$", ALERTS, re.M)
MONITORING = (ROOT / "docs/guides/monitoring.md").read_text()
METRICS = {
    name for name, *_ in rows((ROOT / "docs/reference/metrics.md").read_text(), "| Metric | Type |")
}


def named(text: str) -> set[str]:
    """The metrics that expressions name, as docs/reference/metrics.md has them."""
    found = set(re.findall(r"\bcontentsvc_\w+", text))
    return {name if name in METRICS else re.sub("_(bucket|count|sum)$", "", name) for name in found}


class AlertTests(SynchronousTestCase):
    def test_check(self) -> None:
        """promtool can read the file."""
        promtool("check", "rules", "etc/alerts.yml", folder=ROOT)

    def test_fire(self) -> None:
        """Each alert fires in its case, and no other does; none fires while all is well."""
        promtool("test", "rules", "alerts.yml", folder=ROOT / "tests/monitoring")

    def test_all(self) -> None:
        """There is a case for each alert."""
        self.assertGreater(len(NAMES), 15)
        missing = [name for name in NAMES if f'"{name}"' not in TESTS]
        self.assertEqual(missing, [], "tests/monitoring/alerts.yml: a case for each of these")

    def test_metrics(self) -> None:
        """The alerts ask for metrics that there are."""
        expressions = "\n".join(re.findall(r"expr: (.*?)\n +for:", ALERTS, re.S))
        self.assertLessEqual(named(expressions), METRICS)

    def test_sections(self) -> None:
        """Each has a summary, and a description that names a section of a page."""
        for alert in ALERTS.split("- alert: ")[1:]:
            self.assertRegex(alert, r"\n          summary: \S")
            ((section, page),) = re.findall(r'See "(.*)" in (docs/\S+)\.\n', alert)
            anchor = re.sub(r"[^\w -]", "", section).lower().replace(" ", "-")
            self.assertIn(anchor, sections(ROOT / page), alert)

    def test_page(self) -> None:
        """docs/guides/monitoring.md has each alert, with the section that the alert names."""
        shown = dict(rows(MONITORING, "| Alert |"))
        place = "docs/guides/monitoring.md, | Alert |"
        lists.same(self, place, shown, NAMES, "| `{}` | SECTION |".format)
        self.assertEqual(list(shown), NAMES, "in the order of etc/alerts.yml")
        for name, what in shown.items():
            alert = ALERTS.partition(f"- alert: {name}\n")[2].partition("- alert:")[0]
            self.assertIn(re.findall(r'See "(.*)" in', alert)[0], what)
