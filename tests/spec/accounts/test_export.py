"""GET /user/{user}/export: extensions §8."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.spec.accounts.base import AccountsCase
from tests.spec.challenges.test_challenges import challenge
from tests.spec.client import NOTHING
from tests.spec.data import User, entity, guid, reference, word
from tests.spec.files.support import blob


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
        """§8: one JSON object, also of who has done nothing yet."""
        user = await self.user()
        await self.has(user, user.id, user.username, user.email)

    async def test_no_secrets(self):
        """§8: what proves who they are is not in it."""
        user = await self.known()
        reset = await self.reset_token(user)
        text = json.dumps(await self.export(user))
        for secret in (user.password, user.token, user.refresh_token, reset, "argon2"):
            self.assertNotIn(secret, text)

    async def test_profile(self):
        """§8: the profile, public and full, and what they wear."""
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
        """§8: friends, requests, follows and blocks, each with whom."""
        user, *others = await self.users(7)
        friend, asked, asking, followed, follower, blocked = others
        await self.befriend(user, friend)
        await self.ask(user, asked)
        await self.ask(asking, user)
        await self.follow(user, followed)
        await self.follow(follower, user)
        await self.block(user, blocked)
        await self.has(user, *(one.id for one in others))

    async def test_messages(self):
        """§8: messages, written and got."""
        user, other = await self.users(2)
        await self.befriend(user, other)
        texts = [word(), word()]
        ids = [await self.wrote(user, other, texts[0]), await self.wrote(other, user, texts[1])]
        await self.has(user, *texts, *ids)

    async def test_party_invites(self):
        """§8: party invites, sent and got."""
        user, other = await self.users(2)
        parties = [guid(), guid()]
        for (one, another), party in zip(((user, other), (other, user)), parties, strict=True):
            path = f"user/{one.id}/friend/{another.id}/party-invite"
            await self.post(path, {"party": party}, by=one, expect=204)
        await self.has(user, *parties)

    async def test_content(self):
        """§8: content in every state, with its revisions and parts."""
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

    async def test_comments_and_votes(self):
        """§8: comments, and votes, on content of others."""
        user, other = await self.users(2)
        made, disliked = await self.content(other), await self.content(other)
        text = word()
        await self.comment(made, user, text)
        await self.rate(user, made, "1")
        await self.rate(user, disliked, "0")
        await self.has(user, text, made.id, disliked.id)

    async def test_progress(self):
        """§8: progress data, whole."""
        user, marks = await self.user(), [word() for _ in range(3)]
        value = {marks[0]: [1, None, {"deep": marks[1]}], "ünï": "\U0001f409"}
        path = f"user/{user.id}/progress/{marks[2]}"
        await self.put(path, {"value": value}, by=user, expect=204)
        found = json.dumps(await self.export(user), ensure_ascii=False)
        for mark in (*marks, "ünï", "\U0001f409"):
            self.assertIn(mark, found)

    async def test_notifications(self):
        """§8: notifications, read or not, and which kinds are muted."""
        user, marks = await self.user(), [word(), word()]
        for mark in marks:
            await self.notify(user, mark)
        first = (await self.notifications(user))[0]["id"]
        path = f"user/{user.id}/notifications/{first}"
        await self.amend(path, {"read": True}, by=user, expect=204)
        await self.mute(user, "NewFollower")
        await self.has(user, *marks, first, "NewFollower")

    async def test_reports(self):
        """§8: reports that they have filed, with their text."""
        user, other = await self.users(2)
        made, marks = await self.content(other), [word(), word()]
        await self.report(made.path, user, text=marks[0])
        await self.report(f"user/{other.id}", user, text=marks[1])
        await self.has(user, *marks, made.id, other.id)

    async def test_files(self):
        """§8: files that they have announced."""
        user, file = await self.user(), blob()
        body = {"files": [file.announced]}
        response = await self.post("uploads", body, by=user)
        if response.status == 404:
            return
        await self.has(user, file.digest)

    async def test_rewards(self):
        """§8: entries of challenges, and what was earned there."""
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
        """§8: sessions, and accounts that are linked."""
        subject = guid()
        user = await self.arrive(subject)
        path = f"user/{user.id}/sessions"
        (session,) = (await self.get(path, by=user, expect=200)).json()
        await self.has(user, session["id"], subject, self.issuer().url)

    async def test_warnings_and_bans(self):
        """§8: what moderators did to them: a warning, and a ban that was lifted."""
        user, admin, marks = await self.user(), await self.admin(), [word(), word()]
        await self.post(f"user/{user.id}/warning", {"reason": marks[0]}, by=admin, expect=204)
        path = f"user/{user.id}/ban"
        await self.put(path, {"reason": marks[1], "until": 1}, by=admin, expect=204)
        again = await self.logged_in(user.username, user.email, user.password)
        await self.has(again, marks[0])

    async def test_reported(self):
        """choices: who reported them, what moderators decided, and their notes, are not in it. Who
        reported them has their own report and the outcome, without the note."""
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
        """§8: an address that waits to be confirmed."""
        user, address = await self.known(), self.fresh()
        await self.change(user, address, expect=204)
        await self.has(user, address)

    async def test_not_others(self):
        """§8: what others have written among themselves is not in it."""
        user, other, third = await self.users(3)
        await self.befriend(other, third)
        mark = word()
        await self.wrote(other, third, mark)
        await self.put(f"user/{other.id}/progress/key", {"value": {mark: 1}}, by=other, expect=204)
        text = json.dumps(await self.export(user))
        for one in (mark, other.email, third.email):
            self.assertNotIn(one, text)

    async def test_others_addresses(self):
        """choices: of others it has what the user could read anyway, never their address."""
        user, other = await self.users(2)
        await self.befriend(user, other)
        await self.follow(other, user)
        self.assertNotIn(other.email, json.dumps(await self.export(user)))

    async def test_streamed(self):
        """§8: streamed: one with 8 MB of progress data and 400 notifications is whole."""
        user, filler = await self.user(), "x" * 200_000
        for n in range(40):
            path = f"user/{user.id}/progress/key-{n:02}"
            await self.put(path, {"value": {"n": n, "x": filler}}, by=user, expect=204)
        for n in range(40):
            await self.together(*(self.notify(user, f"text {n}-{m}") for m in range(10)))
        wire = await self.wire("GET", f"user/{user.id}/export", by=user, Connection="close")
        answer = await wire.answer()
        self.assertEqual(200, answer.status)
        self.assertIn(b"Transfer-Encoding: chunked", wire.received[:3000])
        text = answer.body.decode()
        self.assertIs(dict, type(json.loads(text)))
        self.assertEqual(40, len(re.findall(filler, text)))
        self.assertEqual(400, len(set(re.findall(r"text \d+-\d+", text))))

    async def test_get_alone(self):
        """choices: it takes no body, and changes nothing."""
        user = await self.user()
        before = await self.record(user)
        response = await self.request("GET", f"user/{user.id}/export", NOTHING, by=user)
        self.assertEqual(200, response.status)
        self.assertEqual(before, await self.record(user))
