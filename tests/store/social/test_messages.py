"""Messages between friends (social#messages): stored and told in one transaction each."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg2
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.framework.db.errors import Refused
from contentsvc.framework.db.query import Db
from contentsvc.store.accounts import deletion
from contentsvc.store.notifications import notifications
from contentsvc.store.social import messages
from contentsvc.store.social.messages import Sent, Unsent
from contentsvc.store.tasks import Departure
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together

WAITING = (
    "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = "
    "current_database()"
)
DATA = '{"kind":"FriendMessage"}'


class MessageCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann, self.bob = await self.user(), await self.user()
        self.befriend(self.ann, self.bob)

    def befriend(self, one: str, other: str) -> None:
        """Make two users friends."""
        self.sql(
            """insert into pairs (lesser, greater, friends, friends_since)
               values (least(%s::uuid, %s), greatest(%s::uuid, %s), nextval('pair_numbers'), now())
               on conflict (lesser, greater) do update set friends = excluded.friends""",
            *(one, other, one, other),
        )

    def change(self, one: str, other: str, what: str) -> None:
        """Change what there is between two users."""
        self.sql(
            f"update pairs set {what} where lesser = least(%s::uuid, %s)"
            " and greater = greatest(%s::uuid, %s)",
            *(one, other, one, other),
        )

    async def send(
        self,
        sender: str,
        other: str,
        id: str | None = None,
        *,
        text: str = "hi",
        limit: int = 0,
        db: Db | None = None,
    ) -> Sent | Unsent | None:
        """Send a message."""
        given = sender, other, id or guid(), text, DATA, limit
        return await messages.send(db or self.db, *given)

    @contextmanager
    def held(self) -> Iterator[tuple[Callable[[str], None], Any]]:
        """A connection of another process, and the function that runs SQL on it."""
        with closing(psycopg2.connect(self.url)) as connection:
            with connection.cursor() as cursor:
                yield cursor.execute, connection

    async def waits(self, act: Deferred[Any]) -> None:
        """Wait until somebody waits for a lock."""
        while not self.sql(WAITING):
            self.assertNoResult(act)
            await deferLater(reactor, 0)

    async def between(self, one: str, other: str) -> list[str]:
        """The ids of their messages, as the one reads them."""
        rows = await messages.between(self.db, one, other, None, 200)
        return [row.item.id for row in rows]

    async def told(self, user: str) -> int:
        """The number of a user's notifications."""
        return len(await notifications.listed(self.db, user, 0, None, 200))


class SendTests(MessageCase):
    alone = True
    limit = 0

    async def send(self, *given: str, **more: Any) -> Sent | Unsent | None:
        """Send a message, by this case's limit."""
        return await super().send(*given, **{"limit": self.limit, **more})

    async def test_previous(self) -> None:
        """What is told knows the notification before it."""
        first = await self.send(self.ann, self.bob)
        second = await self.send(self.ann, self.bob)
        assert isinstance(first, Sent) and first.notified is not None
        assert isinstance(second, Sent) and second.notified is not None
        self.assertEqual(
            (first.notified.previous, second.notified.previous), (None, first.notified.id)
        )

    async def test_muted(self) -> None:
        """Whoever has muted the kind gets the message, and no notification and no number."""
        await self.send(self.ann, self.bob)
        self.sql(
            "update notification_counters set muted = '{FriendMessage}' where user_id = %s",
            self.bob,
        )
        self.assertEqual(await self.send(self.ann, self.bob), Sent(None))
        self.assertEqual(len(await self.between(self.bob, self.ann)), 2)
        self.assertEqual(await self.told(self.bob), 1)
        self.sql("update notification_counters set muted = '{}' where user_id = %s", self.bob)
        sent = await self.send(self.ann, self.bob)
        assert isinstance(sent, Sent) and sent.notified is not None
        self.assertEqual(sent.notified.seq, 2)

    async def test_at_once(self) -> None:
        """Of ten at once with one id, one is stored and told."""
        id = guid()
        found = await together(*(self.send(self.ann, self.bob, id) for _ in range(10)))
        self.assertEqual(sum(isinstance(each, Sent) for each in found), 1)
        self.assertEqual(found.count(Unsent(True, False)), 9)
        self.assertEqual(await self.between(self.ann, self.bob), [id])
        self.assertEqual(await self.told(self.bob), 1)

    async def test_order(self) -> None:
        """Of messages of both at once, numbers, times and the other's notifications have one
        order."""
        sides = ((self.ann, self.bob), (self.bob, self.ann))
        await together(*(self.send(*sides[n % 2]) for n in range(30)))
        rows = self.sql(
            "select number, created from messages where sender in (%s, %s) order by number",
            *(self.ann, self.bob),
        )
        times = [created for _, created in rows]
        self.assertEqual((len(times), times), (30, sorted(times)))

    async def test_refused_among_others(self) -> None:
        """Of messages in one turn, those that are refused spoil no others, wherever they are."""
        cat, id = await self.user(), guid()
        self.befriend(self.ann, cat)
        stranger = await self.user()
        acts = [
            *(self.send(self.ann, stranger), self.send(self.ann, self.bob, id)),
            *(self.send(self.ann, self.bob, id), self.send(self.ann, guid())),
            *(self.send(self.ann, cat), self.send(cat, self.ann), self.send(stranger, cat)),
        ]
        found = await together(*acts)
        self.assertEqual([type(each).__name__ for each in found[:2]], ["Unsent", "Sent"])
        self.assertEqual(found[2:4], [Unsent(True, False), None])
        self.assertEqual([type(each).__name__ for each in found[4:]], ["Sent", "Sent", "Unsent"])
        told = [await self.told(user) for user in (self.ann, self.bob, cat, stranger)]
        self.assertEqual(told, [1, 1, 1, 0])

    async def test_transaction(self) -> None:
        """Messages of one turn share a transaction, which notifies their recipients too."""
        others = [await self.user() for _ in range(5)]
        for other in others:
            self.befriend(self.ann, other)
        await together(*(self.send(self.ann, other) for other in others))
        rows = self.sql(
            "select n.xmin, n.user_id, m.xmin from notifications n"
            " join pairs p on n.user_id in (p.lesser, p.greater)"
            " join messages m on m.pair = p.number where m.sender = %s",
            self.ann,
        )
        self.assertEqual({user for _, user, _ in rows}, set(others))
        self.assertEqual(len({xmin for notified, _, sent in rows for xmin in (notified, sent)}), 1)

    async def test_conversation_at_once(self) -> None:
        """After many at once, the conversation knows the newest."""
        sides = ((self.ann, self.bob), (self.bob, self.ann))
        await together(*(self.send(*sides[n % 2]) for n in range(20)))
        (talk,) = await messages.conversations(self.db, self.ann, None, 9, 1)
        (newest,) = await messages.between(self.db, self.ann, self.bob, None, 1)
        self.assertEqual((talk.number, talk.item.last), newest)

    async def test_not_friends(self) -> None:
        """Strangers and former friends send nothing, and nobody does so to themselves."""
        cat = await self.user()
        self.assertEqual(await self.send(self.ann, cat), Unsent(False, False))
        self.assertEqual(await self.send(self.ann, self.ann), Unsent(False, False))
        self.change(self.ann, self.bob, "friends = null")
        self.assertEqual(await self.send(self.ann, self.bob), Unsent(False, False))
        self.assertEqual((await self.told(cat), await self.told(self.bob)), (0, 0))

    async def test_block_meanwhile(self) -> None:
        """A message that has waited for a block is not stored: it sees the newest row of the
        pair."""
        with self.held() as (act, connection):
            act("update pairs set lesser_blocks = 1, friends = null")
            waiting = Deferred.fromCoroutine(self.send(self.ann, self.bob))
            await self.waits(waiting)
            connection.commit()
        self.assertEqual(await waiting, Unsent(False, True))
        self.assertEqual(await self.between(self.ann, self.bob), [])
        self.assertEqual(await self.told(self.bob), 0)

    async def test_friends_meanwhile(self) -> None:
        """One that has waited for a lock which has changed nothing of it is stored."""
        with self.held() as (act, connection):
            act("select hold_pair(lesser, greater) from pairs")
            waiting = Deferred.fromCoroutine(self.send(self.ann, self.bob))
            await self.waits(waiting)
            connection.rollback()
        self.assertIsInstance(await waiting, Sent)

    async def test_rolled_back(self) -> None:
        """A message whose notification cannot be stored is not stored either."""
        self.sql("alter table notifications add constraint none check (data <> 'x') not valid")
        with self.assertRaises(Refused):
            await messages.send(self.db, self.ann, self.bob, guid(), "hi", "x", self.limit)
        self.sql("alter table notifications drop constraint none")
        self.assertEqual(await self.between(self.ann, self.bob), [])
        self.assertEqual(await messages.conversations(self.db, self.ann, None, 9, 1), [])


class LimitedTests(SendTests):
    """The same with a limit."""

    limit = 100


class ReadTests(MessageCase):
    async def test_others(self) -> None:
        """Nobody else has them: neither a third user nor the friend's other friend."""
        cat, id = await self.user(), guid()
        self.befriend(self.bob, cat)
        await self.send(self.ann, self.bob, id)
        for one, other in ((self.ann, cat), (cat, self.ann), (cat, self.bob), (self.bob, cat)):
            self.assertEqual(await self.between(one, other), [])
            self.assertIsNone(await messages.get(self.db, one, other, id))
        self.assertEqual(await messages.conversations(self.db, cat, None, 9, 1), [])

    async def test_oneself(self) -> None:
        """Nobody has messages with themselves."""
        await self.send(self.ann, self.bob)
        self.assertEqual(await self.between(self.ann, self.ann), [])

    async def test_bytes(self) -> None:
        """A part ends after so many bytes of profiles."""
        for profile in ("a" * 60, "b" * 60, None):
            other = await self.user()
            self.sql("update users set public_profile = %s where id = %s", profile, other)
            self.befriend(self.ann, other)
            await self.send(self.ann, other)
        rows = await messages.conversations(self.db, self.ann, None, 9, 60)
        self.assertEqual([row.item.user.profile for row in rows], [None, "b" * 60])

    async def test_account_goes(self) -> None:
        """With an account go the conversations at once, and the messages of both sides after."""
        await self.send(self.ann, self.bob)
        await self.send(self.bob, self.ann)
        self.sql("delete from users where id = %s", self.ann)
        place: str | None = "messages"
        while place is not None:
            async with self.db.transaction() as tx:
                place = await deletion.step(tx, Departure(user=self.ann), place)
        (left,) = self.sql(
            "select (select count(*) from messages where sender in (%s, %s)),"
            " (select count(*) from conversations where %s in (lesser, greater))",
            *(self.ann, self.bob, self.bob),
        )
        self.assertEqual(left, (0, 0))
