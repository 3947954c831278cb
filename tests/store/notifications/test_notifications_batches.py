"""Many notifications at once: whoever writes, where and with whom, each log has its numbers without
holes, its times in their order, and each row knows the one before it."""

from collections import Counter
from collections.abc import Awaitable
from random import Random
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import deferLater

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Refused
from contentsvc.store.notifications import notifications
from contentsvc.store.notifications.notifications import Following
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together
from tests.support.walks import walks

SEEDS = 4
ACTS = 250
PROCESSES = 3


class Case(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.stored: list[Following] = []
        """What the writers were told of rows that were committed."""

    async def tell(self, db: Database, user: str) -> None:
        """A notification that stands alone."""
        self.stored.append(await notifications.insert(db, user, "Debug", f'{{"to":"{user}"}}'))

    async def tell_in_transaction(self, db: Database, users: list[str], keep: bool = True) -> None:
        """One to each, in one transaction with something else; or in one that is rolled back."""
        try:
            async with db.transaction() as tx:
                rows = [
                    await notifications.insert(tx, user, "Debug", f'{{"to":"{user}"}}')
                    for user in sorted(users)
                ]
                if not keep:
                    raise KeyError
                tx.after_commit(lambda: self.stored.extend(rows))
        except KeyError:
            pass

    async def tell_many(self, db: Database, users: list[str], keep: bool = True) -> None:
        """one to each, some of whom may be unknown, in one statement of a
        transaction; or in one that is rolled back."""
        try:
            async with db.transaction() as tx:
                datas = [f'{{"to":"{user}"}}' for user in users]
                rows = await notifications.insert_many(tx, users, ["Debug"] * len(users), datas)
                if not keep:
                    raise KeyError
                tx.after_commit(lambda: self.stored.extend(rows))
        except KeyError:
            pass

    async def refused(self, db: Database, user: str) -> None:
        """One to somebody who is not there."""
        await self.assertFailure(Deferred.fromCoroutine(self.tell(db, user)), Refused)

    def check(self, users: list[str]) -> None:
        """All that was stored is there as it was told, and nothing else."""
        told = {(row.user_id, row.seq): row for row in self.stored}
        self.assertEqual(len(told), len(self.stored))
        lengths = Counter(user for user, _ in told)
        for user in users:
            rows = self.sql(
                "select seq, id, created, data, unix(created) from notifications"
                " where user_id = %s order by seq",
                user,
            )
            self.assertEqual([row[0] for row in rows], list(range(1, lengths[user] + 1)))
            times = [row[2] for row in rows]
            self.assertEqual(times, sorted(times))
            previous = None
            for seq, id, _, data, created in rows:
                expected = Following(user, seq, id, created, False, data, previous)
                self.assertEqual(told[user, seq], expected)
                self.assertEqual(data, f'{{"to":"{user}"}}')
                previous = id
            counters = self.sql(
                "select seq, unread, newest from notification_counters where user_id = %s", user
            )
            expected_counter = [(len(rows), len(rows), previous)] if rows else []
            self.assertEqual(counters, expected_counter)


class WriterTests(Case):
    async def test_any_order(self) -> None:
        """Several processes tell hot and other users, alone, many at once and in transactions that
        cross, some of which are undone, with unknown users among them."""
        pools = [self.db, *[await self.pool(size=4) for _ in range(PROCESSES - 1)]]
        for walk in walks(SEEDS):
            with walk:
                random = walk.random
                users = [await self.user() for _ in range(6)]
                self.stored = []
                acts: list[Awaitable[Any]] = []
                for _ in range(ACTS):
                    db, two = random.choice(pools), random.sample(users, 2)
                    kind = random.randrange(14)
                    if kind < 4:
                        acts.append(self.tell(db, users[0]))
                    elif kind < 9:
                        acts.append(self.tell(db, two[0]))
                    elif kind < 11:
                        acts.append(self.tell_in_transaction(db, two, keep=kind == 9))
                    elif kind == 11:
                        acts.append(self.refused(db, guid()))
                    else:
                        many = [*random.sample(users, random.randint(1, 6)), guid()]
                        random.shuffle(many)
                        acts.append(self.tell_many(db, many, keep=kind == 12))
                await together(*acts)
                self.check(users)

    async def test_first(self) -> None:
        """So it is where several processes tell users their first at once."""
        pools = [self.db, await self.pool()]
        users = [await self.user() for _ in range(20)]
        acts = [self.tell(db, user) for user in users for db in pools for _ in range(3)]
        Random(1).shuffle(acts)
        await together(*acts)
        self.check(users)

    async def test_crossing(self) -> None:
        """Nobody waits in a circle, in whatever order the recipients are named."""
        pools = [self.db, await self.pool()]
        users = sorted([await self.user() for _ in range(10)])
        for _ in range(10):
            acts = [self.tell(pools[0], user) for user in users]
            acts += [self.tell(pools[1], user) for user in reversed(users)]
            acts += [self.tell_in_transaction(db, [users[0], users[-1]]) for db in pools]
            acts += [self.tell_many(pools[0], users), self.tell_many(pools[1], users[::-1])]
            await together(*acts)
        self.check(users)


class UnknownTests(Case):
    async def test_among_others(self) -> None:
        """Unknown recipients are refused alone: those beside them are stored, with one
        commit."""
        ann = await self.user()
        acts = [self.tell(self.db, ann), self.refused(self.db, guid()), self.tell(self.db, ann)]
        await together(*acts)
        self.check([ann])
        rows = self.sql(
            "select count(*), count(distinct xmin::text) from notifications where user_id = %s", ann
        )
        self.assertEqual(rows, [(2, 1)])


class LockTests(Case):
    async def test_others_go_on(self) -> None:
        """While somebody holds a recipient's counter, those of other recipients are stored. Who
        waits for it has one connection, and is stored when it is let go."""
        ann, bob = await self.user(), await self.user()
        other = await self.pool()
        async with other.transaction() as tx:
            self.stored.append(await notifications.insert(tx, ann, "Debug", f'{{"to":"{ann}"}}'))
            waiting = []
            for _ in range(20):
                waiting.append(Deferred.fromCoroutine(self.tell(self.db, ann)))
                await deferLater(reactor, 0)
                await together(*(self.tell(self.db, bob) for _ in range(3)))
            held = self.sql(
                "select count(*) from pg_stat_activity"
                " where datname = current_database() and wait_event_type = 'Lock'"
            )
            self.assertEqual(held, [(1,)])
            for call in waiting:
                self.assertNoResult(call)
        await gatherResults(waiting)
        self.check([ann, bob])
