"""Decisions: moderation#decisions."""

from tests.spec.data import guid
from tests.spec.moderation.support import (
    GROUND,
    DecidingCase,
    comment_of,
    content_of,
    user_of,
)
from tests.spec.shapes import COMMENT
from tests.support.daemon import Daemon, shared


class DecisionTests(DecidingCase):
    async def test_suspend(self):
        """A suspension has its ground and the content as it was, and tells its author."""
        made = await self.castle()
        id = await self.take("suspend", content_of(made))
        found = await self.decision(id)
        self.assertEqual(("suspend", made.author.id), (found["action"], found["user"]))
        self.assertEqual({**GROUND, "category": None, "notice": None}, found["ground"])
        self.assertEqual(made.sent["name"], found["facts"]["name"])
        await self.get(made.path, by=await self.user(), expect=404)
        (told,) = await self.told(made.author, "ContentSuspended")
        self.assertEqual((id, GROUND["explanation"]), (told["decision"], told["reason"]))
        self.assertEqual([], await self.told(made.author, "DecisionTaken"))

    async def test_restored(self):
        """The reversal of a suspension restores the content, and tells that alone."""
        made = await self.castle()
        id = await self.take("suspend", content_of(made))
        await self.reverse(id)
        await self.reverse(id, "again")
        await self.get(made.path, by=await self.user(), expect=200)
        self.assertEqual("a mistake", (await self.decision(id))["reversed"]["reason"])
        (told,) = await self.told(made.author, "ContentRestored")
        self.assertEqual(id, told["decision"])
        self.assertEqual([], await self.told(made.author, "DecisionReversed"))

    async def test_repeat(self):
        """The same id, action and subject again is 201 and changes nothing; else it is 409."""
        made, other = await self.castle(), await self.castle()
        body, by = self.order("suspend", content_of(made)), await self.admin()
        for _ in range(2):
            answer = await self.post("moderation/decisions", body, by=by, expect=201)
            self.assertTrue(answer.header("Location").endswith(f"decisions/{body['id']}"))
        self.assertEqual(1, len(await self.told(made.author, "ContentSuspended")))
        for changed in ({"subject": content_of(other)}, {"action": "lock_comments"}):
            answer = await self.post("moderation/decisions", body | changed, by=by)
            self.problem(answer, 409, "decision_exists")

    async def test_replaced(self):
        """A later decision of the action replaces the one that stands, and its reversal undoes
        both; the reversal of the one that was replaced undoes nothing."""
        made = await self.castle()
        first = await self.take("suspend", content_of(made))
        second = await self.take("suspend", content_of(made))
        self.assertEqual(second, (await self.decision(first))["replaced"])
        await self.reverse(first)
        await self.get(made.path, by=await self.user(), expect=404)
        self.assertEqual(
            [second], [one["id"] for one in await self.decisions(subject=made.id, open="true")]
        )
        await self.reverse(second)
        await self.get(made.path, by=await self.user(), expect=200)
        self.assertEqual([], await self.decisions(subject=made.id, open="true"))
        self.assertEqual(2, len(await self.decisions(subject=made.id, open="false")))

    async def test_nothing_changed(self):
        """What is so already, without a decision, is 409."""
        made = await self.castle()
        path = await self.comment(made, made.author)
        await self.delete(path, by=made.author, expect=204)
        await self.put(f"{made.path}/comments-locked", {"locked": True}, by=made.author, expect=204)
        for action, subject in (
            ("remove", comment_of(path)),
            ("lock_comments", content_of(made)),
            ("clear_profile", user_of(await self.user())),
        ):
            answer = await self.take(action, subject, expect=None)
            self.problem(answer, 409, "nothing_changed")

    async def test_at_once(self):
        """Of two moderators at once, one has the decision that stands."""
        made, by = await self.castle(), [await self.member("moderator") for _ in range(4)]
        bodies = [self.order("suspend", content_of(made)) for _ in by]
        await self.together(
            *(
                self.post("moderation/decisions", body, by=one, expect=201)
                for body, one in zip(bodies, by, strict=True)
            )
        )
        found = await self.decisions(subject=made.id)
        self.assertEqual(4, len(found))
        self.assertEqual(1, len(await self.decisions(subject=made.id, open="true")))
        self.assertEqual([None], [one["replaced"] for one in found if one["replaced"] is None])

    async def test_comment(self):
        """A removed comment has its text in the facts alone, and gets it back."""
        made, ann = await self.castle(), await self.user()
        path = await self.comment(made, ann, "Rude words")
        id = await self.take("remove", comment_of(path))
        shown = await self.read(path, COMMENT, by=await self.admin())
        self.assertEqual((True, ""), (shown["deleted"], shown["body"]))
        (own,) = await self.own(ann)
        self.assertEqual("Rude words", own["facts"]["body"])
        (told,) = await self.told(ann, "CommentRemoved")
        self.assertEqual(id, told["decision"])
        await self.reverse(id)
        shown = await self.read(path, COMMENT)
        self.assertEqual((False, "Rude words"), (shown["deleted"], shown["body"]))
        (told,) = await self.told(ann, "DecisionReversed")
        self.assertEqual(id, told["decision"])

    async def test_deleted_too(self):
        """A comment that its author deletes too, after a moderator has removed it, stays deleted
        when that is taken back."""
        made, ann = await self.castle(), await self.user()
        path = await self.comment(made, ann, "Rude words")
        await self.take("remove", comment_of(path))
        id = await self.take("remove", comment_of(path))
        await self.delete(path, by=ann, expect=204)
        await self.reverse(id)
        shown = await self.read(path, COMMENT)
        self.assertEqual((True, ""), (shown["deleted"], shown["body"]))

    async def test_profile(self):
        """A cleared profile gets back what is empty at that time."""
        ann = await self.user()
        body = {"avatar": "a/b.png", "emblem": guid(), "fullProfile": {"profile": "full"}}
        body |= {"publicProfile": {"profile": "public"}}
        await self.put(f"user/{ann.id}", body, by=ann, expect=204)
        id = await self.take("clear_profile", user_of(ann))
        empty = {"avatar": None, "emblem": None, "fullProfile": {}, "publicProfile": {}}
        found = (await self.get(f"user/{ann.id}", by=ann, expect=200)).json()
        self.assertEqual(empty, {name: found[name] for name in empty})
        later = empty | {"publicProfile": {"profile": "later"}}
        await self.put(f"user/{ann.id}", later, by=ann, expect=204)
        again = await self.take("clear_profile", user_of(ann))
        self.assertEqual(again, (await self.decision(id))["replaced"])
        await self.put(f"user/{ann.id}", later | {"avatar": "c.png"}, by=ann, expect=204)
        await self.reverse(again)
        found = (await self.get(f"user/{ann.id}", by=ann, expect=200)).json()
        expected = body | {"avatar": "c.png", "publicProfile": {"profile": "later"}}
        self.assertEqual(expected, {name: found[name] for name in empty})

    async def test_ban(self):
        """A ban tells why, and its reversal lifts it."""
        ann = await self.user()
        id = await self.take("ban", user_of(ann), until=4_000_000_000)
        by = await self.admin()
        ban = (await self.get(f"user/{ann.id}/ban", by=by, expect=200)).json()
        self.assertEqual({"reason": GROUND["explanation"], "until": 4_000_000_000}, ban)
        await self.get(f"user/{ann.id}", by=ann, expect=401)
        await self.reverse(id)
        await self.get(f"user/{ann.id}/ban", by=by, expect=404)

    async def test_upheld(self):
        """`upTo` upholds the reports of the subject; an unknown one is 404, and decides nothing."""
        made = await self.castle()
        await self.report(made.path, await self.user())
        answer = await self.take("suspend", content_of(made), upTo=guid(), expect=None)
        self.problem(answer, 404, "report_not_found")
        self.assertEqual([], await self.decisions(subject=made.id))
        report = await self.one("content", made.id)
        await self.take("suspend", content_of(made), upTo=report["id"])
        self.assertEqual(["upheld"], await self.states("content", made.id))

    async def test_protected(self):
        """Staff of the same role are protected, and nobody bans or restricts themselves, or frees
        themselves."""
        ann, ben = await self.member("moderator"), await self.member("moderator")
        for action in ("ban", "warn", "clear_profile"):
            answer = await self.take(action, user_of(ben), by=ann, expect=None)
            self.problem(answer, 403, "protected_user")
        for action, more in (("ban", {}), ("restrict", {"what": ["rate"]})):
            answer = await self.take(action, user_of(ann), by=ann, expect=None, **more)
            self.problem(answer, 422, "cannot_ban_self")
        id = await self.take("restrict", user_of(ann), what=["rate"])
        answer = await self.reverse(id, by=ann, expect=None)
        self.problem(answer, 403, "protected_user")

    async def test_unknown(self):
        """Subjects and decisions that there are not are 404."""
        made = await self.castle()
        for subject, action, code in (
            ({"kind": "content", "id": guid()}, "suspend", "content_not_found"),
            ({"kind": "user", "id": guid()}, "warn", "user_not_found"),
            ({"kind": "comment", "id": "1", "content": made.id}, "remove", "comment_not_found"),
        ):
            self.problem(await self.take(action, subject, expect=None), 404, code)
        by, path = await self.admin(), f"moderation/decisions/{guid()}"
        self.problem(await self.get(path, by=by), 404, "decision_not_found")
        self.problem(await self.reverse(guid(), expect=None), 404, "decision_not_found")
        id = await self.take("suspend", content_of(made))
        ann = await self.user()
        answer = await self.get(f"user/{ann.id}/decisions/{id}", by=ann)
        self.problem(answer, 404, "decision_not_found")

    async def test_faults(self):
        """Members that do not fit the action are refused."""
        made, ann = await self.castle(), await self.user()
        for pointer, action, subject, more in (
            ("/subject/kind", "ban", content_of(made), {}),
            ("/subject/id", "suspend", {"kind": "content", "id": "1"}, {}),
            ("/subject/id", "block_file", {"kind": "file", "id": "1"}, {}),
            ("/subject/content", "remove", {"kind": "comment", "id": "1"}, {}),
            ("/subject/content", "suspend", content_of(made) | {"content": made.id}, {}),
            ("/what", "restrict", user_of(ann), {}),
            ("/what", "ban", user_of(ann), {"what": ["rate"]}),
            ("/until", "suspend", content_of(made), {"until": 4_000_000_000}),
        ):
            self.invalid(await self.take(action, subject, expect=None, **more), pointer)


class ActTests(DecidingCase):
    """The operations that restrict."""

    async def test_each(self):
        """Each act has one decision, a repeat none, and what takes it back reverses it."""
        made, ann, by = await self.castle(), await self.user(), await self.member("moderator")
        path = await self.comment(made, ann)
        locked, status = f"{made.path}/comments-locked", f"{made.path}/status"
        for action, subject, do, undo in (
            (
                "suspend",
                made.id,
                ("PUT", status, {"status": "suspended", "reason": "r"}),
                ("PUT", status, {"status": "active", "reason": "b"}),
            ),
            (
                "lock_comments",
                made.id,
                ("PUT", locked, {"locked": True, "reason": "r"}),
                ("PUT", locked, {"locked": False, "reason": "b"}),
            ),
            ("remove", path.rpartition("/")[2], ("DELETE", f"{path}?reason=r", None), None),
            (
                "ban",
                ann.id,
                ("PUT", f"user/{ann.id}/ban", {"reason": "r"}),
                ("DELETE", f"user/{ann.id}/ban", None),
            ),
            (
                "warn",
                ann.id,
                ("POST", f"user/{ann.id}/warning", {"reason": "r", "id": guid()}),
                None,
            ),
        ):
            for _ in range(2):
                await self.send(do, by)
            (found,) = await self.decisions(subject=subject, action=action)
            self.assertEqual(
                ("terms", "Terms of service", "r", "own", "no"),
                tuple(
                    found["ground"][name]
                    for name in ("basis", "reference", "explanation", "source", "automated")
                ),
            )
            self.assertEqual(by.id, found["by"])
            acts = (await self.get(f"moderation/actions?subject={subject}", by=by)).json()
            self.assertEqual(
                [found["id"]],
                [
                    one["decision"]
                    for one in acts
                    if one["reason"] == "r" and one["decision"] == found["id"]
                ],
            )
            if undo is not None:
                await self.send(undo, by)
                (found,) = await self.decisions(subject=subject, action=action)
                self.assertEqual(by.id, found["reversed"]["by"])

    async def send(self, sent, by):
        """Sends what is a method, a path and a body."""
        method, path, body = sent
        more = {} if body is None else {"body": body}
        answer = await self.request(method, path, by=by, **more)
        self.assertEqual(204, answer.status, repr(answer))

    async def test_profile(self):
        """A change of another's record that takes something away has a decision; another has
        none."""
        ann, by = await self.user(), await self.admin()
        empty = {"avatar": None, "emblem": None, "fullProfile": {}, "publicProfile": {}}
        full = empty | {"publicProfile": {"profile": "rude"}}
        await self.put(f"user/{ann.id}", full, by=by, expect=204)
        self.assertEqual([], await self.own(ann))
        await self.put(f"user/{ann.id}", empty | {"reason": "rude"}, by=by, expect=204)
        await self.put(f"user/{ann.id}", empty | {"reason": "rude"}, by=by, expect=204)
        (found,) = await self.own(ann)
        self.assertEqual(
            ("clear_profile", "rude"), (found["action"], found["ground"]["explanation"])
        )
        await self.reverse(found["id"])
        shown = (await self.get(f"user/{ann.id}", by=ann, expect=200)).json()
        self.assertEqual({"profile": "rude"}, shown["publicProfile"])

    async def test_own(self):
        """What an author does with their own has no decision."""
        made = await self.castle()
        ann = await self.user()
        path = await self.comment(made, ann)
        await self.delete(path, by=made.author, expect=204)
        await self.put(f"{made.path}/comments-locked", {"locked": True}, by=made.author, expect=204)
        self.assertEqual(([], []), (await self.own(made.author), await self.own(ann)))

    async def test_service(self):
        """A service account decides as a moderator does."""
        ann = await self.user()
        service, token = await self.service("moderate")
        await self.post(f"user/{ann.id}/warning", {"reason": "r"}, by=token, expect=204)
        (found,) = await self.decisions(user=ann.id)
        self.assertEqual(service.id, found["by"])


class RestrictionTests(DecidingCase):
    async def restricted(self, *what: str):
        """A user who is shut out of this, and the decision."""
        ann = await self.user()
        return ann, await self.take("restrict", user_of(ann), what=[*what], until=4_000_000_000)

    async def refused(self, answer, what, id):
        found = self.problem(answer, 403, "account_restricted")
        self.assertEqual(
            (what, 4_000_000_000, id), (found["what"], found["until"], found["decision"])
        )

    async def test_comment(self):
        """Who may not comment is refused, before all but 400 and 404; deletions and repeats go
        on."""
        made, ann = await self.castle(), await self.user()
        sent = {"body": "mine", "parentId": None, "writeId": guid()}
        path = f"{made.path}/comments"
        answer = await self.post(path, sent, by=ann, expect=201)
        mine = answer.header("Location").partition("/api/v1/")[2]
        id = await self.take("restrict", user_of(ann), what=["comment"], until=4_000_000_000)
        await self.put(f"{path}-locked", {"locked": True}, by=made.author, expect=204)
        await self.refused(await self.post(path, {"body": "new"}, by=ann), "comment", id)
        await self.refused(await self.amend(mine, {"body": "new"}, by=ann), "comment", id)
        await self.refused(
            await self.post(path, {"body": "new", "parentId": 1}, by=ann), "comment", id
        )
        self.invalid(await self.post(path, {"body": ""}, by=ann), "/body")
        answer = await self.post(f"content/{guid()}/comments", {"body": "new"}, by=ann)
        self.problem(answer, 404, "content_not_found")
        await self.post(path, sent, by=ann, expect=201)
        await self.delete(mine, by=ann, expect=204)
        await self.reverse(id)
        self.problem(await self.post(path, {"body": "new"}, by=ann), 403, "comments_locked")

    async def test_publish(self):
        """Who may not publish neither creates, changes, revises, selects, restores nor enters."""
        ann = await self.user()
        made = await self.content(ann)
        id = await self.take("restrict", user_of(ann), what=["publish"], until=4_000_000_000)
        await self.put(made.path, made.sent, by=ann, expect=204)
        fresh = dict(made.sent, revisionId=guid())
        fresh["entity"] = dict(fresh["entity"], entityId=guid(), revisionId=guid())
        await self.refused(await self.put(f"content/{guid()}", fresh, by=ann), "publish", id)
        update = {"description": "other", "screenshotUris": made.sent["screenshotUris"]}
        await self.refused(await self.put(made.path, update, by=ann), "publish", id)
        await self.delete(made.path, by=ann, expect=204)
        await self.refused(await self.post(f"{made.path}/restore", by=ann), "publish", id)

    async def test_message(self):
        """Who may not write messages asks nobody for friendship, and invites nobody."""
        ann, id = await self.restricted("message")
        ben, cat = await self.users(2)
        friend = f"user/{ann.id}/friend/{ben.id}"
        await self.refused(await self.put(friend, by=ann), "message", id)
        answer = await self.post(f"{friend}/messages", {"text": "hi"}, by=ann)
        await self.refused(answer, "message", id)
        answer = await self.post(f"{friend}/party-invite", {"party": guid()}, by=ann)
        await self.refused(answer, "message", id)
        # Who was asked may agree.
        await self.put(f"user/{cat.id}/friend/{ann.id}", by=cat, expect=204)
        await self.put(f"user/{ann.id}/friend/{cat.id}", by=ann, expect=204)

    async def test_rate_and_report(self):
        """Who may not rate or report is refused; of another part nothing is."""
        made = await self.castle()
        ann, id = await self.restricted("rate", "report")
        rating = f"user/{ann.id}/rating/{made.id}"
        await self.refused(await self.put(rating, {"value": "1"}, by=ann), "rate", id)
        await self.delete(rating, by=ann, expect=204)
        answer = await self.report(made.path, ann, expect=None)
        await self.refused(answer, "report", id)
        await self.comment(made, ann)

    async def test_parts(self):
        """A later restriction replaces of the one before what it has itself."""
        ann, first = await self.restricted("rate", "comment")
        made = await self.castle()
        second = await self.take("restrict", user_of(ann), what=["comment"], until=4_000_000_000)
        self.assertIsNone((await self.decision(first))["replaced"])
        answer = await self.post(f"{made.path}/comments", {"body": "x"}, by=ann)
        await self.refused(answer, "comment", second)
        await self.reverse(first)
        await self.put(f"user/{ann.id}/rating/{made.id}", {"value": "1"}, by=ann, expect=204)
        answer = await self.post(f"{made.path}/comments", {"body": "x"}, by=ann)
        await self.refused(answer, "comment", second)
        third = await self.take("restrict", user_of(ann), what=["comment", "rate"])
        self.assertEqual(third, (await self.decision(second))["replaced"])

    async def test_over(self):
        """A restriction that is over holds nobody up."""
        ann, made = await self.user(), await self.castle()
        id = await self.take("restrict", user_of(ann), what=["comment"], until=1_700_000_000)
        await self.comment(made, ann)
        self.assertEqual([], await self.decisions(user=ann.id, open="true"))
        await self.reverse(id)


class ReasonTests(DecidingCase):
    """A service that wants reasons."""

    async def connect(self) -> None:
        self.own_daemon()
        environ = {"REQUIRE_REASONS": "true", "TERMS_REFERENCE": "House rules, 3"}
        self.use(await shared("reasons", lambda: Daemon(environ=environ)))

    async def test_required(self):
        """An act without a reason is 400, and what takes one back needs none."""
        made, ann, by = await self.castle(), await self.user(), await self.admin()
        path = await self.comment(made, ann)
        for answer, pointer in (
            (await self.put(f"{made.path}/status", {"status": "suspended"}, by=by), "/reason"),
            (await self.put(f"{made.path}/comments-locked", {"locked": True}, by=by), "/reason"),
            (
                await self.post(
                    f"moderation/users/{ann.id}/clear", {"what": ["content"], "reason": " "}, by=by
                ),
                "/reason",
            ),
            (
                await self.take(
                    *("suspend", content_of(made)),
                    ground=GROUND | {"explanation": " "},
                    expect=None,
                ),
                "/ground/explanation",
            ),
        ):
            self.invalid(answer, pointer)
        self.invalid_query(await self.delete(path, by=by), "reason")
        await self.put(f"{made.path}/comments-locked", {"locked": True}, by=made.author, expect=204)
        sent = {"status": "suspended", "reason": "r"}
        await self.put(f"{made.path}/status", sent, by=by, expect=204)
        await self.put(f"{made.path}/status", {"status": "active"}, by=by, expect=204)
        (found,) = await self.decisions(subject=made.id)
        self.assertEqual("House rules, 3", found["ground"]["reference"])
