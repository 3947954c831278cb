"""The queue of reports, and what admins decide about it: extensions §7."""

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.client import Response
from tests.spec.data import User, guid
from tests.spec.moderation.support import ReportingCase


class QueueTests(ReportingCase):
    async def test_counts(self):
        """A subject shows how many reports are open, also by reason, the times of the first and the
        last, and the last one's id."""
        made = await self.castle()
        for reason in ("spam", "abuse", "spam"):
            await self.report(made.path, await self.user(), reason)
        found, listed = await self.queued(made.id), await self.reports("content", made.id)
        expected = {
            "subject": {"kind": "content", "id": made.id},
            "reports": 3,
            "reasons": {"spam": 2, "abuse": 1},
            "first": listed[-1]["created"],
            "last": listed[0]["created"],
            "upTo": listed[0]["id"],
        }
        self.assertEqual(found, expected)

    async def test_filters(self):
        """`kind` and `reason` leave out the others; the counts are still of all reports."""
        ben = await self.user()
        await self.report(f"user/{ben.id}", await self.user(), "abuse")
        await self.report(f"user/{ben.id}", await self.user(), "cheating")
        for query, there in (
            ({"kind": "user"}, True),
            ({"kind": "content"}, False),
            ({"reason": "cheating"}, True),
            ({"reason": "sexual"}, False),
            ({"kind": "user", "reason": "abuse"}, True),
            ({"kind": "comment", "reason": "abuse"}, False),
        ):
            found = await self.queued(ben.id, **query)
            self.assertEqual(found is not None, there, query)
            if found is not None:
                self.assertEqual(found["reports"], 2)

    async def test_order(self):
        """What most users have reported comes first, over all parts."""
        few, many = await self.castle(), await self.castle()
        for path in (many.path, many.path, few.path):
            await self.report(path, await self.user(), "violence")
        by = await self.admin()
        response = await self.get("moderation/reports?reason=violence&limit=200", by=by)
        counts = [each["reports"] for each in response.json()]
        self.assertEqual(counts, sorted(counts, reverse=True))
        ids = [each["subject"]["id"] for each in response.json()]
        self.assertLess(ids.index(many.id), ids.index(few.id))
        path = f"moderation/reports?reason=violence&limit={len(ids) // 2}"
        parts = await self.pages(path, [dict], by=by)
        self.assertEqual([each["subject"]["id"] for part in parts for each in part], ids)

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


class ListTests(ReportingCase):
    async def test_newest_first(self):
        """The reports of a subject come newest first, also in parts."""
        made, users = await self.castle(), [await self.user() for _ in range(3)]
        for user in users:
            await self.report(made.path, user)
        found = await self.reports("content", made.id)
        self.assertEqual([each["reporter"] for each in found], [user.id for user in users[::-1]])
        path = f"moderation/reports/content/{made.id}?limit=2"
        parts = await self.pages(path, [dict], by=await self.admin())
        self.assertEqual([each for part in parts for each in part], found)
        self.assertEqual([len(part) for part in parts], [2, 1])

    async def test_any_case(self):
        """The id may be in upper case."""
        made = await self.castle()
        await self.report(made.path, await self.user())
        self.assertEqual(len(await self.reports("content", made.id.upper())), 1)

    async def test_never_reported(self):
        """What was never reported is 404, to read and to decide; so is what cannot be."""
        made, by = await self.castle(), await self.admin()
        for subject in (
            *(f"content/{made.id}", f"user/{guid()}", "comment/7000000000", "content/x"),
            *("comment/x", f"challenge/{guid()}"),
        ):
            path = f"moderation/reports/{subject}"
            self.problem(await self.get(path, by=by), 404, "report_not_found")
            body = {"outcome": "upheld", "upTo": guid()}
            self.problem(await self.put(path, body, by=by), 404, "report_not_found")


class DecisionTests(ReportingCase):
    async def resolved(self, user: User, count: int) -> list[str]:
        """The outcomes that a user is told, once there are `count`."""
        socket = await self.socket(user, resume=0)
        found = [(await self.pushed(socket))["notification"] for _ in range(count)]
        await socket.close()
        return [each["outcome"] for each in found if each["kind"] == "ReportResolved"]

    async def test_decided(self):
        """A decision closes what is open, takes it out of the queue, and is told to each reporter;
        the subject stays as it is."""
        made, users = await self.castle(), [await self.user() for _ in range(3)]
        for user in users:
            await self.report(made.path, user)
        upto = (await self.queued(made.id))["upTo"]
        await self.decide("content", made.id, upto, note="seen")
        self.assertIsNone(await self.queued(made.id))
        states = {each["state"] for each in await self.reports("content", made.id)}
        self.assertEqual(states, {"upheld"})
        for user in users:
            self.assertEqual(await self.resolved(user, 1), ["upheld"])
            (found,) = await self.notifications(user)
            self.assertEqual(found["subject"], {"kind": "content", "id": made.id})
        self.assertEqual((await self.get(made.path, expect=200)).json()["status"], "active")

    async def test_comment(self):
        """What is told of a comment names its content."""
        made, ann = await self.castle(), await self.user()
        path = await self.comment(made, made.author)
        await self.report(path, ann)
        number = path.rpartition("/")[2]
        report = await self.one("comment", number)
        await self.decide("comment", number, report["id"], "dismissed")
        self.assertEqual(await self.resolved(ann, 1), ["dismissed"])
        (found,) = await self.notifications(ann)
        subject = {"kind": "comment", "id": number, "content": made.id}
        self.assertEqual(found["subject"], subject)

    async def test_up_to(self):
        """Only the reports up to the named one are closed; the others stay open."""
        made, users = await self.castle(), [await self.user() for _ in range(3)]
        for user in users:
            await self.report(made.path, user)
        ids = [each["id"] for each in await self.reports("content", made.id)]
        await self.decide("content", made.id, ids[1], "dismissed")
        states = [each["state"] for each in await self.reports("content", made.id)]
        self.assertEqual(states, ["open", "dismissed", "dismissed"])
        found = await self.queued(made.id)
        self.assertEqual((found["reports"], found["upTo"]), (1, ids[0]))
        await self.decide("content", made.id, ids[0], "upheld")
        self.assertEqual(await self.resolved(users[2], 1), ["upheld"])
        self.assertEqual(await self.resolved(users[0], 1), ["dismissed"])

    async def test_repeated(self):
        """Where nothing is open a decision is 204, changes nothing and tells nobody."""
        made, ann = await self.castle(), await self.user()
        await self.report(made.path, ann)
        report = await self.one("content", made.id)
        for outcome in ("upheld", "upheld", "dismissed"):
            await self.decide("content", made.id, report["id"], outcome)
        self.assertEqual((await self.one("content", made.id))["state"], "upheld")
        await self.report(made.path, ann, "abuse")
        last = (await self.reports("content", made.id))[0]
        await self.decide("content", made.id, last["id"], "dismissed")
        self.assertEqual(await self.resolved(ann, 2), ["upheld", "dismissed"])

    async def test_replaced_meanwhile(self):
        """The id of a report that was replaced meanwhile is taken, and leaves the new one open."""
        made, ann, ben = await self.castle(), await self.user(), await self.user()
        await self.report(made.path, ben)
        await self.report(made.path, ann)
        seen = (await self.queued(made.id))["upTo"]
        await self.report(made.path, ann, "abuse")
        await self.decide("content", made.id, seen)
        found = await self.reports("content", made.id)
        self.assertEqual(
            [(each["reporter"], each["state"]) for each in found],
            [(ann.id, "open"), (ben.id, "upheld")],
        )

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
        self.assertIsNone(await self.queued(made.id))
        await self.report(f"user/{made.author.id}", ann)
        await self.report(made.path, ben)
        found = await self.reports("content", made.id)
        self.assertEqual([each["reporter"] for each in found], [ben.id, ann.id])

    async def test_subject_gone(self):
        """Reports of content that is deleted meanwhile stay in the queue and can be decided."""
        made, ann = await self.castle(), await self.user()
        await self.report(made.path, ann)
        await self.delete(made.path, by=made.author, expect=204)
        upto = (await self.queued(made.id))["upTo"]
        await self.decide("content", made.id, upto)
        self.assertEqual(await self.resolved(ann, 1), ["upheld"])

    async def test_at_once(self):
        """Of several decisions at once about one subject, one counts: all reports have its outcome,
        and each reporter hears of it once."""
        made, users = await self.castle(), [await self.user() for _ in range(4)]
        for user in users:
            await self.report(made.path, user)
        upto = (await self.queued(made.id))["upTo"]
        outcomes = ["upheld", "dismissed"] * 3

        async def decide(outcome: str) -> Response:
            return await self.decide("content", made.id, upto, outcome)

        acts = [Deferred.fromCoroutine(decide(outcome)) for outcome in outcomes]
        await gatherResults(acts, consumeErrors=True)
        (outcome,) = {each["state"] for each in await self.reports("content", made.id)}
        for user in users:
            self.assertEqual(await self.resolved(user, 1), [outcome])
            self.assertEqual(len(await self.notifications(user)), 1)
