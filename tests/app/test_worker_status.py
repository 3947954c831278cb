"""What a parent reports of its workers, on a clock of the test."""

from msgspec import msgpack
from prometheus_client import Metric as Collected
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.app.metric_values import Source, packed
from contentsvc.app.metrics import gauge
from contentsvc.app.process_status import STARTING, STOPPING
from contentsvc.app.worker_status import PARENT, READY_PATIENCE, WORKER_TIMEOUT, WorkerStatus
from contentsvc.framework.process.pipes import ALL_METRICS, METRICS, MISSING, Asking


class Worker:
    """A worker, at the other end of its pipe."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.asking = Asking(self.asked.append)

    def set(self, value: float = 1) -> None:
        """Answer the question for metrics."""
        question = next(each for each in reversed(self.asked) if each != MISSING)
        self.asking.heard(question + packed([gauge("a", "A.").one(value)]))

    def lack(self, *reasons: str) -> None:
        """Answer the question for readiness."""
        self.asking.heard(MISSING + msgpack.encode(list(reasons)))


class WorkerStatusCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.one, self.two = Worker(), Worker()
        self.present: dict[int, Asking | None] = {1: self.one.asking, 2: self.two.asking}
        self.serving, self.stopping = 2, False
        self.status = WorkerStatus(
            self.clock,
            present=lambda: self.present,
            serving=lambda: self.serving,
            started={1: 1, 2: 3},
            stopping=lambda: self.stopping,
        )

    def scrape(self) -> Deferred[list[Source]]:
        return Deferred.fromCoroutine(self.status.sources())

    def ready(self) -> Deferred[list[str]]:
        return Deferred.fromCoroutine(self.status.missing())

    def up(self, sources: list[Source]) -> dict[str, float]:
        """Which workers have reported their metrics, as the gauge says."""
        (family,) = [each for each in self.own(sources) if each.name == "contentsvc_worker_up"]
        return {sample.labels["worker"]: sample.value for sample in family.samples}

    def own(self, sources: list[Source]) -> list[Collected]:
        """The parent's own metrics."""
        ((name, families), *_) = sources
        self.assertEqual(name, PARENT)
        return families


class ScrapeTests(WorkerStatusCase):
    def test_all(self) -> None:
        """All workers are asked at once; each one's metrics come with its number."""
        scrape = self.scrape()
        self.two.set(2)
        self.assertNoResult(scrape)
        self.one.set(1)
        sources = self.successResultOf(scrape)
        found = [(number, families[0].samples[0].value) for number, families in sources[1:]]
        self.assertEqual(found, [("1", 1), ("2", 2)])
        self.assertEqual(self.up(sources), {"1": 1, "2": 1})

    def test_frozen(self) -> None:
        """A worker that does not answer holds up a scrape for a moment; then it counts as down,
        and the others' metrics are there."""
        scrape = self.scrape()
        self.two.set()
        self.clock.advance(WORKER_TIMEOUT)
        sources = self.successResultOf(scrape)
        self.assertEqual([number for number, _ in sources], [PARENT, "2"])
        self.assertEqual(self.up(sources), {"1": 0, "2": 1})

    def test_asked_once(self) -> None:
        """A frozen worker has one question in its pipe, however often there is a scrape."""
        for _ in range(5):
            self.scrape()
            self.clock.advance(WORKER_TIMEOUT)
        self.assertEqual(self.one.asked.count(ALL_METRICS), 1)
        self.assertEqual(self.two.asked.count(METRICS), 1)

    def test_absent(self) -> None:
        """A worker without a sign of life is not waited for."""
        self.present[2] = None
        scrape = self.scrape()
        self.one.set()
        self.assertEqual(self.up(self.successResultOf(scrape)), {"1": 1, "2": 0})

    def test_none(self) -> None:
        """Without workers the parent reports its own."""
        self.present = {1: None, 2: None}
        self.assertEqual(self.up(self.successResultOf(self.scrape())), {"1": 0, "2": 0})

    def test_dies(self) -> None:
        """A worker that dies while it is asked is not waited for any longer."""
        scrape = self.scrape()
        self.one.set()
        self.two.asking.ended()
        self.assertEqual(self.up(self.successResultOf(scrape)), {"1": 1, "2": 0})

    def test_nonsense(self) -> None:
        """What cannot be read, as that of another release, counts as no answer."""
        scrape = self.scrape()
        self.one.set()
        self.two.asking.heard(METRICS + b"\xff")
        self.assertEqual(self.up(self.successResultOf(scrape)), {"1": 1, "2": 0})

    def test_shared(self) -> None:
        """One worker reports what all share; another does if that one was silent."""
        scrape = self.scrape()
        self.assertEqual((self.one.asked, self.two.asked), ([ALL_METRICS], [METRICS]))
        self.two.set()
        self.clock.advance(WORKER_TIMEOUT)
        self.successResultOf(scrape)
        self.scrape()
        self.assertEqual(self.two.asked, [METRICS, ALL_METRICS])

    def test_starts(self) -> None:
        """How often each was started shows those that end again and again."""
        self.present = {1: None, 2: None}
        families = self.own(self.successResultOf(self.scrape()))
        (starts,) = [each for each in families if each.name == "contentsvc_worker_starts"]
        found = {sample.labels["worker"]: sample.value for sample in starts.samples}
        self.assertEqual(found, {"1": 1, "2": 3})


class ReadyTests(WorkerStatusCase):
    def test_one(self) -> None:
        """The service is ready as soon as one worker is."""
        ready = self.ready()
        self.two.lack()
        self.assertEqual(self.successResultOf(ready), [])
        self.one.lack("database")

    def test_none(self) -> None:
        """If none is, the reasons are those of all."""
        ready = self.ready()
        self.two.lack("pool", "database")
        self.assertNoResult(ready)
        self.one.lack("database", "listen")
        self.assertEqual(self.successResultOf(ready), ["database", "listen", "pool"])

    def test_degraded(self) -> None:
        """If one can read, and none can write, the reasons are its own; one that can do both is
        waited for."""
        ready = self.ready()
        self.one.lack("disk")
        self.assertNoResult(ready)
        self.two.lack("database", "pool")
        self.assertEqual(self.successResultOf(ready), ["disk"])
        ready = self.ready()
        self.one.lack("disk")
        self.two.lack()
        self.assertEqual(self.successResultOf(ready), [])

    def test_silent(self) -> None:
        """Workers that do not answer in time are a reason."""
        ready = self.ready()
        self.clock.advance(READY_PATIENCE)
        self.assertEqual(self.successResultOf(ready), ["workers"])

    def test_dead(self) -> None:
        """So are workers that give no sign of life."""
        self.present = {1: None, 2: None}
        self.assertEqual(self.successResultOf(self.ready()), ["workers"])

    def test_starting(self) -> None:
        """Before one serves, the service starts."""
        self.serving = 0
        self.assertEqual(self.successResultOf(self.ready()), [STARTING])

    def test_stopping(self) -> None:
        """From the stop on it is not ready, whatever the workers say."""
        self.stopping = True
        self.assertEqual(self.successResultOf(self.ready()), [STOPPING])
