"""Withdrawing content and taking that back: content#withdrawal."""

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.client import Response
from tests.spec.data import Content, User, guid
from tests.spec.notifications.support import TellingCase, bare, revision
from tests.spec.shapes import COMMENT_PAGE, CONTENT, CONTENT_INFO, REVISION_ITEM
from tests.support.deferreds import together


class WithdrawingCase(TellingCase):
    """DELETE and restore."""

    async def status(self, of: Content, by: User | None = None) -> str:
        """The status that the author (or another) sees."""
        return str((await self.read(of.path, CONTENT, by=by or of.author))["status"])

    async def listed(self, path: str, by: User | None = None, **query: str) -> list[str]:
        """The ids of a list of content."""
        found = await self.read(path, [CONTENT_INFO], by=by, query=query)
        return [item["id"] for item in found]


class DeleteTests(WithdrawingCase):
    """DELETE /api/v1/content/{content}."""

    async def test_delete(self):
        """content#withdrawal: its author withdraws it: 204, `deleted` to author and admins, and not
        there for everybody else."""
        made = await self.content(await self.user())
        await self.delete(made.path, by=made.author, expect=204)
        for user in (made.author, await self.admin()):
            self.assertEqual("deleted", await self.status(made, user))
        for user in (None, await self.someone()):
            self.problem(await self.get(made.path, by=user), 404, "content_not_found")

    async def test_repeat(self):
        """content#withdrawal: a repeat is 204."""
        made = await self.content(await self.someone())
        for _ in range(2):
            await self.delete(made.path, by=made.author, expect=204)
        self.assertEqual("deleted", await self.status(made))

    async def test_who(self):
        """content#withdrawal: only its author may: not admins; nobody is 401."""
        made = await self.content(await self.user())
        self.problem(await self.delete(made.path), 401, "unauthorized")
        for user in (await self.someone(), await self.admin()):
            self.problem(await self.delete(made.path, by=user), 403, "forbidden")
        self.assertEqual("active", await self.status(made))

    async def test_missing(self):
        """content#withdrawal: content that does not exist is 404, and so is hidden content of
        another."""
        made = await self.content(await self.user())
        await self.withdraw(made)
        other = await self.someone()
        for path in (f"content/{guid()}", made.path):
            self.problem(await self.delete(path, by=other), 404, "content_not_found")
        refused = await self.post(f"content/{guid()}/restore", by=other)
        self.problem(refused, 404, "content_not_found")

    async def test_hidden_from_others(self):
        """content#withdrawal: hidden as suspended content is, with all that belongs to it."""
        made, other = await self.content(await self.user()), await self.user()
        comment = await self.comment(made, other)
        await self.rate(other, made, "1")
        await self.withdraw(made)
        paths = ["", "/comments", "/revisions", "/dependents"]
        paths.append(f"/revisions/{made.sent['revisionId']}")
        for path in (*(made.path + part for part in paths), comment):
            for user in (None, other):
                self.problem(await self.get(path, by=user), 404)
        for refused in (
            await self.post(f"{made.path}/comments", {"body": "x"}, by=other),
            await self.put(f"user/{other.id}/rating/{made.id}", {"value": "1"}, by=other),
            await self.post(f"{made.path}/revisions", revision(), by=other),
            await self.post(f"{made.path}/restore", by=other),
            await self.put(
                f"{made.path}/revisions/current", {"revisionId": made.sent["revisionId"]}, by=other
            ),
            await self.put(f"{made.path}/comments-locked", {"locked": True}, by=other),
        ):
            self.problem(refused, 404, "content_not_found")
        refused = await self.amend(comment, {"body": "x"}, by=other)
        self.problem(refused, 404, "comment_not_found")
        self.assertEqual({}, await self.read(f"user/{other.id}/ratings", dict, by=other))

    async def test_open_to_author_and_admins(self):
        """content#withdrawal: its author and admins read on, and comment."""
        made = await self.content(await self.user())
        await self.withdraw(made)
        for user in (made.author, await self.admin()):
            await self.comment(made, user)
            await self.read(f"{made.path}/comments", COMMENT_PAGE, by=user)
            await self.read(f"{made.path}/revisions", [REVISION_ITEM], by=user)
            await self.read(f"{made.path}/dependents", [CONTENT_INFO], by=user)

    async def test_lists(self):
        """content#withdrawal: it is in no list of content#by-author, its author's own neither, but
        for admins with status=deleted; their `all` includes it."""
        author, admin = await self.user(), await self.admin()
        deleted, active = [await self.content(author, **bare()) for _ in range(2)]
        await self.withdraw(deleted)
        path = f"user/{author.id}/content"
        for user in (None, author, await self.someone(), admin):
            self.assertEqual([active.id], await self.listed(path, user))
        for user in (None, author):
            self.assertEqual([active.id], await self.listed(path, user, status="deleted"))
        for status, expected in {
            "deleted": [deleted.id],
            "active,suspended": [active.id],
            "active,deleted": [active.id, deleted.id],
            "all": [active.id, deleted.id],
        }.items():
            self.assertEqual(expected, await self.listed(path, admin, status=status), status)

    async def test_changes_are_refused(self):
        """content#withdrawal: PUT content, PUT current, a revision and pre-check update are 409
        content_deleted, for its author and for admins."""
        made = await self.content(await self.user())
        sent = await self.publish(made)
        await self.withdraw(made)
        asked = {"contentId": made.id, "operation": "update", "dependencies": [], "packages": []}
        update = {"description": "x", "screenshotUris": ["x.png"]}
        before = await self.read(made.path, CONTENT, by=made.author)
        for user in (made.author, await self.admin()):
            for refused in (
                await self.put(made.path, update, by=user),
                await self.put(made.path, update | {"revisionId": guid()}, by=user),
                await self.post(f"{made.path}/revisions", revision(), by=user),
                await self.post("content/upload-precheck", asked, by=user),
            ):
                self.problem(refused, 409, "content_deleted")
            for one in (made.sent["revisionId"], sent["revisionId"]):
                current = {"revisionId": one}
                refused = await self.put(f"{made.path}/revisions/current", current, by=user)
                self.problem(refused, 409, "content_deleted")
            named = update | {"revisionId": sent["revisionId"]}
            self.problem(await self.put(made.path, named, by=user), 409, "content_deleted")
        self.assertEqual(before, await self.read(made.path, CONTENT, by=made.author))

    async def test_repeats_of_publishing(self):
        """content#withdrawal: on deleted content a repeat of a published revisionId is still 201,
        and of the create 204."""
        made = await self.content(await self.someone())
        sent = await self.publish(made)
        await self.withdraw(made)
        before = await self.read(made.path, CONTENT, by=made.author)
        for body in (sent, revision(revisionId=made.sent["revisionId"])):
            await self.post(f"{made.path}/revisions", body, by=made.author, expect=201)
        again = made.sent | {"description": "other"}
        await self.put(made.path, again, by=made.author, expect=204)
        self.assertEqual(before, await self.read(made.path, CONTENT, by=made.author))

    async def test_order_of_judgement(self):
        """Extensions: 409 content_deleted comes after 400 and 404."""
        made = await self.content(await self.someone())
        await self.withdraw(made)
        body = {"description": "x", "screenshotUris": []}
        self.invalid(await self.put(made.path, body, by=made.author), "/screenshotUris")
        refused = await self.post(f"{made.path}/revisions", {}, by=made.author)
        self.problem(refused, 400, "invalid_body")
        path = f"{made.path}/revisions/current"
        self.invalid(await self.put(path, {"revisionId": 7}, by=made.author), "/revisionId")
        refused = await self.put(path, {"revisionId": guid()}, by=made.author)
        self.problem(refused, 404, "revision_not_found")

    async def test_of_another(self):
        """content#withdrawal: for a third user PUT and pre-check are 403 as before, whatever it
        is."""
        made, other = await self.content(await self.user()), await self.someone()
        await self.withdraw(made)
        asked = {"contentId": made.id, "operation": "update", "dependencies": [], "packages": []}
        body = {"description": "x", "screenshotUris": ["x.png"]}
        for refused in (
            await self.put(made.path, body, by=other),
            await self.put(made.path, bare(), by=other),
            await self.post("content/upload-precheck", asked, by=other),
        ):
            self.problem(refused, 403, "forbidden")

    async def test_hidden_from_another(self):
        """content#withdrawal: for a third user all else of hidden content is 404; of active content
        they are 403."""
        made, other = await self.content(await self.user()), await self.someone()

        async def asked() -> list[Response]:
            current = {"revisionId": made.sent["revisionId"]}
            return [
                await self.post(f"{made.path}/revisions", revision(), by=other),
                await self.put(f"{made.path}/revisions/current", current, by=other),
                await self.put(f"{made.path}/comments-locked", {"locked": True}, by=other),
                await self.delete(made.path, by=other),
                await self.post(f"{made.path}/restore", by=other),
            ]

        for refused in await asked():
            self.problem(refused, 403, "forbidden")
        status = f"{made.path}/status"
        await self.put(status, {"status": "suspended"}, by=await self.admin(), expect=204)
        for refused in await asked():
            self.problem(refused, 404, "content_not_found")
        await self.withdraw(made)
        for refused in await asked():
            self.problem(refused, 404, "content_not_found")

    async def test_id_stays_taken(self):
        """specification, 4.1 Pre-check: the contentId of deleted content is taken: the pre-check
        says so."""
        made = await self.content(await self.someone())
        await self.withdraw(made)
        asked = {"contentId": made.id, "operation": "create", "dependencies": [], "packages": []}
        refused = await self.post("content/upload-precheck", asked, by=made.author)
        self.problem(refused, 409, "content_exists")


class RestoreTests(WithdrawingCase):
    """POST /api/v1/content/{content}/restore."""

    async def test_restore(self):
        """content#withdrawal: its author takes the withdrawal back: 204, and all is as it was."""
        made = await self.content(await self.user())
        comment = await self.comment(made, await self.someone())
        before = await self.read(made.path, CONTENT)
        await self.withdraw(made)
        for _ in range(2):
            await self.restore(made)
        self.assertEqual(before, await self.read(made.path, CONTENT))
        await self.get(comment, expect=200)
        self.assertEqual([made.id], await self.listed(f"user/{made.author.id}/content"))

    async def test_never_deleted(self):
        """content#withdrawal: repeatable: of what is not deleted it is 204 and changes nothing."""
        made = await self.content(await self.someone())
        await self.restore(made)
        self.assertEqual("active", await self.status(made))

    async def test_who(self):
        """content#withdrawal: its author may, and admins: moderators, who see it, are 403; nobody
        is 401."""
        made, moderator = await self.content(await self.user()), await self.member("moderator")
        path = f"{made.path}/restore"
        self.problem(await self.post(path, by=moderator), 403, "forbidden")
        await self.withdraw(made)
        self.problem(await self.post(path), 401, "unauthorized")
        refused = await self.post(path, by=moderator), await self.delete(made.path, by=moderator)
        for each in refused:
            self.problem(each, 403, "forbidden")
        self.assertEqual("deleted", await self.status(made))
        await self.post(path, by=await self.admin(), expect=204)
        self.assertEqual("active", await self.status(made))

    async def test_suspended_meanwhile(self):
        """content#withdrawal: PUT status sets only its own flag; a restored content is suspended if
        it was meanwhile. Its author is told of the suspension and of its end."""
        made = await self.content(await self.user())
        await self.withdraw(made)
        await self.moderate(made, "suspended")
        self.assertEqual("deleted", await self.status(made), "deleted shows first")
        (told,) = await self.notifications(made.author)
        self.assertEqual("ContentSuspended", told["kind"])
        await self.restore(made)
        self.assertEqual("suspended", await self.status(made))
        self.problem(await self.get(made.path), 404, "content_not_found")
        await self.moderate(made, "active")
        self.assertEqual("active", await self.status(made))
        _, told = await self.notifications(made.author)
        self.assertEqual("ContentRestored", told["kind"])

    async def test_suspended_before(self):
        """content#withdrawal: suspended content can be withdrawn, and is suspended when it is
        back."""
        made = await self.content(await self.user())
        await self.moderate(made, "suspended")
        await self.withdraw(made)
        self.assertEqual("deleted", await self.status(made))
        await self.restore(made)
        self.assertEqual("suspended", await self.status(made))

    async def test_admin_does_not_restore(self):
        """content#withdrawal: PUT status active does not take a withdrawal back."""
        made = await self.content(await self.user())
        await self.withdraw(made)
        await self.moderate(made, "active")
        self.assertEqual("deleted", await self.status(made))

    async def test_while_an_admin_suspends(self):
        """content#withdrawal: a restore at the same time as a suspension: it is suspended then."""
        made = await self.content(await self.user())
        for _ in range(4):
            await self.withdraw(made)
            await gatherResults(
                Deferred.fromCoroutine(one)
                for one in (self.restore(made), self.moderate(made, "suspended"))
            )
            self.assertEqual("suspended", await self.status(made))
            await self.moderate(made, "active")

    async def test_both_at_once(self):
        """content#withdrawal: withdrawing and restoring at once are both 204, and one came last."""
        made = await self.content(await self.user())
        for _ in range(4):
            both = [self.withdraw(made), self.restore(made), self.withdraw(made)]
            await together(*both)
            self.assertIn(await self.status(made), ("active", "deleted"))

    async def test_while_it_is_revised(self):
        """content#withdrawal: a revision while its content is withdrawn is 201 or 409, and
        whole."""
        made = await self.content(await self.user())
        for _ in range(4):
            sent = revision()
            answer, _ = await gatherResults(
                Deferred.fromCoroutine(one)
                for one in (
                    self.post(f"{made.path}/revisions", sent, by=made.author),
                    self.withdraw(made),
                )
            )
            await self.restore(made)
            got = await self.read(made.path, CONTENT)
            if answer.status == 201:
                self.assertEqual(sent["revisionId"], got["revisionId"])
            else:
                self.problem(answer, 409, "content_deleted")
                self.assertNotEqual(sent["revisionId"], got["revisionId"])
