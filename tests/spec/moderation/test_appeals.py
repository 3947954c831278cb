"""Appeals: moderation#appeals."""

from __future__ import annotations

from typing import Any

from tests.spec.data import User, guid
from tests.spec.files.support import FilesCase, blob
from tests.spec.moderation.support import (
    AppealingCase,
    comment_of,
    content_of,
    user_of,
)
from tests.spec.moderation.test_notices import NoticeCase
from tests.spec.shapes import APPEAL, COMMENT, NOTICE


class AppealTests(AppealingCase):
    """Appeals against decisions."""

    async def test_appeal(self):
        """A user appeals once: the same text again is 201 too, another one is 409."""
        made, id = await self.suspended()
        ann = made.author
        for _ in range(2):
            await self.appeal(ann, id)
        answer = await self.appeal(ann, id, "Another text", expect=None)
        self.problem(answer, 409, "appeal_exists")
        (found,) = await self.against(decision=id)
        self.assertEqual(
            ("author", ann.id, {"kind": "content", "id": made.id}, "I disagree", "open", None),
            (
                found["from"],
                found["user"]["id"],
                found["subject"],
                found["text"],
                found["state"],
                found["answer"],
            ),
        )
        shown = [{"id": found["id"], "state": "open"}]
        self.assertEqual(shown, (await self.decision(id))["appeals"])
        (own,) = await self.own(ann)
        self.assertEqual(shown, own["appeals"])
        self.assertEqual(184 * 86_400, own["appealUntil"] - own["created"])

    async def test_not_appealable(self):
        """A warning, and what is reversed, cannot be appealed."""
        ann = await self.user()
        warning = await self.take("warn", user_of(ann))
        made, reversed = await self.suspended()
        await self.reverse(reversed)
        for user, id in ((ann, warning), (made.author, reversed)):
            answer = await self.appeal(user, id, expect=None)
            self.problem(answer, 409, "not_appealable")

    async def test_others(self):
        """Nobody appeals for another, and what concerns another does not exist."""
        made, id = await self.suspended()
        ben = await self.user()
        answer = await self.appeal(made.author, id, by=ben, expect=None)
        self.problem(answer, 403, "forbidden")
        answer = await self.appeal(made.author, id, by=await self.admin(), expect=None)
        self.problem(answer, 403, "forbidden")
        for decision in (id, guid()):
            answer = await self.appeal(ben, decision, expect=None)
            self.problem(answer, 404, "decision_not_found")

    async def test_long(self):
        """A text has up to 4,096 characters, of any script."""
        made, id = await self.suspended()
        answer = await self.appeal(made.author, id, "\U0001f3f0" * 4097, expect=None)
        self.invalid(answer, "/text")
        self.invalid(await self.appeal(made.author, id, "", expect=None), "/text")
        await self.appeal(made.author, id, "\U0001f3f0" * 4096)

    async def test_confirmed(self):
        """A confirmed decision stays, and tells why alone."""
        made, id = await self.suspended()
        await self.appeal(made.author, id)
        (found,) = await self.against(decision=id)
        by = await self.member("moderator")
        for _ in range(2):
            await self.answer(found["id"], by=by)
        for given in (("confirmed", "Other words"), ("reversed", "We looked again")):
            answer = await self.answer(found["id"], *given, by=by, expect=None)
            self.problem(answer, 409, "appeal_decided")
        await self.get(made.path, by=await self.user(), expect=404)
        (told,) = await self.told(made.author, "AppealDecided")
        self.assertEqual(
            (id, "confirmed", "We looked again"),
            (told["decision"], told["outcome"], told["reason"]),
        )
        (found,) = await self.against(decision=id)
        self.assertEqual(
            ("confirmed", by.id, "We looked again"),
            (found["state"], found["answer"]["by"], found["answer"]["reason"]),
        )
        await self.acts(made.id, ["appeal_confirmed"], id, by)

    async def acts(self, subject: str, expected: list[str], decision: str, by: User) -> None:
        """Check what a moderator did to a subject, newest first."""
        path = f"moderation/actions?subject={subject}&admin={by.id}"
        found = (await self.get(path, by=by, expect=200)).json()
        self.assertEqual(expected, [one["action"] for one in found])
        self.assertEqual({decision}, {one["decision"] for one in found})

    async def test_reversed(self):
        """A reversal on appeal undoes the decision, and tells AppealDecided alone."""
        made, id = await self.suspended()
        await self.appeal(made.author, id)
        (found,) = await self.against(decision=id)
        by = await self.member("moderator")
        for _ in range(2):
            await self.answer(found["id"], "reversed", by=by)
        await self.get(made.path, by=await self.user(), expect=200)
        self.assertEqual("We looked again", (await self.decision(id))["reversed"]["reason"])
        kinds = [one["kind"] for one in await self.notifications(made.author)]
        self.assertEqual(["ContentSuspended", "AppealDecided"], kinds)
        await self.acts(made.id, ["content_restored", "appeal_reversed"], id, by)

    async def test_comment(self):
        """The text of a comment comes back on appeal."""
        made, ann = await self.castle(), await self.user()
        path = await self.comment(made, ann, "Rude words")
        id = await self.take("remove", comment_of(path))
        await self.appeal(ann, id)
        (found,) = await self.against(decision=id)
        await self.answer(found["id"], "reversed", by=await self.member("moderator"))
        self.assertEqual("Rude words", (await self.read(path, COMMENT))["body"])
        self.assertEqual([], await self.told(ann, "DecisionReversed"))
        self.assertEqual(1, len(await self.told(ann, "AppealDecided")))

    async def test_plain_reversal(self):
        """A reversal without the appeal answers it too, and tells AppealDecided alone."""
        made, id = await self.suspended()
        await self.appeal(made.author, id)
        status = {"status": "active", "reason": "sorry"}
        await self.put(f"{made.path}/status", status, by=await self.admin(), expect=204)
        (found,) = await self.against(decision=id)
        self.assertEqual(("reversed", "sorry"), (found["state"], found["answer"]["reason"]))
        kinds = [one["kind"] for one in await self.notifications(made.author)]
        self.assertEqual(["ContentSuspended", "AppealDecided"], kinds)
        await self.appeal(made.author, id)
        answer = await self.answer(found["id"], by=await self.member("moderator"), expect=None)
        self.problem(answer, 409, "appeal_decided")

    async def test_replaced(self):
        """The appeal against what was replaced is answered; its reversal undoes nothing."""
        made, id = await self.suspended()
        await self.take("suspend", content_of(made))
        await self.appeal(made.author, id)
        (found,) = await self.against(decision=id)
        await self.answer(found["id"], "reversed", by=await self.member("moderator"))
        await self.get(made.path, by=await self.user(), expect=404)
        self.assertIsNotNone((await self.decision(id))["reversed"])
        self.assertEqual(1, len(await self.told(made.author, "AppealDecided")))

    async def test_own(self):
        """Who has decided does not answer, nor who appeals; a reversal is still theirs."""
        mod = await self.member("moderator")
        made, id = await self.suspended(by=mod)
        await self.appeal(made.author, id)
        (found,) = await self.against(decision=id)
        for outcome in ("confirmed", "reversed"):
            answer = await self.answer(found["id"], outcome, by=mod, expect=None)
            self.problem(answer, 403, "own_decision")
        await self.reverse(id, by=mod)
        (found,) = await self.against(decision=id)
        self.assertEqual("reversed", found["state"])
        own = await self.content(mod)
        id = await self.take("suspend", content_of(own))
        await self.appeal(mod, id)
        (found,) = await self.against(decision=id)
        answer = await self.answer(found["id"], "reversed", by=mod, expect=None)
        self.problem(answer, 403, "own_decision")

    async def test_protected(self):
        """Nobody answers the appeal of somebody whose role is their own or a higher one."""
        ann, ben = await self.member("moderator"), await self.member("moderator")
        id = await self.take("restrict", user_of(ann), what=["rate"])
        await self.appeal(ann, id)
        (found,) = await self.against(decision=id)
        for outcome in ("confirmed", "reversed"):
            answer = await self.answer(found["id"], outcome, by=ben, expect=None)
            self.problem(answer, 403, "protected_user")

    async def test_who(self):
        """Moderators alone see and answer appeals, and no service answers one."""
        made, id = await self.suspended()
        await self.appeal(made.author, id)
        (found,) = await self.against(decision=id)
        path = f"moderation/appeals/{found['id']}"
        body = {"outcome": "confirmed", "reason": "x"}
        self.problem(await self.get("moderation/appeals", by=made.author), 403, "forbidden")
        self.problem(await self.put(path, body, by=made.author), 403, "forbidden")
        _, token = await self.service("moderate")
        await self.read("moderation/appeals?limit=1", [APPEAL], by=token)
        self.problem(await self.put(path, body, by=token), 403, "insufficient_scope")
        admin = await self.admin()
        path = f"moderation/appeals/{guid()}"
        self.problem(await self.put(path, body, by=admin), 404, "appeal_not_found")

    async def test_list(self):
        """The oldest comes first, of a state and of one kind of people if so asked."""
        ids = []
        for _ in range(3):
            made, id = await self.suspended()
            await self.appeal(made.author, id)
            ids.append(id)
        (second,) = await self.against(decision=ids[1])
        await self.answer(second["id"], by=await self.member("moderator"))
        for query, expected in (
            ({}, ids),
            ({"limit": 1}, ids),
            ({"state": "open"}, [ids[0], ids[2]]),
            ({"state": "confirmed", "from": "author"}, [ids[1]]),
            ({"state": "reversed"}, []),
            ({"from": "reporter"}, []),
        ):
            found = [one["decision"] for one in await self.appeals(**query)]
            self.assertEqual(expected, [one for one in found if one in ids], query)

    async def test_at_once(self):
        """Of several answers at once one counts, and the appeal is told once."""
        made, id = await self.suspended()
        await self.appeal(made.author, id)
        (found,) = await self.against(decision=id)
        by = [await self.member("moderator") for _ in range(4)]
        given = [("confirmed", "reversed")[n % 2] for n in range(4)]
        answers = await self.together(
            *(
                self.answer(found["id"], outcome, one.id, by=one, expect=None)
                for outcome, one in zip(given, by, strict=True)
            )
        )
        self.assertEqual([204, 409, 409, 409], sorted(one.status for one in answers))
        (told,) = await self.told(made.author, "AppealDecided")
        (found,) = await self.against(decision=id)
        self.assertEqual(found["state"], told["outcome"])
        gone = (await self.decision(id))["reversed"] is not None
        self.assertEqual(found["state"] == "reversed", gone)

    async def test_race(self):
        """An appeal at the time of the reversal is answered by it, or is too late."""
        for _ in range(5):
            made, id = await self.suspended()
            answer, _ = await self.together(
                self.appeal(made.author, id, expect=None), self.reverse(id)
            )
            states = [one["state"] for one in await self.against(decision=id)]
            if answer.status == 201:
                self.assertEqual(["reversed"], states)
            else:
                self.problem(answer, 409, "not_appealable")
                self.assertEqual([], states)

    async def test_export(self):
        """The export has the appeals of its user, with their answers."""
        made, id = await self.suspended()
        ann = made.author
        other, ben = await self.castle(), await self.user()
        await self.report(other.path, ben)
        await self.judge("content", other.id, "dismissed")
        await self.object(ben, "content", other.id)
        await self.appeal(ann, id)
        (found,) = await self.against(decision=id)
        await self.answer(found["id"], by=await self.member("moderator"))
        (own,) = await self.exported(ann)
        self.assertEqual(
            (id, "author", "I disagree", "confirmed", "We looked again"),
            (own["decision"], own["from"], own["text"], own["state"], own["answer"]["reason"]),
        )
        (own,) = await self.exported(ben)
        self.assertEqual(
            (None, "reporter", other.id, None),
            (own["decision"], own["from"], own["subject"]["id"], own["answer"]),
        )

    async def exported(self, user: User) -> list[dict[str, Any]]:
        """The appeals of the user's export."""
        found = await self.get(f"user/{user.id}/export", by=user, expect=200)
        return list(found.json()["appeals"])


class ReporterTests(AppealingCase):
    """Appeals against the dismissal of a report."""

    async def dismissed(self, *reporters: User) -> str:
        """Some content whose reports were dismissed."""
        made = await self.castle()
        for user in reporters:
            await self.report(made.path, user)
        await self.judge("content", made.id, "dismissed")
        return made.id

    async def test_reopened(self):
        """A reversal opens the reports again as they were, tells who has appealed, and decides
        nothing else."""
        ann, ben, cid = [await self.user() for _ in range(3)]
        made = await self.castle()
        for user in (ann, ben, cid):
            await self.report(made.path, user, "spam" if user is ann else "abuse")
        before = await self.queued("content", made.id)
        ids = {one["id"] for one in await self.reports("content", made.id)}
        await self.judge("content", made.id, "dismissed")
        for user in (ann, ben):
            await self.object(user, "content", made.id)
        found = await self.against(subject={"kind": "content", "id": made.id})
        self.assertEqual(
            [("reporter", None, ann.id), ("reporter", None, ben.id)],
            [(one["from"], one["decision"], one["user"]["id"]) for one in found],
        )
        await self.answer(found[0]["id"], "reversed", by=await self.member("moderator"))
        after = await self.queued("content", made.id)
        for name in ("reports", "reasons", "first", "due", "notices"):
            self.assertEqual(before[name], after[name], name)
        self.assertEqual(["open"] * 3, await self.states("content", made.id))
        self.assertEqual(ids, {one["id"] for one in await self.reports("content", made.id)})
        await self.get(made.path, by=ann, expect=200)
        for user in (ann, ben):
            (told,) = await self.told(user, "AppealDecided")
            self.assertEqual(
                ({"kind": "content", "id": made.id}, "reversed", "We looked again"),
                (told["subject"], told["outcome"], told["reason"]),
            )
        found = await self.against(subject={"kind": "content", "id": made.id})
        self.assertEqual({"reversed"}, {one["state"] for one in found})
        await self.judge("content", made.id, "dismissed")
        self.assertEqual(["dismissed"] * 2, await self.resolved(cid, 2))
        await self.object(ann, "content", made.id)

    async def test_again(self):
        """The same text again changes nothing also once the report is open again; another one
        cannot be appealed with then."""
        ann = await self.user()
        id = await self.dismissed(ann)
        await self.object(ann, "content", id)
        (found,) = await self.against(subject={"kind": "content", "id": id})
        await self.answer(found["id"], "reversed", by=await self.member("moderator"))
        await self.object(ann, "content", id)
        answer = await self.object(ann, "content", id, "x", expect=None)
        self.problem(answer, 409, "not_appealable")
        self.assertEqual(1, len(await self.against(subject={"kind": "content", "id": id})))

    async def test_newer(self):
        """Of who has a newer report open, the older one stays as it was."""
        ann, ben = await self.user(), await self.user()
        made = await self.castle()
        for user in (ann, ben):
            await self.report(made.path, user)
        await self.judge("content", made.id, "dismissed")
        await self.object(ann, "content", made.id)
        body = {"description": "Another one", "screenshotUris": ["b.png"]}
        await self.put(made.path, body, by=made.author, expect=204)
        await self.report(made.path, ben, "violence")
        (found,) = await self.against(subject={"kind": "content", "id": made.id})
        await self.answer(found["id"], "reversed", by=await self.member("moderator"))
        states = {
            (one["reporter"], one["reason"]): one["state"]
            for one in await self.reports("content", made.id)
        }
        self.assertEqual(
            {(ann.id, "spam"): "open", (ben.id, "spam"): "dismissed", (ben.id, "violence"): "open"},
            states,
        )
        self.assertEqual(2, (await self.queued("content", made.id))["reports"])

    async def test_later(self):
        """What was decided since of other reports stays."""
        ann, ben = await self.user(), await self.user()
        made = await self.castle()
        await self.report(made.path, ann)
        await self.judge("content", made.id, "dismissed")
        await self.report(made.path, ben)
        await self.judge("content", made.id, "upheld")
        await self.object(ann, "content", made.id)
        (found,) = await self.against(subject={"kind": "content", "id": made.id})
        await self.answer(found["id"], "reversed", by=await self.member("moderator"))
        self.assertEqual(["open", "upheld"], await self.states("content", made.id))
        self.assertEqual(1, (await self.queued("content", made.id))["reports"])

    async def test_confirmed(self):
        """A confirmed dismissal opens nothing, and tells its reporter."""
        ann, ben = await self.user(), await self.user()
        id = await self.dismissed(ann, ben)
        await self.object(ann, "content", id)
        await self.object(ann, "content", id)
        self.problem(await self.object(ann, "content", id, "x", expect=None), 409, "appeal_exists")
        await self.object(ben, "content", id)
        found = await self.against(subject={"kind": "content", "id": id})
        by = await self.member("moderator")
        for _ in range(2):
            await self.answer(found[0]["id"], by=by)
        self.assertEqual(1, len(await self.told(ann, "AppealDecided")))
        self.assertEqual([], await self.told(ben, "AppealDecided"))
        self.assertEqual(["dismissed"] * 2, await self.states("content", id))
        answer = await self.answer(found[0]["id"], "reversed", by=by, expect=None)
        self.problem(answer, 409, "appeal_decided")

    async def test_refused(self):
        """What is open or upheld cannot be appealed; what the user has not reported is 404."""
        ann, made = await self.user(), await self.castle()
        for kind, id in (("content", made.id), ("comment", "1"), ("planet", "1")):
            answer = await self.object(ann, kind, id, expect=None)
            self.problem(answer, 404, "report_not_found")
        await self.report(made.path, ann)
        answer = await self.object(ann, "content", made.id, expect=None)
        self.problem(answer, 409, "not_appealable")
        await self.judge("content", made.id, "upheld")
        answer = await self.object(ann, "content", made.id, expect=None)
        self.problem(answer, 409, "not_appealable")
        answer = await self.object(await self.user(), "content", made.id, expect=None)
        self.problem(answer, 404, "report_not_found")

    async def test_own(self):
        """Who has dismissed the report does not answer its appeal."""
        ann, mod = await self.user(), await self.member("moderator")
        made = await self.castle()
        await self.report(made.path, ann)
        report = await self.one("content", made.id)
        body = {"outcome": "dismissed", "upTo": report["id"]}
        await self.put(f"moderation/reports/content/{made.id}", body, by=mod, expect=204)
        await self.object(ann, "content", made.id)
        (found,) = await self.against(subject={"kind": "content", "id": made.id})
        answer = await self.answer(found["id"], by=mod, expect=None)
        self.problem(answer, 403, "own_decision")
        await self.answer(found["id"], by=await self.admin())

    async def test_at_once(self):
        """Of several answers at once one counts."""
        ann, ben = await self.user(), await self.user()
        id = await self.dismissed(ann, ben)
        for user in (ann, ben):
            await self.object(user, "content", id)
        found = await self.against(subject={"kind": "content", "id": id})
        by = [await self.member("moderator") for _ in range(4)]
        await self.together(
            *(
                self.answer(found[n % 2]["id"], "reversed", one.id, by=one, expect=None)
                for n, one in enumerate(by)
            )
        )
        self.assertEqual(["open"] * 2, await self.states("content", id))
        for user in (ann, ben):
            self.assertEqual(1, len(await self.told(user, "AppealDecided")))


class NotifierTests(NoticeCase, AppealingCase):
    """Appeals against the dismissal of a notice."""

    async def object_to(
        self, notice: dict[str, str], text: str = "Look again", *, token: str | None = None
    ) -> Any:
        """The appeal of who has sent a notice."""
        path = f"notices/{notice['id']}/appeal"
        return await self.post(path, {"text": text}, by=token or notice["token"])

    async def test_appeal(self):
        """Each dismissed subject has an appeal; a reversal opens the notice again."""
        made, other, third = [await self.castle() for _ in range(3)]
        sent = await self.notice(*map(self.of, (made, other, third)))
        self.problem(await self.object_to(sent), 409, "not_appealable")
        await self.judge("content", made.id, "dismissed")
        await self.judge("content", other.id, "dismissed")
        self.problem(await self.object_to(sent), 409, "not_appealable")
        await self.judge("content", third.id, "upheld")
        for _ in range(2):
            self.assertEqual(201, (await self.object_to(sent)).status)
        self.problem(await self.object_to(sent, "x"), 409, "appeal_exists")
        found = await self.against(notice=sent["id"])
        self.assertEqual(
            [("notifier", None, None, self.of(one)) for one in (made, other)],
            [(one["from"], one["decision"], one["user"], one["subject"]) for one in found],
        )
        by = await self.member("moderator")
        await self.answer(found[0]["id"], "reversed", by=by)
        await self.answer(found[1]["id"], by=by)
        seen = await self.seen(sent)
        self.assertEqual("open", seen["state"])
        self.assertEqual(
            ["open", "dismissed", "upheld"], [one["state"] for one in seen["subjects"]]
        )
        self.assertEqual(
            [("reversed", "We looked again"), ("confirmed", "We looked again")],
            [(one["appeal"]["state"], one["appeal"]["reason"]) for one in seen["subjects"][:2]],
        )
        self.assertEqual(["open"], await self.states("content", made.id))
        self.assertEqual(1, (await self.queued("content", made.id))["notices"])
        self.assertEqual(201, (await self.object_to(sent)).status)
        self.problem(await self.object_to(sent, "x"), 409, "not_appealable")
        await self.judge("content", made.id, "dismissed")
        self.assertEqual(201, (await self.object_to(sent, "Once more")).status)
        found = await self.against(notice=sent["id"])
        self.assertEqual(["reversed", "confirmed", "open"], [one["state"] for one in found])

    async def test_upheld(self):
        """A notice that was upheld whole cannot be appealed."""
        made = await self.castle()
        sent = await self.notice(self.of(made))
        await self.judge("content", made.id, "upheld")
        self.problem(await self.object_to(sent), 409, "not_appealable")

    async def test_tokens(self):
        """Its own token alone appeals."""
        made = await self.castle()
        sent, other = [await self.notice(self.of(made)) for _ in range(2)]
        await self.judge("content", made.id, "dismissed")
        refused = await self.object_to(sent, token=other["token"])
        self.problem(refused, 401, "invalid_token")
        path = f"notices/{sent['id']}/appeal"
        self.problem(await self.post(path, {"text": "x"}), 401, "unauthorized")
        for by in (await self.someone(), await self.admin()):
            self.problem(await self.post(path, {"text": "x"}, by=by), 401, "unauthorized")
        await self.read(f"notices/{sent['id']}", NOTICE, by=sent["token"])

    async def test_long(self):
        """A text has up to 4,096 characters, of any script, also of somebody without an
        account."""
        made = await self.castle()
        sent = await self.notice(self.of(made))
        await self.judge("content", made.id, "dismissed")
        self.assertEqual(201, (await self.object_to(sent, "\U0001f3f0" * 4096)).status)


class FileTests(AppealingCase, FilesCase):
    """Appeals against the block of a file, which concerns all whose content has it."""

    async def test_file(self):
        """Each appeals for themselves, and sees no appeal of another; a reversal answers all, and
        tells the others as it does without an appeal."""
        ann, ben, cid = [await self.user() for _ in range(3)]
        file = blob()
        for user in (ann, ben, cid):
            await self.holding(user, file)
        subject = {"kind": "file", "id": file.digest}
        id = await self.take("block_file", subject)
        for user in (ann, ben, cid):
            await self.until_told(user, "DecisionTaken")
        for user in (ann, ben):
            await self.appeal(user, id)
        self.assertEqual(2, len((await self.decision(id))["appeals"]))
        for user, count in ((ann, 1), (cid, 0)):
            (own,) = await self.own(user)
            self.assertEqual(count, len(own["appeals"]))
        first, second = await self.against(decision=id)
        by = await self.member("moderator")
        await self.answer(second["id"], by=by)
        for _ in range(2):
            await self.answer(first["id"], "reversed", by=by)
        self.assertIsNotNone((await self.decision(id))["reversed"])
        for user in (ben, cid):
            await self.until_told(user, "DecisionReversed")
        outcomes = [
            [one["outcome"] for one in await self.told(user, "AppealDecided")]
            for user in (ann, ben, cid)
        ]
        self.assertEqual([["reversed"], ["confirmed"], []], outcomes)
        self.assertEqual([], await self.told(ann, "DecisionReversed"))

    async def until_told(self, user: User, kind: str) -> None:
        """Wait until a user is told this."""
        socket = await self.socket(user, resume=0)
        while (await self.pushed(socket))["notification"]["kind"] != kind:
            pass
        await socket.close()
