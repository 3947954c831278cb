"""What the look for waiting work finds."""

from contentsvc.store import task_queue, waiting
from contentsvc.store.challenges import definitions
from contentsvc.store.events import events
from contentsvc.store.tasks import STEPS
from tests.store.challenges.test_definitions import FUTURE, PAST, definition
from tests.support.databases import StoreCase, fresh, guid


class FilledTests(StoreCase):
    async def setUp(self) -> None:
        self._databases[type(self)] = fresh(self.server())
        await super().setUp()

    async def found(self) -> list[str]:
        """All that waits, in order."""
        return sorted(await waiting.filled(self.db, [STEPS, "SendMail"]))

    async def test_queue(self) -> None:
        """A queue with a task is named, whether the task is due or waits."""
        self.assertEqual(await self.found(), [])
        await task_queue.insert(self.db, STEPS, "Party", "{}", None, 60)
        self.assertEqual(await self.found(), [STEPS])

    async def test_events(self) -> None:
        """Events wait until they have numbers."""
        await events.note(self.db, "UserBanned", None, "user", guid())
        self.assertEqual(await self.found(), [waiting.EVENTS])
        await events.number(self.db, 10)
        self.assertEqual(await self.found(), [])

    async def test_documents(self) -> None:
        """Content without words waits for them."""
        author = await self.user()
        self.assertNotIn(waiting.DOCUMENTS, await self.found())
        await self.content(author)
        self.assertIn(waiting.DOCUMENTS, await self.found())

    async def test_challenges(self) -> None:
        """A challenge waits whose time is over and that the votes judge."""
        for closes, judging in ((FUTURE, "votes"), (PAST + 9, "admins")):
            await definitions.create(
                self.db, definition(opens=PAST, closes=closes, judging=judging)
            )
        self.assertEqual(await self.found(), [])
        await definitions.create(self.db, definition(opens=PAST, closes=PAST + 9, judging="votes"))
        self.assertEqual(await self.found(), [waiting.CHALLENGES])
