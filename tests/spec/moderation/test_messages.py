"""Messages that moderators decide about: moderation#messages."""

from typing import Any

from tests.spec.data import User, guid
from tests.spec.moderation.support import DecidingCase
from tests.spec.moderation.test_notices import NoticeCase
from tests.spec.social.test_unsending import UnsendCase


def message_of(sender: User, id: str) -> dict[str, Any]:
    """A message, as the subject of a decision or of a notice."""
    return {"kind": "message", "id": id, "user": sender.id}


class MessageCase(NoticeCase, DecidingCase, UnsendCase):
    """Friends who write to each other."""

    async def written(self, text: str = "Rude words", **more: Any) -> tuple[User, User, str]:
        """Who has sent a message, who has got it, and its id."""
        user, other = await self.pair()
        return user, other, await self.wrote(user, other, text, **more)

    async def named(self, sender: User, by: User, id: str) -> None:
        """A report of the sender that names the message."""
        await self.report(f"user/{sender.id}", by, "abuse", messages=[id])

    async def remove(self, sender: User, id: str, **more: Any) -> Any:
        """A decision that removes it."""
        return await self.take("remove", message_of(sender, id), **more)


class NamedTests(MessageCase):
    """What moderators see."""

    async def test_unnamed(self):
        """What neither a report nor a notice names is 404, as what was never sent."""
        user, other, id = await self.written()
        await self.report(f"user/{user.id}", other, "abuse")
        for sender, about in ((user, id), (user, guid()), (other, id)):
            refused = await self.remove(sender, about, expect=None)
            self.problem(refused, 404, "message_not_found")
            path = f"moderation/reports/message/{about}?user={sender.id}"
            refused = await self.get(path, by=await self.member("moderator"))
            self.problem(refused, 404, "message_not_found")
        self.assertEqual(["Rude words"], await self.heard(other, user))

    async def test_reported(self):
        """What a report names is removed for both sides, and nothing else."""
        user, other, id = await self.written()
        await self.wrote(user, other, "stays")
        await self.named(user, other, id)
        decision = await self.remove(user, id.upper(), by=await self.member("moderator"))
        for one, friend in ((user, other), (other, user)):
            self.assertEqual([("", True)] * 2, (await self.shown(one, friend, id))[:2])
            self.assertEqual(["stays", ""], await self.heard(one, friend))
        found = await self.decision(decision)
        self.assertEqual((user.id, message_of(user, id)), (found["user"], found["subject"]))
        (kept,) = found["facts"]["messages"]
        self.assertEqual(
            (id, other.id, "Rude words"), (kept["id"], kept["recipientId"], kept["text"])
        )
        evidence = (await self.one("user", user.id))["evidence"]
        self.assertEqual("Rude words", evidence["messages"][0]["text"])

    async def test_only_named(self):
        """Where an id went to several, only what is named goes."""
        user, other, id = await self.written()
        third = await self.user()
        await self.befriend(user, third)
        await self.wrote(user, third, "kind words", id=id)
        await self.named(user, other, id)
        await self.remove(user, id)
        self.assertEqual([""], await self.heard(other, user))
        self.assertEqual(["kind words"], await self.heard(third, user))

    async def test_same_id(self):
        """The message of the other with the same id stays, and is another subject."""
        user, other, id = await self.written()
        await self.wrote(other, user, "answer", id=id)
        await self.named(user, other, id)
        await self.remove(user, id)
        self.assertEqual(["answer", ""], await self.heard(user, other))
        self.problem(await self.remove(other, id, expect=None), 404, "message_not_found")
        await self.named(other, user, id)
        await self.remove(other, id)
        self.assertEqual(["", ""], await self.heard(user, other))


class RemovalTests(MessageCase):
    """What is left of a message that a moderator has removed."""

    async def test_told(self):
        """Its sender is told DecisionTaken, reads the decision with the text, and is told when it
        is reversed; the recipient gets no notification."""
        user, other, id = await self.written()
        await self.named(user, other, id)
        before = len(await self.notifications(other))
        decision = await self.remove(user, id)
        (told,) = await self.told(user, "DecisionTaken")
        expected = {"decision": decision, "action": "remove", "subject": message_of(user, id)}
        self.assertEqual(expected, {name: told[name] for name in expected})
        (own,) = await self.own(user)
        self.assertEqual("Rude words", own["facts"]["messages"][0]["text"])
        await self.reverse(decision)
        (told,) = await self.told(user, "DecisionReversed")
        self.assertEqual(decision, told["decision"])
        self.assertEqual(before, len(await self.notifications(other)))

    async def test_everywhere(self):
        """It is gone from the notification, the replay and both exports; sockets get `state`."""
        user, other, id = await self.written()
        await self.named(user, other, id)
        socket = await self.socket(other)
        await self.remove(user, id)
        said = await socket.next()
        self.assertEqual("state", said["type"])
        (seen,) = await self.messages_told(other)
        self.assertEqual(("", True), (seen["text"], seen["removed"]))
        late = await self.socket(other, resume=0)
        replayed = [(await self.pushed(late))["notification"] for _ in range(said["seq"])]
        self.assertNotIn("Rude words", str(replayed))
        theirs = (await self.get(f"user/{other.id}/export", by=other, expect=200)).json()
        self.assertNotIn("Rude words", str(theirs))
        own = (await self.get(f"user/{user.id}/export", by=user, expect=200)).json()
        self.assertNotIn("Rude words", str(own["messages"]))
        (decision,) = own["decisions"]
        self.assertEqual(user.id, decision["subject"]["user"])

    async def test_given_back(self):
        """A reversal gives it back to both, in the notification too, and sockets get `state`."""
        user, other, id = await self.written()
        await self.named(user, other, id)
        decision = await self.remove(user, id)
        socket = await self.socket(other)
        await self.reverse(decision)
        self.assertEqual("state", (await socket.next())["type"])
        for one, friend in ((user, other), (other, user)):
            self.assertEqual([("Rude words", False)] * 3, await self.shown(one, friend, id))
        (seen,) = await self.messages_told(other)
        self.assertEqual(("Rude words", False), (seen["text"], seen["removed"]))

    async def test_unsent(self):
        """What its sender takes away too does not come back."""
        user, other, id = await self.written()
        await self.named(user, other, id)
        decision = await self.remove(user, id)
        await self.unsend(user, other, id)
        await self.reverse(decision)
        for one, friend in ((user, other), (other, user)):
            self.assertEqual([("", True)] * 3, await self.shown(one, friend, id))

    async def test_nothing_changed(self):
        """What its sender has taken away before is 409; a later decision replaces the first."""
        user, other, id = await self.written()
        await self.named(user, other, id)
        first, second = await self.remove(user, id), await self.remove(user, id)
        self.assertEqual(second, (await self.decision(first))["replaced"])
        user, other, id = await self.written()
        await self.unsend(user, other, id)
        await self.named(user, other, id)
        self.problem(await self.remove(user, id, expect=None), 409, "nothing_changed")

    async def test_body(self):
        """A message needs `user`, and nothing else has it; its id is a GUID."""
        user, _, id = await self.written()
        for pointer, subject in {
            "/subject/user": {"kind": "message", "id": id},
            "/subject/id": {"kind": "message", "id": "1", "user": user.id},
            "/subject/kind": {"kind": "user", "id": user.id},
        }.items():
            self.invalid(await self.take("remove", subject, expect=None), pointer)
        wrong = {"kind": "user", "id": user.id, "user": user.id}
        self.invalid(await self.take("warn", wrong, expect=None), "/subject/user")

    async def test_repeat(self):
        """The same id of a decision about a message of another sender is 409."""
        user, other, id = await self.written()
        await self.wrote(other, user, "answer", id=id)
        for sender, by in ((user, other), (other, user)):
            await self.named(sender, by, id)
        body, by = self.order("remove", message_of(user, id)), await self.admin()
        for _ in range(2):
            await self.post("moderation/decisions", body, by=by, expect=201)
        other_one = body | {"subject": message_of(other, id)}
        answer = await self.post("moderation/decisions", other_one, by=by)
        self.problem(answer, 409, "decision_exists")

    async def test_actions(self):
        """Both are noted, with the decision."""
        user, other, id = await self.written()
        await self.named(user, other, id)
        decision = await self.remove(user, id)
        await self.reverse(decision)
        path = f"moderation/actions?subject={id}&kind=message"
        found = (await self.get(path, by=await self.admin(), expect=200)).json()
        self.assertEqual(
            [("message_restored", decision), ("message_removed", decision)],
            [(one["action"], one["decision"]) for one in found],
        )


class NoticeTests(MessageCase):
    """Notices of messages."""

    async def test_notice(self):
        """A notice names a message by its sender and id; it is in the queue with what it shows,
        its reports have the text."""
        user, other, id = await self.written()
        sent = await self.notice(message_of(user, id.upper()))
        (shown,) = (await self.seen(sent))["subjects"]
        self.assertEqual(message_of(user, id) | {"state": "open"}, shown)
        queued = await self.queued("message", id)
        self.assertEqual(message_of(user, id), queued["subject"])
        self.assertEqual(("Rude words", user.id), (queued["excerpt"], queued["author"]["id"]))
        (found,) = await self.reports("message", id, user=user.id)
        self.assertEqual(sent["id"], found["notice"])
        (kept,) = found["evidence"]["messages"]
        self.assertEqual(("Rude words", other.id), (kept["text"], kept["recipientId"]))

    async def test_decided(self):
        """A decision with `upTo` removes it and upholds the notice; nothing is shown of it then."""
        user, other, id = await self.written()
        sent = await self.notice(message_of(user, id))
        (found,) = await self.reports("message", id, user=user.id)
        wrong = await self.remove(user, id, expect=None, upTo=guid())
        self.problem(wrong, 404, "report_not_found")
        await self.remove(user, id, upTo=found["id"])
        self.assertEqual("upheld", (await self.seen(sent))["state"])
        self.assertIsNone(await self.queued("message", id))
        again = await self.notice(message_of(user, id))
        self.assertIsNone((await self.queued("message", id))["excerpt"])
        self.assertEqual("open", (await self.seen(again))["state"])
        self.assertEqual([""], await self.heard(other, user))

    async def test_resolved(self):
        """PUT of its reports names the sender in the query, without which it is 400."""
        user, other, id = await self.written()
        await self.wrote(other, user, "answer", id=id)
        sent = await self.notice(message_of(user, id))
        theirs = await self.notice(message_of(other, id))
        (found,) = await self.reports("message", id, user=user.id)
        path, body = (
            f"moderation/reports/message/{id}",
            {"outcome": "dismissed", "upTo": found["id"]},
        )
        by = await self.admin()
        for refused in (await self.put(path, body, by=by), await self.get(path, by=by)):
            self.problem(refused, 400, "invalid_query")
        wrong = await self.put(f"{path}?user={other.id}", body, by=by)
        self.problem(wrong, 404, "report_not_found")
        await self.put(f"{path}?user={user.id}", body, by=by, expect=204)
        states = [(await self.seen(one))["state"] for one in (sent, theirs)]
        self.assertEqual(["dismissed", "open"], states)

    async def test_validator(self):
        """If-Match of that PUT is the validator of the GET with the same query."""
        user, _, id = await self.written()
        await self.notice(message_of(user, id))
        path, by = f"moderation/reports/message/{id}?user={user.id}", await self.admin()
        read = await self.get(path, by=by, expect=200)
        body = {"outcome": "upheld", "upTo": read.json()[0]["id"]}
        await self.notice(message_of(user, id))
        given = {"If-Match": read.header("ETag")}
        refused = await self.put(path, body, by=by, headers=given)
        self.problem(refused, 412, "precondition_failed")
        given = {"If-Match": (await self.get(path, by=by, expect=200)).header("ETag")}
        await self.put(path, body, by=by, headers=given, expect=204)

    async def test_named_by_report(self):
        """A message that only a report of its sender names has no reports of its own."""
        user, other, id = await self.written()
        await self.named(user, other, id)
        path = f"moderation/reports/message/{id}?user={user.id}"
        refused = await self.get(path, by=await self.admin())
        self.problem(refused, 404, "report_not_found")

    async def test_unknown(self):
        """What was never sent is 422; without `user` it is 400."""
        user, other, id = await self.written()
        refused = await self.tell(
            message_of(other, id), message_of(user, "x"), message_of(user, id)
        )
        self.assertEqual([0, 1], self.problem(refused, 422, "unknown_subject")["subjects"])
        self.invalid(await self.tell({"kind": "message", "id": id}), "/subjects/0/user")
