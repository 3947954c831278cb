"""docs/reference/metrics.md, from contentsvc.app.metrics."""

from contentsvc.app.metrics import METRICS, Metric
from scripts.references.markdown import code, items, page, table

_ABOUT = """\
What `/metrics` of the `admin` listener tells, in Prometheus's text format. `etc/alerts.yml` has
alerts on it, and `etc/grafana.json` a dashboard."""

_RULES = (
    "With workers, each row has the label `worker` too: `1`, `2` and so on, and `parent` for the "
    "parent itself. What is *shared* is the same for all of them, and has no such label.",
    "What is shared and not about workers is the same for all daemons on a database: use `max`, "
    "and `sum` for the rest.",
    "A daemon without workers has no metrics about them.",
    "Beside these there are the metrics that all programs have: they begin with `process_`.",
)


def reference() -> str:
    """The page."""
    heads = ("Metric", "Type", "Labels", "Meaning")
    return page("Metrics", _ABOUT, items(_RULES), table(heads, map(_row, METRICS)))


def _row(metric: Metric) -> tuple[str, str, str, str]:
    name = metric.name + ("_total" if metric.kind == "counter" else "")
    kind = f"{metric.kind}, *shared*" if metric.shared else metric.kind
    return code(name), kind, ", ".join(map(code, metric.labels)), metric.help
