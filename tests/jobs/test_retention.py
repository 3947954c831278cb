"""What the jobs of retention delete, and when."""

from collections import defaultdict, deque
from typing import Any

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.tasks.runner import Runner
from contentsvc.jobs import retention as module
from contentsvc.jobs.retention import EVERY, PAUSE, RARELY
from contentsvc.store.retention import FIRST, NOTES, TOKENS
from tests.support.lines import logged_by
from tests.support.pauses import Even

NOTIFICATIONS, SESSIONS = "retention_trim_notifications", "retention_trim_sessions"
PROCESSES, TELLINGS = "processes_forget_dead", "retention_trim_tellings"
DEPARTURES = "retention_trim_departures"
FORMER = "retention_trim_former_names"
MAILS = "retention_trim_mails"
GRANTS = "retention_trim_grants"
CODES = "retention_trim_portal_codes"
KEEPERS = "retention_trim_subscription_tellings"
RATE_LIMITS = "retention_trim_rate_limits"
STUDIO = "retention_trim_studio_notifications"
NOTHING: dict[str, Any] = {
    NOTIFICATIONS: (True, None, False, 0),
    SESSIONS: (0, 0),
    PROCESSES: (0,),
    TELLINGS: (0,),
    DEPARTURES: (0,),
    FORMER: (0,),
    MAILS: (0,),
    GRANTS: (0,),
    CODES: (0,),
    KEEPERS: (0,),
    RATE_LIMITS: (0,),
    STUDIO: (0,),
}


class FakeDb:
    """Stands for the database: keeps what it was asked, and answers as it was told to."""

    def __init__(self) -> None:
        self.ran: dict[str, list[Any]] = defaultdict(list)
        self.answers: dict[str, deque[Any]] = defaultdict(deque)

    async def run(self, statement: Any, args: Any) -> list[Any]:
        name = statement.name
        self.ran[name].append(args)
        answer = self.answers[name].popleft() if self.answers[name] else NOTHING[name]
        if isinstance(answer, Exception):
            raise answer
        return [answer]


class RetentionTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.db = Clock(), FakeDb()
        self.logged = logged_by(module, self)

    def begin(self, days: int = 90) -> None:
        """The jobs run."""
        db: Any = self.db
        jobs = [
            *(*module.of_accounts(db), *module.of_content(db), *module.of_service(db)),
            *(*module.of_notifications(db, days), *module.of_events(db, 0)),
        ]
        Runner(self.clock, Clock(), Even()).start(jobs)

    def test_again_and_again(self) -> None:
        """They look for each kind from time to time, not at once, and rarely for most."""
        self.begin()
        self.assertEqual(self.db.ran, {})
        self.clock.advance(EVERY)
        self.assertEqual(self.db.ran.keys(), {NOTIFICATIONS, PROCESSES})
        self.db.ran.clear()
        self.clock.pump([RARELY] * 2)
        self.assertEqual(
            self.db.ran,
            {
                NOTIFICATIONS: [(90, FIRST)] * 2,
                SESSIONS: [(module.MARGIN,)] * 2,
                PROCESSES: [()] * 2,
                TELLINGS: [()] * 2,
                DEPARTURES: [()] * 2,
                FORMER: [()] * 2,
                MAILS: [()] * 2,
                GRANTS: [()] * 2,
                CODES: [()] * 2,
                KEEPERS: [()] * 2,
                RATE_LIMITS: [()] * 2,
                STUDIO: [(90,)] * 2,
            },
        )
        self.assertEqual(self.logged, [])

    def test_batches(self) -> None:
        """After a full batch the next follows, when others have had the database. One line says
        how many went in all."""
        self.begin()
        steps = (True, "b", True, 70), (True, "b", True, 60), (True, "c", False, 5)
        self.db.answers[NOTIFICATIONS].extend(steps)
        self.db.answers[SESSIONS].extend([(TOKENS, 1), (3, 2)])
        self.db.answers[TELLINGS].extend([(NOTES,), (7,)])
        looked = NOTIFICATIONS, SESSIONS, TELLINGS
        self.clock.advance(RARELY)
        self.assertEqual([len(self.db.ran[name]) for name in looked], [1, 1, 1])
        self.clock.pump([PAUSE] * 4)
        self.assertEqual([len(self.db.ran[name]) for name in looked], [3, 2, 2])
        notes = f"Deleted notes of who was told of dependencies: {NOTES + 7}"
        expected = ["Deleted expired sessions: 3", notes, "Deleted old notifications: 135"]
        self.assertEqual(self.logged, expected)

    def test_walk(self) -> None:
        """Each look goes on with the users after those of the last, and begins anew at the end;
        where another process is at it, it stays where it was."""
        self.begin()
        steps = (True, "b", False, 0), (False, None, False, 0), (True, "c", False, 0)
        self.db.answers[NOTIFICATIONS].extend([*steps, NOTHING[NOTIFICATIONS]])
        self.clock.pump([EVERY] * 5)
        starts = [start for _, start in self.db.ran[NOTIFICATIONS]]
        self.assertEqual(starts, [FIRST, "b", "b", "c", FIRST])

    def test_for_ever(self) -> None:
        """With 0 days no notification is deleted; everything else is."""
        self.begin(0)
        self.clock.advance(RARELY)
        notes = {TELLINGS, DEPARTURES, FORMER, MAILS, RATE_LIMITS, GRANTS, CODES, KEEPERS}
        self.assertEqual(self.db.ran.keys(), {SESSIONS, PROCESSES, *notes})

    def test_failed_amid(self) -> None:
        """After a batch that failed the walk goes on where it was, and counts on."""
        self.begin()
        steps = (True, "b", True, 70), Unavailable("away"), (True, "c", False, 5)
        self.db.answers[NOTIFICATIONS].extend(steps)
        self.clock.pump([EVERY, PAUSE, EVERY])
        starts = [start for _, start in self.db.ran[NOTIFICATIONS]]
        self.assertEqual(starts, [FIRST, "b", "b"])
        self.assertEqual(self.logged, ["Deleted old notifications: 75"])
