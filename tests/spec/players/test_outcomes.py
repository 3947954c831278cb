"""What admins decide about reports: extensions §7."""

from typing import Any

from tests.spec.data import Content, User, guid
from tests.spec.players.base import PlayersCase
from tests.spec.shapes import COMMENT, CONTENT, USER_INFO


class OutcomeCase(PlayersCase):
    """Reported content, and what becomes of it."""

    async def reported(self, count: int = 1) -> tuple[Content, list[User]]:
        """A content, and so many who have reported it."""
        made, reporters = await self.content(await self.user()), await self.users(count)
        for reporter in reporters:
            await self.report(made.path, reporter)
        return made, reporters

    def at(self, made: Content) -> str:
        """The path of the reports of a content."""
        return f"moderation/reports/content/{made.id}"

    async def states(self, made: Content) -> list[str]:
        """The states of the reports of a content, newest first."""
        return [one["state"] for one in await self.reports("content", made.id)]

    async def resolved(self, user: User) -> dict[str, Any]:
        """The one notification of the user, which is of a resolution; waits for it."""
        socket = await self.socket(user, resume=0)
        got = (await self.pushed(socket))["notification"]
        await socket.quiet()
        self.assertEqual("ReportResolved", got["kind"])
        self.assertEqual([got], await self.notifications(user))
        return dict(got)


class OutcomeTests(OutcomeCase):
    """PUT moderation/reports/{kind}/{id}."""

    async def test_outcome(self):
        """extensions §7: 204 closes the open ones: they are not in the queue any more, and have the
        outcome as their state; each reporter gets ReportResolved {subject, outcome}."""
        for outcome in ("upheld", "dismissed"):
            made, reporters = await self.reported(3)
            await self.judge("content", made.id, outcome, note="as the rules say")
            self.assertIsNone(await self.queued("content", made.id))
            self.assertEqual([outcome] * 3, await self.states(made))
            for reporter in reporters:
                got = await self.resolved(reporter)
                self.assertEqual(outcome, got["outcome"])
                self.assertEqual({"kind": "content", "id": made.id}, got["subject"])
            self.assertEqual([], await self.told(made.author))

    async def test_other_subjects(self):
        """extensions §7: the same for comments and users; the subject is as it was."""
        made, reporter = await self.content(await self.user()), await self.user()
        path = await self.comment(made, made.author)
        user = f"user/{made.author.id}"
        places: list[tuple[str, Any]] = [
            (made.path, CONTENT),
            (path, COMMENT),
            (f"{user}/info", USER_INFO),
        ]
        before = [await self.read(place, shape) for place, shape in places]
        subjects = [("comment", path.rpartition("/")[2]), ("user", made.author.id)]
        for at, (kind, id) in zip((path, user), subjects, strict=True):
            await self.report(at, reporter)
            await self.judge(kind, id, "upheld")
            self.assertIsNone(await self.queued(kind, id))
        socket = await self.socket(reporter, resume=0)
        got = [(await self.pushed(socket))["notification"]["subject"] for _ in subjects]
        self.assertCountEqual(subjects, [(one["kind"], str(one["id"])) for one in got])
        self.assertEqual(before, [await self.read(place, shape) for place, shape in places])

    async def test_up_to(self):
        """extensions §7: closes the open ones up to that id; later ones stay open."""
        made, reporters = await self.reported(3)
        newest, middle, _ = await self.reports("content", made.id)
        self.assertEqual(reporters[2].id, newest["reporter"])
        body = {"outcome": "upheld", "upTo": middle["id"]}
        admin = await self.admin()
        await self.put(self.at(made), body, by=admin, expect=204)
        self.assertEqual(["open", "upheld", "upheld"], await self.states(made))
        found = await self.queued("content", made.id)
        assert found is not None
        self.assertEqual((1, newest["id"]), (found["reports"], found["upTo"]))
        for reporter in reporters[:2]:
            await self.resolved(reporter)
        self.assertEqual([], await self.told(reporters[2]))
        await self.judge("content", made.id, "dismissed")
        self.assertEqual(["dismissed", "upheld", "upheld"], await self.states(made))
        self.assertEqual("dismissed", (await self.resolved(reporters[2]))["outcome"])

    async def test_arrived_meanwhile(self):
        """extensions §7: a report that the admin has not seen is not closed with the others, one
        that replaces another neither."""
        made, reporters = await self.reported(2)
        up_to = (await self.reports("content", made.id))[0]["id"]
        await self.report(made.path, reporters[0], "abuse")
        later = await self.user()
        await self.report(made.path, later)
        body = {"outcome": "dismissed", "upTo": up_to}
        await self.put(self.at(made), body, by=await self.admin(), expect=204)
        states = {one["reporter"]: one["state"] for one in await self.reports("content", made.id)}
        expected = {reporters[0].id: "open", reporters[1].id: "dismissed", later.id: "open"}
        self.assertEqual(expected, states)
        found = await self.queued("content", made.id)
        assert found is not None
        self.assertEqual((2, {"abuse": 1, "spam": 1}), (found["reports"], found["reasons"]))

    async def test_replaced_meanwhile(self):
        """extensions §7: `upTo` stays good after its reporter has replaced that report: the older
        ones are closed, the new one is not."""
        made, reporters = await self.reported(2)
        up_to = (await self.reports("content", made.id))[0]["id"]
        await self.report(made.path, reporters[1], "abuse")
        for _ in range(2):
            body = {"outcome": "upheld", "upTo": up_to}
            await self.put(self.at(made), body, by=await self.admin(), expect=204)
            states = {
                one["reporter"]: one["state"] for one in await self.reports("content", made.id)
            }
            self.assertEqual({reporters[0].id: "upheld", reporters[1].id: "open"}, states)
        await self.resolved(reporters[0])
        self.assertEqual([], await self.told(reporters[1]))

    async def test_unknown_up_to(self):
        """extensions §7: an `upTo` that is no report of this subject closes nothing."""
        made, _ = await self.reported()
        other, _ = await self.reported()
        for up_to in (guid(), (await self.reports("content", other.id))[0]["id"]):
            body = {"outcome": "upheld", "upTo": up_to}
            await self.put(self.at(made), body, by=await self.admin())
            self.assertEqual(
                (["open"], ["open"]), (await self.states(made), await self.states(other))
            )

    async def test_again(self):
        """extensions §7: 204 also where none is open; nothing is told or changed again, by another
        outcome neither."""
        made, (reporter,) = await self.reported()
        await self.judge("content", made.id, "upheld")
        await self.resolved(reporter)
        for outcome in ("upheld", "dismissed"):
            await self.judge("content", made.id, outcome)
            self.assertEqual(["upheld"], await self.states(made))
        await self.resolved(reporter)

    async def test_at_once(self):
        """extensions §7: outcomes at the same time: one counts, and each reporter is told once."""
        made, reporters = await self.reported(4)
        await self.together(
            *(self.judge("content", made.id, one) for one in ("upheld", "dismissed") * 3)
        )
        states = await self.states(made)
        self.assertEqual(1, len(set(states)))
        for reporter in reporters:
            self.assertEqual(states[0], (await self.resolved(reporter))["outcome"])

    async def test_what_was_deleted(self):
        """extensions §7: reports of content that was withdrawn, and of a comment that was deleted,
        are closed as others are."""
        made, (reporter,) = await self.reported()
        path = await self.comment(made, made.author)
        second = await self.user()
        await self.report(path, second)
        await self.delete(path, by=made.author, expect=204)
        await self.delete(made.path, by=made.author, expect=204)
        await self.judge("content", made.id, "upheld")
        await self.judge("comment", path.rpartition("/")[2], "dismissed")
        self.assertEqual("upheld", (await self.resolved(reporter))["outcome"])
        self.assertEqual("dismissed", (await self.resolved(second))["outcome"])

    async def test_muted(self):
        """extensions §5: ReportResolved can be muted; others are told."""
        made, (deaf, other) = await self.reported(2)
        await self.mute(deaf, "ReportResolved")
        await self.judge("content", made.id)
        await self.resolved(other)
        self.assertEqual((0, 1, 0), await self.state(deaf))


class ReportedAgainTests(OutcomeCase):
    """Reports after an outcome."""

    async def test_after_a_dismissal(self):
        """extensions §7: after a dismissal the same reporter's report is 204 and opens nothing;
        another's opens, and so does one about something else."""
        made, (reporter,) = await self.reported()
        await self.judge("content", made.id, "dismissed")
        before = await self.reports("content", made.id)
        await self.report(made.path, reporter, "abuse", text="again")
        self.assertEqual(before, await self.reports("content", made.id))
        self.assertIsNone(await self.queued("content", made.id))
        await self.report(f"user/{made.author.id}", reporter)
        self.assertEqual(1, len(await self.reports("user", made.author.id)))
        await self.report(made.path, await self.user())
        found = await self.queued("content", made.id)
        assert found is not None
        self.assertEqual(1, found["reports"])

    async def test_after_upholding(self):
        """extensions §7: after a report was upheld the same reporter can report again."""
        made, (reporter,) = await self.reported()
        await self.judge("content", made.id, "upheld")
        await self.report(made.path, reporter, "abuse")
        self.assertEqual(["open", "upheld"], await self.states(made))
        found = await self.queued("content", made.id)
        assert found is not None
        self.assertEqual((1, {"abuse": 1}), (found["reports"], found["reasons"]))

    async def test_still_refused(self):
        """extensions: after a dismissal what is not valid is 400, and what is not there 404."""
        made, (reporter,) = await self.reported()
        await self.judge("content", made.id, "dismissed")
        response = await self.post(f"{made.path}/report", {"reason": "x"}, by=reporter)
        self.invalid(response, "/reason")
        await self.moderate(made, "suspended")
        response = await self.post(f"{made.path}/report", {"reason": "spam"}, by=reporter)
        self.problem(response, 404, "content_not_found")
        self.assertEqual(1, len(await self.reports("content", made.id)))

    async def test_upheld_after_a_dismissal(self):
        """extensions §7: the states of a subject's reports are those of their own outcomes."""
        made, _ = await self.reported(2)
        await self.judge("content", made.id, "dismissed")
        await self.report(made.path, await self.user())
        await self.judge("content", made.id, "upheld")
        self.assertEqual(["upheld", "dismissed", "dismissed"], await self.states(made))
        body = {"outcome": "upheld", "upTo": guid()}
        response = await self.put(self.at(made), body, by=await self.admin())
        self.assertIn(response.status, (204, 400, 404, 422))
        self.assertEqual(["upheld", "dismissed", "dismissed"], await self.states(made))
