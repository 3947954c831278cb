"""The queue of reports: extensions §7."""

from tests.spec.data import Content, User, guid, name
from tests.spec.players.base import PlayersCase
from tests.spec.shapes import QUEUED, REPORT

QUEUE = "moderation/reports"


class QueueTests(PlayersCase):
    """GET moderation/reports, and GET of one subject."""

    async def reported(self, *reasons: str) -> tuple[Content, list[User]]:
        """A content with a report of each reason, and who reported."""
        made, reporters = await self.content(await self.user()), await self.users(len(reasons))
        for reporter, reason in zip(reporters, reasons, strict=True):
            await self.report(made.path, reporter, reason)
        return made, reporters

    async def order(self, *of: Content, more: str = "") -> list[str]:
        """The ids of these in the order of the queue."""
        pages = await self.pages(f"{QUEUE}?limit=200{more}", [QUEUED], by=await self.admin())
        ids = [one["subject"]["id"] for page in pages for one in page]
        self.assertEqual(len(set(ids)), len(ids))
        return [id for id in ids if id in [one.id for one in of]]

    async def test_subject(self):
        """extensions §7: {subject, reports, reasons, first, last, upTo} of the open reports."""
        made, _ = await self.reported("spam", "abuse", "spam")
        found = await self.queued("content", made.id)
        assert found is not None
        self.assertEqual({"kind": "content", "id": made.id}, found["subject"])
        self.assertEqual((3, {"spam": 2, "abuse": 1}), (found["reports"], found["reasons"]))
        got = await self.reports("content", made.id)
        self.assertEqual((got[2]["created"], got[0]["created"]), (found["first"], found["last"]))
        self.assertEqual(got[0]["id"], found["upTo"])

    async def test_most_reporters_first(self):
        """extensions §7: the subject with the most reporters is first, however often each
        reported."""
        one, (again,) = await self.reported("spam")
        three, _ = await self.reported(*["spam"] * 3)
        two, _ = await self.reported(*["spam"] * 2)
        for _ in range(4):
            await self.report(one.path, again)
        self.assertEqual([three.id, two.id, one.id], await self.order(one, two, three))

    async def test_kinds(self):
        """extensions §7: query `kind` leaves subjects of one kind."""
        made, (reporter,) = await self.reported("spam")
        comment = await self.comment(made, made.author)
        await self.report(comment, reporter)
        await self.report(f"user/{made.author.id}", reporter)
        subjects = [
            ("content", made.id),
            ("comment", comment.rpartition("/")[2]),
            ("user", made.author.id),
        ]
        for kind, id in subjects:
            for asked in ("content", "comment", "user"):
                found = await self.queued(kind, id, kind=asked)
                self.assertEqual(kind == asked, found is not None, (kind, asked))

    async def test_reason(self):
        """extensions §7: query `reason` leaves subjects with open reports of it."""
        made, reporters = await self.reported("spam", "violence")
        for reason, there in (("spam", True), ("violence", True), ("sexual", False)):
            found = await self.queued("content", made.id, reason=reason)
            self.assertEqual(there, found is not None, reason)
        found = await self.queued("content", made.id, reason="spam", kind="content")
        self.assertIsNotNone(found)
        self.assertIsNone(await self.queued("content", made.id, reason="spam", kind="user"))
        await self.report(made.path, reporters[1], "sexual")
        self.assertIsNone(await self.queued("content", made.id, reason="violence"))
        self.assertIsNotNone(await self.queued("content", made.id, reason="sexual"))

    async def test_pages(self):
        """extensions: limit and after; together the whole queue."""
        made = [(await self.reported("other"))[0] for _ in range(3)]
        whole = await self.order(*made)
        path = f"{QUEUE}?limit=1&kind=content&reason=other"
        pages, at = [], path
        for _ in range(200):
            response = await self.get(at, by=await self.admin(), expect=200)
            self.shape(response.json(), [QUEUED])
            pages += response.json()
            link = response.header("Link")
            if link is None:
                break
            at = link.partition(">")[0].removeprefix("<")
        ids = [one["subject"]["id"] for one in pages]
        self.assertEqual(whole, [id for id in ids if id in whole])

    async def test_one_subject(self):
        """extensions §7: GET of a subject lists all its reports, newest first, those that are
        closed too."""
        made, reporters = await self.reported("spam", "abuse", "spam")
        await self.judge("content", made.id, "dismissed")
        later = await self.user()
        await self.report(made.path, later)
        expected = [(later.id, "open"), *((one.id, "dismissed") for one in reversed(reporters))]
        got = await self.reports("content", made.id)
        self.assertEqual(expected, [(one["reporter"], one["state"]) for one in got])
        path = f"{QUEUE}/content/{made.id}?limit=3"
        pages = await self.pages(path, [REPORT], by=await self.admin())
        self.assertEqual([got[:3], got[3:]], pages)

    async def test_never_reported(self):
        """extensions §7: what was never reported is 404 report_not_found, whether it exists or
        not."""
        admin, made = await self.admin(), await self.content(await self.user())
        comment = await self.remark(made, made.author)
        for at in (
            f"content/{made.id}",
            f"content/{guid()}",
            f"comment/{comment}",
            "comment/987654321",
            f"user/{made.author.id}",
        ):
            self.problem(await self.get(f"{QUEUE}/{at}", by=admin), 404, "report_not_found")
            body = {"outcome": "upheld", "upTo": guid()}
            self.problem(await self.put(f"{QUEUE}/{at}", body, by=admin), (400, 404))

    async def test_another_kind(self):
        """extensions §7: a subject is kind and id together."""
        made, _ = await self.reported("spam")
        admin = await self.admin()
        response = await self.get(f"{QUEUE}/user/{made.id}", by=admin)
        self.problem(response, 404, "report_not_found")
        for at in (f"file/{made.id}", f"content/{name()}", "comment/x", f"comment/{made.id}"):
            self.problem(await self.get(f"{QUEUE}/{at}", by=admin), (400, 404))

    async def test_many(self):
        """extensions §7: many reports of one subject are counted, listed and closed, and each
        reporter is told once."""
        made = await self.content(await self.user())
        reporters: list[User] = []
        for _ in range(4):
            some = await self.users(30)
            await self.together(*(self.report(made.path, one) for one in some))
            reporters += some
        found = await self.queued("content", made.id)
        assert found is not None
        self.assertEqual((120, {"spam": 120}), (found["reports"], found["reasons"]))
        path = f"{QUEUE}/content/{made.id}"
        pages = await self.pages(path, [REPORT], by=await self.admin())
        self.assertEqual([50, 50, 20], [len(page) for page in pages])
        got = [one["reporter"] for page in pages for one in page]
        self.assertCountEqual([user.id for user in reporters], got)
        await self.judge("content", made.id, "upheld")
        self.assertIsNone(await self.queued("content", made.id))
        for user in reporters[::17]:
            socket = await self.socket(user, resume=0)
            got = (await self.pushed(socket))["notification"]
            self.assertEqual(("ReportResolved", "upheld"), (got["kind"], got["outcome"]))
            await socket.quiet()
