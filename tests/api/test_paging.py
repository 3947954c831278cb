"""Lists that are too long for one piece: what they give, in pages, and what their state stands for.

Each is compared with what it gives where one piece may be of any size."""

from typing import Any

import msgspec

from contentsvc.api.content.items import Content
from contentsvc.api.content.publishing import Publishing
from contentsvc.api.content.ratings import Ratings
from contentsvc.api.notifications.notifications import Notifications
from contentsvc.api.paging import PART, Piece
from contentsvc.api.progress.progress import Progress
from contentsvc.api.social.follows import Follows
from contentsvc.framework.http.reply import Encoded, Pieces
from contentsvc.store.content import ratings
from contentsvc.store.progress import progress
from contentsvc.wire.base import Paging
from contentsvc.wire.notifications import NotificationQuery
from contentsvc.wire.progress import ProgressQuery
from contentsvc.wire.searches import ContentQuery
from tests.api.support import (
    ApiCase,
    Caller,
    Notifier,
    Tasks,
    acts,
    no_platforms,
    no_types,
)
from tests.support.databases import guid

LARGE = Piece(rows=10**6, bytes=10**9)


class LongCase(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()
        self.piece = Piece(rows=4, bytes=2000)

    async def ask(self) -> Encoded[Any] | Pieces[Any]:
        """The answer of the operation. Each case has its own."""
        raise NotImplementedError

    async def pages(self) -> list[Any]:
        """The pages of the long list."""
        pieces = await self.ask()
        self.assertIsInstance(pieces, Pieces)
        found = []
        while piece := await pieces.more():
            first, last = pieces.brackets[:1], pieces.brackets[1:]
            found.append(msgspec.json.decode(first + piece + last))
        return found

    async def together(self) -> Any:
        """All of them, which are those of the list in one piece."""
        pages = await self.pages()
        small, self.piece = self.piece, LARGE
        whole = await self.ask()
        self.piece = small
        self.assertIsInstance(whole, Encoded)
        joined: Any = {} if isinstance(pages[0], dict) else []
        for page in pages:
            joined = {**joined, **page} if isinstance(page, dict) else [*joined, *page]
        self.assertEqual(joined, msgspec.json.decode(whole.json))
        return joined

    async def changes(self, statement: str, *args: object) -> None:
        """Assert that a write changes the state, and only the write does."""
        before = await (await self.ask()).state()
        self.assertEqual(await (await self.ask()).state(), before)
        self.sql(statement, *args)
        self.assertNotEqual(await (await self.ask()).state(), before, statement)


class FollowersTests(LongCase):
    own, others = "followed", "follower"
    query = Paging()

    async def setUp(self) -> None:
        await super().setUp()
        self.part = PART
        for n in range(9):
            await self.follow(await self.user(), f"profile {n}")

    async def follow(self, user: str, profile: str) -> None:
        """One more, with this profile."""
        self.sql("update users set public_profile = %s where id = %s", profile, user)
        self.sql(f"insert into follows ({self.own}, {self.others}) values (%s, %s)", self.ann, user)

    @property
    def family(self) -> Follows:
        """With the limits of now."""
        return Follows(self.db, Notifier(), 0, self.piece, self.part)

    async def ask(self) -> Any:
        return await self.family.list_followers(Caller(self.ann), self.ann, self.query)

    async def test_pages(self) -> None:
        """All are there once, in order, so many on each page."""
        await self.together()
        self.assertEqual([len(page) for page in await self.pages()], [4, 4, 1])

    async def test_part(self) -> None:
        """A part ends where its profiles are over the bytes of one, and says what follows."""
        for _ in range(3):
            await self.follow(await self.user(), "x" * 1500)
        self.part = 3000
        rows = self.sql(
            f"select number from follows where {self.own} = %s order by 1 desc", self.ann
        )
        counts, after = [], None
        while len(counts) < 4:
            self.query = Paging(limit=9, after=after)
            part = await self.ask()
            counts.append(len(part.items))
            after = part.after
            if after is None:
                break
            self.assertEqual((int(after),), rows[sum(counts) - 1])
        self.assertEqual(counts, [2, 9, 1])

    async def test_bytes(self) -> None:
        """A page ends where its profiles are over the bytes."""
        for _ in range(3):
            await self.follow(await self.user(), "x" * 1500)
        self.assertEqual([len(page) for page in await self.pages()], [2, 4, 4, 2])
        self.piece = Piece(rows=100, bytes=2000)
        self.assertIsInstance(await self.ask(), Pieces)

    async def test_state(self) -> None:
        """All that is shown is in the state."""
        ((one,),) = self.sql(
            f"select {self.others} from follows where {self.own} = %s limit 1", self.ann
        )
        for column, value in (
            ("username", "renamed" + guid()[:8]),
            ("avatar", "a.png"),
            ("emblem", guid()),
            ("public_profile", "other"),
            ("public_profile", None),
        ):
            await self.changes(f"update users set {column} = %s where id = %s", value, one)
        await self.changes(f"delete from follows where {self.others} = %s", one)


class FollowingTests(FollowersTests):
    own, others = "follower", "followed"

    async def ask(self) -> Any:
        return await self.family.list_following(Caller(self.ann), self.ann, self.query)


class NotificationTests(LongCase):
    query = NotificationQuery()

    async def setUp(self) -> None:
        await super().setUp()
        self.sql("insert into notification_counters values (%s, 9, 9)", self.ann)
        self.sql(
            """insert into notifications (user_id, seq, kind, data, created)
               select %s, n, 'Debug', '{"kind":"Debug","text":"' || repeat('x', n * 100) || '"}',
                      to_timestamp(n)
               from generate_series(1, 9) n""",
            self.ann,
        )

    async def ask(self) -> Any:
        family = Notifications(self.db, Notifier(), piece=self.piece)
        return await family.list_notifications(Caller(self.ann), self.ann, self.query)

    async def test_pages(self) -> None:
        """All are there once, in order; a page ends at its bytes."""
        await self.together()
        self.assertEqual([len(page) for page in await self.pages()], [4, 4, 1])

    async def test_since(self) -> None:
        """A part by time, and after a cursor, is given so too."""
        for query, first in (
            (NotificationQuery(since=2), 3),
            (NotificationQuery(after="4"), 5),
            (NotificationQuery(after="1", since=3), 4),
        ):
            self.query = query
            found = await self.together()
            self.assertEqual([one["created"] for one in found], list(range(first, 10)))

    async def test_state(self) -> None:
        """A flag changes the state, and one more."""
        await self.changes("update notifications set read = true where user_id = %s", self.ann)
        await self.changes("delete from notifications where user_id = %s and seq = 9", self.ann)


class ProgressTests(LongCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.prefix = ""
        for n in range(9):
            await self.put(f"k{n}", f'{{"n":"{"x" * n * 100}"}}')

    async def put(self, key: str, value: str) -> None:
        """Store JSON text."""
        most = progress.NO_LIMIT
        await progress.put(self.db, self.ann, key, value, None, most, most)

    async def ask(self) -> Any:
        family = Progress(self.db, keys=0, bytes=0, piece=self.piece)
        return await family.list_progress(
            Caller(self.ann), self.ann, ProgressQuery(prefix=self.prefix)
        )

    async def test_pages(self) -> None:
        """All keys are there once, in order; those of a prefix too."""
        await self.put("k1\x01", "{}")
        await self.put("k", "{}")
        await self.put("l", "{}")
        found = await self.together()
        self.assertEqual(len(found), 12)
        self.prefix = "k"
        self.assertEqual(await self.together(), found[:-1])

    async def test_large(self) -> None:
        """One value that is over the bytes has a page of its own, and is given whole."""
        await self.put("a", f'{{"n":"{"x" * 5000}"}}')
        await self.together()
        self.assertEqual(len((await self.pages())[0]), 1)

    async def test_state(self) -> None:
        """Each write changes the state, and each deletion."""
        await self.changes("delete from progress where key = 'k4'")
        before = await (await self.ask()).state()
        await self.put("k5", "{}")
        self.assertNotEqual(await (await self.ask()).state(), before)


class ContentTests(LongCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.made = [await self.content(self.ann) for _ in range(9)]

    async def ask(self) -> Any:
        publishing = Publishing(
            self.db, Tasks(), (), 0, 0, None, no_types(self.db), no_platforms(self.db)
        )
        family = Content(
            self.db,
            acts(),
            publishing,
            no_types(self.db),
            no_platforms(self.db),
            piece=self.piece,
        )
        return await family.list_user_content(Caller(self.ann), self.ann, ContentQuery())

    async def test_pages(self) -> None:
        """All are there once, newest first."""
        found = await self.together()
        self.assertEqual([one["id"] for one in found], self.made[::-1])

    async def test_state(self) -> None:
        """All that is shown is in the state."""
        for change in (
            "suspended = true",
            "name = 'Other'",
            "featured = true",
            "up = up + 1",
            "screenshots = array['other.png']",
            "revision_id = revision_id, listing_id = listing_id + 1000000",
        ):
            await self.changes(f"update contents set {change} where id = %s", self.made[3])
        for change in ("avatar = 'a.png'", "emblem = gen_random_uuid()"):
            await self.changes(f"update users set {change} where id = %s", self.ann)


class RatingTests(LongCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.made = sorted([await self.content(self.ann) for _ in range(9)])
        for n, one in enumerate(self.made):
            await ratings.put(self.db, self.ann, one, False, n % 2 == 0)

    async def ask(self) -> Any:
        family = Ratings(self.db, votes=self.piece.rows)
        return await family.get_ratings(Caller(self.ann), self.ann)

    async def test_pages(self) -> None:
        """All votes are there once."""
        self.assertEqual(list(await self.together()), self.made)
        self.assertEqual([len(page) for page in await self.pages()], [4, 4, 1])

    async def test_state(self) -> None:
        """A vote changes the state, and one that is not seen any more."""
        await self.changes("update ratings set up = not up where content_id = %s", self.made[0])
        await self.changes("delete from ratings where content_id = %s", self.made[0])
        bob = await self.user()
        await self.changes(
            "update contents set suspended = true, author_id = %s where id = %s",
            bob,
            self.made[1],
        )
