"""Reports: extensions §7."""

import json
from typing import Any

from tests.spec.data import User, guid
from tests.spec.players.base import PlayersCase
from tests.spec.shapes import REPORT_REASONS

REPORT = {"reason": "spam"}


class ReportCase(PlayersCase):
    """One who reports what another has made."""

    async def subjects(self) -> tuple[User, list[tuple[str, str, str]]]:
        """A user, and of all that can be reported of theirs: the path, the kind and the id."""
        user = await self.user()
        made = await self.content(user)
        comment = await self.comment(made, user)
        return user, [
            (made.path, "content", made.id),
            (comment, "comment", comment.rpartition("/")[2]),
            (f"user/{user.id}", "user", user.id),
        ]

    async def kept(self, kind: str, id: str) -> str:
        """The evidence of the newest report, as text."""
        return json.dumps((await self.reports(kind, id))[0]["evidence"], ensure_ascii=False)


class ReportTests(ReportCase):
    """The three POST …/report."""

    async def test_report(self):
        """extensions §7: 204; the subject is in the queue, with its report; the reported user is
        told nothing, nor is the reporter."""
        user, subjects = await self.subjects()
        reporter = await self.user()
        for path, kind, id in subjects:
            await self.report(path, reporter, "abuse", text="See for yourself ✓")
            found = await self.queued(kind, id)
            assert found is not None, kind
            self.assertEqual((1, {"abuse": 1}), (found["reports"], found["reasons"]))
            (got,) = await self.reports(kind, id)
            expected = {"reporter": reporter.id, "reason": "abuse", "text": "See for yourself ✓"}
            self.assertEqual(expected, {member: got[member] for member in expected})
            self.assertEqual("open", got["state"])
            self.assertEqual(found["upTo"], got["id"])
        self.assertEqual(([], []), (await self.told(user), await self.told(reporter)))

    async def test_place_of_a_comment(self):
        """extensions §7: the subject of a comment has `content`, too."""
        _, (content, comment, _) = await self.subjects()
        await self.report(comment[0], await self.user())
        found = await self.queued("comment", comment[2])
        assert found is not None
        self.assertEqual(content[2], found["subject"]["content"])

    async def test_reasons(self):
        """extensions §7: each of the seven reasons, and no other; `text` is up to 4,096."""
        _, subjects = await self.subjects()
        reporter = await self.user()
        for path, kind, id in subjects:
            for reason in sorted(REPORT_REASONS):
                await self.report(path, reporter, reason)
                self.assertEqual(reason, (await self.reports(kind, id))[0]["reason"])
            for bad in ("rude", "", "SPAM", 7, None):
                response = await self.post(f"{path}/report", {"reason": bad}, by=reporter)
                self.invalid(response, "/reason")
            self.invalid(await self.post(f"{path}/report", {}, by=reporter), "/reason")
            for text in ("x" * 4097, "a\0b", 7):
                response = await self.post(f"{path}/report", REPORT | {"text": text}, by=reporter)
                self.invalid(response, "/text")
            for text in ("", "🏰" * 4096):
                await self.report(path, reporter, text=text)
                self.assertEqual(text, (await self.reports(kind, id))[0]["text"])

    async def test_own(self):
        """extensions §7: one's own content and comments, and oneself, are 422
        cannot_report_self."""
        user, subjects = await self.subjects()
        for path, kind, id in subjects:
            response = await self.post(f"{path}/report", REPORT, by=user)
            self.problem(response, 422, "cannot_report_self")
            self.assertIsNone(await self.queued(kind, id))
            self.invalid(await self.post(f"{path}/report", {}, by=user), "/reason")

    async def test_comment_on_own_content(self):
        """extensions §7: another's comment on one's own content can be reported."""
        made, writer = await self.content(await self.user()), await self.user()
        path = await self.comment(made, writer)
        await self.report(path, made.author)
        self.problem(await self.post(f"{path}/report", REPORT, by=writer), 422)
        self.assertEqual(1, len(await self.reports("comment", path.rpartition("/")[2])))

    async def test_unknown(self):
        """extensions: what does not exist, or not at this place, is 404."""
        reporter, made = await self.user(), await self.content(await self.user())
        elsewhere = await self.content(await self.user())
        comment = await self.remark(made, made.author)
        for path, code in (
            (f"content/{guid()}", "content_not_found"),
            (f"content/{guid()}/comments/{comment}", None),
            (f"{made.path}/comments/987654321", "comment_not_found"),
            (f"{elsewhere.path}/comments/{comment}", "comment_not_found"),
            (f"user/{guid()}", "user_not_found"),
        ):
            response = await self.post(f"{path}/report", REPORT, by=reporter)
            self.problem(response, 404, code)
        response = await self.post("user/nobody/report", REPORT, by=reporter)
        self.problem(response, 400, "invalid_path")

    async def test_hidden(self):
        """extensions: what one does not see does not exist: suspended content, and its comments."""
        made, reporter = await self.content(await self.user()), await self.user()
        path = await self.comment(made, made.author)
        await self.moderate(made, "suspended")
        for at in (made.path, path):
            self.problem(await self.post(f"{at}/report", REPORT, by=reporter), 404)

    async def test_second(self):
        """extensions §7: a second report of the same reporter replaces the open one, under a new
        id."""
        _, subjects = await self.subjects()
        reporter, other = await self.users(2)
        for path, kind, id in subjects:
            await self.report(path, reporter, "spam", text="one")
            (first,) = await self.reports(kind, id)
            await self.report(path, other, "abuse")
            await self.report(path, reporter, "cheating", text="two")
            newest, older = await self.reports(kind, id)
            self.assertNotIn(first["id"], (newest["id"], older["id"]))
            self.assertEqual((reporter.id, "two"), (newest["reporter"], newest["text"]))
            self.assertEqual(other.id, older["reporter"])
            found = await self.queued(kind, id)
            assert found is not None
            self.assertEqual((2, {"abuse": 1, "cheating": 1}), (found["reports"], found["reasons"]))
            self.assertEqual(newest["id"], found["upTo"])

    async def test_the_same_again(self):
        """extensions §7: the same report again replaces the open one under a new id too, and leaves
        what it said."""
        _, subjects = await self.subjects()
        reporter = await self.user()
        for path, kind, id in subjects:
            ids = set()
            for _ in range(2):
                await self.report(path, reporter, "spam", text="one")
                (got,) = await self.reports(kind, id)
                self.assertEqual((reporter.id, "one"), (got["reporter"], got["text"]))
                ids.add(got["id"])
            self.assertEqual(2, len(ids))
            found = await self.queued(kind, id)
            assert found is not None
            self.assertEqual((1, {"spam": 1}), (found["reports"], found["reasons"]))

    async def test_at_once(self):
        """extensions §7: reports at the same time: each reporter has one that is open."""
        _, subjects = await self.subjects()
        reporters = await self.users(3)
        for path, kind, id in subjects:
            await self.together(*(self.report(path, one) for one in reporters * 3))
            found = await self.queued(kind, id)
            assert found is not None
            self.assertEqual((3, {"spam": 3}), (found["reports"], found["reasons"]))
            got = await self.reports(kind, id)
            self.assertEqual({one.id for one in reporters}, {one["reporter"] for one in got})
            self.assertEqual(3, len(got))

    async def test_case_and_prefix(self):
        """extensions: GUIDs in upper case, and users below /methods/v1, are the same."""
        _, (content, _, user) = await self.subjects()
        reporter = await self.user()
        await self.report(f"content/{content[2].upper()}", reporter)
        await self.report(f"content/{content[2]}", reporter)
        await self.report(f"/methods/v1/user/{user[2].upper()}", reporter)
        for _, kind, id in (content, user):
            self.assertEqual(1, len(await self.reports(kind, id)))
            (got,) = await self.reports(kind, id.upper())
            self.assertEqual(reporter.id, got["reporter"])


class EvidenceTests(ReportCase):
    """What a report keeps."""

    async def test_content(self):
        """extensions §7: the text of a content as it was at the report."""
        made = await self.content(await self.user(), description="Vile words")
        await self.report(made.path, await self.user())
        body = {"description": "Kind words", "screenshotUris": ["a.png"], "tags": []}
        await self.put(made.path, body, by=made.author, expect=204)
        self.assertIn("Vile words", await self.kept("content", made.id))
        await self.report(made.path, await self.user())
        newest, older = await self.reports("content", made.id)
        self.assertIn("Kind words", json.dumps(newest["evidence"]))
        self.assertIn("Vile words", json.dumps(older["evidence"]))

    async def test_comment(self):
        """extensions §7: the text of a comment as it was, also after it was changed or deleted."""
        made, writer = await self.content(await self.user()), await self.user()
        path = await self.comment(made, writer, "Vile words ✓")
        await self.report(path, made.author)
        id = path.rpartition("/")[2]
        await self.amend(path, {"body": "Kind words"}, by=writer, expect=204)
        self.assertIn("Vile words ✓", await self.kept("comment", id))
        await self.delete(path, by=writer, expect=204)
        self.assertIn("Vile words ✓", await self.kept("comment", id))
        self.assertIsNotNone(await self.queued("comment", id))

    async def test_user(self):
        """extensions §7: the user's name and public profile as they were."""
        user, reporter = await self.users(2)
        shown = {"profile": "Vile words"}
        sent = {"avatar": None, "emblem": None, "fullProfile": shown, "publicProfile": shown}
        await self.put(f"user/{user.id}", sent, by=user, expect=204)
        await self.report(f"user/{user.id}", reporter)
        cleaned = sent | {"fullProfile": {}, "publicProfile": {}}
        await self.put(f"user/{user.id}", cleaned, by=user, expect=204)
        kept = await self.kept("user", user.id)
        self.assertIn("Vile words", kept)
        self.assertIn(user.username, kept)

    async def test_deleted_meanwhile(self):
        """extensions §7: content that its author withdraws after the report stays in the queue,
        with what it was; others cannot report it any more."""
        made = await self.content(await self.user(), description="Vile words")
        await self.report(made.path, await self.user())
        await self.delete(made.path, by=made.author, expect=204)
        self.assertIsNotNone(await self.queued("content", made.id))
        self.assertIn("Vile words", await self.kept("content", made.id))
        response = await self.post(f"{made.path}/report", REPORT, by=await self.user())
        self.problem(response, 404, "content_not_found")

    async def test_amid_a_deletion(self):
        """extensions §7: a report at the same time as the deletion is kept whole or refused."""
        for _ in range(5):
            made, reporter = await self.content(await self.user()), await self.user()
            response, _ = await self.together(
                self.post(f"{made.path}/report", REPORT, by=reporter),
                self.delete(made.path, by=made.author, expect=204),
            )
            if response.status == 204:
                self.assertIn(made.sent["name"], await self.kept("content", made.id))
            else:
                self.problem(response, 404, "content_not_found")


class MessageEvidenceTests(ReportCase):
    """Messages that a report of a user names."""

    async def written(self, *texts: str) -> tuple[User, User, list[str]]:
        """A reporter, one who has written them these messages, and the ids of these."""
        reporter, user = await self.users(2)
        await self.befriend(reporter, user)
        return reporter, user, [await self.wrote(user, reporter, text) for text in texts]

    async def send(self, by: User, about: str, messages: Any) -> Any:
        """The answer to a report with messages."""
        return await self.post(f"{about}/report", REPORT | {"messages": messages}, by=by)

    async def test_messages(self):
        """extensions §7: the messages named are kept with it, others are not; also after the
        friendship has ended by a block."""
        reporter, user, ids = await self.written("vile one", "private", "vile two")
        await self.block(reporter, user)
        response = await self.send(reporter, f"user/{user.id}", [ids[0], ids[2].upper()])
        self.assertEqual(204, response.status, repr(response))
        kept = await self.kept("user", user.id)
        for text, there in (("vile one", True), ("vile two", True), ("private", False)):
            self.assertEqual(there, text in kept, kept)

    async def test_not_received(self):
        """extensions §7: messages that were not received from this user are 422 unknown_message,
        and nothing is reported: one's own, those of another, those between others, none at
        all."""
        reporter, user, (good,) = await self.written("good")
        third = await self.user()
        await self.befriend(third, reporter)
        await self.befriend(third, user)
        bad = [
            await self.wrote(reporter, user),
            await self.wrote(third, reporter),
            await self.wrote(user, third),
            guid(),
        ]
        for id in bad:
            for messages in ([id], [good, id]):
                response = await self.send(reporter, f"user/{user.id}", messages)
                self.problem(response, 422, "unknown_message")
        self.assertIsNone(await self.queued("user", user.id))

    async def test_how_many(self):
        """extensions §7: up to 20 ids."""
        reporter, user, ids = await self.written(*(f"m{n}" for n in range(20)))
        path = f"user/{user.id}"
        response = await self.send(reporter, path, [*ids, ids[0]])
        self.invalid(response, "/messages")
        for bad in (["x"], [7], [None]):
            self.invalid(await self.send(reporter, path, bad), "/messages/0")
        self.assertEqual(204, (await self.send(reporter, path, [])).status)
        self.assertEqual(204, (await self.send(reporter, path, ids)).status)
        kept = await self.kept("user", user.id)
        self.assertEqual([], [n for n in range(20) if f'"m{n}"' not in kept])

    async def test_only_of_users(self):
        """choices: in reports of content and comments `messages` is an unknown member: ignored."""
        _, (content, comment, _) = await self.subjects()
        reporter = await self.user()
        for path, _, _ in (content, comment):
            self.assertEqual(204, (await self.send(reporter, path, ["x"])).status)
