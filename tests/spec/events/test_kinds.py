"""What causes which event: studio#events."""

from tests.spec.challenges.support import hence
from tests.spec.data import draft, guid, name
from tests.spec.events.support import EventCase
from tests.spec.files.support import blob
from tests.spec.notifications.support import revision


class KindTests(EventCase):
    async def test_users(self):
        """A registration and the end of an account are events, and so are bans and their end;
        the same ban again is none."""
        after, admin = await self.newest(), await self.admin()
        user = await self.user()
        until = hence(3600)
        ban = f"user/{user.id}/ban"
        for end in (None, until, until):
            await self.put(ban, {"reason": "rude", "until": end}, by=admin, expect=204)
        for _ in range(2):
            await self.delete(ban, by=admin, expect=204)
        user = await self.logged_in(user.username, user.email, user.password)
        await self.delete(f"user/{user.id}", body={"password": user.password}, by=user, expect=204)
        self.assertEqual(
            await self.caused(after, user.id),
            [
                ("UserRegistered", user.id, {"guest": False}),
                ("UserBanned", admin.id, {"until": None}),
                ("DecisionTaken", admin.id, {"action": "ban"}),
                ("UserBanned", admin.id, {"until": until}),
                ("DecisionTaken", admin.id, {"action": "ban"}),
                ("BanLifted", admin.id, {}),
                ("DecisionReversed", admin.id, {}),
                ("UserDeleted", user.id, {}),
            ],
        )

    async def test_roles(self):
        """A new role is an event; the same role again is none."""
        after, admin, user = await self.newest(), await self.admin(), await self.user()
        for _ in range(2):
            await self.put(f"user/{user.id}/role", {"role": "curator"}, by=admin, expect=204)
        self.assertEqual(
            await self.caused(after, user.id),
            [
                ("UserRegistered", user.id, {"guest": False}),
                ("RoleChanged", admin.id, {"role": "curator"}),
            ],
        )

    async def test_names(self):
        """A new name is an event, which does not say it; the same name again is none."""
        after, admin, user = await self.newest(), await self.admin(), await self.user()
        body = {"username": name()}
        for _ in range(2):
            await self.put(f"user/{user.id}/username", body, by=admin, expect=204)
        self.assertEqual(
            await self.caused(after, user.id),
            [("UserRegistered", user.id, {"guest": False}), ("UserRenamed", admin.id, {})],
        )

    async def test_content(self):
        """Publications, changes and each new status of a content are events; what is there already
        is none."""
        after, author = await self.newest(), await self.user()
        made = await self.content(author)
        await self.put(made.path, made.sent, by=author, expect=204)
        first, second = made.sent["revisionId"], revision()
        for _ in range(2):
            await self.post(f"{made.path}/revisions", second, by=author, expect=201)
        update = {"description": "changed", "screenshotUris": ["b.png"]}
        for _ in range(2):
            await self.put(made.path, update, by=author, expect=204)
        for _ in range(2):
            current = {"revisionId": first}
            await self.put(f"{made.path}/revisions/current", current, by=author, expect=204)
        for _ in range(2):
            await self.put(f"{made.path}/name", {"name": "renamed"}, by=author, expect=204)
        for status in ("suspended", "suspended", "active"):
            await self.moderate(made, status)
        await self.delete(made.path, by=author, expect=204)
        await self.post(f"{made.path}/restore", by=author, expect=204)
        published = {"author": author.id, "revision": first, "type": made.sent["type"]}
        revised = {"author": author.id, "revision": second["revisionId"]}
        admin = (await self.admin()).id
        self.assertEqual(
            await self.caused(after, made.id),
            [
                ("ContentPublished", author.id, published),
                ("RevisionPublished", author.id, revised),
                *[("ContentChanged", author.id, {})] * 3,
                ("ContentStatus", admin, {"status": "suspended"}),
                ("DecisionTaken", admin, {"action": "suspend"}),
                ("ContentStatus", admin, {"status": "active"}),
                ("DecisionReversed", admin, {}),
                ("ContentStatus", author.id, {"status": "deleted"}),
                ("ContentStatus", author.id, {"status": "active"}),
            ],
        )

    async def test_visibility(self):
        """Each change of who sees a content is an event. It is published the first time that
        everybody does, once for ever."""
        author, after = await self.user(), await self.newest()
        made = await self.content(author, visibility="private")
        for visibility in ("unlisted", "unlisted", "public", "private", "public"):
            body = {"visibility": visibility}
            await self.put(f"{made.path}/visibility", body, by=author, expect=204)
        published = {"author": author.id, "revision": made.sent["revisionId"], "type": "game"}
        self.assertEqual(
            await self.caused(after, made.id),
            [
                ("ContentVisibility", author.id, {"visibility": "unlisted"}),
                ("ContentVisibility", author.id, {"visibility": "public"}),
                ("ContentPublished", author.id, published),
                ("ContentVisibility", author.id, {"visibility": "private"}),
                ("ContentVisibility", author.id, {"visibility": "public"}),
            ],
        )

    async def test_comments(self):
        """A comment is an event, and so is its removal by whomever, the end of its author's
        account too. Its subject names the content."""
        after, made, ben = await self.newest(), await self.castle(), await self.user()
        paths = [await self.comment(made, ben) for _ in range(3)]
        numbers = [path.rpartition("/")[2] for path in paths]
        for _ in range(2):
            await self.delete(paths[0], by=ben, expect=204)
        await self.delete(paths[1], by=made.author, expect=204)
        page = await self.events(after=after, kinds="CommentPosted", wait=5)
        subject = next(e["subject"] for e in page["items"] if e["subject"]["id"] == numbers[0])
        self.assertEqual(subject, {"kind": "comment", "id": numbers[0], "content": made.id})
        await self.delete(f"user/{ben.id}", body={"password": ben.password}, by=ben, expect=204)
        self.assertEqual(
            await self.caused(after, *numbers),
            [
                *[("CommentPosted", ben.id, {})] * 3,
                ("CommentRemoved", ben.id, {}),
                ("CommentRemoved", made.author.id, {}),
                ("CommentRemoved", ben.id, {}),
            ],
        )

    async def test_reports(self):
        """A report is an event that names nobody; the same again is none. The decision is one."""
        after, made, ben = await self.newest(), await self.castle(), await self.user()
        for _ in range(2):
            await self.report(made.path, ben, "spam", text="secret words")
        await self.report(made.path, ben, "abuse")
        queued = await self.queued("content", made.id)
        await self.decide("content", made.id, queued["upTo"], "upheld")
        self.assertEqual(
            [each for each in await self.caused(after, made.id) if each[0].startswith("Report")],
            [
                ("ReportOpened", None, {"reason": "spam"}),
                ("ReportOpened", None, {"reason": "abuse"}),
                ("ReportResolved", (await self.admin()).id, {"outcome": "upheld"}),
            ],
        )

    async def test_challenges(self):
        """An entry in a challenge is an event, and so is its end, once."""
        after, contest = await self.newest(), await self.challenge()
        entry = await self.entry(contest)
        await self.enter(contest, entry)
        for _ in range(2):
            await self.close(contest, entry)
        self.assertEqual(
            await self.caused(after, contest.id),
            [
                ("ChallengeEntered", entry.author.id, {"entry": entry.id}),
                ("ChallengeClosed", (await self.admin()).id, {"winners": [entry.id]}),
            ],
        )

    async def test_closed_by_votes(self):
        """The end of a challenge that the votes judge names nobody who has closed it."""
        after = await self.newest()
        contest = await self.challenge(judging="votes", closes=hence(3600))
        entry = await self.entry(contest)
        await self.rate(await self.user(), entry, "1")
        await self.end(contest)
        found = []
        while not found:
            page = await self.events(after=after, kinds="ChallengeClosed", wait=20)
            self.assertTrue(page["items"])
            found = [each for each in page["items"] if each["subject"]["id"] == contest.id]
            after = page["next"]
        self.assertEqual((found[0]["actor"], found[0]["data"]), (None, {"winners": [entry.id]}))

    async def test_files(self):
        """A file is an event once its bytes are there, with its size and use."""
        after, user, file = await self.newest(), await self.user(), blob()
        upload = await self.place(user, file)
        await self.send(upload, file.data)
        await self.there(user, file)
        await self.upload(await self.user(), file)
        data = {"size": len(file.data), "use": file.announced["use"]}
        self.assertEqual(await self.caused(after, file.digest), [("FileStored", user.id, data)])

    async def test_nothing_said(self):
        """No event has a name, a text or a reason that somebody has written."""
        after, user = await self.newest(), await self.user()
        made = await self.content(user, **draft(name="Secretive"))
        await self.comment(made, user, "Words that stay here")
        await self.caused(after)
        response = await self.get(
            "events", query={"after": after, "limit": 1000}, by=await self.admin()
        )
        for word in (user.username, "Secretive", "Words that"):
            self.assertNotIn(word.encode(), response.body)


class UnknownTests(EventCase):
    async def test_failed(self):
        """What is refused is no event."""
        after, user = await self.newest(), await self.user()
        content = guid()
        await self.put(f"content/{content}", draft(type="poem"), by=user, expect=400)
        self.assertEqual(await self.caused(after, content), [])
