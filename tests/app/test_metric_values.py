"""Metrics as values, and the text of them."""

from prometheus_client import CollectorRegistry, disable_created_metrics
from prometheus_client import Metric as Collected
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.app import metrics
from contentsvc.app.metric_values import SAMPLES, packed, text, unpacked
from contentsvc.app.metrics import counter, gauge, histogram


def written(*families: Collected, worker: str | None = None) -> list[str]:
    """The lines of these families of one process."""
    return b"".join(text([(worker, list(families))])).decode().splitlines()


def samples(lines: list[str]) -> list[str]:
    """Those that are no comments."""
    return [line for line in lines if not line.startswith("#")]


def seconds(*values: float) -> list[Collected]:
    """A histogram with a label, and with these values."""
    disable_created_metrics()
    registry = CollectorRegistry()
    declared = histogram("a_seconds", "How long.", ("route",))
    child = declared.histogram(registry, (0.5, 1.0)).labels("/x")
    for value in values:
        child.observe(value)
    return list(registry.collect())


class TextTests(SynchronousTestCase):
    def test_plain(self) -> None:
        """Gauges and counters have a line each, after their help and type."""
        self.assertEqual(
            written(
                gauge("a_size", "How big.").one(3),
                counter("b", "How often.").one(4),
            ),
            [
                "# HELP a_size How big.",
                "# TYPE a_size gauge",
                "a_size 3.0",
                "# HELP b_total How often.",
                "# TYPE b_total counter",
                "b_total 4.0",
            ],
        )

    def test_histogram(self) -> None:
        """A histogram's buckets are cumulative, with the count and the sum behind them."""
        (family,) = seconds(0.25, 0.5, 0.75, 8.0)
        self.assertEqual(
            samples(written(family)),
            [
                'a_seconds_bucket{le="0.5",route="/x"} 2.0',
                'a_seconds_bucket{le="1.0",route="/x"} 3.0',
                'a_seconds_bucket{le="+Inf",route="/x"} 4.0',
                'a_seconds_count{route="/x"} 4.0',
                'a_seconds_sum{route="/x"} 9.5',
            ],
        )

    def test_workers(self) -> None:
        """Each row says which worker it is from, and all rows of a name stand together."""
        one, two = (
            [gauge("a", "A.").one(1), gauge("b", "B.", ("x",)).by({"y": 2})],
            [gauge("a", "A.").one(3), gauge("b", "B.", ("x",)).by({"y": 4})],
        )
        lines = b"".join(text([("1", one), ("2", two)])).decode().splitlines()
        self.assertEqual(
            samples(lines),
            [
                'a{worker="1"} 1.0',
                'a{worker="2"} 3.0',
                'b{worker="1",x="y"} 2.0',
                'b{worker="2",x="y"} 4.0',
            ],
        )
        self.assertEqual(len(lines), 8)

    def test_shared(self) -> None:
        """What is the same for all has no worker."""
        self.assertEqual(
            samples(written(metrics.WORKERS.one(1), worker="1")), ["contentsvc_workers 1.0"]
        )

    def test_empty(self) -> None:
        """A metric without rows is explained all the same."""
        self.assertEqual(
            written(counter("a", "A.", ("x",)).by({})),
            ["# HELP a_total A.", "# TYPE a_total counter"],
        )

    def test_pieces(self) -> None:
        """Many rows come in several pieces, with one head and each row once."""
        values = {str(number): number for number in range(3 * SAMPLES)}
        pieces = list(text([(None, [gauge("a", "A.", ("x",)).by(values)])]))
        lines = b"".join(pieces).decode().splitlines()
        self.assertEqual(len(pieces), 3)
        self.assertEqual(lines[:2], ["# HELP a A.", "# TYPE a gauge"])
        self.assertEqual(
            lines[2:], [f'a{{x="{number}"}} {float(number)}' for number in range(3 * SAMPLES)]
        )

    def test_escaped(self) -> None:
        """A label may have any character."""
        (line,) = samples(written(gauge("a", "A.", ("x",)).by({'"\\\n': 1})))
        self.assertEqual(line, 'a{x="\\"\\\\\\n"} 1.0')


class PackedTests(SynchronousTestCase):
    def test_there_and_back(self) -> None:
        """What is packed is unpacked as it was, so its text is the same."""
        families = [
            metrics.WORKERS.one(True),
            counter("b", "B.", ("x",)).by({"y": 2}),
            *seconds(0.25),
        ]
        found = unpacked(packed(families))
        self.assertEqual(written(*found, worker="1"), written(*families, worker="1"))
