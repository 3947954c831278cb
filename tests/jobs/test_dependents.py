"""Authors are told what happens to content on which theirs depends (extensions §1)."""

from functools import partial
from typing import Any

from msgspec import json

from contentsvc.jobs.dependents import dependency_changed
from contentsvc.jobs.handlers import KINDS
from contentsvc.jobs.steps import kinds
from contentsvc.store.content import items
from contentsvc.store.tasks import DependencyChanged
from tests.jobs.support import TellerCase
from tests.support.databases import together
from tests.support.uses import UsesCase


class DependencyTests(TellerCase, UsesCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.teller = self.telling(self.db, kinds=KINDS, most=2)
        self.base = await self.content(self.author)
        self.users = sorted([await self.user() for _ in range(5)])
        self.games = [await self.built_on(self.base, author=user) for user in self.users]

    async def changed(
        self, status: str, *, actor: str | None = None, by_author: bool = False
    ) -> None:
        """A row about the content."""
        task = DependencyChanged(
            dependency=self.base, status=status, actor=actor or self.author, by_author=by_author
        )
        await self.queue.put(self.db, task)

    def heard(self, user: str) -> list[dict[str, Any]]:
        """What a user was told."""
        rows = self.sql("select data from notifications where user_id = %s order by seq", user)
        return [json.decode(data) for (data,) in rows]

    async def test_whole_batches(self) -> None:
        """So do all if the last batch is full; without dependents nobody is told."""
        await self.built_on(self.base, author=await self.user())
        for content in (self.base, self.games[0]):
            task = DependencyChanged(
                dependency=content, status="active", actor=self.author, by_author=False
            )
            await self.queue.put(self.db, task)
        await self.work()
        self.assertEqual([len(self.heard(user)) for user in self.users], [1] * 5)
        self.assertEqual(self.left(), [])

    async def test_failed_batch(self) -> None:
        """Who is in a batch that fails counts as not told."""
        await self.changed("deleted", by_author=True)
        self.sql("alter table notifications add constraint broken check (false) not valid")
        await self.work()
        self.flushLoggedErrors()
        self.sql("alter table notifications drop constraint broken")
        self.sql("update tasks set due = now()")
        await self.work()
        self.assertEqual([len(self.heard(user)) for user in self.users], [1] * 5)

    async def test_changed_amid(self) -> None:
        """A dependent that is hidden before its author's batch does not count, one that is new
        does."""
        await self.changed("suspended")
        await self.work(batches=1)
        await items.set_status(self.db, None, self.games[4], "suspended")
        newest = await self.built_on(self.base, author=self.users[3])
        await self.built_on(self.base, author=self.users[0])
        await self.work()
        self.assertEqual([len(self.heard(user)) for user in self.users], [1, 1, 1, 1, 0])
        (told,) = self.heard(self.users[3])
        self.assertEqual((told["content"], told["contents"]), (newest, 2))
        (told,) = self.heard(self.users[0])
        self.assertEqual(told["contents"], 1)

    async def test_order(self) -> None:
        """Whichever processes tell of several acts, each recipient hears of them in their order."""
        statuses = ["suspended", "active"] * 3
        for status in statuses:
            await self.changed(status)
        tellers = [self.teller]
        for _ in range(2):
            tellers.append(self.telling(await self.pool(size=2), kinds=KINDS, most=2))
        while self.left():
            await together(*(self.work(teller) for teller in tellers))
        for user in self.users:
            self.assertEqual([told["status"] for told in self.heard(user)], statuses)

    async def test_reach(self) -> None:
        """Authors beyond the reach are not told."""
        step = partial(dependency_changed, reach=2)
        teller = self.telling(self.db, kinds=kinds((DependencyChanged, step)), most=2)
        await self.changed("suspended")
        await self.work(teller)
        expected = {self.users[n] for n in (3, 4)}
        self.assertEqual({user for user in self.users if self.heard(user)}, expected)
