"""Metrics as plain values: what a process knows of itself, and what a worker tells its parent.

A family is one metric with all its rows. prometheus-client writes its text.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Generic, Literal, NamedTuple, TypeVar

from msgspec import Struct, msgpack
from prometheus_client import Metric as PrometheusMetric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

MEDIA = CONTENT_TYPE_PLAIN_0_0_4.encode()
"""The media type of the text."""
SAMPLES = 500
"""Lines of text that are written in one go: a few milliseconds."""
WORKER = "worker"
"""The label that says which process a row is from. A lone process has none."""

K = TypeVar("K")
Kind = Literal["counter", "gauge", "histogram"]
Labels = tuple[str, ...]
Source = tuple[str | None, list["Family"]]
"""The families of a process, and its value of the label WORKER; None for a lone process."""


class Row(Struct, array_like=True, frozen=True):
    """One series. A histogram has the count of each bucket, and then the sum; others have one
    number."""

    labels: Labels
    numbers: Sequence[float]


class Family(Struct, array_like=True, frozen=True, kw_only=True):
    """A metric. A counter's name is without its `_total`. `bounds` are those of a histogram's
    buckets, without the last, which is infinite. What is `shared` is the same for all processes,
    and only one of them tells it."""

    name: str
    kind: Kind
    help: str
    rows: Sequence[Row]
    labels: Labels = ()
    bounds: tuple[float, ...] = ()
    shared: bool = False


class Metric(NamedTuple):
    """The declaration of a metric: what a family has but its values. A counter's name is without
    its `_total`."""

    name: str
    kind: Kind
    help: str
    labels: Labels = ()
    shared: bool = False

    def one(self, value: float) -> Family:
        """Its value, if it has no labels."""
        return self.of([Row((), (float(value),))])

    def by(self, values: Mapping[str, float]) -> Family:
        """Its values by its only label."""
        return self.of([Row((key,), (float(value),)) for key, value in values.items()])

    def of(self, rows: Sequence[Row], bounds: tuple[float, ...] = ()) -> Family:
        """Its rows. `bounds` are those of a histogram."""
        return Family(
            name=self.name,
            kind=self.kind,
            help=self.help,
            labels=self.labels,
            rows=rows,
            bounds=bounds,
            shared=self.shared,
        )


class Histogram(Generic[K]):
    """Counts values in buckets. Each of the `rows` is for one combination of labels, and has the
    numbers of a Row. The combinations that are `present` have theirs from the start."""

    __slots__ = ("_size", "bounds", "rows")

    def __init__(self, bounds: tuple[float, ...], present: Iterable[K] = ()) -> None:
        self.bounds = bounds
        self._size = len(bounds) + 2
        self.rows: dict[K, list[float]] = {key: [0] * self._size for key in present}

    def observe(self, key: K, value: float) -> None:
        """Count one value."""
        row = self.rows.get(key)
        if row is None:
            row = self.rows[key] = [0] * self._size
        row[bisect_left(self.bounds, value)] += 1
        row[-1] += value


def packed(families: list[Family]) -> bytes:
    """The families, for a pipe."""
    return _encoder.encode(families)


def unpacked(data: bytes) -> list[Family]:
    """What `packed` has packed. Raises msgspec.MsgspecError."""
    return _decoder.decode(data)


_encoder = msgpack.Encoder()
_decoder = msgpack.Decoder(list[Family])


def text(sources: Iterable[Source]) -> Iterator[bytes]:
    """The text of all families, in pieces. All rows of a name stand together."""
    found: dict[str, list[tuple[str | None, Family]]] = {}
    for worker, families in sources:
        for family in families:
            found.setdefault(family.name, []).append((worker, family))
    for several in found.values():
        head = True
        for worker, family in several:
            named = family.labels
            own: Labels = ()
            if worker is not None and not family.shared:
                named, own = (*named, WORKER), (worker,)
            most = max(1, SAMPLES // (len(family.bounds) + 3))
            # Once without a row, too: a name is always explained.
            for start in range(0, max(1, len(family.rows)), most):
                rows = family.rows[start : start + most]
                written = generate_latest(_Slice(family, named, own, rows))
                yield written if head else _without_head(written)
                head = False


class _Slice(Collector):
    """Some rows of a family, as prometheus-client collects them."""

    def __init__(self, family: Family, named: Labels, own: Labels, rows: Sequence[Row]) -> None:
        self._family = family
        self._named = named
        self._own = own
        self._rows = rows

    def collect(self) -> Iterator[PrometheusMetric]:
        family = self._family
        metric = PrometheusMetric(family.name, family.help, family.kind)
        bounds = [*map(floatToGoString, family.bounds), "+Inf"]
        for row in self._rows:
            labels = dict(zip(self._named, (*row.labels, *self._own), strict=True))
            if family.kind == "histogram":
                *counts, total = row.numbers
                for bound, count in zip(bounds, accumulate(counts), strict=True):
                    metric.add_sample(f"{family.name}_bucket", {**labels, "le": bound}, count)
                metric.add_sample(f"{family.name}_count", labels, sum(counts))
                metric.add_sample(f"{family.name}_sum", labels, total)
            else:
                suffix = "_total" if family.kind == "counter" else ""
                metric.add_sample(family.name + suffix, labels, row.numbers[0])
        yield metric


def _without_head(written: bytes) -> bytes:
    return written.split(b"\n", 2)[2]
