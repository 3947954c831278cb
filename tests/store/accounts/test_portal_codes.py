"""Portal codes, and the sessions that begin with them."""

import secrets

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.framework.db.query import Db
from contentsvc.store import retention
from contentsvc.store.accounts import portal_codes, sessions
from contentsvc.wire.accounts import CLIENT, IN_GAME
from tests.support.databases import StoreCase
from tests.support.deferreds import together

MONTH = 30 * 24 * 3600
WAITING = (
    "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = "
    "current_database()"
)


def digest() -> str:
    """A SHA-256 in hex."""
    return secrets.token_hex(32)


class CodeCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()
        self.game = await self.begin()

    async def begin(self) -> str:
        """A session of Ann's game."""
        return str(await sessions.begin(self.db, self.ann, digest(), MONTH, None, CLIENT))

    async def code(self, session: str | None = None) -> str:
        """A code that the game has asked for."""
        code = digest()
        await portal_codes.put(self.db, code, session or self.game)
        return code

    async def spend(self, tx: Db, code: str, refresh: str | None = None) -> tuple[str, list[str]]:
        """Use a code; the session that begins, and those that end."""
        state = await portal_codes.lock(tx, code, self.game)
        self.assertEqual(state, (True, True, None))
        begun = await sessions.begin(tx, self.ann, refresh or digest(), 0, None, IN_GAME)
        return str(begun), await portal_codes.spend(tx, code, self.game, str(begun))

    async def opened(self, refresh: str | None = None) -> str:
        """A session that has begun with a code."""
        async with self.db.transaction() as tx:
            begun, _ = await self.spend(tx, await self.code(), refresh)
        return begun

    async def live(self) -> set[str]:
        """Ann's sessions that go on."""
        return {one.id for one in await sessions.of_user(self.db, self.ann, self.game)}

    def ends(self, *ids: str) -> set[object]:
        """When these were ended."""
        return {
            moment
            for (moment,) in self.sql(
                "select revoked from sessions where id = any(%s::uuid[])", [*ids]
            )
        }


class EndTests(CodeCase):
    async def test_together(self) -> None:
        """Whoever ends the session that has asked ends what began with its codes, at the same
        moment, also with the statement of a release that knows no codes."""
        begun = await self.opened()
        self.sql("update sessions set revoked = now() where id = %s", self.game)
        (moment,) = self.ends(self.game, begun)
        self.assertIsNotNone(moment)

    async def test_again(self) -> None:
        """What had ended before keeps its moment."""
        begun = await self.opened()
        await sessions.revoke(self.db, begun)
        self.assertEqual(await self.live(), {self.game})
        await sessions.revoke(self.db, self.game)
        self.assertEqual(len(self.ends(self.game, begun)), 2)

    async def test_meanwhile(self) -> None:
        """A session that is ended while its code is used ends with what begins."""
        code = await self.code()
        async with self.db.transaction() as tx:
            begun, _ = await self.spend(tx, code)
            end = Deferred.fromCoroutine(sessions.revoke(self.db, self.game))
            while not self.sql(WAITING):
                await deferLater(reactor, 0.01, lambda: None)
        await end
        self.assertEqual(await self.live(), set())
        self.assertNotIn(None, self.ends(self.game, begun))

    async def test_ends_at_once(self) -> None:
        """Who ends a session, who ends all, and who uses a code wait for each other, and for no
        circle."""
        for _ in range(8):
            self.game = await self.begin()
            await self.opened()
            code = await self.code()

            async def use(code: str) -> None:
                async with self.db.transaction() as tx:
                    state = await portal_codes.lock(tx, code, self.game)
                    if state and state.live:
                        begun = await sessions.begin(tx, self.ann, digest(), 0, None, IN_GAME)
                        await portal_codes.spend(tx, code, self.game, str(begun))

            ends = [sessions.revoke_all(self.db, self.ann, None) for _ in range(2)]
            await together(use(code), sessions.revoke(self.db, self.game), *ends)
        self.assertEqual(await self.live(), set())

    async def test_codes_at_once(self) -> None:
        """Of several codes that are used at once, one session stays."""

        async def use(code: str) -> list[str]:
            async with self.db.transaction() as tx:
                _, ended = await self.spend(tx, code)
            return ended

        ended = await together(*[use(await self.code()) for _ in range(8)])
        self.assertEqual(len(await self.live()), 2)
        self.assertEqual(sorted(map(len, ended)), [0] + [1] * 7)

    async def test_rolled_back(self) -> None:
        """A use that is not committed uses nothing up, and ends nothing."""
        first, code = await self.opened(), await self.code()
        with self.assertRaises(ZeroDivisionError):
            async with self.db.transaction() as tx:
                await self.spend(tx, code)
                raise ZeroDivisionError
        self.assertEqual(await self.live(), {self.game, first})
        async with self.db.transaction() as tx:
            _, ended = await self.spend(tx, code)
        self.assertEqual(ended, [first])

    async def test_spared(self) -> None:
        """To end all others spares the session that has asked for the spared one."""
        other, begun = await self.begin(), await self.opened()
        self.assertEqual(await sessions.revoke_all(self.db, self.ann, begun), [other])
        self.assertEqual(set(await sessions.revoke_all(self.db, self.ann, self.game)), {begun})


class AgeTests(CodeCase):
    async def older(self, begun: str, seconds: int) -> None:
        """Have a session begun so many seconds earlier."""
        self.sql(
            "update sessions set created = created - make_interval(secs => %s) where id = %s",
            *(seconds, begun),
        )
        self.sql(
            "update portal_codes set expires = expires - make_interval(secs => %s)"
            " where begun = %s",
            *(seconds, begun),
        )

    async def test_learnt(self) -> None:
        """That it ends by its age is learnt as what is ended is, for an hour."""
        begun = await self.opened()
        for older, known in ((12 * 3600 - 30, False), (31, True), (3500, True), (200, False)):
            await self.older(begun, older)
            self.assertEqual(begun in await sessions.revoked(self.db, sessions.LATELY), known)

    async def test_left(self) -> None:
        """It goes on for twelve hours, and no longer than the session that has asked."""
        refresh = digest()
        await self.opened(refresh)
        found = await sessions.presented(self.db, refresh)
        self.assertEqual((found.live, found.asked_by), (True, self.game))
        self.assertIn(found.left, range(12 * 3600 - 60, 12 * 3600 + 1))
        self.sql(
            "update refresh_tokens set expires = now() + interval '99 s' where session_id = %s",
            self.game,
        )
        self.assertIn((await sessions.presented(self.db, refresh)).left, range(30, 100))
        self.sql("update refresh_tokens set expires = now() where session_id = %s", self.game)
        self.assertFalse((await sessions.presented(self.db, refresh)).live)
        self.assertEqual(await self.live(), set())

    async def test_limit(self) -> None:
        """It does not count for the most sessions of a user."""
        begun = await self.opened()
        async with self.db.transaction() as tx:
            last = str(await sessions.begin(tx, self.ann, digest(), MONTH, None, CLIENT))
            self.assertEqual(await sessions.end_oldest(tx, self.ann, 2, last), [])
        self.assertEqual(await self.live(), {self.game, begun, last})

    async def test_old_codes(self) -> None:
        """A code is deleted a day after it was good; before that its session is over."""
        begun = await self.opened()
        await self.older(begun, 23 * 3600)
        await retention.trim_portal_codes(self.db)
        codes = "select 1 from portal_codes where begun = %s"
        self.assertTrue(self.sql(codes, begun))
        await self.older(begun, 3600 + 61)
        while await retention.trim_portal_codes(self.db) == retention.NOTES:
            pass
        self.assertFalse(self.sql(codes, begun))
        self.assertEqual(await self.live(), {self.game})

    async def test_session_deleted(self) -> None:
        """Codes go with the session that has asked."""
        code = await self.code()
        self.sql("delete from sessions where id = %s", self.game)
        self.assertIsNone(await portal_codes.find(self.db, code))
