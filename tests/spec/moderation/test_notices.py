"""Notices: notices#notices."""

from __future__ import annotations

from typing import Any

from tests.spec.client import Response
from tests.spec.data import Content, guid
from tests.spec.files.support import FilesCase, blob
from tests.spec.moderation.support import ReportingCase
from tests.spec.shapes import NOTICE, RECEIPT
from tests.support import daemon
from tests.support.daemon import Daemon

SENT = {
    "reason": "illegal",
    "explanation": "It sells stolen goods.",
    "name": "Mira Maro",
    "email": "mira@example.com",
    "goodFaith": True,
}


class NoticeCase(ReportingCase):
    """Notices of things, of which an address sends as many as it will."""

    most = "0"

    async def connect(self) -> None:
        self.own_daemon()
        options = "--notices-per-address", self.most
        self.use(await daemon.shared(" ".join(options), lambda: Daemon(*options)))

    def of(self, content: Content) -> dict[str, str]:
        """A content as a subject."""
        return {"kind": "content", "id": content.id}

    async def tell(self, *subjects: dict[str, Any], **changes: Any) -> Response:
        """POST notices, without what is None."""
        body = {**SENT, "subjects": [*subjects], **changes}
        body = {name: value for name, value in body.items() if value is not None}
        return await self.post("notices", body)

    async def notice(self, *subjects: dict[str, Any], **changes: Any) -> dict[str, str]:
        """A new notice: its id and its token."""
        answer = await self.tell(*subjects, **changes)
        self.assertEqual(201, answer.status, repr(answer))
        self.shape(answer.json(), RECEIPT)
        return dict(answer.json())

    async def seen(self, notice: dict[str, str]) -> dict[str, Any]:
        """What its token shows of a notice."""
        found = await self.read(f"notices/{notice['id']}", NOTICE, by=notice["token"])
        return dict(found)


class SendingTests(NoticeCase):
    """POST /notices."""

    async def test_receipt(self):
        """Anybody sends one, and reads with its token what becomes of it, and nothing that was
        sent."""
        made = await self.castle()
        sent = await self.notice(self.of(made))
        found = await self.seen(sent)
        self.assertEqual("open", found["state"])
        self.assertEqual([{**self.of(made), "state": "open"}], found["subjects"])
        self.assertEqual(24 * 3600, round((found["due"] - found["created"]) / 10) * 10)
        self.assertNotIn("email", found)

    async def test_moderators(self):
        """A moderator sees all that was sent; others see nothing."""
        made = await self.castle()
        url = f"https://other.example/game/content/{made.id.upper()}?x=1#y"
        sent = await self.notice({"url": url}, law="§ 259 StGB")
        path = f"notices/{sent['id']}"
        found = await self.read(path, NOTICE, by=await self.member("moderator"))
        kept = {name: value for name, value in SENT.items() if name != "goodFaith"}
        kept |= {"law": "§ 259 StGB", "signature": None}
        self.assertEqual(kept, {name: found[name] for name in kept})
        self.assertEqual([{**self.of(made), "state": "open", "url": url}], found["subjects"])
        self.problem(await self.get(path), 401, "unauthorized")
        self.problem(await self.get(path, by=await self.someone()), 403, "forbidden")

    async def test_tokens(self):
        """A token reads its own notice, and is good for nothing else."""
        made = await self.castle()
        one, other = await self.notice(self.of(made)), await self.notice(self.of(made))
        for path in (f"notices/{other['id']}", f"notices/{guid()}", "me"):
            self.problem(await self.get(path, by=one["token"]), 401, "invalid_token")
        forged = one["token"][:-1] + ("A" if one["token"][-1] != "A" else "B")
        self.problem(await self.get(f"notices/{one['id']}", by=forged), 401, "invalid_token")
        refused = await self.get(f"notices/{guid()}", by=await self.admin())
        self.problem(refused, 404, "notice_not_found")

    async def test_urls(self):
        """Of a URL the path counts: of content, a comment, a user and a file; and the fragment by
        which the portal leads to a comment."""
        made = await self.castle()
        comment = await self.comment(made, made.author)
        number = comment.rpartition("/")[2]
        user = {"kind": "user", "id": made.author.id, "state": "open"}
        about = {"kind": "comment", "id": number, "content": made.id, "state": "open"}
        paths = {
            f"/user/{made.author.id}": user,
            f"/methods/v1/user/{made.author.id}/info": user,
            f"/x{comment}": about,
            f"/comments/{number}": about,
            f"/content/{made.id}/statistics": {**self.of(made), "state": "open"},
            f"/content/{made.id}?x=1#comment-{number}": about,
            f"/content/{made.id}#comment-x": {**self.of(made), "state": "open"},
        }
        for path, expected in paths.items():
            sent = await self.notice({"url": f"https://play.example{path}"})
            self.assertEqual([expected], (await self.seen(sent))["subjects"], path)

    async def test_number(self):
        """The number of a comment leads who sends a notice to no content that needs its id to be
        seen; moderators see it, and who has named it."""
        for change in ("unlisted", "friends", "withdrawn"):
            made = await self.castle()
            comment = await self.comment(made, made.author)
            number = comment.rpartition("/")[2]
            if change == "withdrawn":
                await self.delete(made.path, by=made.author, expect=204)
            else:
                body = {"visibility": change}
                await self.put(f"{made.path}/visibility", body, by=made.author, expect=204)
            about = {"kind": "comment", "id": number, "state": "open"}
            for subject in (
                {"url": f"/comments/{number}"},
                {"kind": "comment", "id": number},
            ):
                sent = await self.notice(subject)
                self.assertEqual([about], (await self.seen(sent))["subjects"], change)
                path = f"notices/{sent['id']}"
                found = await self.read(path, NOTICE, by=await self.member("moderator"))
                self.assertEqual(made.id, found["subjects"][0]["content"])
            sent = await self.notice({"url": comment})
            about["content"] = made.id
            self.assertEqual([about], (await self.seen(sent))["subjects"], change)

    async def test_unknown(self):
        """What does not exist is 422 with its places; nothing is filed."""
        made = await self.castle()
        comment = (await self.comment(made, made.author)).rpartition("/")[2]
        wrong = [
            {"kind": "content", "id": guid()},
            {"kind": "user", "id": "nobody"},
            {"kind": "comment", "id": comment, "content": guid()},
            {"kind": "comment", "id": "99999999999999"},
            {"kind": "file", "id": "0" * 64},
            {"kind": "message", "id": guid(), "user": made.author.id},
            {"url": "https://play.example/content"},
            {"url": f"/collections/{made.id}"},
            {"url": "http://[x/content"},
        ]
        refused = self.problem(await self.tell(self.of(made), *wrong), 422, "unknown_subject")
        self.assertEqual([*range(1, len(wrong) + 1)], refused["subjects"])
        self.assertIsNone(await self.queued("content", made.id))

    async def test_hidden(self):
        """What is hidden is known: withdrawn content, and its comments."""
        made = await self.castle()
        comment = (await self.comment(made, made.author)).rpartition("/")[2]
        await self.delete(made.path, by=made.author, expect=204)
        await self.notice(self.of(made), {"kind": "comment", "id": comment})

    async def test_body(self):
        """What a reason needs is required, and good faith always."""
        made = await self.castle()
        subject = self.of(made)
        for pointer, changes in {
            "/goodFaith": {"goodFaith": False},
            "/name": {"name": None},
            "/email": {"email": None},
            "/signature": {"reason": "copyright"},
        }.items():
            self.invalid(await self.tell(subject, **changes), pointer)
        self.invalid(await self.tell(subject, reason="intimate"), "/signature")
        self.invalid(await self.tell({"kind": "content"}), "/subjects/0")
        self.invalid(await self.tell(subject, {**subject, "url": "/x"}), "/subjects/1")
        await self.notice(subject, reason="child", name=None, email=None)
        await self.notice(subject, reason="intimate", signature="Mira Maro")
        large = await self.tell(subject, explanation="x" * 4096, law="y" * 17_000)
        self.problem(large, 413, "payload_too_large")

    async def test_once(self):
        """The same subject twice is one."""
        made = await self.castle()
        sent = await self.notice(self.of(made), {"url": f"/content/{made.id}"})
        self.assertEqual(1, len((await self.seen(sent))["subjects"]))


class QueueTests(NoticeCase):
    """Notices in the queue."""

    async def test_report(self):
        """A notice is a report of each of its subjects, without a reporter."""
        made = await self.castle()
        user = {"kind": "user", "id": made.author.id}
        await self.report(made.path, await self.user())
        sent = await self.notice(self.of(made), user, reason="trademark")
        newest, _ = await self.reports("content", made.id)
        self.assertEqual((None, sent["id"]), (newest["reporter"], newest["notice"]))
        self.assertEqual(("trademark", SENT["explanation"]), (newest["reason"], newest["text"]))
        self.assertEqual(made.sent["name"], newest["evidence"]["name"])
        queued = await self.queued("content", made.id)
        self.assertEqual((2, 1), (queued["reports"], queued["notices"]))
        self.assertEqual({"spam": 1, "trademark": 1}, queued["reasons"])
        self.assertIsNotNone(await self.queued("user", made.author.id, reason="trademark"))

    async def test_due(self):
        """A subject is due with what is open of it and due first; the list can have that order."""
        one, two, three = [await self.castle() for _ in range(3)]
        await self.report(one.path, await self.user())
        await self.notice(self.of(two))
        await self.notice(self.of(three), reason="child")
        due = {}
        for made, hours in ((one, 72), (two, 24), (three, 1)):
            found = await self.queued("content", made.id)
            due[made.id] = found["due"]
            self.assertEqual(hours * 3600, round((found["due"] - found["first"]) / 10) * 10)
        await self.notice(self.of(one))
        self.assertGreater(due[one.id], (await self.queued("content", one.id))["due"])
        places = []
        for limit in (200, 1):
            path = f"moderation/reports?sort=due&kind=content&limit={limit}"
            order = await self.ordered(path, limit, {one.id, two.id, three.id})
            places.append(order)
        self.assertEqual([[three.id, two.id, one.id]] * 2, places)

    async def ordered(self, path: str, limit: int, of: set[str]) -> list[str]:
        """The ids of these in a list."""
        found, at, by = [], path, await self.admin()
        while at is not None:
            answer = await self.get(at, by=by, expect=200)
            found += [one["subject"]["id"] for one in answer.json()]
            link = answer.header("Link")
            at = link[1:].partition(">")[0] if link else None
        return [one for one in found if one in of]

    async def test_partly(self):
        """What is decided up to a report is due no more; what came later is."""
        made = await self.castle()
        await self.notice(self.of(made), reason="child")
        first = (await self.one("content", made.id))["id"]
        await self.report(made.path, await self.user())
        await self.decide("content", made.id, first)
        found = await self.queued("content", made.id)
        self.assertEqual(
            (1, 0, {"spam": 1}), (found["reports"], found["notices"], found["reasons"])
        )
        self.assertEqual(72 * 3600, round((found["due"] - found["first"]) / 10) * 10)

    async def test_again(self):
        """Another report in the place of one is due with that."""
        made, user = await self.castle(), await self.user()
        await self.report(made.path, user)
        due = (await self.queued("content", made.id))["due"]
        await self.report(made.path, user, "abuse")
        self.assertEqual(due, (await self.queued("content", made.id))["due"])

    async def test_states(self):
        """A notice is open while one of its subjects is, and upheld if one is."""
        one, two = await self.castle(), await self.castle()
        sent = await self.notice(self.of(one), self.of(two))
        await self.judge("content", one.id, "dismissed")
        found = await self.seen(sent)
        states = [each["state"] for each in found["subjects"]]
        self.assertEqual(("open", ["dismissed", "open"]), (found["state"], states))
        await self.judge("content", two.id, "upheld")
        self.assertEqual("upheld", (await self.seen(sent))["state"])
        other = await self.notice(self.of(one))
        await self.judge("content", one.id, "dismissed")
        self.assertEqual("dismissed", (await self.seen(other))["state"])

    async def test_dismissed(self):
        """A dismissal swallows no notice, and a later report only if its evidence is the same."""
        made, user = await self.castle(), await self.user()
        await self.report(made.path, user)
        await self.judge("content", made.id, "dismissed")
        await self.report(made.path, user, "abuse")
        self.assertIsNone(await self.queued("content", made.id))
        await self.notice(self.of(made))
        await self.judge("content", made.id, "dismissed")
        worse = {"description": "Now it is worse.", "screenshotUris": ["a.png"]}
        await self.put(made.path, worse, by=made.author, expect=204)
        await self.report(made.path, user, "abuse")
        self.assertEqual(1, (await self.queued("content", made.id))["reports"])

    async def test_reporters(self):
        """Those who have reported the same are told, beside a notice."""
        made, user = await self.castle(), await self.user()
        await self.report(made.path, user)
        await self.notice(self.of(made))
        await self.judge("content", made.id)
        self.assertEqual(["upheld"], await self.resolved(user, 1))


class FileTests(NoticeCase, FilesCase):
    """Notices of files."""

    async def test_files(self):
        """A file is found by its digest, and by its URL."""
        author = await self.user()
        file = blob()
        await self.upload(author, file)
        for subject in (
            {"kind": "file", "id": file.digest},
            {"url": f"{self.url}/files/content/{file.path}?signature=x"},
        ):
            sent = await self.notice(subject)
            expected = [{"kind": "file", "id": file.digest, "state": "open"}]
            self.assertEqual(expected, (await self.seen(sent))["subjects"])
        evidence = (await self.reports("file", file.digest))[0]["evidence"]
        self.assertEqual([file.path], evidence["paths"])
        self.assertIsNone((await self.queued("file", file.digest))["author"])


class LimitTests(NoticeCase):
    """How many an address sends."""

    most = "1"

    async def test_limit(self):
        """Beyond the limit a notice is 429, and none is filed; what is refused does not count."""
        made, other = await self.castle(), await self.castle()
        self.problem(await self.tell({"url": "/x"}), 422, "unknown_subject")
        await self.notice(self.of(made))
        refused = await self.tell(self.of(other))
        self.problem(refused, 429, "too_many_requests")
        self.assertTrue(86_000 < int(refused.header("Retry-After") or 0) <= 86_400)
        self.assertIsNone(await self.queued("content", other.id))
