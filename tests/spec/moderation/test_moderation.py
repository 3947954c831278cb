"""The queue of reports, and what admins decide about it: moderation#moderation."""

from tests.spec.data import User, guid
from tests.spec.moderation.support import ReportingCase
from tests.spec.shapes import COMMENT, CONTENT, QUEUED, REPORT, USER_INFO


class QueueTests(ReportingCase):
    async def test_counts(self):
        """A subject shows how many reports are open, also by reason, the times of the first and the
        last, when the first is due, and the last one's id."""
        made = await self.castle()
        for reason in ("spam", "abuse", "spam"):
            await self.report(made.path, await self.user(), reason)
        listed = await self.reports("content", made.id)
        expected = {
            "subject": {"kind": "content", "id": made.id},
            "reports": 3,
            "notices": 0,
            "reasons": {"spam": 2, "abuse": 1},
            "first": listed[-1]["created"],
            "last": listed[0]["created"],
            "due": listed[-1]["created"] + 72 * 3600,
            "upTo": listed[0]["id"],
            "author": await self.read(f"user/{made.author.id}/info", USER_INFO),
            "excerpt": made.sent["name"],
            "thumbnailUri": made.sent["screenshotUris"][0],
        }
        self.assertEqual(await self.queued("content", made.id), expected)

    async def test_kinds(self):
        """`kind` leaves out the others."""
        _, subjects = await self.subjects()
        ann = await self.user()
        for path, *_ in subjects:
            await self.report(path, ann)
        for _, kind, id in subjects:
            for asked in ("content", "comment", "user"):
                found = await self.queued(kind, id, kind=asked)
                self.assertEqual(kind == asked, found is not None, (kind, asked))

    async def test_reason(self):
        """`reason` leaves out what has no open report of it; the counts are still of all."""
        ann, ben, cat = await self.users(3)
        await self.report(f"user/{ben.id}", ann, "abuse")
        await self.report(f"user/{ben.id}", cat, "cheating")
        for query, there in (
            ({"reason": "cheating"}, True),
            ({"reason": "sexual"}, False),
            ({"kind": "user", "reason": "abuse"}, True),
            ({"kind": "comment", "reason": "abuse"}, False),
        ):
            found = await self.queued("user", ben.id, **query)
            self.assertEqual(found is not None, there, query)
            if found is not None:
                self.assertEqual(found["reports"], 2)
        await self.report(f"user/{ben.id}", cat, "sexual")
        for reason, there in (("cheating", False), ("sexual", True)):
            found = await self.queued("user", ben.id, reason=reason)
            self.assertEqual(found is not None, there, reason)

    async def test_order(self):
        """What most users have reported comes first, however often each did, over all parts."""
        made = [await self.castle() for _ in range(3)]
        again = await self.user()
        for n, content in enumerate(made, 1):
            for user in [again, *await self.users(2)][:n]:
                await self.report(content.path, user, "violence")
        for n in range(4):
            await self.report(made[0].path, again, "violence", text=f"{n}")
        by, ids = await self.admin(), [content.id for content in made]
        path = "moderation/reports?reason=violence"
        response = await self.get(f"{path}&limit=200", by=by)
        counts = [each["reports"] for each in response.json()]
        self.assertEqual(counts, sorted(counts, reverse=True))
        for limit in (200, len(counts) // 2):
            parts = await self.pages(f"{path}&limit={limit}", [QUEUED], by=by)
            found = [each["subject"]["id"] for part in parts for each in part]
            self.assertEqual(ids[::-1], [id for id in found if id in ids])

    async def test_query(self):
        """Other kinds and reasons, limits beyond 200 and foreign cursors are 400."""
        by = await self.admin()
        for name, value in (
            ("kind", "challenge"),
            ("reason", "boring"),
            ("limit", "0"),
            ("limit", "201"),
            ("after", "17"),
            ("after", "A" * 22),
        ):
            response = await self.get("moderation/reports", query={name: value}, by=by)
            self.invalid_query(response, name)

    async def test_cursor_of_another(self):
        """A cursor is good for the filters that it was made with."""
        by = await self.admin()
        for _ in range(2):
            await self.report((await self.castle()).path, await self.user(), "sexual")
        response = await self.get("moderation/reports?limit=1&reason=sexual", by=by, expect=200)
        link = response.header("Link") or ""
        after = link.partition("after=")[2].partition(">")[0]
        for reason, good in (("sexual", True), ("spam", False)):
            query = {"limit": "1", "reason": reason, "after": after}
            response = await self.get("moderation/reports", query=query, by=by)
            if good:
                self.assertEqual(200, response.status)
            else:
                self.invalid_query(response, "after")


class ShownTests(ReportingCase):
    """What the queue shows of a subject: who has made it, and what it shows now."""

    async def shown(self, kind: str, id: object) -> tuple[str | None, str | None, str | None]:
        """The author's id, the excerpt and the thumbnail."""
        found = await self.queued(kind, id, kind=kind)
        assert found is not None
        author = found["author"]
        return author and author["id"], found["excerpt"], found["thumbnailUri"]

    async def reported(self, path: str) -> None:
        """Report what has this path, as somebody new."""
        await self.report(path, await self.user())

    async def leave(self, user: User) -> None:
        """Delete the account of a user."""
        body = {"password": user.password}
        await self.delete(f"user/{user.id}", body=body, by=user, expect=204)

    async def test_content(self):
        """Of content it is the name and the first picture, as they are now, also while it is
        suspended or withdrawn; nothing once its author has left."""
        made = await self.castle()
        await self.reported(made.path)
        sent = {"description": "", "screenshotUris": ["shots/new.png"]}
        await self.put(made.path, sent, by=made.author, expect=204)
        expected = (made.author.id, made.sent["name"], "shots/new.png")
        self.assertEqual(expected, await self.shown("content", made.id))
        await self.moderate(made, "suspended")
        self.assertEqual(expected, await self.shown("content", made.id))
        await self.delete(made.path, by=made.author, expect=204)
        self.assertEqual(expected, await self.shown("content", made.id))
        await self.leave(made.author)
        self.assertEqual((None, None, None), await self.shown("content", made.id))

    async def test_comment(self):
        """Of a comment it is the beginning of its text, 200 characters, and nothing of a
        tombstone."""
        writer = await self.user()
        path = await self.comment(await self.castle(), writer, "é😀" * 150)
        number = path.rpartition("/")[2]
        await self.reported(path)
        self.assertEqual((writer.id, "é😀" * 100, None), await self.shown("comment", number))
        await self.amend(path, {"body": "mended"}, by=writer, expect=204)
        self.assertEqual((writer.id, "mended", None), await self.shown("comment", number))
        await self.delete(path, by=writer, expect=204)
        self.assertEqual((writer.id, None, None), await self.shown("comment", number))
        await self.leave(writer)
        self.assertEqual((None, None, None), await self.shown("comment", number))

    async def test_user(self):
        """Of a user it is the public profile and the avatar; the full profile is in nothing."""
        user = await self.user()
        await self.reported(f"user/{user.id}")
        self.assertEqual((user.id, None, None), await self.shown("user", user.id))
        profiles = {"fullProfile": {"profile": "secret"}, "publicProfile": {"profile": "p" * 201}}
        sent = {"avatar": "avatars/me.png", "emblem": None, **profiles}
        await self.put(f"user/{user.id}", sent, by=user, expect=204)
        self.assertEqual((user.id, "p" * 200, "avatars/me.png"), await self.shown("user", user.id))
        found = await self.queued("user", user.id)
        self.assertNotIn("secret", str(found))
        await self.leave(user)
        self.assertEqual((None, None, None), await self.shown("user", user.id))

    async def test_collection(self):
        """Of a collection it is the name while it is public, and nothing once it is gone."""
        owner, id = await self.user(), guid()
        path = f"user/{owner.id}/collections/{id}"
        body = {"name": "Castles", "public": True}
        await self.put(path, body, by=owner)
        await self.reported(f"collections/{id}")
        self.assertEqual((owner.id, "Castles", None), await self.shown("collection", id))
        await self.put(path, body | {"public": False}, by=owner)
        self.assertEqual((owner.id, None, None), await self.shown("collection", id))
        await self.delete(path, by=owner, expect=204)
        self.assertEqual((None, None, None), await self.shown("collection", id))

    async def test_blocked(self):
        """A block between the moderator and the author changes nothing."""
        made, boss = await self.castle(), await self.member("moderator")
        await self.reported(made.path)
        path = f"user/{made.author.id}/blocked/{boss.id}"
        await self.put(path, by=made.author, expect=204)
        parts = await self.pages("moderation/reports?limit=200", [QUEUED], by=boss)
        (found,) = [one for part in parts for one in part if one["subject"]["id"] == made.id]
        self.assertEqual(made.author.id, found["author"]["id"])


class ListTests(ReportingCase):
    async def test_newest_first(self):
        """The reports of a subject come newest first, those that are closed too, also in parts."""
        made, users = await self.castle(), await self.users(4)
        for user in users[:3]:
            await self.report(made.path, user)
        await self.judge("content", made.id, "dismissed")
        await self.report(made.path, users[3])
        found = await self.reports("content", made.id)
        expected = [(users[3].id, "open"), *((user.id, "dismissed") for user in users[2::-1])]
        self.assertEqual(expected, [(each["reporter"], each["state"]) for each in found])
        path = f"moderation/reports/content/{made.id}?limit=3"
        parts = await self.pages(path, [REPORT], by=await self.admin())
        self.assertEqual([found[:3], found[3:]], parts)

    async def test_any_case(self):
        """The id may be in upper case, to report it too."""
        made, ann = await self.castle(), await self.user()
        await self.report(f"content/{made.id.upper()}", ann)
        for id in (made.id, made.id.upper()):
            self.assertEqual(ann.id, (await self.one("content", id))["reporter"])

    async def test_many(self):
        """Many reports of one subject are counted, listed and closed, and each reporter is told
        once."""
        made, users = await self.castle(), await self.users(101)
        await self.together(*(self.report(made.path, user) for user in users))
        found = await self.queued("content", made.id)
        self.assertEqual((101, {"spam": 101}), (found["reports"], found["reasons"]))
        path = f"moderation/reports/content/{made.id}"
        parts = await self.pages(path, [REPORT], by=await self.admin())
        self.assertEqual([50, 50, 1], [len(part) for part in parts])
        reporters = [each["reporter"] for part in parts for each in part]
        self.assertCountEqual([user.id for user in users], reporters)
        await self.judge("content", made.id)
        self.assertIsNone(await self.queued("content", made.id))
        by_id = {user.id: user for user in users}
        for id in reporters[::20]:
            self.assertEqual(["upheld"], await self.resolved(by_id[id], 1))

    async def test_never_reported(self):
        """What was never reported is 404, to read and to decide; so is what cannot be, and the id
        of a subject of another kind."""
        (user, subjects), by = await self.subjects(), await self.admin()
        reported = await self.castle()
        await self.report(reported.path, user)
        for subject in (
            *(f"{kind}/{id}" for _, kind, id in subjects),
            *(f"user/{guid()}", "comment/7000000000", "content/x", "comment/x"),
            *(f"challenge/{guid()}", f"user/{reported.id}", f"comment/{reported.id}"),
        ):
            path = f"moderation/reports/{subject}"
            self.problem(await self.get(path, by=by), 404, "report_not_found")
            body = {"outcome": "upheld", "upTo": guid()}
            self.problem(await self.put(path, body, by=by), 404, "report_not_found")


class DecisionTests(ReportingCase):
    async def test_decided(self):
        """A decision closes what is open, takes it out of the queue, and is told to each reporter,
        not to the author."""
        for outcome in ("upheld", "dismissed"):
            made, users = await self.castle(), await self.users(3)
            for user in users:
                await self.report(made.path, user)
            upto = (await self.queued("content", made.id))["upTo"]
            await self.decide("content", made.id, upto, outcome, note="seen")
            self.assertIsNone(await self.queued("content", made.id))
            self.assertEqual([outcome] * 3, await self.states("content", made.id))
            for user in users:
                self.assertEqual([outcome], await self.resolved(user, 1))
                (found,) = await self.notifications(user)
                self.assertEqual({"kind": "content", "id": made.id}, found["subject"])
            self.assertEqual([], await self.notifications(made.author))

    async def test_subjects(self):
        """What is told names the subject, and of a comment its content; the subject stays as it
        is."""
        _, subjects = await self.subjects()
        ann, home = await self.user(), subjects[0][2]
        for (path, kind, id), shape in zip(subjects, (CONTENT, COMMENT, USER_INFO), strict=True):
            place = path if kind != "user" else f"{path}/info"
            before = await self.read(place, shape)
            await self.report(path, ann)
            await self.judge(kind, id)
            self.assertIsNone(await self.queued(kind, id))
            self.assertEqual(before, await self.read(place, shape))
        await self.resolved(ann, 3)
        told = [each["subject"] for each in await self.notifications(ann)]
        more = {"comment": {"content": home}}
        expected = [{"kind": kind, "id": id, **more.get(kind, {})} for _, kind, id in subjects]
        self.assertCountEqual(expected, told)

    async def test_up_to(self):
        """Only the reports up to the named one are closed; the others stay open."""
        made, users = await self.castle(), await self.users(3)
        for user in users:
            await self.report(made.path, user)
        ids = [each["id"] for each in await self.reports("content", made.id)]
        await self.decide("content", made.id, ids[1], "dismissed")
        states = ["open", "dismissed", "dismissed"]
        self.assertEqual(states, await self.states("content", made.id))
        found = await self.queued("content", made.id)
        self.assertEqual((found["reports"], found["upTo"]), (1, ids[0]))
        for user in users[:2]:
            self.assertEqual(await self.resolved(user, 1), ["dismissed"])
        self.assertEqual([], await self.notifications(users[2]))
        await self.decide("content", made.id, ids[0], "upheld")
        self.assertEqual(["upheld", *states[1:]], await self.states("content", made.id))
        self.assertEqual(await self.resolved(users[2], 1), ["upheld"])

    async def test_repeated(self):
        """Where nothing is open a decision is 204, changes nothing and tells nobody. After
        `upheld` the same user may report again."""
        made, ann = await self.castle(), await self.user()
        await self.report(made.path, ann)
        report = await self.one("content", made.id)
        for outcome in ("upheld", "upheld", "dismissed"):
            await self.decide("content", made.id, report["id"], outcome)
        self.assertEqual(["upheld"], await self.states("content", made.id))
        self.assertEqual(["upheld"], await self.resolved(ann, 1))
        await self.report(made.path, ann, "abuse")
        found = await self.queued("content", made.id)
        self.assertEqual((1, {"abuse": 1}), (found["reports"], found["reasons"]))
        await self.judge("content", made.id, "dismissed")
        self.assertEqual(["dismissed", "upheld"], await self.states("content", made.id))
        self.assertEqual(await self.resolved(ann, 2), ["upheld", "dismissed"])

    async def test_replaced_meanwhile(self):
        """The id of a report that was replaced meanwhile is taken, again and again, and leaves the
        new one open, and one that replaced an older one."""
        made, ann, ben, cat = await self.castle(), *await self.users(3)
        for user in (ben, cat, ann):
            await self.report(made.path, user)
        seen = (await self.queued("content", made.id))["upTo"]
        for user in (ann, cat):
            await self.report(made.path, user, "abuse")
        for _ in range(2):
            await self.decide("content", made.id, seen)
            found = await self.reports("content", made.id)
            self.assertEqual(
                [(each["reporter"], each["state"]) for each in found],
                [(cat.id, "open"), (ann.id, "open"), (ben.id, "upheld")],
            )
        self.assertEqual(["upheld"], await self.resolved(ben, 1))
        for user in (ann, cat):
            self.assertEqual([], await self.notifications(user))

    async def test_unknown_report(self):
        """An id that is no report of this subject is 404, and changes nothing."""
        made, other, ann = await self.castle(), await self.castle(), await self.user()
        for content in (made, other):
            await self.report(content.path, ann)
        foreign = (await self.one("content", other.id))["id"]
        for upto in (guid(), foreign):
            response = await self.decide("content", made.id, upto, expect=404)
            self.problem(response, 404, "report_not_found")
        self.assertEqual((await self.one("content", made.id))["state"], "open")

    async def test_dismissed(self):
        """After a dismissal the same user's report is 204 and opens nothing; another user's does,
        and so does the same user's of another subject."""
        made, ann, ben = await self.castle(), await self.user(), await self.user()
        await self.report(made.path, ann)
        report = await self.one("content", made.id)
        await self.decide("content", made.id, report["id"], "dismissed")
        await self.report(made.path, ann, "abuse", text="again")
        self.assertIsNone(await self.queued("content", made.id))
        await self.report(f"user/{made.author.id}", ann)
        await self.report(made.path, ben)
        found = await self.reports("content", made.id)
        self.assertEqual([each["reporter"] for each in found], [ben.id, ann.id])

    async def test_refused_after_a_dismissal(self):
        """After a dismissal what is not valid is still 400, and what is not there 404."""
        made, ann = await self.castle(), await self.user()
        await self.report(made.path, ann)
        await self.judge("content", made.id, "dismissed")
        self.invalid(await self.report(made.path, ann, "x", expect=400), "/reason")
        await self.moderate(made, "suspended")
        self.problem(await self.report(made.path, ann, expect=404), 404, "content_not_found")
        self.assertEqual(["dismissed"], await self.states("content", made.id))

    async def test_subject_gone(self):
        """Reports of content and of a comment that are deleted meanwhile stay in the queue and can
        be decided."""
        made, ann, ben = await self.castle(), *await self.users(2)
        comment = await self.comment(made, made.author)
        subjects = [("content", made.id, ann), ("comment", comment.rpartition("/")[2], ben)]
        for path, (*_, user) in zip((made.path, comment), subjects, strict=True):
            await self.report(path, user)
        before = [await self.one(kind, id) for kind, id, _ in subjects]
        for path in (comment, made.path):
            await self.delete(path, by=made.author, expect=204)
        self.assertEqual(before, [await self.one(kind, id) for kind, id, _ in subjects])
        for kind, id, user in subjects:
            upto = (await self.queued(kind, id))["upTo"]
            await self.decide(kind, id, upto)
            self.assertEqual(await self.resolved(user, 1), ["upheld"])

    async def test_at_once(self):
        """Of several decisions at once about one subject, one counts: all reports have its outcome,
        and each reporter hears of it once."""
        made, users = await self.castle(), await self.users(4)
        for user in users:
            await self.report(made.path, user)
        upto = (await self.queued("content", made.id))["upTo"]
        acts = [self.decide("content", made.id, upto, each) for each in ("upheld", "dismissed") * 3]
        await self.together(*acts)
        (outcome,) = set(await self.states("content", made.id))
        for user in users:
            self.assertEqual(await self.resolved(user, 1), [outcome])
