"""Those whose content or avatar has a file that is blocked are told, and by mail too; whatever
happens to the processes that tell them (moderation#decisions)."""

from typing import Any

from msgspec import json
from twisted.internet import reactor
from twisted.internet.task import deferLater

from contentsvc.framework.db.database import Database
from contentsvc.framework.storage.paths import paths_of
from contentsvc.jobs.handlers import steps
from contentsvc.jobs.notifications import StudioLimits
from contentsvc.jobs.steps import StepRunner
from contentsvc.store.accounts.mails import Mails
from contentsvc.store.moderation import decisions
from contentsvc.store.moderation.decisions import New, Subject
from contentsvc.store.tasks import BlockDecided
from contentsvc.wire.decisions import GroundBody
from tests.jobs.mortal import Process, deaths
from tests.jobs.support import StepCase
from tests.support.databases import guid
from tests.support.deferreds import together

DIGEST = "ab" * 32
USERS = 5
GROUND = GroundBody(
    basis="illegal", reference="§ 1", explanation="stolen", source="report", automated="no"
)
KINDS = steps(0, StudioLimits(), Mails(lambda: None))
STATEMENTS = 12
"""Of a first batch: take, whom it concerns, their addresses, a mail each, what they are told, the
place, COMMIT; and some more."""


class BlockCase(StepCase):
    """A file that is the avatar of some users, who have confirmed their addresses but for the
    first."""

    async def setUp(self) -> None:
        await super().setUp()
        self.runner = self.of(self.db)
        self.users = sorted([await self.user() for _ in range(USERS)])
        self.path = paths_of(DIGEST)[0]
        self.sql("insert into files (path, size, stored) values (%s, 1, true)", self.path)
        for user in self.users:
            self.sql(
                "insert into claims (holder, kind, path, owner_id) values (%s, 'user', %s, %s)",
                *(user, self.path, user),
            )
        self.sql("update users set email_confirmed = id <> %s", self.users[0])

    def of(self, db: Database) -> StepRunner:
        """A process's runner."""
        return self.another(db, kinds=KINDS, most=2)

    async def block(self) -> str:
        """A decision that blocks the file, and its task. Gives its id."""
        id = guid()
        subject = Subject("file", DIGEST, None, None)
        async with self.db.transaction() as tx:
            new = New(id, "block_file", subject, GROUND, "{}")
            number = await decisions.take(tx, guid(), False, new)
            await self.queue.put(tx, self.task(id, number))
        return id

    def task(self, id: str, number: int, **more: Any) -> BlockDecided:
        """What tells them."""
        paths = paths_of(DIGEST)
        return BlockDecided(decision=id, number=number, sha256=DIGEST, paths=paths, **more)

    async def reverse(self, id: str) -> None:
        """Take it back."""
        known = await decisions.known(self.db, id)
        assert known is not None
        async with self.db.transaction() as tx:
            await decisions.reverse(tx, guid(), False, known.number, known.about, "a mistake")
            task = self.task(id, known.number, reversed=True, reason="a mistake")
            await self.queue.put(tx, task)

    def told(self, user: str) -> list[tuple[str, str]]:
        """The kinds and the decisions of which a user was notified."""
        rows = self.sql("select data from notifications where user_id = %s order by seq", user)
        found = [json.decode(data) for (data,) in rows]
        return [(one["kind"], one["decision"]) for one in found]

    def mailed(self, id: str) -> list[str]:
        """The users who get a mail about a decision, for each of which there is one task."""
        rows = self.sql(
            "select m.user_id from mails m join tasks t on t.task like '%%' || m.id || '%%'"
            " where m.decision = %s and m.purpose = 'blocked' order by m.user_id",
            id,
        )
        return [str(user) for (user,) in rows]

    def steps_left(self) -> int:
        """How many steps wait."""
        ((count,),) = self.sql("select count(*) from tasks where kind = 'BlockDecided'")
        return int(count)


class BlockTests(BlockCase):
    async def test_once(self) -> None:
        """Each is told once, over all batches and processes, and can read the decision; who has
        confirmed the address gets a mail."""
        id = await self.block()
        other = self.of(await self.pool())
        await together(self.work(), self.work(other))
        await self.work()
        self.assertEqual(
            [self.told(user) for user in self.users], [[("DecisionTaken", id)]] * USERS
        )
        self.assertEqual(self.mailed(id), self.users[1:])
        for user in self.users:
            self.assertIsNotNone(await decisions.get_of_user(self.db, user, id))
        self.assertEqual(self.steps_left(), 0)

    async def test_nobody(self) -> None:
        """A file that nobody has concerns nobody."""
        self.sql("delete from claims")
        id = await self.block()
        await self.work()
        self.assertEqual((self.mailed(id), self.steps_left()), ([], 0))

    async def test_reversed(self) -> None:
        """Its end is told to those whom it has concerned, though they have the file no more, after
        its beginning; no mail says so."""
        id = await self.block()
        await self.reverse(id)
        self.sql("delete from tasks where kind = 'SendMail'")
        await self.work()
        self.sql("delete from claims")
        expected = [("DecisionTaken", id), ("DecisionReversed", id)]
        self.assertEqual([self.told(user) for user in self.users], [expected] * USERS)
        self.assertEqual(len(self.mailed(id)), USERS - 1)

    async def test_two(self) -> None:
        """Of two decisions about the file all are told in their order."""
        ids = [await self.block() for _ in range(2)]
        await together(self.work(), self.work(self.of(await self.pool())))
        await self.work()
        expected = [("DecisionTaken", id) for id in ids]
        self.assertEqual([self.told(user) for user in self.users], [expected] * USERS)


class DeathTests(BlockCase):
    async def test_deaths(self) -> None:
        """Whatever a process was at when it died, or lost its connection: in the end each is told
        once, and gets one mail."""
        for death in deaths(STATEMENTS):
            self.sql("delete from notifications; delete from notification_counters;")
            id = await self.block()
            process = Process(self.url, lambda db: self.of(db).run)
            self.addCleanup(process.end)
            await process.batch(death)
            for _ in range(1000):
                # The server may need a moment to notice that another is dead.
                self.sql("update tasks set due = now() where kind = 'BlockDecided'")
                await self.work()
                if not self.steps_left():
                    break
                await deferLater(reactor, 0.01)
            process.db.stop()
            self.assertEqual(
                [self.told(user) for user in self.users], [[("DecisionTaken", id)]] * USERS, death
            )
            self.assertEqual(self.mailed(id), self.users[1:], death)
