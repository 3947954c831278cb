"""Testers and members of content (content#members)."""

from typing import Any

from tests.spec.content.letting_in import GuestsCase
from tests.spec.data import Content, User, draft, guid
from tests.spec.notifications.support import revision
from tests.spec.shapes import CONTENT_INFO, MEMBER, MEMBERSHIP, TESTER


class TesterTests(GuestsCase):
    """PUT, DELETE and GET of testers."""

    def path(self, of: Content, user: User) -> str:
        """A user as a tester."""
        return f"{of.path}/testers/{user.id}"

    async def of(self) -> Content:
        """Private content."""
        return await self.content(await self.user(), visibility="private")

    async def test_add(self):
        """content#members: a tester is in the list, and told once, whatever happens later."""
        made, tester = await self.of(), await self.user()
        path = self.path(made, tester)
        for _ in range(2):
            await self.put(path, by=made.author, expect=204)
        (found,) = await self.read(f"{made.path}/testers", [TESTER], by=made.author)
        self.assertEqual(tester.id, found["user"]["id"])
        await self.delete(path, by=made.author, expect=204)
        self.assertEqual([], await self.read(f"{made.path}/testers", [TESTER], by=made.author))
        await self.get(made.path, by=tester, expect=404)
        await self.put(path, by=made.author, expect=204)
        (told,) = await self.told(tester, 1)
        expected = {"kind": "TesterInvited", "content": made.id, "sender": made.author.id}
        self.assertEqual(expected, told)

    async def test_who(self):
        """content#members: the author alone adds and lists; not admins; whom it is hidden from,
        404."""
        made, other = await self.content(await self.user()), await self.user()
        path, hidden = self.path(made, other), await self.content(made.author, visibility="private")
        self.problem(await self.put(path), 401, "unauthorized")
        for user in (other, await self.admin()):
            self.problem(await self.put(path, by=user), 403, "forbidden")
            self.problem(await self.get(f"{made.path}/testers", by=user), 403, "forbidden")
        self.problem(await self.put(self.path(hidden, other), by=other), 404, "content_not_found")
        refused = await self.get(f"{hidden.path}/testers", by=other)
        self.problem(refused, 404, "content_not_found")

    async def test_who_deletes(self):
        """content#members: the author and that user end it, also where there is nothing."""
        made, tester, other = await self.of(), await self.user(), await self.user()
        await self.let_in(made, tester=tester)
        path = self.path(made, tester)
        self.problem(await self.delete(path, by=other), 404, "content_not_found")
        self.problem(await self.delete(path, by=await self.admin()), 403, "forbidden")
        await self.moderate(made, "suspended")
        await self.delete(path, by=tester, expect=204)
        for _ in range(2):
            await self.delete(path, by=made.author, expect=204)

    async def test_refused(self):
        """content#members: oneself is 422, an unknown user 404, who is blocked 403, by either."""
        made, other = await self.content(await self.user()), await self.user()
        refused = await self.put(self.path(made, made.author), by=made.author)
        self.problem(refused, 422, "cannot_invite_self")
        refused = await self.put(f"{made.path}/testers/{guid()}", by=made.author)
        self.problem(refused, 404, "user_not_found")
        await self.put(f"user/{other.id}/blocked/{made.author.id}", by=other, expect=204)
        for kind in ("testers", "members"):
            refused = await self.put(f"{made.path}/{kind}/{other.id}", by=made.author)
            self.problem(refused, 403, "blocked")

    async def test_deleted(self):
        """content#visibility: nobody is let in to deleted content."""
        made, other = await self.content(await self.user()), await self.user()
        await self.withdraw(made)
        self.problem(await self.put(self.path(made, other), by=made.author), 409, "content_deleted")

    async def test_block_ends(self):
        """content#members: a block ends both, whichever of the two blocks."""
        for blocker in ("author", "guest"):
            people = {"author": await self.user(), "guest": await self.user()}
            guest = people["guest"]
            made = await self.content(people["author"], visibility="private")
            await self.let_in(made, tester=guest, member=guest)
            other = people["guest" if blocker == "author" else "author"]
            user = people[blocker]
            await self.put(f"user/{user.id}/blocked/{other.id}", by=user, expect=204)
            await self.get(made.path, by=guest, expect=404)
            self.assertEqual([], await self.read(f"{made.path}/testers", [TESTER], by=made.author))
            self.assertEqual([], await self.read(f"{made.path}/members", [MEMBER], by=made.author))

    async def test_pages(self):
        """The list is newest first, in parts."""
        made = await self.content(await self.user())
        users = [await self.user() for _ in range(3)]
        for user in users:
            await self.let_in(made, tester=user)
        found = await self.pages(f"{made.path}/testers?limit=2", [TESTER], by=made.author)
        shown = [item["user"]["id"] for page in found for item in page]
        self.assertEqual([user.id for user in reversed(users)], shown)


class MemberTests(GuestsCase):
    """PUT, DELETE and GET of members, and what they may."""

    async def of(self, **people: User) -> Content:
        """Private content with these people."""
        made = await self.content(await self.user(), visibility="private")
        await self.let_in(made, **people)
        return made

    async def listed(self, made: Content, by: Any) -> dict[str, bool]:
        """The members that somebody sees, and whether each has accepted."""
        found = await self.read(f"{made.path}/members", [MEMBER], by=by)
        return {item["user"]["id"]: item["accepted"] for item in found}

    async def test_invite_and_accept(self):
        """content#members: the author invites, which tells; that user accepts; repeats change
        nothing."""
        other = await self.user()
        made = await self.of(invited=other)
        path = f"{made.path}/members/{other.id}"
        await self.put(path, by=made.author, expect=204)
        self.assertEqual({other.id: False}, await self.listed(made, made.author))
        for _ in range(2):
            await self.put(path, by=other, expect=204)
        self.assertEqual({other.id: True}, await self.listed(made, other))
        (told,) = await self.told(other, 1)
        expected = {"kind": "MemberInvited", "content": made.id, "sender": made.author.id}
        self.assertEqual(expected, told)

    async def test_without_invitation(self):
        """content#members: accepting without an invitation is 404; where it is hidden, as that."""
        other = await self.user()
        made, hidden = await self.content(await self.user()), await self.of()
        refused = await self.put(f"{made.path}/members/{other.id}", by=other)
        self.problem(refused, 404, "invitation_not_found")
        refused = await self.put(f"{hidden.path}/members/{other.id}", by=other)
        self.problem(refused, 404, "content_not_found")

    async def test_who(self):
        """content#members: nobody else invites, members and admins neither."""
        member, other = await self.user(), await self.user()
        made = await self.of(member=member)
        path = f"{made.path}/members/{other.id}"
        for user in (member, await self.admin()):
            self.problem(await self.put(path, by=user), 403, "forbidden")
            self.problem(await self.delete(path, by=user), 403, "forbidden")
        refused = await self.put(f"{made.path}/members/{made.author.id}", by=made.author)
        self.problem(refused, 422, "cannot_invite_self")

    async def test_who_sees_invited(self):
        """content#members: who has not accepted is shown to the author and to themselves."""
        invited, member = await self.user(), await self.user()
        made = await self.of(invited=invited, member=member)
        both, accepted = {invited.id: False, member.id: True}, {member.id: True}
        self.assertEqual(both, await self.listed(made, made.author))
        self.assertEqual(both, await self.listed(made, invited))
        self.assertEqual(accepted, await self.listed(made, member))
        self.assertEqual(accepted, await self.listed(made, await self.admin()))

    async def test_leave(self):
        """content#members: a member leaves, and an invitation is turned down."""
        invited, member = await self.user(), await self.user()
        made = await self.of(invited=invited, member=member)
        for user in (invited, member):
            await self.delete(f"{made.path}/members/{user.id}", by=user, expect=204)
            await self.get(made.path, by=user, expect=404)
        self.assertEqual({}, await self.listed(made, made.author))

    async def test_quota(self):
        """content#members: up to 10, who is invited counts; a repeat is good."""
        made = await self.of()
        users = [await self.user() for _ in range(11)]
        for user in users[:10]:
            await self.let_in(made, invited=user)
        refused = await self.put(f"{made.path}/members/{users[10].id}", by=made.author)
        found = self.problem(refused, 403, "quota_exceeded")
        self.assertEqual((10, 10), (found["limit"], found["used"]))
        await self.let_in(made, invited=users[0])

    async def test_memberships(self):
        """content#members: the user's list has both roles, the newest first."""
        user = await self.user()
        tested = await self.of(tester=user)
        invited = await self.of(invited=user)
        path = f"user/{user.id}/memberships"
        found = await self.read(path, [MEMBERSHIP], by=user)
        self.assertEqual(
            [(invited.id, "editor", False), (tested.id, "tester", True)],
            [(item["content"]["id"], item["role"], item["accepted"]) for item in found],
        )
        for other in (None, await self.someone(), await self.admin()):
            self.problem(await self.get(path, by=other), (401, 403))

    async def test_edits(self):
        """content#members: a member publishes, chooses the revision and changes the description; no
        action of an admin is noted."""
        member = await self.user()
        made = await self.of(member=member)
        sent = revision()
        await self.post(f"{made.path}/revisions", sent, by=member, expect=201)
        back = {"revisionId": made.sent["revisionId"]}
        await self.put(f"{made.path}/revisions/current", back, by=member, expect=204)
        changed = {"description": "Better", "screenshotUris": ["a.png"]}
        await self.put(made.path, changed, by=member, expect=204)
        asked = {"contentId": made.id, "operation": "update", "dependencies": [], "packages": []}
        await self.post("content/upload-precheck", asked, by=member, expect=200)
        path = f"moderation/actions?subject={made.id}"
        self.assertEqual([], (await self.get(path, by=await self.admin(), expect=200)).json())

    async def test_nothing_else(self):
        """content#members: nothing else; and nothing for testers and who is only invited."""
        tester, invited, member = [await self.user() for _ in range(3)]
        made = await self.of(tester=tester, invited=invited, member=member)
        await self.publish(made)
        old = made.sent["revisionId"]
        for refused in (
            await self.put(f"{made.path}/visibility", {"visibility": "public"}, by=member),
            await self.delete(made.path, by=member),
            await self.delete(f"{made.path}/revisions/{old}", by=member),
            await self.put(f"{made.path}/comments-locked", {"locked": True}, by=member),
            await self.put(f"{made.path}/testers/{tester.id}", by=member),
            await self.get(f"{made.path}/testers", by=member),
        ):
            self.problem(refused, 403, "forbidden")
        for user in (tester, invited):
            for refused in (
                await self.post(f"{made.path}/revisions", revision(), by=user),
                await self.put(f"{made.path}/revisions/current", {"revisionId": old}, by=user),
                await self.put(made.path, draft(), by=user),
            ):
                self.problem(refused, 403, "forbidden")

    async def test_hidden(self):
        """content#members: a member of suspended content changes nothing."""
        member = await self.user()
        made = await self.of(member=member)
        await self.moderate(made, "suspended")
        refused = await self.post(f"{made.path}/revisions", revision(), by=member)
        self.problem(refused, 404, "content_not_found")
        changed = {"description": "Better", "screenshotUris": ["a.png"]}
        self.problem(await self.put(made.path, changed, by=member), 403, "forbidden")

    async def test_list_of_author(self):
        """content#members: what a member publishes is the author's."""
        member = await self.user()
        made = await self.content(await self.user())
        await self.let_in(made, member=member)
        await self.publish(made, by=member)
        found = await self.read(f"user/{made.author.id}/content", [CONTENT_INFO])
        self.assertEqual([made.id], [item["id"] for item in found])
        self.assertEqual([], await self.read(f"user/{member.id}/content", [CONTENT_INFO]))

    async def test_departure(self):
        """accounts#export: who leaves is nobody's member, and their own content has none."""
        member, author = await self.user(), await self.user()
        made = await self.of(member=member)
        theirs = await self.content(author, visibility="private")
        await self.let_in(theirs, tester=made.author)
        for user in (member, author):
            body = {"password": user.password}
            await self.delete(f"user/{user.id}", body=body, by=user, expect=204)
        self.assertEqual({}, await self.listed(made, made.author))
        path = f"user/{made.author.id}/memberships"
        self.assertEqual([], await self.read(path, [MEMBERSHIP], by=made.author))
        await self.get(theirs.path, by=made.author, expect=404)
