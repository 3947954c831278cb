"""Users, where they have much to say."""

import secrets

import msgspec

from contentsvc.api.accounts.users import Users
from contentsvc.framework.http.reply import Pieces
from contentsvc.store.accounts import users
from contentsvc.wire.accounts import UserIds, UserInfo, UserPage, UserSearch
from tests.api.support import ApiCase, Caller, acts
from tests.support.databases import guid

SIZE = users.PROFILES // 4
"""Bytes of each profile."""


class SearchTests(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.word = secrets.token_hex(8)
        self.names = [f"{self.word}{n}" for n in range(7)]
        self.ids = [await self.user(name) for name in self.names]
        for user in self.ids:
            await users.update(self.db, user, None, None, None, "x" * SIZE, 0)

    async def search(self, size: int) -> UserPage | Pieces:
        """The answer of a search."""
        query = UserSearch(q=self.word, page_size=size)
        return await Users(self.db, None, acts()).search_users(Caller(self.ids[0]), query)

    async def pieces(self) -> tuple[Pieces, list[bytes]]:
        """An answer in pieces, and all of them."""
        answer = await self.search(10)
        self.assertIsInstance(answer, Pieces)
        found = []
        while piece := await answer.more():
            found.append(piece)
        return answer, found

    async def test_long_profiles(self) -> None:
        """A page of long profiles is written in pieces, none much longer than the bound, and is the
        same page."""
        answer, pieces = await self.pieces()
        self.assertLess(max(map(len, pieces)), users.PROFILES + SIZE)
        whole = answer.brackets[:1] + b",".join(pieces) + answer.brackets[1:]
        page = msgspec.json.decode(whole, type=UserPage)
        self.assertEqual((page.page, page.page_size, page.total), (0, 10, 7))
        expected = [
            UserInfo(user, name, None, None, "x" * SIZE)
            for user, name in zip(self.ids, self.names, strict=True)
        ]
        self.assertEqual(sorted(page.items, key=lambda info: info.username), expected)

    async def test_state(self) -> None:
        """Its validator changes with a profile."""
        answer, _ = await self.pieces()
        before = await answer.state()
        self.assertEqual(before, await answer.state())
        await users.update(self.db, self.ids[3], None, None, None, "y" * SIZE, 0)
        self.assertNotEqual(before, await answer.state())

    async def test_gone_meanwhile(self) -> None:
        """Users who have gone when the piece is read are left out."""
        answer = await self.search(10)
        self.sql("delete from users where id = any(%s::uuid[])", self.ids)
        whole = answer.brackets[:1] + await answer.more() + answer.brackets[1:]
        self.assertEqual(msgspec.json.decode(whole, type=UserPage).items, [])
        self.assertEqual(await answer.more(), b"")

    async def test_short_profiles(self) -> None:
        """Others are written whole, as ever."""
        for user in self.ids[3:]:
            await users.update(self.db, user, None, None, None, None, 0)
        page = await self.search(10)
        self.assertEqual(sorted(info.id for info in page.items), sorted(self.ids))


class SlowSearchTests(ApiCase):
    """A search for similar names that takes too long."""

    own = True

    async def test_beginnings(self) -> None:
        """What begins with `q` is found all the same, the exact name first, then the shortest."""
        self.sql("""
            create or replace function find_users(q text)
            returns table (id uuid, rank integer, similarity real) language sql stable as
            $$ select null::uuid, 0, 0::real from pg_sleep(60) $$
        """)
        word = secrets.token_hex(8)
        ids = [await self.user(word + end) for end in ("xyz", "x", "", "xy")]
        await self.user("a" + word)
        for size, page, expected in ((10, 0, (2, 1, 3, 0)), (2, 1, (3, 0))):
            asked = UserSearch(q=word.upper(), page_size=size, page=page)
            found = await Users(self.db, None, acts()).search_users(Caller(), asked)
            self.assertEqual((found.total, found.page, found.page_size), (4, page, size))
            self.assertEqual([info.id for info in found.items], [ids[n] for n in expected])


class SeveralTests(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ids = [await self.user() for _ in range(6)]

    async def several(self, *ids: str) -> list[UserInfo] | Pieces:
        """The answer for these ids."""
        return await Users(self.db, None, acts()).list_users(Caller(), UserIds(ids=",".join(ids)))

    async def test_long_profiles(self) -> None:
        """Long profiles are written in pieces, none much longer than the bound, in the same
        order."""
        for user in self.ids:
            await users.update(self.db, user, None, None, None, "x" * SIZE, 0)
        asked = [*reversed(self.ids), guid()]
        answer = await self.several(*asked)
        self.assertIsInstance(answer, Pieces)
        state, found = await answer.state(), []
        while piece := await answer.more():
            self.assertLess(len(piece), users.PROFILES + SIZE)
            found.append(piece)
        infos = msgspec.json.decode(b"[" + b",".join(found) + b"]", type=list[UserInfo])
        self.assertEqual([info.id for info in infos], asked[:-1])
        await users.update(self.db, self.ids[0], None, None, None, "y" * SIZE, 0)
        self.assertNotEqual(state, await answer.state())

    async def test_gone_meanwhile(self) -> None:
        """If all have gone when the pieces are read, there are none."""
        for user in self.ids:
            await users.update(self.db, user, None, None, None, "x" * SIZE, 0)
        answer = await self.several(*self.ids)
        self.sql("delete from users where id = any(%s::uuid[])", self.ids)
        self.assertEqual(await answer.more(), b"")
