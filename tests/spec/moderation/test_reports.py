"""Reports of content, comments and users: moderation#reports."""

from tests.spec.data import User, guid
from tests.spec.moderation.support import ReportingCase
from tests.spec.shapes import REPORT_REASONS
from tests.spec.social.support import limited, unlimited
from tests.support.sizes import rounds

DAY = 86_400


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
        """A report of a comment keeps its text, author and content, also when it is changed and
        deleted meanwhile."""
        made, ben = await self.castle(), await self.user()
        path = await self.comment(made, ben, "rude words")
        await self.report(path, made.author, "abuse")
        number = path.rpartition("/")[2]
        before = await self.one("comment", number)
        await self.amend(path, {"body": "kind words"}, by=ben, expect=204)
        self.assertEqual(before, await self.one("comment", number))
        await self.delete(path, by=ben, expect=204)
        self.assertEqual(before, await self.one("comment", number))
        evidence = before["evidence"]
        self.assertEqual((evidence["authorId"], evidence["body"]), (ben.id, "rude words"))
        self.assertIs(evidence["deleted"], False)
        self.assertEqual(evidence["contentId"], made.id)
        found = await self.queued("comment", number)
        subject = {"kind": "comment", "id": number, "content": made.id}
        self.assertEqual(found["subject"], subject)

    async def test_user(self):
        """A report of a user keeps the name and the public profile, also when that is changed
        meanwhile, below /methods/v1 too."""
        ben = await self.user()
        update = {"avatar": "a.png", "emblem": None, "fullProfile": {"profile": "secret"}}
        update["publicProfile"] = {"profile": "I cheat"}
        await self.put(f"user/{ben.id}", update, by=ben, expect=204)
        await self.report(f"/methods/v1/user/{ben.id}", await self.user(), "cheating")
        cleaned = {"avatar": None, "emblem": None, "fullProfile": {}, "publicProfile": {}}
        await self.put(f"user/{ben.id}", cleaned, by=ben, expect=204)
        found = (await self.one("user", ben.id))["evidence"]
        expected = {"username": ben.username, "avatar": "a.png", "emblem": None}
        self.assertEqual(found, {**expected, "profile": "I cheat"})

    async def test_told(self):
        """Neither the reported user nor the reporter is told; the subject is in the queue."""
        user, subjects = await self.subjects()
        ann = await self.user()
        for path, kind, id in subjects:
            await self.report(path, ann, "abuse", text="See for yourself ✓")
            found, listed = await self.queued(kind, id), await self.one(kind, id)
            self.assertEqual((1, {"abuse": 1}), (found["reports"], found["reasons"]))
            self.assertEqual((listed["id"], "open"), (found["upTo"], listed["state"]))
            expected = {"reporter": ann.id, "reason": "abuse", "text": "See for yourself ✓"}
            self.assertEqual(expected, {member: listed[member] for member in expected})
        for each in (user, ann):
            self.assertEqual([], await self.notifications(each))

    async def test_reasons(self):
        """Each reason is taken, of each kind of subject; the text may be missing, and has up to
        4,096 characters."""
        _, subjects = await self.subjects()
        ann, long = await self.user(), "🏰" * 4096
        for path, kind, id in subjects:
            for reason in sorted(REPORT_REASONS):
                await self.report(path, ann, reason)
                found = await self.one(kind, id)
                self.assertEqual((reason, ""), (found["reason"], found["text"]))
            await self.report(path, ann, text=long)
            self.assertEqual(long, (await self.one(kind, id))["text"])

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

    async def test_amid_a_deletion(self):
        """A report at the same time as the deletion is kept whole or refused."""
        for _ in range(5):
            made, ann = await self.castle(), await self.user()
            response, _ = await self.together(
                self.report(made.path, ann, expect=None),
                self.delete(made.path, by=made.author, expect=204),
            )
            if response.status == 204:
                evidence = (await self.one("content", made.id))["evidence"]
                self.assertEqual(made.sent["name"], evidence["name"])
            else:
                self.problem(response, 404, "content_not_found")

    async def test_own(self):
        """One's own content and comments, and oneself, are 422, after 400; nothing is filed."""
        user, subjects = await self.subjects()
        for path, kind, id in subjects:
            response = await self.report(path, user, expect=422)
            self.problem(response, 422, "cannot_report_self")
            self.invalid(await self.post(f"{path}/report", {}, by=user), "/reason")
            self.assertIsNone(await self.queued(kind, id))

    async def test_others_on_own(self):
        """Somebody else's comment on one's own content can be reported."""
        made, writer = await self.castle(), await self.user()
        path = await self.comment(made, writer)
        await self.report(path, made.author)
        await self.report(path, writer, expect=422)
        found = await self.one("comment", path.rpartition("/")[2])
        self.assertEqual(made.author.id, found["reporter"])

    async def written(self, *texts: str) -> tuple[User, User, list[str]]:
        """A reporter, one who has written them these messages, and the ids of these."""
        ann, ben = await self.users(2)
        await self.befriend(ann, ben)
        return ann, ben, [await self.wrote(ben, ann, text, id=guid()) for text in texts]

    async def test_unknown_message(self):
        """A message that the user has not sent to the caller is 422, and is named; nothing is
        filed: one's own, one from another, one to another, none at all."""
        ann, ben, (good,) = await self.written("good")
        third = await self.user()
        for user in (ann, ben):
            await self.befriend(third, user)
        for bad in (
            await self.wrote(ann, ben),
            await self.wrote(third, ann),
            await self.wrote(ben, third),
            guid(),
        ):
            for messages in ([bad.upper()], [good, bad]):
                response = await self.report(f"user/{ben.id}", ann, messages=messages, expect=422)
                found = self.problem(response, 422, "unknown_message")
                self.assertEqual(found["messages"], [bad])
        path = f"moderation/reports/user/{ben.id}"
        response = await self.get(path, by=await self.admin())
        self.problem(response, 404, "report_not_found")

    async def test_messages(self):
        """A report of a user keeps the messages that it names, oldest first, also after a block;
        one's own are unknown, also under the same id."""
        ann, ben, ids = await self.written("one", "two", "three")
        await self.part(ann, ben)
        await self.block(ann, ben)
        await self.report(f"user/{ben.id}", ann, "abuse", messages=[ids[2].upper(), ids[0]])
        kept = (await self.one("user", ben.id))["evidence"]["messages"]
        self.assertEqual(
            [(each["id"], each["text"]) for each in kept], [(ids[0], "one"), (ids[2], "three")]
        )
        response = await self.report(f"user/{ann.id}", ben, messages=[ids[0]], expect=422)
        self.problem(response, 422, "unknown_message")

    async def test_twenty_messages(self):
        """It may name twenty, and keeps each."""
        texts = [f"m{n}" for n in range(20)]
        ann, ben, ids = await self.written(*texts)
        for messages in ([*ids, ids[0]], ["x"]):
            response = await self.report(f"user/{ben.id}", ann, messages=messages, expect=400)
            self.problem(response, 400, "invalid_body")
        await self.report(f"user/{ben.id}", ann, messages=ids)
        kept = (await self.one("user", ben.id))["evidence"]["messages"]
        self.assertEqual(texts, [each["text"] for each in kept])

    async def test_other_messages(self):
        """After a dismissal a report of messages that it did not name opens one, of the same
        none."""
        ann, ben, (one, two) = await self.written("one", "two")
        await self.report(f"user/{ben.id}", ann, messages=[one])
        await self.judge("user", ben.id, "dismissed")
        await self.report(f"user/{ben.id}", ann, "abuse", messages=[one])
        self.assertEqual(["dismissed"], await self.states("user", ben.id))
        await self.report(f"user/{ben.id}", ann, messages=[two])
        self.assertEqual(["open", "dismissed"], await self.states("user", ben.id))

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
        _, subjects = await self.subjects()
        ann, ben = await self.users(2)
        for path, kind, id in subjects:
            await self.report(path, ann, "spam", text="one")
            first = await self.one(kind, id)
            await self.report(path, ben, "abuse")
            await self.report(path, ann, "cheating", text="two")
            newest, older = await self.reports(kind, id)
            self.assertNotIn(first["id"], (newest["id"], older["id"]))
            expected = {"reporter": ann.id, "reason": "cheating", "text": "two"}
            self.assertEqual(expected, {member: newest[member] for member in expected})
            self.assertEqual(ben.id, older["reporter"])
            found = await self.queued(kind, id)
            self.assertEqual((2, {"abuse": 1, "cheating": 1}), (found["reports"], found["reasons"]))
            self.assertEqual(newest["id"], found["upTo"])

    async def test_repeated(self):
        """The same report again replaces the first too, under a new id, with the text of the
        subject as it is then. The first id goes on working as `upTo`."""
        user, subjects = await self.subjects()
        ann = await self.user()
        for path, kind, id in subjects:
            found = []
            for _ in range(2):
                await self.report(path, ann, text="x")
                found.append(await self.one(kind, id))
            first, second = found
            self.assertNotEqual(first["id"], second["id"])
            members = ("reporter", "reason", "text", "evidence", "state")
            self.assertEqual(*([each[member] for member in members] for each in found))
            await self.decide(kind, id, first["id"], "upheld")
            queued = await self.queued(kind, id)
            self.assertEqual((queued["upTo"], queued["reports"]), (second["id"], 1))
        path, kind, id = subjects[0]
        update = {"description": "changed", "screenshotUris": ["b.png"]}
        await self.put(path, update, by=user, expect=204)
        await self.report(path, ann, text="x")
        self.assertEqual((await self.one(kind, id))["evidence"]["description"], "changed")

    async def test_at_once(self):
        """Of reports at the same time, each reporter has one that is open."""
        _, subjects = await self.subjects()
        reporters = await self.users(3)
        for path, kind, id in subjects:
            await self.together(*(self.report(path, one) for one in reporters * 3))
            found = await self.queued(kind, id)
            self.assertEqual((3, {"spam": 3}), (found["reports"], found["reasons"]))
            got = [one["reporter"] for one in await self.reports(kind, id)]
            self.assertCountEqual([one.id for one in reporters], got)

    async def test_admin(self):
        """Admins can report what others do, also where it is hidden."""
        made = await self.castle()
        await self.moderate(made, "suspended")
        await self.report(made.path, await self.admin())
        self.assertEqual((await self.queued("content", made.id))["reports"], 1)


class DefaultLimitTests(ReportingCase):
    """As it is without further ado."""

    async def test_fifty(self):
        """The 51st report of a day is 429, of whatever it is; replacements count for their day."""
        _, subjects = await self.subjects()
        ann = await self.user()
        for n in range(50):
            await self.report(subjects[n % 3][0], ann, text=f"{n}")
        for path, *_ in subjects:
            response = await self.report(path, ann, expect=429)
            self.problem(response, 429, "too_many_requests")
            self.assertTrue(DAY - 60 < int(response.header("Retry-After") or 0) <= DAY)


class NoLimitTests(ReportingCase):
    """With a limit of 0."""

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await unlimited())

    async def test_none(self):
        """0 is for no limit."""
        made, ann = await self.castle(), await self.user()
        for n in range(52):
            await self.report(made.path, ann, text=f"{n}")


class LimitTests(ReportingCase):
    """With a lower limit, and two processes."""

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await limited())

    async def test_thousand(self):
        """A thousand users report one content at once, and nobody is refused; 200 in a quick
        run."""
        made, ann = await self.castle(), await self.user()
        tokens = [self.forge(ann, sub=guid()) for _ in range(rounds(200, 1000, 1000))]
        path, body = f"{made.path}/report", {"reason": "spam"}
        got = await self.together(*(self.post(path, body, by=token) for token in tokens))
        self.assertEqual({each.status for each in got}, {204})
        self.assertEqual((await self.queued("content", made.id))["reports"], len(tokens))

    async def test_limit(self):
        """Beyond the limit a report is 429 with Retry-After. Repeats, refusals and what is
        dismissed do not count and go on; replacements count."""
        made, ann = await self.castle(), await self.user()
        await self.report(made.path, ann)
        await self.report(made.path, ann)
        refused = (
            (f"user/{ann.id}", {}, 422),
            (f"user/{guid()}", {}, 404),
            (made.path, {"text": 7}, 400),
            (f"user/{made.author.id}", {"messages": [guid()]}, 422),
        )
        for path, body, status in refused:
            await self.report(path, ann, expect=status, **body)
        await self.report(made.path, ann, "abuse")
        response = await self.report(f"user/{made.author.id}", ann, expect=429)
        self.problem(response, 429, "too_many_requests")
        self.assertTrue(86_000 < int(response.header("Retry-After") or 0) <= 86_400)
        await self.report(made.path, ann, "other", expect=429)
        before = await self.one("content", made.id)
        await self.report(made.path, ann, "abuse")
        self.assertNotEqual((await self.one("content", made.id))["id"], before["id"])
        for path, body, status in refused:
            await self.report(path, ann, expect=status, **body)
        self.assertIsNone(await self.queued("user", made.author.id))
        report = await self.one("content", made.id)
        await self.decide("content", made.id, report["id"], "dismissed")
        await self.report(made.path, ann, "other")

    async def test_at_once(self):
        """However many reports come at once, at whatever process, the limit holds."""
        made, *others = await self.castle(), *await self.users(5)
        ann, body = await self.user(), {"reason": "spam"}
        paths = [f"{at}/report" for at in (made.path, *(f"user/{one.id}" for one in others))]
        got = await self.together(*(self.apart("POST", path, ann, body) for path in paths))
        self.assertEqual([204] * 2 + [429] * 4, sorted(response.status for response in got))
