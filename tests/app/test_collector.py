"""How what a process knows becomes metrics."""

from prometheus_client import Metric
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.app import collector
from contentsvc.app.metric_values import text
from contentsvc.framework.tasks.task_queue import Backlog
from contentsvc.store.status import Disputed, Due
from tests.support.prometheus import samples


def numbers(families: list[Metric]) -> dict[str, float]:
    """The numbers of these families."""
    return samples(b"".join(text([(None, families)])))


class ReadinessTests(SynchronousTestCase):
    def ready(self, missing: list[str] | None) -> dict[str, float]:
        return numbers(collector.of_readiness(missing, ["database", "pool"]))

    def test_ready(self) -> None:
        """Without a reason it is ready, and each reason is 0."""
        self.assertEqual(
            self.ready([]),
            {
                "contentsvc_ready": 1,
                'contentsvc_not_ready{reason="database"}': 0,
                'contentsvc_not_ready{reason="pool"}': 0,
            },
        )

    def test_not_ready(self) -> None:
        """Each reason that holds is 1, also one that is not of the list."""
        found = self.ready(["pool", "stopping"])
        self.assertEqual(
            [name for name, value in found.items() if value],
            [
                'contentsvc_not_ready{reason="pool"}',
                'contentsvc_not_ready{reason="stopping"}',
            ],
        )

    def test_degraded(self) -> None:
        """A process that can only read is ready, as /health/ready says, and the reason is there."""
        found = self.ready(["disk"])
        self.assertEqual(found["contentsvc_ready"], 1)
        self.assertEqual(found['contentsvc_not_ready{reason="disk"}'], 1)
        self.assertEqual(self.ready(["disk", "pool"])["contentsvc_ready"], 0)

    def test_unknown(self) -> None:
        """What is not known is not ready."""
        self.assertEqual(self.ready(None)["contentsvc_ready"], 0)


class QueueTests(SynchronousTestCase):
    def test_read(self) -> None:
        """Each kind of tasks has its numbers, 0 for those that do not wait; one of another release
        too."""
        waiting = [
            Backlog("A", 3, 1, 60.5),
            Backlog("New", 1, 0, 2.0),
            Backlog("SendMail", 4, 2, 30),
        ]
        queues = collector.Queues(waiting, Due(5, 2, 1, 60, 3600), Disputed(4, 3, 2, 1))
        found = numbers(list(collector.of_queues(queues, ["A", "B"])))
        self.assertEqual(found['contentsvc_reported_subjects{state="open"}'], 5)
        self.assertEqual(found['contentsvc_reported_subjects{state="overdue"}'], 2)
        self.assertEqual(found['contentsvc_reported_subjects{state="child"}'], 1)
        states = [found[f'contentsvc_appeals{{state="{s}"}}'] for s in ("open", "confirmed")]
        self.assertEqual(states, [4, 3])
        self.assertEqual(found['contentsvc_appeals{state="reversed"}'], 2)
        self.assertEqual(found["contentsvc_reversals"], 1)
        self.assertEqual(found['contentsvc_decision_seconds{quantile="0.5"}'], 60)
        self.assertEqual(found['contentsvc_decision_seconds{quantile="0.9"}'], 3600)
        self.assertEqual(found['contentsvc_outbox_tasks{kind="A"}'], 3)
        self.assertEqual(found['contentsvc_outbox_tasks{kind="B"}'], 0)
        self.assertEqual(found['contentsvc_outbox_tasks{kind="New"}'], 1)
        self.assertEqual(found['contentsvc_outbox_failing_tasks{kind="A"}'], 1)
        self.assertEqual(found['contentsvc_outbox_oldest_seconds{kind="A"}'], 60.5)
        self.assertEqual(found["contentsvc_mails_waiting"], 4)
        self.assertEqual(found["contentsvc_mails_oldest_seconds"], 30)
        self.assertEqual(found["contentsvc_queues_read"], 1)
        self.assertNotIn('contentsvc_outbox_tasks{kind="SendMail"}', found)

    def test_not_read(self) -> None:
        """Without an answer of the database there is only that."""
        found = numbers(list(collector.of_queues(None, ["A"])))
        self.assertEqual(found, {"contentsvc_queues_read": 0})
