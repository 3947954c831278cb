"""Metrics of several processes: what a worker reports to its parent, and the text of all of them.

They are prometheus-client's own, and it writes the text.
"""

from collections.abc import Iterable, Iterator

from msgspec import msgpack
from prometheus_client import Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample

from contentsvc.app.metrics import METRICS, WORKER

MEDIA = CONTENT_TYPE_PLAIN_0_0_4.encode()
"""The media type of the text."""
SAMPLES = 500
"""Lines of text that are written in one go: a few milliseconds."""

Source = tuple[str | None, list[Metric]]
"""The metrics of a process, and its value of the label WORKER; None for a lone process."""

_SHARED = frozenset(each.name for each in METRICS if each.shared)
_Packed = tuple[str, str, str, list[tuple[str, dict[str, str], float]]]


def packed(metrics: Iterable[Metric]) -> bytes:
    """The metrics, for a pipe."""
    return msgpack.encode(
        [
            (each.name, each.documentation, each.type, [sample[:3] for sample in each.samples])
            for each in metrics
        ]
    )


def unpacked(data: bytes) -> list[Metric]:
    """What `packed` has packed. Raises msgspec.MsgspecError."""
    found = []
    for name, help, kind, samples in _decoder.decode(data):
        metric = Metric(name, help, kind)
        metric.samples = [Sample(*sample) for sample in samples]
        found.append(metric)
    return found


_decoder = msgpack.Decoder(list[_Packed])


def text(sources: Iterable[Source]) -> Iterator[bytes]:
    """The text of all metrics, in pieces. All samples of a name are in one place."""
    found: dict[str, list[tuple[dict[str, str], Metric]]] = {}
    for worker, metrics in sources:
        for metric in metrics:
            own = {} if worker is None or metric.name in _SHARED else {WORKER: worker}
            found.setdefault(metric.name, []).append((own, metric))
    for several in found.values():
        head = True
        for own, metric in several:
            # Once without a sample, too: a name is always explained.
            for start in range(0, max(1, len(metric.samples)), SAMPLES):
                written = generate_latest(_Slice(metric, own, start))
                yield written if head else written.split(b"\n", 2)[2]
                head = False


class _Slice(Collector):
    """SAMPLES samples of a metric from `start` on, with the labels `own` too."""

    def __init__(self, metric: Metric, own: dict[str, str], start: int) -> None:
        self._metric = metric
        self._own = own
        self._start = start

    def collect(self) -> Iterator[Metric]:
        whole = self._metric
        part = Metric(whole.name, whole.documentation, whole.type)
        for sample in whole.samples[self._start : self._start + SAMPLES]:
            part.add_sample(sample.name, {**sample.labels, **self._own}, sample.value)
        yield part
