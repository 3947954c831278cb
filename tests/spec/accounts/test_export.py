"""GET /user/{user}/export: accounts#export."""

from __future__ import annotations

import json
from typing import Any

from tests.spec.accounts.base import AccountsCase
from tests.spec.challenges.test_challenges import challenge
from tests.spec.data import User, entity, guid, reference, word
from tests.spec.files.support import blob
from tests.support.sizes import rounds


class ExportTests(AccountsCase):
    """All that the service holds of a user."""

    async def export(self, user: User) -> dict[str, Any]:
        """The whole object."""
        response = await self.get(f"user/{user.id}/export", by=user, expect=200)
        media = (response.header("Content-Type") or "").partition(";")[0]
        self.assertEqual("application/json", media)
        found = response.json()
        self.assertIs(dict, type(found))
        return dict(found)

    async def has(self, user: User, *marks: object) -> None:
        """Assert that each of these is in the export."""
        text = json.dumps(await self.export(user), ensure_ascii=False)
        for mark in marks:
            self.assertIn(str(mark), text)

    async def test_new(self):
        """It is one JSON object, to be saved as a file, also of who has done nothing yet."""
        user = await self.user()
        response = await self.get(f"user/{user.id}/export", by=user, expect=200)
        expected = f'attachment; filename="{user.username}.json"'
        self.assertEqual(expected, response.header("Content-Disposition"))
        found = response.json()
        self.assertEqual((1, 1), (found["schema"], len(found["sessions"])))
        account = found["account"]
        self.assertEqual(
            (user.id, user.username, user.email),
            (account["id"], account["username"], account["email"]),
        )

    async def test_known(self):
        """An answer without a body counts for no export, and holds the place of none."""
        user = await self.user()
        path = f"user/{user.id}/export"
        for _ in range(2):
            await self.get(path, by=user, headers={"If-None-Match": "*"}, expect=304)
            await self.request("HEAD", path, by=user, expect=200)
        await self.get(path, by=user, expect=200)

    async def test_members(self):
        """What the user has made, and what others have sent to the user, is in its members."""
        user, other = await self.users(2)
        await self.befriend(user, other)
        made, liked, disliked = [await self.content(by) for by in (user, other, other)]
        remark = await self.remark(liked, user)
        for one, value in ((liked, "1"), (disliked, "0")):
            await self.rate(user, one, value)
        sent = await self.wrote(user, other, "hello")
        got = await self.wrote(other, user, "hello to you")
        await self.put(f"user/{user.id}/progress/level", {"value": {"at": 3}}, by=user, expect=204)
        found = await self.export(user)
        self.assertEqual([made.id], [one["id"] for one in found["content"]])
        self.assertEqual(
            [(made.id, made.sent["revisionId"])],
            [(one["content"], one["id"]) for one in found["revisions"]],
        )
        self.assertEqual(
            [(remark, "Well made")], [(one["id"], one["body"]) for one in found["comments"]]
        )
        self.assertCountEqual(
            [(liked.id, "1"), (disliked.id, "0")],
            [(one["content"], one["value"]) for one in found["ratings"]],
        )
        self.assertEqual(
            [(sent, other.id, user.id, "hello"), (got, other.id, other.id, "hello to you")],
            [(one["id"], one["other"], one["sender"], one["text"]) for one in found["messages"]],
        )
        self.assertEqual(
            [("level", {"at": 3})], [(one["key"], one["value"]) for one in found["progress"]]
        )
        kinds = [one["kind"] for one in found["notifications"]]
        self.assertEqual(["FriendConfirm", "FriendMessage"], kinds)
        self.assertEqual([other.username], [one["username"] for one in found["friends"]])

    async def test_no_secrets(self):
        """What proves who they are is not in it."""
        user = await self.known()
        reset = await self.reset_token(user)
        text = json.dumps(await self.export(user))
        for secret in (user.password, user.token, user.refresh_token, reset, "argon2"):
            self.assertNotIn(secret, text)

    async def test_profile(self):
        """The profile, public and full, is in it, and what they wear."""
        user = await self.user()
        marks = [word() for _ in range(3)]
        body = {
            "avatar": f"avatars/{marks[0]}.png",
            "emblem": (emblem := guid()),
            "fullProfile": {"profile": marks[1]},
            "publicProfile": {"profile": marks[2]},
        }
        await self.put(f"user/{user.id}", body, by=user, expect=204)
        await self.has(user, *marks, emblem)

    async def test_people(self):
        """Friends, requests, follows and blocks are in it, each with whom, and never with an
        address."""
        user, *others = await self.users(7)
        friend, asked, asking, followed, follower, blocked = others
        await self.befriend(user, friend)
        await self.ask(user, asked)
        await self.ask(asking, user)
        await self.follow(user, followed)
        await self.follow(follower, user)
        await self.block(user, blocked)
        await self.has(user, *(one.id for one in others))
        text = json.dumps(await self.export(user))
        for one in others:
            self.assertNotIn(one.email, text)

    async def test_party_invites(self):
        """Party invites are in it, sent and got."""
        user, other = await self.users(2)
        parties = [guid(), guid()]
        for (one, another), party in zip(((user, other), (other, user)), parties, strict=True):
            path = f"user/{one.id}/friend/{another.id}/party-invite"
            await self.post(path, {"party": party}, by=one, expect=204)
        await self.has(user, *parties)

    async def test_content(self):
        """Content is in it in every state, with its revisions and parts."""
        user = await self.user()
        active, withdrawn, suspended = [await self.content(user, tags=[word()]) for _ in "abc"]
        await self.delete(withdrawn.path, by=user, expect=204)
        await self.moderate(suspended, "suspended")
        body = {
            "revisionId": guid(),
            "revisionDescription": word(),
            "version": word(),
            "entity": entity(),
            "originating": [],
            "using": [reference(active.sent["originating"][0])],
        }
        await self.post(f"{active.path}/revisions", body, by=user, expect=201)
        marks = [body["revisionId"], body["revisionDescription"], body["version"]]
        for one in (active, withdrawn, suspended):
            sent = one.sent
            marks += [one.id, sent["name"], sent["tags"][0], sent["screenshotUris"][0]]
            marks += [sent["revisionId"], sent["entity"]["path"]]
        await self.has(user, *marks)

    async def test_progress(self):
        """Progress data is in it, whole."""
        user, marks = await self.user(), [word() for _ in range(3)]
        value = {marks[0]: [1, None, {"deep": marks[1]}], "ünï": "\U0001f409"}
        path = f"user/{user.id}/progress/{marks[2]}"
        await self.put(path, {"value": value}, by=user, expect=204)
        found = json.dumps(await self.export(user), ensure_ascii=False)
        for mark in (*marks, "ünï", "\U0001f409"):
            self.assertIn(mark, found)

    async def test_notifications(self):
        """Notifications are in it, read or not, and which kinds are muted."""
        user, marks = await self.user(), [word(), word()]
        for mark in marks:
            await self.notify(user, mark)
        first = (await self.notifications(user))[0]["id"]
        path = f"user/{user.id}/notifications/{first}"
        await self.amend(path, {"read": True}, by=user, expect=204)
        await self.mute(user, "NewFollower")
        await self.has(user, *marks, first, "NewFollower")

    async def test_reports(self):
        """Reports that they have filed are in it, with their text."""
        user, other = await self.users(2)
        made, marks = await self.content(other), [word(), word()]
        await self.report(made.path, user, text=marks[0])
        await self.report(f"user/{other.id}", user, text=marks[1])
        await self.has(user, *marks, made.id, other.id)

    async def test_files(self):
        """Files that they have announced are in it."""
        user, file = await self.user(), blob()
        await self.post("uploads", {"files": [file.announced]}, by=user, expect=200)
        await self.has(user, file.digest)

    async def test_rewards(self):
        """Entries of challenges are in it, and what was earned there."""
        user, admin = await self.user(), await self.admin()
        made = await self.content(user)
        response = await self.post("design-challenges", challenge(), by=admin, expect=201)
        path = (response.header("Location") or "").removeprefix("/api/v1/")
        await self.put(f"{path}/entries/{made.id}", by=user, expect=204)
        await self.has(user, path.rpartition("/")[2])
        await self.post(f"{path}/close", {"winners": [made.id]}, by=admin, expect=204)
        earned = (await self.export(user))["rewards"]
        self.assertEqual({path.rpartition("/")[2]}, {one["challenge"] for one in earned})

    async def test_sessions_and_identities(self):
        """Sessions are in it, and accounts that are linked."""
        subject = guid()
        user = await self.arrive(subject)
        path = f"user/{user.id}/sessions"
        (session,) = (await self.get(path, by=user, expect=200)).json()
        await self.has(user, session["id"], subject, self.issuer().url)

    async def test_warnings_and_bans(self):
        """What moderators did to them is in it: a warning, and a ban that is over."""
        user, admin, marks = await self.user(), await self.admin(), [word(), word()]
        await self.post(f"user/{user.id}/warning", {"reason": marks[0]}, by=admin, expect=204)
        path = f"user/{user.id}/ban"
        await self.put(path, {"reason": marks[1], "until": 1}, by=admin, expect=204)
        again = await self.logged_in(user.username, user.email, user.password)
        await self.has(again, marks[0])

    async def test_reported(self):
        """accounts#export: who reported them, what moderators decided, and their notes are not
        in it. Who reported them has their own report and the outcome, without the note."""
        user, reporter, admin = await self.user(), await self.user(), await self.admin()
        made = await self.content(user)
        comment = await self.remark(made, user)
        subjects = [
            ("user", user.id, f"user/{user.id}"),
            ("content", made.id, made.path),
            ("comment", str(comment), f"{made.path}/comments/{comment}"),
        ]
        texts, notes = [word() for _ in subjects], [word() for _ in subjects]
        for (kind, id, path), text, note in zip(subjects, texts, notes, strict=True):
            await self.report(path, reporter, text=text)
            await self.judge(kind, id, note=note)
        found = await self.export(user)
        text = json.dumps(found)
        for mark in (*texts, *notes, reporter.id, admin.id, "upheld", "report_", "dismissed"):
            self.assertNotIn(mark, text)
        self.assertEqual([], found["moderation"])
        socket = await self.socket(reporter, resume=0)
        for _ in subjects:
            await self.pushed(socket)
        text = json.dumps(await self.export(reporter))
        for mark in (*texts, "upheld"):
            self.assertIn(mark, text)
        for mark in (*notes, admin.id):
            self.assertNotIn(mark, text)

    async def test_pending_address(self):
        """An address that waits to be confirmed is in it."""
        user, address = await self.known(), self.fresh()
        await self.change(user, address, expect=204)
        await self.has(user, address)

    async def test_not_others(self):
        """What others have written among themselves, and who blocks the user, is not in it."""
        user, other, third = await self.users(3)
        await self.befriend(other, third)
        mark = word()
        await self.wrote(other, third, mark)
        await self.put(f"user/{other.id}/progress/key", {"value": {mark: 1}}, by=other, expect=204)
        await self.block(third, user)
        text = json.dumps(await self.export(user))
        for one in (mark, other.id, third.id):
            self.assertNotIn(one, text)

    async def test_streamed(self):
        """It is streamed: one with 8 MB of progress data under 230 keys and 400 notifications is
        whole, and in order; in a quick run with fewer, of five pages and three."""
        user, filler = await self.user(), "x" * 36_000
        keys, tens = rounds(32, 230, 230), rounds(21, 40, 40)
        for n in range(keys):
            path = f"user/{user.id}/progress/key-{n:03}"
            await self.put(path, {"value": {"n": n, "x": filler}}, by=user, expect=204)
        for n in range(tens):
            await self.together(*(self.notify(user, f"text {n}-{m}") for m in range(10)))
        wire = await self.wire("GET", f"user/{user.id}/export", by=user, Connection="close")
        answer = await wire.answer()
        self.assertEqual(200, answer.status)
        self.assertIn(b"Transfer-Encoding: chunked", wire.received[:3000])
        found = answer.json()
        values = [{"n": n, "x": filler} for n in range(keys)]
        self.assertEqual(values, [one["value"] for one in found["progress"]])
        texts = [one["text"] for one in found["notifications"]]
        self.assertCountEqual([f"text {n}-{m}" for n in range(tens) for m in range(10)], texts)
        numbers = [one["number"] for one in found["notifications"]]
        self.assertEqual(list(range(1, 10 * tens + 1)), numbers)
