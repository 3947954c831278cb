"""POST /uploads (files#announcing): what is refused, in which order, and that nothing is done
then."""

from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock, deferLater

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.http.errors import Problem
from contentsvc.framework.storage.paths import path_of
from contentsvc.framework.tasks.task_runners import EffectRunner
from contentsvc.jobs.files import blocked_kind
from tests.api.files.uploading import UploadCase, digest, fresh, image, of, place, token
from tests.api.support import Caller
from tests.support.databases import guid


class RefusedCase(UploadCase):
    async def refusal(self, *given: dict[str, Any], **options: Any) -> Problem:
        """The problem of a call, which has not changed anything."""
        before = self.everything()
        problem = await self.refused(self.announce(*given, **options))
        self.assertEqual(self.everything(), before)
        return problem

    async def problem(self, *given: dict[str, Any], **options: Any) -> tuple[str, list[str]]:
        problem = await self.refusal(*given, **options)
        return problem.code, [each["pointer"] for each in problem.members["errors"]]

    def everything(self) -> list[Any]:
        """All rows about files, without the times at which the collector looks."""
        return [
            self.sql(f"select {columns} from {table} order by 1, 2")
            for table, columns in (
                ("files", "path, stored, size, invalid, collecting"),
                ("user_files", "user_id, path, size, sent, token"),
                ("storage", "user_id, used, pending"),
            )
        ]


class BlockedTests(RefusedCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.sql("delete from tasks")

    async def test_unknown(self) -> None:
        """A blocked digest is refused although nobody has ever had it, under each of its paths."""
        data = fresh()
        await self.block(digest(data))
        given = [of(data), of(fresh()), image(data), image(data, "image/webp"), of(data)]
        problem = await self.refusal(*given)
        self.assertEqual((problem.status, problem.code), (403, "file_blocked"))
        pointers = [each["pointer"] for each in problem.members["errors"]]
        self.assertEqual(pointers, [f"/files/{n}/sha256" for n in (0, 2, 3, 4)])

    async def test_known(self) -> None:
        """So is one that the user has sent, and one that active content uses. Its bytes count as
        gone at once, under all of its paths."""
        data = fresh()
        await self.has(data)
        (shown,) = await self.announce(image(data))
        await self.send(shown, data)
        await self.there(image(data))
        await self.claim(path_of(digest(data)), self.ann)
        await self.block(digest(data))
        stem = path_of(digest(data))
        self.assertEqual([self.row(path)[1] for path in (stem, f"{stem}.png")], [False, False])
        for by in (self.ann, self.bob):
            code, _ = await self.problem(of(data), by=by)
            self.assertEqual(code, "file_blocked")

    async def test_meanwhile(self) -> None:
        """A block that comes while the store is looked at counts."""
        data = fresh()
        self.bucket.after = lambda: self.sql(
            "insert into blocked_files values (%s, 'r')", digest(data)
        )
        code, pointers = await self.problem(of(fresh()), of(data))
        self.assertEqual((code, pointers), ("file_blocked", ["/files/1/sha256"]))

    async def test_lifted(self) -> None:
        """When the block is lifted, the user sends it again with the same announcement, to a key of
        their own as another had sent it too, and it is there for all who had it."""
        data = fresh()
        (before,) = await self.announce(of(data))
        await self.has(data)
        await self.has(data, by=self.bob)
        await self.block(digest(data))
        await self.lift(digest(data))
        (after,) = await self.announce(of(data))
        self.assertEqual(token(after), token(before))
        self.assertEqual(place(after), f"incoming/{token(before)}/{after.path}")
        await self.send(after, data)
        self.assertEqual(await self.there(of(data)), [True])
        self.assertEqual(await self.there(of(data), by=self.bob), [True])

    async def test_lifted_again(self) -> None:
        """Only the end of a block deletes bytes, so none that were sent after it."""
        data = fresh()
        await self.block(digest(data))
        await self.lift(digest(data))
        await self.has(data)
        await self.lift(digest(data))
        self.assertEqual(await self.there(of(data)), [True])
        await self.block(digest(data))
        self.sql("delete from tasks")
        await self.lift(digest(data))
        self.assertEqual(len(self.bucket.deleted), 1)

    async def test_lifted_meanwhile(self) -> None:
        """A block is not lifted while its bytes are being deleted, so nothing is deleted that was
        sent after."""
        data = fresh()
        await self.has(data)
        await self.block(digest(data))
        deletion, answer = await self.deleting()
        lifting = Deferred.fromCoroutine(self.lift(digest(data)))
        await self.block(digest(data), "worse")
        self.assertFalse(lifting.called)
        answer.callback(None)
        await deletion
        await lifting
        await self.has(data)
        self.assertIsNone(await self.deletion().run())
        self.assertEqual(await self.there(of(data)), [True])

    async def test_not_lifted(self) -> None:
        """While that takes longer, the block stays, and it is 503. When the lease of a process that
        has died is over, it is lifted."""
        clock, data = Clock(), digest(fresh())
        await self.block(data)
        deletion, answer = await self.deleting()
        files = self.family(reactor=clock)
        lifting = Deferred.fromCoroutine(files.unblock_file(Caller(guid(), admin=True), data))
        while not lifting.called:
            await deferLater(reactor, 0)
            clock.advance(0.1)
        error = await self.assertFailure(lifting, Unavailable)
        self.assertEqual(error.cause, "lock")
        row = "select reason from blocked_files where sha256 = %s"
        self.assertEqual(self.sql(row, data), [("r",)])
        self.sql("update tasks set due = now()")
        self.bucket.before = lambda: None
        await self.lift(data)
        self.assertEqual(self.sql(row, data), [])
        answer.callback(None)
        await deletion

    def deletion(self) -> EffectRunner:
        """A process that deletes blocked bytes."""
        return EffectRunner(reactor, self.db, blocked_kind(reactor, self.db, self.bucket))

    async def deleting(self) -> tuple[Deferred[Any], Deferred[None]]:
        """A process that waits for the store to delete them, and the store's answer."""
        asked: Deferred[None] = Deferred()
        answer: Deferred[None] = Deferred()

        def before() -> Deferred[None]:
            self.bucket.before = lambda: None
            reactor.callLater(0, asked.callback, None)
            return answer

        self.bucket.before = before
        run = Deferred.fromCoroutine(self.deletion().run())
        await asked
        return run, answer

    async def test_lifted_without_store(self) -> None:
        """A block is lifted also while the store is away, or does not answer."""
        clock = Clock()
        files = self.family(reactor=clock)
        for trouble in ("away", "slow"):
            data = digest(fresh())
            await self.block(data)
            self.bucket.away = trouble == "away"
            waiting: list[Deferred[None]] = []

            def before(waiting: list[Deferred[None]] = waiting) -> Deferred[None]:
                waiting.append(Deferred())
                return waiting[0]

            if trouble == "slow":
                self.bucket.before = before
            lifting = Deferred.fromCoroutine(files.unblock_file(Caller(guid(), admin=True), data))
            while not lifting.called:
                await deferLater(reactor, 0)
                if waiting:
                    clock.advance(5)
            await lifting
            row = self.sql("select reason from blocked_files where sha256 = %s", data)
            self.assertEqual(row, [])

    async def test_repeated(self) -> None:
        """Blocking again replaces the reason. Lifting again is no error. The job that deletes the
        bytes is woken when the block is committed."""
        data = digest(fresh())
        row = "select reason, created from blocked_files where sha256 = %s"
        await self.block(data, "first")
        ((_, created),) = self.sql(row, data)
        await self.block(data, "second")
        self.assertEqual(self.sql(row, data), [("second", created)])
        self.assertEqual(self.woken, 2)
        for _ in range(2):
            await self.lift(data)
        self.assertEqual(self.sql(row, data), [])


class StoreTests(RefusedCase):
    def collecting(self, data: bytes, flag: bool = True) -> None:
        """The collector marks an entity, or is done with it."""
        path = path_of(digest(data))
        self.sql("update files set collecting = %s, due = now() where path = %s", flag, path)

    async def test_away(self) -> None:
        """If the store is away, all is refused, also where it is not needed. The client is told
        when to try again."""
        data = fresh()
        await self.has(data)
        self.bucket.away = True
        for given in ([of(fresh()), of(data)], [of(fresh())]):
            problem = await self.refusal(*given)
            self.assertEqual((problem.status, problem.code), (503, "storage_unavailable"))
            self.assertEqual(problem.headers, {"Retry-After": "10"})
            pointers = [each["pointer"] for each in problem.members["errors"]]
            self.assertEqual(pointers, [f"/files/{n}" for n in range(len(given))])
        self.bucket.away = False
        self.assertEqual(await self.there(of(data)), [True])

    async def test_away_for_reading(self) -> None:
        """The same where it goes away between the look and the reading of an image."""
        data = fresh()
        (file,) = await self.announce(image(data))
        await self.send(file, data)

        def after() -> None:
            self.bucket.away = True

        self.bucket.after = after
        code, _ = await self.problem(image(data))
        self.assertEqual(code, "storage_unavailable")

    async def test_collecting(self) -> None:
        """A file that is just being deleted is refused for a moment; afterwards it is new."""
        data = fresh()
        await self.has(data)
        self.collecting(data)
        problem = await self.refusal(of(fresh()), of(data), by=self.bob)
        self.assertEqual((problem.status, problem.code), (503, "storage_unavailable"))
        self.assertEqual(problem.headers, {"Retry-After": "2"})
        (error,) = problem.members["errors"]
        self.assertEqual(error["pointer"], "/files/1/sha256")
        self.sql("delete from user_files where user_id = %s", self.ann)
        self.sql("delete from files where path = %s", path_of(digest(data)))
        self.bucket.kept.clear()
        self.assertEqual(await self.there(of(data), by=self.bob), [False])

    async def test_collecting_meanwhile(self) -> None:
        """The same where the collector comes while the store is looked at, which only a clock that
        jumps can do."""
        data = fresh()
        await self.has(data)
        self.bucket.after = lambda: self.collecting(data)
        problem = await self.refused(self.announce(of(fresh()), of(data)))
        self.assertEqual(problem.members["errors"][0]["pointer"], "/files/1/sha256")
        self.assertEqual(await self.usage(), (36, 0))

    async def test_fenced(self) -> None:
        """From before the look on, the file is not due."""
        data = fresh()
        await self.has(data)
        path = path_of(digest(data))
        self.sql("update files set due = now() where path = %s", path)
        due: list[Any] = []
        self.bucket.after = lambda: due.extend(
            self.sql("select due > now() + interval '23 hours' from files where path = %s", path)
        )
        await self.announce(of(data))
        self.assertEqual(due, [(True,)])


class OrderTests(RefusedCase):
    async def test_order(self) -> None:
        """If several things are wrong, the first of this list is said."""
        blocked, spare = fresh(), fresh()
        await self.block(digest(blocked))
        wrong = {
            "invalid_body": of(fresh(), "avatar"),
            "file_blocked": of(blocked),
            "media_type_not_allowed": image(fresh(), "image/gif"),
            "file_too_large": {**of(fresh()), "size": 1001},
            "quota_exceeded": {**of(spare), "size": 1000},
        }
        files = self.family(user_bytes=999)
        codes = list(wrong)
        for n, code in enumerate(codes):
            rest = [wrong[each] for each in codes[n:]]
            for given in (rest, rest[::-1]):
                self.assertEqual((await self.problem(*given, family=files))[0], code)
        self.bucket.away = True
        for n, code in enumerate(codes):
            expected = "storage_unavailable" if code == "quota_exceeded" else code
            rest = [wrong[each] for each in codes[n:]]
            self.assertEqual((await self.problem(*rest, family=files))[0], expected)
