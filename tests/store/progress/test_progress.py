"""Progress data (progress#list): values as they came, the versions of keys, and strict quotas."""

import psycopg2
from twisted.internet.defer import Deferred

from contentsvc.framework.db.errors import Refused
from contentsvc.store.progress import progress
from contentsvc.store.progress.progress import NO_LIMIT
from tests.support.databases import StoreCase
from tests.support.deferreds import together

KEYS, BYTES = progress.KEYS, progress.BYTES
NO_LIMITS = NO_LIMIT, NO_LIMIT


class ProgressCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()

    async def put(
        self, key: str, value: str = "{}", keys: int = NO_LIMIT, bytes: int = NO_LIMIT
    ) -> None:
        """Store JSON text, with these quotas."""
        await progress.put(self.db, self.ann, key, value, None, keys, bytes)

    async def delete(self, key: str) -> None:
        """Delete."""
        await progress.delete(self.db, self.ann, key)

    async def version(self, key: str) -> int:
        """That of the data at a key."""
        return (await progress.get(self.db, self.ann, key)).version

    async def all(self) -> list[progress.Datum]:
        """Everything of Ann's."""
        return await progress.page(self.db, self.ann, "", None, 1000, 10**9)

    async def used(self) -> tuple[int, int]:
        """The keys and bytes in the books, which are those that are there."""
        rows = await self.all()
        there = len(rows), sum(len(row.value.encode()) for row in rows)
        usage = await progress.usage(self.db, self.ann)
        self.assertEqual((usage.keys, usage.bytes), there)
        return there

    async def refused(self, constraint: str, key: str, value: str = "{}", **quotas: int) -> None:
        """Assert that a write is over a quota, and changes nothing."""
        before = await self.all()
        with self.assertRaises(Refused) as caught:
            await self.put(key, value, **quotas)
        self.assertEqual(caught.exception.constraint, constraint)
        self.assertEqual(await self.all(), before)


class ValueTests(ProgressCase):
    async def test_as_it_came(self) -> None:
        """Order, numbers and text of the JSON stay as they were."""
        value = '{"b":1.10,"a":1000000000000000000000000000000,"ü":"\\u00fc\\"","a":[]}'
        await self.put("k", value)
        self.assertEqual((await progress.get(self.db, self.ann, "k")).value, value)

    async def test_replaced(self) -> None:
        """A second value replaces the first, and its time is later."""
        await self.put("k", "{}")
        self.sql("update progress set written = to_timestamp(5.9) where user_id = %s", self.ann)
        self.assertEqual((await progress.get(self.db, self.ann, "k")).timestamp, 5)
        await self.put("k", '{"a":1}')
        (row,) = await self.all()
        self.assertEqual(row.value, '{"a":1}')
        self.assertGreater(row.timestamp, 5)

    async def test_one_turn(self) -> None:
        """Values that are stored at many keys at once come back as they were sent."""
        given = {f"k{n}": f'{{"n":{n}.0,"text":"\\"{n}\\\\"}}' for n in range(20)}
        await together(*(self.put(key, value) for key, value in given.items()))
        found = {row.key: row.value for row in await self.all()}
        self.assertEqual(found, given)

    async def test_at_once(self) -> None:
        """Many at once on one key leave one of them."""
        await together(*(self.put("k", f'{{"n":{n}}}') for n in range(20)))
        self.assertEqual(len(await self.all()), 1)


class VersionTests(ProgressCase):
    async def test_state(self) -> None:
        """The validator of a long list changes with each value."""
        states = []
        for value in ("{}", '{"n":1}', "{}"):
            await self.put("k", value)
            states.append(await progress.state(self.db, self.ann, "", None))
        self.assertEqual(len(set(states)), 3)

    async def test_deletion_under_way(self) -> None:
        """A write that waits for the key's deletion to commit goes on after that."""
        await self.put("k")
        with psycopg2.connect(self.url) as other, other.cursor() as cursor:
            cursor.execute("delete from progress where user_id = %s", (self.ann,))
            waiting = Deferred.fromCoroutine(self.put("k"))
            await self.blocked()
        other.close()
        await waiting
        self.assertEqual(await self.version("k"), 3)

    async def test_order(self) -> None:
        """A batch locks its rows in one order, whatever that of its calls, so that two batches do
        not wait for each other."""
        first, last = sorted([self.ann, await self.user()])
        users = (last, first)
        await together(*(progress.put(self.db, u, "k", "{}", None, *NO_LIMITS) for u in users))
        with psycopg2.connect(self.url) as other, other.cursor() as cursor:
            lock = "select 1 from progress where user_id = %s for update"
            cursor.execute(lock, (last,))
            puts = (progress.put(self.db, u, "k", '{"n":1}', None, *NO_LIMITS) for u in users)
            writing = Deferred.fromCoroutine(together(*puts))
            await self.blocked()
            self.assertEqual(self.sql(f"{lock} skip locked", first), [])
        other.close()
        await writing

    async def blocked(self) -> None:
        """Returns once a statement waits for another's lock."""
        for _ in range(2000):
            ((waiting,),) = self.sql(
                "select count(*) from pg_stat_activity where datname = current_database()"
                " and wait_event_type = 'Lock'"
            )
            if waiting:
                return
            await progress.usage(self.db, self.ann)
        self.fail("nothing waits")

    async def test_many_deletions(self) -> None:
        """Deletions are remembered up to a bound; what is known of none goes on above all that
        were dropped, so that no number comes back."""
        self.sql(
            """insert into progress_deleted (user_id, key, version, deleted)
               select %s, 'k' || n, n, to_timestamp(n) from generate_series(1, 1000) n""",
            self.ann,
        )
        await self.put("new")
        self.assertEqual(await self.version("new"), 1)
        await self.delete("new")
        ((left,),) = self.sql("select count(*) from progress_deleted where user_id = %s", self.ann)
        self.assertEqual(left, 501)
        for key, version in (("k3", 501), ("k500", 501), ("k900", 901), ("new", 3)):
            await self.put(key)
            self.assertEqual(await self.version(key), version, key)

    async def test_user_deleted(self) -> None:
        """With a user goes all that was kept for them."""
        for key in ("a", "b"):
            await self.put(key)
        await self.delete("b")
        self.sql("delete from users where id = %s", self.ann)
        for table in ("progress", "progress_deleted", "progress_usage"):
            found = self.sql(f"select 1 from {table} where user_id = %s", self.ann)
            self.assertEqual(found, [])


class QuotaTests(ProgressCase):
    async def test_counted(self) -> None:
        """Keys and bytes are counted as they are written, replaced and deleted."""
        for key, value in (("a", '{"a":"ü"}'), ("b", "{}"), ("a", "{}"), ("c", '{"c":1}')):
            await self.put(key, value)
            await self.used()
        await self.delete("a")
        await self.delete("none")
        self.assertEqual(await self.used(), (2, 9))

    async def test_one_turn(self) -> None:
        """Writes at the same time are counted one by one."""
        bob = await self.user()
        await together(
            *(self.put(f"k{n}", f'{{"n":{n}}}') for n in range(20)),
            *(
                progress.put(self.db, bob, f"k{n}", "{}", None, NO_LIMIT, NO_LIMIT)
                for n in range(5)
            ),
            *(self.put("k", f'{{"n":{n}}}') for n in range(20)),
        )
        await self.used()
        usage = await progress.usage(self.db, bob)
        self.assertEqual((usage.keys, usage.bytes), (5, 10))

    async def test_keys(self) -> None:
        """A key more than allowed is refused; another write to one that is there is not."""
        for key in ("a", "b"):
            await self.put(key, keys=2)
        await self.refused(KEYS, "c", keys=2)
        await self.put("a", '{"more":1}', keys=2)
        await self.put("b", '{"more":1}', keys=1)
        await self.delete("a")
        await self.put("c", keys=2)

    async def test_bytes(self) -> None:
        """A value by which there are more bytes than allowed is refused; a lesser one is not,
        even where there are too many already."""
        await self.put("a", '{"a":1}', bytes=9)
        await self.put("b", "{}", bytes=9)
        await self.refused(BYTES, "a", '{"a":12}', bytes=9)
        await self.refused(BYTES, "c", bytes=9)
        await self.put("a", '{"a":2}', bytes=5)
        await self.put("a", "{}", bytes=1)
        await self.refused(BYTES, "a", '{"a":1}', bytes=5)

    async def test_first(self) -> None:
        """The first write of a user may be too much as well."""
        await self.refused(BYTES, "a", '{"a":12}', bytes=7)

    async def test_at_once(self) -> None:
        """Ten at once at the edge, through two processes' pools: as many as fit are stored."""
        other = await self.pool()
        for n in range(4):
            await self.put(f"k{n}", keys=9, bytes=18)

        async def attempt(db: object, n: int) -> bool:
            try:
                await progress.put(db, self.ann, f"new{n}", "{}", None, 9, 18)
            except Refused as error:
                self.assertIn(error.constraint, (KEYS, BYTES))
                return False
            return True

        done = await together(*(attempt((self.db, other)[n % 2], n) for n in range(10)))
        self.assertEqual(done.count(True), 5)
        self.assertEqual(await self.used(), (9, 18))

    async def test_growth_at_once(self) -> None:
        """Values that grow at once do not grow beyond the quota together."""
        for n in range(10):
            await self.put(f"k{n}")

        async def attempt(n: int) -> bool:
            try:
                await self.put(f"k{n}", '{"a":1}', bytes=35)
            except Refused:
                return False
            return True

        done = await together(*(attempt(n) for n in range(10)))
        self.assertEqual(done.count(True), 3)
        self.assertEqual(await self.used(), (10, 35))

    async def test_crossed(self) -> None:
        """Two that write for the same two users in opposite orders do not lock each other out."""
        bob, other = await self.user(), await self.pool()

        async def turn(db: object, n: int) -> None:
            for user in (self.ann, bob) if n % 2 else (bob, self.ann):
                await progress.put(
                    db, user, f"k{n}", f'{{"n":"{"x" * n}"}}', None, NO_LIMIT, NO_LIMIT
                )

        for _ in range(10):
            await together(*(turn((self.db, other)[n % 3 % 2], n) for n in range(24)))
        await self.used()
