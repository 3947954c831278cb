"""What is counted for each day of UTC, on a real Postgres."""

from contextlib import closing
from typing import Any

import psycopg2

from contentsvc.store import daily_totals
from contentsvc.store.accounts import sessions
from contentsvc.store.moderation import legal_log
from contentsvc.wire.accounts import CLIENT
from contentsvc.wire.moderation import DayStatistics
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together

HASH = "00" * 32
ZERO = dict.fromkeys(DayStatistics.__struct_fields__[1:], 0)


class StatisticsTests(StoreCase):
    anew = True  # The numbers are those of the whole service.

    async def setUp(self) -> None:
        await super().setUp()
        ((self.today, self.before),) = self.sql(
            "select to_char(now() at time zone 'UTC', 'YYYY-MM-DD'),"
            " to_char(now() at time zone 'UTC' - interval '1 day', 'YYYY-MM-DD')"
        )

    async def counted(self, **expected: int) -> None:
        """Today has these numbers, and no others."""
        ((found),) = await daily_totals.of_days(self.db, self.today, self.today)
        numbers = {name: getattr(found, name) for name in ZERO}
        self.assertEqual(numbers, {**ZERO, **expected})

    async def log_in(self, user: str) -> str:
        """The id of a new session."""
        session = await sessions.begin(
            self.db, user, guid().replace("-", "") * 2, 3600, None, CLIENT
        )
        assert session is not None
        return session

    async def test_empty(self) -> None:
        """Days without anything are there, in order, also those to come."""
        found = await daily_totals.of_days(self.db, "2024-02-28", "2024-03-01")
        self.assertEqual([day.day for day in found], ["2024-02-28", "2024-02-29", "2024-03-01"])
        ((far),) = await daily_totals.of_days(self.db, "9999-12-31", "9999-12-31")
        self.assertEqual(far, DayStatistics(day="9999-12-31", **ZERO))

    async def test_users(self) -> None:
        """Who has registered stays counted when the account goes, which is counted too."""
        user = await self.user()
        await self.user()
        self.sql("delete from users where id = %s", user)
        await self.counted(registered=2, deleted=1)

    async def test_undone(self) -> None:
        """What is rolled back is not counted."""
        with closing(psycopg2.connect(self.url)) as other:
            other.cursor().execute("insert into users (username, email) values ('x1y', 'x@y.zz')")
            other.rollback()
        await self.counted()

    async def test_content(self) -> None:
        """Content and further revisions are counted apart, each once."""
        author = await self.user()
        content = await self.content(author)
        self.sql(
            """
            insert into revisions (id, content_id, version, description, entity_id,
                                   entity_revision, ordinal)
            select gen_random_uuid(), content_id, version, description, entity_id,
                   entity_revision, 2
            from revisions where content_id = %s
            """,
            content,
        )
        await self.counted(registered=1, published=1, revised=1)

    async def test_ratings(self) -> None:
        """A new vote counts, and a changed one does not."""
        author = await self.user()
        content = await self.content(author)
        vote = (
            "insert into ratings (user_id, content_id, up) values (%s, %s, %s)"
            " on conflict (user_id, content_id) do update set up = excluded.up"
        )
        for up in (True, False):
            self.sql(vote, author, content, up)
        await self.counted(registered=1, published=1, ratings=1)

    async def test_active(self) -> None:
        """A user is active once a day, however many sessions are begun and renewed, at once too."""
        ann, bob = await self.user(), await self.user()
        await together(*(self.log_in(ann) for _ in range(4)))
        session = await self.log_in(bob)
        self.sql("update sessions set used = now() where id = %s", session)
        await self.counted(registered=2, active=2)

    async def test_renewed(self) -> None:
        """A session of before that is renewed makes its user active today."""
        user = await self.user()
        one, two = await self.log_in(user), await self.log_in(user)
        self.sql("delete from tallies")
        self.sql("update sessions set used = now() - interval '2 days'")
        for session in (one, two, one):
            self.sql("update sessions set used = now() where id = %s", session)
        await self.counted(active=1)

    async def months(self) -> list[int]:
        """How many users had a session in the month before this one, and in this."""
        ((first,),) = self.sql(
            "select (date_trunc('month', %s::date) - interval '1 day')::date::text", self.today
        )
        return [month.users for month in await legal_log.months(self.db, first, self.today)]

    async def test_month(self) -> None:
        """A user counts once in a month, however many sessions are begun and renewed; and again in
        the next one."""
        ann, bob = await self.user(), await self.user()
        await together(*(self.log_in(ann) for _ in range(4)))
        session = await self.log_in(bob)
        began = "date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'"
        self.sql(f"update sessions set used = greatest({began}, now() - interval '2 days')")
        for _ in range(2):
            self.sql("update sessions set used = now() where id = %s", session)
        await self.log_in(bob)
        self.assertEqual(await self.months(), [0, 2])
        self.sql("delete from tallies")
        self.sql(f"update sessions set used = {began} - interval '1 second'")
        await together(*(self.log_in(ann) for _ in range(2)))
        self.sql("update sessions set used = now() where id = %s", session)
        self.assertEqual(await self.months(), [0, 2])
        await daily_totals.add_downloads(self.db, 1, 1)
        self.sql("update tallies set day = date_trunc('month', day) - interval '1 day'")
        self.assertEqual(await self.months(), [2, 0])

    async def test_downloads(self) -> None:
        """Downloads are added with their bytes, beyond 32 bits."""
        await daily_totals.add_downloads(self.db, 3, 2**40)
        await daily_totals.add_downloads(self.db, 1, 5)
        await self.counted(downloads=4, bytes=2**40 + 5)

    async def add(self, rows: int) -> None:
        """So many comments of today and of the day before."""
        self.sql(
            "insert into tallies select %s::date - n %% 2, 'comments', 1"
            " from generate_series(1, %s) n",
            self.today,
            rows,
        )

    def rows(self) -> Any:
        """How many rows there are."""
        ((count,),) = self.sql("select count(*) from tallies")
        return count

    async def test_added_up(self) -> None:
        """Many rows become one for each day and kind, and say the same."""
        await self.add(1000)
        await daily_totals.add_downloads(self.db, 1, 7)
        self.assertEqual(await daily_totals.add_up(self.db), 1002)
        self.assertEqual(self.rows(), 4)
        await self.counted(comments=500, downloads=1, bytes=7)
        ((before),) = await daily_totals.of_days(self.db, self.before, self.before)
        self.assertEqual(before.comments, 500)

    async def test_few(self) -> None:
        """A few rows are left as they are."""
        await self.add(100)
        self.assertEqual((await daily_totals.add_up(self.db), self.rows()), (0, 100))

    async def test_at_once(self) -> None:
        """Several processes that add up at once, while others count, lose nothing and double
        nothing."""
        await self.add(3000)
        await together(
            *(daily_totals.add_up(self.db) for _ in range(3)),
            *(daily_totals.add_downloads(self.db, 1, 1) for _ in range(3)),
        )
        await daily_totals.add_up(self.db)
        await self.counted(comments=1500, downloads=3, bytes=3)
