"""DependencyStatus: who hears that what they depend on has gone, or is back
(notifications#dependents)."""

from typing import Any

from tests.spec.data import Content, User, reference
from tests.spec.notifications.support import TellingCase, bare


class DependencyStatusTests(TellingCase):
    """What DELETE, restore and PUT status tell the authors of dependents."""

    async def using(self, author: User, *parts: Content) -> Content:
        """Content whose current revision uses the cores of `parts`."""
        cores = [reference(part.sent["entity"]) for part in parts]
        return await self.content(author, **bare(using=cores))

    async def part(self, author: User | None = None) -> Content:
        """Content that others use."""
        return await self.content(author or await self.user(), **bare())

    def status(self, of: Content, status: str, newest: Content, contents: int = 1) -> dict:
        """The notification, without what all have."""
        return {
            "kind": "DependencyStatus",
            "dependency": of.id,
            "status": status,
            "content": newest.id,
            "contents": contents,
        }

    async def hears(self, user: User, *expected: dict[str, Any]) -> None:
        """Assert that the user is told this, in this order, and nothing more."""
        self.assertEqual(list(expected), await self.told(user, len(expected)))

    async def test_deleted(self):
        """notifications#dependents: the author of a dependent is told of the deletion, once; the
        one who deletes is not."""
        part = await self.part()
        made = await self.using(await self.user(), part)
        await self.withdraw(part)
        await self.hears(made.author, self.status(part, "deleted", made))
        await self.hears(part.author)

    async def test_repeat(self):
        """notifications#dependents: a repeat of the deletion tells nobody again."""
        part = await self.part()
        made = await self.using(await self.user(), part)
        for _ in range(2):
            await self.withdraw(part)
        await self.hears(made.author, self.status(part, "deleted", made))

    async def test_several_dependents(self):
        """notifications#dependents: once per author, with their newest dependent and how many they
        have."""
        part, one, two = await self.part(), await self.user(), await self.user()
        first, other, last = [await self.using(author, part) for author in (one, two, one)]
        await self.publish(first, using=[reference(part.sent["entity"])])
        await self.withdraw(part)
        await self.hears(one, self.status(part, "deleted", last, 2))
        await self.hears(two, self.status(part, "deleted", other, 1))

    async def test_suspended_and_restored(self):
        """notifications#dependents: acts of admins tell each time: `suspended`, then `active`."""
        part = await self.part()
        made = await self.using(await self.user(), part)
        kinds = ("suspended", "active", "suspended")
        socket = await self.socket(made.author)
        for status in kinds:
            await self.moderate(part, status)
            await self.pushed(socket)
        await self.hears(made.author, *(self.status(part, each, made) for each in kinds))

    async def test_unchanged_status(self):
        """notifications#dependents: a status that was so already tells nobody."""
        part = await self.part()
        made = await self.using(await self.user(), part)
        await self.moderate(part, "active")
        await self.hears(made.author)

    async def test_own_author(self):
        """notifications#dependents: where an admin acts the dependency's own author is among them,
        if they have dependents."""
        part = await self.part()
        made = await self.using(part.author, part)
        await self.moderate(part, "suspended")
        told = await self.told(part.author, 2)
        kinds = sorted(one["kind"] for one in told)
        self.assertEqual(["ContentSuspended", "DependencyStatus"], kinds)
        self.assertIn(self.status(part, "suspended", made), told)

    async def test_own_author_without_dependents(self):
        """notifications#dependents: without dependents of their own they are told of the suspension
        only."""
        part = await self.part()
        await self.using(await self.user(), part)
        await self.moderate(part, "suspended")
        (told,) = await self.told(part.author, 1)
        self.assertEqual("ContentSuspended", told["kind"])

    async def test_never_the_actor(self):
        """notifications#dependents: never the actor: not the author who deletes, not the admin."""
        part = await self.part()
        await self.using(part.author, part)
        await self.withdraw(part)
        await self.hears(part.author)
        admin = await self._new_admin()
        other = await self.part()
        await self.using(admin, other)
        body = {"status": "suspended", "reason": "rules"}
        await self.put(f"{other.path}/status", body, by=admin, expect=204)
        await self.hears(admin)

    async def test_through_levels(self):
        """notifications#dependents: through all levels: who uses what uses it is told of the same
        dependency."""
        part = await self.part()
        made = [await self.using(await self.user(), part)]
        for _ in range(3):
            made.append(await self.using(await self.user(), made[-1]))
        await self.withdraw(part)
        for one in made:
            await self.hears(one.author, self.status(part, "deleted", one))

    async def test_levels_of_one_author(self):
        """notifications#dependents: dependents at several levels count together, each once."""
        part, author = await self.part(), await self.user()
        first = await self.using(author, part)
        second = await self.using(author, first)
        both = await self.using(author, part, second)
        await self.withdraw(part)
        await self.hears(author, self.status(part, "deleted", both, 3))

    async def test_hidden_dependents(self):
        """notifications#dependents: dependents are active content: what is suspended or deleted
        counts not."""
        part, author = await self.part(), await self.user()
        gone, shown, suspended = [await self.using(author, part) for _ in range(3)]
        await self.withdraw(gone)
        await self.moderate(suspended, "suspended")
        await self.withdraw(part)
        told = await self.told(author, 2)
        self.assertEqual("ContentSuspended", told[0]["kind"])
        self.assertEqual(self.status(part, "deleted", shown, 1), told[1])

    async def test_current_revision(self):
        """notifications#dependents: dependents are so by their current revision."""
        part = await self.part()
        left = await self.using(await self.user(), part)
        await self.publish(left)
        back = await self.using(await self.user(), part)
        await self.publish(back)
        await self.roll(back, back.sent["revisionId"])
        await self.withdraw(part)
        await self.hears(back.author, self.status(part, "deleted", back))
        await self.hears(left.author)

    async def test_restored_by_its_author(self):
        """notifications#dependents: deletions and restores by authors tell together once per
        dependency and recipient in 24 hours."""
        part = await self.part()
        made = await self.using(await self.user(), part)
        await self.withdraw(part)
        socket = await self.socket(made.author, resume=0)
        await self.pushed(socket)
        await self.restore(part)
        await self.withdraw(part)
        await self.hears(made.author, self.status(part, "deleted", made))

    async def test_each_dependency(self):
        """notifications#dependents: the 24 hours are those of one dependency and one recipient."""
        one, two = await self.part(), await self.part()
        made = await self.using(await self.user(), one, two)
        socket = await self.socket(made.author)
        await self.withdraw(one)
        await self.pushed(socket)
        await self.withdraw(two)
        expected = [self.status(part, "deleted", made) for part in (one, two)]
        await self.hears(made.author, *expected)

    async def test_restore_tells_who_was_not_told(self):
        """notifications#dependents: whose content was not active at the deletion hears of the
        restore."""
        part = await self.part()
        hidden = await self.using(await self.user(), part)
        await self.withdraw(hidden)
        witness = await self.using(await self.user(), part)
        socket = await self.socket(witness.author)
        await self.withdraw(part)
        await self.pushed(socket)
        await self.restore(hidden)
        await self.restore(part)
        await self.hears(hidden.author, self.status(part, "active", hidden))

    async def test_admins_always(self):
        """notifications#dependents: what authors did meanwhile does not silence an admin's act."""
        part = await self.part()
        made = await self.using(await self.user(), part)
        socket = await self.socket(made.author)
        await self.withdraw(part)
        await self.pushed(socket)
        await self.restore(part)
        expected = [self.status(part, "deleted", made)]
        for status in ("suspended", "active"):
            await self.moderate(part, status)
            await self.pushed(socket)
            expected.append(self.status(part, status, made))
        await self.hears(made.author, *expected)

    async def test_circle(self):
        """notifications#dependents: contents that use each other end nothing in a circle: once per
        author."""
        part = await self.part()
        made = await self.using(await self.user(), part)
        await self.publish(part, using=[reference(made.sent["entity"])])
        await self.withdraw(part)
        await self.hears(made.author, self.status(part, "deleted", made))

    async def test_nobody_depends(self):
        """notifications#dependents: who merely follows the author hears nothing of a deletion."""
        part, follower = await self.part(), await self.user()
        await self.follow(follower, part.author)
        await self.withdraw(part)
        await self.hears(follower)
