"""The deletion of guests who have not come back."""

import secrets

from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.jobs.accounts import of_guests
from contentsvc.store.accounts import guests, sessions
from contentsvc.wire.accounts import CLIENT
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together

DAYS = 90
MONTH = 30 * 24 * 3600


class GuestsTests(StoreCase):
    """Who is deleted, when."""

    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        self.ended: list[str] = []

    def end(self, db: Db, sids: list[str]) -> None:
        """In place of Revocation.end."""
        self.ended += sids

    async def guest(self, days: float) -> str:
        """A guest who was seen so many days ago."""
        name = f"guest-{secrets.token_hex(4)}"
        made = await guests.make(self.db, name, secrets.token_hex(32))
        statement = (
            "update guest_secrets set seen = now() - %s * interval '1 day' where user_id = %s"
        )
        self.sql(statement, days, made)
        return made

    async def run_all(self, days: int = DAYS) -> None:
        """Have all go who are due."""
        for job in of_guests(self.db, TaskQueue(lambda: None), self.end, days):
            while await job.run() is not None:
                pass

    def there(self, *users: str) -> list[bool]:
        """Whether these are users."""
        found = self.sql("select id from users where id = any(%s::uuid[])", [*users])
        return [user in {str(id) for (id,) in found} for user in users]

    def departed(self, *users: str) -> int:
        """How many events say that these have gone."""
        statement = (
            "select count(*) from new_events where kind = 'UserDeleted' and subject = any(%s)"
        )
        return int(self.sql(statement, [*users])[0][0])

    async def test_due(self) -> None:
        """Those go who were not seen for so long, and no others."""
        users = [await self.guest(days) for days in (91, 90.5, 200, 89.9, 0)]
        await self.run_all()
        self.assertEqual(self.there(*users), [False, False, False, True, True])

    async def test_never(self) -> None:
        """0 is for ever."""
        user = await self.guest(10_000)
        await self.run_all(0)
        self.assertEqual(self.there(user), [True])

    async def test_as_accounts(self) -> None:
        """It goes as an account does: sessions end, the rest is a task, and it is an event."""
        user = await self.guest(91)
        session = await sessions.begin(self.db, user, secrets.token_hex(32), MONTH, None, CLIENT)
        await self.run_all()
        self.assertEqual(self.ended, [session])
        kept = "select count(*) from guest_secrets where user_id = %s"
        self.assertEqual(self.sql(kept, user), [(0,)])
        tasks = "select count(*) from tasks where kind = 'Departure' and task::jsonb->>'user' = %s"
        self.assertEqual(self.sql(tasks, user), [(1,)])
        self.assertEqual(self.departed(user), 1)

    async def test_content(self) -> None:
        """Who has content stays until it is withdrawn, suspended content too."""
        users = [await self.guest(91) for _ in range(3)]
        first, second = [await self.content(user) for user in users[:2]]
        self.sql("update contents set suspended = true where id = %s", second)
        await self.run_all()
        self.assertEqual(self.there(*users), [True, True, False])
        self.sql("update contents set deleted = true where id = any(%s::uuid[])", [first, second])
        await self.run_all()
        self.assertEqual(self.there(*users[:2]), [False, False])

    async def test_one_look(self) -> None:
        """A round looks once at who stays, and the next one looks again."""
        await self.run_all()
        kept, *users = [await self.guest(days) for days in (200, 150, 91)]
        content = await self.content(kept)
        (job,) = of_guests(self.db, TaskQueue(lambda: None), self.end, DAYS)
        await job.run()
        self.assertEqual(self.there(kept, *users), [True, False, True])
        self.sql("update contents set deleted = true where id = %s", content)
        await job.run()
        self.assertEqual(self.there(kept, *users), [True, False, False])
        self.assertIsNone(await job.run())
        await job.run()
        self.assertEqual(self.there(kept), [False])

    async def test_full(self) -> None:
        """Who has become a full account stays."""
        guest = await self.guest(91)
        await guests.register(self.db, guest, "ada", "ada@example.com", "hash")
        joined = await self.guest(91)
        self.assertTrue(await guests.join(self.db, joined, "bob", "https://id.example", "7"))
        await self.run_all()
        self.assertEqual(self.there(guest, joined), [True, True])

    async def test_seen(self) -> None:
        """Who logs in or renews stays; it is noted about once an hour."""
        user = await self.guest(91)
        await guests.see(self.db, user)
        await self.run_all()
        self.assertEqual(self.there(user), [True])
        seen = "select seen from guest_secrets where user_id = %s"
        before = self.sql(seen, user)
        await guests.see(self.db, user)
        self.assertEqual(self.sql(seen, user), before)

    async def test_at_once(self) -> None:
        """Several processes delete each once."""
        users = [await self.guest(91 + n) for n in range(6)]
        await together(self.run_all(), self.run_all(), self.run_all())
        await self.run_all()
        self.assertEqual(self.there(*users), [False] * 6)
        self.assertEqual(self.departed(*users), 6)

    async def test_comes_back(self) -> None:
        """Who logs in while the job looks is not deleted."""
        user = await self.guest(91)
        async with self.db.transaction() as tx:
            idle = await guests.idle(tx, DAYS, guests.FIRST)
            self.assertEqual(idle and idle.user, user)
            await guests.see(self.db, user)
            self.assertFalse(await guests.is_idle(tx, user, DAYS))

    async def test_others(self) -> None:
        """Full accounts are never meant."""
        user = await self.user()
        await self.run_all(1)
        self.assertEqual(self.there(user), [True])
        self.assertFalse(await guests.is_guest(self.db, guid()))
