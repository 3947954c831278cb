"""The client against the real service."""

from uuid import uuid4

from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredQueue
from twisted.trial.unittest import TestCase

from contentsvc.client import (
    ApiError,
    Client,
    ProgressConflict,
    Received,
    Seen,
    SessionEnded,
    SubscriptionEnded,
)
from contentsvc.wire.accounts import Profile, Registration, UserInfo, UserSearch, UserUpdate
from contentsvc.wire.base import Paging
from contentsvc.wire.comments import CommentCreate
from contentsvc.wire.content import ContentCreate, ContentUpdate, Entity, Precheck, RatingBody
from contentsvc.wire.notifications import Debug, DebugNotify, NotificationQuery, ReadUpTo
from contentsvc.wire.progress import ProgressBody
from tests.support import daemon

PASSWORD = "a long password"
WAIT = 30


def guid() -> str:
    return str(uuid4())


class Case(TestCase):
    timeout = 120

    async def setUp(self) -> None:
        self.service = await self.daemon()
        self.client = await self.signed_in()

    async def daemon(self) -> daemon.Daemon:
        """The service to test."""
        return await daemon.shared()

    async def signed_in(self) -> Client:
        """A client with a user of its own."""
        client = Client(reactor, self.service.url)
        self.addCleanup(client.close)
        self.name = f"u{guid()[:12]}"
        await client.accounts.register(
            Registration(username=self.name, email=f"{self.name}@example.com", password=PASSWORD)
        )
        await client.log_in(self.name, PASSWORD)
        return client

    async def notify(self, *texts: str) -> None:
        for text in texts:
            await self.client.debug.send_notification(
                DebugNotify(recipient=self.client.user, text=text)
            )


class RestTests(Case):
    async def test_users(self) -> None:
        """Accounts, records, search and following."""
        me = await self.client.users.get_info(self.client.user)
        self.assertEqual(me, UserInfo(self.client.user, self.name, None, None))
        await self.client.users.update(
            UserUpdate(
                avatar="a.png",
                emblem=None,
                full_profile=Profile(profile="hello"),
                public_profile=Profile(),
            )
        )
        full = await self.client.users.get()
        self.assertEqual((full.avatar, full.full_profile.profile), ("a.png", "hello"))
        page = await self.client.users.search(UserSearch(q=self.name))
        self.assertEqual(page.items[0].id, self.client.user)
        other, me = await self.signed_in(), self.client
        await other.social.follow(me.user)
        self.assertEqual([u.id for u in (await me.social.list_followers()).items], [other.user])
        part = await other.social.list_following(Paging(limit=1))
        self.assertEqual((part.items[0].id, part.after is None), (me.user, False))
        self.assertEqual(
            (await other.social.list_following(Paging(limit=1, after=part.after))).items, []
        )

    async def test_content(self) -> None:
        """Pre-check, publish, update, comment and rate."""
        content, core = guid(), Entity(entity_id=guid(), revision_id=guid(), path="p")
        check = Precheck(content_id=content, operation="create", dependencies=[], packages=[])
        self.assertEqual((await self.client.precheck.check(check)).problems, [])
        create = ContentCreate(
            name="A game",
            description="d",
            screenshot_uris=["s.png"],
            type="game",
            revision_id=guid(),
            revision_description="r",
            version="1",
            entity=core,
            originating=[],
            using=[],
        )
        await self.client.content.put(content, create)
        await self.client.content.put(
            content, ContentUpdate(description="e", screenshot_uris=["t.png"])
        )
        comment = await self.client.comments.create(content, CommentCreate(body="Well made"))
        await self.client.ratings.put(content, RatingBody(value="1"))
        detail = await self.client.content.get(content)
        self.assertEqual((detail.description, detail.entity), ("e", core))
        self.assertEqual((detail.votes.up, detail.comment_count), (1, 1))
        self.assertEqual((await self.client.comments.get(content, comment)).body, "Well made")
        self.assertEqual((await self.client.comments.list(content)).total, 1)
        self.assertEqual(await self.client.ratings.get(), {content: "1"})
        (listed,) = (await self.client.content.list(self.client.user)).items
        self.assertEqual((listed.id, listed.rating), (content, 1.0))

    async def test_seen(self) -> None:
        """What replaces is refused if it has changed since it was seen, and sent again from what is
        there now."""
        seen, later = Seen(), Seen()
        before = await self.client.users.get(seen=seen)
        update = UserUpdate(
            avatar="a.png",
            emblem=None,
            full_profile=before.full_profile,
            public_profile=before.public_profile,
        )
        await self.client.users.update(update, seen=seen)
        again = self.client.users.update(update, seen=seen)
        error = await self.assertFailure(Deferred.fromCoroutine(again), ApiError)
        self.assertEqual(error.code, "precondition_failed")
        await self.client.users.get(seen=later)
        await self.client.users.update(update, seen=later)
        unseen = self.client.users.update(update, seen=Seen())
        await self.assertFailure(Deferred.fromCoroutine(unseen), ValueError)

    async def test_progress(self) -> None:
        """Progress data goes and comes as it is."""
        await self.client.progress.put("level/1", ProgressBody(value={"ü": [1, None]}))
        datum = await self.client.progress.get("level/1")
        self.assertEqual(bytes(datum.value).replace(b" ", b""), '{"ü":[1,null]}'.encode())
        self.assertEqual([each.key for each in await self.client.progress.list()], ["level/1"])
        await self.client.progress.delete("level/1")
        self.assertEqual(await self.client.progress.list(), [])

    async def test_conflict(self) -> None:
        """A write of another version than the present one is told the value and the version."""
        await self.client.progress.put("level", ProgressBody(value={"floor": 19}))
        writing = self.client.progress.put("level", ProgressBody(value={}, version=0))
        error = await self.assertFailure(Deferred.fromCoroutine(writing), ProgressConflict)
        self.assertEqual((error.value, error.version), ({"floor": 19}, 1))

    async def test_notifications(self) -> None:
        """The log of notifications, in parts and marked as read."""
        await self.notify("one", "two")
        page = await self.client.notifications.list(NotificationQuery(limit=1))
        (first,) = page.items
        self.assertIsInstance(first, Debug)
        (second,) = (
            await self.client.notifications.list(NotificationQuery(after=page.after))
        ).items
        self.assertEqual(second.text, "two")
        await self.client.notifications.mark_read(ReadUpTo(up_to=str(first.id)))
        flags = [each.read for each in (await self.client.notifications.list()).items]
        self.assertEqual(flags, [True, False])

    async def test_problem(self) -> None:
        """A refusal has its code."""
        failure = await self.assertFailure(
            Deferred.fromCoroutine(self.client.users.get_info(guid())), ApiError
        )
        self.assertEqual((failure.status, failure.code), (404, "user_not_found"))

    async def test_session(self) -> None:
        """A session goes on by its refresh token, and ends with the log-out."""
        other = Client(reactor, self.service.url)
        self.addCleanup(other.close)
        await other.resume_session(self.client.tokens.refresh_token)
        self.assertEqual([each.current for each in await other.sessions.list()], [True])
        await other.log_out()
        # The client's connection may lead to the other worker, which hears of it a moment later.
        with self.assertRaises(SessionEnded):
            while True:
                await self.client.progress.list()

    async def test_health(self) -> None:
        """The service lives and is ready."""
        await self.client.health.check_liveness()
        await self.client.health.check_readiness()


class LiveTests(Case):
    def subscribe(self, **options: object) -> None:
        self.queue: DeferredQueue[Received] = DeferredQueue()
        self.subscription = self.client.notifications.listen(self.queue.put, **options)

    async def take(self, count: int) -> list[str]:
        got = [await self.queue.get().addTimeout(WAIT, reactor) for _ in range(count)]
        return [each.notification.text for each in got]

    async def greeted(self, times: int = 1) -> None:
        await daemon.until(
            lambda: self.subscription.live and self.subscription.connections >= times, WAIT, "hello"
        )

    async def test_revoked(self) -> None:
        """A log-out elsewhere ends the subscription with 4403."""
        self.subscribe()
        await self.greeted()
        ended = self.subscription.ended()
        (here,) = await self.client.sessions.list()
        await self.client.sessions.end(here.id)
        error = await self.assertFailure(ended, SubscriptionEnded)
        self.assertEqual((error.code, error.reason), (4403, "revoked"))

    async def test_block(self) -> None:
        """Leaving the client's block ends its subscriptions, after an error too."""
        with self.assertRaises(ZeroDivisionError):
            async with self.client:
                self.subscribe()
                await self.greeted()
                raise ZeroDivisionError
        self.assertTrue(self.subscription.over)

    async def test_restart(self) -> None:
        """While the service restarts, the subscription waits, and misses nothing."""
        service = daemon.Daemon()
        self.service = service
        await service.start()
        self.addCleanup(service.stop)
        self.client = await self.signed_in()
        self.subscribe()
        await self.greeted()
        await self.notify("one")
        await service.stop()
        await service.start(port=service.port)
        await self.notify("two")
        await self.greeted(2)
        await self.notify("three")
        self.assertEqual(await self.take(3), ["one", "two", "three"])
