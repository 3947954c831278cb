"""Sessions: refresh tokens that are spent once, and ends that last."""

import secrets

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.framework.db.query import Db
from contentsvc.store import retention
from contentsvc.store.accounts import credentials, sessions
from contentsvc.store.accounts.sessions import Presented
from contentsvc.wire.accounts import CLIENT
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together

WAITING = (
    "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = "
    "current_database()"
)
MONTH = 30 * 24 * 3600


def digest() -> str:
    """The digest of a refresh token: a SHA-256 in hex."""
    return secrets.token_hex(32)


class SessionCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()
        self.refresh = digest()
        self.session = await self.begin(self.ann, self.refresh)

    async def begin(self, user: str, refresh: str | None = None) -> str | None:
        """The id of a new session."""
        return await sessions.begin(self.db, user, refresh or digest(), MONTH, None, CLIENT)

    async def rotate(self, db: Db, successor: str | None = None, lifetime: int = MONTH) -> None:
        """Spend the token for a successor."""
        following = successor or digest()
        await sessions.rotate(db, self.refresh, self.session, following, lifetime, digest(), CLIENT)

    async def presented(self, refresh: str | None = None) -> Presented | None:
        """The present state of a refresh token."""
        return await sessions.presented(self.db, refresh or self.refresh)

    async def renew(self) -> float | None:
        """Present the token and rotate it, as one transaction; how long it had been spent."""
        async with self.db.transaction() as tx:
            token = await sessions.presented(tx, self.refresh)
            await self.rotate(tx)
        return token.spent_for


class LimitTests(SessionCase):
    async def log_in(self, most: int) -> list[str]:
        """A log-in of Ann's, with this limit; the sessions that it ends."""
        async with self.db.transaction() as tx:
            await sessions.lock_user(tx, self.ann, "-")
            session = await sessions.begin(tx, self.ann, digest(), MONTH, None, CLIENT)
            return await sessions.end_oldest(tx, self.ann, most, str(session))

    async def live(self) -> list[str]:
        """Ann's sessions, the one that was used last first."""
        return [one.id for one in await sessions.of_user(self.db, self.ann, guid())]

    async def test_oldest(self) -> None:
        """What was used longest ago ends, and not what was renewed meanwhile."""
        second = str(await self.begin(self.ann))
        await self.renew()
        self.assertEqual(await self.log_in(3), [])
        self.assertEqual(await self.log_in(3), [second])
        self.assertEqual(len(await self.live()), 3)
        self.assertIn(self.session, await self.live())

    async def test_at_once(self) -> None:
        """However many log in at once, no more stay than the limit."""
        await together(*(self.log_in(5) for _ in range(40)))
        self.assertEqual(len(await self.live()), 5)

    async def test_many(self) -> None:
        """Of very many, so many end at once, the oldest first, and the rest at the next log-ins."""
        self.sql(
            """with made as (
                   insert into sessions (user_id, used)
                   select %s, now() - n * interval '1 minute' from generate_series(1, 1500) n
                   returning id
               )
               insert into refresh_tokens (hash, session_id, expires)
               select sha256(uuid_send(id)), id, now() + interval '1 day' from made""",
            self.ann,
        )
        self.assertEqual(len(await self.log_in(2)), 1000)
        ((age,),) = self.sql(
            "select now() - min(used) < interval '502 minutes' from sessions"
            " where revoked is null and user_id = %s",
            self.ann,
        )
        self.assertTrue(age)
        self.assertEqual(len(await self.log_in(2)), 501)
        self.assertEqual(len(await self.live()), 2)

    async def test_over(self) -> None:
        """Sessions that are over, or another user's, neither count nor end."""
        other = await self.user()
        await self.begin(other)
        await sessions.revoke(self.db, str(await self.begin(self.ann)))
        expired = await self.begin(self.ann)
        self.sql("update refresh_tokens set expires = now() where session_id = %s", expired)
        self.assertEqual(await self.log_in(2), [])
        self.assertEqual(len(await self.log_in(1)), 2)
        self.assertEqual(len(await self.live()), 1)
        self.assertEqual(len(await sessions.of_user(self.db, other, guid())), 1)

    async def test_forgotten(self) -> None:
        """Retention forgets them two hours later, and not sooner."""
        await self.log_in(1)
        count = "select count(*) from sessions where id = %s"
        for hours, left in ((0, 1), (2, 0)):
            self.sql(
                """update refresh_tokens set expires = expires - make_interval(hours => %s)
                   where session_id = %s""",
                *(hours, self.session),
            )
            while any(await retention.trim_sessions(self.db, 24 * 3600)):
                pass
            self.assertEqual(self.sql(count, self.session), [(left,)])


class RefreshTests(SessionCase):
    async def test_admin(self) -> None:
        """The role is the user's of now."""
        self.sql("update users set role = 'admin' where id = %s", self.ann)
        self.assertEqual((await self.presented()).role, "admin")

    async def test_rotated(self) -> None:
        """A rotated token is spent from its first use on, and its successor is fresh."""
        successor = digest()
        await self.rotate(self.db, successor)
        self.sql(
            "update refresh_tokens set spent = spent - interval '40 s' where session_id = %s",
            self.session,
        )
        await self.rotate(self.db)
        spent = (await self.presented()).spent_for
        self.assertTrue(40 <= spent < 60, spent)
        self.assertIsNone((await self.presented(successor)).spent_for)

    async def test_at_once(self) -> None:
        """Of several renewals at once one finds it fresh, the others find it spent just now."""
        found = await together(*(self.renew() for _ in range(8)))
        self.assertEqual(found.count(None), 1)
        self.assertTrue(all(spent is None or spent < 30 for spent in found))
        tokens = self.sql("select 1 from refresh_tokens where session_id = %s", self.session)
        self.assertEqual(len(tokens), 9)

    async def test_salt(self) -> None:
        """The salt of a successor is there while it may be asked for, and not for longer."""
        await self.rotate(self.db)
        first, salt = self.refresh, (await self.presented()).salt
        self.assertEqual(len(salt), 64)
        self.refresh = digest()
        await sessions.rotate(self.db, first, self.session, self.refresh, MONTH, salt, CLIENT)
        self.assertEqual((await self.presented(first)).salt, salt)
        self.sql(
            "update refresh_tokens set spent = spent - interval '11 min' where session_id = %s",
            self.session,
        )
        await self.rotate(self.db)
        self.assertIsNone((await self.presented(first)).salt)
        self.assertIsNotNone((await self.presented()).salt)

    async def test_is_spent(self) -> None:
        """A token is spent or not, or unknown."""
        self.assertIs(await sessions.is_spent(self.db, self.refresh), False)
        await self.rotate(self.db)
        self.assertIs(await sessions.is_spent(self.db, self.refresh), True)
        self.assertIsNone(await sessions.is_spent(self.db, digest()))

    async def test_expired(self) -> None:
        """An expired token is not live."""
        old = digest()
        await self.rotate(self.db, old, 0)
        self.assertFalse((await self.presented(old)).live)

    async def test_stored(self) -> None:
        """Nothing that opens a session is stored as it is."""
        rows = self.sql("select hash from refresh_tokens where session_id = %s", self.session)
        self.assertEqual([bytes(row[0]).hex() for row in rows], [self.refresh])


class HoldTests(SessionCase):
    async def hold(self, password_hash: str) -> str | None:
        async with self.db.transaction() as tx:
            return await sessions.lock_user(tx, self.ann, password_hash)

    async def test_password_under_way(self) -> None:
        """A log-in waits for a new password that is being set, and sees it."""
        ((old,),) = self.sql("select password_hash from users where id = %s", self.ann)
        async with self.db.transaction() as tx:
            await credentials.set_password(tx, self.ann, old, "new")
            held = Deferred.fromCoroutine(self.hold(old))
            while not self.sql(WAITING):
                self.assertNoResult(held)
                await deferLater(reactor, 0)
        self.assertIsNone(await held)


class EndTests(SessionCase):
    async def ended(self) -> set[str]:
        """The sessions ended of late."""
        return set(await sessions.revoked(self.db, sessions.LATELY))

    async def test_revoke(self) -> None:
        """An ended session's refresh token is dead, and the session is among those ended."""
        self.assertTrue(await sessions.revoke(self.db, self.session))
        self.assertFalse((await self.presented()).live)
        self.assertIn(self.session, await self.ended())
        self.assertFalse(await sessions.revoke(self.db, guid()))

    async def test_again(self) -> None:
        """To end it again leaves the moment of its end."""
        await sessions.revoke(self.db, self.session)
        self.sql(
            "update sessions set revoked = revoked - interval '59 min' where id = %s", self.session
        )
        await sessions.revoke(self.db, self.session)
        await sessions.revoke_own(self.db, self.ann, self.session)
        self.assertIn(self.session, await self.ended())
        self.sql(
            "update sessions set revoked = revoked - interval '2 min' where id = %s", self.session
        )
        self.assertNotIn(self.session, await self.ended())

    async def test_of_user(self) -> None:
        """The list has what goes on, the one used last first, and marks the present one."""
        second, over = await self.begin(self.ann), await self.begin(self.ann)
        await sessions.revoke(self.db, over)
        expired = await sessions.begin(self.db, self.ann, digest(), 0, None, CLIENT)
        await self.renew()
        self.sql("update sessions set used = used - interval '9 s' where id = %s", second)
        found = await sessions.of_user(self.db, self.ann, second)
        self.assertEqual(
            [(one.id, one.current) for one in found], [(self.session, False), (second, True)]
        )
        self.assertNotIn(expired, [one.id for one in found])
