"""Which content depends on which: content#dependents."""

from tests.spec.data import Content, User, guid, reference
from tests.spec.notifications.support import TellingCase, bare
from tests.spec.shapes import CONTENT, CONTENT_INFO


class DependentsTests(TellingCase):
    """GET /api/v1/content/{content}/dependents."""

    async def using(self, author: User, part: Content) -> Content:
        """Content whose current revision uses the core of `part`."""
        return await self.content(author, **bare(using=[reference(part.sent["entity"])]))

    async def dependents(self, of: Content, by: User | None = None) -> list[str]:
        """The ids of the content's dependents."""
        found = await self.read(f"{of.path}/dependents", [CONTENT_INFO], by=by)
        return [item["id"] for item in found]

    async def test_list(self):
        """content#dependents: anyone gets a list of ContentInfo, newest first, of what uses what
        this content brought: its core, another entity of it, or a package."""
        part, someone = await self.content(await self.user()), await self.someone()
        self.assertEqual([], await self.dependents(part))
        bundle, extra = part.sent["packagesOriginating"][0], part.sent["originating"][0]
        made = [
            await self.using(someone, part),
            await self.content(someone, **bare(using=[reference(extra)])),
            await self.content(someone, **bare(packagesUsing=[bundle["id"]])),
        ]
        await self.content(someone, **bare())
        self.assertEqual([one.id for one in made[::-1]], await self.dependents(part))
        first = (await self.read(f"{part.path}/dependents", [CONTENT_INFO]))[0]
        detail = await self.read(made[2].path, CONTENT)
        self.assertEqual({member: detail[member] for member in CONTENT_INFO}, first)

    async def test_once(self):
        """content#dependents: what uses several parts of it is there once."""
        part = await self.content(await self.user())
        parts = [reference(part.sent["entity"]), reference(part.sent["originating"][0])]
        bundle = part.sent["packagesOriginating"][0]["id"]
        made = await self.content(await self.someone(), **bare(using=parts, packagesUsing=[bundle]))
        self.assertEqual([made.id], await self.dependents(part))

    async def test_current_revision(self):
        """content#dependents: the current revision counts, whichever that is."""
        part = await self.content(await self.user())
        made = await self.using(await self.someone(), part)
        sent = await self.publish(made)
        self.assertEqual([], await self.dependents(part))
        await self.roll(made, made.sent["revisionId"])
        self.assertEqual([made.id], await self.dependents(part))
        await self.roll(made, sent["revisionId"])
        self.assertEqual([], await self.dependents(part))

    async def test_what_a_revision_brought(self):
        """content#dependents: what a later revision of it brought counts as well."""
        part = await self.content(await self.user())
        later = await self.publish(part)
        await self.publish(part)
        using = [reference(later["entity"])]
        made = await self.content(await self.someone(), **bare(using=using))
        self.assertEqual([made.id], await self.dependents(part))

    async def test_not_itself(self):
        """content#dependents: the content itself is excluded, though it uses what it brought."""
        part = await self.content(await self.user())
        await self.publish(part, using=[reference(part.sent["entity"])])
        self.assertEqual([], await self.dependents(part))

    async def test_direct_only(self):
        """content#dependents: what uses only a dependent's own part is that one's dependent."""
        part = await self.content(await self.user())
        made = await self.using(await self.someone(), part)
        further = await self.using(await self.someone(), made)
        self.assertEqual([made.id], await self.dependents(part))
        self.assertEqual([further.id], await self.dependents(made))

    async def test_own(self):
        """content#dependents: other content of the same author counts."""
        part = await self.content(await self.user())
        made = await self.using(part.author, part)
        self.assertEqual([made.id], await self.dependents(part))

    async def test_hidden_dependents(self):
        """content#dependents: suspended and deleted dependents are not there, and are when back."""
        part, author = await self.content(await self.user()), await self.user()
        made = [await self.using(author, part) for _ in range(3)]
        await self.moderate(made[0], "suspended")
        await self.withdraw(made[1])
        for user in (None, part.author):
            self.assertEqual([made[2].id], await self.dependents(part, user))
        await self.moderate(made[0], "active")
        await self.restore(made[1])
        self.assertEqual([one.id for one in made[::-1]], await self.dependents(part))

    async def test_as_the_detail(self):
        """content#dependents: who may not see the content gets 404; its author and admins read
        on."""
        part = await self.content(await self.user())
        made = await self.using(await self.someone(), part)
        self.problem(await self.get(f"content/{guid()}/dependents"), 404, "content_not_found")
        await self.withdraw(part)
        for user in (None, made.author):
            refused = await self.get(f"{part.path}/dependents", by=user)
            self.problem(refused, 404, "content_not_found")
        for user in (part.author, await self.admin()):
            self.assertEqual([made.id], await self.dependents(part, user))

    async def test_stable(self):
        """content#dependents: the order is by creation: a revision moves nothing."""
        part, author = await self.content(await self.user()), await self.user()
        one, two = [await self.using(author, part) for _ in range(2)]
        await self.publish(one, using=[reference(part.sent["entity"])])
        self.assertEqual([two.id, one.id], await self.dependents(part))
