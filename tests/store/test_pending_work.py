"""What the look for waiting work finds."""

from contentsvc.framework.tasks import task_queue
from contentsvc.framework.tasks.runner import Job, PendingWork
from contentsvc.framework.tasks.task_queue import STEPS
from contentsvc.store import daily_totals
from contentsvc.store.challenges import closing, definitions
from contentsvc.store.content import content_counts, search_index
from contentsvc.store.events import events
from contentsvc.store.notifications import announcements
from tests.store.challenges.test_definitions import FUTURE, PAST, definition
from tests.support.databases import StoreCase, guid

WAITING = {
    "events": events.WAITING,
    "documents": search_index.WAITING,
    "challenges": closing.WAITING,
    "plays": content_counts.WAITING,
    "statistics": daily_totals.WAITING,
    "announcements": announcements.WAITING,
}
"""What the jobs of the domains wait for."""


async def nothing() -> None:
    """There is nothing to do."""


class FilledTests(StoreCase):
    anew = True

    async def setUp(self) -> None:
        await super().setUp()
        self.known = await announcements.state_of_all(self.db)

    async def found(self) -> list[str]:
        """All that waits, in order."""
        known = {"announcements": lambda: self.known}
        jobs = [
            *(Job(queue, 5.0, nothing, queue=queue) for queue in (STEPS, "SendMail")),
            *(
                Job(name, 5.0, nothing, queue=name, waits=waits, known=known.get(name))
                for name, waits in WAITING.items()
            ),
        ]
        return sorted(await PendingWork(jobs).find(self.db))

    async def test_queue(self) -> None:
        """A queue with a task is named, whether the task is due or waits."""
        self.assertEqual(await self.found(), [])
        await task_queue.insert(self.db, STEPS, "Party", "{}", None, 60)
        self.assertEqual(await self.found(), [STEPS])

    async def test_events(self) -> None:
        """Events wait until they have numbers."""
        await events.note(self.db, "UserBanned", None, "user", guid())
        self.assertEqual(await self.found(), ["events"])
        await events.number(self.db, 10)
        self.assertEqual(await self.found(), [])

    async def test_documents(self) -> None:
        """Content without words waits for them."""
        author = await self.user()
        self.assertNotIn("documents", await self.found())
        await self.content(author)
        self.assertIn("documents", await self.found())

    async def test_challenges(self) -> None:
        """A challenge waits whose time is over and that the votes judge."""
        for closes, judging in ((FUTURE, "votes"), (PAST + 9, "admins")):
            await definitions.create(
                self.db, definition(opens=PAST, closes=closes, judging=judging)
            )
        self.assertEqual(await self.found(), [])
        await definitions.create(self.db, definition(opens=PAST, closes=PAST + 9, judging="votes"))
        self.assertEqual(await self.found(), ["challenges"])

    async def test_plays(self) -> None:
        """What content was downloaded waits until it is added up."""
        content = await self.content(await self.user())
        await content_counts.add_downloads(self.db, [await self.user()], [content], ["2026-11-28"])
        self.assertIn("plays", await self.found())
        async with self.db.transaction() as tx:
            await content_counts.add_up(tx, [content])
        self.assertNotIn("plays", await self.found())

    async def test_statistics(self) -> None:
        """Rows of today wait to be added up once they are more than a few."""
        few = "insert into tallies select now() at time zone 'UTC', 'comments', 1"
        self.sql(f"{few} from generate_series(1, 100)")
        self.assertEqual(await self.found(), [])
        self.sql(few)
        self.assertEqual(await self.found(), ["statistics"])

    async def test_announcements(self) -> None:
        """Announcements wait until it is known which there are."""
        await announcements.put(self.db, guid(), "Soon", "", "info", None, None)
        self.assertEqual(await self.found(), ["announcements"])
        self.known = await announcements.state_of_all(self.db)
        self.assertEqual(await self.found(), [])
        self.known = None
        self.assertEqual(await self.found(), ["announcements"])
