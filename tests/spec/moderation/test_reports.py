"""Reports of content, comments and users: extensions §7."""

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.data import guid
from tests.spec.moderation.support import ReportingCase
from tests.support.daemon import Daemon, shared

REASONS = ("spam", "abuse", "sexual", "violence", "copyright", "cheating", "other")


class ReportTests(ReportingCase):
    async def test_content(self):
        """A report of content keeps its name, description and tags as they were."""
        made, ann = await self.castle(), await self.user()
        await self.report(made.path, ann, "copyright", text="mine")
        update = {"description": "changed", "screenshotUris": ["b.png"], "tags": []}
        await self.put(made.path, update, by=made.author, expect=204)
        found = await self.one("content", made.id)
        self.assertEqual(
            (found["reporter"], found["reason"], found["text"], found["state"]),
            (ann.id, "copyright", "mine", "open"),
        )
        evidence = found["evidence"]
        for member in ("name", "description", "screenshotUris", "tags", "type", "revisionId"):
            self.assertEqual(evidence[member], made.sent[member], member)
        self.assertEqual(evidence["authorId"], made.author.id)

    async def test_comment(self):
        """A report of a comment keeps its text, author and content, also when it is deleted
        meanwhile."""
        made, ben = await self.castle(), await self.user()
        path = await self.comment(made, ben, "rude words")
        await self.report(path, made.author, "abuse")
        await self.delete(path, by=ben, expect=204)
        number = path.rpartition("/")[2]
        evidence = (await self.one("comment", number))["evidence"]
        self.assertEqual((evidence["authorId"], evidence["body"]), (ben.id, "rude words"))
        self.assertIs(evidence["deleted"], False)
        self.assertEqual(evidence["contentId"], made.id)
        found = await self.queued(number)
        subject = {"kind": "comment", "id": number, "content": made.id}
        self.assertEqual(found["subject"], subject)

    async def test_user(self):
        """A report of a user keeps the name and the public profile, below /methods/v1 too."""
        ben = await self.user()
        update = {"avatar": "a.png", "emblem": None, "fullProfile": {"profile": "secret"}}
        update["publicProfile"] = {"profile": "I cheat"}
        await self.put(f"user/{ben.id}", update, by=ben, expect=204)
        await self.report(f"/methods/v1/user/{ben.id}", await self.user(), "cheating")
        found = (await self.one("user", ben.id))["evidence"]
        expected = {"username": ben.username, "avatar": "a.png", "emblem": None}
        self.assertEqual(found, {**expected, "profile": "I cheat"})

    async def test_reasons(self):
        """Each reason is taken; the text may be missing, and has up to 4,096 characters."""
        made = await self.castle()
        for reason in REASONS:
            await self.report(made.path, await self.user(), reason)
        long = "é" * 4096
        await self.report(made.path, await self.user(), text=long)
        found = await self.reports("content", made.id)
        self.assertEqual(found[0]["text"], long)
        self.assertEqual([each["reason"] for each in found[:0:-1]], [*REASONS])
        self.assertEqual({each["text"] for each in found[1:]}, {""})

    async def test_unknown(self):
        """What does not exist is 404: content, users, and comments of other content."""
        made, other, ann = await self.castle(), await self.castle(), await self.user()
        number = (await self.comment(made, made.author)).rpartition("/")[2]
        for path, code in (
            (f"content/{guid()}", "content_not_found"),
            (f"{made.path}/comments/{2**40}", "comment_not_found"),
            (f"{other.path}/comments/{number}", "comment_not_found"),
            (f"user/{guid()}", "user_not_found"),
        ):
            self.problem(await self.report(path, ann, expect=404), 404, code)

    async def test_hidden(self):
        """Content that the caller cannot see is 404, and so are the comments on it; for its author
        it is their own."""
        made, ann = await self.castle(), await self.user()
        comment = await self.comment(made, ann)
        for hide in ("suspended", "deleted"):
            if hide == "suspended":
                await self.moderate(made, "suspended")
            else:
                await self.delete(made.path, by=made.author, expect=204)
            self.problem(await self.report(made.path, ann, expect=404), 404, "content_not_found")
            self.problem(await self.report(comment, ann, expect=404), 404, "comment_not_found")
            response = await self.report(made.path, made.author, expect=422)
            self.problem(response, 422, "cannot_report_self")
            await self.moderate(made, "active")

    async def test_own(self):
        """One's own content and comments, and oneself, are 422."""
        made = await self.castle()
        comment = await self.comment(made, made.author)
        for path in (made.path, comment, f"user/{made.author.id}"):
            response = await self.report(path, made.author, expect=422)
            self.problem(response, 422, "cannot_report_self")

    async def test_others_on_own(self):
        """Somebody else's comment on one's own content can be reported."""
        made = await self.castle()
        await self.report(await self.comment(made, await self.user()), made.author)

    async def test_unknown_message(self):
        """A message that the user has not sent to the caller is 422, and is named; nothing is
        filed."""
        ben, unknown = await self.user(), guid()
        response = await self.report(
            f"user/{ben.id}", await self.user(), messages=[unknown.upper()], expect=422
        )
        found = self.problem(response, 422, "unknown_message")
        self.assertEqual(found["messages"], [unknown])
        path = f"moderation/reports/user/{ben.id}"
        response = await self.get(path, by=await self.admin())
        self.problem(response, 404, "report_not_found")

    async def test_messages(self):
        """A report of a user keeps the messages that it names, oldest first; one's own are unknown,
        also under the same id."""
        ann, ben = await self.user(), await self.user()
        for one, other in ((ann, ben), (ben, ann)):
            await self.put(f"user/{one.id}/friend/{other.id}", by=one, expect=204)
        ids = [guid() for _ in range(3)]
        for id, text in zip(ids, ("one", "two", "three"), strict=True):
            path, body = f"user/{ben.id}/friend/{ann.id}/messages", {"text": text, "id": id}
            await self.post(path, body, by=ben, expect=201)
        await self.delete(f"user/{ann.id}/friend/{ben.id}", by=ann, expect=204)
        await self.put(f"user/{ann.id}/blocked/{ben.id}", by=ann, expect=204)
        await self.report(f"user/{ben.id}", ann, "abuse", messages=[ids[2].upper(), ids[0]])
        kept = (await self.one("user", ben.id))["evidence"]["messages"]
        self.assertEqual(
            [(each["id"], each["text"]) for each in kept], [(ids[0], "one"), (ids[2], "three")]
        )
        response = await self.report(f"user/{ann.id}", ben, messages=[ids[0]], expect=422)
        self.problem(response, 422, "unknown_message")

    async def test_tombstone(self):
        """A deleted comment can be reported; its text is gone."""
        made, ben = await self.castle(), await self.user()
        path = await self.comment(made, ben)
        await self.delete(path, by=ben, expect=204)
        await self.report(path, made.author)
        evidence = (await self.one("comment", path.rpartition("/")[2]))["evidence"]
        self.assertEqual((evidence["deleted"], evidence["body"]), (True, ""))

    async def test_replaced(self):
        """A second report of the same user and subject replaces the first, under a new id."""
        made, ann = await self.castle(), await self.user()
        await self.report(made.path, ann, "spam")
        first = await self.one("content", made.id)
        await self.report(made.path, ann, "abuse", text="worse")
        second = await self.one("content", made.id)
        self.assertNotEqual(first["id"], second["id"])
        self.assertEqual((second["reason"], second["text"]), ("abuse", "worse"))
        found = await self.queued(made.id)
        self.assertEqual((found["reports"], found["reasons"]), (1, {"abuse": 1}))
        self.assertEqual(found["upTo"], second["id"])

    async def test_repeated(self):
        """The same report again replaces the first too, under a new id, with the text of the
        subject as it is then. The first id goes on working as `upTo`."""
        made, ann = await self.castle(), await self.user()
        await self.report(made.path, ann, text="x")
        first = await self.one("content", made.id)
        await self.report(made.path, ann, text="x")
        second = await self.one("content", made.id)
        self.assertNotEqual(first["id"], second["id"])
        members = ("reporter", "reason", "text", "evidence", "state")
        self.assertEqual(*([each[member] for member in members] for each in (first, second)))
        await self.decide("content", made.id, first["id"], "upheld")
        self.assertEqual((await self.queued(made.id))["upTo"], second["id"])
        update = {"description": "changed", "screenshotUris": ["b.png"]}
        await self.put(made.path, update, by=made.author, expect=204)
        await self.report(made.path, ann, text="x")
        third = await self.one("content", made.id)
        self.assertEqual(third["evidence"]["description"], "changed")

    async def test_admin(self):
        """Admins can report what others do, also where it is hidden."""
        made = await self.castle()
        await self.moderate(made, "suspended")
        await self.report(made.path, await self.admin())
        self.assertEqual((await self.queued(made.id))["reports"], 1)


class LimitTests(ReportingCase):
    """With a lower limit, and two processes."""

    async def connect(self) -> None:
        self.own_daemon()
        limits = {"REPORTS_PER_DAY": "2", "WORKERS": "2"}
        self.use(await shared("reports-limits", lambda: Daemon(environ=limits)))

    async def test_thousand(self):
        """A thousand users report one content at once, and nobody is refused."""
        made, ann = await self.castle(), await self.user()
        tokens = [self.forge(ann, sub=guid()) for _ in range(1000)]
        path, body = f"{made.path}/report", {"reason": "spam"}
        sent = [Deferred.fromCoroutine(self.post(path, body, by=token)) for token in tokens]
        statuses = {each.status for each in await gatherResults(sent, consumeErrors=True)}
        self.assertEqual(statuses, {204})
        self.assertEqual((await self.queued(made.id))["reports"], 1000)

    async def test_limit(self):
        """Beyond the limit a report is 429 with Retry-After. Repeats, refusals and what is
        dismissed do not count and go on; replacements count."""
        made, ann = await self.castle(), await self.user()
        await self.report(made.path, ann)
        await self.report(made.path, ann)
        await self.report(f"user/{ann.id}", ann, expect=422)
        await self.report(f"user/{guid()}", ann, expect=404)
        await self.report(made.path, ann, "abuse")
        response = await self.report(f"user/{made.author.id}", ann, expect=429)
        self.problem(response, 429, "too_many_requests")
        self.assertTrue(86_000 < int(response.header("Retry-After") or 0) <= 86_400)
        await self.report(made.path, ann, "other", expect=429)
        before = await self.one("content", made.id)
        await self.report(made.path, ann, "abuse")
        self.assertNotEqual((await self.one("content", made.id))["id"], before["id"])
        await self.report(f"user/{ann.id}", ann, expect=422)
        await self.report(f"user/{guid()}", ann, expect=404)
        report = await self.one("content", made.id)
        await self.decide("content", made.id, report["id"], "dismissed")
        await self.report(made.path, ann, "other")
