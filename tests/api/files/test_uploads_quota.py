"""POST /uploads (files#own-files): quotas, one user's and many calls at once."""

from contentsvc.framework.storage.paths import path_of
from tests.api.files.uploading import UploadCase, digest, fresh, of
from tests.api.support import Caller
from tests.support.deferreds import together


class BytesTests(UploadCase):
    async def test_new_user(self) -> None:
        """Who has not confirmed an address may have fewer bytes, and sees that limit; the
        confirmation counts at once. Neither limit raises the other."""
        self.sql("update users set email_confirmed = false where id = %s", self.ann)
        for new, all_, limit in ((40, 100, 40), (40, 0, 40), (0, 100, 100), (100, 40, 40)):
            files = self.family(user_bytes=all_, new_user_bytes=new)
            self.assertEqual(
                (await files.get_user_storage(Caller(self.ann), self.ann)).limit, limit
            )
        files = self.family(user_bytes=100, new_user_bytes=40)
        await self.announce(of(fresh()), family=files)
        problem = await self.refused(self.announce(of(fresh()), family=files))
        self.assertEqual((problem.status, problem.code), (403, "quota_exceeded"))
        self.assertEqual((problem.members["limit"], problem.members["used"]), (40, 36))
        self.assertIn("confirmed", problem.detail)
        self.sql("update users set email_confirmed = true where id = %s", self.ann)
        self.assertEqual((await files.get_user_storage(Caller(self.ann), self.ann)).limit, 100)
        await self.announce(of(fresh()), family=files)
        self.sql("update users set email = null where id = %s", self.ann)
        self.assertEqual((await files.get_user_storage(Caller(self.ann), self.ann)).limit, 40)

    async def test_goes_on(self) -> None:
        """What is announced already goes on at a full quota, and below a lowered one: named again,
        sent, verified, lost and sent again."""
        data = [fresh() for _ in range(3)]
        await self.announce(*map(of, data))
        files = self.family(user_bytes=50, pending_files=1)
        for _ in range(2):
            answers = await self.announce(*map(of, data), family=files)
            for file, each in zip(answers, data, strict=True):
                await self.send(file, each)
            answers = await self.announce(*map(of, data), family=files)
            self.assertEqual([file.upload for file in answers], [None] * 3)
            self.bucket.kept.clear()

    async def test_grows(self) -> None:
        """A size that is corrected counts by what it adds; a smaller one is never refused."""
        data = fresh()
        await self.announce({**of(data), "size": 60})
        files = self.family(user_bytes=50)
        code, pointers = await self.problem({**of(data), "size": 61}, family=files)
        self.assertEqual((code, pointers), ("quota_exceeded", ["/files/0/size"]))
        await self.announce({**of(data), "size": 59}, family=files)
        self.assertEqual(await self.usage(), (59, 1))

    async def test_makes_room(self) -> None:
        """What becomes smaller in a call leaves room for what is new in it, wherever it is."""
        data = fresh()
        files = self.family(user_bytes=72)
        await self.announce({**of(data), "size": 72}, family=files)
        await self.announce(of(fresh()), of(data), family=files)
        self.assertEqual(await self.usage(), (72, 2))

    async def test_there(self) -> None:
        """What is there counts as what is not, with its own length."""
        data = fresh()
        await self.has(data)
        await self.claim(path_of(digest(data)), self.ann)
        given = {**of(data), "size": 1}
        code, _ = await self.problem(given, by=self.bob, family=self.family(user_bytes=35))
        self.assertEqual(code, "quota_exceeded")
        await self.announce(given, by=self.bob, family=self.family(user_bytes=36))
        self.assertEqual(await self.usage(self.bob), (36, 0))


class AtOnceTests(UploadCase):
    async def test_edge(self) -> None:
        """Of ten calls at the edge of the quota exactly as many succeed as fit."""
        files = self.family(user_bytes=4 * 72 + 71)
        calls = [self.announce(of(fresh()), of(fresh()), family=files) for _ in range(10)]
        codes = await self.statuses(*calls)
        self.assertEqual((codes.count("done"), codes.count("quota_exceeded")), (4, 6))
        self.assertEqual(await self.usage(), (4 * 72, 8))

    async def test_edge_of_pending(self) -> None:
        """The same at the edge of the number of pending files."""
        files = self.family(pending_files=9)
        calls = [self.announce(of(fresh()), of(fresh()), family=files) for _ in range(10)]
        codes = await self.statuses(*calls)
        self.assertEqual((codes.count("done"), codes.count("quota_exceeded")), (4, 6))
        self.assertEqual(await self.usage(), (8 * 36, 8))

    async def test_same(self) -> None:
        """The same call ten times at once is one announcement: all get the same answer, also where
        a second one would not fit."""
        given = [of(fresh()) for _ in range(5)]
        files = self.family(user_bytes=5 * 36, pending_files=5)
        answers = await together(*(self.announce(*given, family=files) for _ in range(10)))
        self.assertEqual(answers, [answers[0]] * 10)
        self.assertEqual(await self.usage(), (5 * 36, 5))

    async def test_same_files(self) -> None:
        """Many users announce the same new files at once, in any order: nobody waits for another
        for good, and each has them all."""
        users = [await self.user() for _ in range(8)]
        given = [of(fresh()) for _ in range(40)]
        orders = [given[5 * n :] + given[: 5 * n] for n in range(8)]
        await together(
            *(self.announce(*order, by=by) for by, order in zip(users, orders, strict=True))
        )
        used = [await self.usage(by) for by in users]
        self.assertEqual(used, [(40 * 36, 40)] * 8)
