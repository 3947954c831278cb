"""What reporters are notified of, and taking away what a user has made."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from msgspec import json
from twisted.internet import reactor
from twisted.internet.task import deferLater

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.task_runners import kinds
from contentsvc.jobs import moderation
from contentsvc.jobs.handlers import KINDS
from contentsvc.jobs.steps import StepRunner
from contentsvc.push.notifier import Notifier
from contentsvc.store.accounts.mails import Mails, Purpose
from contentsvc.store.content import collections, comments, subscriptions
from contentsvc.store.fragments import NIL
from contentsvc.store.moderation import notices, reports
from contentsvc.store.social import follows
from contentsvc.store.tasks import ReportsResolved, UserClearance
from contentsvc.wire.moderation import ReportedSubject
from tests.jobs.mortal import Process, deaths
from tests.jobs.support import StepCase
from tests.push.fakes import delays
from tests.support.databases import guid
from tests.support.deferreds import together


class ReportsTests(StepCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.runner = self.another(self.db, kinds=KINDS, most=2)
        self.castle = guid()
        self.users = [await self.user() for _ in range(5)]

    async def file(self, reporter: str, text: str = "") -> None:
        """Report the castle."""
        about = "content", self.castle, None, reporter
        await reports.file(self.db, *about, "spam", text, "{}", None, 0)

    async def decide(self, outcome: str, upto: int = 0) -> None:
        """Close the reports up to the one at this place of the list, the newest by default."""
        given = "content", self.castle, None, None, 200, 2**22
        listed = await reports.of_subject(self.db, *given)
        async with self.db.transaction() as tx:
            held = await reports.lock(tx, "content", self.castle, None)
            assert held is not None
            number, after = listed[upto].number, held.decided
            await reports.decide(tx, held.number, after, number, outcome, guid())
            task = ReportsResolved(
                subject=ReportedSubject("content", self.castle),
                number=held.number,
                after=after,
                upto=number,
                outcome=outcome,
            )
            await self.queue.put(tx, task)

    def heard(self, user: str) -> list[dict[str, Any]]:
        """What the user was notified of."""
        rows = self.sql("select data from notifications where user_id = %s order by seq", user)
        return [json.decode(data) for (data,) in rows]

    async def test_all(self) -> None:
        """Each of them is notified once, over all batches and processes."""
        for user in self.users:
            await self.file(user)
        await self.decide("upheld")
        other = self.another(await self.pool(), kinds=KINDS, most=2)
        await together(self.work(), self.work(other))
        await self.work()
        subject = {"kind": "content", "id": self.castle}
        notified = {"kind": "ReportResolved", "subject": subject, "outcome": "upheld"}
        self.assertEqual([self.heard(user) for user in self.users], [[notified]] * 5)
        self.assertEqual(self.left(), [])

    async def test_gone(self) -> None:
        """Reporters who are gone, or have muted the kind, are left out."""
        for user in (guid(), *self.users[:3]):
            await self.file(user)
        self.sql(
            "insert into notification_counters (user_id, seq, unread, muted)"
            " values (%s, 0, 0, '{ReportResolved}')",
            self.users[0],
        )
        await self.decide("upheld")
        await self.work()
        self.assertEqual([len(self.heard(user)) for user in self.users], [0, 1, 1, 0, 0])

    async def test_mailboxes(self) -> None:
        """Those who have sent notices get their mails in the order of their mailboxes, as all who
        need several."""
        for email in ("ann@c.example", "ben@a.example", "cid@b.example"):
            sent = "illegal", "x", None, "Mira", email, None
            about = ["content"], [self.castle], [None], [None], [None]
            async with self.db.transaction() as tx:
                await notices.file(tx, *sent, *about, ["{}"], [None])
        await self.decide("upheld")
        mails = _Mailing(lambda: None, lambda email: email.partition("@")[2])
        resolved = ReportsResolved, partial(moderation.reports_resolved, mails=mails)
        await self.work(self.another(self.db, kinds=kinds(resolved)))
        self.assertEqual(mails.done, ["ben@a.example", "cid@b.example", "ann@c.example"])


class _Mailing(Mails):
    """Notes in `done` to which address it sends."""

    done: list[str] = []

    async def answer(
        self, tx: Db, purpose: Purpose, notice: str, email: str, appeal: str | None = None
    ) -> None:
        self.done.append(email)


ALL = ["content", "comments", "collections"]
STATEMENTS = 9
"""Of a first batch: take, the next contents, their locks, suspend, move, append, COMMIT."""


class ClearanceCase(StepCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.runner = self.another(self.db, kinds=KINDS, most=2)
        self.user_id, self.other, self.admin = [await self.user() for _ in range(3)]

    async def write(self, author: str, content: str) -> int:
        """A comment."""
        given = self.db, content, author, False, None, "rude", 0
        written = await comments.create(*given)
        assert written is not None and written.id is not None
        return written.id

    async def collect(self, *items: str) -> str:
        """A public collection of the user's, with these items."""
        collection = guid()
        await collections.create(self.db, self.user_id, collection, "rude", "", True)
        for place, item in enumerate(items):
            await collections.put(self.db, collection, item, place, True)
        return collection

    async def clear(self, *what: str, admin: str | None = "", reason: str = "spam") -> None:
        """Put the task."""
        who = self.admin if admin == "" else admin
        task = UserClearance(user=self.user_id, what=list(what) or ALL, reason=reason, admin=who)
        await self.queue.put(self.db, task)

    def acts(self) -> list[tuple[Any, ...]]:
        """What was noted."""
        return self.sql(
            """select admin::text, service, action, subject_kind, subject, reason, counts
               from moderation_actions order by number"""
        )

    def heard(self, user: str) -> list[tuple[str, str]]:
        """What a user was notified of, with the reasons."""
        rows = self.sql("select data from notifications where user_id = %s order by seq", user)
        return [
            (notified["kind"], notified["reason"])
            for notified in (json.decode(data) for (data,) in rows)
            if "reason" in notified
        ]


class ClearTests(ClearanceCase):
    async def test_all(self) -> None:
        """It suspends the content, leaves tombstones of the comments, and deletes the collections,
        in batches; then one act says how much it was."""
        games = [await self.content(self.user_id) for _ in range(5)]
        theirs = await self.content(self.other)
        for content in (*games, theirs, theirs):
            await self.write(self.user_id, content)
        kept = await self.write(self.other, games[0])
        for _ in range(moderation.clearance.COLLECTIONS + 1):
            await self.collect(theirs)
        await self.clear()
        self.assertGreater(await self.work(), 8)
        statuses = self.sql("select author_id::text, status from contents")
        expected = [(self.other, "active")] + [(self.user_id, "suspended")] * 5
        self.assertCountEqual(statuses, expected)
        self.assertEqual(self.sql("select id from comments where not deleted"), [(kept,)])
        self.assertEqual(self.sql("select count(*) from collections"), [(0,)])
        counts = {"content": 5, "comments": 7, "collections": 6}
        act = "user_cleared", "user", self.user_id, "spam", counts
        self.assertEqual(self.acts(), [(self.admin, False, *act)])
        self.assertEqual(self.left(), [])

    async def test_numbers(self) -> None:
        """The content of others counts the comments no more."""
        theirs = await self.content(self.other)
        for author in (self.user_id, self.other, self.user_id):
            await self.write(author, theirs)
        await self.clear("comments")
        await self.work()
        rows = self.sql("select comments, live_comments from contents")
        self.assertEqual(rows, [(3, 1)])

    async def test_told(self) -> None:
        """The user is notified of each, with the reason; who keeps content, or uses it, hears of
        it."""
        game = await self.content(self.user_id)
        await subscriptions.put(self.db, self.other, game, None, False, 0)
        for _ in range(3):
            await self.write(self.user_id, game)
        await self.clear("content", "comments")
        await self.work()
        expected = [("ContentSuspended", "spam")] + [("CommentRemoved", "spam")] * 3
        self.assertEqual(self.heard(self.user_id), expected)
        seqs = self.sql("select seq from notifications where user_id = %s", self.user_id)
        self.assertCountEqual(seqs, [(n,) for n in range(1, 5)])
        self.assertIn(self.other, self.listener.libraries)

    async def test_some(self) -> None:
        """Only what is named goes, and only that is counted."""
        game = await self.content(self.user_id)
        await self.write(self.user_id, game)
        await self.collect(game)
        await self.clear("comments")
        await self.work()
        self.assertEqual(self.sql("select status from contents"), [("active",)])
        self.assertEqual(self.sql("select count(*) from collections"), [(1,)])
        self.assertEqual(self.acts()[0][-1], {"comments": 1})

    async def test_again(self) -> None:
        """A repeat finds nothing, notifies nobody and notes nothing."""
        await self.content(self.user_id)
        for _ in range(2):
            await self.clear()
            await self.work()
        self.assertEqual(len(self.acts()), 1)
        self.assertEqual(len(self.heard(self.user_id)), 1)

    async def test_favourites(self) -> None:
        """The favourites, which everybody keeps, become private."""
        await collections.write_favourites(self.db, self.user_id)
        await collections.change(self.db, self.user_id, "", "", True)
        await self.clear("collections")
        await self.work()
        self.assertEqual(self.sql("select public from collections"), [(False,)])
        self.assertEqual(self.acts()[0][-1], {"collections": 1})

    async def test_operator(self) -> None:
        """The operator's is by nobody of the service."""
        await self.write(self.user_id, await self.content(self.other))
        await self.clear(admin=None)
        await self.work()
        self.assertEqual(self.acts()[0][:3], (NIL, False, "user_cleared"))
        events = "select actor from new_events where kind = 'CommentRemoved'"
        self.assertEqual(self.sql(events), [(None,)])

    async def test_goes_on(self) -> None:
        """Another process goes on where one has died in the middle, and counts all of it."""
        for _ in range(5):
            await self.content(self.user_id)
        await self.clear("content")
        await self.work(batches=2)
        self.assertEqual(self.acts(), [])
        await self.work(self.another(self.db, kinds=KINDS, most=3))
        self.assertEqual(self.acts()[0][-1], {"content": 5})
        self.assertEqual(len(self.heard(self.user_id)), 5)

    async def test_left(self) -> None:
        """It comes to its end also if the user leaves meanwhile."""
        await self.content(self.user_id)
        await self.clear()
        self.sql("delete from users where id = %s", self.user_id)
        await self.work()
        self.assertEqual(self.left(), [])

    async def test_many_tombstones(self) -> None:
        """A batch looks at so many comments, whether or not they are tombstones already."""
        game = await self.content(self.other)
        for _ in range(5):
            await self.write(self.user_id, game)
        self.sql("update comments set deleted = true where author_id = %s", self.user_id)
        await self.clear("comments")
        self.assertGreater(await self.work(), 2)
        self.assertEqual(self.acts(), [])


class FollowerTests(ClearanceCase):
    async def test_followers(self) -> None:
        """Followers stay, and are notified of nothing."""
        await follows.follow(self.db, self.other, self.user_id, 0)
        await self.content(self.user_id)
        await self.clear()
        await self.work()
        self.assertEqual(self.sql("select count(*) from follows"), [(1,)])
        self.assertEqual(self.heard(self.other), [])


class DeathTests(ClearanceCase):
    """A process dies, or loses its connection, at any statement of the first batches."""

    def process(self) -> Process:
        """One more, which ends with the test."""

        def runner(db: Database) -> Callable[[], Awaitable[object]]:
            notifier = Notifier(self.listener, self.listener, delays())
            return StepRunner(reactor, db, notifier, KINDS, most=2).run

        made = Process(self.url, runner)
        self.addCleanup(made.db.stop)
        return made

    async def finish(self) -> None:
        """A process without faults does the rest. The server may need a moment to notice that
        another is dead."""
        process = self.process()
        for _ in range(1000):
            self.sql("update tasks set due = now()")
            await process.batch()
            if not self.left():
                return
            await deferLater(reactor, 0.01)
        self.fail(f"left: {self.left()}")

    async def test_deaths(self) -> None:
        """Whatever it was at: all goes, the user is notified of each once, and there is one act
        that counts all of it."""
        theirs = await self.content(self.other)
        for death in deaths(STATEMENTS):
            self.user_id = await self.user()
            games = [await self.content(self.user_id) for _ in range(3)]
            for content in (*games, theirs):
                await self.write(self.user_id, content)
            await self.collect(theirs)
            await self.clear()
            process = self.process()
            await process.batch(death)
            await self.finish()
            process.db.stop()
            (act,) = [act for act in self.acts() if act[4] == self.user_id]
            self.assertEqual(act[-1], {"content": 3, "comments": 4, "collections": 1}, death)
            notified = [kind for kind, _ in self.heard(self.user_id)]
            expected = ["ContentSuspended"] * 3 + ["CommentRemoved"] * 4
            self.assertEqual(notified, expected, death)
        rows = self.sql("select live_comments from contents")
        self.assertEqual(set(rows), {(0,)})
