"""Processes die when a moderator has just decided: what is decided holds everywhere, and those whom
it concerns are told once (moderation#decisions)."""

from contextlib import closing
from typing import Any
from uuid import uuid4

import psycopg2
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.client import ApiError, Client
from contentsvc.framework.storage.paths import paths_of
from contentsvc.wire.comments import CommentCreate
from contentsvc.wire.decisions import DecisionBody, GroundBody, ReversalBody, SubjectBody
from tests.faults.case import PASSWORD, FaultCase, hold
from tests.faults.publishing import publish
from tests.faults.servers import run_sql
from tests.support.daemon import Daemon

DIGEST = "ab" * 32
GROUND = GroundBody(
    basis="terms", reference="§ 1", explanation="spam", source="own", automated="no"
)
LEARNT = 30.0
"""Seconds in which a process knows what it was not told."""


class DecidingCase(FaultCase):
    """Two daemons: a moderator at the first, Ann at the second."""

    options: tuple[str, ...] = ("--comments-per-minute", "0")

    async def setUp(self) -> None:
        super().setUp()
        self.first, self.second = [await self.daemon(*self.options) for _ in range(2)]
        self.ann = await self.client(self.second)
        self.moderator = await self.signed_in(self.first)

    async def signed_in(self, on: Daemon) -> Client:
        """An admin at this daemon, whose client repeats nothing."""
        if not run_sql(self.database, "select 1 from users where username = 'boss'"):
            await on.add_user("boss", PASSWORD, admin=True)
        return await self.client(on, "boss", patience=0)

    def body(self, action: Any, kind: Any, id: str, *what: Any) -> DecisionBody:
        """A new decision."""
        subject = SubjectBody(kind=kind, id=id)
        given = {"action": action, "subject": subject, "ground": GROUND}
        return DecisionBody(id=str(uuid4()), what=[*what] or None, **given)


class RestrictionTests(DecidingCase):
    async def comments(self, game: str) -> bool:
        """Whether the second daemon lets Ann comment."""
        try:
            await self.ann.comments.create(game, CommentCreate(body="hi"))
        except ApiError as error:
            if error.code != "account_restricted":
                raise
            return False
        return True

    async def test_restricted(self) -> None:
        """A restriction holds at another process, also if the one that took it dies at once; so
        does its reversal."""
        game = str(uuid4())
        await publish(await self.client(self.second, "author"), game)
        self.assertTrue(await self.comments(game))
        body = self.body("restrict", "user", self.ann.user, "comment")
        await self.moderator.decisions.create(body)
        await self.first.kill()
        deadline = reactor.seconds() + LEARNT
        while await self.comments(game):
            self.assertLess(reactor.seconds(), deadline, "she is not refused")
            await deferLater(reactor, 0.1)
        self.moderator = await self.signed_in(self.second)
        await self.moderator.decisions.reverse(body.id, ReversalBody(reason="a mistake"))
        self.assertTrue(await self.comments(game))
        self.no_failures()


class DeathTests(DecidingCase):
    options = ("--files", "local")

    async def test_blocked(self) -> None:
        """The process that has blocked a file dies before anybody is told: another one tells each
        once, and the same decision again is no other one."""
        path = paths_of(DIGEST)[0]
        run_sql(
            self.database,
            f"""
            insert into files (path, size, stored) values ('{path}', 1, true);
            insert into claims (holder, kind, path, owner_id)
            values ('{self.ann.user}', 'user', '{path}', '{self.ann.user}');
            insert into notification_counters (user_id, seq, unread)
            values ('{self.ann.user}', 0, 0) on conflict do nothing
            """,
        )
        body = self.body("block_file", "file", DIGEST)
        with closing(psycopg2.connect(self.database)) as holder, holder.cursor() as cursor:
            # So nobody can be told.
            cursor.execute(
                "select from notification_counters where user_id = %s for update", (self.ann.user,)
            )
            await self.moderator.decisions.create(body)
            await self.waits("Lock")
            await self.first.kill()
        await hold(self.done, "all is told")
        self.assertEqual(self.told(), [body.id])
        again = await self.signed_in(self.second)
        await again.decisions.create(body)
        await hold(self.done, "nothing is left")
        self.assertEqual(self.told(), [body.id])
        (own,) = (await self.ann.decisions.list_of_user(self.ann.user)).items
        self.assertEqual(own.id, body.id)
        self.no_failures()

    async def test_unanswered(self) -> None:
        """A process that dies amid a decision leaves nothing of it; the same again at another one
        decides once."""
        body = self.body("warn", "user", self.ann.user)
        with closing(psycopg2.connect(self.database)) as holder, holder.cursor() as cursor:
            cursor.execute("select from users where id = %s for update", (self.ann.user,))
            asked = Deferred.fromCoroutine(self.moderator.decisions.create(body))
            asked.addErrback(lambda failure: None)
            await self.waits("Lock")
            await self.first.kill()
            await asked
        self.assertEqual(run_sql(self.database, "select id from decisions"), [])
        again = await self.signed_in(self.second)
        for _ in range(2):
            await again.decisions.create(body)
        kind = "select count(*) from notifications where kind = 'AccountWarning'"
        self.assertEqual(run_sql(self.database, kind), [(1,)])
        self.no_failures()

    def done(self) -> bool:
        """Whether no task is left."""
        return not run_sql(self.database, "select 1 from tasks where kind = 'BlockDecided'")

    def told(self) -> list[str]:
        """The decisions that Ann was told of."""
        return [
            decision
            for (decision,) in run_sql(
                self.database,
                "select data::json ->> 'decision' from notifications where kind = 'DecisionTaken'",
            )
        ]
